//! A store, a person, a network and a scripted model, with workers that can be killed at any commit.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use adagent_contract::{AnswerRequest, ApprovalStatus, EventBody, ModelTier, RunEvent, RunStatus, TurnView, fold};
use adagent_domain::{Actor, Network, Role, RunId};
use adagent_llm::{
    Checked, Delta, Judgment, LOCAL_MODEL, Model, ModelError, ModelMessage, ModelReply, ModelRequest, Models,
    PlanDraft, PlanDraftStep, PlannerContext, ProposedCall, Question, Routing, StopReason, TextSink, Understanding,
    Usage,
};
use adagent_runtime::{
    Advanced, AnswerError, CutPoint, Cuts, Runtime, RuntimeConfig, RuntimeDeps, answer, stop_open_runs,
};
use adagent_store::{ChatSession, Store, User, Wake};
use adagent_testkit::fixtures::{Must, World as Base};
use adagent_tools::ToolInfo;
use async_trait::async_trait;
use serde_json::{Value as Json, json};

use crate::network::FakeNetwork;

pub type Script = Arc<dyn Fn(&ModelRequest) -> ModelReply + Send + Sync>;

pub struct Scripted {
    pub script: Script,
    pub asked: AtomicUsize,
    /// The wait between two words.
    pub pace: Option<Duration>,
    /// Whether text next to calls is sent as thinking, as the local planner does.
    pub thinks: bool,
}

#[async_trait]
impl Model for Scripted {
    fn id(&self) -> &'static str {
        "scripted"
    }

    async fn complete(&self, request: &ModelRequest, sink: &mut dyn TextSink) -> Result<ModelReply, ModelError> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let reply = (self.script)(request);
        for word in reply.text.split_inclusive(' ') {
            let aloud = if self.thinks && !reply.calls.is_empty() { Delta::Thinking } else { Delta::Text };
            sink.push(aloud(word.into())).await;
            if let Some(pace) = self.pace {
                tokio::time::sleep(pace).await;
            }
        }
        Ok(reply)
    }
}

/// The scripted model as the planner of this program, which hears of other agents only where a message may name one.
struct Local(Arc<Scripted>);

#[async_trait]
impl Model for Local {
    fn id(&self) -> &'static str {
        LOCAL_MODEL
    }

    async fn complete(&self, request: &ModelRequest, sink: &mut dyn TextSink) -> Result<ModelReply, ModelError> {
        self.0.complete(request, sink).await
    }
}

struct Only(Arc<dyn Model>);

impl Models for Only {
    fn model(&self, _: ModelTier, _: Option<&str>) -> Arc<dyn Model> {
        Arc::clone(&self.0)
    }
}

/// Understands everything in the same way, with this confidence.
struct Plain(f64);

impl Understanding for Plain {
    fn route(&self, _: &Question) -> Routing {
        Routing { confidence: self.0, ..Routing::to(vec![Network::AdMob], "mediation") }
    }

    fn may_hand_on(&self, text: &str) -> bool {
        text.contains('@')
    }

    fn second_opinion(&self, question: &Question) -> Option<ModelRequest> {
        Some(ModelRequest {
            tier: ModelTier::Fast,
            system: "You route questions.".into(),
            messages: vec![ModelMessage::User { content: question.text.clone() }],
            tools: Vec::new(),
            max_output_tokens: 400,
            planner: PlannerContext::default(),
        })
    }

    fn merged(&self, local: &Routing, reply: &str) -> Result<Routing, String> {
        let said: serde_json::Value = serde_json::from_str(reply).map_err(|error| error.to_string())?;
        let capability = said["capability"].as_str().ok_or("no capability")?.to_owned();
        let confidence = said["confidence"].as_f64().unwrap_or(local.confidence);
        let thinking = said["reason"].as_str().unwrap_or_default().to_owned();
        Ok(Routing { capability, confidence, thinking, ..local.clone() })
    }

    fn retrieve(&self, _: &Json, tools: &[Arc<ToolInfo>]) -> Vec<String> {
        tools.iter().map(|tool| tool.name.clone()).collect()
    }

    fn verify(&self, _: &Checked<'_>) -> Judgment {
        Judgment::Holds
    }
}

/// Dies at this cut point, counted from 0.
pub struct DieAt {
    at: usize,
    seen: AtomicUsize,
}

impl DieAt {
    pub fn new(at: usize) -> Arc<Self> {
        Arc::new(Self { at, seen: AtomicUsize::new(0) })
    }

    pub fn died(&self) -> bool {
        self.seen.load(Ordering::SeqCst) > self.at
    }
}

impl Cuts for DieAt {
    fn dies_at(&self, _: CutPoint) -> bool {
        self.seen.fetch_add(1, Ordering::SeqCst) >= self.at
    }
}

pub struct World {
    pub base: Base,
    pub person: User,
    pub chat: ChatSession,
    pub network: Arc<FakeNetwork>,
    pub model: Arc<Scripted>,
    pub config: RuntimeConfig,
    /// The confidence of the rules in their route.
    pub sure: f64,
    /// Whether the model is the planner of this program instead of a hosted one.
    pub local: bool,
}

impl World {
    pub async fn new(store: Arc<dyn Store>, script: Script) -> Self {
        let base = Base::new(store);
        let person = base.person("ann").await;
        Self::of(base, person, script).await
    }

    /// Makes another chat of the same person, with its own network and model.
    pub async fn of(base: Base, person: User, script: Script) -> Self {
        let chat = base.chat(&person, "Revenue").await;
        // Commit every step separately, so that every commit can be cut.
        let config = RuntimeConfig { flush_after: Duration::ZERO, ..RuntimeConfig::default() };
        let model = Arc::new(Scripted { script, asked: AtomicUsize::new(0), pace: None, thinks: false });
        Self { base, person, chat, network: Arc::default(), model, config, sure: 1.0, local: false }
    }

    pub fn deps(&self, owner: &str, cuts: Option<Arc<dyn Cuts>>) -> RuntimeDeps {
        let model = Arc::clone(&self.model);
        let model: Arc<dyn Model> = if self.local { Arc::new(Local(model)) } else { model };
        RuntimeDeps {
            store: Arc::clone(&self.base.store) as _,
            tools: Arc::clone(&self.network) as _,
            gateway: Arc::clone(&self.network) as _,
            models: Arc::new(Only(model)),
            understanding: Arc::new(Plain(self.sure)),
            clock: Arc::clone(&self.base.clock) as _,
            ids: Arc::clone(&self.base.ids) as _,
            config: Arc::new(RuntimeConfig { owner: owner.into(), ..self.config.clone() }),
            flows: None,
            cuts,
        }
    }

    pub fn runtime(&self, owner: &str) -> Runtime {
        Runtime::new(self.deps(owner, None))
    }

    pub fn actor(&self) -> Actor {
        Actor { user: self.person.id, workspace: self.person.personal_workspace, role: Role::Owner, personal: true }
    }

    /// Stores message, run, first event and wake in one transaction, as the service does.
    pub async fn ask(&self, content: &str) -> RunId {
        let run = self.base.new_run(&self.chat);
        let mut work = self.base.begin().await;
        work.insert_run(&run).await.must();
        work.insert_message(&Base::new_message(&run, content)).await.must();
        let turn = run.turn().expect("it answers a message");
        let started = EventBody::RunStarted {
            session_id: turn.session,
            message_id: turn.message,
            model: run.model.clone(),
            settings: None,
            agent: None,
        };
        work.append_events_unleased(run.id, self.base.now(), &[started]).await.must();
        work.wake(Wake::Work);
        work.commit().await.must();
        run.id
    }

    pub async fn events(&self, run: RunId) -> Vec<RunEvent> {
        let events = self.base.store.list_events(run, 0, 10_000).await.must();
        for (index, event) in events.iter().enumerate() {
            assert_eq!(event.seq, index as u64 + 1, "events have a gap");
        }
        let done = events.iter().filter(|event| matches!(event.body, EventBody::Done { .. })).count();
        let over = self.status(run).await.is_final();
        assert_eq!(done, usize::from(over), "done exactly when it is over: {:?}", kinds(&events));
        if over {
            assert_eq!(events.last().map(|event| event.body.kind()), Some("done"));
        }
        events
    }

    pub async fn view(&self, run: RunId) -> TurnView {
        fold(run, &self.events(run).await)
    }

    pub async fn status(&self, run: RunId) -> RunStatus {
        self.base.store.find_run_unscoped(run).await.must().expect("the run").status
    }

    pub async fn pending(&self) -> Vec<adagent_contract::ApprovalView> {
        let (workspace, user) = (self.person.personal_workspace, self.person.id);
        let records = self
            .base
            .store
            .list_approvals(workspace, adagent_store::Whose::own(user), Some(ApprovalStatus::Pending), None, 100)
            .await
            .must();
        records.into_iter().rev().map(|record| record.view).collect()
    }

    pub async fn answer(&self, request: AnswerRequest) -> Result<RunId, AnswerError> {
        answer(&self.deps("web", None), &self.actor(), "Ann", request).await
    }

    /// Withdraws everything that waits and stops the person's runs, as when the person is removed from the workspace.
    pub async fn stop_all(&self) -> Vec<RunId> {
        let (deps, actor) = (self.deps("web", None), self.actor());
        let mut work = self.base.begin().await;
        let gone = stop_open_runs(&deps, &mut *work, actor.workspace, Some(actor.user), actor.user, "Ann", "Removed.");
        let gone = gone.await.must();
        work.commit().await.must();
        gone
    }

    pub fn written(&self) -> Vec<Json> {
        self.network.lock().written.iter().map(|(_, args)| args.clone()).collect()
    }

    /// Lets a killed worker's lease run out. No worker runs for longer than a run may work.
    pub fn outlive_leases(&self) {
        self.base.clock.advance_millis(600_000);
    }
}

pub fn kinds(events: &[RunEvent]) -> Vec<&'static str> {
    events.iter().map(|event| event.body.kind()).collect()
}

pub fn idle(advanced: &[Advanced]) -> bool {
    advanced.iter().all(|one| !matches!(one, Advanced::LetGo(_)))
}

pub fn yes(approval: adagent_domain::ApprovalId) -> AnswerRequest {
    AnswerRequest { approval_id: approval, approved: true, edited_args: None, reason: None, remember: None }
}

pub fn no(approval: adagent_domain::ApprovalId) -> AnswerRequest {
    AnswerRequest { approved: false, reason: Some("Not today.".into()), ..yes(approval) }
}

pub fn calls(list: &[(&str, Json)]) -> ModelReply {
    ModelReply {
        text: String::new(),
        calls: list
            .iter()
            .map(|(name, args)| ProposedCall { id: None, name: (*name).into(), args: args.clone() })
            .collect(),
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
pub fn planned(reply: ModelReply) -> ModelReply {
    let steps = (0..reply.calls.len()).map(|call| PlanDraftStep {
        says: format!("Step {call}"),
        call: Some(call),
        calls: vec![call],
        note: None,
        unmade: false,
    });
    let plan = PlanDraft { goal: "Do it all".into(), steps: steps.collect() };
    ModelReply { plan: Some(plan), ..reply }
}

pub fn says(text: &str) -> ModelReply {
    ModelReply { text: text.into(), stop: StopReason::End, ..calls(&[]) }
}

/// Returns how many rounds with calls the model already had, and the results of all calls.
pub fn told(request: &ModelRequest) -> (usize, Vec<(bool, Json)>) {
    let turns = request
        .messages
        .iter()
        .filter(|message| matches!(message, ModelMessage::Assistant { calls, .. } if !calls.is_empty()))
        .count();
    let results = request
        .messages
        .iter()
        .filter_map(|message| match message {
            ModelMessage::Tool { ok, content, .. } => Some((*ok, Json::clone(content))),
            _ => None,
        })
        .collect();
    (turns, results)
}

pub fn group(name: &str) -> Json {
    json!({ "name": name, "app": "app-1" })
}
