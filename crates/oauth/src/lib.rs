//! OAuth as a client: authorization code with PKCE, refresh, revocation. Networks and tool servers sign in by this code alone. It stores
//! nothing; tokens go back to the caller.
//!
//! It must never put a code, a token, a verifier or a client secret into an error or a log.

use std::time::Duration;

use futures::{FutureExt as _, future::BoxFuture};
use oauth2::{
    AsyncHttpClient, AuthUrl, AuthorizationCode, ClientId, ClientSecret, CsrfToken, HttpRequest, HttpResponse,
    PkceCodeChallenge, PkceCodeVerifier, RedirectUrl, RefreshToken, RequestTokenError, Scope, TokenResponse as _,
    TokenUrl,
    basic::{BasicClient, BasicErrorResponse, BasicErrorResponseType, BasicTokenResponse},
};
use secrecy::{ExposeSecret as _, SecretString};
use url::Url;

/// What we are to an authorization server: its addresses, our client there, and what we ask for.
#[derive(Debug, Clone)]
pub struct Client {
    pub authorize: Url,
    pub token: Url,
    pub id: String,
    /// `None` for a public client.
    pub secret: Option<SecretString>,
    pub secret_in: SecretIn,
    /// The scopes that people are asked to allow.
    pub scopes: Vec<String>,
    /// What the tokens are for (RFC 8707), if the server must be told.
    pub resource: Option<String>,
    /// What else the authorization address says.
    pub extra: Vec<(&'static str, &'static str)>,
}

/// Where the token endpoint expects the secret of a client.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SecretIn {
    /// In the header `Authorization`.
    #[default]
    Header,
    Body,
}

/// Replies of a token endpoint are small.
const MAX_REPLY: usize = 64 * 1024;
const TIMEOUT: Duration = Duration::from_secs(15);
const RESOURCE: &str = "resource";

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
    /// The server does not accept the code or refresh token, or no longer does. A person must consent again.
    #[error("the grant was refused")]
    GrantRefused,
    /// The server does not know the client, or its secret is wrong. An administrator must fix it.
    #[error("the sign-in doesn't accept this server's OAuth client: {0}")]
    ClientRefused(String),
    /// The request may work later.
    #[error("the token endpoint: {0}")]
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

    /// Starts a sign-in.
    pub fn begin(at: &Client, redirect: &Url) -> Authorization {
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let client = BasicClient::new(ClientId::new(at.id.clone()))
            .set_auth_uri(AuthUrl::from_url(at.authorize.clone()))
            .set_redirect_uri(RedirectUrl::from_url(redirect.clone()));
        let mut request = client
            .authorize_url(|| CsrfToken::new_random_len(32))
            .add_scopes(at.scopes.iter().cloned().map(Scope::new))
            .set_pkce_challenge(challenge);
        for (name, value) in at.extra.iter().copied().chain(at.resource.iter().map(|it| (RESOURCE, it.as_str()))) {
            request = request.add_extra_param(name.to_owned(), value.to_owned());
        }
        let (url, state) = request.url();
        Authorization { url, state: state.into_secret().into(), verifier: verifier.into_secret().into() }
    }

    pub async fn exchange(
        &self,
        at: &Client,
        redirect: &Url,
        code: &str,
        verifier: &SecretString,
    ) -> Result<Tokens, OauthError> {
        let client = client(at).set_redirect_uri(RedirectUrl::from_url(redirect.clone()));
        let mut request = client
            .exchange_code(AuthorizationCode::new(code.to_owned()))
            .set_pkce_verifier(PkceCodeVerifier::new(verifier.expose_secret().to_owned()));
        if let Some(resource) = &at.resource {
            request = request.add_extra_param(RESOURCE, resource.clone());
        }
        request.request_async(self).await.map(|reply| tokens(&reply)).map_err(|error| told(&error))
    }

    pub async fn refresh(&self, at: &Client, refresh_token: &SecretString) -> Result<Tokens, OauthError> {
        let client = client(at);
        let token = RefreshToken::new(refresh_token.expose_secret().to_owned());
        let mut request = client.exchange_refresh_token(&token);
        if let Some(resource) = &at.resource {
            request = request.add_extra_param(RESOURCE, resource.clone());
        }
        request.request_async(self).await.map(|reply| tokens(&reply)).map_err(|error| told(&error))
    }

    /// Revokes the consent. If the server does not know the token, it is already revoked.
    pub async fn revoke(&self, endpoint: &Url, token: &SecretString) -> Result<(), OauthError> {
        let form = [("token", token.expose_secret())];
        let sent = self.http.post(endpoint.clone()).form(&form).timeout(TIMEOUT).send().await;
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

type WireClient = oauth2::basic::BasicClient<
    oauth2::EndpointNotSet,
    oauth2::EndpointNotSet,
    oauth2::EndpointNotSet,
    oauth2::EndpointNotSet,
    oauth2::EndpointSet,
>;

fn client(at: &Client) -> WireClient {
    let client = BasicClient::new(ClientId::new(at.id.clone()))
        .set_auth_type(match at.secret_in {
            SecretIn::Header => oauth2::AuthType::BasicAuth,
            SecretIn::Body => oauth2::AuthType::RequestBody,
        })
        .set_token_uri(TokenUrl::from_url(at.token.clone()));
    match &at.secret {
        Some(secret) => client.set_client_secret(ClientSecret::new(secret.expose_secret().to_owned())),
        None => client,
    }
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

    fn at() -> Client {
        Client {
            authorize: Url::parse("http://127.0.0.1:9/auth").expect("valid"),
            token: Url::parse("http://127.0.0.1:9/token").expect("valid"),
            id: "client".into(),
            secret: Some("hidden".to_owned().into()),
            secret_in: SecretIn::Body,
            scopes: vec!["read".into(), "write".into()],
            resource: Some("https://mcp.example.com/mcp".into()),
            extra: vec![("access_type", "offline")],
        }
    }

    #[test]
    fn the_authorization_address_carries_pkce_state_and_what_is_asked_for() {
        let redirect = Url::parse("http://localhost:3000/callback").expect("valid");
        let begun = OauthClient::begin(&at(), &redirect);
        let query: std::collections::HashMap<_, _> = begun.url.query_pairs().into_owned().collect();
        assert!(begun.url.as_str().starts_with("http://127.0.0.1:9/auth?"));
        assert_eq!(query["code_challenge_method"], "S256");
        assert_eq!((query["access_type"].as_str(), query["scope"].as_str()), ("offline", "read write"));
        assert_eq!(query["resource"], "https://mcp.example.com/mcp");
        assert_eq!(query["redirect_uri"], redirect.as_str());
        assert_eq!(query["state"], begun.state.expose_secret());
        // 32 bytes in base64url.
        assert_eq!(begun.state.expose_secret().len(), 43);
        assert!(!begun.url.as_str().contains(begun.verifier.expose_secret()));
    }

    #[test]
    fn secrets_do_not_show_in_debug() {
        assert!(!format!("{:?}", at()).contains("hidden"));
    }
}
