//! Questions that people save to ask them again: theirs alone, per workspace.

use adagent_domain::{SavedQuestionId, Timestamp, UserId, WorkspaceId};
use async_trait::async_trait;

use crate::StoreResult;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedQuestion {
    pub id: SavedQuestionId,
    pub workspace: WorkspaceId,
    pub user: UserId,
    pub title: String,
    pub question: String,
    /// Shown on home.
    pub pinned: bool,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

#[async_trait]
pub trait SavedReads {
    /// Newest first.
    async fn list_saved_questions(
        &self,
        workspace: WorkspaceId,
        user: UserId,
        limit: u32,
    ) -> StoreResult<Vec<SavedQuestion>>;
}

#[async_trait]
pub trait SavedWrites {
    /// `false`, and nothing is kept, when the person has `most` in this workspace already; also of many at once only so many fit.
    async fn insert_saved_question(&mut self, saved: &SavedQuestion, most: u32) -> StoreResult<bool>;
    /// `false` when this person has no such question in this workspace.
    async fn update_saved_question(
        &mut self,
        workspace: WorkspaceId,
        user: UserId,
        id: SavedQuestionId,
        title: Option<&str>,
        pinned: Option<bool>,
        at: Timestamp,
    ) -> StoreResult<bool>;
    /// `false` when this person has no such question in this workspace.
    async fn delete_saved_question(
        &mut self,
        workspace: WorkspaceId,
        user: UserId,
        id: SavedQuestionId,
    ) -> StoreResult<bool>;
}
