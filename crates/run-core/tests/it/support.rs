//! A hand-cranked driver that keeps state, rows and events as a store would.

use std::collections::HashMap;

use adagent_contract::{
    ApprovalStatus, CallResult, DecidedBy, EventBody, ModelTier, Path, Preview, PreviewKind, Risk, UiHints,
};
use adagent_domain::{
    ApprovalId, ChatSessionId, Clock as _, ManualClock, Network, RunId, SequentialIds, Source, Timestamp, ToolCallId,
};
use adagent_run_core::*;
use serde_json::{Value as Json, json};

/// What a turn waits for. It waits for one thing at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Work {
    Route,
    LoadEntities {
        refresh: bool,
    },
    Retrieve,
    AskModel,
    Verify,
    Check(Vec<ToolCallId>),
    Read(Vec<ToolCallId>),
    Sketch(Vec<ToolCallId>),
    Send(ToolCallId),
    Probe(ToolCallId),
    Until(Timestamp),
    AwaitPeople,
    Begin(Vec<ToolCallId>),
    /// Other runs, and people as well if the flag is set.
    Children(Vec<RunId>, bool),
    Nothing,
}

pub fn outstanding(state: &Turn) -> Work {
    use adagent_run_core::Work as Item;
    let Outstanding { mut now, until, people, children } = state.outstanding();
    assert!(now.len() <= 1, "a turn does one thing at a time");
    if !children.is_empty() {
        assert!(now.is_empty() && until.is_none(), "what others work on is waited for last");
        return Work::Children(children, people);
    }
    match (now.pop(), until, people) {
        (Some(Item::Own(TurnJob::Route)), None, false) => Work::Route,
        (Some(Item::Own(TurnJob::LoadEntities { refresh })), None, false) => Work::LoadEntities { refresh },
        (Some(Item::Own(TurnJob::Retrieve)), None, false) => Work::Retrieve,
        (Some(Item::Own(TurnJob::AskModel)), None, false) => Work::AskModel,
        (Some(Item::Own(TurnJob::Verify)), None, false) => Work::Verify,
        (Some(Item::Calls(CallWork::Check(ids))), None, false) => Work::Check(ids),
        (Some(Item::Calls(CallWork::Begin(ids))), None, false) => Work::Begin(ids),
        (Some(Item::Calls(CallWork::Read(ids))), None, false) => Work::Read(ids),
        (Some(Item::Calls(CallWork::Sketch(ids))), None, false) => Work::Sketch(ids),
        (Some(Item::Calls(CallWork::Send(id))), None, false) => Work::Send(id),
        (Some(Item::Calls(CallWork::Probe(id))), None, false) => Work::Probe(id),
        (None, Some(until), false) => Work::Until(until),
        (None, None, true) => Work::AwaitPeople,
        (None, None, false) => Work::Nothing,
        other => panic!("two things at a time: {other:?}"),
    }
}

pub fn load(text: &str) -> Result<Turn, StateError> {
    from_text(text)
}

pub struct Bench {
    pub state: Turn,
    pub events: Vec<EventBody>,
    pub rows: HashMap<ToolCallId, CallMark>,
    /// The results of calls, as the store keeps them.
    pub results: HashMap<ToolCallId, CallResult>,
    pub asked: Vec<Ask>,
    /// The runs that it began. Those that it stopped are in `stopped`.
    pub begun: Vec<Child>,
    pub stopped: Vec<RunId>,
    pub finished: u32,
    pub answer: Option<String>,
    pub clock: ManualClock,
    pub ids: SequentialIds,
}

impl Bench {
    pub fn new() -> Self {
        let clock = ManualClock::at("2026-11-21T09:00:00Z".parse::<Timestamp>().unwrap());
        let ids = SequentialIds::default();
        let limits = Limits::default();
        let state = Turn::new(Ledger::new(format!("/chat/{}", ChatSessionId::new(&ids)), limits, clock.now()));
        Self {
            state,
            events: Vec::new(),
            rows: HashMap::new(),
            results: HashMap::new(),
            asked: Vec::new(),
            begun: Vec::new(),
            stopped: Vec::new(),
            finished: 0,
            answer: None,
            clock,
            ids,
        }
    }

    pub fn put(&mut self, input: impl Into<Input<TurnInput>>) -> Work {
        self.try_put(input).unwrap()
    }

    pub fn try_put(&mut self, input: impl Into<Input<TurnInput>>) -> Result<Work, StepError> {
        // Write the state as text and load it again, as a store would.
        let stored = load(&to_text(&self.state)).unwrap();
        let (state, effects) = step(stored, input.into(), self.clock.now(), &self.ids)?;
        self.state = state;
        for effect in effects {
            match effect {
                Effect::Emit(event) => self.events.push(event),
                Effect::InsertCall { id, .. } => assert!(self.rows.insert(id, CallMark::Prepared).is_none()),
                Effect::MoveCall { id, to, result, .. } => {
                    assert!(self.rows.insert(id, to).is_some(), "a row that was never inserted");
                    self.results.extend(result.map(|result| (id, result)));
                }
                Effect::Ask(ask) => self.asked.push(*ask),
                Effect::Finish { answer, .. } => {
                    self.finished += 1;
                    self.answer = answer;
                }
                Effect::Begin(child) => self.begun.push(*child),
                Effect::StopChild(run) => self.stopped.push(run),
                Effect::CancelApproval { .. } | Effect::Spend(_) | Effect::Status(_) => {}
            }
        }
        Ok(outstanding(&self.state))
    }

    pub fn kinds(&self) -> Vec<&'static str> {
        self.events.iter().map(EventBody::kind).collect()
    }

    pub fn reach_specialist(&mut self) {
        assert_eq!(outstanding(&self.state), Work::Route);
        self.put(routed(vec![Network::AdMob], vec![]));
        self.put(TurnInput::EntitiesLoaded { problems: vec![] });
        let tools = vec!["read".into(), "write".into()];
        assert_eq!(self.put(TurnInput::Retrieved(Retrieval { tools })), Work::AskModel);
    }

    /// Lets the model propose calls: names that begin with `w` are writes, all others are reads. Returns their IDs.
    pub fn propose(&mut self, calls: &[(&str, Json)]) -> Vec<ToolCallId> {
        let calls: Vec<_> = calls.iter().map(|(name, args)| self.proposed(name, args)).collect();
        let ids = calls.iter().map(|call| call.id).collect();
        self.put(TurnInput::Replied(Box::new(Reply { calls, model: "test".into(), ..Reply::default() })));
        ids
    }

    pub fn proposed(&self, name: &str, args: &Json) -> Proposed {
        Proposed {
            id: ToolCallId::new(&self.ids),
            name: name.into(),
            args: args.clone(),
            tool: Some((Source::Network(Network::AdMob), !name.starts_with('w'))),
            digest: format!("{name}{args}"),
        }
    }

    pub fn all_fine(&mut self) -> Work {
        let Work::Check(ids) = outstanding(&self.state) else { panic!("{:?}", outstanding(&self.state)) };
        self.put(CallInput::Checked(ids.into_iter().map(|id| (id, Ok(()))).collect()))
    }

    pub fn sketch_all(&mut self) -> Vec<ApprovalId> {
        let Work::Sketch(ids) = outstanding(&self.state) else { panic!("{:?}", outstanding(&self.state)) };
        let before = self.asked.len();
        self.put(CallInput::Sketched(ids.into_iter().map(|id| (id, Ok(Box::new(sketch())))).collect()));
        self.asked[before..].iter().map(|ask| ask.approval).collect()
    }

    pub fn answer(&mut self, approval: ApprovalId, status: ApprovalStatus) -> Work {
        self.put(CallInput::Answered(vec![Answer {
            approval,
            status,
            digest: "approved".into(),
            args: json!({"edited": true}),
            reason: None,
        }]))
    }

    /// Approves exactly the proposed arguments.
    pub fn approve_as_proposed(&mut self, approval: ApprovalId) -> Work {
        let ask = self.asked.iter().find(|ask| ask.approval == approval).unwrap();
        let (status, digest) = (ApprovalStatus::Approved, ask.digest.clone());
        self.put(CallInput::Answered(vec![Answer { approval, status, digest, args: json!(1), reason: None }]))
    }

    pub fn say(&mut self, text: &str) -> Work {
        self.put(TurnInput::Replied(Box::new(Reply { text: text.into(), model: "test".into(), ..Reply::default() })))
    }
}

pub fn routed(services: Vec<Network>, unusable: Vec<Unusable>) -> TurnInput {
    TurnInput::Routed {
        route: Box::new(Route {
            services,
            capability: "reporting".into(),
            path: Path::Reactive,
            tier: ModelTier::Fast,
            confidence: 0.9,
            decided_by: DecidedBy::Local,
            understood: json!({}),
        }),
        thinking: None,
        unusable,
        asked: None,
    }
}

pub fn success() -> Success {
    Success { result: json!({"rows": []}), summary: "0 rows".into(), artifact: None, cached: false, duration_ms: 5 }
}

pub fn sketch() -> Sketched {
    Sketched {
        tool_input: json!({}),
        title: "Create it".into(),
        risk: Risk::Write,
        warnings: vec![],
        preview: Preview::new(PreviewKind::Create, vec![]),
        ui_hints: UiHints::default(),
        parameter_schema: json!({"type": "object"}),
    }
}

pub fn fault(kind: FaultKind) -> Fault {
    Fault::new(kind, "CODE", "It failed.")
}
