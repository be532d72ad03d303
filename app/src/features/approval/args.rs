//! Arguments of a call by JSON pointer: reads and writes a place and finds its schema. Pure.

use serde_json::{Map, Number, Value as Json};

/// Writes a value at a pointer and creates the objects on the way; `None` removes the value.
pub fn put(target: &mut Json, pointer: &str, value: Option<Json>) {
    let Some(path) = pointer.strip_prefix('/') else {
        if let (true, Some(value)) = (pointer.is_empty(), value) {
            *target = value;
        }
        return;
    };
    let segments: Vec<String> = path.split('/').map(unescape).collect();
    place(target, &segments, value);
}

fn place(target: &mut Json, path: &[String], value: Option<Json>) {
    let Some((head, rest)) = path.split_first() else { return };
    if let Json::Array(items) = target {
        let Ok(at) = head.parse::<usize>() else { return };
        match (rest.is_empty(), value, items.get_mut(at)) {
            (false, value, Some(inner)) => place(inner, rest, value),
            (true, Some(value), Some(slot)) => *slot = value,
            (true, Some(value), None) => items.push(value),
            (true, None, Some(_)) => {
                items.remove(at);
            }
            _ => {}
        }
        return;
    }
    if !target.is_object() {
        if value.is_none() {
            return;
        }
        *target = Json::Object(Map::new());
    }
    let Json::Object(map) = target else { return };
    match (rest.is_empty(), value) {
        (true, Some(value)) => {
            map.insert(head.clone(), value);
        }
        // Keep the order of the other keys, because people saw them in that order.
        (true, None) => {
            map.shift_remove(head);
        }
        (false, value) => {
            if value.is_some() || map.contains_key(head) {
                place(map.entry(head.clone()).or_insert(Json::Null), rest, value);
            }
        }
    }
}

pub fn unescape(segment: &str) -> String {
    segment.replace("~1", "/").replace("~0", "~")
}

/// Escapes a key for use as a segment of a pointer.
pub fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// Returns the schema of the place that a pointer names.
pub fn schema_at<'a>(schema: &'a Json, pointer: &str) -> Option<&'a Json> {
    let mut at = schema;
    for segment in pointer.split('/').skip(1).map(unescape) {
        at = at
            .get("properties")
            .and_then(|properties| properties.get(&segment))
            .or_else(|| at.get("items").filter(|_| segment.parse::<usize>().is_ok()))
            .or_else(|| at.get("additionalProperties").filter(|more| more.is_object()))?;
    }
    Some(at)
}

/// Returns a chosen text in the type that the schema wants: some networks use numeric IDs.
pub fn typed_value(schema: &Json, pointer: &str, text: String) -> Json {
    let kind = schema_at(schema, pointer).and_then(|place| place.get("type")).and_then(Json::as_str);
    match kind.filter(|kind| matches!(*kind, "integer" | "number")).and_then(|_| text.parse::<Number>().ok()) {
        Some(number) => Json::Number(number),
        None => Json::String(text),
    }
}

/// Returns a whole number in the type that the schema wants. Some networks write 64-bit integers as strings.
pub fn as_schema_types(schema: &Json, pointer: &str, number: i64) -> Json {
    let kind = schema_at(schema, pointer).and_then(|place| place.get("type")).and_then(Json::as_str);
    if kind == Some("string") { Json::String(number.to_string()) } else { Json::from(number) }
}

/// Checks whether the parent's schema requires this place.
pub fn required_by_schema(schema: &Json, pointer: &str) -> bool {
    let Some((parent, key)) = pointer.rsplit_once('/') else { return false };
    let key = unescape(key);
    schema_at(schema, parent)
        .and_then(|parent| parent.get("required"))
        .and_then(Json::as_array)
        .is_some_and(|required| required.iter().any(|name| name.as_str() == Some(&key)))
}

/// Removes optional objects around a place if nothing is left in them: a person who empties a field does not mean to send an
/// empty object.
pub fn prune(args: &mut Json, schema: &Json, pointer: &str) {
    let mut around = pointer;
    while let Some((parent, _)) = around.rsplit_once('/').filter(|(parent, _)| !parent.is_empty()) {
        let empty = args.pointer(parent).and_then(Json::as_object).is_some_and(Map::is_empty);
        // An entry of a map stays, even empty, until the person removes it by its name.
        let named = parent.rsplit_once('/').and_then(|(whole, key)| {
            schema_at(schema, whole)
                .and_then(|whole| whole.get("properties"))
                .and_then(|parts| parts.get(unescape(key)))
        });
        if empty && named.is_some() && !required_by_schema(schema, parent) {
            put(args, parent, None);
        }
        around = parent;
    }
}

/// Returns a scalar as text; empty if there is no value.
pub fn text(args: &Json, pointer: &str) -> String {
    match args.pointer(pointer) {
        Some(Json::String(text)) => text.clone(),
        Some(Json::Number(number)) => number.to_string(),
        Some(Json::Bool(on)) => on.to_string(),
        _ => String::new(),
    }
}

/// Returns the strings of a list.
pub fn strings(args: &Json, pointer: &str) -> Vec<String> {
    args.pointer(pointer)
        .and_then(Json::as_array)
        .map(|items| items.iter().filter_map(Json::as_str).map(str::to_owned).collect())
        .unwrap_or_default()
}

/// Reads "12,5" and "1,250", with or without a sign, as a plain number for programs. Leaves any other text as it is.
pub fn plain_digits(text: &str) -> String {
    let text = text.trim();
    let (sign, digits) = text.strip_prefix('-').map_or(("", text), |digits| ("-", digits));
    adagent_domain::plain_number(digits).map_or_else(|| text.to_owned(), |plain| format!("{sign}{plain}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn putting_makes_the_way_and_taking_out_leaves_the_rest() {
        let mut args = json!({"account_id": "pub-1"});
        put(&mut args, "/body/targeting/format", Some(json!("BANNER")));
        put(&mut args, "/body/a~1b", Some(json!(1)));
        assert_eq!(args, json!({"account_id": "pub-1", "body": {"targeting": {"format": "BANNER"}, "a/b": 1}}));
        put(&mut args, "/body/targeting/format", None);
        put(&mut args, "/nowhere/at/all", None);
        assert_eq!(args, json!({"account_id": "pub-1", "body": {"targeting": {}, "a/b": 1}}));
    }

    #[test]
    fn an_optional_part_goes_with_the_last_thing_in_it() {
        let lines = json!({"additionalProperties": {"properties": {"cpm": {}}}});
        let body = json!({"properties": {"reward": {"properties": {"amount": {}}}, "lines": lines}});
        let schema = json!({"required": ["body"], "properties": {"body": body}});
        let mut args = json!({"body": {"reward": {"amount": "1"}, "lines": {"-1": {"cpm": "2"}}}});
        for pointer in ["/body/reward/amount", "/body/lines/-1/cpm"] {
            put(&mut args, pointer, None);
            prune(&mut args, &schema, pointer);
        }
        assert_eq!(args, json!({"body": {"lines": {"-1": {}}}}));
    }

    #[test]
    fn lists_are_addressed_by_number() {
        let mut args = json!({"ids": ["a", "b"]});
        put(&mut args, "/ids/2", Some(json!("c")));
        put(&mut args, "/ids/0", None);
        assert_eq!(args, json!({"ids": ["b", "c"]}));
        assert_eq!(strings(&args, "/ids"), ["b", "c"]);
    }

    #[test]
    fn a_place_finds_its_schema_through_objects_lists_and_maps() {
        let schema = json!({
            "required": ["body"],
            "properties": {"body": {"required": ["name"], "properties": {
                "name": {"maxLength": 3},
                "ids": {"items": {"pattern": "x"}},
                "lines": {"additionalProperties": {"properties": {"cpm": {"type": "string"}}}},
            }}}
        });
        assert_eq!(schema_at(&schema, "/body/name"), Some(&json!({"maxLength": 3})));
        assert_eq!(schema_at(&schema, "/body/ids/0"), Some(&json!({"pattern": "x"})));
        assert_eq!(schema_at(&schema, "/body/lines/-1/cpm"), Some(&json!({"type": "string"})));
        assert_eq!(schema_at(&schema, "/body/other"), None);
        assert!(required_by_schema(&schema, "/body/name") && required_by_schema(&schema, "/body"));
        assert!(!required_by_schema(&schema, "/body/ids"));
    }
}
