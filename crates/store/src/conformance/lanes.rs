//! Runs of one lane, which run one at a time, and runs that belong to no chat.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering::SeqCst},
};

use adagent_contract::RunStatus;
use adagent_domain::{AgentId, LaneId, RunId, TriggerId};

use super::fixtures::{EngineWorld, Must};
use crate::{EngineStore, Lease, NewRun, Principal, RunClass, RunUpdate, StoreError};

async fn end(world: &EngineWorld, lease: &Lease) {
    let mut unit = world.begin().await;
    unit.lock_lane(world.store.find_run_unscoped(lease.run).await.must().expect("is there").lane).await.must();
    let update = RunUpdate {
        status: Some(RunStatus::Completed),
        finished_at: Some(world.now()),
        release: true,
        ..RunUpdate::default()
    };
    unit.update_run(lease, &update).await.must();
    unit.commit().await.must();
}

async fn claimed(world: &EngineWorld) -> Option<RunId> {
    world.claim("worker").await.map(|claimed| claimed.run.id)
}

pub async fn a_flow_belongs_to_no_conversation_and_comes_back_as_it_was_begun(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    let (agent, trigger) = (AgentId::new(&*world.ids), TriggerId::new(&*world.ids));
    let flow = NewRun {
        principal: Principal { user: ann.id, agent: Some(agent), trigger: Some(trigger) },
        ..world.new_flow(ann.personal_workspace, ann.id)
    };
    assert!(world.begin_run(&flow).await, "nothing is before it");
    let store = &world.store;
    let found = store.find_run(ann.personal_workspace, ann.id, flow.id).await.must().expect("her own");
    assert_eq!((found.principal, &found.subject, found.class), (flow.principal, &flow.subject, flow.class));
    assert_eq!((found.lane, found.parent.clone(), found.root, found.depth), (flow.lane, None, flow.id, 0));
    assert_eq!((found.turn(), found.status), (None, RunStatus::Queued));
    assert_eq!(store.list_runs(ann.personal_workspace, ann.id, None, 10).await.must(), [found]);
    assert_eq!(store.find_run(ann.personal_workspace, bob.id, flow.id).await.must(), None);
    assert_eq!(claimed(&world).await, Some(flow.id));
    let foreign = world.new_flow(ann.personal_workspace, bob.id);
    let error = world.begin().await.insert_run(&foreign).await.expect_err("he is no member");
    assert!(matches!(error, StoreError::RowsAffected { .. }), "{error:?}");
}

pub async fn runs_of_a_lane_follow_each_other_without_a_conversation_too(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let ann = world.person("ann").await;
    let lane = LaneId::new(&*world.ids);
    let flow = || world.new_flow(ann.personal_workspace, ann.id);
    let (first, second) = (NewRun { lane, ..flow() }, NewRun { lane, ..flow() });
    assert!(world.begin_run(&first).await);
    assert!(!world.begin_run(&second).await, "the first goes before it");
    let elsewhere = flow();
    assert!(world.begin_run(&elsewhere).await, "another lane does not wait");
    let held = world.claim("worker").await.expect("the first is ready");
    assert_eq!(held.run.id, first.id);
    assert_eq!((claimed(&world).await, claimed(&world).await), (Some(elsewhere.id), None));
    end(&world, &held.lease).await;
    assert_eq!(claimed(&world).await, Some(second.id));
    assert_eq!(world.store.list_open_runs(ann.personal_workspace, lane).await.must().len(), 1);
}

pub async fn interactive_runs_are_claimed_before_background_ones(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let ann = world.person("ann").await;
    let mut expected = Vec::new();
    for (class, seconds) in [
        (RunClass::Background, -40),
        (RunClass::Interactive, -10),
        (RunClass::Background, -30),
        (RunClass::Interactive, -20),
    ] {
        let ready_at = world.now().plus_seconds(seconds);
        let run = NewRun { class, ready_at, ..world.new_flow(ann.personal_workspace, ann.id) };
        world.begin_run(&run).await;
        expected.push((class == RunClass::Background, seconds, run.id));
    }
    // A run that is not ready yet does not block the other class.
    let later = NewRun { ready_at: world.now().plus_seconds(5), ..world.new_flow(ann.personal_workspace, ann.id) };
    world.begin_run(&NewRun { class: RunClass::Interactive, ..later.clone() }).await;
    expected.sort_unstable();
    assert_eq!(world.store.count_ready(world.now()).await.must(), 4);
    for (_, _, run) in expected {
        assert_eq!(claimed(&world).await, Some(run));
    }
    assert_eq!(claimed(&world).await, None);
    world.clock.advance_millis(5_000);
    assert_eq!(claimed(&world).await, Some(later.id));
}

pub async fn a_claim_takes_only_the_classes_it_names(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let ann = world.person("ann").await;
    let behind = world.new_flow(ann.personal_workspace, ann.id);
    world.begin_run(&behind).await;
    assert_eq!(world.claim_of("worker", &[RunClass::Interactive]).await, None);
    assert_eq!(world.claim_of("worker", &[]).await, None);
    let in_front = world.ask(&world.chat(&ann, "Talk").await, "go").await;
    let of = async |class| world.claim_of("worker", &[class]).await.map(|claimed| claimed.run.id);
    assert_eq!(of(RunClass::Background).await, Some(behind.id));
    assert_eq!(of(RunClass::Background).await, None);
    assert_eq!(of(RunClass::Interactive).await, Some(in_front.id));
}

pub async fn a_lane_never_has_two_runs_at_work_however_many_begin(store: Arc<dyn EngineStore>) {
    const BEGINNERS: usize = 4;
    const EACH: usize = 6;
    let world = EngineWorld::over(store);
    let ann = world.person("ann").await;
    let lane = LaneId::new(&*world.ids);
    let (at_work, done) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let mut tasks = Vec::new();
    for _ in 0..BEGINNERS {
        let (world, ann) = (world.clone(), ann.clone());
        tasks.push(tokio::spawn(async move {
            for _ in 0..EACH {
                world.begin_run(&NewRun { lane, ..world.new_flow(ann.personal_workspace, ann.id) }).await;
            }
        }));
    }
    for number in 0..4 {
        let (world, at_work, done) = (world.clone(), Arc::clone(&at_work), Arc::clone(&done));
        tasks.push(tokio::spawn(async move {
            while done.load(SeqCst) < BEGINNERS * EACH {
                let Some(held) = world.claim(&format!("worker-{number}")).await else {
                    tokio::task::yield_now().await;
                    continue;
                };
                assert_eq!(at_work.fetch_add(1, SeqCst), 0, "two runs of a lane at a time");
                tokio::task::yield_now().await;
                assert_eq!(at_work.fetch_sub(1, SeqCst), 1);
                end(&world, &held.lease).await;
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
}
