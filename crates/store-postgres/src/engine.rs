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

/// OpenTelemetry's name for the engine.
pub(crate) const SYSTEM: &str = "postgresql";
pub(crate) type Prepared = sqlx::query::Query<'static, Postgres, sqlx::postgres::PgArguments>;
pub(crate) type Database = PostgresStore;

pub(crate) const BEGIN: &str = "begin";
/// How long a connection can rest before we ping it first, and how long the ping may take.
pub(crate) const RESTED: Duration = Duration::from_secs(5);
const LIVES: Duration = Duration::from_secs(2);

pub(crate) async fn lives(connection: &mut PgConnection) -> bool {
    matches!(timeout(LIVES, connection.ping()).await, Ok(Ok(())))
}

/// Longer than any statement that a person waits for. A statement that takes longer will not end: the server disappeared without closing
/// the connection.
pub(crate) const STATEMENT: Duration = Duration::from_secs(10);

/// Skips rows that another claimer has locked. SQLite's one writer makes the claimer wait instead.
pub(crate) const CLAIM: &str = include_str!("../sql/claim.sql");
/// Each class needs its own statement, so that a row that another claimer has locked is skipped in its class alone.
pub(crate) const CLAIM_ANY: Option<&str> = None;
/// Locks the row, so that nobody takes the run over between this check and the commit.
pub(crate) const HOLD_LEASE: &str = include_str!("../sql/hold_lease.sql");
pub(crate) const LOCK_RUN: &str = include_str!("../sql/lock_run.sql");
/// The statements that lock a lane. A transaction that begins or ends runs in a lane holds this lock, so that each such transaction sees
/// what the others did. A chat's lock is its row, and deleting the chat waits for it. Any other lane has a lock without a row.
pub(crate) const LOCK_LANE: Option<[&str; 2]> =
    Some([include_str!("../sql/lock_lane_of_chat.sql"), include_str!("../sql/lock_lane.sql")]);
pub(crate) const LIST_LANES_OF: &str = include_str!("../sql/list_lanes_of.sql");
/// Locks in the order of IDs, so that two transactions that lock several runs never wait for each other.
pub(crate) const LOCK_OPEN_RUNS: &str = include_str!("../sql/lock_open_runs.sql");
pub(crate) const LOCK_OPEN_RUNS_OF: &str = include_str!("../sql/lock_open_runs_of.sql");
pub(crate) const LOCK_ORGANIZATION: &str = include_str!("../sql/lock_organization.sql");
pub(crate) const LOCK_WORKSPACE: &str = include_str!("../sql/lock_workspace.sql");
/// Keeps out new rows that name the workspace. The lock of an organization lets people continue to work in it.
pub(crate) const CLOSE_WORKSPACE: &str = include_str!("../sql/close_workspace.sql");
/// A transaction that removes connections holds this lock, so that nobody renews one between the check and the removal.
pub(crate) const LOCK_CONNECTIONS: Option<&str> = Some(include_str!("../sql/lock_connections.sql"));
pub(crate) const SEARCH_DOCUMENTS: &str = include_str!("../sql/search_documents.sql");

/// Returns two `tsquery` texts: for the documents with all of these words, and for those with the words in their title. Folded words
/// contain no character that `tsquery` interprets.
pub(crate) fn document_searches(words: &[String]) -> [String; 2] {
    let lexemes: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let all = format!("{}:*", lexemes.join(" & "));
    [all.clone(), all]
}

/// A PostgreSQL database.
pub struct PostgresStore {
    pub(crate) shelf: Arc<Shelf>,
    pub(crate) hub: Hub,
    /// Runs until the store is dropped.
    pub(crate) listener: JoinHandle<()>,
}

impl PostgresStore {
    pub(crate) async fn reader(&self) -> StoreResult<Box<Connection>> {
        Ok(Box::new(Connection::of(&self.shelf, Some(STATEMENT)).await.map_err(map_error)?))
    }

    /// Returns a connection for reads of one workspace. The database shows no row of another workspace, whatever the statement says.
    pub(crate) async fn reader_in(&self, workspace: WorkspaceId) -> StoreResult<Fenced> {
        self.transaction_in(workspace).await.map(Fenced)
    }

    async fn transaction_in(&self, workspace: WorkspaceId) -> StoreResult<Transaction> {
        // One round trip for both statements. The text is safe: an ID contains nothing that SQL could misread.
        let begin = AssertSqlSafe(format!("begin; set local adagent.workspace = '{workspace}'"));
        Transaction::begin_with(*self.reader().await?, begin).await.map_err(map_error)
    }

    /// Waits for running statements and closes the connections.
    pub async fn close(&self) {
        self.listener.abort();
        self.shelf.close().await;
    }
}

/// A read-only transaction within one workspace. It ends when it is dropped.
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
    /// Marks our own notifications, which this process has already delivered.
    pub(crate) process: Arc<str>,
    pub(crate) channel: Arc<str>,
}

impl Hub {
    pub(crate) async fn commit(&self, mut transaction: Transaction, wakes: &[Wake], durable: bool) -> StoreResult<()> {
        if durable {
            // Connections start with `synchronous_commit = off`: if the database server crashes, it may lose the last commits, but never
            // tears one.
            execute(transaction.connection(), sql(include_str!("../sql/durable.sql"))).await?;
        }
        for payload in payloads(&self.process, wakes) {
            // The notification is part of the transaction, so that a rollback wakes nobody.
            let query = sql(include_str!("../sql/notify.sql")).bind(self.channel.to_string()).bind(payload);
            fetch_one(transaction.connection(), query).await?;
        }
        transaction.commit().await.map_err(map_error)?;
        for wake in wakes {
            // An error only means that nobody listens.
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
