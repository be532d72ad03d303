//! Plays a plan: starts workers and people, lets the faults happen, then waits until every run has ended and checks the result.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use adagent_contract::{EventBody, RunEvent, fold};
use adagent_domain::{Ids, SequentialIds};
use adagent_run_core::{Limits, Turn, from_text};
use adagent_runtime::{Runtime, RuntimeConfig, RuntimeDeps, RuntimeHandle};
use adagent_store::CallStatus;
use tokio::sync::mpsc::UnboundedReceiver;

use crate::{
    model::{Asked, Plain, SimModel},
    network::{PATIENCE_MS, SimGateway},
    panics,
    people::{People, move_in},
    plan::{Plan, What, When},
    process::Process,
    sim::{Happening, Sim, lock},
    store::{Filed, SimStore, short},
};

/// The longest time that anything may take once the faults are over.
const BOUND_MS: u64 = 40 * 60_000;

/// The result of one simulation.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// The rules that were violated.
    pub violations: Vec<String>,
    pub trace: Vec<String>,
    /// A hash of everything in the database at the end. Two plays of the same plan give the same hash.
    pub fingerprint: u64,
    pub steps: u64,
    pub runs: usize,
    /// How many writes left a process.
    pub sent: usize,
}

struct Worker {
    process: Arc<Process>,
    handle: RuntimeHandle,
    generation: usize,
}

struct World {
    sim: Arc<Sim>,
    ids: Arc<SequentialIds>,
    asked: Arc<Asked>,
    workers: Mutex<Vec<Worker>>,
}

/// Plays a plan from beginning to end.
pub fn play(plan: Plan, traced: bool) -> Outcome {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime without I/O needs nothing of the machine");
    let (mut outcome, panics) = panics::caught(|| {
        let outcome = runtime.block_on(live(plan, traced));
        drop(runtime);
        outcome
    });
    outcome.violations.extend(panics);
    outcome
}

async fn live(plan: Plan, traced: bool) -> Outcome {
    let (sim, happened) = Sim::new(plan, traced);
    let ids = Arc::new(SequentialIds::default());
    let (actor, chats) = move_in(&sim, &*ids);
    let world = Arc::new(World { sim: Arc::clone(&sim), ids, asked: Arc::default(), workers: Mutex::default() });
    for place in 0..sim.plan.workers {
        let worker = world.start(place, 0, 0);
        lock(&world.workers).push(worker);
    }
    let web = Process::new("web".into(), None, sim.started, 0);
    let people =
        Arc::new(People { sim: Arc::clone(&sim), deps: world.deps(&web), actor, chats, runs: Mutex::default() });
    let asking: Vec<_> = (0..)
        .zip(&sim.plan.questions)
        .map(|(number, question)| tokio::spawn(Arc::clone(&people).ask(number, *question)))
        .collect();
    let acting: Vec<_> =
        sim.plan.deeds.iter().map(|(at, deed)| tokio::spawn(Arc::clone(&people).act(*at, *deed))).collect();
    tokio::spawn(Arc::clone(&people).watch());
    tokio::spawn(Arc::clone(&world).follow(happened));
    for (at, fault) in sim.plan.faults.iter().enumerate() {
        if let When::At(ms) = fault.when {
            let world = Arc::clone(&world);
            tokio::spawn(async move {
                tokio::time::sleep(Duration::from_millis(ms)).await;
                if !world.sim.is_calm() {
                    world.strike(at).await;
                }
            });
        }
    }
    let calm = sim.plan.calm_at_ms;
    tokio::time::sleep(Duration::from_millis(calm)).await;
    world.calm_down();
    loop {
        tokio::time::sleep(Duration::from_millis(500)).await;
        let over = asking.iter().chain(&acting).all(tokio::task::JoinHandle::is_finished)
            && lock(&sim.db).runs.values().all(|filed| filed.row.run.status.is_final());
        if over || sim.has_violations() {
            break;
        }
        if sim.elapsed_ms() > calm + BOUND_MS {
            let db = lock(&sim.db);
            let open = db.runs.values().filter(|filed| !filed.row.run.status.is_final());
            let open: Vec<_> = open.map(describe).collect();
            drop(db);
            sim.violate(format!("not everything came to an end: {}", open.join("; ")));
            break;
        }
    }
    if !sim.has_violations() {
        // Wait until requests that were still on their way have arrived.
        tokio::time::sleep(Duration::from_mins(1)).await;
        world.look_back();
    }
    Outcome {
        fingerprint: world.fingerprint(),
        steps: sim.steps(),
        runs: lock(&sim.db).runs.len(),
        sent: lock(&sim.books).sent.len(),
        violations: sim.take_violations(),
        trace: sim.take_trace(),
    }
}

fn describe(filed: &Arc<Filed>) -> String {
    let (row, run) = (&filed.row, &filed.row.run);
    let node = filed.checkpoints.last().map_or("nowhere", |saved| saved.node.as_str());
    format!(
        "run {} is {} at {node}, epoch {}, held by {:?}, claimable {:?}",
        short(run.id.0),
        run.status.as_str(),
        run.epoch,
        row.owner,
        row.claim_at.map(|at| at.to_string())
    )
}

impl World {
    fn deps(&self, process: &Arc<Process>) -> RuntimeDeps {
        let plan = &self.sim.plan;
        let usual = RuntimeConfig::default();
        let margin = i64::try_from(usual.lease.as_millis()).unwrap_or(i64::MAX);
        let settle_ms = i64::try_from(PATIENCE_MS).unwrap_or(i64::MAX).saturating_add(margin);
        let limits = Limits { approval_ms: 60_000, settle_ms, ..Limits::default() };
        let config = RuntimeConfig {
            owner: process.name.clone(),
            parallel: plan.parallel,
            poll: Duration::from_secs(3),
            flush_after: if plan.together { Duration::from_millis(15) } else { Duration::ZERO },
            keep_checkpoints: plan.keep,
            limits,
            ..usual
        };
        let networks = Arc::new(SimGateway { sim: Arc::clone(&self.sim), process: Arc::clone(process) });
        RuntimeDeps {
            store: Arc::new(SimStore::new(Arc::clone(&self.sim), Arc::clone(process))),
            tools: Arc::clone(&networks) as _,
            gateway: networks,
            models: Arc::new(SimModel {
                sim: Arc::clone(&self.sim),
                process: Arc::clone(process),
                asked: Arc::clone(&self.asked),
            }),
            understanding: Arc::new(Plain),
            clock: Arc::clone(process) as _,
            ids: Arc::clone(&self.ids) as Arc<dyn Ids>,
            config: Arc::new(config),
            flows: None,
            cuts: None,
        }
    }

    fn start(&self, place: usize, generation: usize, skew: i64) -> Worker {
        let name = format!("w{place}.{generation}");
        self.sim.note(&name, || "starts".into());
        let process = Process::new(name, Some(place), self.sim.started, skew);
        let handle = Runtime::new(self.deps(&process)).start();
        Worker { process, handle, generation }
    }

    /// Starts a new process in place of one that is gone.
    fn replace(&self, place: usize) {
        let mut workers = lock(&self.workers);
        let old = &workers[place];
        if !old.process.is_dead() {
            return;
        }
        let (generation, skew) = (old.generation + 1, old.process.skew());
        workers[place] = self.start(place, generation, skew);
    }

    fn process(&self, place: usize) -> Arc<Process> {
        Arc::clone(&lock(&self.workers)[place].process)
    }

    async fn follow(self: Arc<Self>, mut happened: UnboundedReceiver<Happening>) {
        while let Some(Happening(at)) = happened.recv().await {
            let world = Arc::clone(&self);
            tokio::spawn(async move { world.strike(at).await });
        }
    }

    fn kill(&self, process: &Process) {
        if !process.is_dead() {
            self.sim.note(&process.name, || "killed".into());
            process.kill();
        }
        self.sim.roll_back_of(process);
    }

    /// Carries out a fault.
    async fn strike(self: &Arc<Self>, at: usize) {
        let later = |ms| tokio::time::sleep(Duration::from_millis(ms));
        let sim = &self.sim;
        let what = sim.plan.faults[at].what;
        sim.note("fault", || format!("{what:?}"));
        match what {
            What::Kill { place, back_after_ms } => {
                self.kill(&self.process(place));
                later(back_after_ms).await;
                self.replace(place);
            }
            What::Pause { place, for_ms } => {
                let process = self.process(place);
                process.pause();
                later(for_ms).await;
                sim.note(&process.name, || "goes on".into());
                process.resume();
            }
            What::Drain { place, back_after_ms } => {
                let process = self.process(place);
                let drained = lock(&self.workers)[place].handle.draining();
                drained.await;
                sim.note(&process.name, || "is drained".into());
                self.kill(&process);
                later(back_after_ms).await;
                self.replace(place);
            }
            What::ClockStep { place, by_ms } => self.process(place).step_clock(by_ms),
            What::StoreDown { for_ms } => sim.store_down_for(for_ms),
            What::WakesLost { for_ms } => sim.wakes_lost_for(for_ms),
            What::PowerCut { workers_too, back_after_ms } => {
                // If the database is embedded, it stops together with its process.
                let all = workers_too || sim.plan.one_writer;
                if all {
                    let processes: Vec<_> = lock(&self.workers).iter().map(|one| Arc::clone(&one.process)).collect();
                    for process in &processes {
                        self.kill(process);
                    }
                }
                sim.cut_power();
                sim.store_down_for(back_after_ms);
                later(back_after_ms).await;
                if all {
                    (0..sim.plan.workers).for_each(|place| self.replace(place));
                }
            }
        }
    }

    /// Ends the faults: starts dead workers again, and lets paused ones continue.
    fn calm_down(&self) {
        self.sim.note("world", || "no more faults".into());
        self.sim.calm_down();
        for place in 0..self.sim.plan.workers {
            self.process(place).resume();
            self.replace(place);
        }
    }

    /// Checks what must be true once every run has ended.
    fn look_back(&self) {
        let db = lock(&self.sim.db);
        let books = lock(&self.sim.books);
        for (id, filed) in &db.runs {
            let say = |what: String| self.sim.violate(format!("run {}: {what}", short(id.0)));
            let events: Vec<RunEvent> = filed.events.iter().map(|event| (**event).clone()).collect();
            let done = events.iter().filter(|event| matches!(event.body, EventBody::Done { .. })).count();
            if done != 1 {
                say(format!("{done} ends"));
            }
            let view = fold(*id, &events);
            if view.status != filed.row.run.status {
                say(format!("people see {:?}, its row says {:?}", view.status, filed.row.run.status));
            }
            if let Some(saved) = filed.checkpoints.last()
                && let Err(error) = from_text::<Turn>(&saved.state)
            {
                say(format!("its last state cannot be read: {error}"));
            }
            for call in filed.calls.iter().filter(|call| !call.read_only) {
                let (there, name) = (books.took_effect(call.id), short(call.id.0));
                match call.status {
                    CallStatus::Succeeded if !there && books.sends_of(call.id) > 0 => {
                        say(format!("call {name} is said to have worked, and did not"));
                    }
                    CallStatus::Failed | CallStatus::Denied if there && self.sim.plan.clocks_agree() => {
                        say(format!("call {name} is said to be {}, and took effect", call.status.as_str()));
                    }
                    _ => {}
                }
            }
        }
    }

    fn fingerprint(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash as _, Hasher as _};
        let mut hasher = DefaultHasher::new();
        for filed in lock(&self.sim.db).runs.values() {
            for event in &filed.events {
                let body = serde_json::to_string(&event.body).unwrap_or_default();
                (event.seq, event.at, body).hash(&mut hasher);
            }
            for saved in &filed.checkpoints {
                // Hash what was saved and when, but not its format: two formats of a state may mean the same.
                (saved.step, saved.seq, &saved.node).hash(&mut hasher);
            }
            filed.row.run.epoch.hash(&mut hasher);
        }
        self.sim.steps().hash(&mut hasher);
        hasher.finish()
    }
}
