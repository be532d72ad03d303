//! Our own code breaks in a step: once, and the step is tried again; twice in one step, and the run ends.

use adagent_contract::{EventBody, RunStatus};
use adagent_domain::Network;
use adagent_run_core::*;
use serde_json::json;

use crate::support::{Bench, Work, routed, success};

fn broke(step: &str) -> Input<TurnInput> {
    Input::Broke { step: step.into() }
}

#[test]
fn a_step_that_broke_is_said_and_tried_once_more() {
    let mut bench = Bench::new();
    assert_eq!(bench.put(broke("route")), Work::Route, "the same work is asked for");
    let EventBody::Status { label } = bench.events.last().unwrap() else { panic!("{:?}", bench.events) };
    assert_eq!(label, "Something went wrong on our end while reading your question. Trying once more.");
    bench.put(routed(vec![Network::AdMob], vec![]));
    // Another step has its own second try.
    bench.put(broke("load_entities"));
    assert_eq!(bench.state.ledger.outcome, None);
}

#[test]
fn a_step_that_broke_twice_ends_the_run_as_failed() {
    let mut bench = Bench::new();
    bench.reach_specialist();
    bench.put(broke("ask_model"));
    assert_eq!(bench.put(broke("ask_model")), Work::Nothing);
    assert_eq!((bench.state.ledger.outcome, bench.finished), (Some(RunStatus::Failed), 1));
    let told = bench.answer.clone().unwrap();
    assert!(told.starts_with("Something went wrong on our end while working out what to do, twice in a row"), "{told}");
    assert!(bench.kinds().contains(&"error"));
}

#[test]
fn what_was_read_until_then_is_told_and_nothing_further_is_sent() {
    let mut bench = Bench::new();
    bench.reach_specialist();
    let ids = bench.propose(&[("read", json!(1)), ("write", json!(1))]);
    bench.all_fine();
    bench.put(CallInput::Read(vec![(ids[0], Ok(success()))]));
    bench.put(broke("sketch"));
    bench.put(broke("sketch"));
    assert_eq!(bench.state.ledger.outcome, Some(RunStatus::Failed));
    assert!(matches!(bench.state.call(ids[1]).unwrap().state, CallState::Denied { cause: Denial::Cancelled, .. }));
    let EventBody::Result { content, .. } = bench.events.iter().find(|e| e.kind() == "result").unwrap() else {
        panic!()
    };
    assert!(content.contains("0 rows"), "{content}");
}
