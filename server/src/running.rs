//! Starts the server, serves and shuts down.

use std::{net::SocketAddr, path::Path, sync::Arc, time::Duration};

use adagent_config::Config;
use adagent_contract::SandboxInfo;
use adagent_domain::Clock;
use adagent_http::Health;
use adagent_runtime::RuntimeHandle;
use adagent_service::Service;
use anyhow::{Context as _, Result};
use tokio::net::TcpListener;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{SystemClock, sandbox, serve::serve, wiring::wire};

/// A running server; stop it with [`Running::drain`].
pub struct Running {
    pub address: SocketAddr,
    pub service: Arc<Service>,
    pub sandbox: Option<SandboxInfo>,
    runtime: RuntimeHandle,
    health: Arc<Health>,
    tasks: TaskTracker,
    stopping: CancellationToken,
    /// The sandbox stops last, because unfinished work may still call it.
    sandbox_tasks: TaskTracker,
    sandbox_stop: CancellationToken,
    bound: Duration,
}

/// Listens, wires and serves. With port 0, the system chooses the port.
pub async fn start(config: Config) -> Result<Running> {
    start_with(config, Arc::new(SystemClock)).await
}

/// Works like [`start`], with another clock than the machine's, so that a set of questions meets the day that it was written for.
pub async fn start_with(mut config: Config, machine: Arc<dyn Clock>) -> Result<Running> {
    prepare_folder(&config.data_dir)?;
    let wanted = SocketAddr::new(config.host, config.port);
    let listener = listen(wanted, "choose another with --port").await?;
    let address = listener.local_addr().context("the listener has no address")?;
    let any_sandbox_port = config.port == 0 && config.sandbox.port.is_none();
    config.port = address.port();
    if any_sandbox_port {
        config.sandbox.port = Some(0);
    }

    let for_metrics = match config.metrics.listen {
        Some(wanted) => Some(listen(wanted, "it is `metrics.listen` of the configuration").await?),
        None => None,
    };

    let (sandbox_tasks, sandbox_stop) = (TaskTracker::new(), CancellationToken::new());
    let sandbox = sandbox::start(&config, Arc::clone(&machine), &sandbox_tasks, sandbox_stop.clone()).await?;
    let (tasks, stopping) = (TaskTracker::new(), CancellationToken::new());
    let wired = wire(&config, machine, address, sandbox.clone(), &tasks, &stopping).await?;

    tasks.spawn(serve(listener, wired.router, stopping.clone()));
    if let Some(listener) = for_metrics {
        tasks.spawn(serve(listener, adagent_http::metrics_router(wired.metrics), stopping.clone()));
    }
    Ok(Running {
        address,
        service: wired.service,
        sandbox,
        runtime: wired.runtime,
        health: wired.health,
        tasks,
        stopping,
        sandbox_tasks,
        sandbox_stop,
        bound: Duration::from_secs(config.drain_seconds),
    })
}

impl Running {
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Shuts down: accepts nothing new, answers requests that have arrived, ends event streams and gives leases back. It stops
    /// waiting after the configured time. That is safe, because unfinished work is journaled and continues on another server or
    /// after the next start.
    pub async fn drain(self) {
        self.health.set_workers(false);
        self.stopping.cancel();
        self.tasks.close();
        let quiet = async {
            tokio::join!(self.runtime.drain(), self.tasks.wait());
            // Last, because an unfinished request may still start something.
            self.service.come_to_rest().await;
        };
        if tokio::time::timeout(self.bound, quiet).await.is_err() {
            tracing::warn!("some work did not come to rest in time; it goes on after the next start");
        }
        self.sandbox_stop.cancel();
        self.sandbox_tasks.close();
        let _ = tokio::time::timeout(Duration::from_secs(2), self.sandbox_tasks.wait()).await;
    }
}

async fn listen(wanted: SocketAddr, hint: &str) -> Result<TcpListener> {
    TcpListener::bind(wanted).await.with_context(|| format!("cannot listen on {wanted}; {hint}"))
}

/// Creates the data folder for the server's own user only, because it holds the database and the keys.
fn prepare_folder(path: &Path) -> Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).with_context(|| format!("cannot make the data folder {}", path.display()))
}
