//! What the shared code needs to know about PostgreSQL.

use std::{sync::Arc, time::Duration};

use adagent_domain::{Timestamp, WorkspaceId};
use adagent_store::{Engine, EngineStore, EngineUnit, Store, StoreError, StoreResult, UnitOfWork, Wake};
use async_trait::async_trait;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, Postgres, Row as _};
use tokio::{sync::broadcast, task::JoinHandle, time::timeout};

use crate::{
    listen::payloads,
    run::{execute, fetch_one, sql},
    shelf::Shelf,
};

pub(crate) use crate::{
    connection::{Connection, Transaction},
    error::map_error,
    unit::Unit,
};

pub(crate) type Db = Postgres;
pub(crate) type Row = sqlx::postgres::PgRow;
pub(crate) use crate::run::Query;

/// What OpenTelemetry calls it.
pub(crate) const SYSTEM: &str = "postgresql";
pub(crate) type Prepared = sqlx::query::Query<'static, Postgres, sqlx::postgres::PgArguments>;
pub(crate) type Database = PostgresStore;

pub(crate) const BEGIN: &str = "begin";
/// A connection that rested this long is asked whether it still lives before it is used, and given so long to say so.
pub(crate) const RESTED: Duration = Duration::from_secs(5);
const LIVES: Duration = Duration::from_secs(2);

pub(crate) async fn lives(connection: &mut PgConnection) -> bool {
    matches!(timeout(LIVES, connection.ping()).await, Ok(Ok(())))
}

/// Longer than any statement takes that a person waits for. What takes longer is not coming: the server is gone and nobody said so.
pub(crate) const STATEMENT: Duration = Duration::from_secs(10);

/// Skips rows that another claimer has locked, where SQLite's one writer makes it wait its turn.
pub(crate) const CLAIM: &str = include_str!("../sql/claim.sql");
/// A row that another claimer has locked is passed over in each class by itself.
pub(crate) const CLAIM_ANY: Option<&str> = None;
/// Locks the row, so that nobody takes the run over between this check and the commit.
pub(crate) const HOLD_LEASE: &str = include_str!("../sql/hold_lease.sql");
pub(crate) const LOCK_RUN: &str = include_str!("../sql/lock_run.sql");
/// Held by whoever begins or ends runs in a lane, so that each sees what the other did: the row of a chat, which deleting the chat
/// waits for, too; for any other lane a lock that no row stands behind.
pub(crate) const LOCK_LANE: Option<[&str; 2]> =
    Some([include_str!("../sql/lock_lane_of_chat.sql"), include_str!("../sql/lock_lane.sql")]);
pub(crate) const LIST_LANES_OF: &str = include_str!("../sql/list_lanes_of.sql");
/// In order of the ids, so that two who want several never wait for each other.
pub(crate) const LOCK_OPEN_RUNS: &str = include_str!("../sql/lock_open_runs.sql");
pub(crate) const LOCK_OPEN_RUNS_OF: &str = include_str!("../sql/lock_open_runs_of.sql");
pub(crate) const LOCK_ORGANIZATION: &str = include_str!("../sql/lock_organization.sql");
pub(crate) const LOCK_WORKSPACE: &str = include_str!("../sql/lock_workspace.sql");
/// Against rows that name the workspace too, where the lock of an organisation lets people go on working in it.
pub(crate) const CLOSE_WORKSPACE: &str = include_str!("../sql/close_workspace.sql");
/// Held by whoever removes connections, so that none is renewed between the look and the removal.
pub(crate) const LOCK_CONNECTIONS: Option<&str> = Some(include_str!("../sql/lock_connections.sql"));

/// A PostgreSQL database.
pub struct PostgresStore {
    pub(crate) shelf: Arc<Shelf>,
    pub(crate) hub: Hub,
    /// Ends with the store.
    pub(crate) listener: JoinHandle<()>,
}

impl PostgresStore {
    pub(crate) async fn reader(&self) -> StoreResult<Box<Connection>> {
        Ok(Box::new(Connection::of(&self.shelf, Some(STATEMENT)).await.map_err(map_error)?))
    }

    /// For reads of one workspace: the database itself shows no row of another, whatever the statement says.
    pub(crate) async fn reader_in(&self, workspace: WorkspaceId) -> StoreResult<Fenced> {
        self.transaction_in(workspace).await.map(Fenced)
    }

    async fn transaction_in(&self, workspace: WorkspaceId) -> StoreResult<Transaction> {
        // One way to the server and back for both. It is an id: nothing else can be written here.
        let begin = AssertSqlSafe(format!("begin; set local adagent.workspace = '{workspace}'"));
        Transaction::begin_with(*self.reader().await?, begin).await.map_err(map_error)
    }

    /// Waits for running statements and closes the connections.
    pub async fn close(&self) {
        self.listener.abort();
        self.shelf.close().await;
    }
}

/// A transaction that only reads, within one workspace; it ends when it is dropped.
pub(crate) struct Fenced(Transaction);

impl Fenced {
    pub(crate) fn connection(&mut self) -> &mut Connection {
        self.0.connection()
    }
}

impl Drop for PostgresStore {
    fn drop(&mut self) {
        self.listener.abort();
    }
}

/// What happens at a commit.
#[derive(Clone)]
pub(crate) struct Hub {
    pub(crate) wakes: broadcast::Sender<Wake>,
    /// Marks our own notifications, which were already delivered within the process.
    pub(crate) process: Arc<str>,
    pub(crate) channel: Arc<str>,
}

impl Hub {
    pub(crate) async fn commit(&self, mut transaction: Transaction, wakes: &[Wake], durable: bool) -> StoreResult<()> {
        if durable {
            // The connections start with `off`: a crash of the database server may then lose the last commits, never tear one.
            execute(transaction.connection(), sql(include_str!("../sql/durable.sql"))).await?;
        }
        for payload in payloads(&self.process, wakes) {
            // Part of the transaction: nobody is woken for what was rolled back.
            let query = sql(include_str!("../sql/notify.sql")).bind(self.channel.to_string()).bind(payload);
            fetch_one(transaction.connection(), query).await?;
        }
        transaction.commit().await.map_err(map_error)?;
        for wake in wakes {
            // An error only says that nobody listens.
            let _ = self.wakes.send(*wake);
        }
        Ok(())
    }
}

#[async_trait]
impl EngineStore for PostgresStore {
    async fn engine_unit(&self) -> StoreResult<Box<dyn EngineUnit>> {
        Ok(self.begin().await?)
    }

    async fn engine_unit_in(&self, workspace: WorkspaceId) -> StoreResult<Box<dyn EngineUnit>> {
        Ok(self.begin_in(workspace).await?)
    }

    fn subscribe(&self) -> broadcast::Receiver<Wake> {
        self.hub.wakes.subscribe()
    }
}

#[async_trait]
impl Store for PostgresStore {
    async fn begin(&self) -> StoreResult<Box<dyn UnitOfWork>> {
        let transaction = Transaction::begin(*self.reader().await?).await.map_err(map_error)?;
        Ok(Box::new(Unit::new(transaction, self.hub.clone())))
    }

    async fn begin_in(&self, workspace: WorkspaceId) -> StoreResult<Box<dyn UnitOfWork>> {
        Ok(Box::new(Unit::new(self.transaction_in(workspace).await?, self.hub.clone())))
    }

    async fn shared_time(&self) -> StoreResult<Option<Timestamp>> {
        let row = fetch_one(&mut *self.reader().await?, sql(include_str!("../sql/time.sql"))).await?;
        Ok(Some(Timestamp::from_micros(row.try_get("micros").map_err(map_error)?)))
    }

    async fn ping(&self) -> StoreResult<()> {
        let row = fetch_one(&mut *self.reader().await?, sql(include_str!("../sql/writable.sql"))).await?;
        if row.try_get("read_only").map_err(map_error)? {
            return Err(StoreError::Unavailable(
                "the database takes no writes: it is a standby, or set read-only".into(),
            ));
        }
        Ok(())
    }

    fn engine(&self) -> Engine {
        Engine::Postgres
    }

    fn pool(&self) -> adagent_store::Pool {
        self.shelf.counts()
    }
}
