//! Writes the values of arguments as words: names for IDs, amounts, dates, yes and no. This module is pure.

use adagent_contract::EntityKind;
use adagent_domain::{Currency, Money};
use adagent_tools::schema::{escape, is_yes_or_no, meanings, whole};
use serde_json::{Map, Value as Json};

use super::Scene;
use crate::{
    catalogue::is_one_value,
    normalise::human,
    sketch::{lowered, words_of},
};

/// How many items of a list are written out.
const MOST: usize = 6;

/// A field with its own value.
pub struct Leaf<'a> {
    /// Pointer from the object that the field belongs to.
    pub at: String,
    pub label: String,
    pub value: &'a Json,
}

/// Returns every field. A value that is one for people (an amount, a date, a size, a list) counts as one field.
pub fn leaves(value: &Json) -> Vec<Leaf<'_>> {
    let mut out = Vec::new();
    walk(value, "", "", &mut out);
    out
}

fn walk<'a>(value: &'a Json, at: &str, label: &str, out: &mut Vec<Leaf<'a>>) {
    match value.as_object().filter(|fields| !is_one(fields) && !fields.is_empty()) {
        Some(fields) => {
            for (name, value) in fields {
                walk(value, &format!("{at}/{}", escape(name)), &below(label, name), out);
            }
        }
        None if !at.is_empty() => out.push(Leaf { at: at.to_owned(), label: label.to_owned(), value }),
        None => {}
    }
}

/// Returns the label of the field `name` inside the field with this label. Codes stay as they are.
pub fn below(label: &str, name: &str) -> String {
    let code = name.len() <= 3 && name.bytes().all(|byte| byte.is_ascii_uppercase());
    match name {
        "displayName" if label.is_empty() => "Name".to_owned(),
        "displayName" => format!("{label}: name"),
        _ if code && !label.is_empty() => format!("{label}: {name}"),
        _ if label.is_empty() => words_of(name),
        // A name that the network writes large is one: `FYBER_NETWORK`.
        _ if name.len() > 3 && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_') => {
            format!("{label}: {}", words_of(name))
        }
        _ => format!("{label}: {}", lowered(&words_of(name))),
    }
}

/// Returns the current values inside the given fields that the request leaves out.
pub fn left_out<'a>(said: &Json, now: &'a Json) -> Vec<Leaf<'a>> {
    let mut out = Vec::new();
    for (name, said) in said.as_object().into_iter().flatten() {
        if let Some(now) = now.get(name) {
            missing(said, now, &format!("/{}", escape(name)), &below("", name), &mut out);
        }
    }
    out
}

fn missing<'a>(said: &Json, now: &'a Json, at: &str, label: &str, out: &mut Vec<Leaf<'a>>) {
    let (Some(said), Some(now)) = (said.as_object(), now.as_object()) else { return };
    if is_one(said) {
        return;
    }
    for (name, value) in now.iter().filter(|(_, value)| !value.is_null()) {
        let (at, label) = (format!("{at}/{}", escape(name)), below(label, name));
        match said.get(name) {
            Some(said) => missing(said, value, &at, &label, out),
            None => out.push(Leaf { at, label, value }),
        }
    }
}

/// Checks whether the fields are parts of one value: an amount of money, a date, a size, a time of day.
pub fn is_one(fields: &Map<String, Json>) -> bool {
    is_one_value(|name| fields.contains_key(name))
}

impl Scene<'_> {
    /// Writes a value as words. `pointer` is its place in the arguments, which says to which kind of entity an ID belongs.
    pub fn words(&self, value: &Json, pointer: &str) -> String {
        let kind = self.kind_at(pointer);
        match value {
            Json::Number(_) | Json::String(_) if kind.is_none() => {
                let choice = self.choice(pointer, &plain(value));
                choice.or_else(|| self.amount(pointer, value)).unwrap_or_else(|| self.shown(value, pointer))
            }
            _ => self.shown(value, pointer),
        }
    }

    /// Writes a price with its currency, or a share with its percent sign.
    fn amount(&self, pointer: &str, value: &Json) -> Option<String> {
        let written = plain(value);
        if let Some(currency) = self.currency_at(pointer) {
            return Money::exact(currency, &written);
        }
        let said = self.schema_at(pointer)["description"].as_str().unwrap_or_default();
        said.ends_with("percent").then(|| format!("{written}%"))
    }

    /// Returns the currency of the price at this place; `None` if the value is no price.
    pub fn currency_at(&self, pointer: &str) -> Option<Currency> {
        let schema = self.schema_at(pointer);
        let said = schema["description"].as_str().unwrap_or_default();
        if said.contains("US dollars") {
            return Some(Currency::USD);
        }
        // Use the currency that the same object, or one around it, gives.
        let of = |place: &str| self.args.pointer(&format!("{place}/currency"))?.as_str().map(str::to_uppercase);
        let mut place = pointer;
        let code = std::iter::from_fn(|| {
            place = place.rsplit_once('/')?.0;
            Some(place)
        });
        let code = code.filter(|place| !place.is_empty()).find_map(of)?;
        let number = matches!(schema["type"].as_str(), Some("number"));
        (number && said.contains("CPM")).then(|| Currency::try_from(code).ok()).flatten()
    }

    /// Returns the schema for a place in the arguments.
    fn schema_at(&self, pointer: &str) -> &Json {
        let root = &self.tool.input_schema;
        pointer.split('/').skip(1).fold(root, |schema, part| {
            let schema = whole(root, schema);
            let number = part.bytes().all(|b| b.is_ascii_digit());
            match (&schema["items"], &schema["properties"][part]) {
                (items, _) if number && items.is_object() => whole(root, items),
                (_, field) if field.is_object() => whole(root, field),
                _ => whole(root, &schema["additionalProperties"]),
            }
        })
    }

    fn shown(&self, value: &Json, pointer: &str) -> String {
        let kind = self.kind_at(pointer);
        let inner = |at: &dyn std::fmt::Display, value: &Json| self.words(value, &format!("{pointer}/{at}"));
        match value {
            Json::Null => "None".to_owned(),
            Json::Bool(yes) => if *yes { "Yes" } else { "No" }.to_owned(),
            Json::Number(number) => self.entity(&number.to_string(), kind),
            Json::String(text) => self.entity(text, kind),
            Json::Array(items) if items.is_empty() => "None".to_owned(),
            Json::Array(items) => {
                let words: Vec<String> =
                    items.iter().take(MOST).enumerate().map(|(at, item)| inner(&at, item)).collect();
                let more = items.len().saturating_sub(MOST);
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                format!("{}{more}", words.join(", "))
            }
            Json::Object(fields) if is_one(fields) => one(fields),
            Json::Object(fields) => {
                let words = fields.iter().map(|(name, value)| {
                    let at = format!("{pointer}/{}", escape(name));
                    let label = self.role(name, &at).unwrap_or_else(|| words_of(name));
                    format!("{} {}", lowered(&label), self.words(value, &at))
                });
                words.collect::<Vec<_>>().join(", ")
            }
        }
    }

    fn entity(&self, text: &str, kind: Option<EntityKind>) -> String {
        if let Some(item) = kind.and_then(|kind| self.named(kind, text)) {
            return item.name.clone();
        }
        // A resource name may belong to an entity that the arguments name elsewhere.
        let known = text.contains('/').then(|| self.named.iter().find(|item| text.ends_with(&format!("/{}", item.id))));
        if let Some(item) = known.flatten() {
            return item.name.clone();
        }
        let shouted = text.len() > 1
            && text.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
            && text.bytes().any(|b| b.is_ascii_uppercase());
        if shouted && text.len() > 3 { human(text) } else { text.to_owned() }
    }

    /// Returns the label of a field whose ID is shown as a name: “Placement ID” becomes “Placement”, “Advertiser” stays as it is. `None` if
    /// the field holds no entity.
    pub fn role(&self, name: &str, pointer: &str) -> Option<String> {
        let kind = self.kind_at(pointer)?;
        let own = {
            let mut label = kind.label().chars();
            label.next().map(|first| first.to_uppercase().chain(label).collect::<String>()).unwrap_or_default()
        };
        let words = words_of(name);
        let bare = [" internal ID", " ID", " IDs", " code"].iter().find_map(|end| words.strip_suffix(end));
        let bare = bare.unwrap_or(&words);
        let bare = bare.strip_suffix(" key").filter(|bare| *bare == own).unwrap_or(bare);
        let theirs = self.facts.of_kind(kind).map(|entity| words_of(&entity.name));
        let nameless =
            ["Name", "Names", "ID", "IDs", "Parent", "Value", "Application", "Site", "Network"].contains(&bare);
        let part = own.ends_with(&format!(" {}", lowered(bare)));
        let same = part || bare == own || theirs.as_deref() == Some(bare) || lowered(bare) == kind.plural();
        Some(if nameless || same { own } else { bare.to_owned() })
    }

    /// Returns the words for a value that the network lists, as the form shows them.
    fn choice(&self, pointer: &str, wire: &str) -> Option<String> {
        let listed =
            self.schema_at(pointer)["enum"].as_array().is_some_and(|all| all.iter().any(|one| plain(one) == wire));
        listed.then(|| self.choice_words(pointer, wire))
    }

    /// Returns “Rewarded” for `REWARDED`, and also for 5 if the catalog says what the network's numbers mean.
    pub fn choice_words(&self, pointer: &str, wire: &str) -> String {
        let entity = self.kind.and_then(|kind| self.facts.of_kind(kind));
        let format = entity.and_then(|entity| entity.fields.format.as_deref());
        let numbered = pointer.rsplit('/').next().is_some_and(|name| format == Some(name));
        if let Some(word) = entity.filter(|_| numbered).and_then(|entity| entity.words.get(wire)) {
            return human(word);
        }
        let schema = self.schema_at(pointer);
        let meanings = meanings(schema);
        let meaning = meanings.iter().find(|(option, _)| plain(option) == wire);
        match (meaning, wire) {
            // If the schema explains only one of two values, the other one would stay a bare number.
            (Some(_) | None, "0" | "1") if is_yes_or_no(schema) && meanings.len() < 2 => {
                if wire == "1" { "Yes" } else { "No" }.to_owned()
            }
            (Some((_, meaning)), _) => capital(meaning),
            (None, _) if schema["description"].as_str().is_some_and(|text| text.ends_with("percent")) => {
                format!("{wire}%")
            }
            (None, _) => human(wire),
        }
    }

    /// Returns the kind of entity whose ID is at this place.
    pub fn kind_at(&self, pointer: &str) -> Option<EntityKind> {
        let plain: Vec<&str> = pointer.split('/').skip(1).collect();
        let fits = |path: &str| {
            let parts: Vec<&str> = path.split('.').collect();
            let mut at = plain.iter().peekable();
            for part in &parts {
                let (name, list) = part.strip_suffix("[]").map_or((*part, false), |name| (name, true));
                if at.next() != Some(&name) {
                    return false;
                }
                if list && at.peek().is_some_and(|next| next.bytes().all(|b| b.is_ascii_digit())) {
                    at.next();
                }
            }
            at.next().is_none()
        };
        self.tool.entity_params.iter().find(|(path, _)| fits(path)).map(|(_, kind)| *kind)
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

fn plain(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn one(fields: &Map<String, Json>) -> String {
    let number = |name: &str| {
        let value = fields.get(name);
        value.and_then(|value| value.as_i64().or_else(|| value.as_str()?.parse().ok()))
    };
    if let (Some(year), Some(month)) = (number("year"), number("month")) {
        let day = number("day").map(|day| format!("-{day:02}")).unwrap_or_default();
        return format!("{year}-{month:02}{day}");
    }
    if let (Some(width), Some(height)) = (number("width"), number("height")) {
        return format!("{width} × {height}");
    }
    if let (Some(hours), Some(minutes)) = (number("hours"), number("minutes")) {
        return format!("{hours:02}:{minutes:02}");
    }
    let micros = number("units").unwrap_or(0).checked_mul(1_000_000);
    let micros = micros.and_then(|units| units.checked_add(number("nanos").unwrap_or(0) / 1000));
    let currency =
        fields.get("currencyCode").and_then(Json::as_str).and_then(|code| Currency::try_from(code.to_owned()).ok());
    match (micros, currency) {
        (Some(micros), Some(currency)) => Money::new(currency, micros).display(2),
        _ => Json::Object(fields.clone()).to_string(),
    }
}
