//! What every route can use.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use adagent_domain::Ids;
use adagent_identity::DbSessionStore;
use adagent_service::Service;
use tokio_util::sync::CancellationToken;
use url::Url;

use crate::{files::SiteFiles, forwarded::Proxies, routes::Metrics};

/// Settings for requests from outside.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The address at which browsers reach the server. Same-origin checks and the cookie's `Secure` flag depend on it.
    pub public_url: Url,
    /// The proxies whose `X-Forwarded-For` we trust.
    pub proxies: Proxies,
    /// The function that makes a request's span continue the trace that its `traceparent` names.
    pub join_trace: fn(&tracing::Span, &str),
}

/// Whether the parts that work outside of requests are running: the workers. /readyz reports it.
#[derive(Debug, Default)]
pub struct Health {
    workers: AtomicBool,
}

impl Health {
    pub fn set_workers(&self, running: bool) {
        self.workers.store(running, Ordering::Relaxed);
    }

    pub fn workers(&self) -> bool {
        self.workers.load(Ordering::Relaxed)
    }
}

/// The state of the router; cheap to clone.
#[derive(Clone)]
pub struct HttpState {
    pub service: Arc<Service>,
    pub sessions: DbSessionStore,
    pub ids: Arc<dyn Ids>,
    pub settings: Arc<Settings>,
    pub files: Arc<SiteFiles>,
    pub health: Arc<Health>,
    pub metrics: Metrics,
    /// Ends event streams when the server stops; readers reconnect with `Last-Event-ID`.
    pub stopping: CancellationToken,
}
