//! `/metrics` for Prometheus: on the main port for programs on this machine or with the token, and on its own listener for anyone who can
//! reach that.

use std::{net::SocketAddr, sync::Arc};

use adagent_contract::codes;
use axum::{
    Router,
    extract::{ConnectInfo, FromRequestParts as _, Request, State},
    http::{HeaderMap, HeaderValue, header},
    response::{IntoResponse as _, Response},
    routing::get,
};
use futures::future::BoxFuture;
use sha2::{Digest as _, Sha256};

use super::Route;
use crate::{
    error::{ApiError, ApiResult},
    forwarded::was_forwarded,
    openapi::Operation,
    state::HttpState,
};

/// The media type of the text format.
const FORMAT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// A function that makes the page for each request.
pub type Scrape = Arc<dyn Fn() -> BoxFuture<'static, String> + Send + Sync>;

/// The page, and who may read it.
#[derive(Clone)]
pub struct Metrics {
    scrape: Scrape,
    /// The hash of the token, so that the time of a comparison reveals nothing about it.
    token: Option<[u8; 32]>,
}

impl Metrics {
    pub fn new(scrape: Scrape, token: Option<&str>) -> Self {
        Self { scrape, token: token.map(hash) }
    }

    async fn page(&self) -> Response {
        ([(header::CONTENT_TYPE, HeaderValue::from_static(FORMAT))], (self.scrape)().await).into_response()
    }

    /// Checks that the caller may read the page. `near` says whether a caller without a token counts as local.
    fn admit(&self, headers: &HeaderMap, near: bool) -> Result<(), ApiError> {
        let Some(token) = self.token else {
            let detail =
                "Metrics are available only on the server's own machine. Set `metrics.token` or `metrics.listen`.";
            return if near { Ok(()) } else { Err(ApiError::new(403, codes::FORBIDDEN, "Not allowed", detail)) };
        };
        let bearer = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
        if bearer.is_some_and(|given| hash(given) == token) {
            return Ok(());
        }
        let detail = "Send `Authorization: Bearer` with the configured `metrics.token`.";
        Err(ApiError::new(401, codes::UNAUTHENTICATED, "Token required", detail))
    }
}

fn hash(token: &str) -> [u8; 32] {
    Sha256::digest(token).into()
}

pub fn routes() -> Vec<Route> {
    vec![Route::new(
        Operation::get("/metrics", "metrics", "system", "For Prometheus; see docs/operations.md for who may read it")
            .text()
            .public(),
        main_port,
    )]
}

/// Makes the router of the separate listener.
pub fn router(metrics: Metrics) -> Router {
    Router::new().route("/metrics", get(own_listener)).with_state(metrics)
}

async fn main_port(State(state): State<HttpState>, request: Request) -> ApiResult<Response> {
    let (mut parts, _) = request.into_parts();
    let peer = ConnectInfo::<SocketAddr>::from_request_parts(&mut parts, &()).await.ok();
    let near = peer.is_some_and(|ConnectInfo(peer)| peer.ip().to_canonical().is_loopback());
    state.metrics.admit(&parts.headers, near && !was_forwarded(&parts.headers))?;
    Ok(state.metrics.page().await)
}

async fn own_listener(State(metrics): State<Metrics>, headers: HeaderMap) -> ApiResult<Response> {
    metrics.admit(&headers, true)?;
    Ok(metrics.page().await)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metrics(token: Option<&str>) -> Metrics {
        Metrics::new(Arc::new(|| Box::pin(std::future::ready(String::new()))), token)
    }

    fn headers(name: &'static str, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(name.parse().expect("a name"), value.parse().expect("a value"))])
    }

    #[test]
    fn without_a_token_only_neighbours_read() {
        let none = HeaderMap::new();
        assert!(metrics(None).admit(&none, true).is_ok());
        assert_eq!(metrics(None).admit(&none, false).expect_err("far").problem.status, 403);
        assert!(was_forwarded(&headers("x-forwarded-for", "10.1.1.1")) && !was_forwarded(&none));
    }

    #[test]
    fn with_a_token_everybody_needs_it() {
        let metrics = metrics(Some("hunter2"));
        for near in [true, false] {
            assert_eq!(metrics.admit(&HeaderMap::new(), near).expect_err("none").problem.status, 401);
            assert!(metrics.admit(&headers("authorization", "Bearer hunter3"), near).is_err());
            assert!(metrics.admit(&headers("authorization", "Bearer hunter2"), near).is_ok());
        }
    }
}
