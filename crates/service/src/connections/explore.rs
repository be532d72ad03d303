//! Exploring with sandbox data: a connection in one click, with tokens the sandbox hands out directly.

use std::time::Duration;

use adagent_contract::codes;
use adagent_domain::{Actor, Network};
use adagent_networks::Tokens;
use secrecy::SecretString;
use serde::Deserialize;

use super::{connect::Selection, tokens::StoredTokens};
use crate::{Service, ServiceError, ServiceResult};

#[derive(Deserialize)]
struct Grant {
    access_token: SecretString,
    refresh_token: Option<SecretString>,
    expires_in: u64,
}

const TIMEOUT: Duration = Duration::from_secs(10);

impl Service {
    /// Connects one sandbox network with all its accounts selected. A real connection is never replaced by a simulated one,
    /// also not one that waits to be connected again.
    pub(crate) async fn explore_network(&self, actor: &Actor, network: Network) -> ServiceResult<()> {
        let endpoints = self.connections.source.endpoints.sandbox.as_ref().ok_or(ServiceError::SandboxOff)?;
        let info = self.connections.sandbox.as_ref().ok_or(ServiceError::SandboxOff)?;
        let before = self.store.find_connection(actor.workspace, network).await?;
        if before.is_some_and(|before| !before.sandbox) {
            return Err(ServiceError::Conflict {
                code: codes::CONFLICT,
                detail: format!(
                    "{} is connected to a real account; disconnect it to explore sandbox data.",
                    network.display_name()
                ),
            });
        }
        let unavailable = || ServiceError::Network {
            network,
            code: codes::NETWORK_UNAVAILABLE,
            detail: "The sandbox does not answer; try again in a moment.".into(),
        };
        let address = format!("{}/__sandbox/grant", info.base_url.trim_end_matches('/'));
        let request =
            self.connections.client.post(address).json(&serde_json::json!({"network": network})).timeout(TIMEOUT);
        let response = request.send().await.and_then(reqwest::Response::error_for_status).map_err(|_| unavailable())?;
        let grant: Grant = response.json().await.map_err(|_| unavailable())?;
        let granted = Tokens {
            access_token: grant.access_token,
            refresh_token: grant.refresh_token,
            lifetime: Duration::from_secs(grant.expires_in),
        };
        let tokens = StoredTokens::new(&granted, None, self.clock.now(), (self.connections.source.jitter)());
        let accounts = self.reachable(network, endpoints, true, &tokens).await?;
        self.keep_connection(actor, network, true, &tokens, accounts, Selection::All).await?;
        Ok(())
    }
}
