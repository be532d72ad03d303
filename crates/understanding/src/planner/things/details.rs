//! Shows everything that a network says about one thing, field by field, in words. This must leave out nothing that the network sent.

use adagent_contract::{Artifact, Column, ColumnKind, TableArtifact, Value};
use adagent_domain::ToolCallId;
use serde_json::Value as Json;

/// Shows the fields of a thing as a table. `None` if it has none.
pub(super) fn table(title: &str, subtitle: &str, thing: &Json, sources: &[ToolCallId]) -> Option<Artifact> {
    let fields = thing.as_object().filter(|fields| !fields.is_empty())?;
    let column =
        |key: &str, label: &str| Column { key: key.into(), label: label.into(), kind: ColumnKind::Text, unit: None };
    let text = |value: String| if value.is_empty() { Value::Missing } else { Value::Text { value } };
    let rows: Vec<Vec<Value>> = fields.iter().map(|(key, value)| vec![text(label(key)), text(said(value))]).collect();
    let row_count = u64::try_from(rows.len()).unwrap_or(u64::MAX);
    Some(Artifact::Table {
        title: title.to_owned(),
        subtitle: subtitle.to_owned(),
        table: TableArtifact {
            columns: vec![column("field", "Field"), column("value", "Value")],
            rows,
            total: None,
            sorted_by: None,
            row_count,
        },
        sources: sources.to_vec(),
    })
}

/// Writes a value of any depth: "country: US, price: 2; country: BR, price: 3".
fn said(value: &Json) -> String {
    let joined =
        |parts: Vec<String>, by: &str| parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(by);
    match value {
        Json::Null => String::new(),
        Json::Bool(true) => "Yes".to_owned(),
        Json::Bool(false) => "No".to_owned(),
        Json::Number(number) => number.to_string(),
        Json::String(text) => text.clone(),
        Json::Array(items) => {
            let deep = items.iter().any(|item| item.is_object() || item.is_array());
            joined(items.iter().map(said).collect(), if deep { "; " } else { ", " })
        }
        Json::Object(fields) => {
            let field = |(key, value): (&String, &Json)| match said(value) {
                empty if empty.is_empty() => empty,
                // Parentheses separate a nested value from the fields next to it.
                inner if value.is_object() || value.is_array() => format!("{} ({inner})", label(key).to_lowercase()),
                inner => format!("{}: {inner}", label(key).to_lowercase()),
            };
            joined(fields.iter().map(field).collect(), ", ")
        }
    }
}

/// Turns `adFormat` or `ad_format` into "Ad format", and `appKey` into "App key".
fn label(key: &str) -> String {
    let mut words = String::with_capacity(key.len() + 4);
    let mut before = ' ';
    for c in key.chars() {
        let border = matches!(c, '_' | '-' | '.') || c.is_uppercase() && before.is_lowercase();
        if border && !words.is_empty() {
            words.push(' ');
        }
        if !matches!(c, '_' | '-' | '.') {
            words.extend(c.to_lowercase());
        }
        before = c;
    }
    let words: Vec<&str> = words.split_whitespace().map(|word| if word == "id" { "ID" } else { word }).collect();
    let text = words.join(" ");
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_network_sends_reads_as_words() {
        assert_eq!([label("adFormat"), label("app_id"), label("id")], ["Ad format", "App ID", "ID"]);
        for (value, words) in [
            (json!(true), "Yes"),
            (json!(["US", "DE"]), "US, DE"),
            (
                json!([{"country": "US", "price": 2.5}, {"country": "BR", "price": 3}]),
                "country: US, price: 2.5; country: BR, price: 3",
            ),
            (
                json!({"enabled": false, "limits": {"count": 3, "seconds": 60}}),
                "enabled: No, limits (count: 3, seconds: 60)",
            ),
            (json!(null), ""),
        ] {
            assert_eq!(said(&value), words);
        }
        let Some(Artifact::Table { table, .. }) =
            table("One", "Unity", &json!({"isPaused": true, "floors": [{"US": 1}]}), &[])
        else {
            panic!("a table")
        };
        assert!(table.rows.iter().flatten().all(|cell| !cell.raw().contains(['{', '['])), "{:?}", table.rows);
    }
}
