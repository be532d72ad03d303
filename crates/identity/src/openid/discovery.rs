//! What a provider publishes about itself: its endpoints and keys. We read them from its issuer, keep them for a while, and read them again
//! when a token names an unknown key.

use serde::Deserialize;
use url::Url;

use super::{MAX_REPLY, OpenId, OpenIdError, TIMEOUT, id_token::Key};

/// How long we keep what we read. Providers announce new keys long before they use them.
const KEEP_SECONDS: i64 = 60 * 60;
/// How long we wait before we look again for an unknown key, so that tokens with made-up key IDs cannot make us ask the provider each time.
const LOOK_AGAIN_SECONDS: i64 = 60;
/// How long the last answer counts while the provider does not answer.
const LONGEST_SECONDS: i64 = 24 * 60 * 60;
/// After the provider failed to answer, how long we wait before we ask it again.
const REST_SECONDS: i64 = 10;
const MOST_KEYS: usize = 64;

#[derive(Debug, Clone)]
pub(super) struct Provider {
    /// The issuer. Tokens must name it exactly like this.
    pub issuer: String,
    pub authorize: Url,
    pub token: Url,
    pub userinfo: Option<Url>,
    pub keys: Vec<Key>,
    /// Whether the provider takes the client's secret only in the body.
    pub secret_in_body: bool,
}

/// What we read, and when.
#[derive(Default)]
pub(super) struct Known {
    provider: Option<(Provider, i64)>,
    /// When we last read because of an unknown key.
    looked_again_at: Option<i64>,
    /// When the provider last failed to answer.
    failed_at: Option<i64>,
}

#[derive(Deserialize)]
struct Document {
    issuer: String,
    authorization_endpoint: Url,
    token_endpoint: Url,
    jwks_uri: Url,
    userinfo_endpoint: Option<Url>,
    #[serde(default)]
    token_endpoint_auth_methods_supported: Vec<String>,
}

#[derive(Deserialize)]
struct KeySet {
    keys: Vec<serde_json::Value>,
}

impl OpenId {
    /// Returns the provider. Reads it again after an hour. With `anew` (a token names an unknown key), reads it earlier, but at most once a
    /// minute. One caller reads at a time; the others wait.
    pub(super) async fn provider(&self, anew: bool) -> Result<Provider, OpenIdError> {
        let mut known = self.known.lock().await;
        let now = self.clock.now().as_seconds();
        let within = |at: i64, seconds: i64| (0..seconds).contains(&(now - at));
        if let Some((provider, read_at)) = &known.provider {
            let looked = known.looked_again_at.is_some_and(|at| within(at, LOOK_AGAIN_SECONDS));
            if within(*read_at, KEEP_SECONDS) && (!anew || looked) {
                return Ok(provider.clone());
            }
        }
        // Callers that waited during a failed read must not each wait for another one.
        let rests = known.failed_at.is_some_and(|at| within(at, REST_SECONDS));
        let read =
            if rests { Err(OpenIdError::Provider("it did not answer a moment ago".into())) } else { self.read().await };
        match read {
            Ok(provider) => {
                let looked_again_at = if anew { Some(now) } else { known.looked_again_at };
                *known = Known { provider: Some((provider.clone(), now)), looked_again_at, failed_at: None };
                Ok(provider)
            }
            Err(error) => {
                if !rests {
                    known.failed_at = Some(self.clock.now().as_seconds());
                }
                // Old keys are better than a failed sign-in for everybody.
                match &known.provider {
                    Some((provider, read_at)) if within(*read_at, LONGEST_SECONDS) => {
                        tracing::warn!(%error, "the sign-in provider does not answer; what it said last still counts");
                        Ok(provider.clone())
                    }
                    _ => Err(error),
                }
            }
        }
    }

    async fn read(&self) -> Result<Provider, OpenIdError> {
        let issuer = self.settings.issuer.trim_end_matches('/');
        let document: Document = self.json(&format!("{issuer}/.well-known/openid-configuration")).await?;
        if document.issuer.trim_end_matches('/') != issuer {
            return Err(OpenIdError::Provider("its discovery document is another issuer's".into()));
        }
        // If the issuer is on https, its endpoints must be on https too.
        let plain = issuer.starts_with("http://");
        let endpoints = [&document.authorization_endpoint, &document.token_endpoint, &document.jwks_uri];
        let safe = |url: &Url| url.scheme() == "https" || (plain && url.scheme() == "http");
        if !endpoints.into_iter().chain(&document.userinfo_endpoint).all(safe) {
            return Err(OpenIdError::Provider("its discovery document names endpoints without TLS".into()));
        }
        let set: KeySet = self.json(document.jwks_uri.as_str()).await?;
        // Ignore keys of a kind that we do not know.
        let keys = set.keys.into_iter().take(MOST_KEYS).filter_map(|key| serde_json::from_value(key).ok()).collect();
        let methods = &document.token_endpoint_auth_methods_supported;
        let takes = |method: &str| methods.iter().any(|known| known == method);
        Ok(Provider {
            issuer: document.issuer,
            authorize: document.authorization_endpoint,
            token: document.token_endpoint,
            userinfo: document.userinfo_endpoint,
            keys,
            secret_in_body: takes("client_secret_post") && !takes("client_secret_basic"),
        })
    }

    async fn json<T: serde::de::DeserializeOwned>(&self, url: &str) -> Result<T, OpenIdError> {
        let (status, body) = answer(self.http.get(url).timeout(TIMEOUT)).await?;
        if status != 200 {
            return Err(OpenIdError::Provider(format!("{url} answered {status}")));
        }
        serde_json::from_slice(&body)
            .map_err(|_| OpenIdError::Provider(format!("{url} gave something else than expected")))
    }
}

/// Returns the status and the body, and refuses a body longer than `MAX_REPLY`.
pub(super) async fn answer(request: reqwest::RequestBuilder) -> Result<(u16, Vec<u8>), OpenIdError> {
    let failed = |error: reqwest::Error| OpenIdError::Provider(error.without_url().to_string());
    let mut response = request.send().await.map_err(failed)?;
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(failed)? {
        if body.len() + chunk.len() > MAX_REPLY {
            return Err(OpenIdError::Provider("its answer is too long".into()));
        }
        body.extend_from_slice(&chunk);
    }
    Ok((response.status().as_u16(), body))
}
