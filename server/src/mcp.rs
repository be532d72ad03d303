//! Mounts the MCP server. Tokens are checked before it, so it never sees one.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use adagent_config::Config;
use adagent_http::HttpState;
use adagent_mcp::{Mcp, McpParts};
use adagent_service::Service;
use axum::{Router, body::Body, extract::Request, middleware::from_fn_with_state, response::Response, routing::any};
use tokio_util::sync::CancellationToken;

/// Clients learn within this time that a network was connected or turned off.
const LOOK_EVERY: Duration = Duration::from_secs(2);

pub fn router(
    service: &Arc<Service>,
    config: &Config,
    address: SocketAddr,
    state: &HttpState,
    stopping: &CancellationToken,
) -> Router {
    let parts = McpParts {
        service: Arc::clone(service),
        public_url: config.public_url(),
        hosts: vec![address.ip().to_string()],
        look_every: LOOK_EVERY,
        stopping: stopping.clone(),
    };
    let mcp = Arc::new(Mcp::new(parts));
    let serve = move |request: Request| {
        let mcp = Arc::clone(&mcp);
        async move { mcp.handle(request).await.map(Body::new) as Response }
    };
    Router::new().route("/mcp", any(serve)).layer(from_fn_with_state(state.clone(), adagent_http::require_mcp_token))
}
