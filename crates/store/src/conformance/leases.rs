//! Claims runs, and fences workers that have lost them.

use std::{collections::BTreeSet, sync::Arc};

use adagent_contract::RunStatus;
use adagent_domain::{RunId, Timestamp};

use super::fixtures::{EngineWorld, Must, status};
use crate::{CallStatus, EngineStore, Lease, RunClass, RunUpdate, StoreError};

fn release() -> RunUpdate {
    RunUpdate { release: true, ..RunUpdate::default() }
}

async fn update(world: &EngineWorld, lease: &Lease, update: RunUpdate) {
    let mut unit = world.begin().await;
    unit.update_run(lease, &update).await.must();
    unit.commit().await.must();
}

async fn ready(world: &EngineWorld, lease: &Lease, at: Timestamp) {
    let mut unit = world.begin().await;
    unit.ready_run(lease.run, at).await.must();
    unit.commit().await.must();
}

pub async fn the_longest_ready_run_is_claimed_first(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let ann = world.person("ann").await;
    let mut expected = Vec::new();
    for seconds in [-10, -30, -20, 5] {
        let mut run = world.new_run(&world.chat(&ann, "Talk").await);
        run.ready_at = world.now().plus_seconds(seconds);
        let mut unit = world.begin().await;
        unit.insert_run(&run).await.must();
        unit.commit().await.must();
        expected.push((seconds, run.id));
    }
    expected.sort_unstable();
    assert_eq!(world.store.count_ready(world.now()).await.must(), 3);
    for (_, run) in &expected[..3] {
        let claimed = world.claim("worker").await.expect("ready");
        assert_eq!((claimed.run.id, claimed.lease.run, claimed.lease.epoch, claimed.run.epoch), (*run, *run, 1, 1));
        assert_eq!(claimed.lease.until, world.now().plus_seconds(60));
        assert_eq!(claimed.run.lease_until, Some(claimed.lease.until));
    }
    assert_eq!(world.claim("worker").await, None, "the last one is not ready yet");
    world.clock.advance_millis(5000);
    assert_eq!(world.claim("worker").await.expect("ready now").run.id, expected[3].1);
}

pub async fn many_claimers_never_get_the_same_run(store: Arc<dyn EngineStore>) {
    const RUNS: usize = 40;
    let world = EngineWorld::over(store);
    let ann = world.person("ann").await;
    for _ in 0..RUNS {
        world.ask(&world.chat(&ann, "Talk").await, "go").await;
    }
    let claimers = (0..10).map(|number| {
        let world = world.clone();
        tokio::spawn(async move {
            let mut mine = Vec::new();
            while let Some(claimed) = world.claim(&format!("worker-{number}")).await {
                mine.push(claimed.run.id);
            }
            mine
        })
    });
    let mut all = Vec::new();
    for claimer in claimers.collect::<Vec<_>>() {
        all.extend(claimer.await.expect("no panic"));
    }
    assert_eq!(all.len(), RUNS);
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), RUNS);
}

pub async fn an_expired_lease_is_taken_over_with_the_next_epoch(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let (_, _, lease) = world.held_run().await;
    world.clock.advance_millis(59_999);
    assert_eq!(world.claim("other").await, None);
    world.clock.advance_millis(1);
    let taken = world.claim("other").await.expect("the lease is over");
    assert_eq!((taken.run.id, taken.lease.epoch, taken.lease.owner.as_str()), (lease.run, lease.epoch + 1, "other"));
    assert_eq!(world.claim("third").await, None);
}

pub async fn takeovers_are_counted_until_the_run_is_written_or_given_back(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let (_, _, mut lease) = world.held_run().await;
    for expected in 1..=3 {
        // A renewal or streamed events do not count as progress.
        let mut unit = world.begin().await;
        unit.renew_lease(&lease, world.now().plus_seconds(60)).await.must();
        unit.append_events(&lease, world.now(), &[status(expected)]).await.must();
        unit.commit().await.must();
        world.clock.advance_millis(60_000);
        let taken = world.claim(&format!("worker-{expected}")).await.expect("the lease is over");
        assert_eq!((taken.takeovers, taken.taken_from.is_some()), (expected, true));
        lease = taken.lease;
    }
    update(&world, &lease, RunUpdate { add_input_tokens: 1, ..RunUpdate::default() }).await;
    world.clock.advance_millis(60_000);
    let mut held = world.claim("later").await.expect("the lease is over");
    assert_eq!(held.takeovers, 1, "the one before got on");
    for _ in 0..3 {
        update(&world, &held.lease, RunUpdate { next_ready: Some(world.now()), ..release() }).await;
        held = world.claim("again").await.expect("given back");
        assert_eq!((held.takeovers, &held.taken_from), (0, &None));
    }
}

pub async fn a_renewed_lease_is_not_taken_over(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let (_, _, lease) = world.held_run().await;
    world.clock.advance_millis(50_000);
    let mut unit = world.begin().await;
    unit.renew_lease(&lease, world.now().plus_seconds(60)).await.must();
    unit.commit().await.must();
    world.clock.advance_millis(50_000);
    assert_eq!(world.claim("other").await, None);
    world.clock.advance_millis(10_000);
    assert!(world.claim("other").await.is_some());
}

/// Tries every write that names a lease, each in its own unit.
async fn assert_all_refused(world: &EngineWorld, lease: &Lease) {
    let run = world.store.find_run_unscoped(lease.run).await.must().expect("is there");
    let person = run.principal.user;
    let ann = world.store.find_user(person).await.must().expect("is there");
    let chat = world
        .store
        .find_chat(run.workspace, person, run.turn().expect("a turn").session)
        .await
        .must()
        .expect("is there");
    let at = world.now();
    let stale = |what: &str, result: Result<(), StoreError>| match result {
        Err(StoreError::StaleEpoch { epoch }) => assert_eq!(epoch, lease.epoch),
        other => panic!("{what} gave {other:?}"),
    };
    let call = world.call(run.workspace, run.id);
    stale("append", world.begin().await.append_events(lease, at, &[status("late")]).await.map(drop));
    stale("update", world.begin().await.update_run(lease, &RunUpdate::default()).await);
    stale("release", world.begin().await.update_run(lease, &release()).await);
    stale("renew", world.begin().await.renew_lease(lease, at.plus_seconds(60)).await);
    stale("checkpoint", world.begin().await.insert_checkpoint(lease, &world.checkpoint(run.id, 77)).await);
    stale("call", world.begin().await.insert_call(lease, &call).await);
    let moved = world
        .begin()
        .await
        .move_call(Some(lease), run.id, call.id, &[CallStatus::Prepared], CallStatus::Sending, None, None, at)
        .await;
    stale("move", moved.map(drop));
    stale("approval", world.begin().await.insert_approval(lease, &world.approval(&ann, &chat, run.id)).await);
}

pub async fn every_write_of_a_worker_that_lost_its_lease_is_refused(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let (_, _, lease) = world.held_run().await;
    world.clock.advance_millis(60_000);
    let taken = world.claim("other").await.expect("the lease is over");
    assert_all_refused(&world, &lease).await;
    // The same worker under its earlier epoch is refused too, and none of its writes is stored.
    let run = world.store.find_run_unscoped(lease.run).await.must().expect("is there");
    assert_eq!((run.epoch, run.last_seq, run.lease_until), (taken.lease.epoch, 0, Some(taken.lease.until)));
    assert_eq!(world.store.list_events(lease.run, 0, 10).await.must(), []);
    assert_eq!(world.store.list_checkpoints(lease.run).await.must(), []);
    assert_eq!(world.store.list_calls(lease.run).await.must(), []);
    assert_eq!(world.store.list_approvals_of_run(lease.run).await.must(), []);
}

pub async fn every_write_after_giving_the_lease_back_is_refused(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let (_, _, lease) = world.held_run().await;
    update(&world, &lease, release()).await;
    assert_all_refused(&world, &lease).await;
    // The same holds within the unit that gave the lease back.
    ready(&world, &lease, world.now()).await;
    let lease = world.claim("worker").await.expect("ready again").lease;
    let mut unit = world.begin().await;
    unit.append_events(&lease, world.now(), &[status(1)]).await.must();
    unit.update_run(&lease, &release()).await.must();
    let error = unit.insert_checkpoint(&lease, &world.checkpoint(lease.run, 1)).await.expect_err("given back");
    assert!(matches!(error, StoreError::StaleEpoch { .. }), "{error:?}");
}

pub async fn a_lease_reaches_its_own_run_only(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let (ann, chat, lease) = world.held_run().await;
    let other = world.ask(&chat, "another").await;
    let call = world.call(chat.workspace, other.id);
    let refused = |result: Result<(), StoreError>| {
        assert!(matches!(result, Err(StoreError::RowsAffected { .. })), "{result:?}");
    };
    refused(world.begin().await.insert_checkpoint(&lease, &world.checkpoint(other.id, 1)).await);
    refused(world.begin().await.insert_call(&lease, &call).await);
    refused(world.begin().await.insert_approval(&lease, &world.approval(&ann, &chat, other.id)).await);
    let moved = world
        .begin()
        .await
        .move_call(
            Some(&lease),
            other.id,
            call.id,
            &[CallStatus::Prepared],
            CallStatus::Sending,
            None,
            None,
            world.now(),
        )
        .await;
    refused(moved.map(drop));
}

pub async fn an_owner_must_match_as_well_as_the_epoch(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let (_, _, lease) = world.held_run().await;
    assert_all_refused(&world, &Lease { owner: "impostor".to_owned(), ..lease }).await;
}

pub async fn a_wake_while_the_run_is_held_survives_the_release(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let (_, _, lease) = world.held_run().await;
    // A cancel arrives while the worker is busy: nobody else can claim the run now.
    ready(&world, &lease, world.now()).await;
    assert_eq!(world.claim("other").await, None);
    update(&world, &lease, release()).await;
    let again = world.claim("other").await.expect("the wake was kept");
    assert_eq!(again.lease.epoch, lease.epoch + 1);
    // The release used up that wake: after the next release, the run waits for another one.
    update(&world, &again.lease, release()).await;
    assert_eq!(world.claim("other").await, None);
    // The earlier of the wake and the run's own plan counts.
    ready(&world, &lease, world.now()).await;
    let again = world.claim("other").await.expect("woken");
    ready(&world, &lease, world.now().plus_seconds(5)).await;
    update(&world, &again.lease, RunUpdate { next_ready: Some(world.now().plus_seconds(30)), ..release() }).await;
    world.clock.advance_millis(5000);
    assert!(world.claim("other").await.is_some());
}

pub async fn a_final_run_is_never_claimed(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let (_, chat, lease) = world.held_run().await;
    ready(&world, &lease, world.now()).await;
    let done = RunUpdate {
        status: Some(RunStatus::Completed),
        finished_at: Some(world.now()),
        next_ready: Some(world.now()),
        ..release()
    };
    update(&world, &lease, done).await;
    ready(&world, &lease, world.now()).await;
    assert_eq!(world.claim("other").await, None);
    // The same for a run whose worker finished it and died before it gave the lease back.
    world.ask(&chat, "second").await;
    let second = world.claim("worker").await.expect("ready").lease;
    let failed = RunUpdate { status: Some(RunStatus::Failed), finished_at: Some(world.now()), ..RunUpdate::default() };
    update(&world, &second, failed).await;
    let mut unit = world.begin().await;
    unit.renew_lease(&second, world.now().plus_seconds(60)).await.must();
    unit.commit().await.must();
    world.clock.advance_millis(600_000);
    assert_eq!(world.claim("other").await, None);
    // The same for a run that was canceled while it waited in the queue.
    let third = world.ask(&chat, "third").await;
    let mut unit = world.begin().await;
    let at = Some(world.now());
    assert!(unit.set_run_status(third.id, &[RunStatus::Queued], RunStatus::Cancelled, at).await.must());
    unit.commit().await.must();
    assert_eq!(world.claim("other").await, None);
    assert_eq!(world.store.count_ready(world.now()).await.must(), 0);
}

pub async fn a_claim_that_is_not_committed_never_happened(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let ann = world.person("ann").await;
    let chat = world.chat(&ann, "Talk").await;
    world.ask(&chat, "go").await;
    let mut unit = world.begin().await;
    assert!(unit.claim_run("worker", world.now(), world.now().plus_seconds(60), &RunClass::ALL).await.must().is_some());
    drop(unit);
    // A database learns of the drop a moment later; until then a claim skips the run.
    let claimed = tokio::time::timeout(std::time::Duration::from_secs(10), async {
        loop {
            if let Some(claimed) = world.claim("other").await {
                return claimed;
            }
            tokio::task::yield_now().await;
        }
    });
    assert_eq!(claimed.await.expect("free again").lease.epoch, 1);
}

pub async fn a_takeover_waits_for_the_commit_of_a_worker_in_time(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let (_, _, lease) = world.held_run().await;
    let mut unit = world.begin().await;
    unit.insert_checkpoint(&lease, &world.checkpoint(lease.run, 1)).await.must();
    world.clock.advance_millis(60_000);
    // A worker that claims now waits for the open unit or skips the run. It cannot claim the run before the commit.
    let rival = {
        let world = world.clone();
        tokio::spawn(async move { world.claim("other").await })
    };
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    unit.commit().await.must();
    let claimed = match rival.await.expect("no panic") {
        Some(claimed) => claimed,
        None => world.claim("other").await.expect("free after the commit"),
    };
    assert_eq!(claimed.lease.epoch, lease.epoch + 1);
    assert_eq!(world.store.list_checkpoints(lease.run).await.must().len(), 1);
}

fn over(world: &EngineWorld, status: RunStatus) -> RunUpdate {
    RunUpdate { status: Some(status), finished_at: Some(world.now()), ..release() }
}

pub async fn runs_of_a_conversation_follow_each_other(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let (ann, chat, first) = world.held_run().await;
    let (second, third) = (world.ask(&chat, "and then?").await.id, world.ask(&chat, "and after that?").await.id);
    let elsewhere = world.ask(&world.chat(&ann, "Elsewhere").await, "go").await.id;
    assert_eq!(world.claim("worker").await.map(|c| c.run.id), Some(elsewhere), "other conversations do not wait");
    assert_eq!(world.claim("worker").await, None);
    // Giving the lease back for a moment does not start the next run.
    update(&world, &first, RunUpdate { next_ready: Some(world.now()), ..release() }).await;
    let first = world.claim("worker").await.expect("it goes on").lease;
    assert_eq!(world.claim("worker").await, None);
    update(&world, &first, over(&world, RunStatus::Completed)).await;
    let claimed = world.claim("worker").await.expect("its turn has come");
    assert_eq!((claimed.run.id, claimed.lease.epoch), (second, 1));
    assert_eq!(world.claim("worker").await, None, "the third waits for the second");
    update(&world, &claimed.lease, release()).await;
    let mut unit = world.begin().await;
    assert!(unit.set_run_status(second, &[RunStatus::Queued], RunStatus::Cancelled, Some(world.now())).await.must());
    unit.commit().await.must();
    assert_eq!(world.claim("worker").await.map(|c| c.run.id), Some(third));
}

pub async fn a_run_that_waits_its_turn_can_be_stopped_at_once(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let (_, chat, first) = world.held_run().await;
    let (second, third) = (world.ask(&chat, "and then?").await.id, world.ask(&chat, "and after?").await.id);
    let mut unit = world.begin().await;
    assert!(unit.request_cancel(second, world.now()).await.must());
    unit.ready_run(second, world.now()).await.must();
    unit.commit().await.must();
    let stopping = world.claim("worker").await.expect("to be ended");
    assert!(stopping.run.id == second && stopping.run.cancel_requested);
    update(&world, &stopping.lease, over(&world, RunStatus::Cancelled)).await;
    assert_eq!(world.claim("worker").await, None, "the first is still there");
    update(&world, &first, over(&world, RunStatus::Failed)).await;
    assert_eq!(world.claim("worker").await.map(|c| c.run.id), Some(third));
}

async fn take_up(world: &EngineWorld, run: RunId) -> Option<bool> {
    let mut unit = world.begin().await;
    let taken = unit.take_up_run(run, world.now()).await.must();
    unit.commit().await.must();
    taken
}

pub async fn a_run_that_waits_for_a_person_keeps_no_other_waiting(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let (_, chat, first) = world.held_run().await;
    let second = world.ask(&chat, "what is eCPM?").await.id;
    assert_eq!(world.claim("worker").await, None, "the first works");
    assert_eq!(take_up(&world, first.run).await, None, "a worker holds it");
    update(&world, &first, RunUpdate { status: Some(RunStatus::AwaitingApproval), ..release() }).await;
    let lease = world.claim("worker").await.expect("the second goes while the first waits").lease;
    assert_eq!(lease.run, second);
    // A person answered meanwhile. The run continues after the one that is working, and before the message that was asked later.
    let third = world.ask(&chat, "and then?").await.id;
    assert_eq!(take_up(&world, first.run).await, Some(false));
    assert_eq!(take_up(&world, first.run).await, None, "it waits for nobody any more");
    assert_eq!(world.claim("other").await, None);
    update(&world, &lease, over(&world, RunStatus::Completed)).await;
    let again = world.claim("worker").await.expect("its turn").lease;
    assert_eq!((again.run, again.epoch), (first.run, first.epoch + 1));
    assert_eq!(world.claim("other").await, None, "the third waits");
    update(&world, &again, over(&world, RunStatus::Completed)).await;
    assert_eq!(world.claim("worker").await.map(|c| c.run.id), Some(third));
}

pub async fn a_run_that_was_answered_goes_at_once_when_nobody_else_works(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let (_, chat, first) = world.held_run().await;
    update(&world, &first, RunUpdate { status: Some(RunStatus::AwaitingApproval), ..release() }).await;
    let beside = world.new_run(&chat);
    let mut unit = world.begin().await;
    assert!(unit.insert_run(&beside).await.must(), "nobody works");
    unit.commit().await.must();
    let lease = world.claim("worker").await.expect("free").lease;
    update(&world, &lease, RunUpdate { status: Some(RunStatus::AwaitingApproval), ..release() }).await;
    assert_eq!(take_up(&world, beside.id).await, Some(true), "two may wait, and the later is answered first");
    assert_eq!(world.claim("worker").await.map(|c| c.run.id), Some(beside.id));
    // A wake while a person answers counts when the worker gives the run back; two workers never hold the run.
    ready(&world, &first, world.now()).await;
    let woken = world.claim("worker").await.expect("woken").lease;
    assert_eq!(woken.run, first.run);
    assert_eq!(take_up(&world, first.run).await, None);
}

async fn cancel_waiting(world: &EngineWorld, run: RunId) {
    let mut unit = world.begin().await;
    assert!(unit.set_run_status(run, &[RunStatus::Queued], RunStatus::Cancelled, Some(world.now())).await.must());
    unit.commit().await.must();
}

pub async fn a_turn_comes_when_nobody_else_works_whatever_the_order_of_ids(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let ann = world.person("ann").await;
    let chat = world.chat(&ann, "Two servers").await;
    // The clocks of two servers differ: the second run has the lower ID.
    let second = world.new_run(&chat);
    let first = world.new_run(&chat);
    for (run, free) in [(&first, true), (&second, false)] {
        let mut unit = world.begin().await;
        assert_eq!(unit.insert_run(run).await.must(), free);
        unit.commit().await.must();
    }
    let lease = world.claim("worker").await.expect("ready").lease;
    assert_eq!(lease.run, first.id);
    cancel_waiting(&world, world.ask(&chat, "third").await.id).await;
    assert_eq!(world.claim("other").await, None, "the first works");
    update(&world, &lease, RunUpdate { next_ready: Some(world.now().plus_seconds(5)), ..release() }).await;
    cancel_waiting(&world, world.ask(&chat, "fifth").await.id).await;
    assert_eq!(world.claim("other").await, None, "the first goes on in a moment");
    world.clock.advance_millis(5000);
    let lease = world.claim("worker").await.expect("ready again").lease;
    assert_eq!(lease.run, first.id);
    update(&world, &lease, over(&world, RunStatus::Completed)).await;
    assert_eq!(world.claim("worker").await.map(|c| c.run.id), Some(second.id));
}

pub async fn a_run_whose_turn_comes_queues_from_then_on(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let (ann, chat, lease) = world.held_run().await;
    let waits = world.ask(&chat, "and then?").await.id;
    world.clock.advance_millis(10_000);
    let elsewhere = world.ask(&world.chat(&ann, "Elsewhere").await, "go").await.id;
    world.clock.advance_millis(10_000);
    update(&world, &lease, over(&world, RunStatus::Completed)).await;
    let order = [world.claim("worker").await, world.claim("worker").await];
    assert_eq!(order.map(|claimed| claimed.map(|c| c.run.id)), [Some(elsewhere), Some(waits)]);
}

pub async fn a_new_run_is_claimed_by_whoever_prepares_it(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let (ann, chat, held) = world.held_run().await;
    let waiting = world.new_run(&chat);
    let free = world.new_run(&world.chat(&ann, "Fork").await);
    for (run, may_go) in [(&waiting, false), (&free, true)] {
        let mut unit = world.begin().await;
        assert_eq!(unit.insert_run(run).await.must(), may_go);
        let until = world.now().plus_seconds(30);
        let lease = unit.claim_new(run.id, "web", until).await.must().expect("it is new");
        assert_eq!((lease.run, lease.epoch, lease.until), (run.id, 1, until));
        unit.append_events(&lease, world.now(), &[status(1)]).await.must();
        assert_eq!(unit.claim_new(run.id, "web", until).await.must(), None, "not new any more");
        let next = RunUpdate { next_ready: may_go.then_some(world.now()), ..release() };
        unit.update_run(&lease, &next).await.must();
        unit.commit().await.must();
    }
    assert_eq!(world.claim("worker").await.map(|c| c.run.id), Some(free.id));
    assert_eq!(world.claim("worker").await, None);
    update(&world, &held, over(&world, RunStatus::Completed)).await;
    assert_eq!(world.claim("worker").await.map(|c| c.run.id), Some(waiting.id));
}

pub async fn a_conversation_never_has_two_runs_at_work_however_many_ask(store: Arc<dyn EngineStore>) {
    const ASKERS: usize = 4;
    const EACH: usize = 8;
    let world = EngineWorld::over(store);
    let ann = world.person("ann").await;
    let chat = world.chat(&ann, "Busy").await;
    let at_work = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let done = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let mut tasks = Vec::new();
    for _ in 0..ASKERS {
        let (world, chat) = (world.clone(), chat.clone());
        tasks.push(tokio::spawn(async move {
            for _ in 0..EACH {
                world.ask(&chat, "go").await;
            }
        }));
    }
    for number in 0..4 {
        let (world, at_work, done) = (world.clone(), Arc::clone(&at_work), Arc::clone(&done));
        tasks.push(tokio::spawn(async move {
            use std::sync::atomic::Ordering::SeqCst;
            while done.load(SeqCst) < ASKERS * EACH {
                let Some(claimed) = world.claim(&format!("worker-{number}")).await else {
                    tokio::task::yield_now().await;
                    continue;
                };
                assert_eq!(at_work.fetch_add(1, SeqCst), 0, "two runs of one conversation at a time");
                tokio::task::yield_now().await;
                assert_eq!(at_work.fetch_sub(1, SeqCst), 1);
                update(&world, &claimed.lease, over(&world, RunStatus::Completed)).await;
                done.fetch_add(1, SeqCst);
            }
        }));
    }
    let all = async {
        for task in tasks {
            task.await.expect("no panic");
        }
    };
    tokio::time::timeout(std::time::Duration::from_mins(1), all).await.expect("none is forgotten");
    assert_eq!(world.store.list_open_runs(chat.workspace, chat.id.into()).await.must(), []);
}
