//! Connections of a workspace: connect, choose accounts, turn on and off, disconnect, list entities.
//!
//! Secrets pass through here only on their way into the vault; no answer ever contains one.

mod check;
pub(crate) mod connect;
mod consents;
mod endpoints;
mod entities;
mod explore;
mod keys;
mod manage;
mod put;
pub(crate) mod revocations;
mod slot;
mod source;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod tokens;
mod trial;
mod turn_on;

use std::sync::Arc;

use adagent_contract::SandboxInfo;
use adagent_domain::{Clock, ConnectionId, Network};
use adagent_identity::Vault;
use adagent_networks::{CatalogueError, Jitter, Networks, Tuning};
use adagent_oauth::OauthClient;
use adagent_store::{Connection, Store, StoreError};
use adagent_tools::{ToolError, ToolErrorClass};
use url::Url;

pub use endpoints::{Endpoints, Live, Simulated};
pub use keys::GivenKeys;
pub use source::StoredCredentials;

use crate::ServiceError;

/// What connecting needs from the server.
pub struct ConnectionSetup {
    pub store: Arc<dyn Store>,
    pub clock: Arc<dyn Clock>,
    pub vault: Arc<Vault>,
    /// Made with [`adagent_networks::http_client`].
    pub client: reqwest::Client,
    pub jitter: Jitter,
    pub tuning: Tuning,
    pub endpoints: Endpoints,
    /// The public address of this server, for the OAuth redirect.
    pub public_url: Url,
    pub sandbox: Option<SandboxInfo>,
}

/// The parts of connections. `networks` is also the engine's gateway.
pub struct ConnectionParts {
    pub networks: Arc<Networks>,
    pub(crate) sandbox: Option<SandboxInfo>,
    source: Arc<StoredCredentials>,
    client: reqwest::Client,
    public_url: Url,
}

impl ConnectionParts {
    pub fn new(setup: ConnectionSetup) -> Result<Self, CatalogueError> {
        let ConnectionSetup { store, clock, vault, client, jitter, tuning, endpoints, public_url, sandbox } = setup;
        let oauth = OauthClient::new(client.clone());
        let source = StoredCredentials::new(store, vault, clock.clone(), oauth, endpoints, jitter.clone());
        let networks = Networks::new(adagent_networks::Parts {
            client: client.clone(),
            credentials: source.clone(),
            clock,
            jitter,
            tuning,
        })?;
        Ok(Self { networks: Arc::new(networks), sandbox, source, client, public_url })
    }

    /// Drops all cached data of connections that were removed.
    pub(crate) fn forget_all(&self, connections: &[Connection]) {
        for connection in connections {
            self.networks.forget(source::via_of(connection), connection.network);
        }
    }

    pub(crate) fn vault(&self) -> &Vault {
        &self.source.vault
    }

    pub(crate) const fn public_url(&self) -> &Url {
        &self.public_url
    }

    /// Returns the address to which networks send the browser back.
    fn redirect(&self) -> Url {
        let mut url = self.public_url.clone();
        url.set_query(None);
        url.set_fragment(None);
        url.set_path(&format!("{}/api/providers/oauth/callback", self.public_url.path().trim_end_matches('/')));
        url
    }
}

/// Where to send the browser after an OAuth round trip.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OauthFinished {
    pub return_to: Option<String>,
    pub network: Network,
    /// The connection that waits for a choice, because it has several accounts.
    pub choose: Option<ConnectionId>,
}

/// Why a round trip connected nothing, and the page where it began, if known.
#[derive(Debug)]
pub struct OauthFailed {
    pub error: ServiceError,
    pub return_to: Option<String>,
}

impl From<ServiceError> for OauthFailed {
    fn from(error: ServiceError) -> Self {
        Self { error, return_to: None }
    }
}

impl From<StoreError> for OauthFailed {
    fn from(error: StoreError) -> Self {
        ServiceError::from(error).into()
    }
}

/// Turns a tool error into the error that people see on the settings pages.
pub(crate) fn told(network: Network, error: &ToolError) -> ServiceError {
    use adagent_contract::codes;
    let code = match error.class {
        ToolErrorClass::NotConnected => codes::NETWORK_NOT_CONNECTED,
        ToolErrorClass::AuthFailed => codes::NETWORK_AUTH_FAILED,
        ToolErrorClass::Disabled => "network_disabled",
        ToolErrorClass::Deterministic | ToolErrorClass::Invalid | ToolErrorClass::OutOfContext => {
            codes::NETWORK_REFUSED
        }
        ToolErrorClass::Retryable | ToolErrorClass::UnknownOutcome => codes::NETWORK_UNAVAILABLE,
    };
    let guidance = error.guidance.as_deref().map(|text| format!(" {text}")).unwrap_or_default();
    ServiceError::Network { network, code, detail: format!("{}{guidance}", error.message) }
}
