//! Child runs: each exists only together with the step that began it, reports its end to its parent, and stops when a run above it stops.

use std::{collections::BTreeSet, sync::Arc};

use adagent_contract::RunStatus;
use adagent_domain::{LaneId, RunId};

use super::fixtures::{EngineWorld, Must};
use crate::{EngineStore, Lease, NewRun, Parent, RunUpdate, StoreError, User};

fn child(world: &EngineWorld, ann: &User, parent: RunId, path: &str) -> NewRun {
    let parent = Parent { run: parent, path: path.to_owned() };
    NewRun { parent: Some(parent), ..world.new_flow(ann.personal_workspace, ann.id) }
}

/// Begins a child as a worker does: in the unit that holds the parent's lease.
async fn begin(world: &EngineWorld, lease: &Lease, run: &NewRun) -> Result<(), StoreError> {
    let mut unit = world.begin().await;
    unit.lock_lane(run.lane).await?;
    unit.hold_lease(lease).await?;
    unit.insert_run(run).await?;
    unit.commit().await
}

/// Begins a flow and lets `worker` hold its run.
async fn held_flow(world: &EngineWorld, ann: &User) -> Lease {
    world.begin_run(&world.new_flow(ann.personal_workspace, ann.id)).await;
    world.claim("worker").await.expect("it is ready").lease
}

/// Gives the lease back until somebody wakes the run.
async fn rest(world: &EngineWorld, lease: &Lease, status: RunStatus) {
    let run = world.store.find_run_unscoped(lease.run).await.must().expect("is there");
    let mut unit = world.begin().await;
    unit.lock_lanes_of(&run).await.must();
    let update = RunUpdate { status: Some(status), release: true, ..RunUpdate::default() };
    unit.update_run(lease, &update).await.must();
    unit.commit().await.must();
}

async fn end(world: &EngineWorld, lease: &Lease) {
    let run = world.store.find_run_unscoped(lease.run).await.must().expect("is there");
    let mut unit = world.begin().await;
    unit.lock_lanes_of(&run).await.must();
    let (status, finished_at) = (Some(RunStatus::Completed), Some(world.now()));
    unit.update_run(lease, &RunUpdate { status, finished_at, release: true, ..RunUpdate::default() }).await.must();
    unit.commit().await.must();
}

async fn claimed(world: &EngineWorld) -> Option<RunId> {
    world.claim("worker").await.map(|claimed| claimed.run.id)
}

pub async fn a_child_is_there_exactly_when_the_step_that_began_it_is(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let ann = world.person("ann").await;
    let parent = held_flow(&world, &ann).await;
    let first = child(&world, &ann, parent.run, "fetch");
    let mut unit = world.begin().await;
    unit.hold_lease(&parent).await.must();
    unit.insert_run(&first).await.must();
    drop(unit);
    assert_eq!(world.store.list_children(parent.run).await.must(), [], "nothing was committed");
    begin(&world, &parent, &first).await.must();
    let below = world.claim("worker").await.expect("the child is ready");
    assert_eq!((below.run.id, &below.run.parent, below.run.depth), (first.id, &first.parent, 1));
    let second = child(&world, &ann, first.id, "each[2]/send");
    begin(&world, &below.lease, &second).await.must();
    let deepest = world.store.list_children(first.id).await.must();
    assert_eq!(
        deepest.iter().map(|run| (run.id, run.root, run.depth)).collect::<Vec<_>>(),
        [(second.id, parent.run, 2)]
    );
    assert_eq!(world.store.list_children(parent.run).await.must().len(), 1, "its own alone");
}

pub async fn a_step_begins_one_run_and_only_whoever_holds_the_parent_begins_any(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    let parent = held_flow(&world, &ann).await;
    begin(&world, &parent, &child(&world, &ann, parent.run, "fetch")).await.must();
    let again = begin(&world, &parent, &child(&world, &ann, parent.run, "fetch")).await;
    assert!(matches!(again, Err(StoreError::Taken { .. })), "{again:?}");
    begin(&world, &parent, &child(&world, &ann, parent.run, "send")).await.must();
    let refused = |result: Result<bool, StoreError>| {
        assert!(matches!(result, Err(StoreError::RowsAffected { .. })), "{result:?}");
    };
    refused(world.begin().await.insert_run(&child(&world, &ann, parent.run, "without the lease")).await);
    let mut unit = world.begin().await;
    unit.hold_lease(&parent).await.must();
    refused(unit.insert_run(&child(&world, &bob, parent.run, "of somebody else")).await);
    drop(unit);
    assert_eq!(world.store.list_children(parent.run).await.must().len(), 2);
}

pub async fn a_child_never_waits_for_what_waits_for_it(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let (ann, chat, parent) = world.held_run().await;
    let first = child(&world, &ann, parent.run, "ask");
    begin(&world, &parent, &first).await.must();
    let below = world.claim("worker").await.expect("the child is ready").lease;
    for (lease, lane) in [(&parent, LaneId::from(chat.id)), (&below, chat.id.into()), (&below, first.lane)] {
        let run = NewRun { lane, ..child(&world, &ann, lease.run, "in the lane of one above") };
        let refused = begin(&world, lease, &run).await;
        assert!(matches!(refused, Err(StoreError::RowsAffected { .. })), "{refused:?}");
    }
    // If another run of its lane works, the child waits like any other run.
    let busy = held_flow(&world, &ann).await;
    let lane = world.store.find_run_unscoped(busy.run).await.must().expect("is there").lane;
    let waits = NewRun { lane, ..child(&world, &ann, parent.run, "waits") };
    begin(&world, &parent, &waits).await.must();
    assert_eq!(claimed(&world).await, None);
    end(&world, &busy).await;
    assert_eq!(claimed(&world).await, Some(waits.id));
}

pub async fn the_end_of_a_child_makes_its_parent_claimable(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let ann = world.person("ann").await;
    let parent = held_flow(&world, &ann).await;
    let (first, second, third) = (
        child(&world, &ann, parent.run, "1"),
        child(&world, &ann, parent.run, "2"),
        child(&world, &ann, parent.run, "3"),
    );
    for run in [&first, &second, &third] {
        begin(&world, &parent, run).await.must();
    }
    let one = world.claim("worker").await.expect("ready").lease;
    // The child ends while a worker still holds the parent. The parent reads that after the worker gives the lease back.
    world.clock.advance_millis(10);
    end(&world, &one).await;
    rest(&world, &parent, RunStatus::Running).await;
    let two = world.claim("worker").await.expect("ready").lease;
    assert_eq!(two.run, second.id, "it was ready before the parent");
    let again = {
        let third_lease = world.claim("worker").await.expect("ready").lease;
        assert_eq!(third_lease.run, third.id);
        rest(&world, &third_lease, RunStatus::AwaitingApproval).await;
        world.claim("worker").await.expect("the end of the first was not lost").lease
    };
    assert_eq!(again.run, parent.run);
    rest(&world, &again, RunStatus::Running).await;
    assert_eq!(claimed(&world).await, None);
    end(&world, &two).await;
    let again = world.claim("worker").await.expect("the second is over").lease;
    assert_eq!((again.run, again.epoch), (parent.run, 3));
    rest(&world, &again, RunStatus::Running).await;
    // The parent also becomes ready if no worker ended the child.
    let mut unit = world.begin().await;
    let ended = unit
        .set_run_status(third.id, &[RunStatus::AwaitingApproval], RunStatus::Cancelled, Some(world.now()))
        .await
        .must();
    unit.commit().await.must();
    assert!(ended);
    assert_eq!(claimed(&world).await, Some(parent.run));
}

pub async fn a_child_that_begins_to_wait_for_a_person_wakes_its_parent_once(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let ann = world.person("ann").await;
    let parent = held_flow(&world, &ann).await;
    begin(&world, &parent, &child(&world, &ann, parent.run, "1")).await.must();
    begin(&world, &parent, &child(&world, &ann, parent.run, "2")).await.must();
    rest(&world, &parent, RunStatus::Running).await;
    let (one, two) =
        (world.claim("worker").await.expect("ready").lease, world.claim("worker").await.expect("ready").lease);
    rest(&world, &one, RunStatus::Running).await;
    assert_eq!(claimed(&world).await, None, "it waits for no person");
    rest(&world, &two, RunStatus::AwaitingApproval).await;
    let again = world.claim("worker").await.expect("the parent looks").lease;
    assert_eq!(again.run, parent.run);
    // The parent waits for people already, so another child that begins to wait changes nothing.
    rest(&world, &again, RunStatus::AwaitingApproval).await;
    let mut unit = world.begin().await;
    unit.ready_run(one.run, world.now()).await.must();
    unit.commit().await.must();
    let one = world.claim("worker").await.expect("ready").lease;
    rest(&world, &one, RunStatus::AwaitingApproval).await;
    assert_eq!(claimed(&world).await, None);
}

pub async fn a_parent_that_waits_for_people_takes_its_turn(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let ann = world.person("ann").await;
    let parent = held_flow(&world, &ann).await;
    let lane = world.store.find_run_unscoped(parent.run).await.must().expect("is there").lane;
    for path in ["1", "2"] {
        begin(&world, &parent, &child(&world, &ann, parent.run, path)).await.must();
    }
    let next = NewRun { lane, ..world.new_flow(ann.personal_workspace, ann.id) };
    assert!(!world.begin_run(&next).await, "the parent works");
    let (one, two) =
        (world.claim("worker").await.expect("ready").lease, world.claim("worker").await.expect("ready").lease);
    rest(&world, &parent, RunStatus::AwaitingApproval).await;
    let working = world.claim("worker").await.expect("the lane is free").lease;
    assert_eq!(working.run, next.id);
    end(&world, &one).await;
    end(&world, &two).await;
    assert_eq!(claimed(&world).await, None, "another run of its lane works");
    end(&world, &working).await;
    assert_eq!(claimed(&world).await, Some(parent.run));
}

pub async fn a_request_to_stop_goes_down(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let ann = world.person("ann").await;
    let parent = held_flow(&world, &ann).await;
    let (left, right) = (child(&world, &ann, parent.run, "left"), child(&world, &ann, parent.run, "right"));
    begin(&world, &parent, &left).await.must();
    let held = world.claim("worker").await.expect("ready").lease;
    let below = child(&world, &ann, left.id, "below");
    begin(&world, &held, &below).await.must();
    let waits = world.claim("worker").await.expect("ready").lease;
    rest(&world, &waits, RunStatus::AwaitingApproval).await;
    let over = child(&world, &ann, left.id, "over");
    begin(&world, &held, &over).await.must();
    let ended = world.claim("worker").await.expect("ready").lease;
    end(&world, &ended).await;
    begin(&world, &parent, &right).await.must();

    let stop = async |run| {
        let mut unit = world.begin().await;
        let asked = unit.request_cancel(run, world.now()).await.must();
        unit.commit().await.must();
        asked
    };
    let stopping = async || {
        let all = [parent.run, left.id, below.id, over.id, right.id];
        let mut stopping = Vec::new();
        for run in all {
            let run = world.store.find_run_unscoped(run).await.must().expect("is there");
            stopping.push(run.cancel_requested);
        }
        stopping
    };
    assert!(stop(left.id).await);
    assert_eq!(stopping().await, [false, true, true, false, false], "nothing above or beside it, nothing that is over");
    let woken: BTreeSet<_> = [claimed(&world).await, claimed(&world).await].into_iter().flatten().collect();
    assert_eq!(woken, BTreeSet::from([below.id, right.id]), "what waited below hears of it");
    assert!(stop(parent.run).await);
    assert_eq!(stopping().await, [true, true, true, false, true]);
    // A child that the run begins from now on stops from the start.
    let late = child(&world, &ann, parent.run, "late");
    begin(&world, &parent, &late).await.must();
    assert!(world.store.find_run_unscoped(late.id).await.must().expect("is there").cancel_requested);
}

pub async fn many_children_that_end_at_once_and_a_parent_that_begins_more_never_block_each_other(
    store: Arc<dyn EngineStore>,
) {
    const CHILDREN: usize = 24;
    let world = EngineWorld::over(store);
    let ann = world.person("ann").await;
    let parent = held_flow(&world, &ann).await;
    let lanes: Vec<LaneId> = (0..3).map(|_| LaneId::new(&*world.ids)).collect();
    let beginner = tokio::spawn({
        let (world, ann, parent) = (world.clone(), ann.clone(), parent.clone());
        async move {
            for number in 0..CHILDREN {
                let run = child(&world, &ann, parent.run, &number.to_string());
                let run = NewRun { lane: lanes[number % lanes.len()], ..run };
                begin(&world, &parent, &run).await.must();
            }
        }
    });
    let workers = (0..4).map(|number| {
        let (world, parent) = (world.clone(), parent.run);
        tokio::spawn(async move {
            let mut ended = 0;
            loop {
                match world.claim(&format!("worker-{number}")).await {
                    Some(claimed) => {
                        end(&world, &claimed.lease).await;
                        ended += 1;
                    }
                    // A busy wait would starve the transactions that hold the locks.
                    None => tokio::time::sleep(std::time::Duration::from_millis(1)).await,
                }
                let children = world.store.list_children(parent).await.must();
                if children.len() == CHILDREN && children.iter().all(|run| run.status.is_final()) {
                    return ended;
                }
            }
        })
    });
    let workers: Vec<_> = workers.collect();
    let all = async {
        beginner.await.expect("no panic");
        let mut ended = 0;
        for worker in workers {
            ended += worker.await.expect("no panic");
        }
        ended
    };
    let ended = tokio::time::timeout(std::time::Duration::from_mins(1), all).await.expect("none is forgotten");
    assert_eq!(ended, CHILDREN);
    rest(&world, &parent, RunStatus::Running).await;
    assert_eq!(claimed(&world).await, Some(parent.run), "no end was lost");
}
