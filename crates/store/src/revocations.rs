//! Consents that are to be taken back at their networks once the connection is gone here, done by whoever claims them from their
//! [`crate::Queue`].
//!
//! A row holds one token, sealed for itself, and nothing else of the connection.

use adagent_domain::{ConnectionId, JobId, Network, Timestamp, WorkspaceId};
use async_trait::async_trait;

use crate::{Connection, StoreResult};

/// A consent that nobody took back yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRevocation {
    pub id: JobId,
    pub workspace: WorkspaceId,
    pub connection: ConnectionId,
    pub network: Network,
    pub sandbox: bool,
    /// The token; `Err` is why there is none, and that a person must do it.
    pub sealed: Result<String, String>,
    pub created_at: Timestamp,
}

/// What is known about one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revocation {
    pub id: JobId,
    /// Nobody's once the workspace is gone.
    pub workspace: Option<WorkspaceId>,
    pub connection: ConnectionId,
    pub network: Network,
    pub sandbox: bool,
    pub created_at: Timestamp,
    pub last_error: Option<String>,
}

#[async_trait]
pub trait RevocationReads {
    /// Those of a workspace that were given up: a person must do them at the network. Newest first.
    async fn list_failed_revocations(&self, workspace: WorkspaceId, limit: u32) -> StoreResult<Vec<Revocation>>;
    async fn find_revocation(&self, id: JobId) -> StoreResult<Option<Revocation>>;
}

#[async_trait]
pub trait RevocationWrites {
    async fn insert_revocation(&mut self, revocation: &NewRevocation) -> StoreResult<()>;
    /// The connections of a workspace as this transaction sees them, for whoever removes them with it: nobody renews one meanwhile.
    async fn connections_of(&mut self, workspace: WorkspaceId) -> StoreResult<Vec<Connection>>;
    async fn revocation(&mut self, id: JobId) -> StoreResult<Option<Revocation>>;
    /// A person did by hand what was given up here; `false` when there is no such thing in this workspace.
    async fn forget_revocation(&mut self, workspace: WorkspaceId, id: JobId) -> StoreResult<bool>;
}
