//! A made-up second kind of run under the same driver: it counts in several jobs at the same time, waits for a time, begins a child, and
//! makes a change that a person approves. The test cuts it at every commit, and the end must be the same.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use adagent_contract::{EventBody, RunStatus};
use adagent_domain::{DefinitionId, RunId, Timestamp, ToolCallId};
use adagent_run_core::{
    Child, ChildWork, Effect, Input, Ledger, Limits, Machine, Outstanding, Proposed, Step, StepError, Work,
};
use adagent_runtime::{Claim, DriveError, Heard, Kind, Performer, Runtime, RuntimeDeps, Scene};
use adagent_store::{NewRun, Principal, Run, RunClass, Store, Subject};
use adagent_testkit::{
    fixtures::{Must, World as Base},
    postgres_store, sqlite_store,
};
use async_trait::async_trait;
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::world::{DieAt, World, calls, group, yes};

const HOUR: i64 = 3_600_000;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Errand {
    ledger: Ledger,
    counted: Vec<u32>,
    until: Option<Timestamp>,
    child: Option<RunId>,
    heard: Option<String>,
    /// Whether the run begins no other run and makes no change.
    is_leaf: bool,
}

impl Machine for Errand {
    type Input = u32;
    type Job = u32;

    const KIND: &'static str = "errand";
    const VERSION: u32 = 1;

    fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    fn ledger_mut(&mut self) -> &mut Ledger {
        &mut self.ledger
    }

    fn place(&self) -> &'static str {
        match (self.counted.len(), &self.child, &self.heard) {
            (0..3, ..) => "count",
            (_, None, _) => "wait",
            (.., None) => "child",
            _ => "change",
        }
    }

    fn outstanding(&self) -> Outstanding<u32> {
        let left: Vec<_> = (1..=3).filter(|n| !self.counted.contains(n)).map(Work::Own).collect();
        match (&self.child, &self.heard) {
            _ if self.ledger.outcome.is_some() => Outstanding::default(),
            _ if !left.is_empty() => Outstanding { now: left, ..Outstanding::default() },
            (None, _) => Outstanding { until: self.until, ..Outstanding::default() },
            (Some(child), None) => Outstanding { children: vec![*child], ..Outstanding::default() },
            _ => self.ledger.outstanding(),
        }
    }

    fn take(&mut self, input: Input<u32>, step: &mut Step<'_>) -> Result<(), StepError> {
        match input {
            Input::Own(n) => {
                self.counted.push(n);
                if self.counted.len() == 3 && self.is_leaf {
                    self.ledger.finish(step, RunStatus::Completed, Some("leaf".into()));
                } else if self.counted.len() == 3 {
                    self.until = Some(step.now.plus_millis(HOUR));
                }
            }
            Input::Due if self.child.is_some() => self.ledger.due(step.now),
            Input::Due => {
                let run = RunId::new(step.ids);
                self.child = Some(run);
                let (definition, hash) = (DefinitionId::new(step.ids), "leaf".into());
                let does = ChildWork::Flow { definition, hash, inputs: json!({"leaf": true}) };
                let child = Child { run, path: "ask".into(), does };
                step.effects.push(Effect::Begin(Box::new(child)));
            }
            Input::ChildEnded(end) => {
                self.heard = end.answer;
                let (name, args) = ("create_group".to_owned(), group("Errand"));
                let digest = format!("{name}:{args}");
                let tool = Some((adagent_domain::Network::AdMob.into(), false));
                let proposed = Proposed { id: ToolCallId::new(step.ids), name, args, tool, digest };
                self.ledger.propose(step, proposed, None);
            }
            Input::Call(input) => {
                self.ledger.take(input, step)?;
                if self.ledger.is_settled(step) {
                    self.ledger.finish(step, RunStatus::Completed, self.heard.clone());
                }
            }
            Input::Resumed { idle_ms } => self.ledger.resumed(step, idle_ms),
            Input::CancelRequested | Input::DeadlineReached if !self.ledger.is_sending() => {
                self.ledger.close(step, "Stopped.")?;
                self.ledger.finish(step, RunStatus::Cancelled, None);
            }
            _ => {}
        }
        Ok(())
    }

    fn is_worth_saving(_: &Input<u32>) -> bool {
        true
    }

    fn name_of(_: &u32) -> &'static str {
        "count"
    }
}

/// How many jobs count at this moment. `MOST` is the highest number so far.
static COUNTING: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

#[derive(Clone)]
struct Counter;

#[async_trait]
impl Performer for Counter {
    type Machine = Errand;
    type Outcome = u32;

    fn begin(run: &Run, limits: Limits, now: Timestamp) -> Result<Errand, DriveError> {
        let is_leaf = matches!(&run.subject, Subject::Flow { hash, .. } if hash == "leaf");
        let ledger = Ledger::new(format!("/runs/{}", run.id), limits, now);
        Ok(Errand { ledger, counted: Vec::new(), until: None, child: None, heard: None, is_leaf })
    }

    async fn load(_: &RuntimeDeps, _: &Claim) -> Result<Self, DriveError> {
        Ok(Self)
    }

    fn perform(&self, _: Scene<Errand>, n: u32) -> BoxFuture<'static, u32> {
        Box::pin(async move {
            let now = COUNTING.fetch_add(1, Ordering::SeqCst) + 1;
            MOST.fetch_max(now, Ordering::SeqCst);
            tokio::time::sleep(Duration::from_millis(5 * u64::from(n))).await;
            COUNTING.fetch_sub(1, Ordering::SeqCst);
            n
        })
    }

    fn conclude(&mut self, _: &Scene<Errand>, n: u32, _: Heard<'_>) -> Input<u32> {
        Input::Own(n)
    }

    fn waits_for(&self, _: &Scene<Errand>, n: &u32) -> String {
        format!("counting to {n}")
    }
}

async fn begin(world: &World) -> RunId {
    let (base, ids) = (&world.base, &*world.base.ids);
    let run = RunId::new(ids);
    let new = NewRun {
        id: run,
        workspace: world.person.personal_workspace,
        principal: Principal::person(world.person.id),
        subject: Subject::Flow { definition: DefinitionId::new(ids), hash: "errand".into(), inputs: json!({}) },
        class: RunClass::Background,
        lane: run.into(),
        parent: None,
        model: "none".into(),
        created_at: base.now(),
        context: None,
        ready_at: base.now(),
    };
    let mut work = base.begin().await;
    work.insert_run(&new).await.must();
    work.commit().await.must();
    run
}

fn runtime(world: &World, owner: &str, cuts: Option<Arc<DieAt>>) -> Runtime {
    let cuts = cuts.map(|cuts| cuts as Arc<dyn adagent_runtime::Cuts>);
    Runtime::new(RuntimeDeps { flows: Some(Kind::<Counter>::new()), ..world.deps(owner, cuts) })
}

/// Plays it to its end: the first worker dies at the cut, others take over, time passes, and a person approves.
async fn play(world: &World, cuts: Option<Arc<DieAt>>) -> RunId {
    let run = begin(world).await;
    let mut worker = runtime(world, "first", cuts);
    for round in 0..60 {
        let advanced = worker.run_until_idle().await.must();
        if advanced.iter().any(|one| matches!(one, adagent_runtime::Advanced::LetGo(_))) {
            world.outlive_leases();
            // This worker begins only now, so that the time before it does not count as work.
            worker = runtime(world, &format!("worker {round}"), None);
            continue;
        }
        if world.status(run).await.is_final() {
            return run;
        }
        let waiting: Vec<_> = world.pending().await.into_iter().filter(|view| view.run_id == run).collect();
        if let Some(view) = waiting.first() {
            world.answer(yes(view.id)).await.expect("it is waiting");
        } else {
            // The run waits for its time, or the killed worker's transaction still holds its row.
            world.base.clock.advance_millis(HOUR);
            worker = runtime(world, &format!("late worker {round}"), None);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
    panic!("it never ended: {:?}", crate::world::kinds(&world.events(run).await));
}

async fn check_end(world: &World, run: RunId, what: &str) {
    assert_eq!(world.status(run).await, RunStatus::Completed, "{what}");
    assert_eq!(world.written(), [group("Errand")], "{what}: the change went out once");
    let row = world.base.store.find_run_unscoped(run).await.must().expect("the run");
    assert_eq!(row.answer.as_deref(), Some("leaf"), "{what}: it heard its child");
    let events = world.events(run).await;
    let ended = events.iter().filter(|event| matches!(event.body, EventBody::Done { .. })).count();
    assert_eq!(ended, 1, "{what}");
}

async fn cut_everywhere(store: Arc<dyn Store>) -> usize {
    let base = Base::new(store);
    let person = base.person("ann").await;
    let script = || Arc::new(|_: &adagent_llm::ModelRequest| calls(&[])) as crate::world::Script;
    let world = World::of(base.clone(), person.clone(), script()).await;
    let run = play(&world, None).await;
    check_end(&world, run, "whole").await;
    assert!(MOST.load(Ordering::SeqCst) >= 2, "it counts side by side");
    for at in 0.. {
        let world = World::of(base.clone(), person.clone(), script()).await;
        let die = DieAt::new(at);
        let run = play(&world, Some(Arc::clone(&die))).await;
        if !die.died() {
            assert!(at > 6, "there were hardly any commits to cut");
            return at;
        }
        check_end(&world, run, &format!("cut at {at}")).await;
    }
    unreachable!("a play has an end")
}

#[tokio::test]
async fn a_second_kind_of_run_survives_a_cut_at_every_commit_on_sqlite() {
    let store = sqlite_store().await;
    let cuts = cut_everywhere(store.store()).await;
    println!("{cuts} cuts");
}

#[tokio::test]
async fn a_second_kind_of_run_survives_a_cut_at_every_commit_on_postgres() {
    let store = postgres_store().await;
    cut_everywhere(store.store()).await;
}

/// A process that has no machine for a run does not fail it, and no later run waits for it.
#[tokio::test]
async fn a_kind_of_run_that_a_process_does_not_know_is_left_alone() {
    let store = sqlite_store().await;
    let script = Arc::new(|_: &adagent_llm::ModelRequest| crate::world::says("Done.")) as crate::world::Script;
    let world = World::new(store.store(), script).await;
    let run = begin(&world).await;
    let asked = world.ask("Hello").await;
    world.runtime("knows turns only").run_until_idle().await.must();
    assert!(!world.status(run).await.is_final(), "left alone");
    assert!(world.status(asked).await.is_final(), "what came behind it is answered");
    runtime(&world, "knows both", None).run_until_idle().await.must();
    world.base.clock.advance_millis(120_000);
    runtime(&world, "knows both", None).run_until_idle().await.must();
    assert!(!world.events(run).await.is_empty(), "and goes on where it is known");
}
