//! Runs that begin with a call: the answer is the outcome of that call.

use adagent_contract::{ApprovalStatus, RunStatus};
use adagent_domain::{Network, Source, ToolCallId};
use adagent_run_core::*;
use serde_json::json;

use crate::support::{Bench, Work, fault};

/// Begins a run with one write call, which waits for a person to approve it.
fn waiting() -> (Bench, ToolCallId, adagent_domain::ApprovalId) {
    let mut bench = Bench::new();
    let id = ToolCallId::new(&bench.ids);
    bench.state = given_call(bench.state.clone(), (id, "write", Source::Network(Network::AdMob), false), "d".into());
    bench.rows.insert(id, CallMark::Prepared);
    bench.all_fine();
    let approval = bench.sketch_all()[0];
    (bench, id, approval)
}

fn answer_of(bench: &Bench) -> &str {
    assert_eq!(bench.state.ledger.outcome, Some(RunStatus::Completed));
    assert!(!bench.kinds().contains(&"error"));
    bench.answer.as_deref().unwrap()
}

#[test]
fn a_change_that_was_made_is_its_own_answer() {
    let (mut bench, id, approval) = waiting();
    bench.answer(approval, ApprovalStatus::Approved);
    bench.put(CallInput::Sending(id, None));
    let summary = "Created mediation group Nordics (9003650660)".to_owned();
    let made = Success { result: json!({"id": 1}), summary, artifact: None, cached: false, duration_ms: 5 };
    assert_eq!(bench.put(CallInput::Sent(id, Box::new(Ok(made)))), Work::Nothing, "no model is asked for words");
    assert_eq!(answer_of(&bench), "Created mediation group Nordics (9003650660).");
}

#[test]
fn a_change_that_was_denied_or_not_answered_was_not_sent() {
    let (mut bench, _, approval) = waiting();
    bench.answer(approval, ApprovalStatus::Denied);
    assert_eq!(answer_of(&bench), "Denied. Nothing was sent.");

    let (mut bench, _, approval) = waiting();
    let reason = Some("too high".to_owned());
    let answer = Answer { approval, status: ApprovalStatus::Denied, digest: String::new(), args: json!({}), reason };
    bench.put(CallInput::Answered(vec![answer]));
    assert_eq!(answer_of(&bench), "Denied: too high. Nothing was sent.");

    let (mut bench, _, approval) = waiting();
    bench.answer(approval, ApprovalStatus::Expired);
    assert_eq!(answer_of(&bench), "No one answered in time, and the approval expired. Nothing was sent.");
}

#[test]
fn what_a_network_refused_is_told_in_its_words() {
    let (mut bench, id, approval) = waiting();
    bench.answer(approval, ApprovalStatus::Approved);
    bench.put(CallInput::Sending(id, None));
    bench.put(CallInput::Sent(id, Box::new(Err(fault(FaultKind::Deterministic)))));
    assert_eq!(answer_of(&bench), "AdMob did not make the change: It failed.");
}

#[test]
fn a_change_that_was_made_is_told_although_the_connection_is_gone() {
    let mut bench = Bench::new();
    bench.reach_specialist();
    let ids = bench.propose(&[("write", json!(1))]);
    bench.all_fine();
    let approval = bench.sketch_all()[0];
    bench.answer(approval, ApprovalStatus::Approved);
    bench.put(CallInput::Sending(ids[0], None));
    let summary = "Created ad unit Level end (ca-app-pub-1/2)".to_owned();
    let made = Success { result: json!({"id": 1}), summary, artifact: None, cached: false, duration_ms: 5 };
    bench.put(CallInput::Sent(ids[0], Box::new(Ok(made))));
    // The model wants to read it, but somebody disconnected the network meanwhile.
    let reads = bench.propose(&[("read", json!(1))]);
    bench.all_fine();
    bench.put(CallInput::Read(vec![(reads[0], Err(fault(FaultKind::NotConnected)))]));
    let answer = answer_of(&bench);
    assert!(
        answer.starts_with("The change was made: Created ad unit Level end (ca-app-pub-1/2). Connect AdMob"),
        "{answer}"
    );
}
