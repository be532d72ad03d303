//! Servers of others whose tools a workspace uses.

use adagent_contract::{ServerAccess, ServerTool, ToolServerSignIn};
use adagent_domain::{Timestamp, ToolServerId, UserId, WorkspaceId};
use async_trait::async_trait;

use crate::StoreResult;

#[derive(Clone, PartialEq)]
pub struct ToolServer {
    pub id: ToolServerId,
    pub workspace: WorkspaceId,
    /// The server's part in its tools' names; it never changes.
    pub handle: String,
    pub url: String,
    pub sign_in: ToolServerSignIn,
    pub access: ServerAccess,
    /// Increases whenever what is sealed changes. A refresh is stored only if this is still the version that it read.
    pub sealed_version: i64,
    pub body: ToolServerBody,
    /// `None` if their account was deleted.
    pub by: Option<UserId>,
    /// The version: 1 at first, and each change adds 1.
    pub version: i64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// The part of a tool server that changes.
#[derive(Clone, PartialEq)]
pub struct ToolServerBody {
    pub name: String,
    /// The token or key, sealed by the vault; with OAuth, our client there and its tokens. An insert and `set_server_access` write it, and
    /// no update changes it, so that an update does not overwrite what a key rotation has sealed again.
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
    /// Lists the servers by name.
    async fn list_tool_servers(&self, workspace: WorkspaceId, limit: u32) -> StoreResult<Vec<ToolServer>>;
}

#[async_trait]
pub trait ToolServerWrites {
    /// Inserts a server. Returns `false` and stores nothing if the workspace already has `most`.
    async fn insert_tool_server(&mut self, server: &ToolServer, most: u32) -> StoreResult<bool>;
    /// Replaces the body of version `from`. Returns `false` if the current version is another one.
    async fn update_tool_server(
        &mut self,
        workspace: WorkspaceId,
        id: ToolServerId,
        from: i64,
        body: &ToolServerBody,
        at: Timestamp,
    ) -> StoreResult<bool>;
    /// Replaces what is sealed and the state of the sign-in, and ends a claim to refresh. Returns `false` if somebody has replaced them since
    /// `from`.
    async fn set_server_access(
        &mut self,
        workspace: WorkspaceId,
        id: ToolServerId,
        from: i64,
        sealed: &str,
        access: ServerAccess,
    ) -> StoreResult<bool>;
    /// Claims to refresh the tokens of version `from` alone until `until`. Returns `false` if another process claimed it first, or if there is
    /// a newer version.
    async fn claim_server_refresh(
        &mut self,
        workspace: WorkspaceId,
        id: ToolServerId,
        from: i64,
        now: Timestamp,
        until: Timestamp,
    ) -> StoreResult<bool>;
    /// Ends a claim that brought no new tokens.
    async fn end_server_refresh(&mut self, workspace: WorkspaceId, id: ToolServerId, from: i64) -> StoreResult<()>;
    /// Deletes a server and returns its handle, without reading its tools. `None` if the workspace has no such server.
    async fn delete_tool_server(&mut self, workspace: WorkspaceId, id: ToolServerId) -> StoreResult<Option<String>>;
}
