//! Connects, migrates and starts to listen.

use std::{str::FromStr as _, sync::Arc, time::Duration};

use adagent_store::{StoreError, StoreResult};
use sqlx::{
    ConnectOptions as _, Connection as _, PgConnection, Row as _,
    postgres::{PgConnectOptions, PgPoolOptions},
};
use tokio::sync::broadcast;
use uuid::Uuid;

use crate::{
    connection::{Connection, Transaction},
    engine::{Hub, PostgresStore, RESTED, STATEMENT, lives, map_error},
    listen::{WAKES, channel_of, connect, listen},
    migrate::{Migration, migrate},
    run::{execute, fetch_one, sql},
    shelf::Shelf,
};

include!(concat!(env!("OUT_DIR"), "/migrations.rs"));

/// Connections of one server. Several servers share the database's default of 100.
const CONNECTIONS: u32 = 16;
const ACQUIRE: Duration = Duration::from_secs(5);

/// Opens the database at `url` and migrates it. `?options=-c search_path=…` chooses a schema.
pub async fn open(url: &str) -> StoreResult<Arc<PostgresStore>> {
    let options = parse(url)?
        .statement_cache_capacity(256)
        .options([
            // Durable units turn it on for themselves.
            ("synchronous_commit", "off"),
            // A process that hangs inside a transaction must not keep a run's row locked forever.
            ("idle_in_transaction_session_timeout", "15000"),
            // Nobody waits longer for an answer, so the server need not continue. Waiting for a lock gets less time.
            ("statement_timeout", "15000"),
            ("lock_timeout", "5000"),
            // If a machine disappears, its process must not keep a session, and so its locks, for the usual two hours.
            ("tcp_keepalives_idle", "20"),
            ("tcp_keepalives_interval", "5"),
            ("tcp_keepalives_count", "3"),
            ("tcp_user_timeout", "20000"),
        ])
        .disable_statement_logging();
    let options = match options.get_application_name() {
        Some(_) => options,
        None => options.application_name("adagent"),
    };

    // Connect once without the pool, which would retry for ten seconds and then say less about the reason.
    let first = PgConnection::connect_with(&options).await.map_err(|error| unreachable_server(&options, error))?;
    first.close().await.map_err(map_error)?;
    let pool = PgPoolOptions::new()
        .max_connections(CONNECTIONS)
        .acquire_timeout(ACQUIRE)
        .test_before_acquire(false)
        .before_acquire(|connection, meta| {
            Box::pin(async move { Ok(meta.idle_for <= RESTED || lives(connection).await) })
        })
        .connect_lazy_with(options.clone());
    let shelf = Shelf::new(pool, CONNECTIONS, ACQUIRE);

    // No time limit: a server that starts while another one migrates waits for it.
    let unbound = Connection::of(&shelf, None).await.map_err(map_error)?;
    let mut transaction = Transaction::begin(unbound).await.map_err(map_error)?;
    execute(transaction.connection(), sql(include_str!("../sql/patient.sql"))).await?;
    execute(transaction.connection(), sql(include_str!("../sql/patient_locks.sql"))).await?;
    fetch_one(transaction.connection(), sql(include_str!("../sql/migration_lock.sql"))).await?;
    migrate(transaction, MIGRATIONS).await?;

    let mut connection = Connection::of(&shelf, Some(STATEMENT)).await.map_err(map_error)?;
    let row = fetch_one(&mut connection, sql(include_str!("../sql/process.sql"))).await?;
    let role = fetch_one(&mut connection, sql(include_str!("../sql/passes_policies.sql"))).await?;
    if role.try_get("passes").map_err(map_error)? {
        tracing::warn!(
            "the database's user passes every policy: without the second fence; use one that is no superuser"
        );
    }
    drop(connection);
    let process = row.try_get::<Uuid, _>("process").map_err(map_error)?.to_string();
    let schema: String = row.try_get("schema").map_err(map_error)?;
    let (wakes, _) = broadcast::channel(WAKES);
    let hub = Hub { wakes, process: process.into(), channel: channel_of(&schema).into() };
    let first = connect(&options, &hub.channel).await.map_err(map_error)?;
    let listener = tokio::spawn(listen(options, hub.clone(), first));
    Ok(Arc::new(PostgresStore { shelf, hub, listener }))
}

/// Parses the URL. Errors never repeat it, because it may contain a password.
fn parse(url: &str) -> StoreResult<PgConnectOptions> {
    let malformed =
        || StoreError::Schema("DATABASE_URL is not of the form postgres://user:password@host:5432/database".to_owned());
    if !(url.starts_with("postgres://") || url.starts_with("postgresql://")) {
        return Err(malformed());
    }
    PgConnectOptions::from_str(url).map_err(|_| malformed())
}

fn unreachable_server(options: &PgConnectOptions, error: sqlx::Error) -> StoreError {
    match map_error(error) {
        StoreError::Unavailable(why) => StoreError::Unavailable(format!(
            "cannot use PostgreSQL at {}:{}, database {}, as {}: {why}",
            options.get_host(),
            options.get_port(),
            options.get_database().unwrap_or("(default)"),
            options.get_username()
        )),
        other => other,
    }
}
