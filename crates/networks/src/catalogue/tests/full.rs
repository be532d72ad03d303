//! Tests every schema from both ends: arguments that give every field pass, and the check reports each missing required field by its place.

use adagent_tools::schema::{self, escape};
use serde_json::{Map, Value as Json, json};

use crate::catalogue::*;

/// Returns the shortest text that a pattern of the catalog accepts. Knows `\d`, `\S`, classes, counts and optional groups.
fn sample(pattern: &str) -> String {
    let mut out = String::new();
    let mut rest = pattern.trim_start_matches('^').trim_end_matches('$');
    while !rest.is_empty() {
        let (piece, after) = if let Some(after) = rest.strip_prefix(r"\d") {
            ("1", after)
        } else if let Some(after) = rest.strip_prefix(r"\S") {
            ("a", after)
        } else if let Some((class, after)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            (if class.starts_with('^') { "a" } else { &class[..1] }, after)
        } else if let Some((_, after)) = rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
            assert!(after.starts_with(['*', '?']), "{pattern} has a group that must be there");
            ("", after)
        } else {
            let at = usize::from(rest.starts_with('\\'));
            (&rest[at..=at], &rest[at + 1..])
        };
        let (times, after) = match after.strip_prefix('{').and_then(|rest| rest.split_once('}')) {
            Some((count, after)) => (count.parse().expect("a count"), after),
            None => match after.strip_prefix(['*', '?']) {
                Some(after) => (0, after),
                None => (1, after.strip_prefix('+').unwrap_or(after)),
            },
        };
        out.push_str(&piece.repeat(times));
        rest = after;
    }
    out
}

/// Returns a value that gives each field of the schema once.
fn full(operation: &Operation, schema: &Json) -> Json {
    let root = &operation.info.input_schema;
    let schema = schema::whole(root, schema);
    if let Some(options) = schema["enum"].as_array() {
        return options[0].clone();
    }
    if let Some(list) = schema["x-enum-ref"].as_str() {
        let values = operation.facts.values(list).expect("there");
        let works = |facts: &ValueFacts| facts.report_types.iter().any(|kind| kind == "HISTORICAL");
        return json!(values.iter().find(|(_, facts)| works(facts)).expect("one").0);
    }
    match schema["type"].as_str().expect("a type") {
        "object" => {
            let mut out = Map::new();
            for (name, property) in schema["properties"].as_object().into_iter().flatten() {
                let fits = schema["maxProperties"].as_u64().is_none_or(|most| (out.len() as u64) < most);
                if fits && !excluded(schema, &out, name) {
                    out.insert(name.clone(), full(operation, property));
                }
            }
            if schema["additionalProperties"].is_object() {
                out.insert("1".into(), full(operation, &schema["additionalProperties"]));
            }
            Json::Object(out)
        }
        "array" => {
            let count = schema["minItems"].as_u64().unwrap_or(1).max(1);
            (0..count).map(|_| full(operation, &schema["items"])).collect()
        }
        "boolean" => json!(true),
        "integer" => {
            json!(schema["minimum"].as_i64().unwrap_or(1).max(1).min(schema["maximum"].as_i64().unwrap_or(i64::MAX)))
        }
        "number" => json!(schema["minimum"].as_f64().unwrap_or(1.5).max(1.5)),
        _ => json!(match (schema["pattern"].as_str(), schema["format"].as_str()) {
            (Some(pattern), _) => sample(pattern),
            (None, Some("date")) => "2026-11-21".into(),
            (None, Some("date-time")) => "2026-11-21T09:00:00Z".into(),
            (None, Some("uri")) => "https://example.com".into(),
            (None, Some("byte")) => "YQ==".into(),
            _ => "a".repeat(usize::try_from(schema["minLength"].as_u64().unwrap_or(1)).expect("short")),
        }),
    }
}

/// Checks whether the schema forbids this field together with one that is already given.
fn excluded(schema: &Json, given: &Map<String, Json>, name: &str) -> bool {
    let pairs = schema["not"]["anyOf"].as_array().map_or(std::slice::from_ref(&schema["not"]), Vec::as_slice);
    pairs.iter().filter_map(|pair| pair["required"].as_array()).any(|pair| {
        pair.contains(&json!(name)) && pair.iter().filter_map(Json::as_str).any(|other| given.contains_key(other))
    })
}

#[test]
fn everything_a_schema_offers_can_be_given() {
    let catalogue = Catalogue::built_in().expect("loads");
    for tool in catalogue.tools() {
        let operation = catalogue.get(&tool.name).expect("known");
        let args = full(operation, &tool.input_schema);
        let validator = schema::compile(&tool.input_schema).expect("compiles");
        let mut found = schema::check(&validator, &tool.input_schema, &args);
        found.extend(values::check(&operation.facts, &tool.input_schema, &args));
        assert_eq!(found, [], "{} {args}", tool.name);
    }
}

/// Adds pointers to every field of the value that its schema requires.
fn required(root: &Json, schema: &Json, value: &Json, at: &str, out: &mut Vec<String>) {
    let schema = schema::whole(root, schema);
    match value {
        Json::Object(fields) => {
            let names = schema["required"].as_array().into_iter().flatten().filter_map(Json::as_str);
            out.extend(names.map(|name| format!("{at}/{}", escape(name))));
            for (name, field) in fields {
                let part = schema["properties"].get(name).unwrap_or(&schema["additionalProperties"]);
                required(root, part, field, &format!("{at}/{}", escape(name)), out);
            }
        }
        Json::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                required(root, &schema["items"], item, &format!("{at}/{i}"), out);
            }
        }
        _ => {}
    }
}

#[test]
fn whatever_must_be_given_is_missed_by_its_place() {
    let catalogue = Catalogue::built_in().expect("loads");
    let mut tried = 0;
    for tool in catalogue.tools() {
        let operation = catalogue.get(&tool.name).expect("known");
        let mut pointers = Vec::new();
        required(&tool.input_schema, &tool.input_schema, &operation.example, "", &mut pointers);
        for pointer in pointers {
            let mut args = operation.example.clone();
            let (parent, name) = pointer.rsplit_once('/').expect("a pointer");
            args.pointer_mut(parent).and_then(Json::as_object_mut).expect("an object").remove(name);
            let found = operation.check(&args);
            let said = found.iter().any(|error| error.pointer == pointer && error.message.starts_with("is required"));
            assert!(said, "{} without {pointer}: {found:?}", tool.name);
            tried += 1;
        }
    }
    assert!(tried > 700, "{tried}");
}

#[test]
fn samples_fit_their_patterns() {
    for pattern in
        [r"^networks/\d+/sites/[^/]+$", r"^\d+(\.\d+)?s$", "^[A-Z][A-Z0-9_]*$", r"^ca-app-pub-\d{16}~\d{10}$", r"\S"]
    {
        assert!(jsonschema::is_valid(&json!({"pattern": pattern}), &json!(sample(pattern))), "{pattern}");
    }
    assert_eq!(sample(r"^\d{4}-\d\d$"), "1111-11");
}
