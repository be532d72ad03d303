//! A turn that asks other agents: each call begins a run, and how that run ended is the result of the call.

use adagent_contract::{ASK_AGENT, AgentRef, ContextSettings, EventBody, RunStatus};
use adagent_domain::{AgentId, RunId, Source, ToolCallId};
use adagent_run_core::*;
use serde_json::json;

use crate::support::{Bench, Work, fault, success};

fn asks(bench: &Bench, agent: &str) -> Proposed {
    let args = json!({"agent": agent, "task": "Revenue yesterday"});
    Proposed { name: ASK_AGENT.into(), tool: Some((Source::Native, true)), ..bench.proposed(ASK_AGENT, &args) }
}

fn task(bench: &Bench, agent: &str) -> Box<AgentTask> {
    let mark = AgentRef { handle: agent.into(), name: agent.into(), color: 0 };
    let (task, model) = ("Revenue yesterday".into(), "local".into());
    Box::new(AgentTask { agent: AgentId::new(&bench.ids), mark, task, model, settings: ContextSettings::default() })
}

/// Asks these agents and also proposes `changes` changes.
fn asked(agents: &[&str], changes: usize) -> (Bench, Vec<ToolCallId>, Vec<RunId>) {
    let mut bench = Bench::new();
    bench.reach_specialist();
    let mut calls: Vec<_> = agents.iter().map(|agent| asks(&bench, agent)).collect();
    calls.extend((0..changes).map(|n| bench.proposed("write", &json!(n))));
    let ids: Vec<_> = calls.iter().map(|call| call.id).collect();
    bench.put(TurnInput::Replied(Box::new(Reply { calls, ..Reply::default() })));
    assert_eq!(bench.all_fine(), Work::Begin(ids[..agents.len()].to_vec()), "they work while this run goes on");
    let begun = ids.iter().zip(agents).map(|(id, agent)| (*id, Ok(task(&bench, agent)))).collect();
    bench.put(CallInput::Begun(begun));
    let runs = bench.begun.iter().map(|child| child.run).collect();
    (bench, ids, runs)
}

fn end(run: RunId, status: RunStatus) -> Input<TurnInput> {
    let spent = Spent { input_tokens: 10, output_tokens: 5, cost_micros: 7, estimated: false };
    let answer = Some("Revenue was $5.".into());
    let (method, artifacts, follow_ups) = (Vec::new(), Vec::new(), Vec::new());
    Input::ChildEnded(Box::new(ChildEnd { run, status, answer, method, artifacts, follow_ups, spent }))
}

#[test]
fn an_agent_that_is_asked_answers_the_call() {
    let (mut bench, ids, runs) = asked(&["reporter"], 0);
    assert_eq!(crate::support::outstanding(&bench.state), Work::Children(runs.clone(), false));
    let child = &bench.begun[0];
    assert_eq!(child.path, ids[0].to_string());
    assert!(matches!(&child.does, ChildWork::Turn { asked, .. } if asked.mark.handle == "reporter"));
    assert!(bench.kinds().contains(&"delegated"));
    assert_eq!(bench.put(end(runs[0], RunStatus::Completed)), Work::AskModel);
    let result = bench.results[&ids[0]].result.clone().unwrap();
    assert_eq!((&result["agent"], &result["answer"]), (&json!("reporter"), &json!("Revenue was $5.")));
    assert_eq!(bench.state.ledger.used().cost_micros, 7, "what it spent counts here, too");
    assert_eq!(bench.state.ledger.spent, Spent::default(), "and is booked there");
}

#[test]
fn an_agent_that_fails_fails_nothing_here() {
    for status in [RunStatus::Failed, RunStatus::Stopped, RunStatus::Cancelled] {
        let (mut bench, ids, runs) = asked(&["reporter"], 0);
        assert_eq!(bench.put(end(runs[0], status)), Work::AskModel);
        assert_eq!(bench.state.call(ids[0]).unwrap().state, CallState::Succeeded);
        assert_eq!(bench.results[&ids[0]].result.clone().unwrap()["status"], json!(status.as_str()));
    }
}

#[test]
fn all_of_several_agents_are_waited_for_and_a_person_next_to_them() {
    let (mut bench, ids, runs) = asked(&["a", "b"], 1);
    let approvals = bench.sketch_all();
    let both = |bench: &Bench| crate::support::outstanding(&bench.state);
    assert_eq!(both(&bench), Work::Children(runs.clone(), true));
    assert_eq!(bench.put(end(runs[1], RunStatus::Completed)), Work::Children(vec![runs[0]], true));
    assert_eq!(bench.approve_as_proposed(approvals[0]), Work::Send(ids[2]), "nobody is waited for with a yes");
    bench.put(CallInput::Sending(ids[2], None));
    assert_eq!(bench.put(CallInput::Sent(ids[2], Box::new(Ok(success())))), Work::Children(vec![runs[0]], false));
    assert_eq!(bench.put(end(runs[0], RunStatus::Completed)), Work::AskModel);
    assert!(bench.try_put(end(runs[0], RunStatus::Completed)).is_err(), "it ends once");
}

#[test]
fn time_in_which_a_person_is_waited_for_below_is_nobody_s_work() {
    let (mut bench, _, runs) = asked(&["reporter"], 0);
    let before = bench.state.ledger.deadline;
    assert_eq!(bench.put(Input::ChildrenWait), Work::Children(runs.clone(), false));
    bench.clock.advance_millis(3_600_000);
    assert_eq!(bench.put(end(runs[0], RunStatus::Completed)), Work::AskModel);
    assert_eq!(bench.state.ledger.deadline, before.plus_millis(3_600_000));
}

#[test]
fn a_stop_reaches_those_that_were_asked() {
    let (mut bench, _, runs) = asked(&["a", "b"], 0);
    bench.put(end(runs[0], RunStatus::Completed));
    assert_eq!(bench.put(Input::CancelRequested), Work::Nothing);
    assert_eq!(bench.stopped, [runs[1]], "the other one is over");
    assert_eq!(bench.finished, 1);
}

#[test]
fn an_agent_that_may_not_be_asked_is_a_call_that_failed() {
    let mut bench = Bench::new();
    bench.reach_specialist();
    let call = asks(&bench, "gone");
    let id = call.id;
    bench.put(TurnInput::Replied(Box::new(Reply { calls: vec![call], ..Reply::default() })));
    bench.all_fine();
    let work = bench.put(CallInput::Begun(vec![(id, Err(fault(FaultKind::Deterministic)))]));
    assert_eq!((work, bench.begun.len()), (Work::AskModel, 0));
    assert!(bench.events.iter().any(|event| matches!(event, EventBody::ToolResult { ok: false, .. })));
}
