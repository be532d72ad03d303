//! Questions that people save to ask them again. Each person has their own in each workspace.

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
    /// Home shows the question.
    pub pinned: bool,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

#[async_trait]
pub trait SavedReads {
    /// Lists the questions, newest first.
    async fn list_saved_questions(
        &self,
        workspace: WorkspaceId,
        user: UserId,
        limit: u32,
    ) -> StoreResult<Vec<SavedQuestion>>;
}

#[async_trait]
pub trait SavedWrites {
    /// Inserts a question. Returns `false` and stores nothing if the person already has `most` in this workspace. Concurrent inserts cannot
    /// exceed `most` either.
    async fn insert_saved_question(&mut self, saved: &SavedQuestion, most: u32) -> StoreResult<bool>;
    /// Changes a question. Returns `false` if this person has no such question in this workspace.
    async fn update_saved_question(
        &mut self,
        workspace: WorkspaceId,
        user: UserId,
        id: SavedQuestionId,
        title: Option<&str>,
        pinned: Option<bool>,
        at: Timestamp,
    ) -> StoreResult<bool>;
    /// Deletes a question. Returns `false` if this person has no such question in this workspace.
    async fn delete_saved_question(
        &mut self,
        workspace: WorkspaceId,
        user: UserId,
        id: SavedQuestionId,
    ) -> StoreResult<bool>;
}
