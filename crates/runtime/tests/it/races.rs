//! Workers in each other's way: lost leases, drains, restarts and cancels in the middle.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use adagent_contract::{EventBody, RunStatus};
use adagent_llm::ModelMessage;
use adagent_runtime::{Advanced, CutPoint, Cuts, Runtime, cancel};
use adagent_store::{Checkpoint, RunUpdate, StoreError};
use adagent_testkit::{fixtures::Must, sqlite_store};
use serde_json::json;

use crate::{
    network::FakeNetwork,
    scenario::all,
    world::{Script, Scripted, World, calls, group, says, told, yes},
};

async fn until(what: &str, mut met: impl AsyncFnMut() -> bool) {
    for _ in 0..400 {
        if met().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("never: {what}");
}

#[tokio::test]
async fn a_stale_workers_write_fails_and_changes_nothing() {
    let store = sqlite_store().await;
    let world = World::new(store.store(), all().remove(0).script).await;
    let run = world.ask("What?").await;
    let old = world.base.claim("old").await.expect("claimed");
    world.base.clock.advance_millis(61_000);
    world.runtime("new").run_until_idle().await.must();
    let before = world.events(run).await;
    let mut work = world.base.begin().await;
    let event = EventBody::Status { label: "late".into() };
    let refused = work.append_events(&old.lease, world.base.now(), &[event]).await;
    assert!(matches!(refused, Err(StoreError::StaleEpoch { .. })));
    drop(work);
    assert_eq!(world.events(run).await, before);
}

#[tokio::test]
async fn a_worker_that_loses_its_lease_half_way_lets_go() {
    let store = sqlite_store().await;
    let mut world = World::new(store.store(), all().remove(0).script).await;
    world.network = Arc::new(FakeNetwork::slow(Duration::from_millis(150)));
    let run = world.ask("What?").await;
    let slow = world.runtime("slow");
    let first = tokio::spawn(async move { slow.run_once().await });
    until("the read is out", async || world.events(run).await.iter().any(|e| e.body.kind() == "tool_executing")).await;
    world.outlive_leases();
    world.runtime("second").run_until_idle().await.must();
    let let_go = first.await.unwrap().must();
    assert_eq!(let_go, Some(Advanced::LetGo(run)));
    assert_eq!(world.view(run).await.answer, "You earned 7.");
}

#[tokio::test]
async fn workers_serve_many_runs_and_drain_without_losing_one() {
    let store = sqlite_store().await;
    let mut world = World::new(store.store(), all().remove(0).script).await;
    world.config.flush_after = Duration::from_millis(15);
    let handle = world.runtime("first").start();
    let mut runs = Vec::new();
    for _ in 0..20 {
        runs.push(world.ask("What?").await);
    }
    tokio::time::sleep(Duration::from_millis(20)).await;
    handle.drain().await;
    let second = world.runtime("second").start();
    until("all are answered", async || {
        for run in &runs {
            if !world.status(*run).await.is_final() {
                return false;
            }
        }
        true
    })
    .await;
    second.drain().await;
    for run in runs {
        assert_eq!(world.view(run).await.answer, "You earned 7.");
    }
}

/// Saves this as the run's next state, through a worker that gives the run back.
async fn save_as(world: &World, run: adagent_domain::RunId, state: &serde_json::Value) {
    let claimed = world.base.claim("server").await.expect("given back");
    let last = world.base.store.find_latest_checkpoint(run).await.must().expect("saved");
    // Keep the old time, so that the time without a worker does not count as work.
    let saved = Checkpoint {
        state: state.to_string(),
        created_at: last.created_at,
        ..world.base.checkpoint(run, last.step + 1)
    };
    let mut work = world.base.begin().await;
    work.insert_checkpoint(&claimed.lease, &saved).await.must();
    let back = RunUpdate { release: true, next_ready: Some(world.base.now()), ..RunUpdate::default() };
    work.update_run(&claimed.lease, &back).await.must();
    work.commit().await.must();
}

#[tokio::test]
async fn a_run_left_to_a_newer_program_for_hours_is_not_held_against_it() {
    let store = sqlite_store().await;
    let mut world = World::new(store.store(), all().remove(0).script).await;
    world.network = Arc::new(FakeNetwork::slow(Duration::from_secs(30)));
    let run = world.ask("What?").await;
    let handle = world.runtime("first").start();
    until("the read is out", async || world.events(run).await.iter().any(|e| e.body.kind() == "tool_executing")).await;
    handle.drain().await;
    let saved = world.base.store.find_latest_checkpoint(run).await.must().expect("saved");
    let known: serde_json::Value = serde_json::from_str(&saved.state).unwrap();
    let mut newer = known.clone();
    newer["v"] = json!(99);
    save_as(&world, run, &newer).await;
    let old = world.runtime("old");
    for minute in 0..150 {
        assert_eq!(old.run_once().await.must(), Some(Advanced::LetGo(run)), "minute {minute}");
        assert_eq!(old.run_once().await.must(), None, "it waits for another program");
        world.base.clock.advance_millis(60_000);
    }
    save_as(&world, run, &known).await;
    world.network = Arc::default();
    world.runtime("newer").run_until_idle().await.must();
    assert_eq!(world.view(run).await.answer, "You earned 7.");
}

#[tokio::test]
async fn a_run_that_takes_every_worker_down_is_ended_in_the_open() {
    let store = sqlite_store().await;
    let world = World::new(store.store(), all().remove(0).script).await;
    let run = world.ask("What?").await;
    // Workers claim the run and disappear, until the last claim that is allowed.
    for _ in 0..=100 {
        assert_eq!(world.base.claim("dies").await.expect("its lease is over").run.id, run);
        assert!(!world.status(run).await.is_final());
        world.base.clock.advance_millis(61_000);
    }
    assert_eq!(world.runtime("w").run_once().await.must(), Some(Advanced::Ended(run)));
    assert_eq!(world.status(run).await, RunStatus::Failed);
}

#[tokio::test]
async fn a_drain_in_the_middle_of_a_read_hands_the_run_back_at_once() {
    let store = sqlite_store().await;
    let mut world = World::new(store.store(), all().remove(0).script).await;
    world.network = Arc::new(FakeNetwork::slow(Duration::from_secs(30)));
    let run = world.ask("What?").await;
    let handle = world.runtime("first").start();
    until("the read is out", async || world.events(run).await.iter().any(|e| e.body.kind() == "tool_executing")).await;
    tokio::time::timeout(Duration::from_secs(5), handle.drain()).await.expect("does not wait for the network");
    world.network = Arc::default();
    // This works without waiting for a lease to run out.
    world.runtime("second").run_until_idle().await.must();
    assert_eq!(world.view(run).await.answer, "You earned 7.");
}

#[tokio::test]
async fn a_cancel_in_the_middle_of_a_read_ends_the_run_soon() {
    let store = sqlite_store().await;
    let mut world = World::new(store.store(), all().remove(0).script).await;
    world.network = Arc::new(FakeNetwork::slow(Duration::from_secs(30)));
    world.config.cancel_poll = Duration::from_millis(20);
    let run = world.ask("What?").await;
    let handle = world.runtime("w").start();
    until("the read is out", async || world.events(run).await.iter().any(|e| e.body.kind() == "tool_executing")).await;
    assert!(cancel(&world.deps("web", None), &world.actor(), run).await.unwrap());
    until("it is over", async || world.status(run).await == RunStatus::Cancelled).await;
    handle.drain().await;
    assert!(!cancel(&world.deps("web", None), &world.actor(), run).await.unwrap());
    world.events(run).await;
}

#[tokio::test]
async fn a_restart_while_an_approval_waits_loses_nothing() {
    let store = sqlite_store().await;
    let script: Script = Arc::new(|request| match told(request) {
        (0, _) => calls(&[("report", json!({"n": 1})), ("create_group", group("Banner"))]),
        (_, results) => {
            assert_eq!(results[0].1["rows"][0]["revenue"], 7);
            says("Done.")
        }
    });
    let world = World::new(store.store(), script).await;
    let run = world.ask("Create it").await;
    let first = world.runtime("first").start();
    until("it waits", async || world.status(run).await == RunStatus::AwaitingApproval).await;
    first.drain().await;
    let (asked, reads) = (world.events(run).await, world.network.lock().reads.len());
    world.base.clock.advance_millis(3_600_000);
    let second: Runtime = world.runtime("second");
    let handle = second.start();
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(world.events(run).await, asked, "waiting costs nothing");
    world.answer(yes(world.pending().await[0].id)).await.unwrap();
    until("it is over", async || world.status(run).await.is_final()).await;
    handle.drain().await;
    assert_eq!(world.view(run).await.answer, "Done.");
    assert_eq!(world.network.lock().reads.len(), reads, "nothing before the pause ran again");
    assert_eq!(world.written().len(), 1);
}

#[tokio::test]
async fn an_answer_that_comes_while_another_write_is_sent_is_not_lost() {
    let store = sqlite_store().await;
    let scenario = all().into_iter().find(|s| s.name.starts_with("two writes")).unwrap();
    let mut world = World::new(store.store(), scenario.script).await;
    world.network = Arc::new(FakeNetwork::slow(Duration::from_millis(80)));
    let run = world.ask("Both").await;
    let handle = world.runtime("w").start();
    until("both are asked", async || world.pending().await.len() == 2).await;
    let pending = world.pending().await;
    world.answer(yes(pending[0].id)).await.unwrap();
    tokio::time::sleep(Duration::from_millis(40)).await;
    world.answer(yes(pending[1].id)).await.unwrap();
    until("it is over", async || world.status(run).await.is_final()).await;
    handle.drain().await;
    assert_eq!(world.written().len(), 2);
}

/// Returns the pieces of text that are stored so far.
async fn shown(world: &World, run: adagent_domain::RunId) -> Vec<String> {
    let events = world.base.store.list_events(run, 0, 1000).await.must();
    let pieces = events.into_iter().filter_map(|event| match event.body {
        EventBody::Content { content, .. } => Some(content),
        _ => None,
    });
    pieces.collect()
}

#[tokio::test]
async fn text_is_stored_as_it_is_written_and_a_killed_stream_goes_on_where_readers_were() {
    const TEXT: &str = "One two three four five six seven eight nine ten eleven twelve.";
    let store = sqlite_store().await;
    let mut world = World::new(store.store(), Arc::new(|_| says(TEXT))).await;
    let pace = Some(Duration::from_millis(25));
    world.model =
        Arc::new(Scripted { script: Arc::new(|_| says(TEXT)), asked: AtomicUsize::new(0), pace, thinks: false });
    let run = world.ask("Count.").await;
    let dying = world.runtime("dying");
    let task = tokio::spawn(async move { dying.run_once().await });
    until("some text is there", async || shown(&world, run).await.len() >= 3).await;
    task.abort();
    assert!(task.await.is_err());
    let before = shown(&world, run).await.concat();
    assert!(TEXT.starts_with(&before) && before.len() < TEXT.len());
    world.outlive_leases();
    world.runtime("second").run_until_idle().await.must();
    let pieces = shown(&world, run).await;
    assert_eq!(pieces.concat(), TEXT, "{pieces:?}");
    assert_eq!(world.view(run).await.answer, TEXT);
}

/// The store fails once, at this commit.
struct FailAt(AtomicUsize);

impl Cuts for FailAt {
    fn dies_at(&self, _: CutPoint) -> bool {
        false
    }

    fn store_fails(&self) -> bool {
        self.0.fetch_sub(1, Ordering::SeqCst) == 0
    }
}

#[tokio::test]
async fn a_store_that_fails_for_a_moment_neither_drops_nor_doubles_a_write() {
    for at in 0..7 {
        let store = sqlite_store().await;
        let script: Script = Arc::new(|request| match told(request) {
            (0, _) => calls(&[("create_group", group("Banner"))]),
            _ => says("Done."),
        });
        let mut world = World::new(store.store(), script).await;
        let run = world.ask("Create it").await;
        world.runtime("w").run_until_idle().await.must();
        world.answer(yes(world.pending().await[0].id)).await.unwrap();
        // Slow enough to report progress, which is a separate commit.
        world.network = Arc::new(FakeNetwork::slow(Duration::from_millis(120)));
        let failing = Runtime::new(world.deps("failing", Some(Arc::new(FailAt(AtomicUsize::new(at))))));
        failing.run_until_idle().await.must();
        world.outlive_leases();
        world.runtime("w2").run_until_idle().await.must();
        assert!(world.pending().await.is_empty(), "commit {at}: nobody has to be asked again");
        assert_eq!(world.written().len(), 1, "commit {at}");
        assert_eq!(world.view(run).await.answer, "Done.", "commit {at}");
    }
}

/// Answers with the question, and with the answers that it saw before the question.
fn echo() -> Script {
    Arc::new(|request| {
        let mut said = Vec::new();
        let mut question = String::new();
        for message in &request.messages {
            match message {
                ModelMessage::User { content } => question.clone_from(content),
                ModelMessage::Assistant { content, .. } if !content.is_empty() => said.push(content.clone()),
                _ => {}
            }
        }
        match told(request) {
            (0, _) if question == "first" => calls(&[("report", json!({"n": 1}))]),
            _ => says(&format!("{question} after [{}]", said.join(", "))),
        }
    })
}

#[tokio::test]
async fn a_message_sent_while_a_run_works_waits_and_knows_its_answer() {
    let store = sqlite_store().await;
    let mut world = World::new(store.store(), echo()).await;
    world.network = Arc::new(FakeNetwork::slow(Duration::from_millis(150)));
    let first = world.ask("first").await;
    let handle = world.runtime("w").start();
    until("the read is out", async || world.events(first).await.iter().any(|e| e.body.kind() == "tool_executing"))
        .await;
    let (second, third) = (world.ask("second").await, world.ask("third").await);
    until("all are over", async || world.status(third).await.is_final()).await;
    handle.drain().await;
    assert_eq!(world.view(first).await.answer, "first after []");
    assert_eq!(world.view(second).await.answer, "second after [first after []]");
    assert_eq!(world.view(third).await.answer, "third after [first after [], second after [first after []]]");
    assert_eq!(world.network.most_at_once.load(Ordering::SeqCst), 1);
}

/// Asks for a change if the message is "change", and otherwise answers at once.
fn changes_on_request() -> Script {
    Arc::new(|request| match told(request) {
        (0, _) if matches!(request.messages.last(), Some(ModelMessage::User { content }) if content == "change") => {
            calls(&[("create_group", group("Banner"))])
        }
        _ => says("Done."),
    })
}

#[tokio::test]
async fn what_waits_goes_on_when_the_run_before_it_dies_or_stops() {
    for how in ["killed", "stopped"] {
        let store = sqlite_store().await;
        let world = World::new(store.store(), changes_on_request()).await;
        let first = world.ask("change").await;
        let dying = Runtime::new(world.deps("dying", Some(crate::world::DieAt::new(2))));
        dying.run_until_idle().await.must();
        let second = world.ask("second").await;
        world.runtime("w").run_until_idle().await.must();
        assert_eq!(world.status(second).await, RunStatus::Queued, "{how}");
        assert_eq!(world.events(second).await.len(), 1, "{how}: nothing is done for it yet");
        if how == "stopped" {
            assert!(cancel(&world.deps("web", None), &world.actor(), first).await.unwrap());
        }
        world.outlive_leases();
        world.runtime("w2").run_until_idle().await.must();
        assert_eq!(world.view(second).await.answer, "Done.", "{how}: a card keeps nobody waiting");
        if how == "killed" {
            assert_eq!(world.status(first).await, RunStatus::AwaitingApproval);
            world.answer(yes(world.pending().await[0].id)).await.unwrap();
            world.runtime("w").run_until_idle().await.must();
        }
        assert!(world.status(first).await.is_final(), "{how}");
        assert_eq!(world.written().len(), usize::from(how == "killed"), "{how}");
    }
}

#[tokio::test]
async fn a_message_beside_a_waiting_card_is_answered_and_the_card_stays() {
    let store = sqlite_store().await;
    let world = World::new(store.store(), changes_on_request()).await;
    let first = world.ask("change").await;
    world.runtime("w").run_until_idle().await.must();
    let card = world.pending().await.remove(0).id;
    let second = world.ask("what is eCPM?").await;
    world.runtime("w").run_until_idle().await.must();
    assert_eq!(world.view(second).await.answer, "Done.");
    assert_eq!(world.status(first).await, RunStatus::AwaitingApproval);
    assert_eq!(world.pending().await.iter().map(|view| view.id).collect::<Vec<_>>(), [card]);
    world.answer(yes(card)).await.unwrap();
    world.runtime("w").run_until_idle().await.must();
    assert_eq!((world.status(first).await, world.view(first).await.answer.as_str()), (RunStatus::Completed, "Done."));
    assert_eq!(world.written().len(), 1);
}

#[tokio::test]
async fn an_answer_while_another_run_works_waits_its_turn() {
    let store = sqlite_store().await;
    let world = World::new(store.store(), changes_on_request()).await;
    let first = world.ask("change").await;
    world.runtime("w").run_until_idle().await.must();
    let second = world.ask("second").await;
    let dying = Runtime::new(world.deps("dying", Some(crate::world::DieAt::new(2))));
    dying.run_until_idle().await.must();
    assert_eq!(world.status(second).await, RunStatus::Running, "it was cut off in the middle");
    world.answer(yes(world.pending().await[0].id)).await.unwrap();
    let last = world.events(first).await.pop().expect("told").body;
    assert!(matches!(&last, EventBody::Status { label } if label.starts_with("Waiting")), "{last:?}");
    world.runtime("w").run_until_idle().await.must();
    assert_eq!((world.status(first).await, world.written().len()), (RunStatus::Queued, 0));
    world.outlive_leases();
    world.runtime("w").run_until_idle().await.must();
    assert_eq!((world.status(first).await, world.status(second).await), (RunStatus::Completed, RunStatus::Completed));
    assert_eq!(world.written().len(), 1);
}

#[tokio::test]
async fn a_run_that_waits_its_turn_is_stopped_at_once() {
    let store = sqlite_store().await;
    let mut world = World::new(store.store(), echo()).await;
    world.network = Arc::new(FakeNetwork::slow(Duration::from_secs(30)));
    let first = world.ask("first").await;
    let handle = world.runtime("w").start();
    until("the read is out", async || world.events(first).await.iter().any(|e| e.body.kind() == "tool_executing"))
        .await;
    let second = world.ask("second").await;
    assert!(cancel(&world.deps("web", None), &world.actor(), second).await.unwrap());
    until("it is over", async || world.status(second).await == RunStatus::Cancelled).await;
    assert_eq!(world.status(first).await, RunStatus::Running);
    handle.drain().await;
}
