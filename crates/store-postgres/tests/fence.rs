//! The second fence: row-level security. The first one, the workspace in each statement, is taken away here.
//!
//! Superusers pass every policy, so these tests work as an ordinary user who owns the tables, as a server does.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects fails right there")]

use std::sync::Arc;

use adagent_domain::{Network, WorkspaceId};
use adagent_store::{
    Store, User,
    conformance::fixtures::{Must, World},
};
use adagent_store_postgres::open;
use adagent_testkit::postgres_url;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, Row as _};

/// Tables that belong to nobody's workspace, and why.
const OPEN: [(&str, &str); 4] = [
    ("workspaces", "looked up by id before anybody is known to be in it"),
    ("memberships", "asked in order to find the workspace"),
    ("mail_queue", "sealed, and has no workspace"),
    ("schema_migrations", "of the installation"),
];

async fn connected(url: &str) -> PgConnection {
    PgConnection::connect(url).await.expect("connects")
}

async fn run(connection: &mut PgConnection, statement: String) {
    sqlx::raw_sql(AssertSqlSafe(statement)).execute(connection).await.expect("runs");
}

/// A schema that an ordinary user owns, and that user's URL.
async fn as_an_ordinary_user() -> String {
    let url = postgres_url().await;
    let mut connection = connected(&url).await;
    let schema: String = sqlx::query("select current_schema()::text").fetch_one(&mut connection).await.unwrap().get(0);
    let role = format!("r_{schema}");
    run(&mut connection, format!("create role {role} login password 'ordinary'")).await;
    run(&mut connection, format!("alter schema {schema} owner to {role}")).await;
    let rest = url.split_once("://").expect("a URL").1;
    let place = rest.split_once('@').map_or(rest, |(_, place)| place);
    format!("postgres://{role}:ordinary@{place}")
}

/// Two people, each with a conversation, a run with an event, and a connection.
async fn filled(url: &str) -> (Arc<dyn Store>, User, User) {
    let store = open(url).await.must();
    let world = World::new(store.clone());
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    for user in [&ann, &bob] {
        let connection = world.connection(user, Network::AdMob);
        let mut unit = world.begin().await;
        unit.insert_connection(&connection).await.must();
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
    let url = as_an_ordinary_user().await;
    let (_store, ann, _) = filled(&url).await;
    let mut connection = connected(&url).await;
    let nobody = WorkspaceId(ann.id.0);
    for (table, all) in [("connections", 2)] {
        assert_eq!(seen(&mut connection, None, table).await, all, "{table}: the engine sees all");
        assert_eq!(seen(&mut connection, Some(ann.personal_workspace), table).await, 1, "{table}");
        assert_eq!(seen(&mut connection, Some(nobody), table).await, 0, "{table}");
    }
}

/// The store's own statements ask for a workspace; here the column says yes to whichever is asked for.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_stores_reads_are_fenced_although_their_filter_lets_everything_through() {
    let url = as_an_ordinary_user().await;
    let (store, ann, bob) = filled(&url).await;
    let mut connection = connected(&url).await;
    let columns: Vec<String> = sqlx::query(
        "select column_name::text from information_schema.columns
         where table_schema = current_schema() and table_name = 'connections' and column_name <> 'workspace_id'",
    )
    .fetch_all(&mut connection)
    .await
    .unwrap()
    .iter()
    .map(|row| row.get(0))
    .collect();
    run(&mut connection, "alter table connections rename to connections_behind".to_owned()).await;
    run(
        &mut connection,
        format!(
            "create view connections with (security_invoker = true) as
             select {}, current_setting('adagent.workspace', true)::uuid as workspace_id from connections_behind",
            columns.join(", ")
        ),
    )
    .await;
    for user in [&ann, &bob] {
        assert_eq!(store.list_connections(user.personal_workspace).await.must().len(), 1);
    }
    run(&mut connection, "alter table connections_behind no force row level security".to_owned()).await;
    let unfenced = store.list_connections(ann.personal_workspace).await.must().len();
    assert_eq!(unfenced, 2, "without the second fence the missing first one would show");
}

#[tokio::test]
async fn every_table_with_a_workspace_is_fenced() {
    let url = as_an_ordinary_user().await;
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
