use adagent_run_core::{CallState, Node, STATE_VERSION, State, StateError, Work, outstanding};

/// Written by the first version; must load for ever.
const V1: &str = include_str!("fixtures/state_v1.json");

#[test]
fn a_state_stored_by_the_first_version_still_loads_and_goes_on() {
    let state = State::load(V1).unwrap();
    assert_eq!(state.v, STATE_VERSION);
    assert_eq!(state.node, Node::ToolExecutor);
    assert!(matches!(state.calls[0].state, CallState::Succeeded));
    assert_eq!(outstanding(&state), Work::AwaitPeople);
    assert_eq!(State::load(&state.to_json()).unwrap(), state);
}

#[test]
fn a_newer_state_is_refused_with_a_hint_and_rubbish_with_a_reason() {
    let newer = V1.replacen("\"v\":1", "\"v\":99", 1);
    let error = State::load(&newer).unwrap_err();
    assert!(matches!(error, StateError::Newer { found: 99 }));
    assert!(error.to_string().contains("update"));
    assert!(matches!(State::load("{\"v\":1}"), Err(StateError::Malformed(_))));
}

#[test]
fn a_doubt_an_older_program_stored_is_one_still() {
    let mut state = State::load(V1).unwrap();
    let call = &mut state.calls[0];
    (call.uncertain, call.found) = (true, Some("I could not find out.".into()));
    let digest = call.digest.clone();
    let state = State::load(&state.to_json()).unwrap();
    assert_eq!(state.calls[0].doubt(), Some("I could not find out."));
    assert!(state.calls[0].may_have_sent(&digest));
    assert_eq!(State::load(&state.to_json()).unwrap(), state);
}
