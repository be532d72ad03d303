//! Connections of a workspace to networks. Secrets arrive here sealed and leave sealed.

use adagent_domain::{ConnectionId, Network, RunId, Timestamp, ToolServerId, UserId, WorkspaceId};
use async_trait::async_trait;

use crate::StoreResult;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionState {
    ChooseAccount,
    Connected,
    AuthFailed,
}

/// A connection. A workspace can have several to one network, with different labels.
#[derive(Debug, Clone, PartialEq)]
pub struct Connection {
    pub id: ConnectionId,
    pub workspace: WorkspaceId,
    pub network: Network,
    /// The name that people gave it. It is unique within its workspace and network, whatever its case.
    pub label: String,
    pub state: ConnectionState,
    pub enabled: bool,
    pub sandbox: bool,
    /// The credentials (OAuth tokens or API keys) as a compact JWE.
    pub sealed: String,
    /// A list of `adagent_contract::AccountChoice`: `[{id, name, currency, time_zone, selected}]`.
    pub accounts: serde_json::Value,
    pub message: Option<String>,
    /// Increases whenever the credentials change. A refresh is stored only if this is still the version that it read.
    pub version: i64,
    pub created_by: UserId,
    pub created_at: Timestamp,
    pub last_verified_at: Option<Timestamp>,
    /// What its credentials allow, as `adagent_contract::Abilities`. `None` if nobody has checked.
    pub abilities: Option<serde_json::Value>,
    /// Increases when the connection is made again, but not when its tokens are renewed.
    pub made: i64,
    /// The person who gave the current credentials. `None` if that person's account was deleted. `created_by` is responsible for the
    /// connection.
    pub consented_by: Option<UserId>,
}

/// An operation that a run still has to do, or is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Use {
    pub tool: String,
    pub run: RunId,
    /// How many of its calls wait for an approval.
    pub waiting: u64,
}

/// What a person signs in to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SignInInto {
    Network {
        network: Network,
        /// The round trip began at the simulated network.
        sandbox: bool,
        /// The connection to make again. `None` adds one or makes the network's first.
        connection: Option<ConnectionId>,
        /// Whether the round trip adds another connection to the network.
        adds: bool,
        /// The label of an added connection.
        label: Option<String>,
    },
    ToolServer(ToolServerId),
}

/// An open OAuth round trip. It is bound to a person, a workspace and a browser session, and works once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OauthAttempt {
    /// The SHA-256 of the `state` parameter, in hex.
    pub state_hash: String,
    pub workspace: WorkspaceId,
    pub user: UserId,
    /// The SHA-256 of the HTTP session ID, in hex.
    pub session_hash: String,
    /// The PKCE verifier, sealed. For a tool server, also where the code is exchanged.
    pub sealed_verifier: String,
    pub return_to: Option<String>,
    pub expires_at: Timestamp,
    pub into: SignInInto,
}

#[async_trait]
pub trait ConnectionReads {
    /// Lists the connections by network, the oldest of each first.
    async fn list_connections(&self, workspace: WorkspaceId) -> StoreResult<Vec<Connection>>;
    async fn find_connection_by_id(&self, workspace: WorkspaceId, id: ConnectionId) -> StoreResult<Option<Connection>>;
    /// Lists the connections of this workspace, and those in any workspace for which this person gave the credentials. Use it only to
    /// decide about access at a network, which does not know our workspaces; never show the result to people.
    async fn list_consents(&self, workspace: Option<WorkspaceId>, by: Option<UserId>) -> StoreResult<Vec<Connection>>;
    /// Lists the operations that open runs still have to do or are doing, by operation and run.
    async fn list_uses(&self, workspace: WorkspaceId, limit: u32) -> StoreResult<Vec<Use>>;
}

#[async_trait]
pub trait ConnectionWrites {
    /// Inserts a new connection. If another connection of the network has the label, returns `Taken`.
    async fn insert_connection(&mut self, connection: &Connection) -> StoreResult<()>;
    /// Makes the connection with this ID again. Its label and origin stay; `version` and `made` increase. Returns `false` and changes
    /// nothing if it was deleted, or if a simulated connection would replace a real one.
    async fn remake_connection(&mut self, connection: &Connection) -> StoreResult<bool>;
    /// Stores refreshed credentials. Returns `false` if somebody else has replaced them since `expected_version`.
    async fn replace_sealed(
        &mut self,
        workspace: WorkspaceId,
        id: ConnectionId,
        expected_version: i64,
        sealed: &str,
        at: Timestamp,
    ) -> StoreResult<bool>;
    /// Sets the state found for these credentials. Returns `false` if somebody has replaced them since `expected_version`.
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
    /// Renames a connection. Returns `false` if it does not exist. If another connection of the network has the label, returns `Taken`.
    async fn rename_connection(&mut self, workspace: WorkspaceId, id: ConnectionId, label: &str) -> StoreResult<bool>;
    async fn set_connection_accounts(
        &mut self,
        workspace: WorkspaceId,
        id: ConnectionId,
        accounts: &serde_json::Value,
        state: ConnectionState,
        at: Timestamp,
    ) -> StoreResult<bool>;
    /// Stores what the credentials allow. Returns `false` if the connection has been made again since `made`.
    async fn set_connection_abilities(
        &mut self,
        workspace: WorkspaceId,
        id: ConnectionId,
        made: i64,
        abilities: &serde_json::Value,
    ) -> StoreResult<bool>;
    /// Deletes the connection. Returns `false` and deletes nothing if somebody has made it again since `made`.
    async fn delete_connection(&mut self, workspace: WorkspaceId, id: ConnectionId, made: i64) -> StoreResult<bool>;
    async fn insert_oauth_attempt(&mut self, attempt: &OauthAttempt) -> StoreResult<()>;
    /// Removes and returns the attempt, so that a second use of the same state finds nothing.
    async fn take_oauth_attempt(&mut self, state_hash: &str) -> StoreResult<Option<OauthAttempt>>;
}
