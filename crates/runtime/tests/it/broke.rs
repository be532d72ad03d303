//! No run hangs if understanding panics or takes long, a network is slow, or a worker dies.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use adagent_contract::{EventBody, RunStatus};
use adagent_domain::{Network, RunId};
use adagent_llm::{Checked, Judgment, Question, Routing, Understanding};
use adagent_run_core::{Turn, from_text};
use adagent_runtime::{Advanced, Runtime, RuntimeDeps, cancel};
use adagent_testkit::{fixtures::Must, sqlite_store};
use adagent_tools::ToolInfo;

use crate::{
    counters::Counters,
    network::FakeNetwork,
    world::{Script, World, calls, group, idle, says, told, yes},
};

fn answers() -> Script {
    Arc::new(|_| says("Hello."))
}

/// The parts of the understanding.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Route,
    Retrieve,
    Verify,
}

/// Understands everything in the same way, but one part does something else first.
struct Odd {
    part: Part,
    asked: AtomicUsize,
    first: Box<dyn Fn(usize) + Send + Sync>,
}

impl Odd {
    fn new(part: Part, first: impl Fn(usize) + Send + Sync + 'static) -> Arc<Self> {
        Arc::new(Self { part, asked: AtomicUsize::new(0), first: Box::new(first) })
    }

    fn begin(&self, part: Part) {
        if part == self.part {
            (self.first)(self.asked.fetch_add(1, Ordering::SeqCst));
        }
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

impl Understanding for Odd {
    fn route(&self, _: &Question) -> Routing {
        self.begin(Part::Route);
        Routing::to(vec![Network::AdMob], "mediation")
    }

    fn retrieve(&self, _: &serde_json::Value, tools: &[Arc<ToolInfo>]) -> Vec<String> {
        self.begin(Part::Retrieve);
        tools.iter().map(|tool| tool.name.clone()).collect()
    }

    fn verify(&self, _: &Checked<'_>) -> Judgment {
        self.begin(Part::Verify);
        Judgment::Holds
    }
}

fn with(world: &World, owner: &str, odd: &Arc<Odd>) -> Runtime {
    Runtime::new(RuntimeDeps { understanding: Arc::clone(odd) as _, ..world.deps(owner, None) })
}

async fn statuses(world: &World, run: RunId) -> Vec<String> {
    let label = |event: adagent_contract::RunEvent| match event.body {
        EventBody::Status { label } => Some(label),
        _ => None,
    };
    world.events(run).await.into_iter().filter_map(label).collect()
}

async fn told_at_the_end(world: &World, run: RunId) -> String {
    let error = |event: adagent_contract::RunEvent| match event.body {
        EventBody::Error { content, .. } => Some(content),
        _ => None,
    };
    world.events(run).await.into_iter().find_map(error).expect("an error is told")
}

#[tokio::test]
async fn a_model_that_breaks_once_is_asked_again_and_the_run_goes_on() {
    let store = sqlite_store().await;
    let (counters, asked) = (Counters::default(), AtomicUsize::new(0));
    let _here = metrics::set_default_local_recorder(&counters);
    let script: Script = Arc::new(move |_| {
        assert!(asked.fetch_add(1, Ordering::SeqCst) > 0, "a defect, as the test says");
        says("Hello.")
    });
    let world = World::new(store.store(), script).await;
    let run = world.ask("Hi").await;
    assert_eq!(world.runtime("w").run_until_idle().await.must(), [Advanced::Ended(run)]);
    assert_eq!(world.status(run).await, RunStatus::Completed);
    let label = "Something went wrong on our end while working out what to do. Trying once more.";
    assert!(statuses(&world, run).await.iter().any(|said| said == label));
    assert_eq!(counters.sum("adagent_broken_steps_total"), 1);
    assert_eq!(world.base.store.find_run_unscoped(run).await.must().expect("the run").epoch, 1, "nobody took it over");
}

#[tokio::test]
async fn what_breaks_each_time_ends_the_run_at_the_second_and_is_counted() {
    for part in [Part::Route, Part::Retrieve, Part::Verify] {
        let store = sqlite_store().await;
        let counters = Counters::default();
        let _here = metrics::set_default_local_recorder(&counters);
        let world = World::new(store.store(), Arc::clone(&crate::scenario::all()[0].script)).await;
        let odd = Odd::new(part, |_| panic!("a defect, as the test says"));
        let (run, begun) = (world.ask("What did I earn?").await, Instant::now());
        assert_eq!(with(&world, "w", &odd).run_until_idle().await.must(), [Advanced::Ended(run)]);
        assert_eq!((world.status(run).await, odd.asked()), (RunStatus::Failed, 2));
        assert_eq!(counters.sum("adagent_broken_steps_total"), 2);
        assert!(begun.elapsed() < Duration::from_secs(5));
        let told = told_at_the_end(&world, run).await;
        assert!(told.contains("Something went wrong on our end while"), "{told}");
    }
}

#[tokio::test]
async fn the_first_time_is_remembered_by_who_takes_over() {
    let store = sqlite_store().await;
    let world = World::new(store.store(), answers()).await;
    let run = world.ask("Hi").await;
    let odd = Odd::new(Part::Route, |_| panic!("a defect, as the test says"));
    // Let the worker die between the first and the second try, when it commits the first.
    for cut in 0.. {
        let die = crate::world::DieAt::new(cut);
        let deps =
            RuntimeDeps { understanding: Arc::clone(&odd) as _, ..world.deps("first", Some(Arc::clone(&die) as _)) };
        let ended = Runtime::new(deps).run_until_idle().await.must();
        if ended == [Advanced::Ended(run)] {
            break;
        }
        world.outlive_leases();
        assert!(cut < 20, "it never ended");
    }
    assert_eq!(world.status(run).await, RunStatus::Failed);
    let saved = world.base.store.find_latest_checkpoint(run).await.must().expect("saved");
    assert_eq!(from_text::<Turn>(&saved.state).unwrap().ledger.broke, ["route"], "once for all workers together");
}

#[tokio::test]
async fn a_change_whose_sending_broke_is_looked_for_and_never_sent_twice() {
    let store = sqlite_store().await;
    let script: Script = Arc::new(|request| match told(request) {
        (0, _) => calls(&[("create_group", group("Banner"))]),
        (_, results) if results.last().is_some_and(|r| r.0) => says("Done."),
        _ => says("Not done."),
    });
    let world = World::new(store.store(), script).await;
    let run = world.ask("Create it").await;
    world.runtime("w").run_until_idle().await.must();
    world.network.lock().break_after_writes = 1;
    world.answer(yes(world.pending().await[0].id)).await.unwrap();
    assert!(idle(&world.runtime("w").run_until_idle().await.must()));
    assert_eq!(world.status(run).await, RunStatus::Completed);
    assert_eq!(world.written().len(), 1);
    assert_eq!(world.view(run).await.answer, "Done.");
}

/// Moves the test clock at the speed of real time.
fn let_time_pass(world: &World) -> tokio::task::JoinHandle<()> {
    const STEP: Duration = Duration::from_millis(10);
    let clock = Arc::clone(&world.base.clock);
    tokio::spawn(async move {
        let mut before = Instant::now();
        loop {
            tokio::time::sleep(STEP).await;
            let passed = before.elapsed();
            before += passed;
            clock.advance_millis(i64::try_from(passed.as_millis()).unwrap_or(i64::MAX));
        }
    })
}

async fn until(world: &World, run: RunId, status: RunStatus) {
    let end = Instant::now() + Duration::from_secs(30);
    while world.status(run).await != status {
        assert!(Instant::now() < end, "{status:?} never came");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Makes leases so short that one reading lasts for many of them.
fn in_a_hurry(world: &mut World) {
    world.config.lease = Duration::from_millis(400);
    world.config.heartbeat = Duration::from_millis(100);
    world.config.poll = Duration::from_millis(20);
    world.config.cancel_poll = Duration::from_millis(100);
    world.config.still_after = Duration::from_millis(300);
    world.config.flush_after = Duration::from_millis(15);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reading_that_takes_long_keeps_its_lease_and_says_what_it_does() {
    takes_long(Part::Route, "Still reading your question").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_check_of_an_answer_that_takes_long_keeps_its_lease_and_says_what_it_does() {
    takes_long(Part::Verify, "Still checking the answer").await;
}

async fn takes_long(part: Part, label: &str) {
    let store = sqlite_store().await;
    let mut world = World::new(store.store(), answers()).await;
    in_a_hurry(&mut world);
    let passing = let_time_pass(&world);
    let odd = Odd::new(part, |_| std::thread::sleep(Duration::from_secs(2)));
    let (one, other) = (with(&world, "one", &odd).start(), with(&world, "other", &odd).start());
    let run = world.ask("Hi").await;
    until(&world, run, RunStatus::Completed).await;
    assert_eq!(odd.asked(), 1, "done once");
    assert_eq!(world.base.store.find_run_unscoped(run).await.must().expect("the run").epoch, 1, "nobody took it over");
    let said = statuses(&world, run).await;
    assert!(said.iter().any(|said| said.starts_with(label)), "{said:?}");
    one.drain().await;
    other.drain().await;
    passing.abort();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_acts_at_once_while_something_is_read_or_a_network_is_slow() {
    let store = sqlite_store().await;
    let mut world = World::new(store.store(), Arc::clone(&crate::scenario::all()[0].script)).await;
    world.network = Arc::new(FakeNetwork::slow(Duration::from_secs(20)));
    let began = Arc::new(tokio::sync::Notify::new());
    let reading = Arc::clone(&began);
    let first = move |asked| {
        if asked == 0 {
            reading.notify_one();
            std::thread::sleep(Duration::from_secs(8));
        }
    };
    let handle = with(&world, "w", &Odd::new(Part::Route, first)).start();
    let run = world.ask("What did I earn?").await;
    began.notified().await;
    let stopped = Instant::now();
    assert!(cancel(&world.deps("web", None), &world.actor(), run).await.unwrap());
    until(&world, run, RunStatus::Cancelled).await;
    assert!(stopped.elapsed() < Duration::from_secs(1), "{:?} while it reads", stopped.elapsed());

    let run = world.ask("What did I earn?").await;
    let asks = async {
        while world.network.most_at_once.load(Ordering::SeqCst) == 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), asks).await.expect("the network is asked");
    let stopped = Instant::now();
    assert!(cancel(&world.deps("web", None), &world.actor(), run).await.unwrap());
    until(&world, run, RunStatus::Cancelled).await;
    assert!(stopped.elapsed() < Duration::from_secs(1), "{:?} while a network is slow", stopped.elapsed());
    handle.drain().await;
}

#[tokio::test]
async fn a_network_that_takes_long_is_named() {
    let store = sqlite_store().await;
    let mut world = World::new(store.store(), Arc::clone(&crate::scenario::all()[0].script)).await;
    in_a_hurry(&mut world);
    world.network = Arc::new(FakeNetwork::slow(Duration::from_secs(1)));
    let run = world.ask("What did I earn?").await;
    assert!(idle(&world.runtime("w").run_until_idle().await.must()));
    let said = statuses(&world, run).await;
    assert!(said.iter().any(|label| label.starts_with("Still waiting for AdMob: report (")), "{said:?}");
}

/// The answer leaves out what comes too late, and the wait for it does not end the run.
#[tokio::test]
async fn an_answer_does_not_wait_for_a_network_until_its_run_is_over() {
    let store = sqlite_store().await;
    let script: Script = Arc::new(|request| match told(request) {
        (0, _) => calls(&[("report", serde_json::json!({}))]),
        (_, results) => says(results.last().map_or("", |(_, last)| last["error"]["code"].as_str().unwrap_or("came"))),
    });
    let mut world = World::new(store.store(), script).await;
    in_a_hurry(&mut world);
    // This leaves a fifth of a second for reads. The rest is for the answer.
    world.config.limits.deadline_ms = 20_200;
    world.network = Arc::new(FakeNetwork::slow(Duration::from_secs(10)));
    let begun = Instant::now();
    let run = world.ask("What did I earn?").await;
    assert!(idle(&world.runtime("w").run_until_idle().await.must()));
    assert!(begun.elapsed() < Duration::from_secs(5));
    assert_eq!((world.status(run).await, world.view(run).await.answer.as_str()), (RunStatus::Completed, "OUT_OF_TIME"));
}

/// A run with many reads takes long to load. Its worker is alive, so no other worker takes the run over.
#[tokio::test]
async fn a_claim_that_loads_for_long_keeps_its_lease() {
    let store = sqlite_store().await;
    let mut world = World::new(store.store(), answers()).await;
    in_a_hurry(&mut world);
    world.network.lock().states_take = Some(Duration::from_secs(1));
    let run = world.ask("Hi").await;
    let (slow, other) = (world.runtime("slow"), world.runtime("other"));
    let others = async {
        for _ in 0..8 {
            tokio::time::sleep(Duration::from_millis(100)).await;
            world.base.clock.advance_millis(100);
            assert_eq!(other.run_once().await.must(), None);
        }
    };
    let (ended, ()) = tokio::join!(slow.run_once(), others);
    assert_eq!(ended.must(), Some(Advanced::Ended(run)));
    assert_eq!(world.status(run).await, RunStatus::Completed);
}

/// A worker dies in the middle of a reading, and other workers are ready.
#[tokio::test]
async fn takeovers_do_not_prolong_a_run() {
    let store = sqlite_store().await;
    let world = World::new(store.store(), answers()).await;
    let run = world.ask("Hi").await;
    // All workers exist from the beginning.
    let healthy: Vec<_> = (0..20).map(|n| world.runtime(&format!("worker {n}"))).collect();
    let die = crate::world::DieAt::new(4);
    let first = Runtime::new(world.deps("first", Some(die as _)));
    assert_eq!(first.run_once().await.must(), Some(Advanced::LetGo(run)));
    // The lease ran out unnoticed for almost as long as a run may work. This counts as if the first worker had worked all that time.
    world.base.clock.advance_millis(299_000);
    let deadline = async || {
        let saved = world.base.store.find_latest_checkpoint(run).await.must().expect("saved");
        from_text::<Turn>(&saved.state).unwrap().ledger.deadline
    };
    let before = deadline().await;
    world.base.clock.advance_millis(2_000);
    assert_eq!(healthy[0].run_once().await.must(), Some(Advanced::Ended(run)));
    assert_eq!(world.status(run).await, RunStatus::Stopped, "five minutes are over, whoever worked");
    assert_eq!(deadline().await, before);
    assert!(told_at_the_end(&world, run).await.contains("too long for one run"));
}

#[tokio::test]
async fn a_run_that_takes_its_workers_down_ends_after_a_few() {
    let store = sqlite_store().await;
    let world = World::new(store.store(), answers()).await;
    let run = world.ask("Hi").await;
    let healthy = world.runtime("there all the time");
    for claims in 1..=6 {
        let killed = Runtime::new(world.deps(&format!("killed {claims}"), Some(crate::world::DieAt::new(0) as _)));
        assert_eq!(killed.run_once().await.must(), Some(Advanced::LetGo(run)), "claim {claims}");
        world.base.clock.advance_millis(10_000);
    }
    assert_eq!(healthy.run_once().await.must(), Some(Advanced::Ended(run)));
    assert_eq!(world.status(run).await, RunStatus::Failed);
}
