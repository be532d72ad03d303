//! What we know about the caller besides the session.

use std::{convert::Infallible, net::SocketAddr};

use adagent_service::ClientInfo;
use axum::{
    extract::{ConnectInfo, FromRequestParts},
    http::request::Parts,
};

use crate::{
    error::{ApiError, ApiResult},
    state::HttpState,
};

/// The longest user agent that we store, in characters.
const MAX_AGENT: usize = 300;

/// The address of the request, for rate limits.
pub struct Client(pub ClientInfo);

impl FromRequestParts<HttpState> for Client {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &HttpState) -> Result<Self, Infallible> {
        let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(address)| address.ip());
        let ip = state.settings.proxies.caller(peer, &parts.headers);
        Ok(Self(ClientInfo { ip }))
    }
}

/// What the list of sessions shows about a browser.
#[derive(Debug, Clone)]
pub struct Device {
    pub agent: String,
    pub address: String,
}

impl FromRequestParts<HttpState> for Device {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &HttpState) -> Result<Self, Infallible> {
        let Ok(Client(client)) = Client::from_request_parts(parts, state).await;
        let agent = parts.headers.get("user-agent").and_then(|value| value.to_str().ok()).unwrap_or_default();
        let address = client.ip.map(|ip| ip.to_canonical().to_string()).unwrap_or_default();
        Ok(Self { agent: agent.chars().take(MAX_AGENT).collect(), address })
    }
}

/// The `Idempotency-Key` header. The service checks its form.
pub struct IdempotencyKey(pub Option<String>);

impl<S: Sync> FromRequestParts<S> for IdempotencyKey {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> ApiResult<Self> {
        let Some(value) = parts.headers.get("idempotency-key") else { return Ok(Self(None)) };
        let text = value.to_str().map_err(|_| {
            ApiError::field("/Idempotency-Key", "An idempotency key can contain only visible ASCII characters.")
        })?;
        Ok(Self(Some(text.to_owned())))
    }
}
