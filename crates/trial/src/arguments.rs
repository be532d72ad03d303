//! Compares the arguments that the words determine with those of a call.

use serde_json::{Map, Value as Json};

/// Arguments that follow from the others, or that each operation writes in its own way.
const FOLLOW: [&str; 2] = ["updateMask", "update_mask"];

/// Checks that a call holds every labeled argument. Writers did not know every shape, so a value may also stand deeper or elsewhere
/// under its own name; an ID may be a whole path that ends with it.
pub(crate) fn holds(labels: &Json, params: &Json) -> Result<(), String> {
    let Some(labels) = labels.as_object() else { return Ok(()) };
    for (path, wanted) in labels.iter().filter(|(path, _)| !FOLLOW.contains(&last(path))) {
        let at_place = at(params, path).is_some_and(|actual| fits(wanted, actual));
        if !at_place && !under_name(params, last(path)).iter().any(|actual| fits(wanted, actual)) {
            return Err(format!("{path} is not {wanted}"));
        }
    }
    Ok(())
}

fn last(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

fn at<'a>(params: &'a Json, path: &str) -> Option<&'a Json> {
    path.split('.').try_fold(params, |value, key| value.get(key))
}

/// Returns every value with this name.
fn under_name<'a>(value: &'a Json, name: &str) -> Vec<&'a Json> {
    match value {
        Json::Object(map) => {
            let own = map.iter().filter(|(key, _)| plain(key) == plain(name)).map(|(_, value)| value);
            own.chain(map.values().flat_map(|value| under_name(value, name))).collect()
        }
        Json::Array(items) => items.iter().flat_map(|value| under_name(value, name)).collect(),
        _ => Vec::new(),
    }
}

fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase()
}

fn fits(wanted: &Json, actual: &Json) -> bool {
    match (wanted, actual) {
        (Json::Object(wanted), Json::Object(actual)) => fields_fit(wanted, actual),
        (Json::Object(_), Json::Array(items)) => items.iter().any(|item| fits(wanted, item)),
        (Json::Array(wanted), _) => {
            let items = actual.as_array().map_or_else(|| vec![actual], |items| items.iter().collect());
            wanted.iter().all(|wanted| items.iter().any(|item| fits(wanted, item)))
        }
        (_, Json::Array(items)) => items.iter().any(|item| fits(wanted, item)),
        (Json::Object(_), _) => false,
        (_, Json::Object(map)) => map.values().any(|value| fits(wanted, value)),
        _ => same(wanted, actual),
    }
}

fn fields_fit(wanted: &Map<String, Json>, actual: &Map<String, Json>) -> bool {
    wanted.iter().all(|(key, wanted)| {
        let value = actual.iter().find(|(name, _)| plain(name) == plain(key)).map(|(_, value)| value);
        value.is_some_and(|value| fits(wanted, value))
    })
}

/// Compares two plain values: numbers by value, also where one is a text; texts without regard to case; the end of a path.
fn same(wanted: &Json, actual: &Json) -> bool {
    let (a, b) = (text(wanted), text(actual));
    if let (Ok(a), Ok(b)) = (a.parse::<f64>(), b.parse::<f64>()) {
        return (a - b).abs() < 1e-9;
    }
    let (a, b) = (a.to_lowercase(), b.to_lowercase());
    let ends = |long: &str, short: &str| {
        !short.is_empty() && long.strip_suffix(short).is_some_and(|rest| rest.ends_with(['/', '~']))
    };
    a == b || ends(&a, &b) || ends(&b, &a)
}

fn text(value: &Json) -> String {
    match value {
        Json::String(text) => text.trim().to_owned(),
        Json::Bool(true) => "1".into(),
        Json::Bool(false) => "0".into(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_labeled_argument_must_be_sent() {
        let params = json!({"placement_id": "9563993", "body": {"cpmFloor": "0.65", "name": "A"}});
        assert!(holds(&json!({"placement_id": 9_563_993, "body.cpmFloor": 0.65}), &params).is_ok());
        assert!(holds(&json!({"body.cpmFloor": 0.6}), &params).is_err());
        assert!(holds(&json!({"body.floor": 0.65}), &params).is_err());
        assert!(holds(&json!({"body.name": "a", "updateMask": "name"}), &params).is_ok());
    }

    #[test]
    fn ids_may_be_paths_and_lists_hold_what_was_asked_for() {
        let params = json!({"body": {"requests": [{"order": {"name": "networks/1/orders/32", "archived": false}}]}});
        assert!(holds(&json!({"body.requests": [{"order": {"name": "32"}}]}), &params).is_ok());
        assert!(holds(&json!({"body.name": "2"}), &params).is_err());
        let floors = json!({"body": {"target_ecpm": {"ALL": 2.5}, "ids": ["1", "2"]}});
        assert!(holds(&json!({"body.target_ecpm": 2.5, "body.ids": [2, 1]}), &floors).is_ok());
        assert!(holds(&json!({"body.ids": [1, 3]}), &floors).is_err());
    }

    #[test]
    fn a_switch_may_be_a_number() {
        assert!(holds(&json!({"body.live": 0}), &json!({"body": {"live": false}})).is_ok());
        assert!(holds(&json!({"body.live": true}), &json!({"body": {"live": false}})).is_err());
    }
}
