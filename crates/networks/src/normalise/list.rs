//! Lists and single entities: the network's own JSON with labels, and a table of names.

use adagent_contract::{Artifact, Column, ColumnKind, EntityItem, EntityKind, TableArtifact, Value};
use serde_json::{Value as Json, json};

use super::words;

const TABLE_ROWS: usize = 200;

pub fn list(kind: Option<EntityKind>, items: &[Json], truncated: bool, next_page_token: Option<String>) -> Json {
    let mut result =
        json!({"kind": "list", "entity": kind.map(EntityKind::as_str), "items": items, "truncated": truncated});
    if let Some(token) = next_page_token {
        result["next_page_token"] = token.into();
    }
    result
}

pub fn object(kind: Option<EntityKind>, item: &Json) -> Json {
    json!({"kind": "object", "entity": kind.map(EntityKind::as_str), "item": item})
}

/// Returns a count with its noun: "3 apps", "1 mediation group".
pub fn counted(kind: Option<EntityKind>, count: usize) -> String {
    let (one, many) = kind.map_or(("item", "items"), |kind| (kind.label(), kind.plural()));
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Builds the table: names first, IDs last; columns for platform, format and state only if some item has a value.
pub fn table(title: &str, subtitle: String, items: &[EntityItem], row_count: u64) -> Artifact {
    let mut columns = vec![Column { key: "name".into(), label: "Name".into(), kind: ColumnKind::Entity, unit: None }];
    let text =
        |key: &str, label: &str| Column { key: key.into(), label: label.into(), kind: ColumnKind::Text, unit: None };
    let (platform, format, status) = (
        items.iter().any(|item| item.platform.is_some()),
        items.iter().any(|item| item.format.is_some()),
        items.iter().any(|item| item.status.is_some()),
    );
    columns.extend(platform.then(|| text("platform", "Platform")));
    columns.extend(format.then(|| text("format", "Format")));
    columns.extend(status.then(|| text("status", "State")));
    columns.push(text("id", "ID"));
    let words = |value: Option<&String>| {
        value.map_or(Value::Missing, |value| Value::Text { value: words::human(&value.to_uppercase()) })
    };
    let rows = items
        .iter()
        .take(TABLE_ROWS)
        .map(|item| {
            let mut row = vec![Value::Entity { id: item.id.clone(), name: item.name.clone() }];
            row.extend(platform.then(|| words(item.platform.as_ref())));
            row.extend(format.then(|| words(item.format.as_ref())));
            row.extend(status.then(|| words(item.status.as_ref())));
            row.push(Value::Text { value: item.id.clone() });
            row
        })
        .collect();
    Artifact::Table {
        title: title.to_owned(),
        subtitle,
        table: TableArtifact { columns, rows, total: None, sorted_by: None, row_count },
        sources: Vec::new(),
    }
}
