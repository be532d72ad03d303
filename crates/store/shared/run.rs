//! The few ways in which a statement is run.
//!
//! Compiled into each adapter against its engine; must not know any statement.

use adagent_store::{StoreError, StoreResult};

use crate::engine::{Connection, Query, Row, map_error};

pub(crate) fn sql(text: &'static str) -> Query {
    sqlx::query(text)
}

pub(crate) async fn fetch_one(connection: &mut Connection, query: Query) -> StoreResult<Row> {
    query.fetch_one(connection).await.map_err(map_error)
}

pub(crate) async fn fetch_optional(connection: &mut Connection, query: Query) -> StoreResult<Option<Row>> {
    query.fetch_optional(connection).await.map_err(map_error)
}

pub(crate) async fn fetch_all(connection: &mut Connection, query: Query) -> StoreResult<Vec<Row>> {
    query.fetch_all(connection).await.map_err(map_error)
}

/// Rows affected.
pub(crate) async fn execute(connection: &mut Connection, query: Query) -> StoreResult<u64> {
    query.execute(connection).await.map(|done| done.rows_affected()).map_err(map_error)
}

/// For writes that concern exactly one row or are refused.
pub(crate) async fn execute_one(connection: &mut Connection, query: Query, what: &'static str) -> StoreResult<()> {
    match execute(connection, query).await? {
        1 => Ok(()),
        actual => Err(StoreError::RowsAffected { what, expected: 1, actual }),
    }
}

/// For writes that may find nothing to change.
pub(crate) async fn execute_maybe(connection: &mut Connection, query: Query) -> StoreResult<bool> {
    Ok(execute(connection, query).await? > 0)
}
