//! What the driver is given: ports, clock, ids, configuration.

use std::{sync::Arc, time::Duration};

use adagent_domain::{Clock, Ids, Timestamp};
use adagent_llm::{Models, Understanding};
use adagent_run_core::Limits;
use adagent_store::EngineStore;
use adagent_tools::{Gateway, Provider};

use crate::{Budget, kind::Drives};

/// How the driver works; the defaults suit a server.
#[derive(Debug, Clone)]
pub struct RuntimeConfig {
    /// Name of this process in leases.
    pub owner: String,
    /// Runs at a time in this process.
    pub parallel: usize,
    pub lease: Duration,
    /// How often a held lease is renewed; a third of `lease` or less.
    pub heartbeat: Duration,
    /// How often the database is asked for work, besides wakes.
    pub poll: Duration,
    /// Work that takes no longer is journalled together with what follows; zero journals every step by itself.
    pub flush_after: Duration,
    /// Streamed text is stored in pieces of about this much time.
    pub coalesce: Duration,
    /// How often a request to cancel is looked for during long work.
    pub cancel_poll: Duration,
    /// Work of which nobody has seen anything for so long says what it waits for.
    pub still_after: Duration,
    /// Further attempts when a model does not answer.
    pub model_retries: u32,
    pub model_backoff: Duration,
    /// A provider that asks to be left alone for longer is not waited for; the run says so.
    pub model_longest_wait: Duration,
    pub budget: Budget,
    /// Saved states kept of a finished run.
    pub keep_checkpoints: u32,
    pub max_output_tokens: u32,
    /// Below this confidence of the rules a hosted fast model is asked for the route.
    pub route_unsure_below: f64,
    /// The longest such a question may take.
    pub route_patience: Duration,
    pub limits: Limits,
    /// Questions, answers, arguments and results as attributes of spans, for operators who may see them.
    pub capture_content: bool,
}

impl Default for RuntimeConfig {
    fn default() -> Self {
        Self {
            owner: "worker".into(),
            parallel: 64,
            // Short, because after a crash everybody waits for it.
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

/// A place at which a test may kill the worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CutPoint {
    BeforeCommit,
    AfterCommit,
}

/// Decides whether the worker dies here, as if the process were killed: nothing is handed back or cleaned up.
pub trait Cuts: Send + Sync {
    fn dies_at(&self, point: CutPoint) -> bool;

    /// Whether the store fails to commit here, just this once.
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
    /// How runs of flows are advanced; `None`: this process leaves them to others.
    pub flows: Option<Arc<dyn Drives>>,
    /// For tests that cut the journal; `None` in a server.
    pub cuts: Option<Arc<dyn Cuts>>,
}

/// The driver: start it as workers of a process, or advance single runs with [`Runtime::run_once`].
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
