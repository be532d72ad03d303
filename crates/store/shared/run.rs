//! The few ways to run a statement, and what we observe: the name of its file, how long it took, whether it failed.
//!
//! Each adapter compiles this file against its engine. It must not know any statement. It binds values and never records them.

use adagent_store::{StoreError, StoreResult};
use sqlx::{Encode, Type};
use tracing::{Instrument as _, Span};

use crate::engine::{Connection, Db, Prepared, Row, SYSTEM, map_error};

include!(concat!(env!("OUT_DIR"), "/statements.rs"));

/// A statement with its values.
pub(crate) struct Query {
    text: &'static str,
    prepared: Prepared,
}

pub(crate) fn sql(text: &'static str) -> Query {
    Query { text, prepared: sqlx::query(text) }
}

impl Query {
    pub(crate) fn bind<'t, T: Encode<'t, Db> + Type<Db>>(mut self, value: T) -> Self {
        self.prepared = self.prepared.bind(value);
        self
    }

    /// Opens a span at the debug level, so that only those who ask for this detail pay for it.
    fn opened(self) -> (Prepared, Span) {
        let span = tracing::debug_span!(
            "statement",
            otel.name = name_of(self.text),
            otel.kind = "client",
            db.system.name = SYSTEM,
            db.query.summary = name_of(self.text),
        );
        (self.prepared, span)
    }
}

/// Returns the path of a statement's file below `sql/`, without its extension.
fn name_of(text: &str) -> &'static str {
    STATEMENTS.iter().find(|(_, known)| *known == text).map_or("unnamed", |(name, _)| name)
}

fn seen<T>(outcome: Result<T, sqlx::Error>) -> StoreResult<T> {
    outcome.map_err(|error| {
        let error = map_error(error);
        let kind = match &error {
            // This error is an answer of the database, not a failure.
            StoreError::Taken { .. } => return error,
            StoreError::Unavailable(_) => "unavailable",
            _ => "statement",
        };
        metrics::counter!("adagent_database_errors_total", "kind" => kind).increment(1);
        error
    })
}

pub(crate) async fn fetch_one(connection: &mut Connection, query: Query) -> StoreResult<Row> {
    let (prepared, span) = query.opened();
    seen(prepared.fetch_one(connection).instrument(span).await)
}

pub(crate) async fn fetch_optional(connection: &mut Connection, query: Query) -> StoreResult<Option<Row>> {
    let (prepared, span) = query.opened();
    seen(prepared.fetch_optional(connection).instrument(span).await)
}

pub(crate) async fn fetch_all(connection: &mut Connection, query: Query) -> StoreResult<Vec<Row>> {
    let (prepared, span) = query.opened();
    seen(prepared.fetch_all(connection).instrument(span).await)
}

/// Runs a statement and returns how many rows it affected.
pub(crate) async fn execute(connection: &mut Connection, query: Query) -> StoreResult<u64> {
    let (prepared, span) = query.opened();
    seen(prepared.execute(connection).instrument(span).await).map(|done| done.rows_affected())
}

/// Runs a write that must affect exactly one row; otherwise returns an error.
pub(crate) async fn execute_one(connection: &mut Connection, query: Query, what: &'static str) -> StoreResult<()> {
    match execute(connection, query).await? {
        1 => Ok(()),
        actual => Err(StoreError::RowsAffected { what, expected: 1, actual }),
    }
}

/// Runs a write that may match no row. Returns whether it changed at least one.
pub(crate) async fn execute_maybe(connection: &mut Connection, query: Query) -> StoreResult<bool> {
    Ok(execute(connection, query).await? > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_known_by_their_file() {
        assert_eq!(name_of(include_str!("../sql/runs/find.sql")), "runs/find");
        assert_eq!(name_of("select 1"), "unnamed");
        assert_eq!(sql(crate::engine::CLAIM).text, crate::engine::CLAIM);
        assert_eq!(name_of(crate::engine::CLAIM), "claim");
    }
}
