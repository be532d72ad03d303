//! A fresh, migrated database for each test, on either engine.

use std::{
    ops::Deref,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU32, Ordering},
    },
};

use adagent_domain::{ManualClock, SequentialIds, Timestamp};
use adagent_store::Store;
use sqlx::Connection as _;

use crate::postgres::{Cluster, URL_VARIABLE, url_from};

/// A test's own store, and what keeps it alive. Dropping it closes the database.
pub struct TestStore {
    store: Arc<dyn Store>,
    _folder: Option<tempfile::TempDir>,
}

impl TestStore {
    /// Returns the store by value. Keep this guard alive as long as you use it.
    pub fn store(&self) -> Arc<dyn Store> {
        Arc::clone(&self.store)
    }
}

impl Deref for TestStore {
    type Target = Arc<dyn Store>;

    fn deref(&self) -> &Self::Target {
        &self.store
    }
}

/// Opens an empty store on SQLite, in a folder that is removed with it.
pub async fn sqlite_store() -> TestStore {
    let folder = tempfile::tempdir().expect("a folder for the database");
    let store = adagent_store_sqlite::open(&folder.path().join("adagent.db")).await.expect("SQLite opens");
    TestStore { store, _folder: Some(folder) }
}

/// Opens an empty store on PostgreSQL, in its own schema.
pub async fn postgres_store() -> TestStore {
    let store = adagent_store_postgres::open(&postgres_url().await).await.expect("PostgreSQL opens");
    TestStore { store, _folder: None }
}

/// Opens both, for tests that loop over the engines.
pub async fn stores() -> [TestStore; 2] {
    [sqlite_store().await, postgres_store().await]
}

/// Returns the URL of an empty schema. A test opens it twice to play two server processes.
pub async fn postgres_url() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let base = cluster_url();
    // Unique across the test binaries that share the cluster.
    let schema = format!("t{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let mut connection = sqlx::PgConnection::connect(base).await.expect("the test cluster answers");
    sqlx::raw_sql(sqlx::AssertSqlSafe(format!("create schema {schema}")))
        .execute(&mut connection)
        .await
        .expect("a new schema");
    connection.close().await.expect("closed");
    let sign = if base.contains('?') { '&' } else { '?' };
    format!("{base}{sign}options=-c%20search_path%3D{schema}")
}

/// Works like [`postgres_url`], for an ordinary user who owns the schema, as a server's user should: a superuser bypasses every
/// policy.
pub async fn postgres_url_as_ordinary_user() -> String {
    let url = postgres_url().await;
    let mut connection = sqlx::PgConnection::connect(&url).await.expect("the test cluster answers");
    let schema: String =
        sqlx::query_scalar("select current_schema()::text").fetch_one(&mut connection).await.expect("a schema");
    let role = format!("r_{schema}");
    let made = format!("create role {role} login password 'ordinary'; alter schema {schema} owner to {role}");
    sqlx::raw_sql(sqlx::AssertSqlSafe(made)).execute(&mut connection).await.expect("a role of its own");
    connection.close().await.expect("closed");
    let rest = url.split_once("://").expect("a URL").1;
    let place = rest.split_once('@').map_or(rest, |(_, place)| place);
    format!("postgres://{role}:ordinary@{place}")
}

/// Returns the cluster that `cargo xtask test` started, or this test binary's own, which starts at the first use; a watchdog stops it.
fn cluster_url() -> &'static str {
    static URL: OnceLock<String> = OnceLock::new();
    static OWN: OnceLock<Cluster> = OnceLock::new();
    URL.get_or_init(|| {
        url_from(std::env::var_os(URL_VARIABLE).as_deref()).unwrap_or_else(|| match Cluster::start() {
            Ok(cluster) => OWN.get_or_init(|| cluster).url().to_owned(),
            Err(error) => panic!("{error}"),
        })
    })
}

/// Returns a clock that stands still at Saturday, Nov 21, 2026, 09:41 UTC.
pub const fn clock() -> ManualClock {
    ManualClock::at(Timestamp::from_micros(1_795_254_060_000_000))
}

/// Returns IDs that count 1, 2, 3 …
pub fn ids() -> SequentialIds {
    SequentialIds::default()
}

/// Another process that holds the write lock of a SQLite file. Dropping it releases the lock.
pub struct HeldSqlite(Option<sqlx::SqliteConnection>);

impl HeldSqlite {
    pub async fn hold(path: &std::path::Path) -> Self {
        let mut connection = sqlx::SqliteConnection::connect(&format!("sqlite://{}", path.display()))
            .await
            .expect("the database is there");
        sqlx::raw_sql("pragma busy_timeout = 30000; begin immediate").execute(&mut connection).await.expect("locked");
        Self(Some(connection))
    }

    pub async fn let_go(mut self) {
        if let Some(mut connection) = self.0.take() {
            sqlx::raw_sql("rollback").execute(&mut connection).await.expect("unlocked");
            connection.close().await.expect("closed");
        }
    }
}
