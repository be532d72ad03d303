//! Changes that may have taken effect. The run never calls them failed or declined, and never repeats one without a warning.

use adagent_contract::{ActionKind, ApprovalStatus, EventBody, RunStatus};
use adagent_domain::{Clock as _, ToolCallId};
use adagent_run_core::*;
use serde_json::json;

use crate::support::{Bench, Work, fault, outstanding, success};

fn cannot_tell(id: ToolCallId) -> CallInput {
    CallInput::Probed(id, Box::new(Found::CannotTell { why: "the network does not answer.".into() }))
}

/// Approves and sends a write whose reply is lost.
fn unclear() -> (Bench, ToolCallId) {
    let mut bench = Bench::new();
    bench.reach_specialist();
    let id = bench.propose(&[("write", json!(1))])[0];
    bench.all_fine();
    let approvals = bench.sketch_all();
    bench.approve_as_proposed(approvals[0]);
    bench.put(CallInput::Sending(id, None));
    let lost = bench.put(CallInput::Sent(id, Box::new(Err(fault(FaultKind::UnknownOutcome)))));
    assert_eq!(lost, Work::Probe(id));
    (bench, id)
}

fn settle(bench: &mut Bench, id: ToolCallId) {
    bench.clock.advance_millis(bench.state.ledger.limits.settle_ms);
    assert_eq!(bench.put(Input::Due), Work::Probe(id));
}

/// Does the same, and then looks at the network without finding out whether the write went through.
fn doubtful() -> (Bench, ToolCallId) {
    let (mut bench, id) = unclear();
    bench.put(cannot_tell(id));
    settle(&mut bench, id);
    assert_eq!(bench.put(cannot_tell(id)), Work::Sketch(vec![id]));
    (bench, id)
}

fn is_unknown(bench: &Bench, id: ToolCallId) -> String {
    assert_eq!(bench.rows[&id], CallMark::Unknown);
    let CallState::Unknown { why, .. } = &bench.state.call(id).unwrap().state else {
        panic!("{:?}", bench.state.call(id).unwrap().state)
    };
    why.clone()
}

/// Proposes the same change again. The run refuses it, because the change may already be made.
fn refuses_the_same(bench: &mut Bench) {
    let again = bench.propose(&[("write", json!(1))])[0];
    let CallState::Failed { fault } = &bench.state.call(again).unwrap().state else { panic!("is made again") };
    assert_eq!(fault.kind, FaultKind::Duplicate);
    assert!(fault.message.contains("don't know"), "{}", fault.message);
}

#[test]
fn while_the_request_may_be_on_its_way_nobody_is_asked_to_send_it_again() {
    let (mut bench, id) = unclear();
    let until = bench.clock.now().plus_millis(bench.state.ledger.limits.settle_ms);
    assert_eq!(bench.put(cannot_tell(id)), Work::Until(until));
    assert!(bench.try_put(Input::Due).is_err(), "too early");
    settle(&mut bench, id);
    assert_eq!(bench.put(cannot_tell(id)), Work::Sketch(vec![id]));
    bench.sketch_all();
    let warning = &bench.asked[1].sketch.warnings[0];
    assert!(warning.contains("couldn't find out") && warning.contains("sends it again"), "{warning}");
}

#[test]
fn a_doubtful_change_that_cannot_be_asked_about_again_is_unknown_and_not_repeated() {
    for kind in [FaultKind::Retryable, FaultKind::Deterministic, FaultKind::Invalid] {
        let (mut bench, id) = doubtful();
        bench.put(CallInput::Sketched(vec![(id, Err(fault(kind)))]));
        let why = is_unknown(&bench, id);
        assert!(why.contains("couldn't find out") && why.contains("It failed."), "{why}");
        assert!(!why.contains("sends it again"), "nobody is asked any more: {why}");
        let told = bench.events.iter().rev().find_map(|event| match event {
            EventBody::ToolResult { ok, summary, result, .. } => Some((*ok, summary.clone(), result.to_string())),
            _ => None,
        });
        let (ok, summary, result) = told.expect("people are told");
        assert!(!ok && summary == why && result.contains("couldn't find out"), "{summary}: {result}");
        assert_eq!(outstanding(&bench.state), Work::AskModel);
        refuses_the_same(&mut bench);
    }
}

#[test]
fn a_second_attempt_that_is_refused_says_nothing_about_the_first() {
    let (mut bench, id) = doubtful();
    let again = bench.sketch_all();
    assert_eq!(bench.approve_as_proposed(again[0]), Work::Send(id));
    bench.put(CallInput::Sending(id, None));
    bench.put(CallInput::Sent(id, Box::new(Err(fault(FaultKind::Deterministic)))));
    is_unknown(&bench, id);
    refuses_the_same(&mut bench);
}

#[test]
fn a_doubtful_change_that_meets_a_dead_sign_in_is_not_called_unmade() {
    let (mut bench, id) = doubtful();
    assert_eq!(bench.put(CallInput::Sketched(vec![(id, Err(fault(FaultKind::AuthFailed)))])), Work::Nothing);
    is_unknown(&bench, id);
    let answer = bench.answer.clone().unwrap();
    assert!(answer.contains("Reconnect it") && answer.contains("don't know"), "{answer}");
    assert!(!answer.contains("was not made"), "{answer}");
    let acts = |e: &EventBody| matches!(e, EventBody::ActionRequired { action: ActionKind::ConnectNetwork, .. });
    assert!(bench.events.iter().any(acts));
    assert_eq!(bench.state.ledger.outcome, Some(RunStatus::Completed));
}

#[test]
fn declining_the_second_attempt_says_that_the_first_may_be_there() {
    let ends: [fn(&mut Bench, adagent_domain::ApprovalId); 3] = [
        |bench, approval| drop(bench.answer(approval, ApprovalStatus::Denied)),
        |bench, approval| drop(bench.answer(approval, ApprovalStatus::Expired)),
        |bench, _| drop(bench.put(Input::CancelRequested)),
    ];
    for end in ends {
        let (mut bench, id) = doubtful();
        let approval = bench.sketch_all()[0];
        end(&mut bench, approval);
        is_unknown(&bench, id);
        let reason = bench.events.iter().find_map(|event| match event {
            EventBody::ToolDenied { reason, .. } => Some(reason.clone()),
            _ => None,
        });
        let reason = reason.unwrap();
        assert!(reason.contains("couldn't find out"), "{reason}");
    }
}

#[test]
fn a_doubt_outlives_what_is_found_about_later_attempts() {
    // The look finds that the second attempt changed nothing. It cannot tell whether the first attempt did.
    let (mut bench, id) = doubtful();
    let again = bench.sketch_all();
    bench.approve_as_proposed(again[0]);
    bench.put(CallInput::Sending(id, None));
    bench.put(CallInput::Sent(id, Box::new(Err(fault(FaultKind::UnknownOutcome)))));
    let not_there = || CallInput::Probed(id, Box::new(Found::DidNotHappen { looked_at: "the groups".into() }));
    bench.put(not_there());
    settle(&mut bench, id);
    assert_eq!(bench.put(not_there()), Work::Sketch(vec![id]));
    bench.sketch_all();
    let warnings = bench.asked[2].sketch.warnings.join(" ");
    assert!(warnings.contains("couldn't find out") && warnings.contains("the groups"), "{warnings}");
}

#[test]
fn what_was_sent_before_an_edit_is_remembered_too() {
    let (mut bench, id) = doubtful();
    let again = bench.sketch_all();
    // A person edited the card, so that other arguments are approved and sent.
    bench.answer(again[0], ApprovalStatus::Approved);
    bench.put(CallInput::Sending(id, None));
    bench.put(CallInput::Sent(id, Box::new(Ok(success()))));
    assert_eq!(bench.rows[&id], CallMark::Succeeded);
    let summary = bench.events.iter().rev().find_map(|event| match event {
        EventBody::ToolResult { summary, .. } => Some(summary.clone()),
        _ => None,
    });
    assert!(summary.unwrap().contains("earlier attempt"), "people are told");
    refuses_the_same(&mut bench);
}
