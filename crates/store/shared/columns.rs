//! Reads the columns of a row as domain values. If a column holds a value that we never write, the error names its table, column and row.
//!
//! Each adapter compiles this file against its engine. It must not run statements.

use std::borrow::Cow;

use adagent_domain::Timestamp;
use adagent_store::{StoreError, StoreResult};
use sqlx::{Decode, Row as _, Type};
use uuid::Uuid;

use crate::engine::{Db, Row, map_error};

/// A row of a named table.
pub(crate) struct Columns<'r> {
    row: &'r Row,
    table: &'static str,
}

impl<'r> Columns<'r> {
    pub(crate) const fn new(table: &'static str, row: &'r Row) -> Self {
        Self { row, table }
    }

    pub(crate) fn get<T>(&self, column: &'static str) -> StoreResult<T>
    where
        T: Decode<'r, Db> + Type<Db>,
    {
        self.row.try_get(column).map_err(map_error)
    }

    pub(crate) fn text(&self, column: &'static str) -> StoreResult<String> {
        self.get(column)
    }

    pub(crate) fn uuid(&self, column: &'static str) -> StoreResult<Uuid> {
        self.get(column)
    }

    pub(crate) fn at(&self, column: &'static str) -> StoreResult<Timestamp> {
        self.get(column).map(Timestamp::from_micros)
    }

    pub(crate) fn at_opt(&self, column: &'static str) -> StoreResult<Option<Timestamp>> {
        Ok(self.get::<Option<i64>>(column)?.map(Timestamp::from_micros))
    }

    /// Reads a counter, which is never negative.
    pub(crate) fn count(&self, column: &'static str) -> StoreResult<u64> {
        let value: i64 = self.get(column)?;
        u64::try_from(value).map_err(|_| self.inconsistent(column, format!("{value} is negative")))
    }

    /// Reads a word of a closed vocabulary.
    pub(crate) fn word<T>(&self, column: &'static str, parse: impl FnOnce(&str) -> Option<T>) -> StoreResult<T> {
        let word: &str = self.get(column)?;
        parse(word).ok_or_else(|| self.inconsistent(column, format!("unknown word {word:?}")))
    }

    pub(crate) fn json<T: serde::de::DeserializeOwned>(&self, column: &'static str) -> StoreResult<T> {
        let text: &str = self.get(column)?;
        serde_json::from_str(text).map_err(|error| self.inconsistent(column, error.to_string()))
    }

    pub(crate) fn json_opt<T: serde::de::DeserializeOwned>(&self, column: &'static str) -> StoreResult<Option<T>> {
        let Some(text) = self.get::<Option<&str>>(column)? else { return Ok(None) };
        serde_json::from_str(text).map(Some).map_err(|error| self.inconsistent(column, error.to_string()))
    }

    pub(crate) fn inconsistent(&self, column: &'static str, reason: String) -> StoreError {
        let row = ["id", "run_id", "workspace_id"]
            .into_iter()
            .find_map(|key| self.row.try_get::<Uuid, _>(key).ok())
            .map_or_else(|| "?".to_owned(), |id| id.to_string());
        StoreError::Inconsistent { table: self.table, column, row, reason }
    }
}

/// Replaces U+0000 by U+FFFD in a text to store: PostgreSQL refuses U+0000 in text, and SQLite ends comparisons at it.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    if text.contains('\0') { Cow::Owned(text.replace('\0', "\u{FFFD}")) } else { Cow::Borrowed(text) }
}

/// Returns a pattern that matches the text literally, at any position.
pub(crate) fn like_pattern(search: &str) -> String {
    let mut pattern = String::with_capacity(search.len() + 2);
    pattern.push('%');
    for c in clean(search).chars() {
        if matches!(c, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern.push('%');
    pattern
}

/// Returns JSON as we store it: compact, with control characters escaped.
pub(crate) fn to_json<T: serde::Serialize>(value: &T) -> StoreResult<String> {
    serde_json::to_string(value).map_err(|error| StoreError::Driver(Box::new(error)))
}

/// Converts a count of the domain to the engines' integer.
pub(crate) fn to_i64(value: u64) -> StoreResult<i64> {
    i64::try_from(value).map_err(|error| StoreError::Driver(Box::new(error)))
}
