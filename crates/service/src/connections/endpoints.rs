//! The addresses of networks, live and sandbox, and which of them a new connection uses. This module holds only configuration.

use std::collections::BTreeMap;

use adagent_contract::KeyPlace;
use adagent_domain::Network;
use adagent_networks::{Credentials, NetworkEndpoints};
use secrecy::SecretString;
use url::Url;

/// The places that connections may lead to.
#[derive(Debug, Clone, Default)]
pub struct Endpoints {
    pub live: Option<Live>,
    pub sandbox: Option<Simulated>,
}

/// The networks themselves.
#[derive(Debug, Clone, Default)]
pub struct Live {
    /// The sign-ins of the networks for which this server has an OAuth client. Networks with keys need none.
    pub oauth: BTreeMap<Network, NetworkEndpoints>,
}

/// The simulated networks.
#[derive(Debug, Clone)]
pub struct Simulated {
    base: Url,
    oauth: BTreeMap<Network, NetworkEndpoints>,
}

impl Simulated {
    /// Returns `None` if the networks' paths cannot be added to the address.
    pub fn new(base: &Url, client_id: &str, client_secret: &SecretString) -> Option<Self> {
        let oauth = Network::ALL.into_iter().filter(|network| network.uses_oauth()).map(|network| {
            Some((network, NetworkEndpoints::sandbox(network, base, client_id, client_secret.clone())?))
        });
        Some(Self { base: base.clone(), oauth: oauth.collect::<Option<_>>()? })
    }
}

impl Endpoints {
    /// Returns the sign-in with which a stored connection was made.
    pub fn oauth(&self, network: Network, sandbox: bool) -> Option<&NetworkEndpoints> {
        if sandbox { self.sandbox.as_ref()?.oauth.get(&network) } else { self.live.as_ref()?.oauth.get(&network) }
    }

    /// Returns the base address of a connection's operations.
    pub fn api(&self, network: Network, sandbox: bool) -> Option<Url> {
        if network.uses_oauth() {
            return self.oauth(network, sandbox).map(|endpoints| endpoints.api.clone());
        }
        if sandbox {
            return Credentials::sandbox_base(&self.sandbox.as_ref()?.base, network);
        }
        self.live.as_ref().map(|_| Credentials::live_base(network))
    }

    /// Lists the origins of the consent pages, each once.
    pub fn consent_origins(&self) -> Vec<String> {
        let live = self.live.iter().flat_map(|live| live.oauth.values());
        let all = live.chain(self.sandbox.iter().flat_map(|sandbox| sandbox.oauth.values()));
        let mut origins: Vec<String> =
            all.map(|endpoints| endpoints.authorize.origin().ascii_serialization()).collect();
        origins.sort();
        origins.dedup();
        origins
    }

    /// Returns the sign-in for a new connection, and whether it is simulated. The live network wins if this server has a client for it.
    pub fn for_sign_in(&self, network: Network) -> Option<(&NetworkEndpoints, bool)> {
        let live = self.oauth(network, false).map(|endpoints| (endpoints, false));
        live.or_else(|| self.oauth(network, true).map(|endpoints| (endpoints, true)))
    }

    /// Lists where new keys can lead; the first is the default. Keys do not show where they are from, so a server with the sandbox sends
    /// none to a live network unless a person chose that.
    pub fn for_keys(&self) -> Vec<KeyPlace> {
        let sandbox = self.sandbox.as_ref().map(|_| KeyPlace::Sandbox);
        sandbox.into_iter().chain(self.live.as_ref().map(|_| KeyPlace::Live)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sandbox() -> Simulated {
        let base = "http://127.0.0.1:3001/".parse().unwrap();
        Simulated::new(&base, "client", &"secret".to_owned().into()).unwrap()
    }

    #[test]
    fn keys_lead_to_the_sandbox_unless_there_is_none_or_somebody_says_otherwise() {
        let places = |live, sandbox| Endpoints { live, sandbox }.for_keys();
        assert_eq!(places(Some(Live::default()), None), [KeyPlace::Live]);
        assert_eq!(places(Some(Live::default()), Some(sandbox())), [KeyPlace::Sandbox, KeyPlace::Live]);
        assert_eq!(places(None, Some(sandbox())), [KeyPlace::Sandbox]);
    }

    #[test]
    fn without_live_networks_no_address_of_one_is_given_out() {
        let endpoints = Endpoints { live: None, sandbox: Some(sandbox()) };
        for network in Network::ALL {
            assert_eq!(endpoints.api(network, false), None, "{network}");
            let simulated = endpoints.api(network, true).unwrap();
            assert_eq!(simulated.as_str(), format!("http://127.0.0.1:3001/{network}"));
        }
        assert_eq!(endpoints.consent_origins(), ["http://127.0.0.1:3001"]);
        assert!(endpoints.for_sign_in(Network::AdManager).is_some_and(|(_, sandbox)| sandbox));
    }
}
