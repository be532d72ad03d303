//! Where people sign in to networks with OAuth. The requests themselves are sent by `adagent_oauth`.

use adagent_domain::Network;
use adagent_oauth::{Client, SecretIn};
use secrecy::SecretString;
use url::Url;

/// The addresses of a network and our client there: Google's production or the sandbox. Configuration only.
#[derive(Debug, Clone)]
pub struct NetworkEndpoints {
    /// Base address of the operations.
    pub api: Url,
    pub authorize: Url,
    pub token: Url,
    pub revoke: Url,
    pub client_id: String,
    pub client_secret: SecretString,
    /// The scopes that people are asked to allow; see [`scopes`].
    pub scopes: &'static [&'static str],
}

/// Returns the scopes that a network's operations need; none for networks that use keys.
pub const fn scopes(network: Network) -> &'static [&'static str] {
    match network {
        Network::AdMob => &[
            "https://www.googleapis.com/auth/admob.readonly",
            "https://www.googleapis.com/auth/admob.report",
            "https://www.googleapis.com/auth/admob.monetization",
        ],
        Network::AdManager => &["https://www.googleapis.com/auth/admanager"],
        _ => &[],
    }
}

impl NetworkEndpoints {
    /// Returns the endpoints of the simulated network below the sandbox's address. Each simulated network has its own address for the
    /// simulated sign-in.
    pub fn sandbox(
        network: Network,
        base: &Url,
        client_id: impl Into<String>,
        client_secret: SecretString,
    ) -> Option<Self> {
        let at = |path: &[&str]| {
            let mut url = crate::Credentials::sandbox_base(base, network)?;
            url.path_segments_mut().ok()?.extend(path);
            Some(url)
        };
        Some(Self {
            api: at(&[])?,
            authorize: at(&["o", "oauth2", "v2", "auth"])?,
            token: at(&["token"])?,
            revoke: at(&["revoke"])?,
            client_id: client_id.into(),
            client_secret,
            scopes: scopes(network),
        })
    }

    /// Returns what our client is at this network. `offline` and `consent` make Google return a refresh token each time.
    pub fn client(&self) -> Client {
        Client {
            authorize: self.authorize.clone(),
            token: self.token.clone(),
            id: self.client_id.clone(),
            secret: Some(self.client_secret.clone()),
            // Google takes the secret in the body, and so do the other networks here.
            secret_in: SecretIn::Body,
            scopes: self.scopes.iter().map(|&scope| scope.to_owned()).collect(),
            resource: None,
            extra: vec![("access_type", "offline"), ("prompt", "consent")],
        }
    }
}

#[cfg(test)]
mod tests {
    use adagent_oauth::OauthClient;

    use super::*;

    fn endpoints() -> NetworkEndpoints {
        let base = Url::parse("http://127.0.0.1:9/").expect("valid");
        NetworkEndpoints::sandbox(Network::AdMob, &base, "client", "secret".to_owned().into()).expect("a base")
    }

    #[test]
    fn people_are_asked_for_the_scopes_that_the_catalogue_names() {
        let catalogue = crate::Catalogue::built_in().expect("loads");
        for network in Network::ALL {
            let named = &catalogue.network(network).expect("known").auth.scopes;
            assert_eq!(scopes(network), named, "{network}");
        }
    }

    #[test]
    fn the_authorization_address_asks_for_offline_access() {
        let redirect = Url::parse("http://localhost:3000/api/providers/oauth/callback").expect("valid");
        let begun = OauthClient::begin(&endpoints().client(), &redirect);
        let query: std::collections::HashMap<_, _> = begun.url.query_pairs().into_owned().collect();
        assert!(begun.url.as_str().starts_with("http://127.0.0.1:9/admob/o/oauth2/v2/auth?"));
        assert_eq!((query["access_type"].as_str(), query["prompt"].as_str()), ("offline", "consent"));
    }

    #[test]
    fn secrets_do_not_show_in_debug() {
        assert!(!format!("{:?}", endpoints()).contains("secret\""));
    }
}
