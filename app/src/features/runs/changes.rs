//! What changed from one saved state of a run to the next, one row per field. Pure.

use adagent_contract::ChangeRow;
use serde_json::Value as Json;

/// Characters of a value before it is cut.
const LONGEST: usize = 120;

/// The fields that are new, gone or different; the first state has nothing before it.
pub fn changes(before: Option<&Json>, after: &Json) -> Vec<ChangeRow> {
    let empty = serde_json::Map::new();
    let before = before.and_then(Json::as_object).unwrap_or(&empty);
    let after = after.as_object().unwrap_or(&empty);
    let mut keys: Vec<&String> = after.keys().chain(before.keys().filter(|key| !after.contains_key(*key))).collect();
    keys.retain(|key| before.get(*key) != after.get(*key));
    keys.into_iter()
        .map(|key| ChangeRow {
            label: key.replace('_', " "),
            before: before.get(key).map(said),
            after: after.get(key).map(|now| changed(before.get(key), now)),
        })
        .collect()
}

/// The new value; where it reads like the old one, it says what is different inside.
fn changed(before: Option<&Json>, now: &Json) -> String {
    let told = said(now);
    let Some(before) = before.filter(|before| said(before) == told) else { return told };
    match (before, now) {
        (Json::Array(old), Json::Array(new)) => {
            let different = new.iter().zip(old).filter(|(new, old)| new != old).count();
            format!("{told}, {different} changed")
        }
        _ => format!("{told}, changed inside"),
    }
}

/// A value in a few characters.
fn said(value: &Json) -> String {
    let text = match value {
        Json::Null => "none".to_owned(),
        Json::String(text) => text.clone(),
        Json::Array(items) if items.is_empty() => "none".to_owned(),
        Json::Array(items) if items.iter().all(Json::is_string) && items.len() <= 3 => {
            items.iter().filter_map(Json::as_str).collect::<Vec<_>>().join(", ")
        }
        Json::Array(items) => crate::ui::format::plural(items.len(), "entry", "entries"),
        other => other.to_string(),
    };
    if text.chars().count() <= LONGEST { text } else { text.chars().take(LONGEST).chain(['…']).collect() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_differs_is_told() {
        let before = json!({"node": "router", "iterations": 1, "tools": []});
        let after = json!({"node": "specialist", "iterations": 1, "tools": ["a"], "route": null});
        let rows = changes(Some(&before), &after);
        let mut told: Vec<(&str, Option<&str>, Option<&str>)> =
            rows.iter().map(|row| (row.label.as_str(), row.before.as_deref(), row.after.as_deref())).collect();
        // The order of a JSON object's keys is the reader's.
        told.sort_unstable();
        assert_eq!(
            told,
            [
                ("node", Some("router"), Some("specialist")),
                ("route", None, Some("none")),
                ("tools", Some("none"), Some("a")),
            ]
        );
    }

    #[test]
    fn lists_of_one_length_say_how_many_of_them_differ() {
        let before = json!({"calls": [{"state": "ready"}, {"state": "ready"}]});
        let after = json!({"calls": [{"state": "ready"}, {"state": "done"}]});
        assert_eq!(changes(Some(&before), &after)[0].after.as_deref(), Some("2 entries, 1 changed"));
    }

    #[test]
    fn everything_is_new_in_the_first_state() {
        assert_eq!(changes(None, &json!({"v": 1})).len(), 1);
        assert!(changes(None, &json!("no object")).is_empty());
    }
}
