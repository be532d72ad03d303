//! Opens the file and migrates it. Makes the file and its folder if they are missing.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use adagent_store::{StoreError, StoreResult};
use sqlx::{
    ConnectOptions as _, Pool, Sqlite,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};
use tokio::sync::broadcast;

use crate::{
    engine::{Hub, SqliteStore, map_error, transaction},
    error::is_locked,
    migrate::{Migration, migrate},
    shelf::Shelf,
    sync::WalSync,
};

include!(concat!(env!("OUT_DIR"), "/migrations.rs"));

/// Each reader is a thread; more readers than the cores of a small machine would only move the queue.
const READERS: u32 = 4;
/// How long the engine lets a writer wait for another process.
const BUSY: Duration = Duration::from_secs(5);
/// How long a starting process pauses before it tries a locked file again.
const LOCKED_PAUSE: Duration = Duration::from_millis(20);
/// How long a caller waits for a connection. Longer than `BUSY`, so that one wait in the engine does not fail the callers behind it.
const ACQUIRE: Duration = Duration::from_secs(10);
/// How many wakes a slow receiver may lag behind before it must look at the database again.
const WAKES: usize = 4096;

/// Opens the database at `path` and migrates it. Makes the file and its folder if they are missing.
pub async fn open(path: &Path) -> StoreResult<Arc<SqliteStore>> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        tokio::fs::create_dir_all(folder).await.map_err(|error| {
            StoreError::Unavailable(format!("cannot make the folder {}: {error}", folder.display()))
        })?;
    }
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Normal)
        .foreign_keys(true)
        .busy_timeout(BUSY)
        .statement_cache_capacity(256)
        .disable_statement_logging();

    let writer = first_pool(&options).await.map_err(|error| at_path(path, error))?;
    let writer = Shelf::new(writer, 1, ACQUIRE);
    // The engine's write lock keeps other starting processes out until the schema exists.
    migrate(transaction(&writer).await?, MIGRATIONS).await?;
    let readers = pool(READERS, options.pragma("query_only", "on")).await.map_err(|error| at_path(path, error))?;
    let readers = Shelf::new(readers, READERS, ACQUIRE);

    let hub = Hub { wakes: broadcast::channel(WAKES).0, sync: WalSync::new(log_of(path)) };
    Ok(Arc::new(SqliteStore { readers, writer, hub }))
}

/// Opens the first connection, and tries again as long as a writer would wait. If several processes start on a new file, all switch it to
/// the write-ahead log at once. The engine answers "locked" to all but one without waiting, because two that waited for each other would
/// never end.
async fn first_pool(options: &SqliteConnectOptions) -> Result<Pool<Sqlite>, sqlx::Error> {
    let began = tokio::time::Instant::now();
    loop {
        match pool(1, options.clone()).await {
            Err(error) if is_locked(&error) && began.elapsed() < BUSY => tokio::time::sleep(LOCKED_PAUSE).await,
            opened => return opened,
        }
    }
}

/// Makes a pool that keeps its connections: closing the last one would fold the log each time, and a new one must prepare its statements
/// again.
async fn pool(size: u32, options: SqliteConnectOptions) -> Result<Pool<Sqlite>, sqlx::Error> {
    SqlitePoolOptions::new()
        .max_connections(size)
        .idle_timeout(None)
        .max_lifetime(None)
        .test_before_acquire(false)
        .acquire_timeout(ACQUIRE)
        .connect_with(options)
        .await
}

/// Returns where SQLite puts the write-ahead log of a database.
fn log_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push("-wal");
    PathBuf::from(name)
}

fn at_path(path: &Path, error: sqlx::Error) -> StoreError {
    match map_error(error) {
        StoreError::Unavailable(why) => {
            StoreError::Unavailable(format!("{why}; is {} a SQLite file this user may write?", path.display()))
        }
        other => other,
    }
}
