//! Servers of others whose tools a workspace uses.

use adagent_contract::{ServerTool, ToolServerSignIn};
use adagent_domain::{Timestamp, ToolServerId, UserId, WorkspaceId};
use async_trait::async_trait;

use crate::StoreResult;

#[derive(Clone, PartialEq)]
pub struct ToolServer {
    pub id: ToolServerId,
    pub workspace: WorkspaceId,
    /// Part of its tools' names; it never changes.
    pub handle: String,
    pub url: String,
    pub sign_in: ToolServerSignIn,
    pub body: ToolServerBody,
    /// `None`: their account was deleted.
    pub by: Option<UserId>,
    /// Counts changes, from 1.
    pub version: i64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// What changes of a tool server.
#[derive(Clone, PartialEq)]
pub struct ToolServerBody {
    pub name: String,
    /// The token or key, as the vault sealed it. It comes with the server and stays: a change does not write back what a rotation
    /// of keys may have sealed again meanwhile.
    pub sealed: Option<String>,
    pub enabled: bool,
    pub problem: Option<String>,
    pub tools: Vec<ServerTool>,
    pub left_out: u32,
    pub checked_at: Timestamp,
}

impl std::fmt::Debug for ToolServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ToolServer").field("id", &self.id).field("handle", &self.handle).finish_non_exhaustive()
    }
}

#[async_trait]
pub trait ToolServerReads {
    async fn find_tool_server(&self, workspace: WorkspaceId, id: ToolServerId) -> StoreResult<Option<ToolServer>>;
    /// By name.
    async fn list_tool_servers(&self, workspace: WorkspaceId, limit: u32) -> StoreResult<Vec<ToolServer>>;
}

#[async_trait]
pub trait ToolServerWrites {
    /// `false`, and nothing is kept, when the workspace has `most` already.
    async fn insert_tool_server(&mut self, server: &ToolServer, most: u32) -> StoreResult<bool>;
    /// Version `from` with another body; `false` when it is no longer that one.
    async fn update_tool_server(
        &mut self,
        workspace: WorkspaceId,
        id: ToolServerId,
        from: i64,
        body: &ToolServerBody,
        at: Timestamp,
    ) -> StoreResult<bool>;
    /// The handle it had, without a look at its tools; `None` when the workspace has no such server.
    async fn delete_tool_server(&mut self, workspace: WorkspaceId, id: ToolServerId) -> StoreResult<Option<String>>;
}
