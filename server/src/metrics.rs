//! What `/metrics` adds to the counters: the backlog and the connection pool, measured when somebody asks.

use std::{sync::Arc, time::Duration};

use adagent_config::{Config, Secret};
use adagent_domain::Clock;
use adagent_http::{Metrics, Scrape};
use adagent_store::{Engine, Store};
use metrics::gauge;
use secrecy::ExposeSecret as _;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// Prometheus gives up after ten seconds. A hanging database must not cost it the rest of the page.
const PATIENCE: Duration = Duration::from_secs(2);
/// How often histograms merge their samples when nobody asks for the page.
const UPKEEP: Duration = Duration::from_secs(5);

/// Starts recording, and builds the page.
pub fn metrics(config: &Config, store: &Arc<dyn Store>, clock: &Arc<dyn Clock>) -> Metrics {
    adagent_telemetry::recorder();
    let engine = match store.engine() {
        Engine::Sqlite => "sqlite",
        Engine::Postgres => "postgres",
    };
    gauge!("adagent_build_info", "version" => env!("CARGO_PKG_VERSION"), "engine" => engine).set(1.0);
    gauge!("adagent_workers").set(f64::from(config.workers));
    gauge!("adagent_workers_busy").increment(0.0);
    gauge!("adagent_event_streams").increment(0.0);
    let (store, clock) = (Arc::clone(store), Arc::clone(clock));
    let scrape: Scrape = Arc::new(move || {
        let (store, clock) = (Arc::clone(&store), Arc::clone(&clock));
        Box::pin(async move {
            look(&*store, &*clock).await;
            adagent_telemetry::page()
        })
    });
    Metrics::new(scrape, config.metrics.token.as_ref().map(Secret::expose_secret))
}

#[expect(clippy::cast_precision_loss, reason = "counts and milliseconds here are far below 2^52")]
async fn look(store: &dyn Store, clock: &dyn Clock) {
    let pool = store.pool();
    gauge!("adagent_database_connections", "state" => "in_use").set(f64::from(pool.in_use));
    gauge!("adagent_database_connections", "state" => "idle").set(f64::from(pool.idle));
    gauge!("adagent_database_connections_max").set(f64::from(pool.max));
    let now = clock.now();
    let backlog = tokio::time::timeout(PATIENCE, store.backlog(now)).await.ok().and_then(Result::ok);
    gauge!("adagent_database_up").set(if backlog.is_some() { 1.0 } else { 0.0 });
    // If the backlog cannot be read, report NaN: "unknown" is not "empty".
    let figures = backlog.map_or([f64::NAN; 3], |backlog| {
        let waits = backlog.oldest_ready.map_or(0, |since| now.millis_since(since).max(0));
        [backlog.ready as f64, waits as f64 / 1000.0, backlog.pending_approvals as f64]
    });
    gauge!("adagent_runs_ready").set(figures[0]);
    gauge!("adagent_runs_oldest_ready_seconds").set(figures[1]);
    gauge!("adagent_approvals_pending").set(figures[2]);
}

pub fn spawn_upkeep(tasks: &TaskTracker, stopping: &CancellationToken) {
    let stop = stopping.clone();
    tasks.spawn(async move {
        while tokio::time::timeout(UPKEEP, stop.cancelled()).await.is_err() {
            adagent_telemetry::upkeep();
        }
    });
}
