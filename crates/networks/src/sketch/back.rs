//! Undoes an update: builds the arguments with which the same operation restores what it replaces. This module is pure.

use serde_json::{Map, Value as Json};

use adagent_tools::schema::escape;

/// Returns the earlier values, in the form of the request. `None` if a field had no value, because an update cannot remove one. `whole`: a
/// field replaces the current one with everything in it, so all of that is restored. `keeps` names the places that say which entity the
/// change is about.
pub fn restored(asked: &Json, was: &Json, whole: bool, keeps: &dyn Fn(&str) -> bool) -> Option<Json> {
    at("", asked, was, whole, keeps)
}

fn at(pointer: &str, asked: &Json, was: &Json, whole: bool, keeps: &dyn Fn(&str) -> bool) -> Option<Json> {
    match asked {
        Json::Object(fields) if !fields.is_empty() && (!whole || pointer.is_empty()) => {
            let was = was.as_object()?;
            let field = |(name, asked): (&String, &Json)| {
                let pointer = format!("{pointer}/{}", escape(name));
                if keeps(&pointer) {
                    return Some((name.clone(), asked.clone()));
                }
                Some((name.clone(), at(&pointer, asked, was.get(name)?, whole, keeps)?))
            };
            fields.iter().map(field).collect::<Option<Map<_, _>>>().map(Json::Object)
        }
        _ => written_as(asked, was),
    }
}

/// Writes the earlier value in the type of the request, because networks accept and return the same number as text or as a number.
fn written_as(asked: &Json, was: &Json) -> Option<Json> {
    match (asked, was) {
        (_, Json::Null) => None,
        (Json::Number(_), Json::String(text)) => serde_json::from_str(text).ok().filter(Json::is_number),
        (Json::String(_), Json::Number(number)) => Some(Json::String(number.to_string())),
        (_, was) => Some(was.clone()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn back(asked: &Json, was: &Json) -> Option<Json> {
        restored(asked, was, false, &|pointer| pointer == "/id")
    }

    #[test]
    fn a_field_that_was_replaced_comes_back_whole() {
        let (asked, was) =
            (json!({"id": 1, "floors": {"US": 11}}), json!({"id": 1, "floors": {"ALL": 1.2, "US": 6.5}}));
        let keeps = |pointer: &str| pointer == "/id";
        assert_eq!(restored(&asked, &was, true, &keeps), Some(was.clone()));
        assert_eq!(restored(&asked, &was, false, &keeps), Some(json!({"id": 1, "floors": {"US": 6.5}})));
    }

    #[test]
    fn what_was_there_comes_back_in_the_shape_that_was_asked_for() {
        let was = json!({"id": 7, "name": "Old", "floor": {"micros": "1500000", "currency": "USD"}, "tags": ["a", "b"], "rank": "3", "other": 1});
        let asked = json!({"id": "7", "name": "New", "floor": {"micros": 2_000_000}, "tags": ["c"], "rank": 4});
        let restored = json!({"id": "7", "name": "Old", "floor": {"micros": 1_500_000}, "tags": ["a", "b"], "rank": 3});
        assert_eq!(back(&asked, &was), Some(restored));
    }

    #[test]
    fn what_was_not_there_cannot_be_put_back() {
        for was in [json!({}), json!({"name": null}), json!("x")] {
            assert_eq!(back(&json!({"name": "New"}), &was), None, "{was}");
        }
        assert_eq!(
            back(&json!({"lines": {"-1": {"state": "ENABLED"}}}), &json!({"lines": {"1": {}}})),
            None,
            "a new line"
        );
        assert_eq!(back(&json!({"rank": 4}), &json!({"rank": "high"})), None, "no number");
    }
}
