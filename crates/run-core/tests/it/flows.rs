use adagent_contract::{ActionKind, ApprovalStatus, EventBody, RunStatus};
use adagent_domain::{Clock as _, Network, Source};
use adagent_run_core::*;
use serde_json::{Value as Json, json};

use crate::support::{Bench, Work, fault, outstanding, routed, sketch, success};

#[test]
fn a_question_is_routed_read_verified_and_answered() {
    let mut bench = Bench::new();
    bench.reach_specialist();
    let ids = bench.propose(&[("read", json!({"a": 1}))]);
    assert_eq!(bench.all_fine(), Work::Read(ids.clone()));
    assert_eq!(bench.put(CallInput::Read(vec![(ids[0], Ok(success()))])), Work::AskModel);
    assert_eq!(bench.say("You earned $1."), Work::Verify);
    assert_eq!(bench.put(TurnInput::Verified(Verdict::Complete)), Work::Nothing);
    assert_eq!(
        bench.kinds(),
        [
            "routing",
            "agent",
            "status",
            "usage",
            "tool",
            "tool_executing",
            "tool_result",
            "status",
            "usage",
            "content",
            "result",
            "done"
        ]
    );
    assert_eq!(bench.state.ledger.outcome, Some(RunStatus::Completed));
    assert_eq!(bench.try_put(Input::Resumed { idle_ms: 0 }), Err(StepError::Over));
}

#[test]
fn reads_of_a_mixed_batch_run_at_once_in_call_order_and_only_writes_wait() {
    let mut bench = Bench::new();
    bench.reach_specialist();
    let ids = bench.propose(&[("read", json!(1)), ("write", json!(2)), ("read", json!(3))]);
    assert_eq!(bench.all_fine(), Work::Read(vec![ids[0], ids[2]]));
    // The run reports results in call order, whichever comes back first.
    let results = vec![(ids[2], Ok(success())), (ids[0], Ok(success()))];
    assert_eq!(bench.put(CallInput::Read(results)), Work::Sketch(vec![ids[1]]));
    let told: Vec<_> = bench
        .events
        .iter()
        .filter_map(|event| match event {
            EventBody::ToolResult { tool_call_id, .. } => Some(*tool_call_id),
            _ => None,
        })
        .collect();
    assert_eq!(told, [ids[0], ids[2]]);
    bench.sketch_all();
    assert_eq!(outstanding(&bench.state), Work::AwaitPeople);
    assert!(bench.state.ledger.waiting_since.is_some());
}

#[test]
fn several_approvals_are_decided_one_by_one() {
    let mut bench = Bench::new();
    bench.reach_specialist();
    let ids = bench.propose(&[("write", json!(1)), ("write", json!(2))]);
    bench.all_fine();
    let approvals = bench.sketch_all();
    assert_eq!(bench.answer(approvals[1], ApprovalStatus::Approved), Work::Send(ids[1]));
    bench.put(CallInput::Sending(ids[1], None));
    assert_eq!(bench.put(CallInput::Sent(ids[1], Box::new(Ok(success())))), Work::AwaitPeople);
    assert!(bench.state.ledger.waiting_since.is_some());
    // A repeat of the same answer changes nothing.
    assert_eq!(bench.answer(approvals[1], ApprovalStatus::Approved), Work::AwaitPeople);
    assert_eq!(bench.answer(approvals[0], ApprovalStatus::Denied), Work::AskModel);
    assert!(matches!(bench.state.call(ids[0]).unwrap().state, CallState::Denied { cause: Denial::Declined, .. }));
    assert!(bench.kinds().contains(&"tool_denied"));
    assert_eq!(bench.rows[&ids[1]], CallMark::Succeeded);
}

#[test]
fn a_write_is_never_sent_without_an_approval() {
    let mut bench = Bench::new();
    bench.reach_specialist();
    let ids = bench.propose(&[("write", json!(1))]);
    bench.all_fine();
    assert!(bench.try_put(CallInput::Sending(ids[0], None)).is_err());
    bench.sketch_all();
    assert!(bench.try_put(CallInput::Sending(ids[0], None)).is_err());
    assert!(bench.try_put(CallInput::Sent(ids[0], Box::new(Ok(success())))).is_err());
}

#[test]
fn after_a_crash_in_sending_the_network_is_asked_and_nothing_is_sent_blindly() {
    let begin = || {
        let mut bench = Bench::new();
        bench.reach_specialist();
        let ids = bench.propose(&[("write", json!(1))]);
        bench.all_fine();
        let approvals = bench.sketch_all();
        bench.answer(approvals[0], ApprovalStatus::Approved);
        bench.put(CallInput::Sending(ids[0], None));
        assert_eq!(bench.put(Input::Resumed { idle_ms: 0 }), Work::Probe(ids[0]));
        (bench, ids[0])
    };

    let (mut bench, id) = begin();
    let found = Found::Happened { result: json!({"id": "g1"}), summary: "created".into() };
    assert_eq!(bench.put(CallInput::Probed(id, Box::new(found))), Work::AskModel);
    assert_eq!(bench.rows[&id], CallMark::Succeeded);

    let (mut bench, id) = begin();
    let found = || CallInput::Probed(id, Box::new(Found::DidNotHappen { looked_at: "the mediation groups".into() }));
    let until = bench.clock.now().plus_millis(bench.state.ledger.limits.settle_ms);
    assert_eq!(bench.put(found()), Work::Until(until), "the request may still be on its way");
    bench.put(Input::Resumed { idle_ms: 0 });
    assert!(bench.try_put(Input::Due).is_err(), "too early");
    bench.clock.advance_millis(bench.state.ledger.limits.settle_ms);
    assert_eq!(bench.put(Input::Due), Work::Probe(id));
    assert_eq!(bench.put(found()), Work::Sketch(vec![id]));
    let again = bench.sketch_all();
    assert_ne!(bench.asked[0].approval, again[0]);
    assert!(bench.asked[1].sketch.warnings[0].contains("the mediation groups"));
    assert_eq!(bench.answer(again[0], ApprovalStatus::Approved), Work::Send(id));

    let (mut bench, id) = begin();
    let found = || CallInput::Probed(id, Box::new(Found::CannotTell { why: "the network does not answer.".into() }));
    bench.put(found());
    bench.clock.advance_millis(bench.state.ledger.limits.settle_ms);
    bench.put(Input::Due);
    bench.put(found());
    let again = bench.sketch_all();
    assert!(bench.asked[1].sketch.warnings[0].contains("couldn't find out"));
    bench.answer(again[0], ApprovalStatus::Denied);
    assert!(matches!(bench.state.call(id).unwrap().state, CallState::Unknown { .. }));
    assert_eq!(bench.rows[&id], CallMark::Unknown);
}

#[test]
fn nothing_further_leaves_before_it_is_known_what_became_of_what_left() {
    let mut bench = Bench::new();
    bench.reach_specialist();
    let ids = bench.propose(&[("write", json!(1)), ("write", json!(2))]);
    bench.all_fine();
    let approvals = bench.sketch_all();
    let yes = |approval| {
        let args = json!({"edited": true});
        Answer { approval, status: ApprovalStatus::Approved, digest: "approved".into(), args, reason: None }
    };
    bench.put(CallInput::Answered(approvals.into_iter().map(yes).collect()));
    bench.put(CallInput::Sending(ids[0], None));
    let unclear = Err(fault(FaultKind::UnknownOutcome));
    assert_eq!(bench.put(CallInput::Sent(ids[0], Box::new(unclear))), Work::Probe(ids[0]), "before the second is sent");
    // The stop waits for the look. If the run asked the driver to send meanwhile, neither would ever happen.
    assert_eq!(bench.put(Input::CancelRequested), Work::Probe(ids[0]));
    let found = Found::Happened { result: json!({"id": "g1"}), summary: "created".into() };
    assert_eq!(bench.put(CallInput::Probed(ids[0], Box::new(found))), Work::Send(ids[1]));
    assert_eq!(bench.put(Input::CancelRequested), Work::Nothing);
    assert_eq!((bench.rows[&ids[0]], bench.rows[&ids[1]]), (CallMark::Succeeded, CallMark::Denied));
}

#[test]
fn an_unclear_reply_to_a_write_is_looked_after_too() {
    let mut bench = Bench::new();
    bench.reach_specialist();
    let ids = bench.propose(&[("write", json!(1))]);
    bench.all_fine();
    let approvals = bench.sketch_all();
    bench.answer(approvals[0], ApprovalStatus::Approved);
    bench.put(CallInput::Sending(ids[0], None));
    let outcome = Err(fault(FaultKind::UnknownOutcome));
    assert_eq!(bench.put(CallInput::Sent(ids[0], Box::new(outcome))), Work::Probe(ids[0]));
}

#[test]
fn unknown_entities_are_looked_up_again_and_then_told_to_the_model_before_any_form() {
    let mut bench = Bench::new();
    bench.reach_specialist();
    let ids = bench.propose(&[("write", json!(1))]);
    let bad = || vec![(ids[0], Err(fault(FaultKind::Ungrounded).with_guidance("Use one of these.")))];
    assert_eq!(bench.put(CallInput::Checked(bad())), Work::LoadEntities { refresh: true });
    assert_eq!(bench.put(TurnInput::EntitiesLoaded { problems: vec![] }), Work::Check(ids.clone()));
    assert_eq!(bench.put(CallInput::Checked(bad())), Work::AskModel);
    assert!(bench.asked.is_empty());
    assert!(!bench.kinds().contains(&"tool_approval_required"));
    let CallState::Failed { fault } = &bench.state.ledger.calls[0].state else { panic!("not failed") };
    assert_eq!(fault.to_json()["error"]["guidance"], "Use one of these.");
}

#[test]
fn three_retryable_rounds_stop_without_override_and_two_deterministic_ones_with() {
    for (kind, rounds, code, offer) in [
        (FaultKind::Retryable, 3, "max_retries", None),
        (FaultKind::Deterministic, 2, "deterministic_failure", Some(true)),
        (FaultKind::Invalid, 2, "deterministic_failure", Some(true)),
    ] {
        let mut bench = Bench::new();
        bench.reach_specialist();
        for round in 1..=rounds {
            // Two failures in one round count once.
            let ids = bench.propose(&[("read", json!(round)), ("read", json!(round + 100))]);
            bench.all_fine();
            let work = bench.put(CallInput::Read(vec![(ids[0], Err(fault(kind))), (ids[1], Err(fault(kind)))]));
            assert_eq!(work, if round == rounds { Work::Nothing } else { Work::AskModel });
        }
        assert_eq!(bench.state.ledger.outcome, Some(RunStatus::Stopped));
        let stop = bench.events.iter().find_map(|event| match event {
            EventBody::Error { code, developer_override_available, .. } => {
                Some((code.clone(), *developer_override_available))
            }
            _ => None,
        });
        assert_eq!(stop, Some((code.to_owned(), offer)));
        assert_eq!(bench.kinds().last(), Some(&"done"));
    }
}

#[test]
fn a_run_holds_so_many_rows_and_says_which_report_was_too_much() {
    let mut bench = Bench::new();
    bench.state.ledger.limits.rows = 5;
    bench.reach_specialist();
    let ids = bench.propose(&[("read", json!(1)), ("read", json!(2)), ("read", json!(3))]);
    bench.all_fine();
    let rows = |count| Ok(Success { result: json!({"rows": vec![json!([1]); count]}), ..success() });
    let results = vec![(ids[0], rows(3)), (ids[1], rows(3)), (ids[2], rows(2))];
    assert_eq!(bench.put(CallInput::Read(results)), Work::AskModel);
    let told: Vec<_> = bench
        .events
        .iter()
        .filter_map(|event| match event {
            EventBody::ToolResult { ok, result, .. } => {
                Some((*ok, result["error"]["code"].as_str().unwrap_or_default()))
            }
            _ => None,
        })
        .collect();
    assert_eq!(told, [(true, ""), (false, "TOO_MANY_ROWS"), (true, "")], "what still fits is kept");
    assert_eq!(bench.state.ledger.rows, 5);
}

#[test]
fn a_result_is_stored_once_with_its_call_and_told_by_its_size_when_it_is_long() {
    let mut bench = Bench::new();
    bench.reach_specialist();
    let ids = bench.propose(&[("read", json!(1)), ("read", json!(2))]);
    bench.all_fine();
    let (short, long) = (json!({"rows": [1]}), json!({"rows": ["x".repeat(5000)]}));
    let read = |result: &Json| Ok(Success { result: result.clone(), ..success() });
    bench.put(CallInput::Read(vec![(ids[0], read(&short)), (ids[1], read(&long))]));
    let results = bench.events.iter().filter_map(|event| match event {
        EventBody::ToolResult { result, .. } => Some(result.clone()),
        _ => None,
    });
    let told: Vec<_> = results.collect();
    assert_eq!(told, [short.clone(), json!({"omitted_bytes": long.to_string().len()})]);
    let kept = |id| bench.results[&id].result.clone();
    assert_eq!((kept(ids[0]), kept(ids[1])), (Some(short), Some(long)));
}

#[test]
fn a_round_that_works_forgives_the_failures_before() {
    let mut bench = Bench::new();
    bench.reach_specialist();
    for round in 0..6 {
        let ids = bench.propose(&[("read", json!(round))]);
        bench.all_fine();
        let outcome = if round % 2 == 0 { Err(fault(FaultKind::Deterministic)) } else { Ok(success()) };
        assert_eq!(bench.put(CallInput::Read(vec![(ids[0], outcome)])), Work::AskModel);
    }
}

#[test]
fn the_same_call_is_not_made_twice_but_may_be_retried_when_that_can_help() {
    let mut bench = Bench::new();
    bench.reach_specialist();
    let first = bench.propose(&[("read", json!(1)), ("read", json!(1))]);
    assert_eq!(bench.all_fine(), Work::Read(vec![first[0]]));
    bench.put(CallInput::Read(vec![(first[0], Err(fault(FaultKind::Retryable)))]));
    let again = bench.propose(&[("read", json!(1))]);
    assert_eq!(outstanding(&bench.state), Work::Check(again.clone()));

    let mut bench = Bench::new();
    bench.reach_specialist();
    let first = bench.propose(&[("read", json!(1))]);
    bench.all_fine();
    bench.put(CallInput::Read(vec![(first[0], Ok(success()))]));
    let again = bench.propose(&[("read", json!(1))]);
    let CallState::Failed { fault } = &bench.state.call(again[0]).unwrap().state else { panic!("was made again") };
    assert_eq!(fault.kind, FaultKind::Duplicate);
}

#[test]
fn fifteen_turns_are_enough_and_partial_results_are_told() {
    let mut bench = Bench::new();
    bench.reach_specialist();
    let mut round = 0;
    while outstanding(&bench.state) == Work::AskModel {
        round += 1;
        let ids = bench.propose(&[("read", json!(round))]);
        bench.all_fine();
        bench.put(CallInput::Read(vec![(ids[0], Ok(success()))]));
    }
    assert_eq!(round, 15);
    let content = bench.events.iter().find_map(|event| match event {
        EventBody::Result { content, .. } => Some(content.clone()),
        _ => None,
    });
    assert!(content.unwrap().contains("What I have so far"));
    assert_eq!(bench.state.ledger.outcome, Some(RunStatus::Stopped));
}

#[test]
fn the_deadline_counts_work_and_not_waiting_for_people() {
    let mut bench = Bench::new();
    bench.reach_specialist();
    let ids = bench.propose(&[("write", json!(1))]);
    bench.all_fine();
    let approvals = bench.sketch_all();
    bench.clock.advance_millis(24 * 3_600_000);
    bench.answer(approvals[0], ApprovalStatus::Denied);
    assert_eq!(outstanding(&bench.state), Work::AskModel);
    assert!(bench.rows[&ids[0]] == CallMark::Denied);
    bench.clock.advance_millis(bench.state.ledger.limits.deadline_ms + 1);
    assert_eq!(bench.put(Input::DeadlineReached), Work::Nothing);
    assert!(bench.kinds().contains(&"error"));
}

#[test]
fn token_and_cost_ceilings_stop_the_run() {
    for (usage, code) in [
        (Spent { input_tokens: 500_000, ..Spent::default() }, "token_limit"),
        (Spent { cost_micros: 3_000_000, ..Spent::default() }, "cost_limit"),
    ] {
        let mut bench = Bench::new();
        bench.reach_specialist();
        let call = bench.proposed("read", &json!(1));
        let id = call.id;
        bench.put(TurnInput::Replied(Box::new(Reply { calls: vec![call], usage, ..Reply::default() })));
        bench.all_fine();
        bench.put(CallInput::Read(vec![(id, Ok(success()))]));
        assert!(bench.events.iter().any(|e| matches!(e, EventBody::Error { code: c, .. } if c == code)));
    }
}

#[test]
fn cancelling_withdraws_the_question_and_says_so() {
    let mut bench = Bench::new();
    bench.reach_specialist();
    bench.propose(&[("write", json!(1))]);
    bench.all_fine();
    bench.sketch_all();
    assert_eq!(bench.put(Input::CancelRequested), Work::Nothing);
    let kinds = bench.kinds();
    assert_eq!(&kinds[kinds.len() - 3..], ["tool_approval_answered", "tool_denied", "done"]);
    assert_eq!(bench.state.ledger.outcome, Some(RunStatus::Cancelled));
}

#[test]
fn a_write_on_its_way_out_is_looked_after_before_the_run_is_cancelled() {
    let mut bench = Bench::new();
    bench.reach_specialist();
    let ids = bench.propose(&[("write", json!(1))]);
    bench.all_fine();
    let approvals = bench.sketch_all();
    bench.answer(approvals[0], ApprovalStatus::Approved);
    bench.put(CallInput::Sending(ids[0], None));
    assert_eq!(bench.put(Input::CancelRequested), Work::Send(ids[0]));
    bench.put(CallInput::Sent(ids[0], Box::new(Ok(success()))));
    assert_eq!(bench.put(Input::CancelRequested), Work::Nothing);
    assert_eq!(bench.rows[&ids[0]], CallMark::Succeeded);
}

#[test]
fn an_unconnected_network_gives_a_link_and_a_sentence_and_no_model_is_asked() {
    for (why, action) in [
        (UnusableWhy::NotConnected, Some(ActionKind::ConnectNetwork)),
        (UnusableWhy::Disabled, Some(ActionKind::EnableNetwork)),
        (UnusableWhy::ChatOnly, None),
    ] {
        let mut bench = Bench::new();
        let unusable = vec![Unusable { network: Some(Network::AdMob), why }];
        assert_eq!(bench.put(routed(vec![Network::AdMob], unusable)), Work::Nothing);
        let shown = bench.events.iter().find_map(|event| match event {
            EventBody::ActionRequired { action, deep_link, .. } => Some((*action, deep_link.clone().unwrap())),
            _ => None,
        });
        assert_eq!(shown.as_ref().map(|s| s.0), action);
        if let Some((_, link)) = shown {
            let asks = if why == UnusableWhy::Disabled { "enable" } else { "connect" };
            assert_eq!(link, format!("/settings/networks?{asks}=admob&return={}", bench.state.ledger.page));
        }
        assert!(bench.answer.unwrap().contains("AdMob"));
    }
}

#[test]
fn with_nothing_connected_any_network_is_asked_for_and_no_model() {
    let mut bench = Bench::new();
    let unusable = vec![Unusable { network: None, why: UnusableWhy::NotConnected }];
    assert_eq!(bench.put(routed(vec![], unusable)), Work::Nothing);
    let shown = bench.events.iter().find_map(|event| match event {
        EventBody::ActionRequired { network, deep_link, .. } => Some((*network, deep_link.clone().unwrap())),
        _ => None,
    });
    assert_eq!(shown, Some((None, format!("/settings/networks?return={}", bench.state.ledger.page))));
    assert!(bench.answer.unwrap().contains("Connect one"));
}

#[test]
fn safe_mode_refuses_a_write_without_a_form_and_the_model_is_told() {
    let mut bench = Bench::new();
    bench.reach_specialist();
    let ids = bench.propose(&[("write", json!(1))]);
    let refused = Fault::new(FaultKind::OutOfContext, "SAFE_MODE", "Safe mode is on.");
    assert_eq!(bench.put(CallInput::Checked(vec![(ids[0], Err(refused))])), Work::AskModel);
    assert!(bench.kinds().contains(&"tool_denied"));
    assert!(!bench.kinds().contains(&"tool_approval_required"));
}

#[test]
fn an_unbacked_figure_goes_back_and_is_never_shown() {
    let mut bench = Bench::new();
    bench.reach_specialist();
    let ids = bench.propose(&[("read", json!(1))]);
    bench.all_fine();
    bench.put(CallInput::Read(vec![(ids[0], Ok(success()))]));
    let verdict =
        || TurnInput::Verified(Verdict::Incomplete { guidance: "$9 is in no result.".into(), blocking: true });
    for _ in 0..bench.state.ledger.limits.rewrites {
        assert_eq!(bench.say("You earned $9."), Work::Verify);
        assert_eq!(bench.put(verdict()), Work::AskModel);
    }
    bench.say("You earned $9.");
    assert_eq!(bench.put(verdict()), Work::Nothing);
    assert_eq!(bench.state.ledger.outcome, Some(RunStatus::Stopped));
    let told = format!("{:?}", bench.events.iter().filter(|e| e.kind() == "result").collect::<Vec<_>>());
    assert!(!told.contains("You earned"));
}

#[test]
fn a_wrong_route_is_taken_back_once() {
    let mut bench = Bench::new();
    bench.reach_specialist();
    let ids = bench.propose(&[("read", json!(1))]);
    bench.all_fine();
    bench.put(CallInput::Read(vec![(ids[0], Ok(success()))]));
    bench.say("I have no tool for this.");
    assert_eq!(bench.put(TurnInput::Verified(Verdict::Reroute { why: "mediation".into() })), Work::Route);
    bench.reach_specialist();
    bench.say("Still none.");
    assert_eq!(bench.put(TurnInput::Verified(Verdict::Reroute { why: "mediation".into() })), Work::Nothing);
}

#[test]
fn an_override_asks_for_approval_as_any_other_write() {
    let mut bench = Bench::new();
    let id = adagent_domain::ToolCallId::new(&bench.ids);
    let old = bench.state.clone();
    bench.state = override_call(
        &old,
        old.ledger.started_at,
        &bench.state.ledger.limits,
        (id, "write", Source::Network(Network::AdMob), false),
        "d".into(),
    );
    assert_eq!(bench.all_fine(), Work::Sketch(vec![id]));
    bench.sketch_all();
    assert_eq!(outstanding(&bench.state), Work::AwaitPeople);
}

#[test]
fn a_fork_goes_on_with_the_results_and_never_repeats_a_write() {
    let mut bench = Bench::new();
    bench.reach_specialist();
    let ids = bench.propose(&[("read", json!(1)), ("write", json!(2))]);
    bench.all_fine();
    bench.put(CallInput::Read(vec![(ids[0], Ok(success()))]));
    bench.sketch_all();
    let (forked, pairs) = fork(
        &bench.state,
        &ForkWith::Nothing,
        &[],
        bench.state.ledger.started_at,
        &bench.state.ledger.limits,
        &bench.ids,
    )
    .unwrap();
    assert_eq!(pairs.len(), 2);
    assert_eq!(outstanding(&forked), Work::AskModel);
    assert!(matches!(forked.ledger.calls[1].state, CallState::Denied { cause: Denial::Forked, .. }));
    assert!(forked.ledger.calls.iter().all(|call| !ids.contains(&call.id)));
}

#[test]
fn a_fork_has_used_up_nothing_yet() {
    let mut bench = Bench::new();
    bench.state.ledger.limits.iterations = 2;
    bench.reach_specialist();
    let usage = Spent { input_tokens: 500_000, cost_micros: 3_000_000, estimated: true, ..Spent::default() };
    let call = bench.proposed("read", &json!(1));
    bench.put(TurnInput::Replied(Box::new(Reply { calls: vec![call.clone()], usage, ..Reply::default() })));
    bench.all_fine();
    bench.put(CallInput::Read(vec![(call.id, Err(fault(FaultKind::Deterministic)))]));
    assert_eq!(bench.state.ledger.outcome, Some(RunStatus::Stopped), "at its ceiling");
    let now = bench.clock.now();
    let (forked, _) = fork(&bench.state, &ForkWith::Nothing, &[], now, &bench.state.ledger.limits, &bench.ids).unwrap();
    assert_eq!(forked.ledger.spent, Spent::default());
    assert_eq!((forked.failures, forked.rewrites), (Failures::default(), 0));
    bench.state = forked;
    assert_eq!(outstanding(&bench.state), Work::AskModel);
    let ids = bench.propose(&[("read", json!(2))]);
    bench.all_fine();
    assert_eq!(bench.put(CallInput::Read(vec![(ids[0], Ok(success()))])), Work::AskModel, "it goes on");
}

#[test]
fn a_fork_knows_what_the_old_run_sent_since() {
    let mut bench = Bench::new();
    bench.reach_specialist();
    let id = bench.propose(&[("write", json!(1))])[0];
    bench.all_fine();
    bench.sketch_all();
    let digest = bench.state.call(id).unwrap().digest.clone();
    let sent = [Sent { call: id, digest: digest.clone(), made: false }];
    let fork = |with: &ForkWith, sent: &[Sent]| {
        fork(&bench.state, with, sent, bench.clock.now(), &bench.state.ledger.limits, &bench.ids)
    };
    let args = |digest: &str| ForkWith::Args { call: id, digest: digest.into() };
    assert_eq!(fork(&args(&digest), &sent).unwrap_err(), ForkError::AlreadySent);
    assert!(fork(&args(&digest), &[]).is_ok(), "it was never approved");
    let (other, pairs) = fork(&args("other"), &sent).unwrap();
    assert_eq!(other.call(pairs[0].1).unwrap().instead_of, Some(id));
    let (as_it_stood, pairs) = fork(&ForkWith::Nothing, &sent).unwrap();
    assert!(matches!(as_it_stood.call(pairs[0].1).unwrap().state, CallState::Unknown { .. }));
    let made = [Sent { call: id, digest: "edited".into(), made: true }];
    let (as_it_stood, pairs) = fork(&ForkWith::Nothing, &made).unwrap();
    let call = as_it_stood.call(pairs[0].1).unwrap();
    assert_eq!((&call.state, call.digest.as_str()), (&CallState::Succeeded, "edited"));
}

#[test]
fn inputs_that_answer_nothing_are_refused() {
    let mut bench = Bench::new();
    let error = bench.try_put(TurnInput::Verified(Verdict::Complete)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "verified does not answer what is outstanding at router: Outstanding { now: [Own(Route)], until: None, people: false, children: [] }"
    );
    bench.reach_specialist();
    let ids = bench.propose(&[("read", json!(1))]);
    assert!(bench.try_put(CallInput::Checked(vec![])).is_err());
    bench.all_fine();
    let stranger = adagent_domain::ToolCallId::new(&bench.ids);
    assert!(bench.try_put(CallInput::Read(vec![(stranger, Ok(success()))])).is_err());
    assert!(bench.try_put(CallInput::Sketched(vec![(ids[0], Ok(Box::new(sketch())))])).is_err());
}

#[test]
fn an_answer_without_a_call_is_checked_too_unless_the_question_is_talk() {
    let mut bench = Bench::new();
    bench.reach_specialist();
    assert_eq!(bench.say("You earned $999."), Work::Verify);
    let verdict = Verdict::Incomplete { guidance: "The figure 999 is in no result.".into(), blocking: true };
    assert_eq!(bench.put(TurnInput::Verified(verdict)), Work::AskModel);
    assert!(!bench.kinds().contains(&"result"));

    let mut talk = Bench::new();
    let TurnInput::Routed { mut route, thinking, unusable, asked } = routed(vec![], vec![]) else { unreachable!() };
    route.capability = "assistant".into();
    talk.put(TurnInput::Routed { route, thinking, unusable, asked });
    talk.put(TurnInput::EntitiesLoaded { problems: vec![] });
    talk.put(TurnInput::Retrieved(Retrieval::default()));
    assert_eq!(talk.say("Hello!"), Work::Nothing);
    assert_eq!(talk.state.ledger.outcome, Some(RunStatus::Completed));
}

#[test]
fn asking_a_model_for_the_route_is_spent_and_told() {
    let mut bench = Bench::new();
    let TurnInput::Routed { route, thinking, unusable, .. } = routed(vec![Network::AdMob], vec![]) else {
        unreachable!()
    };
    let usage = Spent { input_tokens: 300, output_tokens: 40, cost_micros: 9, ..Spent::default() };
    let asked = Some(AskedModel { model: "fast".into(), usage });
    bench.put(TurnInput::Routed { route, thinking, unusable, asked });
    assert_eq!(bench.state.ledger.spent, usage);
    assert_eq!(bench.kinds()[..2], ["usage", "routing"]);
}

#[test]
fn time_without_a_worker_does_not_count_against_the_deadline() {
    for sending in [false, true] {
        let mut bench = Bench::new();
        bench.reach_specialist();
        if sending {
            let ids = bench.propose(&[("write", json!(1))]);
            bench.all_fine();
            let approvals = bench.sketch_all();
            bench.answer(approvals[0], ApprovalStatus::Approved);
            bench.put(CallInput::Sending(ids[0], None));
        }
        let left = bench.state.ledger.deadline.millis_since(bench.clock.now());
        bench.clock.advance_millis(600_000);
        bench.put(Input::Resumed { idle_ms: 600_000 });
        assert_eq!(bench.state.ledger.deadline.millis_since(bench.clock.now()), left);
    }
}

#[test]
fn waiting_for_people_is_added_to_the_deadline_once() {
    let mut bench = Bench::new();
    bench.reach_specialist();
    bench.propose(&[("write", json!(1))]);
    bench.all_fine();
    let approvals = bench.sketch_all();
    let left = bench.state.ledger.deadline.millis_since(bench.clock.now());
    bench.clock.advance_millis(600_000);
    bench.put(Input::Resumed { idle_ms: 500_000 });
    bench.answer(approvals[0], ApprovalStatus::Denied);
    assert_eq!(bench.state.ledger.deadline.millis_since(bench.clock.now()), left);
}

#[test]
fn any_earlier_call_that_worked_refuses_the_repeat() {
    let mut bench = Bench::new();
    bench.reach_specialist();
    let attempt = |bench: &mut Bench, outcome: Result<Success, Fault>| {
        let ids = bench.propose(&[("read", json!(1))]);
        bench.all_fine();
        bench.put(CallInput::Read(vec![(ids[0], outcome)]));
    };
    attempt(&mut bench, Err(fault(FaultKind::Retryable)));
    attempt(&mut bench, Ok(success()));
    let third = bench.propose(&[("read", json!(1))])[0];
    let CallState::Failed { fault } = &bench.state.call(third).unwrap().state else { panic!("was made again") };
    assert_eq!(fault.kind, FaultKind::Duplicate);
}

#[test]
fn an_approved_write_that_meets_a_dead_sign_in_ends_with_the_way_to_connect() {
    let mut bench = Bench::new();
    bench.reach_specialist();
    let ids = bench.propose(&[("write", json!(1))]);
    bench.all_fine();
    let approvals = bench.sketch_all();
    bench.answer(approvals[0], ApprovalStatus::Approved);
    bench.put(CallInput::Sending(ids[0], None));
    let work = bench.put(CallInput::Sent(ids[0], Box::new(Err(fault(FaultKind::AuthFailed)))));
    assert_eq!(work, Work::Nothing);
    assert_eq!(bench.state.ledger.outcome, Some(RunStatus::Completed));
    let answer = bench.answer.clone().unwrap();
    assert_eq!(
        answer,
        "AdMob no longer accepts the sign-in. Reconnect it and I'll pick up from here. The change was not made."
    );
    let action = bench.events.iter().find_map(|event| match event {
        EventBody::ActionRequired { action, deep_link, .. } => Some((*action, deep_link.clone().unwrap())),
        _ => None,
    });
    let (action, link) = action.expect("a card");
    assert_eq!(action, ActionKind::ConnectNetwork);
    assert!(link.starts_with("/settings/networks?connect=admob"), "{link}");
    assert!(!bench.kinds().contains(&"error"));
}
