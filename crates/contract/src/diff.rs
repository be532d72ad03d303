//! The differences between two JSON states: each place, its value before and its value after.
//!
//! This module is pure. It compares objects by key and arrays by position, because arrays in the state of a run only grow at their end.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value as Json;

/// One place that differs. A side without a value is absent, which is not the same as `null`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StateChange {
    /// JSON pointer (RFC 6901).
    pub path: String,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub before: Option<Json>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub after: Option<Json>,
}

/// Reads a present `null` as a value.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Json>, D::Error> {
    Json::deserialize(deserializer).map(Some)
}

/// Returns the places in which two states differ, as deep as both have them, in the order of the second state. In each object or array,
/// removed places come after those that stayed. These changes, applied in this order, turn the first state into the second.
pub fn diff(before: &Json, after: &Json) -> Vec<StateChange> {
    let mut changes = Vec::new();
    walk(&mut String::new(), before, after, &mut changes);
    changes
}

fn walk(path: &mut String, before: &Json, after: &Json, changes: &mut Vec<StateChange>) {
    let mut deeper = |key: &str, before: Option<&Json>, after: Option<&Json>| {
        let length = path.len();
        path.push('/');
        path.push_str(&key.replace('~', "~0").replace('/', "~1"));
        match (before, after) {
            (Some(before), Some(after)) => walk(path, before, after, changes),
            (before, after) => {
                changes.push(StateChange { path: path.clone(), before: before.cloned(), after: after.cloned() });
            }
        }
        path.truncate(length);
    };
    match (before, after) {
        _ if before == after => {}
        (Json::Object(old), Json::Object(new)) => {
            for (key, now) in new {
                deeper(key, old.get(key), Some(now));
            }
            for (key, gone) in old.iter().filter(|(key, _)| !new.contains_key(*key)) {
                deeper(key, Some(gone), None);
            }
        }
        (Json::Array(old), Json::Array(new)) => {
            for (at, now) in new.iter().enumerate() {
                deeper(&at.to_string(), old.get(at), Some(now));
            }
            // Remove from the end, so that each later removal still finds its place.
            for (at, gone) in old.iter().enumerate().skip(new.len()).rev() {
                deeper(&at.to_string(), Some(gone), None);
            }
        }
        _ => changes.push(StateChange { path: path.clone(), before: Some(before.clone()), after: Some(after.clone()) }),
    }
}
