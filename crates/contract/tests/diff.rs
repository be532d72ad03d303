//! Checks that `diff` reports every difference between two states, and nothing else.

use adagent_contract::{StateChange, diff};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

fn told(before: &Json, after: &Json) -> Vec<(String, Option<Json>, Option<Json>)> {
    diff(before, after).into_iter().map(|change| (change.path, change.before, change.after)).collect()
}

#[test]
fn each_place_that_differs_is_named_with_both_sides() {
    let before = json!({"node": "router", "calls": [{"id": "a", "state": "ready"}], "draft": null, "gone": 1});
    let after = json!({"node": "specialist", "calls": [{"id": "a", "state": "done"}, {"id": "b"}], "draft": "x"});
    let mut told = told(&before, &after);
    told.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(
        told,
        vec![
            ("/calls/0/state".into(), Some(json!("ready")), Some(json!("done"))),
            ("/calls/1".into(), None, Some(json!({"id": "b"}))),
            ("/draft".into(), Some(Json::Null), Some(json!("x"))),
            ("/gone".into(), Some(json!(1)), None),
            ("/node".into(), Some(json!("router")), Some(json!("specialist"))),
        ]
    );
}

#[test]
fn keys_with_slashes_and_tildes_stay_one_key() {
    assert_eq!(told(&json!({}), &json!({"a/b~c": 1})), vec![("/a~1b~0c".into(), None, Some(json!(1)))]);
}

#[test]
fn a_null_that_is_there_survives_the_wire() {
    let changes = diff(&json!({"a": null}), &json!({"b": null}));
    let text = serde_json::to_string(&changes).unwrap();
    assert_eq!(serde_json::from_str::<Vec<StateChange>>(&text).unwrap(), changes);
    assert_eq!(changes[0], StateChange { path: "/b".into(), before: None, after: Some(Json::Null) });
}

/// Applies one change to a state, with its address after RFC 6901.
fn apply(state: &mut Json, change: &StateChange) {
    let Some((parent, key)) = change.path.rsplit_once('/') else {
        *state = change.after.clone().expect("the whole state is there");
        return;
    };
    let key = key.replace("~1", "/").replace("~0", "~");
    match (state.pointer_mut(parent).expect("the parent of a change"), &change.after) {
        (Json::Object(map), Some(value)) => {
            map.insert(key, value.clone());
        }
        (Json::Object(map), None) => {
            map.remove(&key);
        }
        (Json::Array(items), Some(value)) => match items.get_mut(key.parse::<usize>().expect("an index")) {
            Some(place) => *place = value.clone(),
            None => items.push(value.clone()),
        },
        (Json::Array(items), None) => {
            items.remove(key.parse().expect("an index"));
        }
        (other, _) => panic!("no place {} in {other}", change.path),
    }
}

fn states() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        (0_i32..4).prop_map(Json::from),
        "[a-c~/]{0,2}".prop_map(Json::from),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Json::from),
            prop::collection::btree_map("[a-c~/]{1,2}", inner, 0..5)
                .prop_map(|map| Json::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn the_changes_applied_to_the_first_make_the_second(before in states(), after in states()) {
        let mut state = before.clone();
        for change in diff(&before, &after) {
            prop_assert_eq!(state.pointer(&change.path), change.before.as_ref(), "at {}", change.path);
            apply(&mut state, &change);
        }
        prop_assert_eq!(state, after);
    }

    #[test]
    fn a_state_does_not_differ_from_itself(state in states()) {
        prop_assert!(diff(&state, &state).is_empty());
    }
}
