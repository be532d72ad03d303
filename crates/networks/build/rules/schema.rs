//! Rules for input schemas: only keywords that the checks and forms understand, no open objects, and no reference that does not resolve.

use serde_json::Value as Json;

use super::super::refs;

const TYPES: [&str; 6] = ["object", "array", "string", "integer", "number", "boolean"];
/// Names of a parameter that hides a whole request without describing it.
const OPAQUE: [&str; 3] = ["body_json", "raw_body", "json"];

/// Checks one schema. `at` is its JSON pointer within the input schema.
pub fn check(file: &Json, schema: &Json, at: &str, out: &mut Vec<String>) {
    let Some(fields) = schema.as_object() else {
        out.push(format!("{at}: is no schema"));
        return;
    };
    if let Some(reference) = fields.get("$ref") {
        // The definition itself is checked with the `$defs` of the file. Here it only has to exist.
        if refs::target(schema).and_then(|name| file["$defs"].get(name)).is_none() {
            out.push(format!("{at}: {reference} does not resolve"));
        }
        return;
    }
    for (keyword, value) in fields {
        if !well_formed(keyword, value) {
            out.push(format!("{at}: {keyword} is unknown, or of a wrong kind"));
        }
    }
    match fields.get("type").and_then(Json::as_str) {
        Some("object") => object(file, schema, at, out),
        Some("array") => match fields.get("items") {
            Some(items) => check(file, items, &format!("{at}/items"), out),
            None => out.push(format!("{at}: a list must say what is in it (items)")),
        },
        Some(kind) if TYPES.contains(&kind) => {}
        _ => out.push(format!("{at}: has no type")),
    }
    if let Some(name) = fields.get("x-enum-ref")
        && name.as_str().and_then(|name| file["enums"].get(name)).is_none()
    {
        out.push(format!("{at}: x-enum-ref {name} does not resolve"));
    }
}

fn object(file: &Json, schema: &Json, at: &str, out: &mut Vec<String>) {
    let properties = schema.get("properties").and_then(Json::as_object);
    let more = &schema["additionalProperties"];
    if more.is_null() || (more == &Json::Bool(true)) || (properties.is_none() && !more.is_object()) {
        out.push(format!("{at}: must say which fields it has, and take no others"));
    }
    if more.is_object() {
        check(file, more, &format!("{at}/additionalProperties"), out);
    }
    for (name, property) in properties.into_iter().flatten() {
        if OPAQUE.contains(&name.as_str()) {
            out.push(format!("{at}/properties/{name}: is an opaque request; say what is in it"));
        }
        check(file, property, &format!("{at}/properties/{name}"), out);
    }
    for name in schema["required"].as_array().into_iter().flatten() {
        if !name.as_str().is_some_and(|name| properties.is_some_and(|known| known.contains_key(name))) {
            out.push(format!("{at}: required names {name}, which is no property"));
        }
    }
}

fn well_formed(keyword: &str, value: &Json) -> bool {
    match keyword {
        "type" | "description" | "format" | "x-enum-ref" => value.as_str().is_some_and(|text| !text.is_empty()),
        "$schema" => value == "https://json-schema.org/draft/2020-12/schema",
        "pattern" => value.as_str().is_some_and(|text| text == r"\S" || (text.starts_with('^') && text.ends_with('$'))),
        "minimum" | "maximum" => value.is_number(),
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => value.is_u64(),
        "uniqueItems" => value.is_boolean(),
        "properties" | "items" => value.is_object(),
        "additionalProperties" => value.is_object() || value.is_boolean(),
        "required" => value.as_array().is_some_and(|names| names.iter().all(Json::is_string)),
        "enum" | "examples" => value.as_array().is_some_and(|values| !values.is_empty()),
        // Only two rules: at least one of these fields, and not both of these fields. Forms have no words for anything richer.
        "anyOf" => alternatives(value),
        "not" => together(value) || (value.as_object().is_some_and(|o| o.len() == 1) && alternatives(&value["anyOf"])),
        "default" => true,
        _ => false,
    }
}

fn alternatives(value: &Json) -> bool {
    value.as_array().is_some_and(|all| !all.is_empty() && all.iter().all(together))
}

fn together(value: &Json) -> bool {
    value["required"].is_array() && value.as_object().is_some_and(|fields| fields.len() == 1)
}

/// Finds the schema that a parameter path (`body.lines[].*.adSourceId`) leads to.
pub fn at<'a>(file: &'a Json, schema: &'a Json, path: &str) -> Option<&'a Json> {
    let mut found = schema;
    for part in path.split('.') {
        let (name, lists) = part.find('[').map_or((part, 0), |at| (&part[..at], part[at..].matches("[]").count()));
        found = whole(file, found);
        found = if name == "*" { found.get("additionalProperties") } else { found.get("properties")?.get(name) }?;
        for _ in 0..lists {
            found = whole(file, found).get("items")?;
        }
    }
    Some(whole(file, found))
}

fn whole<'a>(file: &'a Json, schema: &'a Json) -> &'a Json {
    refs::target(schema).and_then(|name| file["$defs"].get(name)).unwrap_or(schema)
}
