//! The way out: where a request may go, and when a host that fails is left alone. It must not hold credentials, nor know what is asked.

pub mod breaker;
mod place;
mod resolve;

use std::time::Duration;

pub use place::{Elsewhere, host_and_port, is_public};
pub use resolve::{Guarded, NotPublic, was_not_public};

/// What the configuration says about the way to the outside.
#[derive(Debug, Clone, Default)]
pub struct WayOut {
    /// Hosts it names, which may lie in our own network: a sandbox elsewhere, a gateway.
    pub own_hosts: Vec<String>,
    /// A proxy for what is encrypted. It looks names up itself, so it is the one that keeps them out of its own network.
    pub https_proxy: Option<reqwest::Proxy>,
}

/// How every client that calls the outside begins. It follows no redirect: credentials go where they were meant to go, or nowhere.
/// Names that lead into our own network are not connected to, unless the configuration names them. Variables of the environment are
/// the configuration's to read.
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
