//! Rules for one operation: its description, its request, and that everything it names exists.

use serde_json::Value as Json;

use super::{has_entity, read_only_tool, schema, strings, text};

const CAPABILITIES: [&str; 9] =
    ["reporting", "inventory", "accounts", "mediation", "experiments", "orders", "deals", "targeting", "content"];
const METHODS: [&str; 5] = ["GET", "POST", "PATCH", "PUT", "DELETE"];
const RESULTS: [&str; 4] = ["list", "object", "report", "operation"];
const CONFIDENCES: [&str; 3] = ["verified", "documented", "inferred"];
const PAGINATIONS: [&str; 4] = ["token", "page", "offset", "cursor"];
/// The longest tool name that the tool protocols accept.
const MAX_NAME: usize = 64;

pub fn check(file: &Json, tool: &Json, out: &mut Vec<String>) {
    described(file, tool, out);
    let input = &tool["input_schema"];
    if input["type"] != "object" || input["additionalProperties"] != false {
        out.push("input_schema must be an object that takes nothing unknown".into());
    }
    schema::check(file, input, "", out);
    travels(file, tool, out);
    references(file, tool, out);
    result(file, tool, out);
    if !tool["example"].is_object() {
        out.push("has no example call".into());
    }
}

fn described(file: &Json, tool: &Json, out: &mut Vec<String>) {
    let name = tool["name"].as_str().unwrap_or_default();
    let prefix = format!("{}_", file["network"].as_str().unwrap_or_default());
    if !name.starts_with(&prefix) {
        out.push(format!("its name must start with {prefix:?}"));
    }
    if name.len() > MAX_NAME || !name.bytes().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'_') {
        out.push(format!("its name must be a-z, 0-9 and _, at most {MAX_NAME} characters"));
    }
    for part in ["title", "source"] {
        if text(tool, part).is_none() {
            out.push(format!("has no {part}"));
        }
    }
    if !text(tool, "description").is_some_and(|text| text.ends_with('.')) {
        out.push("its description must be sentences".into());
    }
    for flag in ["read_only", "destructive", "idempotent", "long_running"] {
        if !tool[flag].is_boolean() {
            out.push(format!("{flag} must be true or false"));
        }
    }
    if tool["read_only"] == true && tool["destructive"] == true {
        out.push("cannot be read-only and destructive".into());
    }
    if !CONFIDENCES.iter().any(|known| tool["confidence"] == *known) {
        out.push(format!("confidence {} is not one of {}", tool["confidence"], CONFIDENCES.join(", ")));
    }
    let tags = strings(tool, "tags");
    match text(tool, "capability") {
        Some(capability) if CAPABILITIES.contains(&capability) => {
            if !tags.contains(&capability) {
                out.push(format!("its tags lack the capability {capability:?}"));
            }
        }
        _ => out.push(format!("{} is no known capability", tool["capability"])),
    }
    if tags.contains(&"dangerous") == (tool["read_only"] == true) {
        out.push("the tag \"dangerous\" belongs on every operation that changes something, and on no other".into());
    }
}

fn travels(file: &Json, tool: &Json, out: &mut Vec<String>) {
    let (http, input) = (&tool["http"], &tool["input_schema"]);
    let property = |name: &str| input["properties"].get(name).is_some();
    let path = http["path"].as_str().unwrap_or_default();
    if !METHODS.iter().any(|method| http["method"] == *method) || !path.starts_with('/') {
        out.push("its binding needs a method and a path that starts with /".into());
        return;
    }
    if !strings(file, "base_urls").iter().any(|base| http["base"] == *base) {
        out.push(format!("its base {} is none of the network's base_urls", http["base"]));
    }
    let placeholders: Vec<&str> =
        path.split('{').skip(1).map(|rest| rest.split_once('}').map_or("", |(name, _)| name)).collect();
    for name in &placeholders {
        if !property(name) || !strings(input, "required").contains(name) {
            out.push(format!("placeholder {name:?} of its path must be a required property"));
        }
    }
    let query = strings(http, "query");
    for name in query.iter().filter(|name| !property(name)) {
        out.push(format!("query parameter {name:?} is no property"));
    }
    let body = http["body"] == true;
    if body != property("body") {
        out.push("has the property \"body\" exactly when the binding sends one".into());
    }
    if body && http["method"] == "GET" {
        out.push("a GET sends no body".into());
    }
    for name in input["properties"].as_object().into_iter().flatten().map(|(name, _)| name.as_str()) {
        if name != "body" && !placeholders.contains(&name) && !query.contains(&name) {
            out.push(format!("property {name:?} would never be sent"));
        }
    }
    for map in ["query_names", "query_style", "query_maps"] {
        for name in http[map].as_object().into_iter().flatten().map(|(name, _)| name.as_str()) {
            if !query.contains(&name) {
                out.push(format!("{map} names {name:?}, which is not in the query"));
            }
        }
    }
    let fields: Vec<&str> =
        file["auth"]["fields"].as_array().into_iter().flatten().filter_map(|field| field["name"].as_str()).collect();
    for map in ["header_auth", "query_auth"] {
        for field in http[map].as_object().into_iter().flatten().filter_map(|(_, field)| field.as_str()) {
            if !fields.contains(&field) {
                out.push(format!("{map} names {field:?}, which is no field of the credentials"));
            }
        }
    }
    if let Some(scheme) = http["auth"].as_str()
        && !file["auth"]["wire"].as_str().is_some_and(|wire| wire.contains(scheme))
    {
        out.push(format!("the network's auth.wire does not describe the scheme {scheme:?}"));
    }
}

fn references(file: &Json, tool: &Json, out: &mut Vec<String>) {
    for (path, entity) in tool["entity_params"].as_object().into_iter().flatten() {
        if !entity.as_str().is_some_and(|entity| has_entity(file, entity)) {
            out.push(format!("entity_params: {path} names {entity}, which is no entity of this network"));
        }
        match schema::at(file, &tool["input_schema"], path) {
            Some(found) if found["type"] == "string" || found["type"] == "integer" => {}
            Some(_) => out.push(format!("entity_params: {path} holds no id")),
            None => out.push(format!("entity_params: there is no parameter {path}")),
        }
    }
}

fn result(file: &Json, tool: &Json, out: &mut Vec<String>) {
    let result = &tool["result"];
    if !RESULTS.iter().any(|kind| result["kind"] == *kind) {
        out.push(format!("result.kind {} is not one of {}", result["kind"], RESULTS.join(", ")));
    }
    if result["kind"] == "list" && !result["items_path"].is_string() {
        out.push("a list must say where its items are (items_path)".into());
    }
    for name in ["next_tool", "poll_tool"].iter().filter_map(|name| result[*name].as_str()) {
        if read_only_tool(file, name) != Some(true) {
            out.push(format!("result names {name:?}, which is no reading operation of this network"));
        }
    }
    let page = &result["pagination"];
    if page.is_null() {
        return;
    }
    if !PAGINATIONS.iter().any(|kind| page["kind"] == *kind) {
        out.push(format!("pagination.kind {} is not one of {}", page["kind"], PAGINATIONS.join(", ")));
    }
    if page["kind"] == "token" && !page["response_field"].is_string() {
        out.push("paging by token needs the field that carries the next one".into());
    }
    if !page["request_param"].is_string() {
        out.push("pagination needs the parameter that asks for a page".into());
    }
    for path in ["request_param", "page_size_param", "skip_param"].iter().filter_map(|name| page[*name].as_str()) {
        if schema::at(file, &tool["input_schema"], path).is_none() {
            out.push(format!("pagination names {path:?}, which is no parameter"));
        }
    }
}
