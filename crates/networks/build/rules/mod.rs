//! The rules for catalog files. Each problem is one text: file, operation, what is wrong. This module is pure; it reads no file.

mod network;
mod schema;
mod tool;

use std::collections::BTreeMap;

use serde_json::Value as Json;

/// Returns everything that is wrong with these files (named without `.json`).
pub fn problems(files: &[(String, Json)]) -> Vec<String> {
    let mut out = Vec::new();
    let mut owners: BTreeMap<&str, &str> = BTreeMap::new();
    for (name, file) in files {
        let mut found = Vec::new();
        network::check(name, file, &mut found);
        for (shared, definition) in file["$defs"].as_object().into_iter().flatten() {
            let mut wrong = Vec::new();
            schema::check(file, definition, "", &mut wrong);
            found.extend(wrong.into_iter().map(|what| (format!("$defs {shared}"), what)));
        }
        for tool in tools(file) {
            let Some(tool_name) = tool["name"].as_str() else { continue };
            if let Some(other) = owners.insert(tool_name, name) {
                found.push((tool_name.to_owned(), format!("is there twice (also in {other}.json)")));
            }
            let mut wrong = Vec::new();
            tool::check(file, tool, &mut wrong);
            found.extend(wrong.into_iter().map(|what| (tool_name.to_owned(), what)));
        }
        out.extend(found.into_iter().map(|(place, what)| format!("{name}.json, {place}: {what}")));
    }
    out
}

fn tools(file: &Json) -> impl Iterator<Item = &Json> {
    file["tools"].as_array().into_iter().flatten()
}

/// Returns the text of a field; `None` if it is blank.
fn text<'a>(value: &'a Json, name: &str) -> Option<&'a str> {
    value[name].as_str().filter(|text| !text.trim().is_empty())
}

/// Returns the strings of a list.
fn strings<'a>(value: &'a Json, name: &str) -> Vec<&'a str> {
    value[name].as_array().into_iter().flatten().filter_map(Json::as_str).collect()
}

/// Returns whether the operation of this name is read-only; `None` if the file has no such operation.
fn read_only_tool(file: &Json, name: &str) -> Option<bool> {
    tools(file).find(|tool| tool["name"] == name).map(|tool| tool["read_only"] == true)
}

/// Checks whether the file describes an entity of this name.
fn has_entity(file: &Json, name: &str) -> bool {
    file["entities"].as_array().into_iter().flatten().any(|entity| entity["name"] == name)
}
