//! The sandbox networks: on their own listener next to the server, or those of another server.

use std::{collections::BTreeMap, net::SocketAddr, sync::Arc};

use adagent_config::Config;
use adagent_contract::{SandboxInfo, SandboxNetwork};
use adagent_domain::{Clock, Network};
use adagent_sandbox::{Sandbox, SandboxConfig};
use anyhow::{Context as _, Result};
use tokio::net::TcpListener;
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use url::Url;

/// Starts the sandbox unless it is turned off or runs elsewhere. Its data is next to the database.
pub async fn start(
    config: &Config,
    clock: Arc<dyn Clock>,
    tasks: &TaskTracker,
    stop: CancellationToken,
) -> Result<Option<SandboxInfo>> {
    if !config.sandbox.enabled {
        return Ok(None);
    }
    if let Some(url) = &config.sandbox.url {
        let today = clock.now().to_jiff().to_zoned(jiff::tz::TimeZone::UTC).date();
        return Ok(Some(info(url, today.to_string())));
    }
    let address = SocketAddr::new(config.host, config.sandbox_port());
    if !config.host.is_loopback() {
        tracing::warn!(%address, "the sandbox networks and their control routes can be reached from outside; start with --no-sandbox in production");
    }
    let listener = TcpListener::bind(address).await.with_context(|| {
        format!("the sandbox cannot listen on {address}; set ADAGENT_SANDBOX__PORT or start with --no-sandbox")
    })?;
    let port = listener.local_addr().context("the sandbox has no address")?.port();
    let now = Arc::new(move || clock.now().to_jiff());
    let sandbox =
        Sandbox::open(SandboxConfig::new(config.data_dir.join("sandbox"), now)).context("cannot open the sandbox")?;
    let today = sandbox.today().to_string();
    tasks.spawn(async move {
        if let Err(error) = sandbox.serve(listener, stop).await {
            tracing::error!(%error, "the sandbox stopped");
        }
    });
    // Browsers open its consent page, so its address has the server's host name.
    let public = config.public_url();
    let host = public.host_str().unwrap_or("127.0.0.1");
    let base = Url::parse(&format!("http://{host}:{port}")).context("the sandbox has no address")?;
    Ok(Some(info(&base, today)))
}

fn info(base: &Url, today: String) -> SandboxInfo {
    let base_url = base.as_str().trim_end_matches('/').to_owned();
    let place = |network: Network| (network, SandboxNetwork { base_url: format!("{base_url}/{network}") });
    let networks = Network::ALL.into_iter().map(place).collect::<BTreeMap<_, _>>();
    SandboxInfo { base_url, networks, today }
}
