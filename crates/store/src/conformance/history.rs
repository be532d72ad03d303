//! Forks know their parents. The retention policy deletes only runs that have ended, are old and are not kept, in bounded steps.

use std::sync::Arc;

use adagent_contract::RunStatus;
use adagent_domain::{RunId, Timestamp};

use super::fixtures::{Must as _, World, status, turn_of};
use crate::{ChatSession, Fork, Lease, NewRun, Origin, Parent, RunUpdate, Store, Swept, User};

/// Makes a run with an event and three checkpoints that has ended now.
async fn ended_run(world: &World, chat: &ChatSession) -> NewRun {
    let run = world.ask(chat, "What was my revenue?").await;
    let lease = world.claim("worker").await.expect("a run is ready").lease;
    finish(world, &lease).await;
    run
}

async fn finish(world: &World, lease: &Lease) {
    let mut unit = world.begin().await;
    unit.append_events(lease, world.now(), &[status("working")]).await.must();
    for step in 1..=3 {
        unit.insert_checkpoint(lease, &world.checkpoint(lease.run, step)).await.must();
    }
    let update = RunUpdate {
        status: Some(RunStatus::Completed),
        finished_at: Some(world.now()),
        release: true,
        ..RunUpdate::default()
    };
    unit.update_run(lease, &update).await.must();
    unit.commit().await.must();
}

async fn thin(world: &World, runs: u32) -> u64 {
    let mut unit = world.begin().await;
    let thinned = unit.thin_checkpoints(world.now(), None, None, runs).await.must();
    unit.commit().await.must();
    thinned.done
}

async fn delete(world: &World, turns: u32) -> u64 {
    delete_after(world, None, turns).await.done
}

async fn delete_after(world: &World, after: Option<(Timestamp, RunId)>, turns: u32) -> Swept {
    let mut unit = world.begin().await;
    let deleted = unit.delete_runs(world.now(), None, after, turns).await.must();
    unit.commit().await.must();
    deleted
}

async fn saved(world: &World, run: RunId) -> Vec<i64> {
    world.store.list_checkpoints(run).await.must().into_iter().map(|saved| saved.step).collect()
}

pub async fn a_fork_knows_its_parent_and_outlives_it(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    let (parent_chat, chat) = (world.chat(&ann, "Parent").await, world.chat(&ann, "Fork").await);
    let parent = world.ask(&parent_chat, "go").await.id;
    let (first, second) = (world.new_run(&chat), world.new_run(&chat));
    for (run, step) in [(&first, 2), (&second, 5)] {
        let mut unit = world.begin().await;
        unit.insert_run(run).await.must();
        unit.insert_message(&World::new_message(run, &format!("From state {step}"))).await.must();
        unit.insert_origin(&Origin { run: run.id, parent, parent_step: step, inherited_seq: 9 }).await.must();
        unit.commit().await.must();
    }
    let bob = world.person("bob").await;
    let forks = async |person: &User, limit| {
        world.store.list_forks(person.personal_workspace, person.id, parent, limit).await.must()
    };
    let told = |run: &NewRun, parent_step, question: &str| Fork {
        run: run.id,
        parent_step,
        question: question.to_owned(),
        status: RunStatus::Queued,
        created_at: run.created_at,
    };
    let of_first = told(&first, 2, "From state 2");
    assert_eq!(forks(&ann, 10).await, [of_first.clone(), told(&second, 5, "From state 5")]);
    assert_eq!(forks(&ann, 1).await, [of_first]);
    assert_eq!(forks(&bob, 10).await, [], "somebody else's");
    assert_eq!(world.store.find_origin(parent).await.must(), None);
    let mut unit = world.begin().await;
    assert!(unit.delete_chat(ann.personal_workspace, ann.id, parent_chat.id).await.must());
    unit.commit().await.must();
    let origin = world.store.find_origin(first.id).await.must().expect("the fork is still there");
    assert_eq!((origin.parent, origin.inherited_seq), (parent, 9));
    let mut unit = world.begin().await;
    assert!(unit.delete_chat(ann.personal_workspace, ann.id, chat.id).await.must());
    unit.commit().await.must();
    assert_eq!(forks(&ann, 10).await, [], "links go with the fork");
}

pub async fn only_what_ended_long_ago_is_deleted(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    let (old, kept, mixed) =
        (world.chat(&ann, "Old").await, world.chat(&ann, "Kept").await, world.chat(&ann, "Mixed").await);
    let bob = world.person("bob").await;
    let mut unit = world.begin().await;
    assert!(unit.keep_chat(ann.personal_workspace, ann.id, kept.id, true).await.must());
    assert!(!unit.keep_chat(bob.personal_workspace, bob.id, old.id, true).await.must(), "somebody else's");
    unit.commit().await.must();
    let gone = ended_run(&world, &old).await;
    let safe = ended_run(&world, &kept).await;
    let first = ended_run(&world, &mixed).await;
    let waiting = world.ask(&mixed, "Create a group").await;
    let lease = world.claim("worker").await.expect("its turn").lease;
    let mut unit = world.begin().await;
    let update = RunUpdate { status: Some(RunStatus::AwaitingApproval), release: true, ..RunUpdate::default() };
    unit.update_run(&lease, &update).await.must();
    unit.commit().await.must();
    assert_eq!(delete(&world, 10).await, 0, "nothing ended before now");
    world.clock.advance_millis(1_000);
    let recent = ended_run(&world, &world.chat(&ann, "Recent").await).await;
    assert_eq!(delete(&world, 10).await, 2);
    assert_eq!(delete(&world, 10).await, 0);
    let person = (ann.personal_workspace, ann.id);
    let found = async |run: RunId| world.store.find_run(person.0, person.1, run).await.must().is_some();
    assert!(!found(gone.id).await && !found(first.id).await);
    assert!(found(safe.id).await && found(waiting.id).await && found(recent.id).await);
    assert!(world.store.list_events(gone.id, 0, 10).await.must().is_empty());
    assert!(world.store.find_message(person.0, person.1, turn_of(&gone).message).await.must().is_none());
    assert!(world.store.find_chat(person.0, person.1, old.id).await.must().is_none(), "nothing is left in it");
    assert!(world.store.find_chat(person.0, person.1, mixed.id).await.must().is_some());
    let left = world.store.list_messages(person.0, mixed.id, None, 10).await.must();
    assert_eq!(left.iter().map(|message| message.run).collect::<Vec<_>>(), [waiting.id]);
    assert!(world.store.find_chat(person.0, person.1, kept.id).await.must().is_some_and(|chat| chat.kept));
}

pub async fn a_flow_is_swept_by_its_own_age(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    let flow = || world.new_flow(ann.personal_workspace, ann.id);
    let (old, working, young) = (flow(), flow(), flow());
    for run in [&old, &working] {
        world.begin_run(run).await;
        let lease = world.claim("worker").await.expect("a run is ready").lease;
        if run.id == old.id {
            finish(&world, &lease).await;
        }
    }
    world.clock.advance_millis(1_000);
    world.begin_run(&young).await;
    let lease = world.claim("worker").await.expect("a run is ready").lease;
    finish(&world, &lease).await;
    assert_eq!(thin(&world, 10).await, 1);
    assert_eq!((saved(&world, old.id).await, saved(&world, young.id).await), (vec![3], vec![1, 2, 3]));
    assert_eq!((delete(&world, 10).await, delete(&world, 10).await), (1, 0));
    let found = async |run: RunId| world.store.find_run_unscoped(run).await.must().is_some();
    assert!(!found(old.id).await && found(working.id).await && found(young.id).await);
    assert!(world.store.list_events(old.id, 0, 10).await.must().is_empty());
}

pub async fn what_a_run_began_goes_with_it_and_stays_with_it(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    let (old, kept) = (world.chat(&ann, "Old").await, world.chat(&ann, "Kept").await);
    let mut unit = world.begin().await;
    assert!(unit.keep_chat(ann.personal_workspace, ann.id, kept.id, true).await.must());
    unit.commit().await.must();
    let (mut roots, mut children) = (Vec::new(), Vec::new());
    for chat in [&old, &kept] {
        roots.push(world.ask(chat, "Look closer").await.id);
        let lease = world.claim("worker").await.expect("a run is ready").lease;
        let parent = Some(Parent { run: lease.run, path: "look".to_owned() });
        let child = NewRun { parent, ..world.new_flow(ann.personal_workspace, ann.id) };
        let mut unit = world.begin().await;
        unit.hold_lease(&lease).await.must();
        unit.insert_run(&child).await.must();
        unit.commit().await.must();
        finish(&world, &lease).await;
        children.push(world.claim("worker").await.expect("the child is ready").lease);
    }
    world.clock.advance_millis(1_000);
    assert_eq!(delete(&world, 10).await, 0, "what they began goes on");
    let mut unit = world.begin().await;
    let open = unit.lock_open_runs(ann.personal_workspace, old.id.into()).await.must();
    assert_eq!(
        open.iter().map(|run| run.id).collect::<Vec<_>>(),
        [children[0].run],
        "whoever deletes the chat sees it"
    );
    drop(unit);
    for child in &children {
        finish(&world, child).await;
    }
    world.clock.advance_millis(1_000);
    assert_eq!(thin(&world, 10).await, 2);
    assert_eq!((saved(&world, children[0].run).await.len(), saved(&world, children[1].run).await.len()), (1, 3));
    assert_eq!(delete(&world, 10).await, 1, "the child is not counted by itself");
    let found = async |run: RunId| world.store.find_run_unscoped(run).await.must().is_some();
    assert!(!found(roots[0]).await && !found(children[0].run).await);
    assert!(found(roots[1]).await && found(children[1].run).await, "its person wants the chat kept");
    let mut unit = world.begin().await;
    assert!(unit.delete_chat(ann.personal_workspace, ann.id, kept.id).await.must());
    unit.commit().await.must();
    assert!(!found(children[1].run).await);
}

pub async fn what_an_agent_was_asked_is_no_message_of_the_chat_and_goes_with_its_run(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    let chat = world.chat(&ann, "Old").await;
    let root = world.ask(&chat, "Ask the reporter").await;
    let lease = world.claim("worker").await.expect("a run is ready").lease;
    let parent = Some(Parent { run: lease.run, path: "ask".to_owned() });
    let fresh = world.new_run(&chat);
    let child = NewRun { parent, lane: fresh.id.into(), ..fresh };
    let task = World::new_message(&child, "Revenue yesterday");
    let before = world.store.find_chat(ann.personal_workspace, ann.id, chat.id).await.must().expect("it").updated_at;
    world.clock.advance_millis(1_000);
    let mut unit = world.begin().await;
    unit.hold_lease(&lease).await.must();
    unit.insert_task(&task).await.must();
    unit.insert_run(&child).await.must();
    unit.commit().await.must();
    let messages = world.store.list_messages(ann.personal_workspace, chat.id, None, 10).await.must();
    assert_eq!(messages.iter().map(|one| one.run).collect::<Vec<_>>(), [root.id]);
    let next = world.ask(&chat, "And by app?").await;
    let asked = next.turn().expect("it answers a message").message;
    let history = world.store.list_history(ann.personal_workspace, chat.id, asked, None, 10).await.must();
    assert_eq!(history.iter().map(|row| row.message.run).collect::<Vec<_>>(), [root.id]);
    let found = async || world.store.find_message(ann.personal_workspace, ann.id, task.id).await.must();
    assert_eq!(found().await.expect("its run reads it").content, "Revenue yesterday");
    let after = world.store.find_chat(ann.personal_workspace, ann.id, chat.id).await.must().expect("it");
    assert!(after.updated_at > before, "by the next message");
    finish(&world, &lease).await;
    while let Some(claimed) = world.claim("worker").await {
        finish(&world, &claimed.lease).await;
    }
    world.clock.advance_millis(1_000);
    assert_eq!(delete(&world, 10).await, 2);
    assert_eq!(found().await, None, "nobody could read it anymore");
}

pub async fn a_sweep_takes_no_more_than_it_is_told(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    let mut runs = Vec::new();
    for _ in 0..5 {
        runs.push(ended_run(&world, &world.chat(&ann, "Old").await).await.id);
        world.clock.advance_millis(10);
    }
    assert_eq!((thin(&world, 3).await, thin(&world, 3).await, thin(&world, 3).await), (3, 2, 0));
    assert_eq!(delete(&world, 2).await, 2);
    let person = (ann.personal_workspace, ann.id);
    let left = world.store.list_runs(person.0, person.1, None, 10).await.must();
    let left: Vec<_> = left.into_iter().rev().map(|run| run.id).collect();
    assert_eq!(left, runs[2..], "the oldest go first");
    assert_eq!((delete(&world, 2).await, delete(&world, 2).await, delete(&world, 2).await), (2, 1, 0));
}

pub async fn a_sweep_goes_on_behind_what_it_has_seen(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    let kept = world.chat(&ann, "Kept").await;
    let keep = async |wanted| {
        let mut unit = world.begin().await;
        assert!(unit.keep_chat(ann.personal_workspace, ann.id, kept.id, wanted).await.must());
        unit.commit().await.must();
    };
    keep(true).await;
    ended_run(&world, &kept).await;
    world.clock.advance_millis(10);
    // Two runs that ended at the same moment have different IDs, which decide their order.
    let mut old = Vec::new();
    for _ in 0..2 {
        old.push((world.now(), ended_run(&world, &world.chat(&ann, "Old").await).await.id));
    }
    world.clock.advance_millis(10);
    let first = delete_after(&world, None, 1).await;
    assert_eq!(first, Swept { done: 1, next: Some(old[0]) });
    keep(false).await;
    let second = delete_after(&world, first.next, 1).await;
    assert_eq!(second, Swept { done: 1, next: Some(old[1]) }, "what lies behind is not looked at again");
    assert_eq!(delete_after(&world, second.next, 1).await, Swept { done: 0, next: None });
    let mut unit = world.begin().await;
    let behind = unit.thin_checkpoints(world.now(), None, second.next, 1).await.must();
    let from_the_start = unit.thin_checkpoints(world.now(), None, None, 2).await.must();
    unit.commit().await.must();
    assert_eq!((behind, from_the_start), (Swept { done: 0, next: None }, Swept { done: 1, next: None }));
    assert_eq!(delete(&world, 10).await, 1, "the next sweep begins anew");
}

pub async fn of_an_old_run_the_last_saved_state_stays(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    let kept = world.chat(&ann, "Kept").await;
    let mut unit = world.begin().await;
    assert!(unit.keep_chat(ann.personal_workspace, ann.id, kept.id, true).await.must());
    unit.commit().await.must();
    let old = ended_run(&world, &world.chat(&ann, "Old").await).await.id;
    let safe = ended_run(&world, &kept).await.id;
    world.ask(&world.chat(&ann, "Waits").await, "go").await;
    let waiting = world.claim("worker").await.expect("a run is ready").lease;
    let mut unit = world.begin().await;
    for step in 1..=2 {
        unit.insert_checkpoint(&waiting, &world.checkpoint(waiting.run, step)).await.must();
    }
    unit.commit().await.must();
    world.clock.advance_millis(1_000);
    assert_eq!(thin(&world, 10).await, 1);
    assert_eq!(saved(&world, old).await, [3]);
    assert_eq!(saved(&world, safe).await, [1, 2, 3], "its person wants it kept");
    assert_eq!(saved(&world, waiting.run).await, [1, 2], "it goes on");
    assert_eq!(thin(&world, 10).await, 0, "once is enough");
}

pub async fn events_of_one_write_keep_their_own_times(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (_, _, lease) = world.held_run().await;
    let timed: Vec<_> = (0..3).map(|n| (world.now().plus_millis(n * 7), status(n))).collect();
    let mut unit = world.begin().await;
    assert_eq!(unit.append_timed(&lease, &timed).await.must(), 1);
    unit.commit().await.must();
    let stored = world.store.list_events(lease.run, 0, 10).await.must();
    let stored: Vec<_> = stored.into_iter().map(|event| (event.at, event.body)).collect();
    assert_eq!(stored, timed);
}
