//! Puts the parts together: store, vault, networks, models, engine, service, router.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use adagent_config::{Config, Retention};
use adagent_contract::SandboxInfo;
use adagent_domain::{Clock, Ids};
use adagent_http::{Health, HttpState, Proxies, Settings, SiteFiles};
use adagent_identity::{DbSessionStore, HashParams, PasswordHasher};
use adagent_natives::Natives;
use adagent_runtime::{Runtime, RuntimeConfig, RuntimeDeps, RuntimeHandle};
use adagent_service::{Forgotten, LimitSettings, Parts, RetentionBounds, RetentionPolicy, Service, SignInParts};
use adagent_tools::{Gateway, Provider, Registry};
use adagent_understanding::LocalUnderstanding;
use anyhow::{Context as _, Result};
use axum::{Router, middleware::from_fn_with_state};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tower_http::compression::{
    CompressionLayer,
    predicate::{DefaultPredicate, NotForContentType, Predicate as _},
};

use crate::{SystemIds, clock, database, keys, mail, mcp, metrics, models, networks, pages, tool_servers};

const SWEEP: Duration = Duration::from_mins(15);

/// A server that is ready to listen.
pub struct Wired {
    pub router: Router,
    pub service: Arc<Service>,
    pub runtime: RuntimeHandle,
    pub health: Arc<Health>,
    pub metrics: adagent_http::Metrics,
}

/// Builds everything but the listeners. `address` is the address that people reach.
pub async fn wire(
    config: &Config,
    machine: Arc<dyn Clock>,
    address: SocketAddr,
    sandbox: Option<SandboxInfo>,
    tasks: &TaskTracker,
    stopping: &CancellationToken,
) -> Result<Wired> {
    let ids: Arc<dyn Ids> = Arc::new(SystemIds);
    let store = database::open(config).await?;
    let clock = clock::of(&store, machine, tasks, stopping).await.context("the database does not tell the time")?;
    let vault = Arc::new(keys::vault(config)?);
    let (looked_at, keys) = (Arc::clone(&store), Arc::clone(&vault));
    tasks.spawn(async move { keys::tell_what_is_missing(&*looked_at, &keys).await });
    let tool_servers = tool_servers::build(config, &store, &vault, &clock)?;
    let connections = networks::build(config, Arc::clone(&store), vault, Arc::clone(&clock), sandbox)?;
    let gateway: Arc<dyn Gateway> = connections.networks.clone();
    let natives = Natives::new(Arc::clone(&store), Arc::clone(&gateway), Arc::clone(&clock));
    let tools = Registry::new(vec![connections.networks.clone(), Arc::new(natives), tool_servers.provider.clone()])?;
    let tools: Arc<dyn Provider> = Arc::new(tools);
    let available = models::available(config)?;
    let runtime_config = models::bound(config, runtime_config(config, address, &*ids))?;
    let deps = RuntimeDeps {
        store: Arc::clone(&store) as _,
        understanding: Arc::new(LocalUnderstanding::new(&tools.tools())),
        tools,
        gateway,
        models: available.models,
        clock: Arc::clone(&clock),
        ids: Arc::clone(&ids),
        config: Arc::new(runtime_config),
        flows: None,
        cuts: None,
    };
    let params = HashParams { memory_kib: config.password.memory_kib, passes: config.password.passes, lanes: 1 };
    let limits = config.limits();
    let mail = mail::of(config, &clock)?;
    let service = Service::new(Parts {
        store: Arc::clone(&store),
        runtime: Arc::new(deps.clone()),
        hasher: PasswordHasher::new(params, config.password.parallel)
            .context("password.memory_kib or password.passes")?,
        models: available.ids,
        connections,
        tool_servers,
        limits: LimitSettings {
            sign_in_per_account: limits.sign_in_per_account,
            sign_in_per_address: limits.sign_in_per_address,
            sign_up_per_address: limits.sign_up_per_address,
            chat_per_user: limits.chat_per_user,
            keys_per_user: limits.keys_per_user,
            requests_per_user: limits.requests_per_user,
            requests_per_address: limits.requests_per_address,
            program_sessions_per_user: limits.program_sessions_per_user,
            mail_per_address: limits.mail_per_address,
            invite_per_workspace: limits.invite_per_workspace,
            invite_per_person: limits.invite_per_person,
            organizations_per_person: limits.organizations_per_person,
        },
        sign_in: SignInParts { openid: crate::openid::build(config, &clock)?, confirm_first: config.confirm_sign_up },
        mail: mail.mailing,
        retention: bounds(config),
    });
    let health = Arc::new(Health::default());
    let metrics = metrics::metrics(config, &store, &clock);
    let state = HttpState {
        service: Arc::clone(&service),
        sessions: DbSessionStore::new(store, Arc::clone(&clock), config.sessions.longest_days.get()),
        ids,
        settings: Arc::new(Settings {
            public_url: config.public_url(),
            proxies: proxies(config),
            join_trace: adagent_telemetry::join,
        }),
        files: Arc::new(SiteFiles::in_folder(&config.site_dir)),
        health: Arc::clone(&health),
        metrics: metrics.clone(),
        stopping: stopping.clone(),
    };
    let pages = pages::router(Arc::clone(&service), Arc::clone(&clock), &config.site_dir, address);
    let tools = mcp::router(&service, config, address, &state, stopping);
    let router =
        adagent_http::around(adagent_http::api(state.clone()).merge(pages).merge(tools).merge(mail.page), &state)
            .layer(from_fn_with_state(Arc::clone(&clock), pages::away))
            .layer(compression());

    tracing::info!(worker = deps.config.owner, %address, version = env!("CARGO_PKG_VERSION"), "starting");
    let runtime = Runtime::new(deps).start();
    health.set_workers(true);
    spawn_housekeeping(&service, config, tasks, stopping);
    metrics::spawn_upkeep(tasks, stopping);
    Ok(Wired { router, service, runtime, health, metrics })
}

/// Returns the name of this process for takeovers and spans: machine and port for people, and an ID so that no name is used
/// twice.
fn worker_name(address: SocketAddr, ids: &dyn Ids) -> String {
    let machine = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let machine = Some(machine.trim()).filter(|name| !name.is_empty()).unwrap_or("server");
    format!("{machine}:{}-{}", address.port(), ids.next_uuid())
}

/// Returns the proxies in front of this server.
fn proxies(config: &Config) -> Proxies {
    match &config.trusted_proxies.0 {
        named if !named.is_empty() => Proxies::of(named.clone()),
        _ if config.trust_proxy => Proxies::one_of(Config::nearby_networks()),
        _ => Proxies::default(),
    }
}

fn runtime_config(config: &Config, address: SocketAddr, ids: &dyn Ids) -> RuntimeConfig {
    let usual = RuntimeConfig::default();
    let mut limits = usual.limits;
    // The longest time that a request may be on its way, plus a lease to allow for clocks that disagree a little.
    limits.settle_ms = i64::try_from(config.network_timeout_ms.saturating_add(config.lease_ms)).unwrap_or(i64::MAX);
    let lease = Duration::from_millis(config.lease_ms);
    RuntimeConfig {
        owner: worker_name(address, ids),
        parallel: usize::try_from(config.workers).unwrap_or(64),
        lease,
        // Two heartbeats may be late before another process takes over.
        heartbeat: usual.heartbeat.min(lease / 3),
        poll: usual.poll.min(lease / 2),
        capture_content: config.telemetry.capture_content,
        limits,
        ..usual
    }
}

/// Returns the compression layer. It skips WASM, which has compressed files next to it, because compressing it per request would
/// take seconds. It skips event streams, because they must not be buffered.
fn compression() -> CompressionLayer<impl tower_http::compression::Predicate> {
    let predicate = DefaultPredicate::new()
        .and(NotForContentType::const_new("application/wasm"))
        .and(NotForContentType::const_new("text/event-stream"));
    CompressionLayer::new().compress_when(predicate)
}

fn bounds(config: &Config) -> RetentionBounds {
    let Retention { runs_days, checkpoints_days, audit_days, shortest_audit_days } = config.retention;
    RetentionBounds { policy: RetentionPolicy { runs_days, checkpoints_days, audit_days }, shortest_audit_days }
}

fn spawn_housekeeping(service: &Arc<Service>, config: &Config, tasks: &TaskTracker, stopping: &CancellationToken) {
    let policy = bounds(config).policy;
    let (of_wakes, stop) = (Arc::clone(service), stopping.clone());
    tasks.spawn(async move { of_wakes.pass_wakes_on(stop).await });
    let (of_mail, stop) = (Arc::clone(service), stopping.clone());
    tasks.spawn(async move { of_mail.send_mails(stop).await });
    let (of_consents, stop) = (Arc::clone(service), stopping.clone());
    tasks.spawn(async move { of_consents.take_consents_back(stop).await });
    let (of_sweep, stop) = (Arc::clone(service), stopping.clone());
    tasks.spawn(async move {
        while tokio::time::timeout(SWEEP, stop.cancelled()).await.is_err() {
            if let Err(error) = of_sweep.sweep().await {
                tracing::warn!(%error, "old sessions and keys could not be removed");
            }
            match of_sweep.forget_old(&policy, &stop).await {
                Ok(forgotten) if forgotten == Forgotten::default() => {}
                Ok(Forgotten { turns, thinned_runs, audit_lines }) => {
                    tracing::info!(turns, thinned_runs, audit_lines, "forgot what the retention policy lets go");
                }
                Err(error) => tracing::warn!(%error, "the retention policy could not be applied"),
            }
        }
    });
}
