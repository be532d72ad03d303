//! Exploring with sandbox data: a connection in one click, with the tokens or keys the sandbox hands out directly.

use std::{collections::BTreeMap, time::Duration};

use adagent_contract::{ConnectTarget, codes};
use adagent_domain::{Actor, Network};
use adagent_identity::Owner;
use adagent_networks::Tokens;
use secrecy::SecretString;
use serde::Deserialize;

use super::{connect::Selection, keys::StoredKeys, slot::hides_a_real_one, tokens::StoredTokens, told};
use crate::{Service, ServiceError, ServiceResult};

/// What the sandbox hands out: tokens for networks with a sign-in, keys for the others.
#[derive(Deserialize)]
#[serde(untagged)]
enum Grant {
    Tokens { access_token: SecretString, refresh_token: Option<SecretString>, expires_in: u64, scope: Option<String> },
    Keys { fields: BTreeMap<String, SecretString> },
}

const TIMEOUT: Duration = Duration::from_secs(10);

impl Service {
    /// Connects one sandbox network with all its accounts selected. A real connection is never replaced by a simulated one.
    pub(crate) async fn explore_network(&self, actor: &Actor, network: Network) -> ServiceResult<()> {
        self.refuse_to_hide_a_real_connection(actor, network).await?;
        if self.connections_of(actor, network).await?.len() > 1 {
            // It is explored already, and which of them was meant nobody said.
            return Ok(());
        }
        let target = ConnectTarget::default();
        match self.granted(network).await? {
            Grant::Tokens { access_token, refresh_token, expires_in, scope } => {
                let scopes = scope.map(|scope| scope.split(' ').map(str::to_owned).collect());
                let lifetime = Duration::from_secs(expires_in);
                let granted = Tokens { access_token, refresh_token, lifetime, scopes };
                let tokens = StoredTokens::new(&granted, None, self.clock.now(), (self.connections.source.jitter)());
                let accounts = self.reachable(network, true, &tokens).await?;
                self.keep_connection(actor, (network, true), &target, &tokens, accounts, Selection::All).await?;
            }
            Grant::Keys { fields } => {
                let keys = StoredKeys::new(&fields);
                let credentials = self.unkept(network, true, keys.fields())?;
                let accounts = self.connections.networks.reachable_accounts(network, &credentials).await;
                let accounts = accounts.map_err(|error| told(network, &error))?;
                let abilities = self.connections.networks.look_at_abilities(network, &credentials, None).await;
                let found = (accounts, abilities);
                let seal = |owner: &Owner| keys.seal(&self.connections.source.vault, owner);
                let slot = self.slot(actor, network, true, &target).await?;
                let connection = self.prepared(actor, (network, true), &slot, seal, found, Selection::All)?;
                self.keep(actor, connection, &target).await?;
            }
        }
        Ok(())
    }

    /// A real connection is never replaced by a simulated one, also not one that waits to be connected again.
    pub(crate) async fn refuse_to_hide_a_real_connection(&self, actor: &Actor, network: Network) -> ServiceResult<()> {
        let real = self.connections_of(actor, network).await?.iter().any(|one| !one.sandbox);
        if real { Err(hides_a_real_one(network)) } else { Ok(()) }
    }

    async fn granted(&self, network: Network) -> ServiceResult<Grant> {
        let info = self.connections.sandbox.as_ref().ok_or(ServiceError::SandboxOff)?;
        let unavailable = || ServiceError::Network {
            network,
            code: codes::NETWORK_UNAVAILABLE,
            detail: "The sandbox does not answer; try again in a moment.".into(),
        };
        let address = format!("{}/__sandbox/grant", info.base_url.trim_end_matches('/'));
        let request =
            self.connections.client.post(address).json(&serde_json::json!({"network": network})).timeout(TIMEOUT);
        let response = request.send().await.and_then(reqwest::Response::error_for_status).map_err(|_| unavailable())?;
        response.json().await.map_err(|_| unavailable())
    }
}
