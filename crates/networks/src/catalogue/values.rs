//! Values of long lists (`x-enum-ref`): what is not in the list does not exist, so it is refused before anything is sent.

use adagent_contract::FieldError;
use serde_json::Value as Json;

use super::{facts::NetworkFacts, schema::escape};

/// How many existing values an error names.
const CANDIDATES: usize = 4;

/// Errors for values the network does not have.
pub fn check(facts: &NetworkFacts, schema: &Json, args: &Json) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if facts.value_lists().is_empty() {
        return errors;
    }
    walk(facts, schema, schema, args, "", &mut errors);
    errors
}

fn walk(facts: &NetworkFacts, root: &Json, schema: &Json, value: &Json, at: &str, errors: &mut Vec<FieldError>) {
    let schema = super::schema::whole(root, schema);
    match value {
        Json::String(text) => {
            let list = schema["x-enum-ref"].as_str().and_then(|name| facts.values(name));
            if let Some(list) = list.filter(|list| !list.contains_key(text)) {
                let near = near(list.keys(), text);
                errors.push(FieldError::new(at, format!("is not one of the {} known; near are {near}", list.len())));
            }
        }
        Json::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                walk(facts, root, &schema["items"], item, &format!("{at}/{i}"), errors);
            }
        }
        Json::Object(fields) => {
            for (name, field) in fields {
                let part = schema["properties"].get(name).unwrap_or(&schema["additionalProperties"]);
                walk(facts, root, part, field, &format!("{at}/{}", escape(name)), errors);
            }
        }
        _ => {}
    }
}

fn near<'a>(known: impl Iterator<Item = &'a String>, text: &str) -> String {
    let wanted = text.to_uppercase();
    let mut scored: Vec<(usize, &str)> = known
        .map(|name| {
            let distance = strsim::levenshtein(name, &wanted);
            // A longer name that holds the words asked for is nearer than any other word.
            (if name.contains(&wanted) { distance.min(1) } else { distance }, name.as_str())
        })
        .collect();
    scored.sort_unstable();
    scored.iter().take(CANDIDATES).map(|(_, name)| *name).collect::<Vec<_>>().join(", ")
}
