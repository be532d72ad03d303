//! The messages of the API: fields, types, enums, and which fields can be filtered by. It never reads stored objects.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use crate::networks::admob::errors::ApiError;

/// Field types and enum numbers, as version 0.10.7 of the official client declares them.
const TEXT: &str = include_str!("data/schema.json");

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Text,
    Int64,
    Int32,
    Double,
    Bool,
    Time,
    Duration,
    Any,
    Enum(&'static str),
    Message(&'static str),
}

#[expect(clippy::struct_excessive_bools, reason = "they are independent marks of a field")]
#[derive(Debug, Clone, Copy)]
pub struct Field {
    pub kind: Kind,
    pub repeated: bool,
    pub required: bool,
    pub output: bool,
    pub immutable: bool,
}

type Fields = BTreeMap<&'static str, Field>;

#[derive(Default)]
pub struct Schema {
    messages: HashMap<&'static str, Fields>,
    enums: HashMap<&'static str, Vec<(&'static str, i64)>>,
    filters: HashMap<&'static str, Vec<&'static str>>,
}

/// The raw schema lives as long as the program, so that names can be borrowed from it.
static RAW: LazyLock<Value> = LazyLock::new(|| serde_json::from_str(TEXT).expect("the shipped schema is JSON"));

static SCHEMA: LazyLock<Schema> = LazyLock::new(|| {
    let mut schema = Schema::default();
    for (name, fields) in entries("messages") {
        let list = fields.as_object().into_iter().flatten();
        let fields = list.map(|(key, spec)| (key.as_str(), field(spec.as_str().unwrap_or_default()))).collect();
        schema.messages.insert(name, fields);
    }
    for (name, values) in entries("enums") {
        let list = values.as_object().into_iter().flatten();
        schema.enums.insert(name, list.map(|(key, number)| (key.as_str(), number.as_i64().unwrap_or(0))).collect());
    }
    for (name, fields) in entries("filters") {
        schema.filters.insert(name, fields.as_array().into_iter().flatten().filter_map(Value::as_str).collect());
    }
    schema
});

fn entries(part: &str) -> impl Iterator<Item = (&'static str, &'static Value)> {
    RAW[part].as_object().into_iter().flatten().map(|(name, value)| (name.as_str(), value))
}

/// Parses a field: `[m:AppliedLabel O` is a list of messages that only the service sets.
fn field(spec: &'static str) -> Field {
    let (kind, flags) = spec.split_once(' ').unwrap_or((spec, ""));
    let (kind, repeated) = kind.strip_prefix('[').map_or((kind, false), |kind| (kind, true));
    let kind = match kind.split_once(':') {
        Some(("e", name)) => Kind::Enum(name),
        Some((_, name)) => Kind::Message(name),
        None => match kind {
            "int64" => Kind::Int64,
            "int32" => Kind::Int32,
            "double" => Kind::Double,
            "bool" => Kind::Bool,
            "time" => Kind::Time,
            "duration" => Kind::Duration,
            "any" => Kind::Any,
            _ => Kind::Text,
        },
    };
    let has = |flag: char| flags.contains(flag);
    Field { kind, repeated, required: has('R'), output: has('O') || has('N'), immutable: has('I') }
}

pub fn fields(message: &str) -> Option<&'static Fields> {
    SCHEMA.messages.get(message)
}

pub fn get(message: &str, name: &str) -> Option<Field> {
    fields(message)?.get(name).copied()
}

/// Returns the fields that a list of this collection can be filtered by; `None` if the service documents none.
pub fn filterable(collection: &str) -> Option<&'static [&'static str]> {
    SCHEMA.filters.get(collection).map(Vec::as_slice)
}

pub fn members(name: &str) -> &'static [(&'static str, i64)] {
    SCHEMA.enums.get(name).map_or(&[], Vec::as_slice)
}

/// Returns the field at the end of a dotted path.
pub fn at(message: &str, path: &str) -> Option<Field> {
    let mut message = message;
    let mut parts = path.split('.').peekable();
    while let Some(part) = parts.next() {
        let field = get(message, part)?;
        if parts.peek().is_none() {
            return Some(field);
        }
        let Kind::Message(next) = field.kind else { return None };
        message = next;
    }
    None
}

/// Which required fields must be present.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// All required fields.
    Whole,
    /// Only the required fields inside the fields that were sent.
    Part,
}

/// Checks an object against its message and returns it in the form that the service shows. Drops fields that only the service sets.
pub fn checked(message: &str, value: &Value, path: &str, mode: Mode) -> Result<Map<String, Value>, ApiError> {
    let join = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    let map = value.as_object().ok_or_else(|| {
        let named = if path.is_empty() { "body" } else { path };
        ApiError::invalid(named, "Invalid JSON payload received. An object is expected.")
    })?;
    let known = fields(message).ok_or_else(|| ApiError::internal(format!("no message {message}")))?;
    let mut out = Map::new();
    for (name, value) in map {
        let Some(field) = known.get(name.as_str()) else {
            let at = join(name);
            let message =
                format!("Invalid JSON payload received. Unknown name \"{name}\" at '{path}': Cannot find field.");
            return Err(ApiError::invalid(at, message));
        };
        // Google reads the name of the resource and ignores all other fields that the service sets.
        if value.is_null() || (field.output && name != "name") {
            continue;
        }
        out.insert(name.clone(), value_of(*field, value, &join(name))?);
    }
    if mode == Mode::Whole {
        for (name, _) in known.iter().filter(|(_, field)| field.required) {
            let blank = |value: &Value| value.as_str().is_some_and(|text| text.trim().is_empty());
            if out.get(*name).is_none_or(blank) {
                return Err(ApiError::invalid(join(name), "Required field is missing."));
            }
        }
    }
    Ok(out)
}

fn value_of(field: Field, value: &Value, path: &str) -> Result<Value, ApiError> {
    if !field.repeated {
        return single(field.kind, value, path);
    }
    let items = value.as_array().ok_or_else(|| ApiError::invalid(path, "a list is expected"))?;
    let each = items.iter().enumerate().map(|(index, item)| single(field.kind, item, &format!("{path}[{index}]")));
    Ok(Value::Array(each.collect::<Result<_, _>>()?))
}

fn whole(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_str()?.parse().ok())
}

fn single(kind: Kind, value: &Value, path: &str) -> Result<Value, ApiError> {
    let wrong =
        |expected: &str| ApiError::invalid(path, format!("Invalid value at '{path}': {value}; {expected} is expected"));
    match kind {
        Kind::Any => Ok(value.clone()),
        Kind::Text => value.as_str().map(|text| json!(text)).ok_or_else(|| wrong("a text")),
        Kind::Bool => value.as_bool().map(|it| json!(it)).ok_or_else(|| wrong("true or false")),
        Kind::Int64 => whole(value).map(|it| json!(it.to_string())).ok_or_else(|| wrong("a whole number")),
        Kind::Int32 => {
            let small = whole(value).and_then(|it| i32::try_from(it).ok());
            small.map(|it| json!(it)).ok_or_else(|| wrong("a whole number of 32 bits"))
        }
        Kind::Double => value.as_f64().map(|it| json!(it)).ok_or_else(|| wrong("a number")),
        Kind::Time => {
            let time = value.as_str().and_then(|text| text.parse::<Timestamp>().ok());
            time.map(|it| json!(it.to_string())).ok_or_else(|| wrong("a time such as 2026-12-01T05:00:00Z"))
        }
        Kind::Duration => {
            let seconds = value.as_str().and_then(|text| text.strip_suffix('s')?.parse::<f64>().ok());
            seconds.filter(|it| *it >= 0.0).map(|_| value.clone()).ok_or_else(|| wrong("a duration such as 30s"))
        }
        Kind::Enum(name) => member(name, value).map(|it| json!(it)).ok_or_else(|| {
            let names: Vec<&str> = members(name).iter().map(|(member, _)| *member).take(12).collect();
            wrong(&format!("one of {}", names.join(", ")))
        }),
        Kind::Message(name) => checked(name, value, path, Mode::Whole).map(Value::Object),
    }
}

/// Finds a member of an enum by its name, or by its number, which the official client sends.
fn member(name: &'static str, value: &Value) -> Option<&'static str> {
    let report = match name {
        "ReportDefinition.Dimension" => Some('D'),
        "ReportDefinition.Metric" => Some('M'),
        _ => None,
    };
    if let Some(letter) = report {
        return super::report::fields::find(letter, value).map(|field| field.name);
    }
    let fits = |(member, number): &&(&'static str, i64)| match value {
        Value::String(text) => text == member,
        other => other.as_i64() == Some(*number),
    };
    members(name).iter().find(fits).map(|(member, _)| *member)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field_of(error: &ApiError) -> String {
        error.body()["error"]["details"][0]["fieldViolations"][0]["field"].as_str().unwrap_or_default().to_owned()
    }

    #[test]
    fn numbers_of_enums_become_names_and_what_the_service_sets_is_dropped() {
        let body = json!({"displayName": "x", "type": 1, "companyId": "77", "thirdPartyCompanyId": 5});
        let company = checked("Company", &body, "", Mode::Whole).unwrap();
        assert_eq!(company["thirdPartyCompanyId"], "5");
        assert!(company["type"].is_string() && !company.contains_key("companyId"));
    }

    #[test]
    fn an_error_names_the_field_deep_inside() {
        let mut body = json!({"displayName": "x", "targeting": {"geoTargeting": {"targetedGeos": ["a", 7]}}});
        let error = checked("LineItem", &body, "", Mode::Part).unwrap_err();
        assert_eq!(field_of(&error), "targeting.geoTargeting.targetedGeos[1]");
        body = json!({"surprise": 1});
        assert_eq!(field_of(&checked("Order", &body, "order", Mode::Part).unwrap_err()), "order.surprise");
        assert_eq!(field_of(&checked("Team", &json!({}), "", Mode::Whole).unwrap_err()), "displayName");
    }

    #[test]
    fn every_documented_filter_starts_at_a_field_of_its_message() {
        for collection in &super::super::tables::COLLECTIONS {
            for path in filterable(collection.name).unwrap_or_default() {
                let first = path.split('.').next().unwrap();
                assert!(get(collection.message, first).is_some(), "{}: {path}", collection.name);
            }
        }
    }
}
