//! What a person changed in the form, in words for the record.

use serde_json::Value as Json;

use crate::{ChangeRow, UiHints};

const MOST: usize = 40;

/// The differences between what was proposed and what was approved, labelled as the form labels them.
pub fn edits(before: &Json, after: &Json, hints: &UiHints) -> Vec<ChangeRow> {
    let mut rows = Vec::new();
    walk("", Some(before), Some(after), hints, &mut rows);
    rows
}

fn walk(pointer: &str, before: Option<&Json>, after: Option<&Json>, hints: &UiHints, rows: &mut Vec<ChangeRow>) {
    if before == after || rows.len() >= MOST {
        return;
    }
    let hinted = hints.fields.iter().any(|field| field.pointer == pointer);
    match (before, after) {
        (Some(Json::Object(old)), Some(Json::Object(new))) if !hinted => {
            let keys = old.keys().chain(new.keys().filter(|key| !old.contains_key(*key)));
            for key in keys {
                let escaped = key.replace('~', "~0").replace('/', "~1");
                walk(&format!("{pointer}/{escaped}"), old.get(key), new.get(key), hints, rows);
            }
        }
        _ => rows.push(ChangeRow {
            label: label(pointer, hints),
            before: before.map(|value| text(value, pointer, hints)),
            after: after.map(|value| text(value, pointer, hints)),
        }),
    }
}

fn label(pointer: &str, hints: &UiHints) -> String {
    hints
        .fields
        .iter()
        .filter(|field| pointer.starts_with(&field.pointer) && !field.pointer.is_empty())
        .max_by_key(|field| field.pointer.len())
        .map_or_else(|| pointer.trim_start_matches('/').replace('/', " › "), |field| field.label.clone())
}

/// Ids by their names where the form knows them.
fn text(value: &Json, pointer: &str, hints: &UiHints) -> String {
    let Json::String(plain) = value else {
        return match value {
            Json::Array(items) => items.iter().map(|item| text(item, pointer, hints)).collect::<Vec<_>>().join(", "),
            other => other.to_string(),
        };
    };
    let field = hints.fields.iter().find(|field| field.pointer == pointer);
    let choice = field.and_then(|field| field.choices.iter().find(|(wire, _)| wire == plain)).map(|(_, label)| label);
    let entity = field
        .and_then(|field| hints.options.get(field.options.as_deref()?))
        .and_then(|options| options.iter().find(|option| option.id == *plain))
        .map(|option| &option.name);
    choice.or(entity).unwrap_or(plain).clone()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{EntityOption, FieldHint, Widget};

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
}
