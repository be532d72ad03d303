//! The changes between two checkpoints, as rows that people read. Pure; the server makes the comparison.

use adagent_contract::{ChangeRow, StateChange};
use serde_json::Value as Json;

use super::state_words::{call_status, place};

/// How many characters of a value are shown.
const LONGEST: usize = 120;

/// Returns one row per place: the place, the old value and the new value. `state` is the later one.
pub fn rows(changes: &[StateChange], state: &Json) -> Vec<ChangeRow> {
    let row = |change: &StateChange| {
        let is_status = change.path.ends_with("/state/is");
        let told = |value: &Json| {
            let word = value.as_str().filter(|_| is_status).and_then(call_status);
            word.map_or_else(|| said(value), str::to_owned)
        };
        ChangeRow {
            label: place(&change.path, state),
            before: change.before.as_ref().map(told),
            after: change.after.as_ref().map(told),
        }
    };
    changes.iter().map(row).collect()
}

/// Returns a value in a few characters.
fn said(value: &Json) -> String {
    let text = match value {
        Json::Null => "none".to_owned(),
        Json::String(text) => text.clone(),
        Json::Array(items) if items.is_empty() => "none".to_owned(),
        Json::Array(items) if items.iter().all(Json::is_string) && items.len() <= 3 => {
            items.iter().filter_map(Json::as_str).collect::<Vec<_>>().join(", ")
        }
        Json::Array(items) => crate::ui::format::plural(items.len(), "entry", "entries"),
        // Show a call by its name, which distinguishes it from others.
        Json::Object(fields) if fields.get("name").is_some_and(Json::is_string) => {
            fields.get("name").and_then(Json::as_str).unwrap_or_default().to_owned()
        }
        other => other.to_string(),
    };
    if text.chars().count() <= LONGEST { text } else { text.chars().take(LONGEST).chain(['…']).collect() }
}

#[cfg(test)]
mod tests {
    use adagent_contract::diff;
    use serde_json::json;

    use super::*;

    #[test]
    fn each_row_says_where_and_what_in_few_words() {
        let before = json!({"calls": [{"state": {"is": "ready"}}], "tools": [], "draft": null});
        let after = json!({"calls": [{"state": {"is": "succeeded"}}], "tools": ["a", "b", "c", "d"]});
        let rows = rows(&diff(&before, &after), &after);
        let mut told: Vec<(&str, Option<&str>, Option<&str>)> =
            rows.iter().map(|row| (row.label.as_str(), row.before.as_deref(), row.after.as_deref())).collect();
        told.sort_unstable();
        assert_eq!(
            told,
            [
                ("Call 1 › status", Some("checked, ready to run"), Some("done")),
                ("draft", Some("none"), None),
                ("tools › 1", None, Some("a")),
                ("tools › 2", None, Some("b")),
                ("tools › 3", None, Some("c")),
                ("tools › 4", None, Some("d")),
            ]
        );
    }

    #[test]
    fn long_values_are_cut_and_calls_named() {
        assert!(said(&json!("ü".repeat(500))).ends_with('…'));
        assert_eq!(said(&json!({"id": "x", "name": "admob_list_apps"})), "admob_list_apps");
    }
}
