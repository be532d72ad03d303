//! Tool servers as configured: which hosts of our own network they may use, and the proxy.

use std::sync::Arc;

use adagent_config::Config;
use adagent_domain::Clock;
use adagent_identity::Vault;
use adagent_networks::WayOut;
use adagent_service::ToolServerParts;
use adagent_store::Store;
use anyhow::{Context as _, Result};
use secrecy::ExposeSecret as _;

pub fn build(
    config: &Config,
    store: &Arc<dyn Store>,
    vault: &Arc<Vault>,
    clock: &Arc<dyn Clock>,
) -> Result<ToolServerParts> {
    let proxy = config.https_proxy.as_ref().map(|proxy| reqwest::Proxy::https(proxy.expose_secret()));
    let https_proxy = proxy.transpose().context("https_proxy")?;
    // The client may connect to the proxy's host, but that does not make it an allowed tool server.
    let way = WayOut { own_hosts: config.https_proxy_host().into_iter().collect(), https_proxy };
    let allowed = config.tool_servers.allow.0.clone();
    ToolServerParts::new(Arc::clone(store), Arc::clone(vault), Arc::clone(clock), allowed, way)
        .context("cannot make the HTTP client of tool servers")
}
