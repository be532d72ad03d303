//! Draws a list as a table.

use adagent_contract::{Artifact, Column, ColumnKind, TableArtifact, Value};
use adagent_domain::ToolCallId;

/// Returns a table. `columns` has the key, label and kind of each column, in the order of the cells. `count` is the number of all rows,
/// including those that the table does not show.
pub(crate) fn table(
    (title, subtitle): (&str, String),
    columns: &[(&str, &str, ColumnKind)],
    rows: impl Iterator<Item = Vec<Value>>,
    count: usize,
    call: ToolCallId,
) -> Artifact {
    let column = |(key, label, kind): &(&str, &str, ColumnKind)| Column {
        key: (*key).into(),
        label: (*label).into(),
        kind: *kind,
        unit: None,
    };
    Artifact::Table {
        title: title.into(),
        subtitle,
        table: TableArtifact {
            columns: columns.iter().map(column).collect(),
            rows: rows.collect(),
            total: None,
            sorted_by: None,
            row_count: count as u64,
        },
        sources: vec![call],
    }
}

pub(crate) fn text(text: &str) -> Value {
    Value::Text { value: text.to_owned() }
}

pub(crate) fn or_missing(said: Option<&String>) -> Value {
    said.map_or(Value::Missing, |said| text(said))
}
