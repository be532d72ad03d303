//! Keys for what programs ask: only one run per key is open, however many programs ask.

use std::sync::Arc;

use adagent_contract::RunStatus;

use super::fixtures::{Must, World, together};
use crate::{NewRun, Store, StoreError, StoreResult, User};

/// Begins a run in its own chat, with this key.
async fn asked(world: &World, person: &User, key: &str) -> StoreResult<NewRun> {
    let chat = world.chat(person, "Called").await;
    let run = world.new_run(&chat);
    let mut unit = world.store.begin_in(run.workspace).await?;
    unit.insert_run(&run).await?;
    unit.insert_message(&World::new_message(&run, "Call this.")).await?;
    unit.mark_asked(run.id, key).await?;
    unit.commit().await?;
    Ok(run)
}

fn taken<T: std::fmt::Debug>(tried: StoreResult<T>) -> bool {
    matches!(tried, Err(StoreError::Taken { table, .. }) if table == "runs")
}

pub async fn what_is_asked_for_is_open_once(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    let first = asked(&world, &ann, "call a").await.must();
    assert!(taken(asked(&world, &ann, "call a").await));
    // Another key and another person do not conflict.
    asked(&world, &ann, "call b").await.must();
    asked(&world, &bob, "call a").await.must();
    let found = |key: &'static str| world.store.find_asked(ann.personal_workspace, ann.id, key);
    assert_eq!(found("call a").await.must().map(|run| run.id), Some(first.id));
    assert!(found("call c").await.must().is_none());
    assert!(world.store.find_asked(bob.personal_workspace, ann.id, "call a").await.must().is_none());
    let runs = world.store.list_runs(ann.personal_workspace, ann.id, None, 10).await.must();
    assert_eq!(runs.len(), 2, "what was refused left nothing behind");

    // After the run has ended, a program can ask again.
    let mut unit = world.begin().await;
    let end = Some(world.now());
    assert!(unit.set_run_status(first.id, &[RunStatus::Queued], RunStatus::Stopped, end).await.must());
    unit.commit().await.must();
    assert!(found("call a").await.must().is_none());
    let again = asked(&world, &ann, "call a").await.must();
    assert_eq!(found("call a").await.must().map(|run| run.id), Some(again.id));
}

/// A program that asks again gets a new run instead of one that a person is stopping.
pub async fn what_is_being_stopped_stands_in_nobodys_way(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    let stopping = asked(&world, &ann, "call a").await.must();
    let mut unit = world.begin().await;
    assert!(unit.request_cancel(stopping.id, world.now()).await.must());
    unit.commit().await.must();
    let found = || world.store.find_asked(ann.personal_workspace, ann.id, "call a");
    assert!(found().await.must().is_none());
    let again = asked(&world, &ann, "call a").await.must();
    assert_eq!(found().await.must().map(|run| run.id), Some(again.id));
    assert!(taken(asked(&world, &ann, "call a").await), "once, all the same");
    let run = world.store.find_run_unscoped(stopping.id).await.must().expect("it is there until it stops");
    assert!(run.cancel_requested && run.status == RunStatus::Queued);
}

pub async fn of_many_who_ask_for_the_same_at_once_one_begins(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    let tries = together((0..8).map(|_| {
        let (world, ann) = (world.clone(), ann.clone());
        async move { asked(&world, &ann, "call a").await }
    }));
    let (begun, refused): (Vec<_>, Vec<_>) = tries.await.into_iter().partition(Result::is_ok);
    assert_eq!(begun.len(), 1);
    assert!(refused.into_iter().all(taken));
    let runs = world.store.list_runs(ann.personal_workspace, ann.id, None, 10).await.must();
    assert_eq!(runs.len(), 1);
}
