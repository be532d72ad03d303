//! What is kept of the past: where runs were forked from, and what the retention policy lets go.
//!
//! Sweeping never touches a run that is not over, nor a conversation its person wants kept.

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

#[async_trait]
pub trait HistoryReads {
    /// `None` for a run that began with a question.
    async fn find_origin(&self, run: RunId) -> StoreResult<Option<Origin>>;
    /// The forks of a run, oldest first.
    async fn list_forks(&self, parent: RunId, limit: u32) -> StoreResult<Vec<Origin>>;
}

#[async_trait]
pub trait HistoryWrites {
    async fn insert_origin(&mut self, origin: &Origin) -> StoreResult<()>;

    /// Whether the retention policy spares this conversation; `false` when there is none.
    async fn keep_chat(
        &mut self,
        workspace: WorkspaceId,
        user: UserId,
        id: ChatSessionId,
        kept: bool,
    ) -> StoreResult<bool>;

    /// Of at most `runs` runs that ended before then, drops all saved states but the last. Says how many runs it thinned.
    async fn thin_checkpoints(&mut self, ended_before: Timestamp, runs: u32) -> StoreResult<u64>;

    /// Deletes at most `turns` turns that ended before then, each with its message and everything of its run, and the
    /// conversations that have nothing left. Says how many turns it deleted.
    async fn delete_turns(&mut self, ended_before: Timestamp, turns: u32) -> StoreResult<u64>;
}
