//! A server's schema as we use it: without references, and checked in linear time. Pure.

use jsonschema::{PatternOptions, Validator};
use serde_json::{Value as Json, json};

/// Bytes of a schema, as it comes and after its references are written out.
const MOST_BYTES: usize = 32 * 1024;
/// How deep references are followed; what contains itself is not checked below that.
const MOST_DEPTH: usize = 12;

/// The schema of an object without references; `None` where it is no such thing, too long or cannot be checked.
pub fn flat(schema: &Json) -> Option<Json> {
    if schema.to_string().len() > MOST_BYTES {
        return None;
    }
    let mut budget = MOST_BYTES;
    let mut flat = written_out(schema, schema, 0, &mut budget)?;
    let fields = flat.as_object_mut()?;
    fields.remove("$defs");
    fields.remove("definitions");
    match fields.get("type") {
        None => {
            fields.insert("type".into(), json!("object"));
        }
        Some(kind) if kind == "object" => {}
        Some(_) => return None,
    }
    compiled(&flat)?;
    Some(flat)
}

/// `None` where it cannot be checked. Patterns are without what makes them slow, whatever a server sends.
pub fn compiled(schema: &Json) -> Option<Validator> {
    let options = jsonschema::draft202012::options();
    options.with_pattern_options(PatternOptions::regex()).should_validate_formats(false).build(schema).ok()
}

fn written_out(root: &Json, schema: &Json, depth: usize, budget: &mut usize) -> Option<Json> {
    *budget = budget.checked_sub(1)?;
    match schema {
        Json::Object(fields) => {
            if let Some(reference) = fields.get("$ref") {
                // Only what the schema itself holds: nothing is fetched.
                let pointer = reference.as_str()?.strip_prefix('#')?;
                let target = root.pointer(pointer)?;
                return if depth < MOST_DEPTH { written_out(root, target, depth + 1, budget) } else { Some(json!({})) };
            }
            let mut out = serde_json::Map::new();
            for (name, value) in fields {
                *budget = budget.checked_sub(name.len())?;
                match name.as_str() {
                    "$dynamicRef" | "$recursiveRef" => return None,
                    "$schema" | "$id" | "$anchor" | "$dynamicAnchor" => {}
                    "$defs" | "definitions" if depth == 0 => {}
                    _ => {
                        out.insert(name.clone(), written_out(root, value, depth, budget)?);
                    }
                }
            }
            Some(Json::Object(out))
        }
        Json::Array(items) => {
            items.iter().map(|item| written_out(root, item, depth, budget)).collect::<Option<Vec<_>>>().map(Json::Array)
        }
        Json::String(text) => {
            *budget = budget.checked_sub(text.len())?;
            Some(schema.clone())
        }
        _ => Some(schema.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_written_out() {
        let schema = json!({
            "$schema": "http://json-schema.org/draft-07/schema#",
            "properties": {"who": {"$ref": "#/$defs/who"}},
            "$defs": {"who": {"type": "string", "maxLength": 3}},
        });
        assert_eq!(
            flat(&schema),
            Some(json!({"properties": {"who": {"type": "string", "maxLength": 3}}, "type": "object"}))
        );
    }

    #[test]
    fn what_contains_itself_ends() {
        let tree = json!({"properties": {"tree": {"$ref": "#/$defs/tree"}}, "$defs": {"tree": {
            "type": "object", "properties": {"left": {"$ref": "#/$defs/tree"}},
        }}});
        let flat = flat(&tree).expect("a schema");
        assert!(compiled(&flat).expect("compiles").is_valid(&json!({"tree": {"left": {"left": {}}}})));
        let own = json!({"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"$ref": "#/$defs/a"}}});
        assert!(super::flat(&own).is_some());
        // Each step doubles: more than there is room for.
        let wide = json!({"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {
            "anyOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}],
        }}});
        assert!(super::flat(&wide).is_none());
    }

    #[test]
    fn what_cannot_be_checked_is_no_schema() {
        for bad in [
            json!([]),
            json!({"type": "string"}),
            json!({"type": "object", "properties": {"a": {"$ref": "https://evil.example/schema.json"}}}),
            json!({"type": "object", "properties": {"a": {"$ref": "#/nowhere"}}}),
            json!({"type": "object", "properties": {"a": {"type": "no such"}}}),
            json!({"type": "object", "properties": {"a": {"pattern": "(?=x)y"}}}),
            json!({"type": "object", "properties": {"a": {"$dynamicRef": "#a"}}}),
            json!({"type": "object", "description": "x".repeat(MOST_BYTES)}),
        ] {
            assert_eq!(flat(&bad), None, "{}", bad.to_string().chars().take(80).collect::<String>());
        }
    }

    #[test]
    fn slow_patterns_are_not_slow() {
        let slow = json!({"properties": {"a": {"type": "string", "pattern": "^(a+)+$"}}});
        let validator = compiled(&flat(&slow).expect("a schema")).expect("compiles");
        assert!(!validator.is_valid(&json!({"a": format!("{}b", "a".repeat(5_000))})));
    }
}
