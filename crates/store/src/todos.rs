//! To-dos of a workspace; everybody in it sees and changes them.

use adagent_domain::{RunId, Timestamp, TodoId, UserId, WorkspaceId};
use async_trait::async_trait;

use crate::StoreResult;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Todo {
    pub id: TodoId,
    pub workspace: WorkspaceId,
    pub body: TodoBody,
    /// The assignee's name.
    pub assignee_name: Option<String>,
    /// `None` if their account was deleted.
    pub by: Option<UserId>,
    pub by_name: Option<String>,
    /// The run whose call made it, and that run's person.
    pub run: Option<(RunId, UserId)>,
    /// The version: 1 at first, and each change adds 1.
    pub version: i64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// The fields of a to-do that people set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TodoBody {
    pub text: String,
    /// A day such as `2026-11-27`; callers check it.
    pub due: Option<String>,
    pub assignee: Option<UserId>,
    pub done_at: Option<Timestamp>,
}

#[async_trait]
pub trait TodoReads {
    async fn find_todo(&self, workspace: WorkspaceId, id: TodoId) -> StoreResult<Option<Todo>>;
    /// Lists open to-dos by day, those without a day last; within a day, the oldest first.
    async fn list_open_todos(&self, workspace: WorkspaceId, limit: u32) -> StoreResult<Vec<Todo>>;
    /// Lists done to-dos, the latest first.
    async fn list_done_todos(&self, workspace: WorkspaceId, limit: u32) -> StoreResult<Vec<Todo>>;
}

#[async_trait]
pub trait TodoWrites {
    /// Inserts a to-do. Returns `false` and stores nothing if the workspace already has `most`.
    async fn insert_todo(&mut self, todo: &Todo, most: u32) -> StoreResult<bool>;
    /// Replaces the body of version `from`. Returns `false` if the current version is another one.
    async fn update_todo(
        &mut self,
        workspace: WorkspaceId,
        id: TodoId,
        from: i64,
        body: &TodoBody,
        at: Timestamp,
    ) -> StoreResult<bool>;
    /// Deletes a to-do. Returns `false` if the workspace has no such to-do.
    async fn delete_todo(&mut self, workspace: WorkspaceId, id: TodoId) -> StoreResult<bool>;
}
