//! Explores with sandbox data: connects in one click, with tokens or keys that the sandbox hands out directly.

use std::{collections::BTreeMap, time::Duration};

use adagent_contract::{ConnectTarget, codes};
use adagent_domain::{Actor, Network};
use adagent_oauth::Tokens;
use secrecy::SecretString;
use serde::Deserialize;

use super::{
    connect::Selection,
    keys::StoredKeys,
    put::{Secret, Tried},
    slot::hides_a_real_one,
    tokens::StoredTokens,
    told,
};
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
    /// Connects one sandbox network with all its accounts selected. Never replaces a real connection by a simulated one.
    pub(crate) async fn explore_network(&self, actor: &Actor, network: Network) -> ServiceResult<()> {
        if self.only_simulated(actor, network).await? > 1 {
            // The network is explored already, and nobody said which of its connections to use.
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
                let (secret, selection) = (Secret::Keys(&keys), Selection::All);
                let tried = Tried { network, sandbox: true, secret, accounts, abilities, selection };
                self.put_connection(actor, tried, &target, None).await?;
            }
        }
        Ok(())
    }

    /// Counts the simulated connections of a network. Refuses if there is a real one, even one that waits to be reconnected, because a
    /// simulated connection never replaces a real one.
    pub(crate) async fn only_simulated(&self, actor: &Actor, network: Network) -> ServiceResult<usize> {
        let all = self.connections_of(actor, network).await?;
        if all.iter().all(|one| one.sandbox) { Ok(all.len()) } else { Err(hides_a_real_one(network)) }
    }

    async fn granted(&self, network: Network) -> ServiceResult<Grant> {
        let info = self.connections.sandbox.as_ref().ok_or(ServiceError::SandboxOff)?;
        let unavailable = || ServiceError::Network {
            network,
            code: codes::NETWORK_UNAVAILABLE,
            detail: "The sandbox isn't responding. Try again in a moment.".into(),
        };
        let address = format!("{}/__sandbox/grant", info.base_url.trim_end_matches('/'));
        let request =
            self.connections.client.post(address).json(&serde_json::json!({"network": network})).timeout(TIMEOUT);
        let response = request.send().await.and_then(reqwest::Response::error_for_status).map_err(|_| unavailable())?;
        response.json().await.map_err(|_| unavailable())
    }
}
