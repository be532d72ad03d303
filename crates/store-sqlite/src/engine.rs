//! What the shared code needs to know about SQLite.

use adagent_store::{Engine, Store, StoreResult, UnitOfWork, Wake};
use async_trait::async_trait;
use sqlx::{Pool, Sqlite, Transaction, pool::PoolConnection};
use tokio::sync::broadcast;

use crate::{
    run::{fetch_one, sql},
    sync::WalSync,
};

pub(crate) use crate::{error::map_error, unit::Unit};

pub(crate) type Db = Sqlite;
pub(crate) type Connection = sqlx::SqliteConnection;
pub(crate) type Row = sqlx::sqlite::SqliteRow;
pub(crate) use crate::run::Query;

/// What OpenTelemetry calls it.
pub(crate) const SYSTEM: &str = "sqlite";
pub(crate) type Prepared = sqlx::query::Query<'static, Sqlite, sqlx::sqlite::SqliteArguments>;
pub(crate) type Database = SqliteStore;

/// Without row locks: the writer is alone, so whoever claims first is done before the next one looks.
pub(crate) const CLAIM: &str = include_str!("../sql/claim.sql");
/// Without a row lock for the same reason.
pub(crate) const HOLD_LEASE: &str = include_str!("../sql/hold_lease.sql");
/// A transaction holds the only writer, so reading is locking.
pub(crate) const LOCK_RUN: &str = include_str!("../../store/sql/runs/find_unscoped.sql");
pub(crate) const LOCK_CHAT: Option<&str> = None;
pub(crate) const LOCK_CHAT_OF: Option<&str> = None;
pub(crate) const LOCK_OPEN_RUNS: &str = include_str!("../../store/sql/runs/list_open.sql");

/// A SQLite database.
pub struct SqliteStore {
    pub(crate) readers: Pool<Sqlite>,
    /// One connection: writers queue here instead of meeting `SQLITE_BUSY` in the engine.
    pub(crate) writer: Pool<Sqlite>,
    pub(crate) hub: Hub,
}

impl SqliteStore {
    pub(crate) async fn reader(&self) -> StoreResult<PoolConnection<Sqlite>> {
        self.readers.acquire().await.map_err(map_error)
    }

    /// Waits for running statements and closes the file; the write-ahead log is folded in.
    pub async fn close(&self) {
        self.readers.close().await;
        self.writer.close().await;
    }
}

/// What happens at a commit, after the statements.
#[derive(Clone)]
pub(crate) struct Hub {
    pub(crate) wakes: broadcast::Sender<Wake>,
    pub(crate) sync: WalSync,
}

impl Hub {
    pub(crate) async fn commit(
        &self,
        transaction: Transaction<'static, Sqlite>,
        wakes: &[Wake],
        durable: bool,
    ) -> StoreResult<()> {
        transaction.commit().await.map_err(map_error)?;
        // Readers see the commit already, so they are woken whatever the disk says.
        for wake in wakes {
            // An error only says that nobody listens.
            let _ = self.wakes.send(*wake);
        }
        if durable { self.sync.sync().await } else { Ok(()) }
    }
}

#[async_trait]
impl Store for SqliteStore {
    async fn begin(&self) -> StoreResult<Box<dyn UnitOfWork>> {
        // Immediate: a transaction that reads before it writes would otherwise find its snapshot outdated by another process.
        let transaction = self.writer.begin_with("begin immediate").await.map_err(map_error)?;
        Ok(Box::new(Unit::new(transaction, self.hub.clone())))
    }

    fn subscribe(&self) -> broadcast::Receiver<Wake> {
        self.hub.wakes.subscribe()
    }

    async fn ping(&self) -> StoreResult<()> {
        let query = sql(include_str!("../../store/sql/misc/ping.sql"));
        fetch_one(&mut *self.reader().await?, query).await.map(drop)
    }

    fn engine(&self) -> Engine {
        Engine::Sqlite
    }

    fn pool(&self) -> adagent_store::Pool {
        let mut all = adagent_store::Pool::default();
        for pool in [&self.readers, &self.writer] {
            let idle = u32::try_from(pool.num_idle()).unwrap_or(u32::MAX);
            all.in_use += pool.size().saturating_sub(idle);
            all.idle += idle;
            all.max += pool.options().get_max_connections();
        }
        all
    }
}
