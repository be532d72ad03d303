//! Outgoing requests: where they may go, and when we stop calling a failing host for a while. This crate must not hold
//! credentials or know what is requested.

pub mod breaker;
mod place;
mod resolve;

use std::time::Duration;

pub use place::{Elsewhere, host_and_port, is_public};
pub use resolve::{Guarded, NotPublic, was_not_public};

/// What the configuration says about outgoing requests.
#[derive(Debug, Clone, Default)]
pub struct WayOut {
    /// Hosts in the configuration that may be in our own network, such as a sandbox on another host or a gateway.
    pub own_hosts: Vec<String>,
    /// A proxy for HTTPS. It looks names up itself, so it must keep them out of its own network.
    pub https_proxy: Option<reqwest::Proxy>,
}

/// Starts the builder of every client for outgoing requests. The client follows no redirects, so credentials go only where they were meant
/// to go. It does not connect to names that lead into our own network, unless the configuration lists them. Only the configuration reads
/// environment variables.
pub fn client(connect_timeout: Duration, way: WayOut) -> reqwest::ClientBuilder {
    let builder = reqwest::Client::builder()
        .connect_timeout(connect_timeout)
        .redirect(reqwest::redirect::Policy::none())
        .dns_resolver(Guarded::new(way.own_hosts))
        .user_agent(concat!("adagentai/", env!("CARGO_PKG_VERSION")))
        .no_proxy();
    match way.https_proxy {
        Some(proxy) => builder.proxy(proxy),
        None => builder,
    }
}
