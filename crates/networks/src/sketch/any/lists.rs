//! Finds the values that differ between a list now and the list in the request: a network takes the whole list, and people look for the one
//! value that changes. This module is pure.

use adagent_tools::schema::escape;
use serde_json::{Map, Value as Json};

use super::{
    preview::same,
    words::{below, is_one},
};

/// How many differing values of a list we show. If more differ, we show the whole list.
const MOST: usize = 12;

/// A value inside a list, before and after.
pub struct Differing<'a> {
    /// The JSON pointer from the list to the value.
    pub at: String,
    pub label: String,
    pub before: &'a Json,
    pub after: &'a Json,
}

/// Returns the values in which the lists differ. `None` if nothing differs, if too many values differ, or if the lists do not hold the same
/// objects in the same order.
pub fn differing<'a>(before: &'a Json, after: &'a Json, label: &str) -> Option<Vec<Differing<'a>>> {
    let (Json::Array(was), Json::Array(is)) = (before, after) else { return None };
    let objects = is.iter().chain(was).all(Json::is_object);
    if !objects || is.is_empty() {
        return None;
    }
    let mut out = Vec::new();
    walk(before, after, "", label, &mut out)?;
    (!out.is_empty() && out.len() <= MOST).then_some(out)
}

fn walk<'a>(before: &'a Json, after: &'a Json, at: &str, label: &str, out: &mut Vec<Differing<'a>>) -> Option<()> {
    match (before, after) {
        (Json::Array(was), Json::Array(is)) if is.iter().chain(was).all(Json::is_object) => {
            if was.len() != is.len() {
                return None;
            }
            for (i, (was, is)) in was.iter().zip(is).enumerate() {
                let named =
                    is.as_object().and_then(identity).filter(|own| was.as_object().and_then(identity) == Some(*own));
                // Another object is in this place, so this is no change of a value.
                if named.is_none() && is.as_object().and_then(identity).is_some() {
                    return None;
                }
                let label = named.map_or_else(|| label.to_owned(), |id| format!("{label} {id}"));
                walk(was, is, &format!("{at}/{i}"), &label, out)?;
            }
            Some(())
        }
        (Json::Object(was), Json::Object(is)) if !is_one(is) => {
            if was.len() != is.len() || !is.keys().all(|key| was.contains_key(key)) {
                return None;
            }
            for (key, is) in is {
                walk(&was[key], is, &format!("{at}/{}", escape(key)), &below(label, key), out)?;
            }
            Some(())
        }
        _ => {
            if !same(Some(before), after) {
                out.push(Differing { at: at.to_owned(), label: label.to_owned(), before, after });
            }
            Some(())
        }
    }
}

/// Returns the text that tells an entry of a list from others: its ID, or else its name, country or code.
fn identity(fields: &Map<String, Json>) -> Option<&str> {
    let is_id = |name: &str| name == "id" || name.ends_with("_id") || name.ends_with("Id");
    let is_name = |name: &str| matches!(name, "name" | "country" | "code") || name.ends_with("_name");
    let of = |is: &dyn Fn(&str) -> bool| {
        fields.iter().find(|(name, value)| is(name) && value.is_string()).and_then(|(_, value)| value.as_str())
    };
    of(&is_id).or_else(|| of(&is_name))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn lines(cpm: &str) -> Json {
        json!([
            {"ADMOB_BIDDING": {"disabled": false, "units": [{"unit_id": "a", "cpm": "0"}]}},
            {"FYBER_NETWORK": {"disabled": false, "units": [{"unit_id": "b", "cpm": cpm}, {"unit_id": "c", "cpm": "2.00"}]}},
        ])
    }

    #[test]
    fn one_value_of_a_list_is_told_by_the_way_to_it() {
        let (was, is) = (lines("1.1"), lines("1.25"));
        let told = differing(&was, &is, "Lines").unwrap();
        let told: Vec<_> =
            told.iter().map(|one| (one.at.as_str(), one.label.as_str(), one.before, one.after)).collect();
        let label = "Lines: Fyber network: units b: CPM";
        assert_eq!(told, [("/1/FYBER_NETWORK/units/0/cpm", label, &json!("1.1"), &json!("1.25"))]);
        // The same number in another notation does not differ.
        assert!(differing(&lines("2.00"), &lines("2"), "Lines").is_none());
    }

    #[test]
    fn lists_of_other_things_are_shown_whole() {
        let is = lines("1.25");
        let other = json!([is[0]]);
        assert!(differing(&other, &is, "Lines").is_none());
        assert!(differing(&json!(["US"]), &json!(["DE"]), "Countries").is_none());
        let moved = json!([{"id": "1", "cpm": 2}, {"id": "2", "cpm": 3}]);
        let back = json!([{"id": "2", "cpm": 3}, {"id": "1", "cpm": 2}]);
        assert!(differing(&moved, &back, "Lines").is_none());
    }
}
