//! What only PostgreSQL must do: handle several processes, cut connections and schemas.

use std::{sync::Arc, time::Duration};

use adagent_contract::RunStatus;
use adagent_domain::{Network, RunId, SequentialIds};
use adagent_store::{
    Engine, EngineStore as _, Store, StoreError, Wake,
    conformance::{
        fixtures::{Must, World},
        newer::NewerRuns,
    },
};
use adagent_store_postgres::open;
use adagent_testkit::postgres_url;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use tokio::{sync::broadcast::error::RecvError, time::timeout};

const SOON: Duration = Duration::from_secs(10);

async fn execute(url: &str, statement: impl Into<String>) {
    let mut connection = PgConnection::connect(url).await.expect("connects");
    sqlx::raw_sql(AssertSqlSafe(statement.into())).execute(&mut connection).await.expect("runs");
    connection.close().await.expect("closes");
}

async fn commit_with(store: &dyn Store, wakes: &[Wake]) {
    let mut unit = store.begin().await.must();
    for wake in wakes {
        unit.wake(*wake);
    }
    unit.commit().await.must();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn other_processes_are_woken_after_a_commit() {
    let url = postgres_url().await;
    let (one, two) = (open(&url).await.must(), open(&url).await.must());
    assert_eq!(one.engine(), Engine::Postgres);
    let mut ear = two.subscribe();
    let run = RunId::new(&SequentialIds::default());
    let mut dropped = one.begin().await.must();
    dropped.wake(Wake::Work);
    drop(dropped);
    commit_with(&*one, &[Wake::Events(run), Wake::Work]).await;
    assert_eq!(timeout(SOON, ear.recv()).await.unwrap().unwrap(), Wake::Events(run));
    assert_eq!(timeout(SOON, ear.recv()).await.unwrap().unwrap(), Wake::Work);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn another_schema_of_the_database_is_not_woken() {
    let (one, two) = (open(&postgres_url().await).await.must(), open(&postgres_url().await).await.must());
    let mut ear = two.subscribe();
    commit_with(&*one, &[Wake::Work]).await;
    commit_with(&*two, &[Wake::Events(RunId::new(&SequentialIds::default()))]).await;
    assert!(matches!(timeout(SOON, ear.recv()).await.unwrap(), Ok(Wake::Events(_))));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn cut_connections_come_back_and_receivers_look_again() {
    // Use a separate application name, so that we cut only this test's connections.
    let url = format!("{}&application_name=to_be_cut", postgres_url().await);
    let (one, two) = (open(&url).await.must(), open(&url).await.must());
    let mut ear = two.subscribe();
    let cut = "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'to_be_cut'";
    execute(&postgres_url().await, cut).await;
    let told = timeout(SOON, async {
        loop {
            match ear.recv().await {
                Ok(Wake::Everything) => break,
                Ok(_) | Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => panic!("the store is open"),
            }
        }
    });
    told.await.expect("told that something may have been missed");
    // A cut connection fails at most once. Then the store works again, also between processes.
    let mut failures = 0;
    while one.ping().await.is_err() {
        failures += 1;
        assert!(failures < 40, "does not come back");
    }
    let run = RunId::new(&SequentialIds::default());
    let heard = timeout(SOON, async {
        loop {
            let Ok(mut unit) = one.begin().await else { continue };
            unit.wake(Wake::Events(run));
            if unit.commit().await.is_err() {
                continue;
            }
            while let Ok(wake) = timeout(Duration::from_millis(100), ear.recv()).await {
                if matches!(wake, Ok(Wake::Events(heard)) if heard == run) {
                    return;
                }
            }
        }
    });
    heard.await.expect("notifications arrive again");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_starters_of_an_empty_schema_all_succeed() {
    let url = postgres_url().await;
    let starts = (0..6).map(|_| {
        let url = url.clone();
        tokio::spawn(async move { open(&url).await })
    });
    for start in starts.collect::<Vec<_>>() {
        start.await.unwrap().must().ping().await.must();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_processes_never_claim_the_same_run() {
    let url = postgres_url().await;
    let (one, two) = (open(&url).await.must(), open(&url).await.must());
    let first = World::new(one as Arc<dyn Store>);
    let second = World { store: two as Arc<dyn Store>, ..first.clone() };
    let ann = first.person("ann").await;
    for _ in 0..30 {
        // One chat each, because runs of the same chat would follow each other.
        first.ask(&first.chat(&ann, "Talk").await, "go").await;
    }
    let claimers = (0..8).map(|number| {
        let world = if number % 2 == 0 { first.clone() } else { second.clone() };
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
        all.extend(claimer.await.unwrap());
    }
    all.sort_unstable();
    let claims = all.len();
    all.dedup();
    assert_eq!((claims, all.len()), (30, 30));
}

#[tokio::test]
async fn a_newer_database_is_refused() {
    let url = postgres_url().await;
    open(&url).await.must().close().await;
    execute(&url, "insert into schema_migrations (version, name) values (9999, 'future')").await;
    let error = open(&url).await.err().expect("refused");
    assert!(matches!(error, StoreError::Schema(_)) && error.to_string().contains("9999_future"), "{error}");
}

#[tokio::test]
async fn an_error_of_the_url_says_where_at_once_and_does_not_repeat_the_password() {
    for (url, expected) in [
        ("postgres://ann:hunter2@host:notaport/db", "DATABASE_URL"),
        ("ann:hunter2@nowhere", "DATABASE_URL"),
        ("postgres://ann:hunter2@127.0.0.1:1/db", "127.0.0.1:1, database db, as ann"),
    ] {
        let error = timeout(Duration::from_secs(5), open(url)).await.expect("at once").err().expect("refused");
        assert!(error.to_string().contains(expected), "{error}");
        assert!(!format!("{error} {error:?}").contains("hunter2"), "{error:?}");
    }
}

/// Waits until a statement waits for a lock, or `done` has ended without waiting, so that no test guesses how long either takes.
async fn until_it_waits<T>(url: &str, done: &tokio::task::JoinHandle<T>) {
    const WAITING: &str = "select count(*) from pg_stat_activity \
                           where application_name like 'locks_a_%' and wait_event_type = 'Lock'";
    let mut eye = PgConnection::connect(url).await.expect("connects");
    while !done.is_finished() {
        let waiting: i64 = sqlx::query_scalar(WAITING).fetch_one(&mut eye).await.expect("is told");
        if waiting > 0 {
            break;
        }
        tokio::task::yield_now().await;
    }
    eye.close().await.expect("closes");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn who_removes_a_workspace_waits_for_what_is_on_its_way_into_it() {
    let url = format!("{}&application_name=locks_a_workspace", postgres_url().await);
    let world = World::new(open(&url).await.must());
    let ann = world.person("ann").await;
    let home = ann.personal_workspace;
    let removing = || {
        let world = world.clone();
        tokio::spawn(async move {
            let mut unit = world.begin().await;
            assert!(unit.close_workspace(home).await.must());
            unit.connections_of(home).await.must().into_iter().map(|found| found.sealed).collect::<Vec<_>>()
        })
    };
    // First a new connection, then one that replaces another.
    let new = world.connection(&ann, Network::AdMob);
    for (sealed, anew) in [("sealed-1", false), ("sealed-2", true)] {
        let mut connecting = world.begin().await;
        let connection = adagent_store::Connection { sealed: sealed.to_owned(), ..new.clone() };
        if anew {
            assert!(connecting.remake_connection(&connection).await.must());
        } else {
            connecting.insert_connection(&connection).await.must();
        }
        let removing = removing();
        until_it_waits(&url, &removing).await;
        connecting.commit().await.must();
        assert_eq!(removing.await.expect("no panic"), [sealed]);
    }
    // Nobody can add a connection while we hold the lock.
    let mut unit = world.begin().await;
    assert!(unit.close_workspace(home).await.must());
    let late = tokio::spawn({
        let world = world.clone();
        let connection = world.connection(&ann, Network::AdManager);
        async move {
            let mut unit = world.begin().await;
            unit.insert_connection(&connection).await?;
            unit.commit().await
        }
    });
    until_it_waits(&url, &late).await;
    assert!(!late.is_finished(), "it waits");
    let seen = unit.connections_of(home).await.must();
    assert_eq!(seen.len(), 1);
    drop(unit);
    late.await.expect("no panic").must();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn who_stops_the_runs_of_a_person_and_who_answers_an_approval_never_wait_for_each_other() {
    let url = format!("{}&application_name=locks_a_chat", postgres_url().await);
    let world = World::new(open(&url).await.must());
    let ann = world.person("ann").await;
    let (chat, other) = (world.chat(&ann, "Talk").await, world.chat(&ann, "More").await);
    let asked = world.ask(&chat, "go").await.id;
    world.ask(&other, "go").await;
    // An answer holds the chat's lane and is about to lock the run's row.
    let mut answering = world.begin().await;
    answering.lock_lane(chat.id.into()).await.must();
    let stopping = tokio::spawn({
        let (world, home) = (world.clone(), ann.personal_workspace);
        async move {
            let mut unit = world.begin().await;
            let open = unit.lock_open_runs_of(home, None).await?;
            for run in &open {
                unit.set_run_status(run.id, &[run.status], RunStatus::Cancelled, Some(world.now())).await?;
            }
            unit.commit().await?;
            Ok::<_, StoreError>(open.len())
        }
    });
    until_it_waits(&url, &stopping).await;
    assert!(!stopping.is_finished(), "it waits for the conversation");
    assert!(answering.lock_run(asked).await.must().is_some(), "the row is free");
    answering.commit().await.must();
    assert_eq!(stopping.await.expect("no panic").must(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn runs_of_a_newer_program_hold_up_no_claim_and_no_list() {
    let url = postgres_url().await;
    let world = World::new(open(&url).await.must());
    let newer = NewerRuns::stored(&world).await;
    // The constraints belong to this program's version; a newer one has others.
    let open_up = ["runs_kind_check", "runs_class_check", "runs_status_check", "runs_of_turns"]
        .map(|name| format!("alter table runs drop constraint {name}"));
    for statement in open_up.into_iter().chain(newer.statements(|id| format!("'{id}'"))) {
        execute(&url, statement).await;
    }
    newer.are_passed_over(&world).await;
}
