//! What the shared code needs to know about SQLite.

use std::{sync::Arc, time::Duration};

use adagent_domain::WorkspaceId;
use adagent_store::{Engine, EngineStore, EngineUnit, Store, StoreResult, UnitOfWork, Wake};
use async_trait::async_trait;
use sqlx::{Sqlite, SqliteConnection};
use tokio::sync::broadcast;

use crate::{
    run::{execute, fetch_one, sql},
    shelf::Shelf,
    sync::WalSync,
};

pub(crate) use crate::{
    connection::{Connection, Transaction},
    error::map_error,
    unit::Unit,
};

pub(crate) type Db = Sqlite;
pub(crate) type Row = sqlx::sqlite::SqliteRow;
pub(crate) use crate::run::Query;

/// A connection to SQLite lives in this process, so it stays usable after any time without use.
pub(crate) const RESTED: Duration = Duration::MAX;

pub(crate) fn lives(_: &mut SqliteConnection) -> std::future::Ready<bool> {
    std::future::ready(true)
}

/// OpenTelemetry's name for the engine.
pub(crate) const SYSTEM: &str = "sqlite";
pub(crate) type Prepared = sqlx::query::Query<'static, Sqlite, sqlx::sqlite::SqliteArguments>;
pub(crate) type Database = SqliteStore;

/// The statement that takes the write lock at once. Otherwise, a transaction that reads before it writes could find that another process
/// has outdated its snapshot.
pub(crate) const BEGIN: &str = "begin immediate";

/// This claim needs no row locks: there is one writer, so the first claim is done before the next one looks.
pub(crate) const CLAIM: &str = include_str!("../sql/claim.sql");
/// The claim for both classes in one statement, because most attempts find nothing.
pub(crate) const CLAIM_ANY: Option<&str> = Some(include_str!("../sql/claim_any.sql"));
/// Checks the lease without a row lock, because there is only one writer.
pub(crate) const HOLD_LEASE: &str = include_str!("../sql/hold_lease.sql");
/// Reads a run. A transaction holds the only writer, so a read needs no lock.
pub(crate) const LOCK_RUN: &str = include_str!("../../store/sql/runs/find_unscoped.sql");
pub(crate) const LOCK_LANE: Option<[&str; 2]> = None;
pub(crate) const LIST_LANES_OF: &str = "";
pub(crate) const LOCK_OPEN_RUNS: &str = include_str!("../../store/sql/runs/list_open_below.sql");
pub(crate) const LOCK_OPEN_RUNS_OF: &str = include_str!("../../store/sql/runs/list_open_of.sql");
pub(crate) const LOCK_ORGANIZATION: &str = include_str!("../../store/sql/organizations/find.sql");
pub(crate) const LOCK_WORKSPACE: &str = include_str!("../../store/sql/organizations/exists.sql");
pub(crate) const CLOSE_WORKSPACE: &str = include_str!("../../store/sql/privacy/close_workspace.sql");
pub(crate) const LOCK_CONNECTIONS: Option<&str> = None;

pub(crate) const SEARCH_DOCUMENTS: &str = include_str!("../sql/search_documents.sql");

/// Returns two FTS5 queries: for the documents with all of these words, and for those with the words in their title. Folded words contain
/// no character that FTS5 interprets.
pub(crate) fn document_searches(words: &[String]) -> [String; 2] {
    let phrases: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
    let all = format!("({} *)", phrases.join(" AND "));
    [format!("{{words}} : {all}"), format!("{{title_words}} : {all}")]
}

/// A SQLite database.
pub struct SqliteStore {
    pub(crate) readers: Arc<Shelf>,
    /// One connection: writers queue here instead of getting `SQLITE_BUSY` from the engine.
    pub(crate) writer: Arc<Shelf>,
    pub(crate) hub: Hub,
}

impl SqliteStore {
    pub(crate) async fn reader(&self) -> StoreResult<Box<Connection>> {
        Ok(Box::new(Connection::of(&self.readers, None).await.map_err(map_error)?))
    }

    /// Returns a connection for reads. SQLite has no second fence: only the workspace in the statement itself limits what it reads.
    pub(crate) async fn reader_in(&self, _: WorkspaceId) -> StoreResult<Fenced> {
        Ok(Fenced(self.reader().await?))
    }

    pub(crate) async fn transaction(&self) -> StoreResult<Transaction> {
        transaction(&self.writer).await
    }

    /// Waits for running statements and closes the file; SQLite folds the write-ahead log in.
    pub async fn close(&self) {
        self.readers.close().await;
        self.writer.close().await;
    }
}

/// A connection for reads of one workspace.
pub(crate) struct Fenced(Box<Connection>);

impl Fenced {
    pub(crate) fn connection(&mut self) -> &mut Connection {
        &mut self.0
    }
}

pub(crate) async fn transaction(writer: &Arc<Shelf>) -> StoreResult<Transaction> {
    let connection = Connection::of(writer, None).await.map_err(map_error)?;
    Transaction::begin(connection).await.map_err(map_error)
}

/// What happens at a commit after its statements.
#[derive(Clone)]
pub(crate) struct Hub {
    pub(crate) wakes: broadcast::Sender<Wake>,
    pub(crate) sync: WalSync,
}

impl Hub {
    pub(crate) async fn commit(&self, transaction: Transaction, wakes: &[Wake], durable: bool) -> StoreResult<()> {
        transaction.commit().await.map_err(map_error)?;
        // Readers already see the commit, so we wake them whether or not the sync succeeds.
        for wake in wakes {
            // An error only means that nobody listens.
            let _ = self.wakes.send(*wake);
        }
        if durable { self.sync.sync().await } else { Ok(()) }
    }
}

#[async_trait]
impl EngineStore for SqliteStore {
    async fn engine_unit(&self) -> StoreResult<Box<dyn EngineUnit>> {
        Ok(self.begin().await?)
    }

    fn subscribe(&self) -> broadcast::Receiver<Wake> {
        self.hub.wakes.subscribe()
    }
}

#[async_trait]
impl Store for SqliteStore {
    async fn begin(&self) -> StoreResult<Box<dyn UnitOfWork>> {
        Ok(Box::new(Unit::new(self.transaction().await?, self.hub.clone())))
    }

    async fn ping(&self) -> StoreResult<()> {
        let query = sql(include_str!("../../store/sql/misc/ping.sql"));
        fetch_one(&mut *self.reader().await?, query).await?;
        // SQLite can still read a database that is locked or out of space; only a write shows the problem.
        let mut transaction = self.transaction().await?;
        execute(transaction.connection(), sql(include_str!("../sql/writable.sql"))).await?;
        transaction.commit().await.map_err(map_error)
    }

    fn engine(&self) -> Engine {
        Engine::Sqlite
    }

    fn pool(&self) -> adagent_store::Pool {
        let mut all = adagent_store::Pool::default();
        for shelf in [&self.readers, &self.writer] {
            let counts = shelf.counts();
            all.in_use += counts.in_use;
            all.idle += counts.idle;
            all.max += counts.max;
        }
        all
    }
}
