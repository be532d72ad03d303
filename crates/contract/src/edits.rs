//! What a person changed in the form, in words for the record.

use adagent_domain::{Currency, Money};
use serde_json::Value as Json;

use crate::{ChangeRow, FieldHint, UiHints, Widget};

const MOST: usize = 40;

/// The differences between what was proposed and what was approved, labelled as the form labels them.
pub fn edits(before: &Json, after: &Json, hints: &UiHints) -> Vec<ChangeRow> {
    let mut walk = Walk { hints, rows: Vec::new() };
    walk.on("", "", &hints.fields, Some(before), Some(after));
    walk.rows
}

struct Walk<'a> {
    hints: &'a UiHints,
    rows: Vec<ChangeRow>,
}

impl Walk<'_> {
    /// `prefix` says of which row the fields are.
    fn on(&mut self, pointer: &str, prefix: &str, fields: &[FieldHint], before: Option<&Json>, after: Option<&Json>) {
        if before == after || self.rows.len() >= MOST {
            return;
        }
        let hint = fields.iter().find(|field| field.pointer == pointer);
        if let Some(hint) = hint.filter(|hint| !hint.fields.is_empty()) {
            return self.rows_of(hint, prefix, before, after);
        }
        match (before, after) {
            (Some(Json::Object(old)), Some(Json::Object(new))) if hint.is_none() => {
                let keys = old.keys().chain(new.keys().filter(|key| !old.contains_key(*key)));
                for key in keys {
                    let escaped = key.replace('~', "~0").replace('/', "~1");
                    self.on(&format!("{pointer}/{escaped}"), prefix, fields, old.get(key), new.get(key));
                }
            }
            _ => {
                let row = ChangeRow {
                    label: format!("{prefix}{}", label(pointer, fields)),
                    before: before.map(|value| self.text(value, hint)),
                    after: after.map(|value| self.text(value, hint)),
                };
                self.rows.push(row);
            }
        }
    }

    /// Rows by their number or key; of one that came or went all its fields are told.
    fn rows_of(&mut self, hint: &FieldHint, prefix: &str, before: Option<&Json>, after: Option<&Json>) {
        let keys = |value: Option<&Json>| -> Vec<String> {
            match value {
                Some(Json::Array(items)) => (0..items.len()).map(|at| at.to_string()).collect(),
                Some(Json::Object(map)) => map.keys().cloned().collect(),
                _ => Vec::new(),
            }
        };
        let (old, new) = (keys(before), keys(after));
        let at = |value: Option<&Json>, key: &str| -> Option<Json> {
            match value? {
                Json::Array(items) => items.get(key.parse::<usize>().ok()?).cloned(),
                Json::Object(map) => map.get(key).cloned(),
                _ => None,
            }
        };
        for key in old.iter().chain(new.iter().filter(|key| !old.contains(key))) {
            let (was, is) = (at(before, key), at(after, key));
            let name = match key.parse::<usize>() {
                Ok(number) if matches!(hint.widget, Widget::Objects) => format!("{} {}", hint.label, number + 1),
                _ => format!("{} {key}", hint.label),
            };
            let whole = hint.fields.len() == 1 && hint.fields[0].pointer.is_empty() && hint.fields[0].fields.is_empty();
            if was.is_none() || is.is_none() || whole {
                if was != is {
                    let row = ChangeRow {
                        label: format!("{prefix}{name}"),
                        before: was.map(|value| self.row(&value, &hint.fields)),
                        after: is.map(|value| self.row(&value, &hint.fields)),
                    };
                    self.rows.push(row);
                }
                continue;
            }
            self.on("", &format!("{prefix}{name} · "), &hint.fields, was.as_ref(), is.as_ref());
        }
    }

    /// A row as words: its fields by name.
    fn row(&self, value: &Json, fields: &[FieldHint]) -> String {
        if !matches!(value, Json::Object(_) | Json::Array(_)) {
            return self.text(value, fields.iter().find(|field| field.pointer.is_empty()));
        }
        let told = fields.iter().filter_map(|field| {
            let value = value.pointer(&field.pointer)?;
            Some(format!("{}: {}", field.label, self.text(value, Some(field))))
        });
        let words: Vec<String> = told.collect();
        if words.is_empty() { plain(value) } else { words.join(" · ") }
    }

    /// Ids by their names where the form knows them, amounts as money.
    fn text(&self, value: &Json, hint: Option<&FieldHint>) -> String {
        match (value, hint) {
            (Json::Array(items), Some(hint)) if !hint.fields.is_empty() => {
                items.iter().map(|item| self.row(item, &hint.fields)).collect::<Vec<_>>().join("; ")
            }
            (Json::Object(map), Some(hint)) if !hint.fields.is_empty() => {
                let row = |(key, value): (&String, &Json)| format!("{key}: {}", self.row(value, &hint.fields));
                map.iter().map(row).collect::<Vec<_>>().join("; ")
            }
            (Json::Array(items), _) => items.iter().map(|item| self.text(item, hint)).collect::<Vec<_>>().join(", "),
            (Json::String(_) | Json::Number(_), Some(hint)) => {
                let plain = plain(value);
                if hint.widget == Widget::MoneyMicros
                    && let Ok(micros) = plain.parse()
                {
                    return Money::new(Currency::USD, micros).to_string();
                }
                let choice = hint.choices.iter().find(|(wire, _)| *wire == plain).map(|(_, label)| label.clone());
                let options = hint.options.as_deref().and_then(|key| self.hints.options.get(key));
                let entity = options.and_then(|options| options.iter().find(|option| option.id == plain));
                choice.or_else(|| entity.map(|option| option.name.clone())).unwrap_or(plain)
            }
            _ => plain(value),
        }
    }
}

fn label(pointer: &str, fields: &[FieldHint]) -> String {
    fields
        .iter()
        .filter(|field| pointer.starts_with(&field.pointer) && (!field.pointer.is_empty() || pointer.is_empty()))
        .max_by_key(|field| field.pointer.len())
        .map_or_else(|| pointer.trim_start_matches('/').replace('/', " › "), |field| field.label.clone())
}

/// A value in words; nobody is shown how it is written for machines.
pub fn plain(value: &Json) -> String {
    match value {
        Json::Null => "None".to_owned(),
        Json::Bool(yes) => if *yes { "Yes" } else { "No" }.to_owned(),
        Json::Number(number) => number.to_string(),
        Json::String(text) => text.clone(),
        Json::Array(items) if items.is_empty() => "None".to_owned(),
        Json::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(", "),
        Json::Object(map) => {
            map.iter().map(|(name, value)| format!("{name}: {}", plain(value))).collect::<Vec<_>>().join(" · ")
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::EntityOption;

    #[test]
    fn edits_are_told_by_label_and_name() {
        let hint = |pointer: &str, label: &str, options: Option<&str>| FieldHint {
            pointer: pointer.into(),
            label: label.into(),
            widget: Widget::Entity,
            help: None,
            options: options.map(Into::into),
            parent: None,
            choices: vec![],
            required: false,
            max_length: None,
            ..FieldHint::default()
        };
        let option = |id: &str, name: &str| EntityOption {
            id: id.into(),
            name: name.into(),
            parent: None,
            detail: None,
            network: None,
        };
        let hints = UiHints {
            fields: vec![hint("/body/displayName", "Name", None), hint("/app", "App", Some("app"))],
            options: [("app".to_owned(), vec![option("a1", "Puzzle Game"), option("a2", "Word Quest")])].into(),
            confirm_text: None,
            goes_to: None,
        };
        let before = json!({"app": "a1", "body": {"displayName": "A", "state": "ON"}});
        let after = json!({"app": "a2", "body": {"displayName": "B", "state": "ON"}, "new": [1, 2]});
        let rows: Vec<_> = edits(&before, &after, &hints)
            .into_iter()
            .map(|row| (row.label, row.before.unwrap_or_default(), row.after.unwrap_or_default()))
            .collect();
        let row = |a: &str, b: &str, c: &str| (a.to_owned(), b.to_owned(), c.to_owned());
        assert_eq!(rows, [row("App", "Puzzle Game", "Word Quest"), row("Name", "A", "B"), row("new", "", "1, 2")]);
        assert!(edits(&before, &before, &hints).is_empty());
    }

    #[test]
    fn rows_of_objects_and_maps_are_told_row_by_row_and_never_as_json() {
        let field = |pointer: &str, label: &str| FieldHint {
            pointer: pointer.into(),
            label: label.into(),
            ..FieldHint::default()
        };
        let rows = |widget, pointer: &str, label: &str, fields: Vec<FieldHint>| FieldHint {
            widget,
            fields,
            ..field(pointer, label)
        };
        let price = FieldHint { widget: Widget::MoneyMicros, ..field("", "Price") };
        let hints = UiHints {
            fields: vec![
                rows(
                    Widget::Objects,
                    "/body",
                    "Placement",
                    vec![field("/name", "Name"), field("/capping/limit", "Limit")],
                ),
                rows(Widget::Entries, "/geo", "Floor", vec![price]),
            ],
            ..UiHints::default()
        };
        let before = json!({"body": [{"name": "A", "capping": {"limit": 3}}, {"name": "B"}], "geo": {"US": 4_000_000}});
        let after =
            json!({"body": [{"name": "A", "capping": {"limit": 5}}], "geo": {"US": 4_500_000, "DE": 1_000_000}});
        let told: Vec<_> = edits(&before, &after, &hints)
            .into_iter()
            .map(|row| format!("{}: {} → {}", row.label, row.before.unwrap_or_default(), row.after.unwrap_or_default()))
            .collect();
        assert_eq!(
            told,
            ["Placement 1 · Limit: 3 → 5", "Placement 2: Name: B → ", "Floor US: $4.00 → $4.50", "Floor DE:  → $1.00"]
        );
    }
}
