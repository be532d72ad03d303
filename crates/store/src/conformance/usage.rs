//! Budgets: amounts that are set aside, booked, refused and removed.

use std::sync::Arc;

use adagent_domain::WorkspaceId;

use super::fixtures::{Must, World};
use crate::{
    DayUsage, Held, Lease, QuestionNumber, Reservation, Reserved, RunUpdate, Settlement, Store, StoreError, User,
};

const DAY: &str = "2026-11-22";

fn wanted(world: &World, workspace: WorkspaceId, cost_micros: i64) -> Reservation {
    Reservation {
        workspace,
        question: QuestionNumber::ONLY,
        day: DAY.to_owned(),
        model: "anthropic/claude".to_owned(),
        input_tokens: 12,
        output_tokens: 34,
        cost_micros,
        ceiling_micros: 100,
        now: world.now(),
        expires_at: world.now().plus_seconds(60),
    }
}

fn spent(workspace: WorkspaceId, cost_micros: i64) -> Settlement {
    let (question, day) = (QuestionNumber::ONLY, DAY.to_owned());
    Settlement { workspace, question, day, input_tokens: 20, output_tokens: 3, cost_micros, calls: 1 }
}

async fn reserve(world: &World, lease: &Lease, wanted: &Reservation) -> Reserved {
    let mut unit = world.begin().await;
    let reserved = unit.reserve_usage(lease, wanted).await.must();
    unit.commit().await.must();
    reserved
}

async fn settle(world: &World, lease: &Lease, settled: &Settlement) {
    let mut unit = world.begin().await;
    unit.settle_usage(lease, settled).await.must();
    unit.commit().await.must();
}

async fn day(world: &World, workspace: WorkspaceId) -> DayUsage {
    world.store.find_usage(workspace, DAY, world.now()).await.must()
}

/// Makes another run of the same person, held by a worker.
async fn another(world: &World, person: &User) -> Lease {
    world.ask(&world.chat(person, "Talk").await, "go").await;
    world.claim("worker").await.expect("ready").lease
}

pub async fn a_reservation_is_settled_with_what_was_spent(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, _, lease) = world.held_run().await;
    let workspace = ann.personal_workspace;
    assert_eq!(day(&world, workspace).await, DayUsage::default());
    assert_eq!(reserve(&world, &lease, &wanted(&world, workspace, 40)).await, Reserved::Granted);
    assert_eq!(day(&world, workspace).await, DayUsage { held_micros: 40, ..DayUsage::default() });
    // The reservation decides the day, however late the settlement comes.
    settle(&world, &lease, &Settlement { day: "2026-11-23".to_owned(), ..spent(workspace, 25) }).await;
    let booked = DayUsage { input_tokens: 20, output_tokens: 3, cost_micros: 25, calls: 1, held_micros: 0 };
    assert_eq!(day(&world, workspace).await, booked);
    settle(&world, &lease, &spent(workspace, 5)).await;
    assert_eq!(day(&world, workspace).await.cost_micros, 30, "without a reservation the given day is booked on");
    let bob = world.person("bob").await;
    assert_eq!(day(&world, bob.personal_workspace).await, DayUsage::default());
}

pub async fn a_call_that_could_break_the_ceiling_is_refused(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, _, first) = world.held_run().await;
    let workspace = ann.personal_workspace;
    let second = another(&world, &ann).await;
    settle(&world, &first, &spent(workspace, 30)).await;
    assert_eq!(reserve(&world, &first, &wanted(&world, workspace, 50)).await, Reserved::Granted);
    let refused = reserve(&world, &second, &wanted(&world, workspace, 21)).await;
    let stands = DayUsage { input_tokens: 20, output_tokens: 3, cost_micros: 30, calls: 1, held_micros: 50 };
    assert_eq!(refused, Reserved::Refused(stands));
    assert_eq!(reserve(&world, &second, &wanted(&world, workspace, 20)).await, Reserved::Granted, "up to the ceiling");
    let tomorrow = Reservation { day: "2026-11-23".to_owned(), ..wanted(&world, workspace, 100) };
    assert_eq!(reserve(&world, &second, &tomorrow).await, Reserved::Granted, "a new day begins with nothing");
}

pub async fn a_question_has_one_reservation_and_a_dead_ones_expires(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, _, first) = world.held_run().await;
    let workspace = ann.personal_workspace;
    let second = another(&world, &ann).await;
    assert_eq!(reserve(&world, &first, &wanted(&world, workspace, 90)).await, Reserved::Granted);
    assert_eq!(reserve(&world, &first, &wanted(&world, workspace, 80)).await, Reserved::Granted, "instead of the 90");
    assert_eq!(day(&world, workspace).await.held_micros, 80);
    let mut unit = world.begin().await;
    unit.release_usage(first.run, QuestionNumber::ONLY).await.must();
    unit.commit().await.must();
    assert_eq!(day(&world, workspace).await.held_micros, 0, "its run is over");
    let dies = Reservation { expires_at: world.now().plus_seconds(10), ..wanted(&world, workspace, 90) };
    assert_eq!(reserve(&world, &first, &dies).await, Reserved::Granted);
    let refused = reserve(&world, &second, &wanted(&world, workspace, 90)).await;
    assert!(matches!(refused, Reserved::Refused(stands) if stands.held_micros == 90));
    world.clock.advance_millis(10_000);
    assert_eq!(reserve(&world, &second, &wanted(&world, workspace, 90)).await, Reserved::Granted);
    assert_eq!(sweep(&world).await, 0, "its run is still claimed: whoever takes it over books it");
    assert_eq!(world.store.list_held(first.run).await.must()[0].cost_micros, 90);
    let mut unit = world.begin().await;
    unit.update_run(&first, &RunUpdate { release: true, ..RunUpdate::default() }).await.must();
    unit.commit().await.must();
    assert_eq!(sweep(&world).await, 1, "only the expired one");
    assert_eq!(day(&world, workspace).await.held_micros, 90);
}

pub async fn questions_of_one_run_leave_each_others_reservation_alone(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, _, lease) = world.held_run().await;
    let workspace = ann.personal_workspace;
    let (first, second) = (QuestionNumber(1), QuestionNumber(2));
    let of = |question, cost_micros| Reservation { question, ..wanted(&world, workspace, cost_micros) };
    assert_eq!(reserve(&world, &lease, &of(first, 40)).await, Reserved::Granted);
    assert_eq!(reserve(&world, &lease, &of(second, 50)).await, Reserved::Granted);
    assert_eq!(day(&world, workspace).await.held_micros, 90);
    let refused = reserve(&world, &lease, &of(QuestionNumber(3), 11)).await;
    assert!(matches!(refused, Reserved::Refused(stands) if stands.held_micros == 90), "together they keep the ceiling");
    assert_eq!(reserve(&world, &lease, &of(second, 60)).await, Reserved::Granted, "instead of its own 50");
    let held = world.store.list_held(lease.run).await.must();
    assert_eq!(held.iter().map(|one| (one.question, one.cost_micros)).collect::<Vec<_>>(), [(first, 40), (second, 60)]);
    settle(&world, &lease, &Settlement { question: first, ..spent(workspace, 25) }).await;
    let stands = day(&world, workspace).await;
    assert_eq!((stands.cost_micros, stands.held_micros), (25, 60), "the second is still under way");
    let mut unit = world.begin().await;
    unit.release_usage(lease.run, second).await.must();
    unit.commit().await.must();
    assert_eq!(world.store.list_held(lease.run).await.must(), []);
}

async fn sweep(world: &World) -> u64 {
    let mut unit = world.begin().await;
    let swept = unit.sweep(world.now()).await.must();
    unit.commit().await.must();
    swept
}

pub async fn who_takes_a_run_over_finds_what_was_set_aside_for_it(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, _, lease) = world.held_run().await;
    let workspace = ann.personal_workspace;
    assert_eq!(world.store.list_held(lease.run).await.must(), []);
    reserve(&world, &lease, &wanted(&world, workspace, 40)).await;
    let second = Reservation { model: "openai/gpt".into(), input_tokens: 7, ..wanted(&world, workspace, 50) };
    reserve(&world, &lease, &second).await;
    world.clock.advance_millis(600_000);
    assert_eq!(sweep(&world).await, 0);
    let heir = world.claim("heir").await.expect("the lease is over");
    let held = Held {
        question: QuestionNumber::ONLY,
        model: "openai/gpt".into(),
        input_tokens: 7,
        output_tokens: 34,
        cost_micros: 50,
    };
    assert_eq!(world.store.list_held(lease.run).await.must(), [held]);
    settle(&world, &heir.lease, &spent(workspace, 50)).await;
    assert_eq!(world.store.list_held(lease.run).await.must(), []);
    assert_eq!((day(&world, workspace).await.cost_micros, day(&world, workspace).await.held_micros), (50, 0));
}

pub async fn many_runs_at_once_never_promise_more_than_the_ceiling(store: Arc<dyn Store>) {
    const RUNS: usize = 12;
    let world = World::new(store);
    let ann = world.person("ann").await;
    let workspace = ann.personal_workspace;
    let mut leases = Vec::new();
    for _ in 0..RUNS {
        leases.push(another(&world, &ann).await);
    }
    let runs = leases.into_iter().map(|lease| {
        let world = world.clone();
        tokio::spawn(async move {
            let mut granted = 0_u32;
            for _ in 0..4 {
                match reserve(&world, &lease, &wanted(&world, workspace, 9)).await {
                    Reserved::Granted => {
                        let stands = day(&world, workspace).await;
                        assert!(stands.cost_micros + stands.held_micros <= 100, "{stands:?}");
                        settle(&world, &lease, &spent(workspace, 7)).await;
                        granted += 1;
                    }
                    Reserved::Refused(stands) => assert!(stands.cost_micros + stands.held_micros > 91, "{stands:?}"),
                }
            }
            granted
        })
    });
    let mut granted = 0;
    for run in runs.collect::<Vec<_>>() {
        granted += run.await.expect("no panic");
    }
    let end = day(&world, workspace).await;
    assert_eq!((end.cost_micros, end.calls, end.held_micros), (i64::from(granted) * 7, u64::from(granted), 0));
    assert!(end.cost_micros <= 100 && end.cost_micros > 91 - 7, "used up, not overshot: {end:?}");
}

pub async fn a_worker_that_lost_its_lease_neither_reserves_nor_books(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, _, lease) = world.held_run().await;
    let workspace = ann.personal_workspace;
    let stale = Lease { epoch: lease.epoch - 1, ..lease.clone() };
    let mut unit = world.begin().await;
    let error = unit.reserve_usage(&stale, &wanted(&world, workspace, 1)).await.expect_err("stale");
    assert!(matches!(error, StoreError::StaleEpoch { .. }), "{error}");
    drop(unit);
    let mut unit = world.begin().await;
    let error = unit.settle_usage(&stale, &spent(workspace, 1)).await.expect_err("stale");
    assert!(matches!(error, StoreError::StaleEpoch { .. }), "{error}");
    drop(unit);
    assert_eq!(day(&world, workspace).await, DayUsage::default());
}
