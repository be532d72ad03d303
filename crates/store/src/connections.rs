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

/// A workspace may have several of one network, told apart by their labels.
#[derive(Debug, Clone, PartialEq)]
pub struct Connection {
    pub id: ConnectionId,
    pub workspace: WorkspaceId,
    pub network: Network,
    /// What people call it: unique among those of its workspace and network, whatever the case of its letters.
    pub label: String,
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
    /// Counts up when it is made again, and not when its tokens are renewed.
    pub made: i64,
    /// Who gave the credentials it has now; nobody when they are gone from here. `created_by` is who answers for it.
    pub consented_by: Option<UserId>,
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
    /// The connection that is made again; otherwise one that is added, or the network's first.
    pub connection: Option<ConnectionId>,
    /// Adds one more to the connections of the network.
    pub adds: bool,
    /// What an added one is called.
    pub label: Option<String>,
}

#[async_trait]
pub trait ConnectionReads {
    /// By network, the oldest of each first.
    async fn list_connections(&self, workspace: WorkspaceId) -> StoreResult<Vec<Connection>>;
    async fn find_connection_by_id(&self, workspace: WorkspaceId, id: ConnectionId) -> StoreResult<Option<Connection>>;
    /// Of whatever workspace: those of this one, and those this person gave credentials to anywhere. For what is true of a network's
    /// consent, which knows no workspaces; never for somebody's eyes.
    async fn list_consents(&self, workspace: Option<WorkspaceId>, by: Option<UserId>) -> StoreResult<Vec<Connection>>;
    /// The operations that runs which go on have before them or under way, by operation and run.
    async fn list_uses(&self, workspace: WorkspaceId, limit: u32) -> StoreResult<Vec<Use>>;
}

#[async_trait]
pub trait ConnectionWrites {
    /// A new one. A label that another connection of the network has is taken.
    async fn insert_connection(&mut self, connection: &Connection) -> StoreResult<()>;
    /// The one with this id again: its label and where it came from stay, version and making count up. `false`, and nothing is
    /// changed, when it is gone, or when a simulated one would replace a real one.
    async fn remake_connection(&mut self, connection: &Connection) -> StoreResult<bool>;
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
    /// `false` when there is no such connection; a label that another one of the network has is taken.
    async fn rename_connection(&mut self, workspace: WorkspaceId, id: ConnectionId, label: &str) -> StoreResult<bool>;
    async fn set_connection_accounts(
        &mut self,
        workspace: WorkspaceId,
        id: ConnectionId,
        accounts: &serde_json::Value,
        state: ConnectionState,
        at: Timestamp,
    ) -> StoreResult<bool>;
    /// What the credentials of exactly this making may do; `false` when it was made again meanwhile.
    async fn set_connection_abilities(
        &mut self,
        workspace: WorkspaceId,
        id: ConnectionId,
        made: i64,
        abilities: &serde_json::Value,
    ) -> StoreResult<bool>;
    /// Of exactly this making: `false` when somebody connected again meanwhile, whose connection stays.
    async fn delete_connection(&mut self, workspace: WorkspaceId, id: ConnectionId, made: i64) -> StoreResult<bool>;
    async fn insert_oauth_attempt(&mut self, attempt: &OauthAttempt) -> StoreResult<()>;
    /// Takes the attempt out: a second use of the same state finds nothing.
    async fn take_oauth_attempt(&mut self, state_hash: &str) -> StoreResult<Option<OauthAttempt>>;
}
