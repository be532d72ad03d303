//! Opens the file, making it and its folder when absent, and migrates it.

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
    sync::WalSync,
};

const MIGRATIONS: &[Migration] = &[
    Migration { version: 1, name: "initial", text: include_str!("../../../migrations/sqlite/0001_initial.sql") },
    Migration { version: 2, name: "usage", text: include_str!("../../../migrations/sqlite/0002_usage.sql") },
    Migration { version: 3, name: "history", text: include_str!("../../../migrations/sqlite/0003_history.sql") },
    Migration {
        version: 4,
        name: "run_context",
        text: include_str!("../../../migrations/sqlite/0004_run_context.sql"),
    },
    Migration { version: 5, name: "taken_from", text: include_str!("../../../migrations/sqlite/0005_taken_from.sql") },
    Migration { version: 6, name: "takeovers", text: include_str!("../../../migrations/sqlite/0006_takeovers.sql") },
    Migration {
        version: 7,
        name: "access_tokens",
        text: include_str!("../../../migrations/sqlite/0007_access_tokens.sql"),
    },
    Migration {
        version: 8,
        name: "organizations",
        text: include_str!("../../../migrations/sqlite/0008_organizations.sql"),
    },
    Migration { version: 9, name: "sign_in", text: include_str!("../../../migrations/sqlite/0009_sign_in.sql") },
    Migration {
        version: 10,
        name: "chained_audit",
        text: include_str!("../../../migrations/sqlite/0010_chained_audit.sql"),
    },
    Migration { version: 11, name: "abilities", text: include_str!("../../../migrations/sqlite/0011_abilities.sql") },
    Migration {
        version: 13,
        name: "failed_sign_ins",
        text: include_str!("../../../migrations/sqlite/0013_failed_sign_ins.sql"),
    },
    Migration { version: 14, name: "asked_once", text: include_str!("../../../migrations/sqlite/0014_asked_once.sql") },
    Migration {
        version: 15,
        name: "revocations",
        text: include_str!("../../../migrations/sqlite/0015_revocations.sql"),
    },
    Migration {
        version: 16,
        name: "several_accounts",
        text: include_str!("../../../migrations/sqlite/0016_several_accounts.sql"),
    },
    Migration { version: 17, name: "reporting", text: include_str!("../../../migrations/sqlite/0017_reporting.sql") },
    Migration {
        version: 18,
        name: "sent_change",
        text: include_str!("../../../migrations/sqlite/0018_sent_change.sql"),
    },
    Migration { version: 19, name: "home", text: include_str!("../../../migrations/sqlite/0019_home.sql") },
];

/// Readers are threads of their own; more than the cores of a small machine would only queue elsewhere.
const READERS: u32 = 4;
/// How long a writer waits in the engine for another process.
const BUSY: Duration = Duration::from_secs(5);
/// How long a starter pauses before it tries a locked file again.
const LOCKED_PAUSE: Duration = Duration::from_millis(20);
/// How long anybody waits for a connection; longer, so that one wait in the engine does not fail those behind it.
const ACQUIRE: Duration = Duration::from_secs(10);
/// Wakes a slow receiver may be behind before it is told to look at the database again.
const WAKES: usize = 4096;

/// Opens the database at `path`, making file and folder when they are absent, and migrates it.
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
    // The engine's own write lock keeps every other starter out until the schema is there.
    migrate(transaction(&writer).await?, MIGRATIONS).await?;
    let readers = pool(READERS, options.pragma("query_only", "on")).await.map_err(|error| at_path(path, error))?;

    let hub = Hub { wakes: broadcast::channel(WAKES).0, sync: WalSync::new(log_of(path)) };
    Ok(Arc::new(SqliteStore { readers, writer, hub }))
}

/// Several starters of a new file switch it to the write-ahead log at once. The engine answers all but one "locked" without
/// waiting, because two that wait for each other would never end; so they try again here, as long as a writer would wait.
async fn first_pool(options: &SqliteConnectOptions) -> Result<Pool<Sqlite>, sqlx::Error> {
    let began = tokio::time::Instant::now();
    loop {
        match pool(1, options.clone()).await {
            Err(error) if is_locked(&error) && began.elapsed() < BUSY => tokio::time::sleep(LOCKED_PAUSE).await,
            opened => return opened,
        }
    }
}

/// Connections are kept: closing the last one would fold the log each time, and opening one costs its prepared statements.
async fn pool(size: u32, options: SqliteConnectOptions) -> Result<Pool<Sqlite>, sqlx::Error> {
    SqlitePoolOptions::new()
        .min_connections(1)
        .max_connections(size)
        .idle_timeout(None)
        .max_lifetime(None)
        .test_before_acquire(false)
        .acquire_timeout(ACQUIRE)
        .connect_with(options)
        .await
}

/// Where SQLite puts the write-ahead log of a database.
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
