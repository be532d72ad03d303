//! Where credentials come from: a port, so that this crate knows neither database nor vault.

use adagent_contract::{AccountChoice, NetworkState};
use adagent_domain::{ConnectionId, Network, WorkspaceId};
use async_trait::async_trait;
use secrecy::SecretString;
use url::Url;

use crate::ToolError;

/// What one call needs; fetched just before it, dropped (and wiped) just after.
#[derive(Clone)]
pub struct Credentials {
    pub access_token: SecretString,
    /// Where the network's operations live, without trailing slash needed.
    pub base_url: Url,
    pub sandbox: bool,
    /// The publisher accounts of the connection, with which of them are selected.
    pub accounts: Vec<AccountChoice>,
    /// Version of the stored credentials, to tell a renewal by somebody else.
    pub version: i64,
}

impl std::fmt::Debug for Credentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Credentials")
            .field("base_url", &self.base_url.as_str())
            .field("sandbox", &self.sandbox)
            .field("accounts", &self.accounts.len())
            .field("version", &self.version)
            .finish_non_exhaustive()
    }
}

impl Credentials {
    /// The accounts work happens in: the selected ones.
    pub fn selected(&self) -> impl Iterator<Item = &AccountChoice> {
        self.accounts.iter().filter(|account| account.selected)
    }
}

/// Which connection answers are of: known answers of another one are never given out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectionMark {
    pub id: ConnectionId,
    /// Counts up when the connection is made anew, also by another process.
    pub version: i64,
    pub selected: Vec<String>,
}

/// Gives out credentials of a workspace.
#[async_trait]
pub trait CredentialSource: Send + Sync {
    /// Fresh credentials, refreshed when they are about to expire. Not connected, disabled and refused are errors of their class.
    async fn credentials(&self, workspace: WorkspaceId, network: Network) -> Result<Credentials, ToolError>;

    /// The network refused these (401): refresh now, unless somebody did since.
    async fn renew(
        &self,
        workspace: WorkspaceId,
        network: Network,
        refused: &Credentials,
    ) -> Result<Credentials, ToolError>;

    /// Renewed credentials were refused too: the connection needs a person, unless somebody mended it since these were given out.
    async fn report_auth_failure(&self, workspace: WorkspaceId, network: Network, refused: &Credentials);

    /// The connection as it is stored now; `None` when there is none.
    async fn mark(&self, workspace: WorkspaceId, network: Network) -> Result<Option<ConnectionMark>, ToolError>;

    /// The state of every connection the workspace has.
    async fn states(&self, workspace: WorkspaceId) -> Result<Vec<(Network, NetworkState)>, ToolError>;

    /// Accounts of the connection without touching the network; empty when there is none.
    async fn accounts(&self, workspace: WorkspaceId, network: Network) -> Result<Vec<AccountChoice>, ToolError>;
}
