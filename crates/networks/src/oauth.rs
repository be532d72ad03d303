//! OAuth with the networks: authorization code with PKCE, refresh, revocation. This module stores nothing; tokens go back to the caller.
//!
//! It must never put a code, a token, a verifier or a client secret into an error or a log.

use std::time::Duration;

use adagent_domain::Network;
use futures::{FutureExt as _, future::BoxFuture};
use oauth2::{
    AsyncHttpClient, AuthUrl, AuthorizationCode, ClientId, ClientSecret, CsrfToken, HttpRequest, HttpResponse,
    PkceCodeChallenge, PkceCodeVerifier, RedirectUrl, RefreshToken, RequestTokenError, Scope, TokenResponse as _,
    TokenUrl,
    basic::{BasicClient, BasicErrorResponse, BasicErrorResponseType, BasicTokenResponse},
};
use secrecy::{ExposeSecret as _, SecretString};
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

/// Replies of a token endpoint are small.
const MAX_REPLY: usize = 64 * 1024;
const TIMEOUT: Duration = Duration::from_secs(15);

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
}

/// The start of a sign-in: the address for the browser, and what the caller must keep until the person returns.
pub struct Authorization {
    pub url: Url,
    /// 256 random bits; store only their hash.
    pub state: SecretString,
    pub verifier: SecretString,
}

/// What the token endpoint returned.
#[derive(Debug)]
pub struct Tokens {
    pub access_token: SecretString,
    /// Without `prompt=consent`, Google returns one only for the first consent.
    pub refresh_token: Option<SecretString>,
    pub lifetime: Duration,
    /// The granted scopes, if the reply names them; they may be fewer than we asked for.
    pub scopes: Option<Vec<String>>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OauthError {
    /// The network does not accept the code or refresh token, or no longer does. A person must consent again.
    #[error("the grant was refused")]
    GrantRefused,
    /// The network does not know the client, or its secret is wrong. An administrator must fix it.
    #[error("the network refused this server's OAuth client: {0}")]
    ClientRefused(String),
    /// The request may work later.
    #[error("the network's token endpoint: {0}")]
    Unavailable(String),
}

/// A client that sends OAuth requests through the HTTP client of all outgoing calls.
#[derive(Debug, Clone)]
pub struct OauthClient {
    http: reqwest::Client,
}

impl OauthClient {
    pub const fn new(http: reqwest::Client) -> Self {
        Self { http }
    }

    /// Starts a sign-in. `offline` and `consent` make Google return a refresh token each time.
    pub fn begin(endpoints: &NetworkEndpoints, redirect: &Url) -> Authorization {
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let scopes = endpoints.scopes.iter().map(|scope| Scope::new((*scope).to_owned()));
        let (url, state) = BasicClient::new(ClientId::new(endpoints.client_id.clone()))
            .set_auth_uri(AuthUrl::from_url(endpoints.authorize.clone()))
            .set_redirect_uri(RedirectUrl::from_url(redirect.clone()))
            .authorize_url(|| CsrfToken::new_random_len(32))
            .add_scopes(scopes)
            .add_extra_param("access_type", "offline")
            .add_extra_param("prompt", "consent")
            .set_pkce_challenge(challenge)
            .url();
        Authorization { url, state: state.into_secret().into(), verifier: verifier.into_secret().into() }
    }

    pub async fn exchange(
        &self,
        endpoints: &NetworkEndpoints,
        redirect: &Url,
        code: &str,
        verifier: &SecretString,
    ) -> Result<Tokens, OauthError> {
        let client = client(endpoints).set_redirect_uri(RedirectUrl::from_url(redirect.clone()));
        let request = client
            .exchange_code(AuthorizationCode::new(code.to_owned()))
            .set_pkce_verifier(PkceCodeVerifier::new(verifier.expose_secret().to_owned()));
        request.request_async(self).await.map(|reply| tokens(&reply)).map_err(|error| told(&error))
    }

    pub async fn refresh(
        &self,
        endpoints: &NetworkEndpoints,
        refresh_token: &SecretString,
    ) -> Result<Tokens, OauthError> {
        let client = client(endpoints);
        let token = RefreshToken::new(refresh_token.expose_secret().to_owned());
        client
            .exchange_refresh_token(&token)
            .request_async(self)
            .await
            .map(|reply| tokens(&reply))
            .map_err(|error| told(&error))
    }

    /// Revokes the consent. If the network does not know the token, it is already revoked.
    pub async fn revoke(&self, endpoints: &NetworkEndpoints, token: &SecretString) -> Result<(), OauthError> {
        let form = [("token", token.expose_secret())];
        let sent = self.http.post(endpoints.revoke.clone()).form(&form).timeout(TIMEOUT).send().await;
        let response = sent.map_err(|error| OauthError::Unavailable(why(&error)))?;
        match response.status().as_u16() {
            200..=299 | 400 => Ok(()),
            status => Err(OauthError::Unavailable(format!("status {status}"))),
        }
    }

    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, CallError> {
        let mut request =
            reqwest::Request::try_from(request).map_err(|_| CallError("the request could not be built".into()))?;
        *request.timeout_mut() = Some(TIMEOUT);
        let mut response = self.http.execute(request).await.map_err(|error| CallError(why(&error)))?;
        let mut reply = oauth2::http::Response::builder().status(response.status());
        for (name, value) in response.headers() {
            reply = reply.header(name, value);
        }
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| CallError(why(&error)))? {
            if body.len() + chunk.len() > MAX_REPLY {
                return Err(CallError("the reply is too large".into()));
            }
            body.extend_from_slice(&chunk);
        }
        reply.body(body).map_err(|_| CallError("the reply could not be read".into()))
    }
}

impl<'c> AsyncHttpClient<'c> for OauthClient {
    type Error = CallError;
    type Future = BoxFuture<'c, Result<HttpResponse, CallError>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        self.send(request).boxed()
    }
}

/// Why a request failed, without an address or a header.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct CallError(String);

fn why(error: &reqwest::Error) -> String {
    let what = if error.is_timeout() {
        "no answer in time"
    } else if error.is_connect() {
        "no connection"
    } else {
        "the connection was cut"
    };
    what.to_owned()
}

type Client = oauth2::basic::BasicClient<
    oauth2::EndpointNotSet,
    oauth2::EndpointNotSet,
    oauth2::EndpointNotSet,
    oauth2::EndpointNotSet,
    oauth2::EndpointSet,
>;

fn client(endpoints: &NetworkEndpoints) -> Client {
    BasicClient::new(ClientId::new(endpoints.client_id.clone()))
        .set_client_secret(ClientSecret::new(endpoints.client_secret.expose_secret().to_owned()))
        // Google takes the secret in the body, and so do the other networks here.
        .set_auth_type(oauth2::AuthType::RequestBody)
        .set_token_uri(TokenUrl::from_url(endpoints.token.clone()))
}

fn tokens(reply: &BasicTokenResponse) -> Tokens {
    Tokens {
        access_token: reply.access_token().secret().clone().into(),
        refresh_token: reply.refresh_token().map(|token| token.secret().clone().into()),
        // Without a lifetime we assume one hour, which Google uses.
        lifetime: reply.expires_in().unwrap_or(Duration::from_hours(1)),
        scopes: reply.scopes().map(|scopes| scopes.iter().map(|scope| scope.to_string()).collect()),
    }
}

fn told(error: &RequestTokenError<CallError, BasicErrorResponse>) -> OauthError {
    match error {
        RequestTokenError::ServerResponse(reply) => match reply.error() {
            BasicErrorResponseType::InvalidGrant => OauthError::GrantRefused,
            other => OauthError::ClientRefused(other.as_ref().chars().take(60).collect()),
        },
        RequestTokenError::Request(error) => OauthError::Unavailable(error.to_string()),
        // The body may hold tokens, so do not repeat it.
        RequestTokenError::Parse(..) => OauthError::Unavailable("its reply could not be read".into()),
        RequestTokenError::Other(_) => OauthError::Unavailable("its reply was not as expected".into()),
    }
}

#[cfg(test)]
mod tests {
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
    fn the_authorization_address_carries_pkce_state_and_offline_access() {
        let redirect = Url::parse("http://localhost:3000/api/providers/oauth/callback").expect("valid");
        let begun = OauthClient::begin(&endpoints(), &redirect);
        let query: std::collections::HashMap<_, _> = begun.url.query_pairs().into_owned().collect();
        assert!(begun.url.as_str().starts_with("http://127.0.0.1:9/admob/o/oauth2/v2/auth?"));
        assert_eq!(query["code_challenge_method"], "S256");
        assert_eq!((query["access_type"].as_str(), query["prompt"].as_str()), ("offline", "consent"));
        assert_eq!(query["redirect_uri"], redirect.as_str());
        assert_eq!(query["state"], begun.state.expose_secret());
        // 32 bytes in base64url.
        assert_eq!(begun.state.expose_secret().len(), 43);
        assert!(!begun.url.as_str().contains(begun.verifier.expose_secret()));
    }

    #[test]
    fn secrets_do_not_show_in_debug() {
        assert!(!format!("{:?}", endpoints()).contains("secret\""));
    }
}
