//! Checks values against long lists (`x-enum-ref`). A value that is not in the list does not exist, so we refuse it before we send
//! anything. We also refuse a value that does not work with the report's type. This module is pure and never picks a replacement.

use adagent_contract::FieldError;
use adagent_tools::schema::escape;
use serde_json::Value as Json;

use super::facts::{NetworkFacts, ValueList};

/// How many existing values an error suggests.
const CANDIDATES: usize = 4;

/// Returns an error for each value that the network does not have.
pub fn check(facts: &NetworkFacts, schema: &Json, args: &Json) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if facts.value_lists().is_empty() {
        return errors;
    }
    walk(Place { facts, root: schema, report_type: None }, schema, args, "", &mut errors);
    errors
}

#[derive(Clone, Copy)]
struct Place<'a> {
    facts: &'a NetworkFacts,
    root: &'a Json,
    /// The type of the report whose parts are checked. Most values work only with some types.
    report_type: Option<&'a str>,
}

fn walk<'a>(place: Place<'a>, schema: &'a Json, value: &'a Json, at: &str, errors: &mut Vec<FieldError>) {
    let schema = super::schema::whole(place.root, schema);
    match value {
        Json::String(text) => {
            let list = schema["x-enum-ref"].as_str().and_then(|name| place.facts.values(name));
            errors.extend(
                list.and_then(|list| problem(list, text, place.report_type)).map(|what| FieldError::new(at, what)),
            );
        }
        Json::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                walk(place, &schema["items"], item, &format!("{at}/{i}"), errors);
            }
        }
        Json::Object(fields) => {
            let report_type = fields.get("reportType").and_then(Json::as_str).or(place.report_type);
            let place = Place { report_type, ..place };
            for (name, field) in fields {
                let part = schema["properties"].get(name).unwrap_or(&schema["additionalProperties"]);
                walk(place, part, field, &format!("{at}/{}", escape(name)), errors);
            }
        }
        _ => {}
    }
}

fn problem(list: &ValueList, text: &str, report_type: Option<&str>) -> Option<String> {
    let Some(known) = list.get(text) else {
        return Some(format!("isn't one of the {} known values. Similar: {}", list.len(), near(list.keys(), text)));
    };
    let types = &known.report_types;
    // For a few values, the sources do not say which report types they work with.
    let wrong = report_type.filter(|wanted| !types.is_empty() && !types.iter().any(|works| works == wanted))?;
    Some(format!("doesn't work with report type {wrong}. Use it with {}", types.join(", ")))
}

fn near<'a>(known: impl Iterator<Item = &'a String>, text: &str) -> String {
    let wanted = text.to_uppercase();
    let mut scored: Vec<(usize, &str)> = known
        .map(|name| {
            let distance = strsim::levenshtein(name, &wanted);
            // A longer name that contains the given text is nearer than any other name.
            (if name.contains(&wanted) { distance.min(1) } else { distance }, name.as_str())
        })
        .collect();
    scored.sort_unstable();
    scored.iter().take(CANDIDATES).map(|(_, name)| *name).collect::<Vec<_>>().join(", ")
}
