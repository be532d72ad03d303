//! Networks as configured: production where a client is registered, the sandbox where it runs.

use std::{sync::Arc, time::Duration};

use adagent_config::Config;
use adagent_contract::SandboxInfo;
use adagent_domain::Clock;
use adagent_identity::Vault;
use adagent_networks::{NetworkEndpoints, Tuning, http_client};
use adagent_service::connections::{ConnectionParts, ConnectionSetup, Endpoints};
use adagent_store::Store;
use anyhow::{Context as _, Result};
use url::Url;

/// Connections and, with them, the engine's gateway.
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
    let client = http_client(&tuning).context("cannot make the HTTP client")?;
    let endpoints = Endpoints { production: production(config), sandbox: sandbox.as_ref().map(simulated).transpose()? };
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
    ConnectionParts::new(setup).context("the catalogue of operations")
}

fn production(config: &Config) -> Option<NetworkEndpoints> {
    let admob = &config.admob;
    Some(NetworkEndpoints {
        api: admob.base_url.clone(),
        authorize: admob.auth_url.clone(),
        token: admob.token_url.clone(),
        revoke: admob.revoke_url.clone(),
        client_id: admob.client_id.clone()?,
        client_secret: admob.client_secret.clone()?,
    })
}

fn simulated(info: &SandboxInfo) -> Result<NetworkEndpoints> {
    let base = Url::parse(&info.base_url).context("the sandbox's address")?;
    NetworkEndpoints::sandbox(
        &base,
        adagent_sandbox::DEFAULT_CLIENT_ID,
        adagent_sandbox::DEFAULT_CLIENT_SECRET.to_owned().into(),
    )
    .context("the sandbox's address cannot be a base")
}

/// Between 0 and 1, so that retries of many processes spread.
fn jitter() -> f64 {
    let mut bytes = [0_u8; 4];
    // Without randomness they do not spread, and nothing worse happens.
    if getrandom::fill(&mut bytes).is_err() {
        return 0.5;
    }
    f64::from(u32::from_le_bytes(bytes)) / f64::from(u32::MAX)
}
