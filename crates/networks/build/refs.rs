//! Puts the shared sub-schemas of a file (`$defs`) in the places that refer to them, so that forms, models and checks see whole schemas.
//!
//! A definition that contains itself cannot be written out. It stays a `$ref`, and the operation's own schema keeps the definition.

use std::collections::BTreeSet;

use serde_json::{Map, Value as Json};

const PREFIX: &str = "#/$defs/";

/// Puts the shared sub-schemas in place and removes the `$defs` of the file.
pub fn put_in_place(file: &mut Json) {
    let Some(fields) = file.as_object_mut() else { return };
    let Some(Json::Object(defs)) = fields.shift_remove("$defs") else { return };
    let recursive: BTreeSet<String> = defs.keys().filter(|name| reaches(&defs, name, name)).cloned().collect();
    for tool in fields.get_mut("tools").and_then(Json::as_array_mut).into_iter().flatten() {
        let Some(schema) = tool.get_mut("input_schema") else { continue };
        let mut kept = BTreeSet::new();
        expand(schema, &defs, &recursive, &mut kept);
        let mut own = Map::new();
        // A kept definition may refer to another one to keep.
        while let Some(name) = kept.iter().find(|name| !own.contains_key(*name)).cloned() {
            let mut definition = defs.get(&name).cloned().unwrap_or_default();
            expand(&mut definition, &defs, &recursive, &mut kept);
            own.insert(name, definition);
        }
        if let (false, Some(schema)) = (own.is_empty(), schema.as_object_mut()) {
            schema.insert("$defs".into(), Json::Object(own));
        }
    }
}

/// Returns the name that a schema refers to.
pub fn target(schema: &Json) -> Option<&str> {
    schema.get("$ref").and_then(Json::as_str).and_then(|reference| reference.strip_prefix(PREFIX))
}

fn expand(value: &mut Json, defs: &Map<String, Json>, recursive: &BTreeSet<String>, kept: &mut BTreeSet<String>) {
    if let Some(name) = target(value).map(str::to_owned) {
        if recursive.contains(&name) {
            kept.insert(name);
            return;
        }
        let mut whole = defs.get(&name).cloned().unwrap_or_default();
        // Keywords next to the reference are about this place, so they win over the definition.
        if let (Some(whole), Some(beside)) = (whole.as_object_mut(), value.as_object()) {
            whole.extend(
                beside.iter().filter(|(key, _)| *key != "$ref").map(|(key, value)| (key.clone(), value.clone())),
            );
        }
        *value = whole;
    }
    match value {
        Json::Object(fields) => fields.values_mut().for_each(|field| expand(field, defs, recursive, kept)),
        Json::Array(items) => items.iter_mut().for_each(|item| expand(item, defs, recursive, kept)),
        _ => {}
    }
}

fn reaches(defs: &Map<String, Json>, from: &str, to: &str) -> bool {
    let mut seen = BTreeSet::new();
    let mut open = vec![from.to_owned()];
    while let Some(name) = open.pop() {
        for next in defs.get(&name).map(named).unwrap_or_default() {
            if next == to {
                return true;
            }
            if seen.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    false
}

fn named(value: &Json) -> Vec<String> {
    let mut out: Vec<String> = target(value).map(str::to_owned).into_iter().collect();
    match value {
        Json::Object(fields) => fields.values().for_each(|field| out.extend(named(field))),
        Json::Array(items) => items.iter().for_each(|item| out.extend(named(item))),
        _ => {}
    }
    out
}
