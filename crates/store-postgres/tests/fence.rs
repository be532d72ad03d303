//! Tests the second fence, row-level security. These tests remove the first fence, the workspace in each statement.
//!
//! Superusers bypass every policy, so these tests run as an ordinary user who owns the tables, as a server does.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects fails right there")]

use std::sync::Arc;

use adagent_domain::{Network, WorkspaceId};
use adagent_store::{
    Store, User,
    conformance::fixtures::{Must, World, status},
};
use adagent_store_postgres::open;
use adagent_testkit::postgres_url_as_ordinary_user;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, Row as _};

/// Tables that belong to no workspace, and why.
const OPEN: [(&str, &str); 2] =
    [("mail_queue", "sealed, and has no workspace"), ("schema_migrations", "of the installation")];

async fn connected(url: &str) -> PgConnection {
    PgConnection::connect(url).await.expect("connects")
}

async fn run(connection: &mut PgConnection, statement: String) {
    sqlx::raw_sql(AssertSqlSafe(statement)).execute(connection).await.expect("runs");
}

/// Stores two people, each with a chat, a run with an event, and a connection.
async fn filled(url: &str) -> (Arc<dyn Store>, User, User) {
    let store = open(url).await.must();
    let world = World::new(store.clone());
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    for user in [&ann, &bob] {
        let connection = world.connection(user, Network::AdMob);
        let run = world.ask(&world.chat(user, "Talk").await, "go").await;
        let mut unit = world.begin().await;
        unit.insert_connection(&connection).await.must();
        unit.append_events_unleased(run.id, world.now(), &[status("queued")]).await.must();
        unit.commit().await.must();
    }
    (store, ann, bob)
}

async fn seen(connection: &mut PgConnection, workspace: Option<WorkspaceId>, table: &str) -> i64 {
    run(connection, "begin".to_owned()).await;
    if let Some(workspace) = workspace {
        run(connection, format!("set local adagent.workspace = '{workspace}'")).await;
    }
    let count = sqlx::query(AssertSqlSafe(format!("select count(*) from {table}")));
    let count = count.fetch_one(&mut *connection).await.unwrap().get(0);
    run(connection, "rollback".to_owned()).await;
    count
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_statement_that_forgets_its_workspace_sees_no_other() {
    let url = postgres_url_as_ordinary_user().await;
    let (_store, ann, _) = filled(&url).await;
    let mut connection = connected(&url).await;
    let nobody = WorkspaceId(ann.id.0);
    for (table, all) in [("connections", 2)] {
        assert_eq!(seen(&mut connection, None, table).await, all, "{table}: the engine sees all");
        assert_eq!(seen(&mut connection, Some(ann.personal_workspace), table).await, 1, "{table}");
        assert_eq!(seen(&mut connection, Some(nobody), table).await, 0, "{table}");
    }
}

/// Makes the filter in the store's own statements useless: the column now equals every workspace that a statement asks for.
async fn open_the_first_fence(connection: &mut PgConnection) {
    let columns: Vec<String> = sqlx::query_scalar(
        "select column_name::text from information_schema.columns
         where table_schema = current_schema() and table_name = 'connections' and column_name <> 'workspace_id'",
    )
    .fetch_all(&mut *connection)
    .await
    .unwrap();
    run(connection, "alter table connections rename to connections_behind".to_owned()).await;
    run(
        connection,
        format!(
            "create view connections with (security_invoker = true) as
             select {}, current_setting('adagent.workspace', true)::uuid as workspace_id from connections_behind",
            columns.join(", ")
        ),
    )
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_stores_reads_are_fenced_although_their_filter_lets_everything_through() {
    let url = postgres_url_as_ordinary_user().await;
    let (store, ann, bob) = filled(&url).await;
    let mut connection = connected(&url).await;
    open_the_first_fence(&mut connection).await;
    for user in [&ann, &bob] {
        assert_eq!(store.list_connections(user.personal_workspace).await.must().len(), 1);
    }
    run(&mut connection, "alter table connections_behind no force row level security".to_owned()).await;
    let unfenced = store.list_connections(ann.personal_workspace).await.must().len();
    assert_eq!(unfenced, 2, "without the second fence the missing first one would show");
}

/// Tests changes: a unit of one workspace cannot reach into another, although the store's own statement would.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_unit_of_one_workspace_changes_nothing_in_another() {
    let url = postgres_url_as_ordinary_user().await;
    let (store, ann, bob) = filled(&url).await;
    let mut connection = connected(&url).await;
    let bobs = store.list_connections(bob.personal_workspace).await.must().remove(0);
    let anns = ann.personal_workspace;
    open_the_first_fence(&mut connection).await;

    let mut unit = store.begin_in(anns).await.must();
    let changed = unit.set_connection_enabled(anns, bobs.id, false).await;
    assert!(!changed.is_ok_and(|changed| changed), "bob's connection is not there");
    unit.commit().await.must();
    let mut unit = store.begin_in(anns).await.must();
    let removed = unit.delete_connection(anns, bobs.id, bobs.made).await;
    assert!(!removed.is_ok_and(|removed| removed), "nor can it be removed");
    unit.commit().await.must();
    assert_eq!(seen(&mut connection, None, "connections_behind where enabled").await, 2);

    run(&mut connection, "alter table connections_behind no force row level security".to_owned()).await;
    let mut unit = store.begin_in(anns).await.must();
    assert!(unit.set_connection_enabled(anns, bobs.id, false).await.must(), "without the second fence it is changed");
    unit.commit().await.must();
    assert_eq!(seen(&mut connection, None, "connections_behind where enabled").await, 1);
}

/// Tests statements that name no workspace, on every table that has one.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_row_of_another_workspace_is_changed_removed_or_made() {
    let url = postgres_url_as_ordinary_user().await;
    let (_store, ann, bob) = filled(&url).await;
    let mut connection = connected(&url).await;
    let tables: Vec<String> = sqlx::query_scalar(
        "select c.relname::text from pg_class c
         join pg_attribute a on a.attrelid = c.oid and a.attname in ('workspace_id', 'run_id') and not a.attisdropped
         where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace
         group by c.relname",
    )
    .fetch_all(&mut connection)
    .await
    .unwrap();
    assert!(tables.len() > 15, "{tables:?}");
    let tables = tables.iter().map(|name| (name.as_str(), "workspace_id")).chain([("workspaces", "id")]);
    let (mut filled, mut reached) = (0, 0);
    for (table, column) in tables {
        let column = if matches!(table, "run_events" | "run_checkpoints" | "run_origins") { "run_id" } else { column };
        let all = seen(&mut connection, None, table).await;
        filled += usize::from(all > 0);
        for statement in [format!("update {table} set {column} = {column}"), format!("delete from {table}")] {
            run(&mut connection, "begin".to_owned()).await;
            run(&mut connection, format!("set local adagent.workspace = '{}'", WorkspaceId(ann.id.0))).await;
            // The schema's own refusals (of a log that takes no changes) would show only for rows that the statement reaches.
            let done = sqlx::raw_sql(AssertSqlSafe(statement.clone())).execute(&mut connection).await;
            let done = done.unwrap_or_else(|error| panic!("{statement}: {error}")).rows_affected();
            assert_eq!(done, 0, "{statement} reaches {done} of {all} rows of workspaces that are not its own");
            run(&mut connection, "rollback".to_owned()).await;
            reached += 1;
        }
    }
    assert!(filled >= 6 && reached > 30, "{filled} {reached}");

    let (anns, bobs, ann) = (ann.personal_workspace, bob.personal_workspace, ann.id);
    for (statement, theirs, own) in [
        ("insert into memberships (workspace_id, user_id, role, created_at) values ('W', 'U', 'admin', 1)", bobs, anns),
        (
            "insert into context_settings (workspace_id, user_id, settings, updated_at) values ('W', 'U', '{}', 1)",
            bobs,
            anns,
        ),
        ("update chat_sessions set workspace_id = 'W'", bobs, anns),
        ("update connections set workspace_id = 'W'", bobs, anns),
        ("update memberships set workspace_id = 'W'", bobs, anns),
    ] {
        let mut tried = async |workspace: WorkspaceId| {
            run(&mut connection, format!("begin; set local adagent.workspace = '{anns}'")).await;
            let statement = statement.replace('W', &workspace.to_string()).replace('U', &ann.to_string());
            let done = sqlx::raw_sql(AssertSqlSafe(statement)).execute(&mut connection).await;
            run(&mut connection, "rollback".to_owned()).await;
            done.map_err(|error| {
                error.as_database_error().and_then(sqlx::error::DatabaseError::code).unwrap_or_default().into_owned()
            })
        };
        assert_eq!(tried(theirs).await.err().as_deref(), Some("42501"), "{statement}");
        let own = tried(own).await.err();
        assert!(own.as_deref().is_none_or(|code| code == "23505"), "{statement} in its own workspace: {own:?}");
    }
}

#[tokio::test]
async fn every_table_with_a_workspace_is_fenced() {
    let url = postgres_url_as_ordinary_user().await;
    let _store = open(&url).await.must();
    let mut connection = connected(&url).await;
    let tables = sqlx::query(
        "select c.relname::text as name, c.relrowsecurity and c.relforcerowsecurity as fenced,
            exists (
                select 1 from pg_attribute a
                where a.attrelid = c.oid and a.attname in ('workspace_id', 'run_id') and not a.attisdropped
            ) as owned
         from pg_class c
         where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace",
    );
    let tables = tables.fetch_all(&mut connection).await.unwrap();
    assert!(tables.len() > 20, "{}", tables.len());
    for table in tables {
        let (name, fenced, owned): (String, bool, bool) = (table.get("name"), table.get("fenced"), table.get("owned"));
        let open = OPEN.iter().any(|(open, _)| *open == name);
        assert!(fenced || open || !owned, "{name} has a workspace and no policy");
    }
}
