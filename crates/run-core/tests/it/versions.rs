use adagent_run_core::{CallState, Node, StateError, Turn, to_text};

use crate::support::{Work, load, outstanding};

/// A state that the first version wrote. Every later version must load it.
const V1: &str = include_str!("fixtures/turn_v1.json");

#[test]
fn a_state_of_the_first_version_loads_and_goes_on() {
    let state: Turn = load(V1).unwrap();
    assert_eq!(state.node, Node::ToolExecutor);
    assert!(matches!(state.ledger.calls[0].state, CallState::Succeeded));
    assert_eq!(outstanding(&state), Work::AwaitPeople);
    assert_eq!(load(&to_text(&state)).unwrap(), state);
}

#[test]
fn a_newer_state_is_refused_with_a_hint_and_rubbish_with_a_reason() {
    let error = load(&V1.replacen("\"v\":1", "\"v\":99", 1)).unwrap_err();
    assert!(matches!(error, StateError::Newer { found: 99, .. }));
    assert!(error.to_string().contains("update"));
    assert!(matches!(load("{\"v\":1,\"kind\":\"turn\"}"), Err(StateError::Malformed(_))));
}

#[test]
fn a_state_of_another_kind_of_run_is_never_taken_for_a_turn() {
    let flow = V1.replacen("\"kind\":\"turn\"", "\"kind\":\"flow\"", 1);
    assert!(matches!(load(&flow), Err(StateError::OtherKind { found, .. }) if found == "flow"));
}
