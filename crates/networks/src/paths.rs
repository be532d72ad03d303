//! Follows parameter paths of the catalog (`account_id`, `body.names[]`, `body.lines.*.adSourceId`) through arguments. This module is pure.

use serde_json::Value as Json;

use adagent_tools::schema::escape;

/// Returns every text that the path leads to, with its JSON pointer.
pub fn values<'a>(args: &'a Json, path: &str) -> Vec<(String, &'a str)> {
    found(args, path).into_iter().filter_map(|(pointer, value)| value.as_str().map(|text| (pointer, text))).collect()
}

/// Returns every ID that the path leads to, with its JSON pointer. Some networks write IDs as numbers.
pub fn ids(args: &Json, path: &str) -> Vec<(String, String)> {
    let id = |value: &Json| match value {
        Json::String(text) => Some(text.clone()),
        Json::Number(number) => Some(number.to_string()),
        _ => None,
    };
    found(args, path).into_iter().filter_map(|(pointer, value)| Some((pointer, id(value)?))).collect()
}

/// Returns every value that the path leads to, with its JSON pointer.
fn found<'a>(args: &'a Json, path: &str) -> Vec<(String, &'a Json)> {
    let mut at: Vec<(String, &Json)> = vec![(String::new(), args)];
    for part in path.split('.') {
        let (name, each) = part.strip_suffix("[]").map_or((part, false), |name| (name, true));
        at = at.into_iter().flat_map(|(pointer, value)| step(&pointer, value, name, each)).collect();
    }
    at
}

fn step<'a>(pointer: &str, value: &'a Json, name: &str, each: bool) -> Vec<(String, &'a Json)> {
    let mut found: Vec<(String, &Json)> = if name == "*" {
        value
            .as_object()
            .into_iter()
            .flatten()
            .map(|(key, value)| (format!("{pointer}/{}", escape(key)), value))
            .collect()
    } else {
        value.get(name).map(|value| (format!("{pointer}/{}", escape(name)), value)).into_iter().collect()
    };
    if each {
        found = found
            .into_iter()
            .flat_map(|(pointer, value)| {
                let items = value.as_array().map_or(&[][..], Vec::as_slice);
                items.iter().enumerate().map(move |(i, item)| (format!("{pointer}/{i}"), item))
            })
            .collect();
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_lists_and_maps_are_walked() {
        let args = json!({"account_id": "pub-1", "body": {"names": ["a", "b"], "lines": {"-1": {"x": "7"}, "a/b": {"x": "8"}}, "n": 3}});
        let found = |path: &str| values(&args, path).into_iter().map(|(p, v)| format!("{p}={v}")).collect::<Vec<_>>();
        assert_eq!(found("account_id"), ["/account_id=pub-1"]);
        assert_eq!(found("body.names[]"), ["/body/names/0=a", "/body/names/1=b"]);
        assert_eq!(found("body.lines.*.x"), ["/body/lines/-1/x=7", "/body/lines/a~1b/x=8"]);
        assert!(found("body.none[].x").is_empty() && found("body.n").is_empty());
        assert_eq!(ids(&args, "body.n"), [("/body/n".to_owned(), "3".to_owned())]);
        assert_eq!(ids(&json!([{"id": 7}, {"id": "8"}]), "[].id").len(), 0);
        assert_eq!(ids(&json!({"body": [{"id": 7}, {"id": "8"}]}), "body[].id")[1].1, "8");
    }
}
