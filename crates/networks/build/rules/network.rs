//! Rules for a file as a whole: the network's addresses, its sign-in and its entities.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use super::{has_entity, read_only_tool, text, tools};

const AUTH_KINDS: [&str; 7] = [
    "oauth2",
    "api_key",
    "key_exchange_bearer",
    "token_exchange_bearer",
    "signed_params",
    "headers_and_session",
    "client_credentials",
];

/// Adds each problem together with its place.
pub fn check(name: &str, file: &Json, out: &mut Vec<(String, String)>) {
    let mut say = |place: &str, what: String| out.push((place.to_owned(), what));
    if file["network"] != name {
        say("network", format!("is {}, the file is called {name}", file["network"]));
    }
    if text(file, "display_name").is_none() {
        say("display_name", "is missing".into());
    }
    for part in ["money", "time_zone", "reports", "limits"] {
        if text(&file["about"], part).is_none() {
            say("about", format!("does not say {part}"));
        }
    }
    let auth = &file["auth"];
    if !text(auth, "kind").is_some_and(|kind| AUTH_KINDS.contains(&kind)) {
        say("auth", format!("{} is no known kind", auth["kind"]));
    }
    let fields: Vec<&Json> = auth["fields"].as_array().into_iter().flatten().collect();
    if fields.is_empty() {
        say("auth", "has no fields".into());
    }
    for field in fields {
        if text(field, "name").is_none() || text(field, "label").is_none() || !field["secret"].is_boolean() {
            say("auth", format!("field {field} needs name, label and secret"));
        }
    }
    let bases: Vec<&Json> = file["base_urls"].as_array().into_iter().flatten().collect();
    if bases.is_empty() || !bases.iter().all(|base| base.as_str().is_some_and(|base| base.starts_with("https://"))) {
        say("base_urls", "must name at least one https address and nothing else".into());
    }
    if tools(file).next().is_none() {
        say("tools", "are missing".into());
    }
    if tools(file).any(|tool| text(tool, "name").is_none()) {
        say("tools", "one has no name".into());
    }
    entities(file, out);
}

fn entities(file: &Json, out: &mut Vec<(String, String)>) {
    let mut seen = BTreeSet::new();
    for entity in file["entities"].as_array().into_iter().flatten() {
        let name = entity["name"].as_str().unwrap_or_default();
        let mut say = |what: String| out.push((format!("entity {name:?}"), what));
        if name.is_empty() || !seen.insert(name) {
            say("has no name of its own".into());
        }
        if let Some(parent) = entity["parent"].as_str()
            && !has_entity(file, parent)
        {
            say(format!("its parent {parent:?} is no entity of this network"));
        }
        let anchored = |pattern: &str| pattern.starts_with('^') && pattern.ends_with('$');
        if !text(entity, "id_pattern").is_some_and(anchored) {
            say(format!("id_pattern {} must go from ^ to $", entity["id_pattern"]));
        }
        if text(entity, "display_field").is_none() {
            say("has no display_field".into());
        }
        match entity["list_tool"].as_str().map(|tool| (tool, read_only_tool(file, tool))) {
            Some((tool, None)) => say(format!("its list_tool {tool:?} is no operation of this network")),
            Some((tool, Some(false))) => say(format!("its list_tool {tool:?} changes something")),
            _ => {}
        }
    }
}
