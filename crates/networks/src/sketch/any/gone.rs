//! Finds what an update removes from a list, because a list that is sent replaces the current one. This module is pure.
//!
//! The warning must name what is removed: "countries: US" looks like an addition to a person who does not see that two other countries are
//! removed.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use super::{Scene, preview, words::leaves};
use crate::sketch::{lowered, scene::join};

/// How many items a warning names.
const MOST: usize = 6;

/// An item anywhere in a list: its path without list indexes, its value, and its place now.
struct Item {
    of: String,
    key: String,
    at: String,
}

pub fn warnings(scene: &Scene<'_>) -> Vec<String> {
    let mut out = Vec::new();
    for (i, part) in scene.parts.iter().enumerate() {
        let Some(now) = scene.now.get(i).and_then(Option::as_ref) else { continue };
        for leaf in part.said.map(leaves).unwrap_or_default() {
            let Some(before) = now.raw.pointer(&leaf.at).filter(|before| before.is_array() && leaf.value.is_array())
            else {
                continue;
            };
            let kept: BTreeSet<(String, String)> =
                items(leaf.value).into_iter().map(|item| (item.of, item.key)).collect();
            let pointer = format!("{}{}", part.pointer, leaf.at);
            let mut names: Vec<String> = Vec::new();
            for item in items(before).into_iter().filter(|item| !kept.contains(&(item.of.clone(), item.key.clone()))) {
                let value = before.pointer(&item.at).unwrap_or(&Json::Null);
                let name = scene.words(value, &format!("{pointer}{}", item.at));
                let name = if name.len() == 2 { name.to_uppercase() } else { name };
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            let count = |list: &Json| list.as_array().map_or(0, Vec::len);
            let fewer = count(before).saturating_sub(count(leaf.value));
            let label = lowered(&preview::label(scene, &leaf, &pointer));
            if !names.is_empty() {
                out.push(format!("Removes {} from {label}.", join(&names, MOST)));
            } else if fewer > 0 {
                let entries = if fewer == 1 { "entry" } else { "entries" };
                out.push(format!("Removes {fewer} {entries} from {label}."));
            }
        }
    }
    out
}

/// Checks whether a field says which entity or country an entry is about.
fn tells(field: &str) -> bool {
    let field = field.to_ascii_lowercase();
    field == "id"
        || field.ends_with("_id")
        || field.ends_with("country")
        || field.ends_with("countrycode")
        || field.ends_with("country_code")
}

fn items(list: &Json) -> Vec<Item> {
    let mut out = Vec::new();
    walk(list, "", "", false, &mut out);
    out
}

fn walk(value: &Json, of: &str, at: &str, told: bool, out: &mut Vec<Item>) {
    match value {
        Json::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                walk(item, of, &format!("{at}/{i}"), true, out);
            }
        }
        Json::Object(fields) => {
            for (name, value) in fields {
                let path = adagent_tools::schema::escape(name);
                walk(value, &format!("{of}/{name}"), &format!("{at}/{path}"), tells(name), out);
            }
        }
        Json::String(text) if told => out.push(Item { of: of.to_owned(), key: text.to_lowercase(), at: at.to_owned() }),
        Json::Number(number) if told => {
            out.push(Item { of: of.to_owned(), key: number.to_string(), at: at.to_owned() });
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn items_are_told_by_what_they_are_of_and_not_by_their_place() {
        let keys =
            |list: Json| items(&list).into_iter().map(|item| format!("{}:{}", item.of, item.key)).collect::<Vec<_>>();
        let floors = json!([{"country_group_name": "Tier 1", "cpm": "1.50", "countries": {"type": "INCLUDE", "values": ["us", "GB"]}}]);
        assert_eq!(keys(floors), ["/countries/values:us", "/countries/values:gb"]);
        assert_eq!(
            keys(json!([{"country": "WW", "price": 0.3}, {"country": "US", "price": 4}])),
            ["/country:ww", "/country:us"]
        );
        assert_eq!(keys(json!(["a", 7])), [":a", ":7"]);
    }
}
