//! The shared state of one simulation: randomness, the plan's faults, the trace, and the violations.

use std::{
    fmt::Write as _,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::{
    sync::{Notify, broadcast},
    time::Instant,
};

use crate::{
    chance::Chance,
    network::Books,
    plan::{CommitFate, Plan, Planted},
    process::Process,
    store::Db,
};

/// One world. It lasts for one plan.
pub struct Sim {
    pub plan: Plan,
    pub chance: Chance,
    pub started: Instant,
    pub(crate) db: Mutex<Db>,
    /// Notifies that a row lock was released.
    pub(crate) freed: Notify,
    pub(crate) wakes: broadcast::Sender<adagent_store::Wake>,
    pub(crate) books: Mutex<Books>,
    /// Whether the faults are over. From then on, every run must end.
    calm: AtomicBool,
    commits: AtomicU64,
    steps: AtomicU64,
    store_down_until: Mutex<Option<Instant>>,
    wakes_lost_until: Mutex<Option<Instant>>,
    /// Faults that start when a process takes a certain step. `happenings` reports them to the world, which carries them out.
    pub(crate) due: Mutex<Vec<(usize, u64, usize)>>,
    pub(crate) happenings: tokio::sync::mpsc::UnboundedSender<Happening>,
    violations: Mutex<Vec<String>>,
    trace: Option<Mutex<Vec<String>>>,
}

/// A fault that a step started, by its position in the plan.
#[derive(Debug, Clone, Copy)]
pub struct Happening(pub usize);

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Sim {
    pub fn new(plan: Plan, traced: bool) -> (Arc<Self>, tokio::sync::mpsc::UnboundedReceiver<Happening>) {
        let (happenings, happened) = tokio::sync::mpsc::unbounded_channel();
        let due = plan.due_by_step();
        let sim = Self {
            chance: Chance::new(plan.seed ^ 0xC0FF_EE00),
            started: Instant::now(),
            db: Mutex::default(),
            freed: Notify::new(),
            wakes: broadcast::channel(256).0,
            books: Mutex::default(),
            calm: AtomicBool::new(false),
            commits: AtomicU64::new(0),
            steps: AtomicU64::new(0),
            store_down_until: Mutex::default(),
            wakes_lost_until: Mutex::default(),
            due: Mutex::new(due),
            happenings,
            violations: Mutex::default(),
            trace: traced.then(Mutex::default),
            plan,
        };
        (Arc::new(sim), happened)
    }

    pub fn is_calm(&self) -> bool {
        self.calm.load(Ordering::Relaxed)
    }

    pub fn calm_down(&self) {
        self.calm.store(true, Ordering::Relaxed);
        *lock(&self.store_down_until) = None;
        *lock(&self.wakes_lost_until) = None;
    }

    pub fn planted(&self, bug: Planted) -> bool {
        self.plan.planted == Some(bug)
    }

    pub fn elapsed_ms(&self) -> u64 {
        u64::try_from(Instant::now().saturating_duration_since(self.started).as_millis()).unwrap_or(u64::MAX)
    }

    pub fn steps(&self) -> u64 {
        self.steps.load(Ordering::Relaxed)
    }

    /// Adds a line to the trace. Builds the text only if somebody reads the trace.
    pub fn note(&self, who: &str, what: impl FnOnce() -> String) {
        if let Some(trace) = &self.trace {
            let mut line = String::new();
            let at = self.elapsed_ms();
            let _ = write!(line, "{:>7}.{:03} s  {who:<6} {}", at / 1000, at % 1000, what());
            lock(trace).push(line);
        }
    }

    pub fn violate(&self, what: String) {
        self.note("CHECK", || what.clone());
        let mut violations = lock(&self.violations);
        if violations.len() < 20 && !violations.contains(&what) {
            violations.push(what);
        }
    }

    pub fn has_violations(&self) -> bool {
        !lock(&self.violations).is_empty()
    }

    pub fn take_violations(&self) -> Vec<String> {
        std::mem::take(&mut *lock(&self.violations))
    }

    pub fn take_trace(&self) -> Vec<String> {
        self.trace.as_ref().map(|trace| std::mem::take(&mut *lock(trace))).unwrap_or_default()
    }

    pub(crate) fn store_down_for(&self, ms: u64) {
        *lock(&self.store_down_until) = Some(Instant::now() + Duration::from_millis(ms));
    }

    pub(crate) fn store_is_down(&self) -> bool {
        lock(&self.store_down_until).is_some_and(|until| Instant::now() < until)
    }

    pub(crate) fn wakes_lost_for(&self, ms: u64) {
        *lock(&self.wakes_lost_until) = Some(Instant::now() + Duration::from_millis(ms));
    }

    pub(crate) fn wake(&self, wake: adagent_store::Wake) {
        if lock(&self.wakes_lost_until).is_some_and(|until| Instant::now() < until) {
            return;
        }
        // An error only means that nobody listens.
        let _ = self.wakes.send(wake);
        if !self.plan.exact && self.chance.percent(5) {
            let _ = self.wakes.send(wake);
        }
    }

    /// Decides the fate of the current commit.
    pub(crate) fn next_commit(&self) -> CommitFate {
        let nth = self.commits.fetch_add(1, Ordering::Relaxed);
        if self.is_calm() { CommitFate::Works } else { self.plan.commit_fate(nth) }
    }

    /// Handles a process's request to the outside: time passes, others get their turn, and the process may never return from it.
    pub(crate) async fn cross(&self, process: &Process) {
        if self.plan.exact {
            return;
        }
        self.steps.fetch_add(1, Ordering::Relaxed);
        let step = process.steps.fetch_add(1, Ordering::Relaxed);
        self.set_off(process, step);
        let slow = self.plan.slow;
        match self.chance.below(100) {
            n if n < 62 => {}
            n if n < 84 => tokio::task::yield_now().await,
            n if n < 98 || self.is_calm() => {
                tokio::time::sleep(Duration::from_millis(self.chance.between(1, 2 + 6 * slow))).await;
            }
            _ => tokio::time::sleep(Duration::from_millis(self.chance.between(10, 100 + 900 * slow))).await,
        }
        process.gate().await;
    }

    fn set_off(&self, process: &Process, step: u64) {
        let Some(place) = process.place else { return };
        let mut due = lock(&self.due);
        while let Some(at) = due.iter().position(|(at, from, _)| *at == place && *from <= step) {
            let (_, _, fault) = due.remove(at);
            if !self.is_calm() {
                let _ = self.happenings.send(Happening(fault));
                // The fault acts before the process returns from this step.
                self.act_at_once(process, fault);
            }
        }
    }

    /// Kills or pauses a worker right here, if that is the fault. The rest of the fault (the restart, the end of the pause)
    /// follows.
    fn act_at_once(&self, process: &Process, fault: usize) {
        use crate::plan::What;
        match self.plan.faults[fault].what {
            What::Kill { .. } => {
                self.note(&process.name, || "killed".into());
                process.kill();
                self.roll_back_of(process);
            }
            What::Pause { .. } => {
                self.note(&process.name, || "stands still".into());
                process.pause();
            }
            _ => {}
        }
    }
}
