//! To-dos of a workspace: everybody in it sees and changes them.

use adagent_domain::{RunId, Timestamp, TodoId, UserId, WorkspaceId};
use async_trait::async_trait;

use crate::StoreResult;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Todo {
    pub id: TodoId,
    pub workspace: WorkspaceId,
    pub body: TodoBody,
    /// What the assignee is called.
    pub assignee_name: Option<String>,
    /// `None`: their account was deleted.
    pub by: Option<UserId>,
    pub by_name: Option<String>,
    /// The run whose call made it, and whose run that is.
    pub run: Option<(RunId, UserId)>,
    /// Counts changes, from 1.
    pub version: i64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// What people set of a to-do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TodoBody {
    pub text: String,
    /// A day as `2026-11-27`; callers check that it is one.
    pub due: Option<String>,
    pub assignee: Option<UserId>,
    pub done_at: Option<Timestamp>,
}

#[async_trait]
pub trait TodoReads {
    async fn find_todo(&self, workspace: WorkspaceId, id: TodoId) -> StoreResult<Option<Todo>>;
    /// By day, those without one last; of one day the oldest first.
    async fn list_open_todos(&self, workspace: WorkspaceId, limit: u32) -> StoreResult<Vec<Todo>>;
    /// Those done last come first.
    async fn list_done_todos(&self, workspace: WorkspaceId, limit: u32) -> StoreResult<Vec<Todo>>;
}

#[async_trait]
pub trait TodoWrites {
    /// `false`, and nothing is kept, when the workspace has `most` already.
    async fn insert_todo(&mut self, todo: &Todo, most: u32) -> StoreResult<bool>;
    /// Version `from` with another body; `false` when it is no longer that one.
    async fn update_todo(
        &mut self,
        workspace: WorkspaceId,
        id: TodoId,
        from: i64,
        body: &TodoBody,
        at: Timestamp,
    ) -> StoreResult<bool>;
    /// `false` when the workspace has no such to-do.
    async fn delete_todo(&mut self, workspace: WorkspaceId, id: TodoId) -> StoreResult<bool>;
}
