//! Network access to revoke after its connection was removed here. Workers claim this from its [`crate::Queue`].
//!
//! A row holds one token, sealed for that row, and nothing else about the connection.

use adagent_domain::{ConnectionId, JobId, Network, Timestamp, WorkspaceId};
use async_trait::async_trait;

use crate::{Connection, StoreResult};

/// An access that nobody has revoked yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRevocation {
    pub id: JobId,
    pub workspace: WorkspaceId,
    pub connection: ConnectionId,
    pub network: Network,
    pub sandbox: bool,
    /// The token; `Err` says why there is none, so that a person must revoke the access.
    pub sealed: Result<String, String>,
    pub created_at: Timestamp,
}

/// What we know about one revocation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revocation {
    pub id: JobId,
    /// `None` after the workspace was deleted.
    pub workspace: Option<WorkspaceId>,
    pub connection: ConnectionId,
    pub network: Network,
    pub sandbox: bool,
    pub created_at: Timestamp,
    pub last_error: Option<String>,
}

#[async_trait]
pub trait RevocationReads {
    /// Lists those of a workspace that we gave up: a person must revoke the access at the network. Newest first.
    async fn list_failed_revocations(&self, workspace: WorkspaceId, limit: u32) -> StoreResult<Vec<Revocation>>;
    async fn find_revocation(&self, id: JobId) -> StoreResult<Option<Revocation>>;
}

#[async_trait]
pub trait RevocationWrites {
    async fn insert_revocation(&mut self, revocation: &NewRevocation) -> StoreResult<()>;
    /// Lists the connections of a workspace as this transaction sees them, before it removes them. Nobody can renew one meanwhile.
    async fn connections_of(&mut self, workspace: WorkspaceId) -> StoreResult<Vec<Connection>>;
    async fn revocation(&mut self, id: JobId) -> StoreResult<Option<Revocation>>;
    /// Forgets a revocation that we gave up and that a person has done at the network. Returns `false` if this workspace has no such
    /// revocation.
    async fn forget_revocation(&mut self, workspace: WorkspaceId, id: JobId) -> StoreResult<bool>;
}
