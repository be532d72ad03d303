//! What only SQLite must do: handle files, several processes on one file, and folding the log.

use std::{path::Path, sync::Arc};

use adagent_store::{
    Engine, HttpSession, Store, StoreError,
    conformance::{
        fixtures::{Must, World},
        newer::NewerRuns,
    },
};
use adagent_store_sqlite::{SqliteStore, open};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, sqlite::SqliteConnectOptions};

async fn world(path: &Path) -> (Arc<SqliteStore>, World) {
    let store = open(path).await.must();
    let world = World::new(Arc::clone(&store) as Arc<dyn Store>);
    (store, world)
}

fn options(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new().filename(path).create_if_missing(true)
}

async fn execute(path: &Path, statement: impl Into<String>) {
    let mut connection = options(path).connect().await.expect("connects");
    sqlx::raw_sql(AssertSqlSafe(statement.into())).execute(&mut connection).await.expect("runs");
    connection.close().await.expect("closes");
}

#[tokio::test]
async fn makes_folder_and_file_and_finds_everything_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("new/deeper/adagent.db");
    let (store, world) = self::world(&path).await;
    assert_eq!(store.engine(), Engine::Sqlite);
    let ann = world.person("ann").await;
    drop(world);
    store.close().await;
    drop(store);
    assert!(!path.with_extension("db-wal").exists(), "closing folds the log");
    let (_store, world) = self::world(&path).await;
    assert_eq!(world.store.find_user(ann.id).await.must(), Some(ann));
}

#[tokio::test]
async fn a_durable_commit_is_in_the_files_that_a_power_cut_would_leave() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("adagent.db");
    let (_store, world) = self::world(&path).await;
    let mut unit = world.begin().await;
    unit.durable();
    let session = HttpSession { id: "s".to_owned(), data: "d".to_owned(), expires_at: world.now().plus_seconds(9) };
    assert!(unit.insert_http_session(&session).await.must());
    unit.commit().await.must();
    // We close nothing: the database and its log must be enough.
    let copy = tempfile::tempdir().expect("a folder");
    for name in ["adagent.db", "adagent.db-wal"] {
        std::fs::copy(folder.path().join(name), copy.path().join(name)).unwrap();
    }
    let (_store, after) = self::world(&copy.path().join("adagent.db")).await;
    assert_eq!(after.store.find_http_session("s", after.now()).await.must(), Some(session));
}

#[tokio::test]
async fn a_newer_database_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("adagent.db");
    open(&path).await.must().close().await;
    execute(&path, "insert into schema_migrations (version, name) values (9999, 'future')").await;
    let error = open(&path).await.err().expect("refused");
    assert!(matches!(error, StoreError::Schema(_)), "{error:?}");
    assert!(error.to_string().contains("9999_future"), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_starters_of_a_new_file_all_succeed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("adagent.db");
    let starts = (0..6).map(|_| {
        let path = path.clone();
        tokio::spawn(async move { open(&path).await })
    });
    for start in starts.collect::<Vec<_>>() {
        start.await.unwrap().must().ping().await.must();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_file_that_another_starter_writes_is_waited_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("adagent.db");
    execute(&path, "create table first (number integer)").await;
    let mut writer = options(&path).connect().await.unwrap();
    sqlx::raw_sql("begin immediate; insert into first values (1)").execute(&mut writer).await.unwrap();
    let starter = tokio::spawn({
        let path = path.clone();
        async move { open(&path).await }
    });
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    sqlx::raw_sql("commit").execute(&mut writer).await.unwrap();
    starter.await.unwrap().must().ping().await.must();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_processes_write_to_one_file_without_losing_anything() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("adagent.db");
    let (_one, first) = self::world(&path).await;
    let (_two, second) = self::world(&path).await;
    let writers = [first.clone(), second.clone()].into_iter().enumerate().map(|(place, world)| {
        tokio::spawn(async move {
            for number in 0..40 {
                let expires_at = world.now().plus_seconds(9);
                let mut unit = world.begin().await;
                let session = HttpSession { id: format!("{place}-{number}"), data: String::new(), expires_at };
                assert!(unit.insert_http_session(&session).await.must());
                unit.commit().await.must();
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
    for place in 0..2 {
        for number in 0..40 {
            let id = format!("{place}-{number}");
            assert!(first.store.find_http_session(&id, first.now()).await.must().is_some(), "{id}");
        }
    }
}

#[tokio::test]
async fn what_is_no_database_is_named_in_the_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("notes.txt");
    std::fs::write(&path, "these are not the bytes of a database, whatever it is called\n".repeat(20)).unwrap();
    let error = open(&path).await.err().expect("refused").to_string();
    assert!(error.contains("notes.txt"), "{error}");
    let error = open(&path.join("below/adagent.db")).await.err().expect("refused").to_string();
    assert!(error.contains("notes.txt/below"), "{error}");
}

#[tokio::test]
async fn a_row_that_nobody_writes_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("adagent.db");
    let (_store, world) = self::world(&path).await;
    let (ann, _, lease) = world.held_run().await;
    execute(&path, "update runs set last_seq = -1").await;
    let error = world.store.find_run(ann.personal_workspace, ann.id, lease.run).await.expect_err("bad row");
    match error {
        StoreError::Inconsistent { table, column, row, .. } => {
            assert_eq!((table, column, row), ("runs", "last_seq", lease.run.to_string()));
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn runs_of_a_newer_program_hold_up_no_claim_and_no_list() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("adagent.db");
    let (_store, world) = self::world(&path).await;
    let newer = NewerRuns::stored(&world).await;
    for statement in newer.statements(|id| format!("x'{}'", id.simple())) {
        // The constraints belong to this program's version; a newer one has others.
        execute(&path, format!("pragma ignore_check_constraints = on; {statement}")).await;
    }
    newer.are_passed_over(&world).await;
}
