//! Turns rows into JSON objects for the file of a person's own data. This module knows no table: it exports whatever columns a statement
//! selects.
//!
//! Code must not depend on a column by name: columns come and go with the statements.

use adagent_domain::Timestamp;
use adagent_store::{ExportedRow, StoreResult};
use serde_json::{Map, Value as Json};
use sqlx::{Column as _, Row as _, TypeInfo as _, ValueRef as _};
use uuid::Uuid;

use crate::{
    columns::Columns,
    engine::{Row, map_error},
};

/// Columns that hold JSON as text.
const JSON: [&str; 13] = [
    "accounts",
    "args",
    "body",
    "context",
    "detail",
    "edited_args",
    "result",
    "scopes",
    "settings",
    "sign_in",
    "subject",
    "tools",
    "view",
];
/// Columns with booleans, which one engine stores as numbers.
const TRUTH: [&str; 7] = ["chat_only", "enabled", "kept", "pinned", "read_only", "sandbox", "sign_in_expired"];
const MARKS: [&str; 2] = ["mark_id", "mark_number"];

pub(crate) fn exported(row: &Row) -> StoreResult<ExportedRow> {
    let columns = Columns::new("export", row);
    let mark = (columns.uuid("mark_id")?, columns.get("mark_number")?);
    let mut object = Map::new();
    for (place, column) in row.columns().iter().enumerate() {
        let name = column.name();
        if !MARKS.contains(&name) {
            object.insert(name.to_owned(), value(row, place, name)?);
        }
    }
    Ok(ExportedRow { mark, row: object })
}

fn value(row: &Row, place: usize, name: &str) -> StoreResult<Json> {
    let raw = row.try_get_raw(place).map_err(map_error)?;
    if raw.is_null() {
        return Ok(Json::Null);
    }
    let kind = raw.type_info().name().to_owned();
    Ok(match kind.as_str() {
        "UUID" | "BLOB" => row.try_get::<Uuid, _>(place).map_err(map_error)?.to_string().into(),
        "BOOL" => row.try_get::<bool, _>(place).map_err(map_error)?.into(),
        "TEXT" => text(name, row.try_get::<String, _>(place).map_err(map_error)?),
        _ => number(name, row.try_get::<i64, _>(place).map_err(map_error)?),
    })
}

fn text(name: &str, text: String) -> Json {
    if JSON.contains(&name) || name == "state" && text.starts_with('{') {
        // A text that turns out not to be JSON stays as it is.
        return serde_json::from_str(&text).unwrap_or(Json::String(text));
    }
    Json::String(text)
}

fn number(name: &str, number: i64) -> Json {
    if name == "at" || name.ends_with("_at") {
        return Timestamp::from_micros(number).to_string().into();
    }
    if TRUTH.contains(&name) { (number != 0).into() } else { number.into() }
}
