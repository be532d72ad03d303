//! The sandbox as a value: open it, then mount its router or serve it. It never picks a port or a folder itself.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::state::Inner;
use crate::{SandboxConfig, SandboxError, control, dispatch};

/// The simulated networks on one data folder; clones share it.
#[derive(Clone)]
pub struct Sandbox {
    inner: Arc<Inner>,
}

impl Sandbox {
    /// Reads the log in the data folder; creates the folder if it is missing.
    pub fn open(config: SandboxConfig) -> Result<Self, SandboxError> {
        Ok(Self { inner: Arc::new(Inner::open(config)?) })
    }

    /// Returns all routes, for a caller with its own listener.
    pub fn router(&self) -> Router {
        control::router().fallback(dispatch::any).with_state(Arc::clone(&self.inner))
    }

    /// Serves until the token is canceled and the open requests are answered.
    pub async fn serve(&self, listener: TcpListener, stop: CancellationToken) -> Result<(), SandboxError> {
        let inner = Arc::clone(&self.inner);
        let stopped = async move {
            stop.cancelled().await;
            // Stalled and delayed answers must not hold up the shutdown.
            inner.shutdown.cancel();
        };
        axum::serve(listener, self.router()).with_graceful_shutdown(stopped).await.map_err(SandboxError::Serve)
    }

    /// Returns the sandbox's date. The numbers of this day are incomplete.
    pub fn today(&self) -> jiff::civil::Date {
        self.inner.now().to_zoned(jiff::tz::TimeZone::UTC).date()
    }

    /// Opens a sandbox and serves it on a free loopback port, for tests.
    pub async fn start_on_free_port(config: SandboxConfig) -> Result<RunningSandbox, SandboxError> {
        let sandbox = Self::open(config)?;
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.map_err(SandboxError::Listen)?;
        let address = listener.local_addr().map_err(SandboxError::Listen)?;
        let (stop, tasks) = (CancellationToken::new(), TaskTracker::new());
        let (serving, token) = (sandbox.clone(), stop.clone());
        tasks.spawn(async move {
            if let Err(error) = serving.serve(listener, token).await {
                tracing::error!(%error, "the sandbox stopped");
            }
        });
        tasks.close();
        Ok(RunningSandbox { sandbox, address, stop, tasks })
    }
}

/// A running sandbox; dropping it stops it.
pub struct RunningSandbox {
    sandbox: Sandbox,
    address: SocketAddr,
    stop: CancellationToken,
    tasks: TaskTracker,
}

impl RunningSandbox {
    /// Returns `http://127.0.0.1:PORT`, without a slash at the end.
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn sandbox(&self) -> &Sandbox {
        &self.sandbox
    }

    /// Stops the sandbox and waits until all its tasks have ended.
    pub async fn stop(self) {
        self.stop.cancel();
        self.tasks.wait().await;
    }
}

impl Drop for RunningSandbox {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}
