//! What is kept of the past: where runs were forked from, and what the retention policy lets go.
//!
//! Sweeping never touches a run that is not over, nor a conversation its person wants kept.

use adagent_contract::RunStatus;
use adagent_domain::{ChatSessionId, RunId, Timestamp, UserId, WorkspaceId};
use async_trait::async_trait;

use crate::StoreResult;

/// Where a run began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin {
    pub run: RunId,
    /// May have been forgotten since.
    pub parent: RunId,
    /// Which of the parent's saved states.
    pub parent_step: i64,
    /// The last event that was taken over from the parent; what follows is the run's own.
    pub inherited_seq: u64,
}

/// A fork, as its parent tells of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fork {
    pub run: RunId,
    /// Which of the parent's saved states it goes on from.
    pub parent_step: i64,
    pub question: String,
    pub status: RunStatus,
    pub created_at: Timestamp,
}

/// What one step of a sweep did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Swept {
    pub done: u64,
    /// Behind which run the next step goes on, so that no step looks again at what the ones before it left alone; `None`
    /// when nothing more is to be seen.
    pub next: Option<(Timestamp, RunId)>,
}

#[async_trait]
pub trait HistoryReads {
    /// `None` for a run that began with a question.
    async fn find_origin(&self, run: RunId) -> StoreResult<Option<Origin>>;
    /// The forks of a run that this person may read, oldest first.
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

/// What the retention policy lets go.
#[async_trait]
pub trait RetentionWrites {
    /// Whether the retention policy spares this conversation; `false` when there is none.
    async fn keep_chat(
        &mut self,
        workspace: WorkspaceId,
        user: UserId,
        id: ChatSessionId,
        kept: bool,
    ) -> StoreResult<bool>;

    /// Of at most `runs` runs that ended before then, oldest end first and behind `after`, drops all saved states but the last.
    /// Says how many runs it thinned.
    async fn thin_checkpoints(
        &mut self,
        ended_before: Timestamp,
        of: Option<WorkspaceId>,
        after: Option<(Timestamp, RunId)>,
        runs: u32,
    ) -> StoreResult<Swept>;

    /// Deletes at most `runs` runs that ended before then, oldest end first and behind `after`: each with everything that hangs on
    /// it and the runs it began, a turn with its message, and the conversations that have nothing left. A run that another one
    /// began goes with that one only. Says how many it deleted.
    async fn delete_runs(
        &mut self,
        ended_before: Timestamp,
        of: Option<WorkspaceId>,
        after: Option<(Timestamp, RunId)>,
        runs: u32,
    ) -> StoreResult<Swept>;
}
