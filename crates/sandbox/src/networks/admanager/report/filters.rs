//! Filters of a report: tests of one field each, joined by not, and, or.

use serde_json::Value;

use super::fields;
use crate::networks::admob::errors::ApiError;

/// Returns letter and name of the field in a filter or sort.
pub fn field_of(field: &Value) -> (char, &str) {
    match (field["dimension"].as_str(), field["metric"].as_str()) {
        (Some(name), _) => ('D', name),
        (None, Some(name)) => ('M', name),
        (None, None) => (' ', ""),
    }
}

fn parts(filter: &Value) -> Option<&Vec<Value>> {
    filter["andFilter"]["filters"].as_array().or_else(|| filter["orFilter"]["filters"].as_array())
}

/// Refuses a filter that cannot test a row.
pub fn check(filter: &Value, path: &str) -> Result<(), ApiError> {
    if filter.as_object().is_none_or(|map| map.len() != 1) {
        return Err(ApiError::invalid(path, "exactly one of fieldFilter, notFilter, andFilter, orFilter is expected"));
    }
    if let Some(inner) = filter.get("notFilter") {
        return check(inner, &format!("{path}.notFilter"));
    }
    if let Some(parts) = parts(filter) {
        return parts.iter().enumerate().try_for_each(|(index, part)| check(part, &format!("{path}.filters[{index}]")));
    }
    let test = &filter["fieldFilter"];
    let (letter, name) = field_of(&test["field"]);
    if fields::find(letter, &Value::from(name)).is_none() {
        return Err(ApiError::invalid(format!("{path}.fieldFilter.field"), "a dimension or a metric is required"));
    }
    let values = test["values"].as_array().map_or(0, Vec::len);
    let wanted = match test["operation"].as_str().unwrap_or_default() {
        "BETWEEN" => values == 2,
        "IN" | "NOT_IN" => values >= 1,
        _ => values == 1,
    };
    if wanted {
        Ok(())
    } else {
        Err(ApiError::invalid(format!("{path}.fieldFilter.values"), "the number of values is wrong"))
    }
}

/// Collects the dimensions that a filter uses.
pub fn dimensions<'a>(filter: &'a Value, found: &mut Vec<&'a str>) {
    if let Some(inner) = filter.get("notFilter") {
        return dimensions(inner, found);
    }
    for part in parts(filter).into_iter().flatten() {
        dimensions(part, found);
    }
    if let ('D', name) = field_of(&filter["fieldFilter"]["field"]) {
        found.push(name);
    }
}

/// Checks whether a filter uses a metric. Such a filter can test only rows that are already summed.
pub fn has_metric(filter: &Value) -> bool {
    if let Some(inner) = filter.get("notFilter") {
        return has_metric(inner);
    }
    let deep = parts(filter).into_iter().flatten().any(has_metric);
    deep || field_of(&filter["fieldFilter"]["field"]).0 == 'M'
}

fn plain(value: &Value) -> String {
    let inner = value.as_object().and_then(|map| map.values().next()).unwrap_or(value);
    inner.as_str().map_or_else(|| inner.to_string(), str::to_owned)
}

fn number(value: &Value) -> Option<f64> {
    plain(value).parse().ok()
}

/// Tests a row; `value` returns its values by letter and name.
pub fn fits(filter: &Value, value: &impl Fn(char, &str) -> Value) -> bool {
    if let Some(inner) = filter.get("notFilter") {
        return !fits(inner, value);
    }
    if let Some(parts) = filter["andFilter"]["filters"].as_array() {
        return parts.iter().all(|part| fits(part, value));
    }
    if let Some(parts) = filter["orFilter"]["filters"].as_array() {
        return parts.iter().any(|part| fits(part, value));
    }
    let test = &filter["fieldFilter"];
    let (letter, name) = field_of(&test["field"]);
    let have = value(letter, name);
    let wanted = test["values"].as_array().map_or(&[][..], Vec::as_slice);
    let equal = |want: &Value| match (number(&have), number(want)) {
        (Some(a), Some(b)) => (a - b).abs() < f64::EPSILON,
        _ => plain(&have) == plain(want),
    };
    let lists = |want: &Value| -> Option<Vec<Value>> {
        ["intListValue", "stringListValue"].iter().find_map(|kind| want[*kind]["values"].as_array().cloned())
    };
    let among = || wanted.iter().any(|want| lists(want).map_or_else(|| equal(want), |list| list.iter().any(equal)));
    let contains = || wanted.iter().any(|want| plain(&have).to_lowercase().contains(&plain(want).to_lowercase()));
    let order = |want: Option<&Value>| match (number(&have), want.and_then(number)) {
        (Some(a), Some(b)) => a.partial_cmp(&b),
        _ => want.map(|want| plain(&have).cmp(&plain(want))),
    };
    let (first, second) = (order(wanted.first()), order(wanted.get(1)));
    match test["operation"].as_str().unwrap_or_default() {
        "NOT_IN" => !among(),
        "CONTAINS" | "MATCHES" => contains(),
        "NOT_CONTAINS" | "NOT_MATCHES" => !contains(),
        "LESS_THAN" => first.is_some_and(std::cmp::Ordering::is_lt),
        "LESS_THAN_EQUALS" => first.is_some_and(std::cmp::Ordering::is_le),
        "GREATER_THAN" => first.is_some_and(std::cmp::Ordering::is_gt),
        "GREATER_THAN_EQUALS" => first.is_some_and(std::cmp::Ordering::is_ge),
        "BETWEEN" => first.is_some_and(std::cmp::Ordering::is_ge) && second.is_some_and(std::cmp::Ordering::is_le),
        _ => among(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn tests_are_joined_by_not_and_or() {
        let country = |operation: &str, text: &str| json!({"fieldFilter": {"field": {"dimension": "COUNTRY_CODE"}, "operation": operation, "values": [{"stringValue": text}]}});
        let clicks = json!({"fieldFilter": {"field": {"metric": "CLICKS"}, "operation": "BETWEEN", "values": [{"intValue": "5"}, {"intValue": "9"}]}});
        let value =
            |letter: char, _: &str| if letter == 'M' { json!({"intValue": "9"}) } else { json!({"stringValue": "DE"}) };
        assert!(fits(&country("IN", "DE"), &value) && fits(&country("CONTAINS", "d"), &value));
        assert!(!fits(&json!({"notFilter": country("IN", "DE")}), &value));
        assert!(fits(&json!({"andFilter": {"filters": [country("NOT_IN", "US"), clicks]}}), &value));
        assert!(fits(&json!({"orFilter": {"filters": [country("IN", "US"), country("IN", "DE")]}}), &value));
        assert!(check(&json!({"andFilter": {"filters": [clicks, {}]}}), "filters[0]").is_err());
        assert!(has_metric(&json!({"notFilter": clicks})) && !has_metric(&country("IN", "US")));
    }
}
