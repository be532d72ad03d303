//! Approvals: each is bound to a workspace, a run, a call and a digest of the arguments, and is answered once.

use std::collections::HashSet;

use adagent_contract::{ApprovalStatus, ApprovalView, SentChange};
use adagent_domain::{ApprovalId, RunId, Timestamp, UserId, WorkspaceId};
use async_trait::async_trait;

use crate::{Lease, StoreResult};

/// An approval as we store it: the view that people see, and the digest that binds it.
#[derive(Debug, Clone, PartialEq)]
pub struct ApprovalRecord {
    pub view: ApprovalView,
    pub workspace: WorkspaceId,
    /// The person whose run asks. In an organization, other people with the right may answer too.
    pub user: UserId,
    pub digest: String,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ApprovalAnswer {
    pub status: ApprovalStatus,
    pub by: UserId,
    /// The name of the person who answered, for the record.
    pub by_name: String,
    pub at: Timestamp,
    pub edited_args: Option<serde_json::Value>,
    /// What the edited arguments do, in words; stored with the view.
    pub sent: Option<SentChange>,
    /// The digest of the arguments that we may send now.
    pub digest: String,
    pub reason: Option<String>,
}

/// The prefix of a run's key (see `mark_asked`) if the run undoes a change. The ID of that change's approval follows.
pub const UNDO: &str = "undo:";

/// An undo that was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Undo {
    /// The change that it undid.
    pub of: ApprovalId,
    /// The undo's own approval.
    pub by: ApprovalId,
}

/// Returns the changes that are undone now. `undos` must be oldest first. If an undo was itself undone, its change counts as made.
#[must_use]
pub fn undone(undos: &[Undo]) -> HashSet<ApprovalId> {
    let mut undone = HashSet::new();
    for undo in undos.iter().rev() {
        if !undone.contains(&undo.by) {
            undone.insert(undo.of);
        }
    }
    undone
}

/// Whose approvals to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Whose {
    pub user: UserId,
    /// Whether to include approvals of other members, except for changes to their own things.
    pub others: bool,
}

impl Whose {
    pub const fn own(user: UserId) -> Self {
        Self { user, others: false }
    }
}

#[async_trait]
pub trait ApprovalReads {
    /// Finds an approval of any member. The caller must check who may see it.
    async fn find_approval(&self, workspace: WorkspaceId, id: ApprovalId) -> StoreResult<Option<ApprovalRecord>>;
    /// Lists approvals, newest first.
    async fn list_approvals(
        &self,
        workspace: WorkspaceId,
        whose: Whose,
        status: Option<ApprovalStatus>,
        before: Option<ApprovalId>,
        limit: u32,
    ) -> StoreResult<Vec<ApprovalRecord>>;
    /// Lists the undos of a person's changes that were made, oldest first.
    async fn list_undos(&self, workspace: WorkspaceId, user: UserId) -> StoreResult<Vec<Undo>>;
    async fn count_pending_approvals(&self, workspace: WorkspaceId, whose: Whose) -> StoreResult<u64>;
    /// Lists the pending approvals of all members of a workspace, oldest first.
    async fn list_pending_approvals(&self, workspace: WorkspaceId, limit: u32) -> StoreResult<Vec<ApprovalRecord>>;
    async fn list_approvals_of_run(&self, run: RunId) -> StoreResult<Vec<ApprovalRecord>>;
    /// Lists the pending approvals whose time is over, oldest first.
    async fn list_expired_approvals(&self, now: Timestamp, limit: u32) -> StoreResult<Vec<ApprovalRecord>>;
}

#[async_trait]
pub trait ApprovalWrites {
    /// Lists the approvals of a run as this transaction sees them.
    async fn approvals_of(&mut self, run: RunId) -> StoreResult<Vec<ApprovalRecord>>;
    async fn insert_approval(&mut self, lease: &Lease, approval: &ApprovalRecord) -> StoreResult<()>;
    /// Answers an approval that is pending. Returns `false` if somebody else answered first.
    async fn answer_approval(
        &mut self,
        workspace: WorkspaceId,
        id: ApprovalId,
        answer: &ApprovalAnswer,
    ) -> StoreResult<bool>;
}
