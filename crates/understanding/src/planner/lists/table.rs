//! The tables for lists: names first, IDs last, and only the columns that at least one row can fill.

use adagent_contract::{Artifact, Column, ColumnKind, EntityItem, EntityKind, TableArtifact, Value};
use adagent_domain::{Currency, Money, ToolCallId};
use serde_json::Value as Json;

use super::{experiment_state, plural};
use crate::planner::{names, read::Turn};

/// The most rows of a table.
const MOST_ROWS: usize = 500;

fn text(value: impl Into<String>) -> Value {
    let value = value.into();
    if value.is_empty() { Value::Missing } else { Value::Text { value } }
}

fn column(key: &str, label: &str, kind: ColumnKind) -> Column {
    Column { key: key.to_owned(), label: label.to_owned(), kind, unit: None }
}

pub(super) fn table(turn: &Turn<'_>, kind: EntityKind, items: &[EntityItem], sources: &[ToolCallId]) -> Artifact {
    let mut columns = vec![column("name", "Name", ColumnKind::Entity)];
    let mut cells: Vec<Cell<'_>> = vec![Box::new(|i| Value::Entity { id: i.id.clone(), name: i.name.clone() })];
    for (key, label, cell) in columns_of(turn, kind, items) {
        columns.push(column(key, label, ColumnKind::Text));
        cells.push(cell);
    }
    let rows = items.iter().take(MOST_ROWS).map(|item| cells.iter().map(|cell| cell(item)).collect()).collect();
    let title = plural(kind);
    Artifact::Table {
        title: names::format_label(title),
        subtitle: "AdMob, current state".to_owned(),
        table: TableArtifact {
            columns,
            rows,
            total: None,
            sorted_by: Some("name".to_owned()),
            row_count: u64::try_from(items.len()).unwrap_or(u64::MAX),
        },
        sources: sources.to_vec(),
    }
}

type Cell<'t> = Box<dyn Fn(&EntityItem) -> Value + 't>;

/// Returns the columns after the name that at least one item can fill.
fn columns_of<'t>(
    turn: &'t Turn<'_>,
    kind: EntityKind,
    items: &[EntityItem],
) -> Vec<(&'static str, &'static str, Cell<'t>)> {
    let mut out: Vec<(&'static str, &'static str, Cell<'t>)> = Vec::new();
    if items.iter().any(|i| i.platform.is_some()) {
        out.push(("platform", "Platform", Box::new(|i| text(i.platform.as_deref().map_or("", names::platform_label)))));
    }
    if items.iter().any(|i| i.format.is_some()) {
        out.push(("format", "Format", Box::new(|i| label_cell(i.format.as_deref()))));
    }
    match kind {
        EntityKind::AdUnit => out.push(("app", "App", Box::new(|i| app_cell(turn, i)))),
        EntityKind::Account => {
            for (key, label) in [("currencyCode", "Currency"), ("reportingTimeZone", "Time zone")] {
                out.push((key, label, Box::new(move |i| raw_cell(i, key))));
            }
        }
        EntityKind::MediationGroup => {
            out.push(("ad_units", "Ad units", Box::new(|i| text(array_len(i, "/targeting/adUnitIds")))));
            out.push(("lines", "Lines", Box::new(|i| text(line_summary(turn, i)))));
            if items.iter().any(|i| experiment_state(i).is_some()) {
                out.push(("experiment", "A/B test", Box::new(|i| label_cell(experiment_state(i)))));
            }
        }
        EntityKind::AdSourceAdapter => out.push(("config", "Configuration", Box::new(|i| text(config_keys(i))))),
        EntityKind::AdUnitMapping => {
            out.push(("adapter", "Adapter", Box::new(|i| raw_cell(i, "adapterId"))));
            out.push(("placements", "Identifiers", Box::new(|i| text(identifiers(i)))));
        }
        _ => {}
    }
    if items.iter().any(|i| i.status.is_some()) {
        out.push(("state", "State", Box::new(|i| label_cell(i.status.as_deref()))));
    }
    if turn.accounts().len() > 1 && !matches!(kind, EntityKind::Account | EntityKind::AdSource) {
        out.push(("account", "Account", Box::new(|i| account_cell(turn, i))));
    }
    out.push(("id", "ID", Box::new(|i| text(i.id.clone()))));
    out
}

fn raw_cell(item: &EntityItem, key: &str) -> Value {
    text(item.raw.get(key).and_then(Json::as_str).unwrap_or(""))
}

fn label_cell(wire: Option<&str>) -> Value {
    text(wire.map_or_else(String::new, names::format_label))
}

fn app_cell(turn: &Turn<'_>, item: &EntityItem) -> Value {
    let Some(id) = &item.parent else { return Value::Missing };
    let name = turn.entity(EntityKind::App, id).map_or_else(|| id.clone(), |app| app.name.clone());
    Value::Text { value: name }
}

fn account_cell(turn: &Turn<'_>, item: &EntityItem) -> Value {
    let Some(id) = &item.account else { return Value::Missing };
    text(turn.entity(EntityKind::Account, id).map_or_else(|| id.clone(), |account| account.name.clone()))
}

fn array_len(item: &EntityItem, pointer: &str) -> String {
    item.raw.pointer(pointer).and_then(Json::as_array).map_or_else(String::new, |a| a.len().to_string())
}

/// Returns the lines of a group with their IDs, without removed lines.
pub(in crate::planner) fn lines_of(group: &EntityItem) -> Vec<(&str, &Json)> {
    group
        .raw
        .get("mediationGroupLines")
        .and_then(Json::as_object)
        .map(|lines| {
            lines
                .iter()
                .filter(|(_, line)| line.get("state").and_then(Json::as_str) != Some("REMOVED"))
                .map(|(id, line)| (id.as_str(), line))
                .collect()
        })
        .unwrap_or_default()
}

pub(in crate::planner) fn source_name(turn: &Turn<'_>, line: &Json) -> String {
    let id = line.get("adSourceId").and_then(Json::as_str).unwrap_or("");
    turn.entity(EntityKind::AdSource, id).map_or_else(
        || line.get("displayName").and_then(Json::as_str).unwrap_or(id).to_owned(),
        |source| source.name.clone(),
    )
}

fn is_bidding(line: &Json) -> bool {
    line.get("cpmMode").and_then(Json::as_str) == Some("LIVE")
}

fn line_summary(turn: &Turn<'_>, group: &EntityItem) -> String {
    let lines = lines_of(group);
    let mut names: Vec<String> = lines.iter().take(4).map(|(_, line)| source_name(turn, line)).collect();
    names.dedup();
    if lines.len() > 4 {
        names.push(format!("{} more", lines.len() - 4));
    }
    names.join(", ")
}

pub(super) fn lines(turn: &Turn<'_>, groups: &[EntityItem], sources: &[ToolCallId]) -> Option<Artifact> {
    let mut rows: Vec<Vec<Value>> = Vec::new();
    for group in groups {
        for (id, line) in lines_of(group) {
            let micros = line
                .get("cpmMicros")
                .and_then(|v| v.as_str().and_then(|s| s.parse::<i64>().ok()).or_else(|| v.as_i64()));
            rows.push(vec![
                Value::Entity { id: group.id.clone(), name: group.name.clone() },
                text(source_name(turn, line)),
                text(if is_bidding(line) { "Bidding" } else { "Waterfall" }),
                micros
                    .filter(|_| !is_bidding(line))
                    .map_or(Value::Missing, |micros| Value::Money { money: Money::new(Currency::USD, micros) }),
                text(line.get("state").and_then(Json::as_str).map_or_else(String::new, names::format_label)),
                text(id),
            ]);
        }
    }
    let row_count = u64::try_from(rows.len()).unwrap_or(u64::MAX);
    rows.truncate(MOST_ROWS);
    (!rows.is_empty()).then(|| Artifact::Table {
        title: "Lines".to_owned(),
        subtitle: "Bidding lines are priced by the auction; CPM is the fixed price of waterfall lines".to_owned(),
        table: TableArtifact {
            columns: vec![
                column("mediation_group", "Mediation group", ColumnKind::Entity),
                column("ad_source", "Ad source", ColumnKind::Text),
                column("mode", "Mode", ColumnKind::Text),
                Column { unit: Some("USD".to_owned()), ..column("cpm", "CPM", ColumnKind::Money) },
                column("state", "State", ColumnKind::Text),
                column("id", "Line ID", ColumnKind::Text),
            ],
            rows,
            total: None,
            sorted_by: None,
            row_count,
        },
        sources: sources.to_vec(),
    })
}

fn config_keys(adapter: &EntityItem) -> String {
    let keys = adapter.raw.get("adapterConfigMetadata").and_then(Json::as_array);
    keys.map(|keys| {
        keys.iter()
            .filter_map(|key| {
                let label = key.get("adapterConfigMetadataLabel").and_then(Json::as_str)?;
                let optional = key.get("isRequired").and_then(Json::as_bool) == Some(false);
                Some(if optional { format!("{label} (optional)") } else { label.to_owned() })
            })
            .collect::<Vec<_>>()
            .join(", ")
    })
    .unwrap_or_default()
}

fn identifiers(mapping: &EntityItem) -> String {
    let values = mapping.raw.get("adUnitConfigurations").and_then(Json::as_object);
    values.map(|values| values.values().filter_map(Json::as_str).collect::<Vec<_>>().join(", ")).unwrap_or_default()
}
