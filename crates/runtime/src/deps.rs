//! What the driver needs: ports, clock, IDs and configuration.

use std::{sync::Arc, time::Duration};

use adagent_domain::{Clock, Ids, Timestamp};
use adagent_llm::{Models, Understanding};
use adagent_run_core::Limits;
use adagent_store::EngineStore;
use adagent_tools::{Gateway, Provider};

use crate::{Budget, kind::Drives};

/// How the driver works. The defaults suit a server.
#[derive(Debug, Clone)]
pub struct RuntimeConfig {
    /// The name of this process in leases.
    pub owner: String,
    /// How many runs this process advances at the same time.
    pub parallel: usize,
    pub lease: Duration,
    /// How often we renew a held lease. At most a third of `lease`.
    pub heartbeat: Duration,
    /// How often we ask the database for work, in addition to wakes.
    pub poll: Duration,
    /// We store the result of work that takes no longer than this together with what follows. Zero stores every step by itself.
    pub flush_after: Duration,
    /// We store streamed text in pieces of about this much time.
    pub coalesce: Duration,
    /// How often we look for a request to cancel during long work.
    pub cancel_poll: Duration,
    /// If nobody has seen an event of some work for this long, the run says what it waits for.
    pub still_after: Duration,
    /// How often we try again if a model does not answer.
    pub model_retries: u32,
    pub model_backoff: Duration,
    /// The longest wait that we accept if a provider asks us to wait. Beyond it, the run stops and says so.
    pub model_longest_wait: Duration,
    pub budget: Budget,
    /// How many saved states we keep of a finished run.
    pub keep_checkpoints: u32,
    pub max_output_tokens: u32,
    /// Below this confidence of the rules, we ask a hosted fast model for the route.
    pub route_unsure_below: f64,
    /// The longest that we wait for its answer.
    pub route_patience: Duration,
    pub limits: Limits,
    /// Whether spans contain questions, answers, arguments and results, for administrators who may see them.
    pub capture_content: bool,
}

impl Default for RuntimeConfig {
    fn default() -> Self {
        Self {
            owner: "worker".into(),
            parallel: 64,
            // Short, because the runs of a crashed process wait until its lease ends.
            lease: Duration::from_secs(10),
            heartbeat: Duration::from_secs(3),
            poll: Duration::from_secs(1),
            flush_after: Duration::from_millis(15),
            coalesce: Duration::from_millis(30),
            cancel_poll: Duration::from_millis(400),
            still_after: Duration::from_mins(1),
            model_retries: 2,
            model_backoff: Duration::from_millis(400),
            model_longest_wait: Duration::from_secs(30),
            budget: Budget::default(),
            keep_checkpoints: 24,
            max_output_tokens: 4096,
            route_unsure_below: 0.6,
            route_patience: Duration::from_secs(8),
            limits: Limits::default(),
            capture_content: false,
        }
    }
}

/// A point where a test may kill the worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CutPoint {
    BeforeCommit,
    AfterCommit,
}

/// Decides whether the worker dies here, as if the process were killed, without cleaning up or giving back its lease.
pub trait Cuts: Send + Sync {
    fn dies_at(&self, point: CutPoint) -> bool;

    /// Decides whether the store fails to commit here, only this time.
    fn store_fails(&self) -> bool {
        false
    }
}

/// Everything the driver uses.
#[derive(Clone)]
pub struct RuntimeDeps {
    pub store: Arc<dyn EngineStore>,
    /// The tools of every source.
    pub tools: Arc<dyn Provider>,
    pub gateway: Arc<dyn Gateway>,
    pub models: Arc<dyn Models>,
    pub understanding: Arc<dyn Understanding>,
    pub clock: Arc<dyn Clock>,
    pub ids: Arc<dyn Ids>,
    pub config: Arc<RuntimeConfig>,
    /// Advances runs of flows. `None`: this process leaves them to others.
    pub flows: Option<Arc<dyn Drives>>,
    /// Lets tests cut the journal. `None` on a server.
    pub cuts: Option<Arc<dyn Cuts>>,
}

/// The driver. Start it as the workers of a process, or advance single runs with [`Runtime::run_once`].
#[derive(Clone)]
pub struct Runtime {
    pub(crate) deps: Arc<RuntimeDeps>,
    /// When this process began to take runs.
    pub(crate) since: Timestamp,
}

impl Runtime {
    pub fn new(deps: RuntimeDeps) -> Self {
        let since = deps.clock.now();
        Self { deps: Arc::new(deps), since }
    }
}
