//! With any input in any order: the run sends no write without approval, ends once and does nothing after that, and emits events in a
//! sensible order.

use std::collections::{HashMap, HashSet};

use adagent_contract::{ApprovalStatus, EventBody, Plan, PlanStep};
use adagent_domain::{ApprovalId, Clock as _, Timestamp, ToolCallId};
use adagent_run_core::*;
use proptest::prelude::*;
use serde_json::json;

use crate::support::{Bench, Work, fault, outstanding, routed, sketch, success};

const KINDS: [FaultKind; 11] = [
    FaultKind::Retryable,
    FaultKind::Deterministic,
    FaultKind::Invalid,
    FaultKind::Ungrounded,
    FaultKind::NotConnected,
    FaultKind::Disabled,
    FaultKind::AuthFailed,
    FaultKind::OutOfContext,
    FaultKind::UnknownOutcome,
    FaultKind::Duplicate,
    FaultKind::UnknownTool,
];

fn outcome(dice: u8) -> Result<Success, Fault> {
    if dice.is_multiple_of(3) { Err(fault(KINDS[usize::from(dice / 3) % KINDS.len()])) } else { Ok(success()) }
}

/// Returns a valid input for the outstanding work, chosen by the dice.
fn input_for(bench: &Bench, work: &Work, dice: u8) -> Option<Input<TurnInput>> {
    match work {
        _ if dice == 211 => Some(Input::Broke { step: "any".into() }),
        Work::Until(_) => Some(Input::Due),
        _ => own_for(bench, work, dice).map(Input::Own).or_else(|| call_for(bench, work, dice).map(Input::Call)),
    }
}

fn own_for(bench: &Bench, work: &Work, dice: u8) -> Option<TurnInput> {
    Some(match work {
        Work::Route => routed(vec![adagent_domain::Network::AdMob], vec![]),
        Work::LoadEntities { .. } => TurnInput::EntitiesLoaded { problems: vec![] },
        Work::Retrieve => TurnInput::Retrieved(Retrieval::default()),
        Work::AskModel if dice.is_multiple_of(17) => {
            TurnInput::ModelFailed { stop: Stop::Model { message: "gone".into(), retryable: true }, asked: None }
        }
        Work::AskModel if dice % 4 == 1 => {
            let text = if dice.is_multiple_of(5) { "" } else { "An answer." };
            TurnInput::Replied(Box::new(Reply { text: text.into(), ..Reply::default() }))
        }
        Work::AskModel => {
            let planned = dice & 2 == 0;
            let calls: Vec<_> = (0..=dice % 3 + u8::from(planned))
                .map(|i| {
                    let name = if (dice >> i) & 4 == 0 && !planned { "read" } else { "write" };
                    let mut call = bench.proposed(name, &json!({ "n": dice / 4 + i }));
                    if dice.is_multiple_of(23) {
                        call.tool = None;
                    }
                    call
                })
                .collect();
            let step = |call: &Proposed| PlanStep {
                says: "A step".into(),
                tool_call_id: Some(call.id),
                calls: Vec::new(),
                note: None,
                unmade: false,
            };
            let plan = planned.then(|| Plan {
                goal: "All".into(),
                // Two steps may use the same call.
                steps: calls.iter().chain(calls.first()).map(step).collect(),
            });
            TurnInput::Replied(Box::new(Reply { calls, plan, ..Reply::default() }))
        }
        Work::Verify => TurnInput::Verified(match dice % 5 {
            0 => Verdict::Incomplete { guidance: "more".into(), blocking: dice.is_multiple_of(2) },
            1 => Verdict::Reroute { why: "elsewhere".into() },
            2 => Verdict::RefreshEntities,
            _ => Verdict::Complete,
        }),
        _ => return None,
    })
}

fn call_for(bench: &Bench, work: &Work, dice: u8) -> Option<CallInput> {
    Some(match work {
        Work::Check(ids) => CallInput::Checked(
            ids.iter()
                .enumerate()
                .map(|(i, id)| (*id, outcome(dice.wrapping_add(u8::try_from(i).unwrap_or(0))).map(|_| ())))
                .collect(),
        ),
        Work::Read(ids) => CallInput::Read(ids.iter().rev().map(|id| (*id, outcome(dice))).collect()),
        Work::Sketch(ids) => {
            CallInput::Sketched(ids.iter().map(|id| (*id, outcome(dice).map(|_| Box::new(sketch())))).collect())
        }
        Work::Send(id) => match bench.state.call(*id).map(|call| &call.state) {
            Some(CallState::Approved { .. }) => CallInput::Sending(*id, None),
            _ => CallInput::Sent(*id, Box::new(outcome(dice))),
        },
        Work::Probe(id) => CallInput::Probed(
            *id,
            Box::new(match dice % 3 {
                0 => Found::Happened { result: json!({}), summary: "there".into() },
                1 => Found::DidNotHappen { looked_at: "the list".into() },
                _ => Found::CannotTell { why: "no reply".into() },
            }),
        ),
        Work::AwaitPeople => {
            let waiting: Vec<_> =
                bench.state.ledger.waiting_approvals().map(|(id, call)| (id, call.digest.clone())).collect();
            let (approval, digest) = waiting[usize::from(dice) % waiting.len()].clone();
            let status =
                [ApprovalStatus::Approved, ApprovalStatus::Denied, ApprovalStatus::Expired, ApprovalStatus::Cancelled]
                    [usize::from(dice % 4)];
            CallInput::Answered(vec![Answer {
                approval,
                status,
                // Edit the arguments now and then.
                digest: if dice.is_multiple_of(7) { format!("edited {approval}") } else { digest },
                args: json!({}),
                reason: None,
            }])
        }
        _ => return None,
    })
}

#[derive(Default)]
struct Watch {
    approved: HashMap<ToolCallId, ApprovalId>,
    used: HashSet<ApprovalId>,
    sent: HashSet<ToolCallId>,
    /// Writes on their way, by call: what was sent, and until when it may take effect after its outcome was lost.
    leaving: HashMap<ToolCallId, (String, Option<Timestamp>)>,
    /// Writes that may have taken effect, with the last call that sent each of them.
    doubtful: HashMap<String, ToolCallId>,
    asks: usize,
}

impl Watch {
    /// Checks that an approval is used for one send at most, and that changes of a plan are sent in order.
    fn before(&mut self, bench: &Bench, input: &Input<TurnInput>) {
        match input {
            Input::Call(CallInput::Answered(answers)) => {
                for answer in answers {
                    if answer.status == ApprovalStatus::Approved
                        && let Some((_, call)) =
                            bench.state.ledger.waiting_approvals().find(|(a, _)| *a == answer.approval)
                    {
                        self.approved.insert(call.id, answer.approval);
                    }
                }
            }
            Input::Call(CallInput::Sending(id, _)) => {
                let approval = self.approved.remove(id).expect("a write was to be sent without an approval");
                assert!(self.used.insert(approval), "an approval was used twice");
                let call = bench.state.call(*id).expect("it is sent");
                let digest = call.digest.clone();
                let mut before = call.after;
                while let Some(earlier) = before.and_then(|id| bench.state.call(id)) {
                    assert!(earlier.is_settled(), "a step left before the one before it was settled");
                    let failed = matches!(earlier.state, CallState::Failed { .. } | CallState::Unknown { .. });
                    assert!(
                        !failed || !earlier.was_asked() && !self.sent.contains(&earlier.id),
                        "a broken plan went on"
                    );
                    before = earlier.after;
                }
                self.sent.insert(*id);
                self.leaving.insert(*id, (digest, None));
            }
            _ => {}
        }
    }

    /// Checks that a write that may have happened is never called failed or declined, and that nobody is asked about it again too early or
    /// without a warning.
    fn after(&mut self, bench: &Bench, input: &Input<TurnInput>) {
        let late = bench.clock.now().plus_millis(bench.state.ledger.limits.settle_ms);
        match input {
            Input::Call(CallInput::Sent(id, outcome)) => match &**outcome {
                Err(fault) if fault.kind == FaultKind::UnknownOutcome => {
                    self.leaving.get_mut(id).expect("it left").1 = Some(late);
                }
                _ => drop(self.leaving.remove(id)),
            },
            Input::Resumed { .. } => self.leaving.values_mut().for_each(|left| left.1 = left.1.or(Some(late))),
            Input::Call(CallInput::Probed(id, found)) => match &**found {
                Found::Happened { .. } => drop(self.leaving.remove(id)),
                _ if bench.state.call(*id).is_some_and(|call| matches!(call.state, CallState::Probing { .. })) => {}
                other => {
                    let (digest, until) = self.leaving.remove(id).expect("it left");
                    assert!(
                        until.is_some_and(|until| until <= bench.clock.now()),
                        "given up while it may be on its way"
                    );
                    if matches!(other, Found::CannotTell { .. }) {
                        self.doubtful.insert(digest, *id);
                    }
                }
            },
            _ => {}
        }
        for ask in &bench.asked[self.asks..] {
            let warned = ask.sketch.warnings.iter().any(|warning| warning.contains("couldn't find out"));
            let doubtful = self.doubtful.get(&ask.digest);
            assert!(doubtful.is_none() || warned, "asked again without a word: {ask:?}");
            assert!(doubtful.is_none_or(|by| *by == ask.call), "proposed again: {ask:?}");
        }
        self.asks = bench.asked.len();
        for id in self.doubtful.values() {
            assert!(!matches!(bench.rows[id], CallMark::Failed | CallMark::Denied), "{:?}", bench.state.call(*id));
        }
    }
}

fn check_events(events: &[EventBody], over: bool) {
    let done = events.iter().filter(|e| matches!(e, EventBody::Done { .. })).count();
    assert_eq!(done, usize::from(over), "done exactly once, and only at the end");
    if over {
        assert!(matches!(events.last(), Some(EventBody::Done { .. })));
    }
    let (mut started, mut settled, mut asked) = (HashSet::new(), HashSet::new(), HashSet::new());
    for event in events {
        match event {
            EventBody::Tool { tool_call_id, .. } => {
                started.insert(*tool_call_id);
                assert!(!settled.contains(tool_call_id), "a settled call began again");
            }
            EventBody::ToolResult { tool_call_id, .. } | EventBody::ToolDenied { tool_call_id, .. } => {
                assert!(started.contains(tool_call_id), "a result without a call");
                assert!(settled.insert(*tool_call_id), "two results of one call");
            }
            EventBody::ToolApprovalRequired { approval_id, tool_call_id, .. } => {
                assert!(started.contains(tool_call_id));
                assert!(asked.insert(*approval_id));
            }
            EventBody::ToolApprovalAnswered { approval_id, .. } => assert!(asked.contains(approval_id)),
            _ => {}
        }
    }
    if over {
        assert_eq!(started, settled, "a call was left open");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]
    #[test]
    fn whatever_happens_no_write_goes_out_unasked_and_every_run_ends_once(dice in prop::collection::vec(any::<(u8, u8)>(), 1..120)) {
        let mut bench = Bench::new();
        let mut watch = Watch::default();
        for (chance, dice) in dice {
            let work = outstanding(&bench.state);
            if work == Work::Nothing {
                break;
            }
            if let Work::Until(until) = work {
                bench.clock.advance_millis(until.millis_since(bench.clock.now()));
            }
            let input = match chance {
                0..=3 => Input::CancelRequested,
                4..=6 if work != Work::AwaitPeople => Input::DeadlineReached,
                7..=40 => Input::Resumed { idle_ms: 0 },
                41..=44 => TurnInput::Verified(Verdict::Complete).into(),
                _ => input_for(&bench, &work, dice).expect("something is outstanding"),
            };
            watch.before(&bench, &input);
            let before = bench.state.clone();
            if bench.try_put(input.clone()).is_err() {
                prop_assert_eq!(&before, &bench.state, "a refused input changed the state");
            } else {
                watch.after(&bench, &input);
            }
            check_events(&bench.events, bench.state.ledger.outcome.is_some());
        }
        // With friendly answers from here on, every run ends.
        let mut steps = 0;
        while bench.state.ledger.outcome.is_none() {
            let work = outstanding(&bench.state);
            if let Work::Until(until) = work {
                bench.clock.advance_millis(until.millis_since(bench.clock.now()));
            }
            let input = match &work {
                Work::AskModel => {
                    TurnInput::Replied(Box::new(Reply { text: "Done.".into(), ..Reply::default() })).into()
                }
                Work::Verify => TurnInput::Verified(Verdict::Complete).into(),
                _ => input_for(&bench, &work, 4).expect("something is outstanding"),
            };
            watch.before(&bench, &input);
            bench.put(input.clone());
            watch.after(&bench, &input);
            steps += 1;
            prop_assert!(steps < 200, "stuck at {:?}", work);
        }
        check_events(&bench.events, true);
        prop_assert_eq!(bench.finished, 1);
    }
}
