//! Connections of a workspace: connect, choose accounts, switch, disconnect, entities.
//!
//! Secrets pass through here only on their way into the vault; none ever comes back out.

use std::sync::Arc;

use adagent_contract::{ConnectRequest, ConnectResponse, EntityItem, EntityKind, Page, ProviderView, SandboxInfo};
use adagent_domain::{Actor, ConnectionId, Network};
use adagent_identity::Vault;

use crate::{Service, ServiceError, ServiceResult};

/// What connecting needs from the server.
pub struct ConnectionParts {
    pub vault: Arc<Vault>,
    /// Where this server is reached from outside, for the OAuth redirect.
    pub public_url: url::Url,
    pub sandbox: Option<SandboxInfo>,
}

/// Where to send the browser after an OAuth round trip.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OauthFinished {
    pub return_to: Option<String>,
    pub network: Network,
    /// There are several accounts: this connection waits for a choice.
    pub choose: Option<ConnectionId>,
}

const LATER: ServiceError = ServiceError::Unavailable("Connections are being set up.");

#[expect(clippy::unused_async, reason = "signatures agreed between colleagues")]
impl Service {
    pub async fn providers(&self, _actor: &Actor) -> ServiceResult<Vec<ProviderView>> {
        Err(LATER)
    }

    pub async fn connect(&self, _actor: &Actor, _request: ConnectRequest, _session_hash: &str) -> ServiceResult<ConnectResponse> {
        Err(LATER)
    }

    /// `code` is what the network handed out, or `Err` with its error code.
    pub async fn finish_oauth(
        &self,
        _actor: &Actor,
        _state: &str,
        _code: Result<&str, &str>,
        _session_hash: &str,
    ) -> ServiceResult<OauthFinished> {
        Err(LATER)
    }

    pub async fn choose_accounts(&self, _actor: &Actor, _id: ConnectionId, _accounts: Vec<String>) -> ServiceResult<ProviderView> {
        Err(LATER)
    }

    pub async fn enable_provider(&self, _actor: &Actor, _id: ConnectionId, _enabled: bool) -> ServiceResult<ProviderView> {
        Err(LATER)
    }

    pub async fn disconnect_provider(&self, _actor: &Actor, _id: ConnectionId) -> ServiceResult<()> {
        Err(LATER)
    }

    pub async fn entities(
        &self,
        _actor: &Actor,
        _id: ConnectionId,
        _kind: EntityKind,
        _refresh: bool,
        _cursor: Option<String>,
        _limit: Option<u32>,
    ) -> ServiceResult<Page<EntityItem>> {
        Err(LATER)
    }

    /// All entities of a kind within the person's context, for the context tree and forms.
    pub async fn entities_of(&self, _actor: &Actor, _network: Network, _kind: EntityKind) -> ServiceResult<Vec<EntityItem>> {
        Err(LATER)
    }

    /// Connects one sandbox network with all its accounts selected.
    pub(crate) async fn explore_network(&self, _actor: &Actor, _network: Network) -> ServiceResult<()> {
        Err(LATER)
    }
}
