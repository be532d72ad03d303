//! Sign-in with an OpenID Connect provider (Google): authorization code, PKCE, state and nonce, all bound to one browser.
//!
//! This module talks to the configured issuer and to the endpoints in its discovery document, never to an address from a request. It must
//! never put a code, a token, a verifier or the client's secret into an error or a log.

mod discovery;
mod id_token;
#[cfg(test)]
mod tests;

use std::{fmt, sync::Arc, time::Duration};

use adagent_domain::Clock;
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use tokio::sync::Mutex;
use url::Url;
use zeroize::Zeroizing;

use crate::{NoRandomness, secret};
use discovery::{Known, Provider};
pub use id_token::{Claims, Unproven};

const TIMEOUT: Duration = Duration::from_secs(10);
/// The longest reply in bytes. Discovery documents, key sets and tokens are small.
const MAX_REPLY: usize = 256 * 1024;

/// The configuration of the provider.
pub struct OpenIdSettings {
    /// The issuer as the provider writes it, without a slash at its end.
    pub issuer: String,
    pub client_id: String,
    pub client_secret: SecretString,
    /// The address to which the provider sends the browser back.
    pub redirect: Url,
}

/// Why a round trip failed.
#[derive(Debug, thiserror::Error)]
pub enum OpenIdError {
    /// The provider does not answer, or what it publishes is wrong. Another try may work; if not, an administrator must fix it.
    #[error("the sign-in provider cannot be used: {0}")]
    Provider(String),
    /// The provider does not accept the code, or no longer accepts it.
    #[error("the provider did not accept the authorization code")]
    CodeRefused,
    #[error("the provider's ID token proves nothing: {0}")]
    Unproven(#[from] Unproven),
    #[error(transparent)]
    NoRandomness(#[from] NoRandomness),
}

/// The start of a round trip.
pub struct Departure {
    pub url: Url,
    /// The state comes back in the address; we keep only its digest.
    pub state_hash: String,
    /// Goes into a cookie of the browser. The nonce and the verifier follow from it, so the database holds nothing that a thief could use.
    pub binding: Zeroizing<String>,
    pub binding_hash: String,
}

/// A provider that people sign in with.
pub struct OpenId {
    settings: OpenIdSettings,
    http: reqwest::Client,
    clock: Arc<dyn Clock>,
    known: Mutex<Known>,
}

impl fmt::Debug for OpenId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenId").field("issuer", &self.settings.issuer).finish_non_exhaustive()
    }
}

#[derive(Deserialize)]
struct TokenReply {
    id_token: Option<String>,
    access_token: Option<String>,
}

impl OpenId {
    /// Makes a client of the provider. `http` must follow no redirect.
    pub fn new(settings: OpenIdSettings, http: reqwest::Client, clock: Arc<dyn Clock>) -> Self {
        Self { settings, http, clock, known: Mutex::default() }
    }

    /// Returns the issuer as ID tokens name it. We store identities under this name.
    pub fn issuer(&self) -> &str {
        &self.settings.issuer
    }

    /// Returns the digest that finds a browser's round trip.
    pub fn binding_hash(binding: &str) -> String {
        hex::encode(Sha256::digest(secret::derived(binding, "binding").as_bytes()))
    }

    /// Returns the address to send the browser to. With `login_hint`, a known person does not have to choose an account.
    pub async fn depart(&self, login_hint: Option<&str>) -> Result<Departure, OpenIdError> {
        let provider = self.provider(false).await?;
        let (state, binding) = (secret::random_secret()?, secret::random_secret()?);
        let challenge = id_token::base64url(&Sha256::digest(verifier(&binding).as_bytes()));
        let mut url = provider.authorize.clone();
        url.query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair("client_id", &self.settings.client_id)
            .append_pair("redirect_uri", self.settings.redirect.as_str())
            .append_pair("scope", "openid email profile")
            .append_pair("state", &state)
            .append_pair("nonce", &nonce(&binding))
            .append_pair("code_challenge", &challenge)
            .append_pair("code_challenge_method", "S256");
        if let Some(hint) = login_hint {
            url.query_pairs_mut().append_pair("login_hint", hint);
        }
        let state_hash = hex::encode(Sha256::digest(state.as_bytes()));
        Ok(Departure { url, state_hash, binding_hash: Self::binding_hash(&binding), binding })
    }

    /// Trades the code for an ID token. Returns the person who came back, as far as the token proves who they are.
    pub async fn arrive(&self, code: &str, binding: &str) -> Result<Claims, OpenIdError> {
        let provider = self.provider(false).await?;
        let reply = self.exchange(&provider, code, binding).await?;
        let token = reply.id_token.ok_or(Unproven::Malformed)?;
        // The provider may have changed its keys since we read them.
        let provider =
            if id_token::names_unknown_key(&token, &provider.keys) { self.provider(true).await? } else { provider };
        let nonce = nonce(binding);
        let expected = id_token::Expected {
            issuer: &provider.issuer,
            client_id: &self.settings.client_id,
            nonce: &nonce,
            access_token: reply.access_token.as_deref(),
            now_seconds: self.clock.now().as_seconds(),
        };
        let claims = id_token::verify(&token, &provider.keys, &expected)?;
        match (&claims.email, &provider.userinfo, &reply.access_token) {
            (None, Some(userinfo), Some(access)) => self.ask_more(userinfo, access, claims).await,
            _ => Ok(claims),
        }
    }

    async fn exchange(&self, provider: &Provider, code: &str, binding: &str) -> Result<TokenReply, OpenIdError> {
        let verifier = verifier(binding);
        let form = [
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", self.settings.redirect.as_str()),
            ("code_verifier", &verifier),
        ];
        let secret = self.settings.client_secret.expose_secret();
        let request = self.http.post(provider.token.clone()).timeout(TIMEOUT);
        let request = if provider.secret_in_body {
            let own = [("client_id", self.settings.client_id.as_str()), ("client_secret", secret)];
            request.form(&[&form[..], &own[..]].concat())
        } else {
            // RFC 6749, 2.3.1: form-encode the ID and the secret before they become user and password.
            request.basic_auth(encoded(&self.settings.client_id), Some(encoded(secret))).form(&form)
        };
        let (status, body) = discovery::answer(request).await?;
        if status == 400 {
            return Err(OpenIdError::CodeRefused);
        }
        if status != 200 {
            return Err(OpenIdError::Provider(format!("its token endpoint answered {status}")));
        }
        serde_json::from_slice(&body).map_err(|_| OpenIdError::Provider("its token endpoint gave no JSON".into()))
    }

    /// Asks the provider's user information for the person's claims, because a provider may leave the address out of the token.
    async fn ask_more(&self, userinfo: &Url, access: &str, claims: Claims) -> Result<Claims, OpenIdError> {
        #[derive(Deserialize)]
        struct Info {
            sub: String,
            #[serde(flatten)]
            person: id_token::Person,
        }
        let request = self.http.get(userinfo.clone()).bearer_auth(access).timeout(TIMEOUT);
        let (status, body) = discovery::answer(request).await?;
        let info: Option<Info> = if status == 200 { serde_json::from_slice(&body).ok() } else { None };
        let info = info.ok_or_else(|| OpenIdError::Provider("it does not say who came".into()))?;
        // User information about another subject would turn this person into someone else.
        if info.sub != claims.subject {
            return Err(Unproven::Subject.into());
        }
        let email_verified = info.person.is_verified();
        Ok(Claims { email: info.person.email, email_verified, name: info.person.name.or(claims.name), ..claims })
    }
}

fn verifier(binding: &str) -> Zeroizing<String> {
    secret::derived(binding, "verifier")
}

fn nonce(binding: &str) -> Zeroizing<String> {
    secret::derived(binding, "nonce")
}

fn encoded(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}
