//! What every route may use.

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

/// Settings of the outside.
#[derive(Debug, Clone)]
pub struct Settings {
    /// How browsers reach the server: same-origin checks and the `Secure` flag of the cookie follow it.
    pub public_url: Url,
    /// Whose `X-Forwarded-For` is believed.
    pub proxies: Proxies,
    /// Lets a request's span go on in the trace that its `traceparent` names.
    pub join_trace: fn(&tracing::Span, &str),
}

/// Whether the parts that no request can see are up.
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

/// State of the router; cheap to clone.
#[derive(Clone)]
pub struct HttpState {
    pub service: Arc<Service>,
    pub sessions: DbSessionStore,
    pub ids: Arc<dyn Ids>,
    pub settings: Arc<Settings>,
    pub files: Arc<SiteFiles>,
    pub health: Arc<Health>,
    pub metrics: Metrics,
    /// Ends event streams when the server stops; readers come back with `Last-Event-ID`.
    pub stopping: CancellationToken,
}
