//! The changes of a plan are sent one after the other. If one fails, the rest are not sent. If a person leaves one out, the rest still are.

use adagent_contract::{ApprovalStatus, EventBody, Plan, PlanStep};
use adagent_domain::{ApprovalId, ToolCallId};
use adagent_run_core::*;
use serde_json::json;

use crate::support::{Bench, Work, fault, success};

/// Makes a plan with this many changes and asks a person about all of them.
fn planned(changes: usize) -> (Bench, Vec<ToolCallId>, Vec<ApprovalId>) {
    let mut bench = Bench::new();
    bench.reach_specialist();
    let calls: Vec<_> = (0..changes).map(|n| bench.proposed("write", &json!(n))).collect();
    let ids: Vec<_> = calls.iter().map(|call| call.id).collect();
    let steps = ids
        .iter()
        .map(|id| PlanStep {
            says: format!("Do {id}"),
            tool_call_id: Some(*id),
            calls: Vec::new(),
            note: None,
            unmade: false,
        })
        .collect();
    let plan = Plan { goal: "Do all of it".into(), steps };
    bench.put(TurnInput::Replied(Box::new(Reply { calls, plan: Some(plan), ..Reply::default() })));
    bench.all_fine();
    let approvals = bench.sketch_all();
    (bench, ids, approvals)
}

fn send(bench: &mut Bench, id: ToolCallId, outcome: Result<Success, Fault>) -> Work {
    bench.put(CallInput::Sending(id, None));
    bench.put(CallInput::Sent(id, Box::new(outcome)))
}

#[test]
fn what_is_approved_early_waits_for_the_steps_before_it() {
    let (mut bench, ids, approvals) = planned(3);
    assert_eq!(bench.approve_as_proposed(approvals[2]), Work::AwaitPeople);
    assert!(bench.try_put(CallInput::Sending(ids[2], None)).is_err());
    assert_eq!(bench.approve_as_proposed(approvals[0]), Work::Send(ids[0]));
    assert_eq!(send(&mut bench, ids[0], Ok(success())), Work::AwaitPeople, "the third still waits for the second");
    assert_eq!(bench.approve_as_proposed(approvals[1]), Work::Send(ids[1]));
    assert_eq!(send(&mut bench, ids[1], Ok(success())), Work::Send(ids[2]));
    assert_eq!(send(&mut bench, ids[2], Ok(success())), Work::AskModel);
}

#[test]
fn a_step_that_a_person_leaves_out_holds_nothing_back() {
    let (mut bench, ids, approvals) = planned(2);
    assert_eq!(bench.approve_as_proposed(approvals[1]), Work::AwaitPeople);
    assert_eq!(bench.answer(approvals[0], ApprovalStatus::Denied), Work::Send(ids[1]));
}

#[test]
fn a_step_that_fails_withdraws_what_comes_after_it() {
    let (mut bench, ids, approvals) = planned(4);
    bench.approve_as_proposed(approvals[2]);
    bench.approve_as_proposed(approvals[0]);
    let failed = Err(fault(FaultKind::Deterministic));
    assert_eq!(send(&mut bench, ids[0], failed), Work::AskModel, "nothing is left to be asked or sent");
    for id in &ids[1..] {
        assert!(
            matches!(&bench.state.call(*id).unwrap().state, CallState::Denied { cause: Denial::Cancelled, .. }),
            "{:?}",
            bench.state.call(*id)
        );
        assert_eq!(bench.rows[id], CallMark::Denied);
    }
    let withdrawn =
        |event: &&EventBody| matches!(event, EventBody::ToolApprovalAnswered { status: ApprovalStatus::Cancelled, .. });
    assert_eq!(bench.events.iter().filter(withdrawn).count(), 2, "the approved one has no question left to withdraw");
}

#[test]
fn an_outcome_that_nobody_knows_holds_back_what_comes_after_it() {
    let (mut bench, ids, approvals) = planned(2);
    bench.approve_as_proposed(approvals[1]);
    bench.approve_as_proposed(approvals[0]);
    assert_eq!(send(&mut bench, ids[0], Err(fault(FaultKind::UnknownOutcome))), Work::Probe(ids[0]));
    let found = || CallInput::Probed(ids[0], Box::new(Found::CannotTell { why: "no reply".into() }));
    let Work::Until(until) = bench.put(found()) else { panic!("the request may still be on its way") };
    bench.clock.advance_millis(until.millis_since(adagent_domain::Clock::now(&bench.clock)));
    bench.put(Input::Due);
    assert_eq!(bench.put(found()), Work::Sketch(vec![ids[0]]), "a person decides whether it is sent again");
    let again = bench.sketch_all();
    assert_eq!(bench.answer(again[0], ApprovalStatus::Denied), Work::AskModel);
    assert!(matches!(bench.state.call(ids[0]).unwrap().state, CallState::Unknown { .. }));
    assert!(matches!(bench.state.call(ids[1]).unwrap().state, CallState::Denied { cause: Denial::Cancelled, .. }));
}

/// People see the failed step on the plan before they approve anything, and they still want the other steps.
#[test]
fn a_step_that_cannot_be_prepared_holds_nothing_back() {
    let mut bench = Bench::new();
    bench.reach_specialist();
    let calls = vec![bench.proposed("write", &json!(1)), bench.proposed("write", &json!(2))];
    let ids: Vec<_> = calls.iter().map(|call| call.id).collect();
    let steps = ids
        .iter()
        .map(|id| PlanStep {
            says: "Do it".into(),
            tool_call_id: Some(*id),
            calls: Vec::new(),
            note: None,
            unmade: false,
        })
        .collect();
    let plan = Plan { goal: "Both".into(), steps };
    bench.put(TurnInput::Replied(Box::new(Reply { calls, plan: Some(plan), ..Reply::default() })));
    let checked = vec![(ids[0], Err(fault(FaultKind::Invalid))), (ids[1], Ok(()))];
    assert_eq!(bench.put(CallInput::Checked(checked)), Work::Sketch(vec![ids[1]]));
    let approvals = bench.sketch_all();
    assert_eq!(bench.approve_as_proposed(approvals[0]), Work::Send(ids[1]));
}

/// A person who did not answer did not agree to the later changes either.
#[test]
fn a_step_that_nobody_answered_holds_back_what_comes_after_it() {
    for status in [ApprovalStatus::Expired, ApprovalStatus::Cancelled] {
        let (mut bench, ids, approvals) = planned(2);
        bench.approve_as_proposed(approvals[1]);
        assert_eq!(bench.answer(approvals[0], status), Work::AskModel, "{status:?}");
        assert!(matches!(bench.state.call(ids[1]).unwrap().state, CallState::Denied { cause: Denial::Cancelled, .. }));
    }
}

#[test]
fn two_steps_of_one_call_close_no_circle() {
    let mut bench = Bench::new();
    bench.reach_specialist();
    let calls = vec![bench.proposed("write", &json!(1)), bench.proposed("write", &json!(2))];
    let ids: Vec<_> = calls.iter().map(|call| call.id).collect();
    let step =
        |id| PlanStep { says: "Do it".into(), tool_call_id: Some(id), calls: Vec::new(), note: None, unmade: false };
    let plan = Plan { goal: "All".into(), steps: vec![step(ids[0]), step(ids[1]), step(ids[0])] };
    bench.put(TurnInput::Replied(Box::new(Reply { calls, plan: Some(plan), ..Reply::default() })));
    bench.all_fine();
    let approvals = bench.sketch_all();
    bench.approve_as_proposed(approvals[1]);
    assert_eq!(bench.approve_as_proposed(approvals[0]), Work::Send(ids[0]));
    assert_eq!(send(&mut bench, ids[0], Err(fault(FaultKind::Deterministic))), Work::AskModel);
}
