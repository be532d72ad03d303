//! Networks as configured: the live ones, with the OAuth clients registered for them, and the sandbox if it runs.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use adagent_config::{Config, GoogleNetwork};
use adagent_contract::SandboxInfo;
use adagent_domain::{Clock, Network};
use adagent_identity::Vault;
use adagent_networks::{NetworkEndpoints, Tuning, WayOut, http_client_by, scopes};
use adagent_service::connections::{ConnectionParts, ConnectionSetup, Endpoints, Live, Simulated};
use adagent_store::Store;
use anyhow::{Context as _, Result};
use secrecy::ExposeSecret as _;
use url::Url;

/// Builds the connections and, from them, the engine's gateway.
pub fn build(
    config: &Config,
    store: Arc<dyn Store>,
    vault: Arc<Vault>,
    clock: Arc<dyn Clock>,
    sandbox: Option<SandboxInfo>,
) -> Result<ConnectionParts> {
    let tuning = Tuning {
        total_timeout: Duration::from_millis(config.network_timeout_ms),
        calls_per_minute: config.limits().network_per_workspace,
        ..Tuning::default()
    };
    let way = way_out(config, sandbox.as_ref())?;
    let client = http_client_by(&tuning, way).context("cannot make the HTTP client")?;
    let endpoints = Endpoints {
        live: config.live_networks.then(|| live(config)),
        sandbox: sandbox.as_ref().map(simulated).transpose()?,
    };
    let setup = ConnectionSetup {
        store,
        clock,
        vault,
        client,
        jitter: Arc::new(jitter),
        tuning,
        endpoints,
        public_url: config.public_url(),
        sandbox,
    };
    ConnectionParts::new(setup).context("the catalog of operations")
}

fn way_out(config: &Config, sandbox: Option<&SandboxInfo>) -> Result<WayOut> {
    let mut own_hosts: Vec<String> = own_hosts(config, sandbox).into_iter().collect();
    own_hosts.extend(config.https_proxy_host());
    let proxy = config.https_proxy.as_ref().map(|proxy| reqwest::Proxy::https(proxy.expose_secret()));
    let https_proxy = proxy.transpose().context("https_proxy")?;
    Ok(WayOut { own_hosts, https_proxy })
}

/// Returns the hosts that the administrator named. Only these may be in the administrator's own network.
fn own_hosts(config: &Config, sandbox: Option<&SandboxInfo>) -> BTreeSet<String> {
    let google = |network: &GoogleNetwork| {
        [&network.base_url, &network.auth_url, &network.token_url, &network.revoke_url].map(Url::clone)
    };
    let named = google(&config.admob).into_iter().chain(google(&config.admanager)).chain(config.sandbox.url.clone());
    let simulated = sandbox.and_then(|info| Url::parse(&info.base_url).ok());
    let usual = |host: &str| host.ends_with(".googleapis.com") || host == "accounts.google.com";
    let hosts = named.chain(simulated).filter_map(|url| url.host_str().map(str::to_owned));
    // The default hosts are the public ones, which are never in that network.
    hosts.filter(|host| !usual(host)).collect()
}

fn live(config: &Config) -> Live {
    let signed_in = [(Network::AdMob, &config.admob), (Network::AdManager, &config.admanager)];
    let oauth = signed_in.into_iter().filter_map(|(network, google)| Some((network, endpoints(network, google)?)));
    Live { oauth: oauth.collect::<BTreeMap<_, _>>() }
}

/// Returns the endpoints; `None` without a client, and then nobody can sign in.
fn endpoints(network: Network, google: &GoogleNetwork) -> Option<NetworkEndpoints> {
    Some(NetworkEndpoints {
        api: google.base_url.clone(),
        authorize: google.auth_url.clone(),
        token: google.token_url.clone(),
        revoke: google.revoke_url.clone(),
        client_id: google.client_id.clone()?,
        client_secret: google.client_secret.clone()?,
        scopes: scopes(network),
    })
}

fn simulated(info: &SandboxInfo) -> Result<Simulated> {
    let base = Url::parse(&info.base_url).context("the sandbox's address")?;
    Simulated::new(&base, adagent_sandbox::DEFAULT_CLIENT_ID, &adagent_sandbox::DEFAULT_CLIENT_SECRET.to_owned().into())
        .context("the sandbox's address cannot be a base")
}

/// Returns a number between 0 and 1, so that retries of many processes do not all come at once.
fn jitter() -> f64 {
    let mut bytes = [0_u8; 4];
    // Without randomness the retries come together, which does no other harm.
    if getrandom::fill(&mut bytes).is_err() {
        return 0.5;
    }
    f64::from(u32::from_le_bytes(bytes)) / f64::from(u32::MAX)
}
