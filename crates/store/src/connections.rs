//! Connections of a workspace to networks. Secrets arrive here sealed and leave sealed.

use adagent_domain::{ConnectionId, Network, RunId, Timestamp, UserId, WorkspaceId};
use async_trait::async_trait;

use crate::StoreResult;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionState {
    ChooseAccount,
    Connected,
    AuthFailed,
}

/// One row per workspace and network.
#[derive(Debug, Clone, PartialEq)]
pub struct Connection {
    pub id: ConnectionId,
    pub workspace: WorkspaceId,
    pub network: Network,
    pub state: ConnectionState,
    pub enabled: bool,
    pub sandbox: bool,
    /// Compact JWE of the credentials (OAuth tokens or API keys).
    pub sealed: String,
    /// `[{id, name, currency, time_zone, selected}]` as `adagent_contract::AccountChoice`.
    pub accounts: serde_json::Value,
    pub message: Option<String>,
    /// Counts up with every change of the credentials; refreshes compare it.
    pub version: i64,
    pub created_by: UserId,
    pub created_at: Timestamp,
    pub last_verified_at: Option<Timestamp>,
    /// What its credentials may do as `adagent_contract::Abilities`; `None` where nobody looked.
    pub abilities: Option<serde_json::Value>,
    /// Counts up when it is made anew, and not when its tokens are renewed.
    pub made: i64,
}

/// An operation a run has before it or under way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Use {
    pub tool: String,
    pub run: RunId,
    /// How many of its calls wait for an approval.
    pub waiting: u64,
}

/// An OAuth round trip under way: bound to person, workspace and browser session, used once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OauthAttempt {
    /// SHA-256 of the `state` parameter, hex.
    pub state_hash: String,
    pub workspace: WorkspaceId,
    pub user: UserId,
    /// SHA-256 of the HTTP session id, hex.
    pub session_hash: String,
    pub network: Network,
    /// The PKCE verifier, sealed.
    pub sealed_verifier: String,
    pub return_to: Option<String>,
    pub expires_at: Timestamp,
    /// It began at the simulated network.
    pub sandbox: bool,
}

#[async_trait]
pub trait ConnectionReads {
    async fn list_connections(&self, workspace: WorkspaceId) -> StoreResult<Vec<Connection>>;
    async fn find_connection(&self, workspace: WorkspaceId, network: Network) -> StoreResult<Option<Connection>>;
    async fn find_connection_by_id(&self, workspace: WorkspaceId, id: ConnectionId) -> StoreResult<Option<Connection>>;
    /// The operations that runs which go on have before them or under way, by operation and run.
    async fn list_uses(&self, workspace: WorkspaceId, limit: u32) -> StoreResult<Vec<Use>>;
}

#[async_trait]
pub trait ConnectionWrites {
    /// Inserts, or replaces the connection of the same workspace and network (id and created_* stay, version counts up).
    /// In the place of the one there is. No row is changed, and that is an error, when a simulated one would replace a real one.
    async fn upsert_connection(&mut self, connection: &Connection) -> StoreResult<ConnectionId>;
    /// Persists refreshed credentials if nobody else did since `expected_version`; `false` when somebody did.
    async fn replace_sealed(
        &mut self,
        workspace: WorkspaceId,
        id: ConnectionId,
        expected_version: i64,
        sealed: &str,
        at: Timestamp,
    ) -> StoreResult<bool>;
    /// Of the credentials somebody looked at: `false` when others have replaced them since `expected_version`.
    async fn set_connection_state(
        &mut self,
        workspace: WorkspaceId,
        id: ConnectionId,
        expected_version: i64,
        state: ConnectionState,
        message: Option<&str>,
        at: Timestamp,
    ) -> StoreResult<bool>;
    async fn set_connection_enabled(
        &mut self,
        workspace: WorkspaceId,
        id: ConnectionId,
        enabled: bool,
    ) -> StoreResult<bool>;
    async fn set_connection_accounts(
        &mut self,
        workspace: WorkspaceId,
        id: ConnectionId,
        accounts: &serde_json::Value,
        state: ConnectionState,
        at: Timestamp,
    ) -> StoreResult<bool>;
    /// What the credentials of exactly this making may do; `false` when it was made anew meanwhile.
    async fn set_connection_abilities(
        &mut self,
        workspace: WorkspaceId,
        id: ConnectionId,
        made: i64,
        abilities: &serde_json::Value,
    ) -> StoreResult<bool>;
    /// Of exactly this making: `false` when somebody connected anew meanwhile, whose connection stays.
    async fn delete_connection(&mut self, workspace: WorkspaceId, id: ConnectionId, made: i64) -> StoreResult<bool>;
    async fn insert_oauth_attempt(&mut self, attempt: &OauthAttempt) -> StoreResult<()>;
    /// Takes the attempt out: a second use of the same state finds nothing.
    async fn take_oauth_attempt(&mut self, state_hash: &str) -> StoreResult<Option<OauthAttempt>>;
}
