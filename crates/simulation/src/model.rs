//! A model that follows the script named in the question, and an understanding that reads every message in the same way.

use adagent_domain::Network;
use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use adagent_contract::{ASK_AGENT, ModelTier};
use adagent_llm::{
    Checked, Delta, Judgment, Model, ModelError, ModelMessage, ModelReply, ModelRequest, Models, PlanDraft,
    PlanDraftStep, ProposedCall, Question, Routing, StopReason, TextSink, Understanding, Usage,
};
use adagent_tools::ToolInfo;
use async_trait::async_trait;
use serde_json::{Value as Json, json};

use crate::{
    network::{READS, WRITE},
    plan::{Flow, ModelFate, fate},
    process::Process,
    sim::Sim,
};

/// Counts the requests of all processes.
#[derive(Debug, Default)]
pub struct Asked(AtomicU64);

/// The model as one process reaches it.
#[derive(Clone)]
pub struct SimModel {
    pub(crate) sim: Arc<Sim>,
    pub(crate) process: Arc<Process>,
    pub(crate) asked: Arc<Asked>,
}

impl Models for SimModel {
    fn model(&self, _: ModelTier, _: Option<&str>) -> Arc<dyn Model> {
        Arc::new(self.clone())
    }
}

fn calls(list: &[(&str, Json)]) -> ModelReply {
    let proposed = list.iter().map(|(name, args)| ProposedCall { id: None, name: (*name).into(), args: args.clone() });
    ModelReply {
        text: String::new(),
        calls: proposed.collect(),
        plan: None,
        artifacts: vec![],
        method: vec![],
        covers: None,
        follow_ups: vec![],
        usage: Usage { input_tokens: 10, output_tokens: 5, cost_micros: 1, estimated: false },
        stop: StopReason::ToolCalls,
        model: "scripted".into(),
    }
}

/// Returns the same calls as the steps of a plan.
fn planned(reply: ModelReply) -> ModelReply {
    let steps = (0..reply.calls.len()).map(|call| PlanDraftStep {
        says: format!("Step {call}"),
        call: Some(call),
        calls: vec![call],
        note: None,
        unmade: false,
    });
    let plan = PlanDraft { goal: "Both".into(), steps: steps.collect() };
    ModelReply { plan: Some(plan), ..reply }
}

fn says(text: &str) -> ModelReply {
    ModelReply { text: text.into(), stop: StopReason::End, ..calls(&[]) }
}

/// Returns the script's reply after this many turns with calls. Objects are named after the question, so that no two have the same name.
fn reply(flow: Flow, question: &str, turn: usize) -> ModelReply {
    let read = |what: usize| (READS[what % READS.len()], json!({"of": what}));
    let group = |name: &str| (WRITE, json!({"name": format!("{question} {name}"), "app": "app-1"}));
    let ask = |agent: &str, flow: Flow| {
        (ASK_AGENT, json!({"agent": agent, "task": format!("{} {question} {agent}", flow.name())}))
    };
    let done = || says("That is done. It is all there.");
    match (flow, turn) {
        (Flow::Read | Flow::ReadThenWrites | Flow::Reroute, 0) | (Flow::Malformed, 1) => calls(&[read(0)]),
        (Flow::ManyReads, 0) => calls(&[read(0), read(1), read(2)]),
        (Flow::Write, 0) | (Flow::Repeats, 0 | 1) | (Flow::Ungrounded | Flow::Invalid | Flow::ReadThenWrites, 1) => {
            calls(&[group("a")])
        }
        (Flow::TwoWrites, 0) => calls(&[group("a"), group("b")]),
        (Flow::Planned, 0) => planned(calls(&[group("a"), group("b")])),
        (Flow::Delegated, 0) => calls(&[ask("a", Flow::Write), ask("b", Flow::TwoWrites), read(0)]),
        (Flow::HandedOn, 0) => calls(&[ask("c", Flow::Delegated), group("d")]),
        (Flow::Mixed, 0) => calls(&[read(0), group("a")]),
        (Flow::ReadThenWrites, 2) => calls(&[group("b")]),
        (Flow::Malformed, 0) => calls(&[("no_such_tool", json!({}))]),
        (Flow::Invalid, 0) => calls(&[(WRITE, json!({"name": 7}))]),
        (Flow::Ungrounded, 0) => calls(&[(WRITE, json!({"name": "x", "app": "made-up"}))]),
        (Flow::Stubborn, turn) if turn < 6 => calls(&[(WRITE, json!({"name": format!("bad {question} {turn}")}))]),
        (Flow::Reroute, _) => says("This belongs to other tools."),
        _ => done(),
    }
}

#[async_trait]
impl Model for SimModel {
    fn id(&self) -> &'static str {
        "scripted"
    }

    async fn complete(&self, request: &ModelRequest, sink: &mut dyn TextSink) -> Result<ModelReply, ModelError> {
        let nth = self.asked.0.fetch_add(1, Ordering::Relaxed);
        let how = if self.sim.is_calm() { None } else { fate(&self.sim.plan.asked, nth) };
        self.sim.note(&self.process.name, || format!("asks the model: {}", request.planner.question));
        self.sim.cross(&self.process).await;
        match how.unwrap_or(ModelFate::Works) {
            ModelFate::Works => {}
            ModelFate::Busy => return Err(ModelError::RateLimited { retry_after_ms: Some(700) }),
            ModelFate::Unavailable => return Err(ModelError::unavailable("it is down")),
            ModelFate::Malformed => return Err(ModelError::Malformed("no JSON".into())),
            ModelFate::Rejected => return Err(ModelError::Rejected("no".into())),
            ModelFate::Slow { ms } => tokio::time::sleep(Duration::from_millis(ms)).await,
        }
        let question = &request.planner.question;
        let with_calls =
            |message: &&ModelMessage| matches!(message, ModelMessage::Assistant { calls, .. } if !calls.is_empty());
        let turn = request.messages.iter().filter(with_calls).count();
        let reply = reply(Flow::of(question), question, turn);
        for sentence in reply.text.split_inclusive(". ") {
            sink.push(Delta::Text(sentence.into())).await;
            tokio::time::sleep(Duration::from_millis(self.sim.chance.between(0, 120))).await;
            self.sim.cross(&self.process).await;
        }
        Ok(reply)
    }
}

/// An understanding that routes every message in the same way, except talk.
pub struct Plain;

impl Understanding for Plain {
    fn route(&self, question: &Question) -> Routing {
        if Flow::of(&question.text) == Flow::Talk {
            return Routing::to(Vec::new(), "assistant");
        }
        Routing::to(vec![Network::AdMob], "mediation")
    }

    fn retrieve(&self, _: &Json, tools: &[Arc<ToolInfo>]) -> Vec<String> {
        tools.iter().map(|tool| tool.name.clone()).collect()
    }

    fn verify(&self, checked: &Checked<'_>) -> Judgment {
        if checked.answer.contains("other tools") {
            Judgment::Misrouted { why: "Other tools are needed.".into() }
        } else {
            Judgment::Holds
        }
    }
}
