//! Describes in words what a person changed in the form, for the record.

use adagent_domain::{Currency, Money};
use serde_json::Value as Json;

use crate::{ChangeRow, FieldHint, LINES, UiHints, Widget};

const MOST: usize = 40;

/// Returns the differences between the proposed and the approved arguments, with the labels of the form.
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
    /// Compares these fields. `prefix` names the row that they belong to.
    fn on(&mut self, pointer: &str, prefix: &str, fields: &[FieldHint], before: Option<&Json>, after: Option<&Json>) {
        if before == after || self.rows.len() >= MOST {
            return;
        }
        let hint = fields.iter().find(|field| field.pointer == pointer);
        if let Some(hint) = hint.filter(|hint| !hint.fields.is_empty()) {
            return self.rows_of(hint, prefix, before, after);
        }
        if let Some(hint) = hint.filter(|hint| hint.widget == Widget::MediationLines) {
            return self.lines(hint, before, after);
        }
        // Lists an added or removed part field by field: the form has labels for its fields but none for the part.
        let nothing = serde_json::Map::new();
        let parts = match (before, after) {
            (Some(Json::Object(old)), Some(Json::Object(new))) => Some((old, new)),
            (None | Some(Json::Null), Some(Json::Object(new))) if !new.is_empty() => Some((&nothing, new)),
            (Some(Json::Object(old)), None | Some(Json::Null)) if !old.is_empty() => Some((old, &nothing)),
            _ => None,
        };
        match parts {
            Some((old, new)) if hint.is_none() => {
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

    /// Compares rows by their number or key. For an added or removed row, lists all its fields.
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

    /// Compares the lines of a mediation group, by name: "at $13.50", "paused".
    fn lines(&mut self, hint: &FieldHint, before: Option<&Json>, after: Option<&Json>) {
        let line = |lines: Option<&Json>, key: &str| lines?.get(key).filter(|line| line["state"] != "REMOVED").cloned();
        let keys =
            |lines: Option<&Json>| lines.and_then(Json::as_object).map(|map| map.keys().cloned().collect::<Vec<_>>());
        let (old, new) = (keys(before).unwrap_or_default(), keys(after).unwrap_or_default());
        for key in old.iter().chain(new.iter().filter(|key| !old.contains(key))) {
            let (was, is) = (line(before, key), line(after, key));
            if was == is {
                continue;
            }
            let label = self.line_name(hint, key, is.as_ref().or(was.as_ref()));
            let words = |line: Json| line_words(&line);
            self.rows.push(ChangeRow { label, before: was.map(words), after: is.map(words) });
        }
    }

    fn line_name(&self, hint: &FieldHint, key: &str, line: Option<&Json>) -> String {
        let named = |list: &str, id: &str| {
            let option = self.hints.options.get(list)?.iter().find(|option| option.id == id)?;
            Some(option.name.clone())
        };
        let text = |field: &str| line.and_then(|line| line[field].as_str()).filter(|text| !text.is_empty());
        text("displayName")
            .map(str::to_owned)
            .or_else(|| named(LINES, key))
            .or_else(|| named(hint.options.as_deref()?, text("adSourceId")?))
            .unwrap_or_else(|| hint.label.clone())
    }

    /// Returns a row in words: its fields by name.
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

    /// Returns a value in words: IDs by their names if the form knows them, amounts as money.
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
                if let Some(price) = hint.currency.and_then(|currency| Money::exact(currency, &plain)) {
                    return price;
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

/// Returns the price and state of a line in words.
fn line_words(line: &Json) -> String {
    let micros = &line["cpmMicros"];
    let micros = micros.as_i64().or_else(|| micros.as_str()?.parse().ok());
    let price = match micros {
        Some(micros) => Some(format!("at {}", Money::new(Currency::USD, micros))),
        None => (line["cpmMode"] == "LIVE").then(|| "bidding".to_owned()),
    };
    let state = match line["state"].as_str() {
        Some("DISABLED") => Some("paused"),
        Some("ENABLED") if price.is_none() => Some("on"),
        _ => None,
    };
    price.into_iter().chain(state.map(str::to_owned)).collect::<Vec<_>>().join(", ")
}

fn label(pointer: &str, fields: &[FieldHint]) -> String {
    fields
        .iter()
        .filter(|field| pointer.starts_with(&field.pointer) && (!field.pointer.is_empty() || pointer.is_empty()))
        .max_by_key(|field| field.pointer.len())
        .map_or_else(|| place(pointer), |field| field.label.clone())
}

/// Returns the names on the way to a place, in words. `body` is not a name and is left out.
fn place(pointer: &str) -> String {
    let names = pointer.trim_start_matches('/');
    names.strip_prefix("body/").unwrap_or(names).split('/').map(words).collect::<Vec<_>>().join(" › ")
}

/// Returns a field's name as people write it: `someFieldName` and `some_field_name` become “Some field name”.
pub fn words(name: &str) -> String {
    let chars: Vec<char> = name.chars().collect();
    let mut tokens: Vec<String> = vec![String::new()];
    for (i, c) in chars.iter().enumerate() {
        let before = i.checked_sub(1).map(|i| chars[i]);
        let begins = c.is_uppercase()
            && before.is_some_and(|before| {
                !before.is_uppercase() || chars.get(i + 1).is_some_and(|next| next.is_lowercase())
            });
        if *c == '_' || *c == ' ' || begins {
            tokens.push(String::new());
        }
        if let (Some(token), false) = (tokens.last_mut(), *c == '_' || *c == ' ') {
            token.push(*c);
        }
    }
    let spoken: Vec<String> = tokens.iter().filter(|token| !token.is_empty()).map(|token| spoken(token)).collect();
    let mut rest = spoken.join(" ").chars().collect::<Vec<_>>().into_iter();
    let first =
        rest.next().map(|first| if name.starts_with("ios") { vec![first] } else { first.to_uppercase().collect() });
    first.into_iter().flatten().chain(rest).collect()
}

/// Words that we always write in capitals.
const CAPITALS: [&str; 14] =
    ["ab", "arpdau", "coppa", "cpm", "gdpr", "id", "idfa", "ids", "os", "po", "sdk", "url", "usd", "vast"];

fn spoken(token: &str) -> String {
    let lower = token.to_lowercase();
    match lower.as_str() {
        "ab" => "A/B".to_owned(),
        "ids" => "IDs".to_owned(),
        "ios" => "iOS".to_owned(),
        "ecpm" => "eCPM".to_owned(),
        known if CAPITALS.contains(&known) => lower.to_uppercase(),
        // Codes, such as those of countries, stay as they are.
        _ if token.len() == 2 && token.chars().all(char::is_uppercase) => token.to_owned(),
        _ => lower,
    }
}

/// Returns a label in lower case, for the middle of a sentence or after another label. Words with capitals after their first letter stay as
/// they are.
pub fn lowered(label: &str) -> String {
    let word = |word: &str| {
        let small = word.chars().skip(1).all(|c| !c.is_uppercase());
        if small && word.chars().count() > 1 { word.to_lowercase() } else { word.to_owned() }
    };
    label.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// Returns a value in words, so that nobody sees the machine's notation.
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
    fn names_of_fields_read_as_words() {
        for (name, read) in [
            ("mediationAdUnitId", "Mediation ad unit ID"),
            ("storeURL", "Store URL"),
            ("cpm_floor", "CPM floor"),
            ("os", "OS"),
            ("US", "US"),
            ("abTest", "A/B test"),
            ("taxonomyCategoryIds", "Taxonomy category IDs"),
            ("iosVersion", "iOS version"),
            ("name", "Name"),
        ] {
            assert_eq!(words(name), read);
        }
        assert_eq!(lowered("CPM floor: Geo: US"), "CPM floor: geo: US");
    }

    #[test]
    fn lines_of_a_group_are_told_by_name() {
        let option = |id: &str, name: &str| EntityOption {
            id: id.into(),
            name: name.into(),
            parent: None,
            detail: None,
            network: None,
        };
        let lines = FieldHint {
            pointer: "/lines".into(),
            label: "Lines".into(),
            widget: Widget::MediationLines,
            options: Some("ad_source".into()),
            ..FieldHint::default()
        };
        let options =
            [(LINES.to_owned(), vec![option("77", "Fall")]), ("ad_source".to_owned(), vec![option("5", "Unity Ads")])];
        let hints = UiHints { fields: vec![lines], options: options.into(), ..UiHints::default() };
        let before =
            json!({"lines": {"77": {"cpmMicros": "14000000"}, "78": {"displayName": "Bid", "state": "ENABLED"}}});
        let after = json!({"lines": {"77": {"cpmMicros": "13500000"}, "78": {"displayName": "Bid", "state": "DISABLED"},
            "-1": {"adSourceId": "5", "cpmMode": "LIVE", "state": "ENABLED"}}});
        let told: Vec<_> = edits(&before, &after, &hints)
            .into_iter()
            .map(|row| format!("{}: {} → {}", row.label, row.before.unwrap_or_default(), row.after.unwrap_or_default()))
            .collect();
        assert_eq!(told, ["Fall: at $14.00 → at $13.50", "Bid: on → paused", "Unity Ads:  → bidding"]);
    }

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
            place: None,
        };
        let before = json!({"app": "a1", "body": {"displayName": "A", "state": "ON"}});
        let after = json!({"app": "a2", "body": {"displayName": "B", "state": "ON"}, "new": [1, 2]});
        let rows: Vec<_> = edits(&before, &after, &hints)
            .into_iter()
            .map(|row| (row.label, row.before.unwrap_or_default(), row.after.unwrap_or_default()))
            .collect();
        let row = |a: &str, b: &str, c: &str| (a.to_owned(), b.to_owned(), c.to_owned());
        assert_eq!(rows, [row("App", "Puzzle Game", "Word Quest"), row("Name", "A", "B"), row("New", "", "1, 2")]);
        assert!(edits(&before, &before, &hints).is_empty());
    }

    #[test]
    fn a_part_that_comes_or_goes_is_told_by_the_labels_of_its_fields() {
        let field = |pointer: &str, label: &str| FieldHint {
            pointer: pointer.into(),
            label: label.into(),
            ..FieldHint::default()
        };
        let fields = vec![
            field("/body/rewardSettings/unitAmount", "Reward amount"),
            field("/body/rewardSettings/unitType", "Reward"),
        ];
        let hints = UiHints { fields, ..UiHints::default() };
        let without = json!({"body": {"adFormat": "REWARDED"}});
        let with = json!({"body": {"adFormat": "REWARDED", "ad_types": ["RICH_MEDIA"],
            "rewardSettings": {"unitAmount": "50", "unitType": "coins"}}});
        let labels = |before: &Json, after: &Json| -> Vec<String> {
            edits(before, after, &hints).into_iter().map(|row| row.label).collect()
        };
        assert_eq!(labels(&without, &with), ["Ad types", "Reward amount", "Reward"]);
        assert_eq!(labels(&with, &without), ["Ad types", "Reward amount", "Reward"]);
    }

    #[test]
    fn a_price_in_units_is_told_with_its_currency() {
        let price = FieldHint {
            pointer: "/body/cpmFloor".into(),
            label: "CPM floor".into(),
            currency: Some(Currency::USD),
            ..FieldHint::default()
        };
        let hints = UiHints { fields: vec![price], ..UiHints::default() };
        let rows = edits(&json!({"body": {"cpmFloor": 5.0}}), &json!({"body": {"cpmFloor": 4.5}}), &hints);
        assert_eq!((rows[0].before.as_deref(), rows[0].after.as_deref()), (Some("$5.00"), Some("$4.50")));
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
