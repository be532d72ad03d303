//! Plans of models: the tool with which a hosted model gives a plan, and the steps with the calls that do them.

use adagent_contract::{Plan, PlanStep};
use adagent_llm::{ModelReply, PlanDraft, PlanDraftStep, ProposedCall, ToolSpec};
use adagent_run_core::Proposed;
use serde::Deserialize;
use serde_json::{Value as Json, json};

/// The tool that a hosted model calls to give a plan. We never make a call with this name.
const MAKE_PLAN: &str = "make_plan";

/// Returns the tool as a hosted model sees it, next to the tools of the turn.
pub(super) fn spec() -> ToolSpec {
    ToolSpec {
        name: MAKE_PLAN.into(),
        description: "Use this when the request asks for several changes, or for changes and something after them. Give every step in \
                      order, with the tool and the arguments where you know them. The changes are shown to a person together and are \
                      sent one after the other; if one fails, those after it are not sent."
            .into(),
        input_schema: json!({
            "type": "object",
            "required": ["goal", "steps"],
            "properties": {
                "goal": {"type": "string"},
                "steps": {"type": "array", "minItems": 2, "maxItems": 10, "items": {
                    "type": "object",
                    "required": ["description"],
                    "properties": {
                        "description": {"type": "string"},
                        "tool": {"type": "string"},
                        "arguments": {"type": "object"}
                    }
                }}
            }
        })
        .into(),
        read_only: true,
    }
}

/// The most characters of a step's description.
const MOST_WORDS: usize = 300;
/// The most steps of one plan.
const MOST_STEPS: usize = 10;

#[derive(Deserialize)]
struct Given {
    goal: String,
    steps: Vec<GivenStep>,
}

#[derive(Deserialize)]
struct GivenStep {
    description: String,
    #[serde(default)]
    tool: Option<String>,
    #[serde(default)]
    arguments: Option<Json>,
}

/// Replaces the call that gives a plan with the calls of its steps. The model makes reads that come after a change in its next round. A
/// reply without a plan stays as it is. So does a reply whose plan is unreadable; the model then learns that there is no such tool.
pub(super) fn unfold(mut reply: ModelReply, changes: impl Fn(&str) -> bool) -> ModelReply {
    let Some(at) = reply.calls.iter().position(|call| call.name == MAKE_PLAN) else { return reply };
    let Ok(Given { goal, steps }) = Given::deserialize(&reply.calls[at].args) else { return reply };
    let (mut calls, mut drafted, mut after_change) = (Vec::new(), Vec::new(), false);
    for GivenStep { description, tool, arguments } in steps.into_iter().take(MOST_STEPS) {
        let now = tool.filter(|tool| {
            let change = changes(tool);
            after_change |= change;
            change || !after_change
        });
        let call = now.map(|name| {
            calls.push(ProposedCall { id: None, name, args: arguments.unwrap_or_else(|| json!({})) });
            calls.len() - 1
        });
        let says = line(&description);
        drafted.push(PlanDraftStep { says, call, calls: call.into_iter().collect(), note: None, unmade: false });
    }
    if calls.is_empty() {
        return reply;
    }
    // Keep the calls that came next to the plan.
    calls.extend(reply.calls.drain(..).filter(|call| call.name != MAKE_PLAN));
    reply.calls = calls;
    reply.plan = Some(PlanDraft { goal, steps: drafted });
    reply
}

/// Returns a model's words for a step as one line.
fn line(text: &str) -> String {
    let words: String = adagent_domain::text::visible(text).split_whitespace().collect::<Vec<_>>().join(" ");
    words.chars().take(MOST_WORDS).collect()
}

/// Returns the steps with the calls that do them: those of this reply, and those of earlier replies.
pub(super) fn steps_of(draft: PlanDraft, before: Option<&Plan>, calls: &[Proposed]) -> Plan {
    let id = |call: usize| calls.get(call).map(|call| call.id);
    let steps = draft.steps.into_iter().enumerate().map(|(at, draft)| {
        let known = before.and_then(|plan| plan.steps.get(at));
        let mut calls = known.map(|step| step.calls.clone()).unwrap_or_default();
        calls.extend(draft.calls.into_iter().filter_map(id));
        PlanStep {
            says: draft.says,
            tool_call_id: draft.call.and_then(id).or_else(|| known.and_then(|step| step.tool_call_id)),
            calls,
            note: draft.note,
            unmade: draft.unmade,
        }
    });
    Plan { goal: draft.goal, steps: steps.collect() }
}

#[cfg(test)]
mod tests {
    use adagent_llm::{StopReason, Usage};

    use super::*;

    fn reply(args: Json) -> ModelReply {
        ModelReply {
            text: String::new(),
            calls: vec![ProposedCall { id: None, name: MAKE_PLAN.into(), args }],
            plan: None,
            artifacts: Vec::new(),
            method: Vec::new(),
            covers: None,
            follow_ups: Vec::new(),
            usage: Usage::default(),
            stop: StopReason::ToolCalls,
            model: "hosted".into(),
        }
    }

    #[test]
    fn a_plan_becomes_its_calls_and_what_reads_after_a_change_waits() {
        let step = |tool: &str| json!({"description": format!("Do {tool}"), "tool": tool, "arguments": {"of": tool}});
        let given = json!({"goal": "All", "steps": [step("read_a"), step("write_b"), step("read_c"), step("write_d")]});
        let reply = unfold(reply(given), |tool| tool.starts_with("write"));
        let names: Vec<_> = reply.calls.iter().map(|call| call.name.as_str()).collect();
        assert_eq!(names, ["read_a", "write_b", "write_d"]);
        let calls: Vec<_> = reply.plan.unwrap().steps.into_iter().map(|step| step.call).collect();
        assert_eq!(calls, [Some(0), Some(1), None, Some(2)]);
    }

    #[test]
    fn what_is_no_plan_stays_a_call_that_does_not_exist() {
        for args in
            [json!({}), json!({"goal": 1, "steps": []}), json!({"goal": "x", "steps": [{"description": "think"}]})]
        {
            let reply = unfold(reply(args), |_| true);
            assert_eq!((reply.calls[0].name.as_str(), reply.plan), (MAKE_PLAN, None));
        }
    }
}
