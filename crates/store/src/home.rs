//! Readings: chats that home began for a person, each with the one run that answers a question of home.
//!
//! No list of chats or runs has them. A person who sends a message in one makes it an ordinary chat.

use adagent_contract::RunStatus;
use adagent_domain::{ChatSessionId, MessageId, RunId, Timestamp, UserId, WorkspaceId};
use async_trait::async_trait;

use crate::StoreResult;

/// How far a question of home is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HomeReading {
    pub session: ChatSessionId,
    /// Which question of home it answers.
    pub question: String,
    /// What held when it was asked: under another basis it says nothing about now.
    pub basis: String,
    pub run: RunId,
    pub message: MessageId,
    pub status: RunStatus,
    pub asked_at: Timestamp,
    pub finished_at: Option<Timestamp>,
}

#[async_trait]
pub trait HomeReads {
    /// Newest first, of all questions.
    async fn list_home_readings(
        &self,
        workspace: WorkspaceId,
        user: UserId,
        limit: u32,
    ) -> StoreResult<Vec<HomeReading>>;
}

#[async_trait]
pub trait HomeWrites {
    /// Makes a chat a reading. A further message makes it an ordinary chat again.
    async fn mark_home_chat(
        &mut self,
        workspace: WorkspaceId,
        user: UserId,
        id: ChatSessionId,
        question: &str,
        basis: &str,
    ) -> StoreResult<()>;
    /// Deletes the readings of a question that began before then and are over, except this one. Says how many.
    async fn forget_home_readings(
        &mut self,
        workspace: WorkspaceId,
        user: UserId,
        question: &str,
        but: ChatSessionId,
        before: Timestamp,
    ) -> StoreResult<u64>;
}
