//! Readings: chats that home began for a person. Each has one run, which answers a question on home.
//!
//! No list of chats or runs shows them. If the person sends a message in one, it becomes an ordinary chat.

use adagent_contract::RunStatus;
use adagent_domain::{ChatSessionId, MessageId, RunId, Timestamp, UserId, WorkspaceId};
use async_trait::async_trait;

use crate::StoreResult;

/// A reading, with the state of its run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HomeReading {
    pub session: ChatSessionId,
    /// Which question on home the reading answers.
    pub question: String,
    /// The conditions under which we asked. If the current ones differ, the answer no longer counts.
    pub basis: String,
    pub run: RunId,
    pub message: MessageId,
    pub status: RunStatus,
    pub asked_at: Timestamp,
    pub finished_at: Option<Timestamp>,
}

#[async_trait]
pub trait HomeReads {
    /// Lists the readings of all questions, newest first.
    async fn list_home_readings(
        &self,
        workspace: WorkspaceId,
        user: UserId,
        limit: u32,
    ) -> StoreResult<Vec<HomeReading>>;
}

#[async_trait]
pub trait HomeWrites {
    /// Turns a chat into a reading. Another message makes it an ordinary chat again.
    async fn mark_home_chat(
        &mut self,
        workspace: WorkspaceId,
        user: UserId,
        id: ChatSessionId,
        question: &str,
        basis: &str,
    ) -> StoreResult<()>;
    /// Deletes the readings of a question that began before `before` and are over, except `but`. Returns how many.
    async fn forget_home_readings(
        &mut self,
        workspace: WorkspaceId,
        user: UserId,
        question: &str,
        but: ChatSessionId,
        before: Timestamp,
    ) -> StoreResult<u64>;
}
