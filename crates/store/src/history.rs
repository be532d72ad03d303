//! What we keep about the past: where runs were forked from, and what the retention policy deletes.
//!
//! Sweeping never touches a run that is not over, nor a chat that its person wants to keep.

use adagent_contract::RunStatus;
use adagent_domain::{ChatSessionId, RunId, Timestamp, UserId, WorkspaceId};
use async_trait::async_trait;

use crate::StoreResult;

/// Where a run was forked from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin {
    pub run: RunId,
    /// The parent. It may have been deleted since.
    pub parent: RunId,
    /// The number of the parent's checkpoint.
    pub parent_step: i64,
    /// The last event taken over from the parent. Later events are the run's own.
    pub inherited_seq: u64,
}

/// A fork, as its parent lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fork {
    pub run: RunId,
    /// The number of the parent's checkpoint from which the fork continues.
    pub parent_step: i64,
    pub question: String,
    pub status: RunStatus,
    pub created_at: Timestamp,
}

/// The result of one step of a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Swept {
    pub done: u64,
    /// The run after which the next step continues, so that it does not check again the runs that earlier steps left alone. `None` after
    /// the last page.
    pub next: Option<(Timestamp, RunId)>,
}

#[async_trait]
pub trait HistoryReads {
    /// Returns `None` for a run that was not forked.
    async fn find_origin(&self, run: RunId) -> StoreResult<Option<Origin>>;
    /// Lists the forks of a run that this person can read, oldest first.
    async fn list_forks(
        &self,
        workspace: WorkspaceId,
        user: UserId,
        parent: RunId,
        limit: u32,
    ) -> StoreResult<Vec<Fork>>;
}

#[async_trait]
pub trait HistoryWrites {
    async fn insert_origin(&mut self, origin: &Origin) -> StoreResult<()>;
}

/// The deletions by the retention policy.
#[async_trait]
pub trait RetentionWrites {
    /// Sets whether the retention policy spares this chat. Returns `false` if there is no such chat.
    async fn keep_chat(
        &mut self,
        workspace: WorkspaceId,
        user: UserId,
        id: ChatSessionId,
        kept: bool,
    ) -> StoreResult<bool>;

    /// Deletes all checkpoints except the last from at most `runs` runs that ended before `ended_before`. Takes the runs after `after`,
    /// earliest end first. Reports how many runs it changed.
    async fn thin_checkpoints(
        &mut self,
        ended_before: Timestamp,
        of: Option<WorkspaceId>,
        after: Option<(Timestamp, RunId)>,
        runs: u32,
    ) -> StoreResult<Swept>;

    /// Deletes at most `runs` runs that ended before `ended_before`, after `after`, earliest end first. Each goes with all its data and the
    /// runs it began; a turn goes with its message, and a chat that becomes empty goes too. A child run is deleted only with its parent.
    /// Reports how many it deleted.
    async fn delete_runs(
        &mut self,
        ended_before: Timestamp,
        of: Option<WorkspaceId>,
        after: Option<(Timestamp, RunId)>,
        runs: u32,
    ) -> StoreResult<Swept>;
}
