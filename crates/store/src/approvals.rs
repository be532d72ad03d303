//! Approvals: bound to workspace, run, call and a digest of the arguments; answered once.

use std::collections::HashSet;

use adagent_contract::{ApprovalStatus, ApprovalView, SentChange};
use adagent_domain::{ApprovalId, RunId, Timestamp, UserId, WorkspaceId};
use async_trait::async_trait;

use crate::{Lease, StoreResult};

/// What is stored: the view people see and the digest that binds it.
#[derive(Debug, Clone, PartialEq)]
pub struct ApprovalRecord {
    pub view: ApprovalView,
    pub workspace: WorkspaceId,
    /// The person whose run asks; in an organization others with the right may answer too.
    pub user: UserId,
    pub digest: String,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ApprovalAnswer {
    pub status: ApprovalStatus,
    pub by: UserId,
    /// Name of who answered, kept for the record.
    pub by_name: String,
    pub at: Timestamp,
    pub edited_args: Option<serde_json::Value>,
    /// What the edited arguments do, in words; kept with the view.
    pub sent: Option<SentChange>,
    /// Digest of what may be sent now.
    pub digest: String,
    pub reason: Option<String>,
}

/// Begins what a run is asked for that puts a change back; the approval of that change follows.
pub const UNDO: &str = "undo:";

/// A change back that was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Undo {
    /// The change it put back.
    pub of: ApprovalId,
    /// Its own approval.
    pub by: ApprovalId,
}

/// The changes whose last undo holds, of undos oldest first: one that was put back itself left its change as it was.
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

/// Whose approvals are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Whose {
    pub user: UserId,
    /// With those of other members, but what changes only things of their own.
    pub others: bool,
}

impl Whose {
    pub const fn own(user: UserId) -> Self {
        Self { user, others: false }
    }
}

#[async_trait]
pub trait ApprovalReads {
    /// Of any member: who may see it is for the caller to say.
    async fn find_approval(&self, workspace: WorkspaceId, id: ApprovalId) -> StoreResult<Option<ApprovalRecord>>;
    /// Newest first.
    async fn list_approvals(
        &self,
        workspace: WorkspaceId,
        whose: Whose,
        status: Option<ApprovalStatus>,
        before: Option<ApprovalId>,
        limit: u32,
    ) -> StoreResult<Vec<ApprovalRecord>>;
    /// The undos of a person's changes that were made, oldest first.
    async fn list_undos(&self, workspace: WorkspaceId, user: UserId) -> StoreResult<Vec<Undo>>;
    async fn count_pending_approvals(&self, workspace: WorkspaceId, whose: Whose) -> StoreResult<u64>;
    /// The pending approvals of a workspace, of every member, oldest first.
    async fn list_pending_approvals(&self, workspace: WorkspaceId, limit: u32) -> StoreResult<Vec<ApprovalRecord>>;
    async fn list_approvals_of_run(&self, run: RunId) -> StoreResult<Vec<ApprovalRecord>>;
    /// Pending ones whose time is over, oldest first.
    async fn list_expired_approvals(&self, now: Timestamp, limit: u32) -> StoreResult<Vec<ApprovalRecord>>;
}

#[async_trait]
pub trait ApprovalWrites {
    /// Approvals of a run, as this transaction sees them.
    async fn approvals_of(&mut self, run: RunId) -> StoreResult<Vec<ApprovalRecord>>;
    async fn insert_approval(&mut self, lease: &Lease, approval: &ApprovalRecord) -> StoreResult<()>;
    /// `UPDATE … WHERE status = 'pending'`: `false` means somebody was faster.
    async fn answer_approval(
        &mut self,
        workspace: WorkspaceId,
        id: ApprovalId,
        answer: &ApprovalAnswer,
    ) -> StoreResult<bool>;
}
