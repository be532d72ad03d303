//! What a claim loads about its run, once: question, history, settings, networks, entities, arguments and results so far.

use std::{collections::HashMap, sync::Arc};

use adagent_contract::{
    ApprovalStatus, Artifact, ConnectionName, ContextMode, ContextSettings, EntityItem, EntityKind, EventBody,
    HistoryEntry, NetworkState,
};
use adagent_domain::{Network, RunId, ToolCallId};
use adagent_llm::{ModelMessage, PlannerContext, ProposedCall};
use adagent_networks::{CallScope, EntityFilter};
use adagent_run_core::{CallState, Denial, Fault, State, Turn};
use adagent_store::{Run, StoreError};
use futures::future::join_all;
use serde_json::{Value as Json, json};

use crate::{deps::RuntimeDeps, drive::DriveError, reporting::reporting_day, work::fault_of};

/// Earlier turns of the conversation a model is shown.
const HISTORY: u32 = 10;
const EVENT_PAGE: u32 = 500;
/// Waiting changes of a workspace that are looked through for those of the conversation.
const WAITING: u32 = 100;

/// How the record says that a run goes on under other settings than before.
const SETTINGS_NOW: &str = "Context settings now: ";

const KINDS: [EntityKind; 5] =
    [EntityKind::Account, EntityKind::App, EntityKind::AdUnit, EntityKind::AdSource, EntityKind::MediationGroup];

/// Material of one claim.
pub(crate) struct Context {
    pub run: Run,
    pub question: String,
    pub history: Vec<HistoryEntry>,
    pub settings: ContextSettings,
    pub networks: Vec<(Network, NetworkState)>,
    /// Every connection by name: a network may have several.
    pub connections: Vec<ConnectionName>,
    pub today: String,
    pub time_zone: String,
    pub entities: Option<Arc<Vec<EntityItem>>>,
    /// Shared, because an answer is checked against them on another thread.
    pub args: HashMap<ToolCallId, Arc<Json>>,
    pub results: HashMap<ToolCallId, (Arc<Json>, Option<Artifact>)>,
    /// Text that was streamed after the last saved state: readers have seen it.
    pub shown: String,
    /// What the run's record says of the settings.
    pub recorded: Option<String>,
    /// Accounts and apps a strict selection leaves out: names somebody may ask for, to be told why they get no answer.
    pub outside: Arc<Vec<EntityItem>>,
    /// Changes of the same conversation that other runs asked for and nobody answered yet.
    pub waiting: Vec<Waiting>,
}

/// A change that waits for its approval.
pub(crate) struct Waiting {
    run: RunId,
    title: String,
}

impl Waiting {
    /// For the card of another change of the conversation.
    pub fn warning(&self) -> String {
        format!(
            "When this was drafted, “{}” in this chat was also pending approval. Approve or deny each one separately.",
            self.title
        )
    }
}

/// What a run that waits for a person has to say so far.
fn asks(waiting: &[Waiting], run: RunId) -> Option<String> {
    let titles: Vec<&str> = waiting.iter().filter(|card| card.run == run).map(|card| card.title.as_str()).collect();
    (!titles.is_empty()).then(|| format!("Drafted, needs approval, not sent yet: {}.", titles.join("; ")))
}

/// The message a run answers. Nothing else has a machine here.
pub(crate) fn turn_of(run: &Run) -> Result<adagent_store::Turn, DriveError> {
    run.turn().ok_or_else(|| {
        DriveError::Defect(format!("this program cannot advance run {}: it is no turn of a chat", run.id))
    })
}

impl Context {
    pub async fn load(deps: &RuntimeDeps, run: Run, seq: u64) -> Result<Self, DriveError> {
        let turn = turn_of(&run)?;
        let user = run.principal.user;
        let (store, gateway) = (&deps.store, &deps.gateway);
        let (message, history, settings, networks, today, waiting) = futures::join!(
            store.find_message(run.workspace, user, turn.message),
            store.list_history(run.workspace, turn.session, turn.message, HISTORY),
            store.find_context(run.workspace, user),
            gateway.networks(run.workspace),
            reporting_day(deps, run.workspace),
            store.list_approvals(run.workspace, user, Some(ApprovalStatus::Pending), None, WAITING),
        );
        let waiting: Vec<Waiting> = waiting?
            .into_iter()
            .filter(|record| record.view.session_id == turn.session && record.view.run_id != run.id)
            .map(|record| Waiting { run: record.view.run_id, title: record.view.title })
            .collect();
        let question = message?.ok_or_else(|| DriveError::Defect(format!("run {} has no message", run.id)))?.content;
        let history = history?
            .into_iter()
            .flat_map(|row| {
                let asked = HistoryEntry { role: "user".into(), content: row.message.content };
                let said = row.answer.or_else(|| asks(&waiting, row.message.run));
                let said = said.map(|content| HistoryEntry { role: "assistant".into(), content });
                [Some(asked), said]
            })
            .flatten()
            .collect();
        let narrowed = narrow(&run, settings?);
        // Not known is not "none": the run is taken up again when they can be read, and says nothing before.
        let networks = networks
            .map_err(|error| StoreError::Unavailable(format!("the states of the networks cannot be read: {error}")))?;
        let connections = gateway.connections(run.workspace, &narrowed).await;
        let connections =
            connections.map_err(|error| StoreError::Unavailable(format!("the connections cannot be read: {error}")))?;
        let today = today?;
        let mut context = Self {
            run,
            question,
            history,
            settings: narrowed,
            networks,
            connections,
            today: today.date,
            time_zone: today.zone,
            entities: None,
            args: HashMap::new(),
            results: HashMap::new(),
            shown: String::new(),
            recorded: None,
            outside: Arc::default(),
            waiting,
        };
        if seq > 0 {
            context.recall(deps, seq).await?;
        } else if let Some(first) = deps.store.list_events(context.run.id, 0, 1).await?.pop() {
            context.note(&first.body);
        }
        Ok(context)
    }

    /// Arguments come back from the calls' rows, results from their events: each is stored once.
    async fn recall(&mut self, deps: &RuntimeDeps, seq: u64) -> Result<(), DriveError> {
        for call in deps.store.list_calls(self.run.id).await? {
            self.args.insert(call.id, Arc::new(call.args));
        }
        let mut after = 0;
        loop {
            let page = deps.store.list_events(self.run.id, after, EVENT_PAGE).await?;
            let Some(last) = page.last() else { return Ok(()) };
            after = last.seq;
            for event in page {
                match event.body {
                    EventBody::ToolResult { tool_call_id, ok: true, result, artifact, .. } => {
                        self.results.insert(tool_call_id, (Arc::new(result), artifact));
                    }
                    EventBody::Content { content, .. } if event.seq > seq => self.shown.push_str(&content),
                    body => self.note(&body),
                }
            }
        }
    }

    /// What an event of the record says of the settings.
    fn note(&mut self, body: &EventBody) {
        match body {
            EventBody::RunStarted { settings: Some(settings), .. } => self.recorded = Some(settings.in_words()),
            EventBody::Status { label } => {
                if let Some(words) = label.strip_prefix(SETTINGS_NOW) {
                    self.recorded = Some(words.to_owned());
                }
            }
            _ => {}
        }
    }

    /// The settings of this moment. When they are others than the run's record says, an event that says so.
    pub fn take_settings(&mut self, stored: ContextSettings) -> Option<EventBody> {
        self.settings = narrow(&self.run, stored);
        self.settings_changed()
    }

    /// An event for the record, when it says something else of the settings than what holds.
    pub fn settings_changed(&mut self) -> Option<EventBody> {
        let words = self.settings.in_words();
        let recorded = self.recorded.replace(words.clone())?;
        (recorded != words).then(|| EventBody::Status { label: format!("{SETTINGS_NOW}{words}") })
    }

    pub fn scope(&self, call: ToolCallId) -> CallScope {
        CallScope { workspace: self.run.workspace, call, settings: self.settings.clone(), connection: None }
    }

    pub fn usable(&self) -> Vec<Network> {
        self.networks
            .iter()
            .filter(|(network, state)| *state == NetworkState::Connected && self.enabled(*network))
            .map(|(network, _)| *network)
            .collect()
    }

    /// Also those that no longer accept the sign-in: a question is about them, and what to do about that is told then.
    pub fn connected(&self) -> Vec<Network> {
        let known =
            |state| matches!(state, NetworkState::Connected | NetworkState::Disabled | NetworkState::AuthFailed);
        self.networks.iter().filter(|(_, state)| known(*state)).map(|(network, _)| *network).collect()
    }

    /// Those somebody switched off.
    pub fn disabled(&self) -> Vec<Network> {
        let off = |(network, state): &&(Network, NetworkState)| match state {
            NetworkState::Disabled => true,
            NetworkState::Connected => !self.chat_only() && !self.enabled(*network),
            _ => false,
        };
        self.networks.iter().filter(off).map(|(network, _)| *network).collect()
    }

    /// Whether this run is for talk alone.
    pub fn chat_only(&self) -> bool {
        self.run.context.as_ref().is_some_and(|overlay| overlay.chat_only == Some(true))
    }

    pub fn enabled(&self, network: Network) -> bool {
        !self.chat_only() && self.settings.is_on(network)
    }

    pub fn known_entities(&self) -> Vec<EntityItem> {
        self.entities.as_ref().map(|entities| entities.as_ref().clone()).unwrap_or_default()
    }

    /// The conversation as the model is told it.
    pub fn messages(&self, state: &State) -> Vec<ModelMessage> {
        let mut out: Vec<_> = self
            .history
            .iter()
            .map(|entry| {
                if entry.role == "user" {
                    ModelMessage::User { content: entry.content.clone() }
                } else {
                    ModelMessage::Assistant { content: entry.content.clone(), calls: Vec::new() }
                }
            })
            .collect();
        out.push(ModelMessage::User { content: self.question.clone() });
        for turn in &state.turns {
            match turn {
                Turn::Guidance { content } => out.push(ModelMessage::Guidance { content: content.clone() }),
                Turn::Assistant { text, calls } => {
                    let known: Vec<_> = calls.iter().filter_map(|id| state.call(*id)).collect();
                    let proposed = known.iter().map(|call| ProposedCall {
                        id: Some(call.id),
                        name: call.name.clone(),
                        args: self.args.get(&call.id).map_or_else(|| json!({}), |args| Json::clone(args)),
                    });
                    out.push(ModelMessage::Assistant { content: text.clone(), calls: proposed.collect() });
                    for call in known {
                        let (ok, mut content) = self.told(call.id, &call.state);
                        // An earlier attempt was interrupted: whoever declines the second one did not decline the first.
                        if let Some(earlier) = call.earlier() {
                            content["found"] = json!(earlier);
                        }
                        out.push(ModelMessage::Tool { call_id: call.id, name: call.name.clone(), ok, content });
                    }
                }
            }
        }
        out
    }

    fn told(&self, id: ToolCallId, state: &CallState) -> (bool, Json) {
        match state {
            CallState::Succeeded => {
                (true, self.results.get(&id).map_or_else(|| json!({ "done": true }), |(result, _)| Json::clone(result)))
            }
            CallState::Failed { fault } => (false, fault.to_json()),
            CallState::Denied { reason, cause } => (
                false,
                json!({ "denied": true, "cause": cause, "reason": reason, "guidance": match cause {
                    Denial::Declined => "Acknowledge it; do not propose the same change again.",
                    Denial::Expired => "Say that nobody answered in time and that nothing was sent; nobody declined it.",
                    Denial::Cancelled => "Say that the approval was canceled and nothing was sent; no one denied it.",
                    Denial::Forked => "Say that it belongs to the run this one was forked from, and that the run shows what happened to it; no one denied it here. Do not propose the same change again.",
                } }),
            ),
            CallState::Unknown { why, .. } => (
                false,
                json!({ "unknown": true, "reason": why, "guidance": "Say that it is not known whether the change went through." }),
            ),
            _ => (false, json!({ "pending": true })),
        }
    }

    pub fn planner(&self, state: &State) -> PlannerContext {
        PlannerContext {
            today: self.today.clone(),
            time_zone: self.time_zone.clone(),
            question: self.question.clone(),
            history: self.history.clone(),
            connected: self.connected(),
            disabled: self.disabled(),
            understood: state.route.as_ref().map(|route| route.understood.clone()).unwrap_or_default(),
            entities: self.known_entities(),
            settings: self.settings.clone(),
            outside: self.outside.as_ref().clone(),
            connections: self.names(),
        }
    }

    /// The connections, with which of them are selected now.
    pub fn names(&self) -> Vec<ConnectionName> {
        let of_now = |one: &ConnectionName| ConnectionName {
            selected: self.settings.has_connection(one.network, one.id),
            ..one.clone()
        };
        self.connections.iter().map(of_now).collect()
    }

    /// What the connections of a network are called that calls may go through.
    pub fn labels(&self, network: Network) -> Vec<&str> {
        let plays = |one: &&ConnectionName| {
            one.network == network && matches!(one.state, NetworkState::Connected | NetworkState::AuthFailed)
        };
        self.connections.iter().filter(plays).map(|one| one.label.as_str()).collect()
    }

    /// What an answer may repeat: the conversation, the names and ids of entities, what was refused and why.
    pub fn said(&self, state: &State) -> Vec<String> {
        let turns =
            self.history.iter().map(|entry| entry.content.clone()).chain([self.question.clone(), self.today.clone()]);
        let entities = self.entities.iter().flat_map(|items| items.iter());
        let entities = entities.chain(self.outside.iter());
        let names = entities.flat_map(|item| [item.id.clone(), item.name.clone()]);
        let refusals = state.calls.iter().filter_map(|call| match &call.state {
            CallState::Failed { fault } => Some(fault.to_json().to_string()),
            CallState::Denied { reason, .. } => Some(reason.clone()),
            CallState::Unknown { why, .. } => Some(why.clone()),
            _ => None,
        });
        let labels = self.connections.iter().map(|one| one.label.clone());
        turns.chain(names).chain(labels).chain(refusals).collect()
    }

    /// Typed results of the last turn's reads, for models that give none of their own.
    pub fn last_artifacts(&self, state: &State) -> Vec<Artifact> {
        let last = state.turns.iter().rev().find_map(|turn| match turn {
            Turn::Assistant { calls, .. } if !calls.is_empty() => Some(calls),
            _ => None,
        });
        last.into_iter().flatten().filter_map(|id| self.results.get(id)?.1.clone()).take(3).collect()
    }
}

/// The settings as this run has them.
pub(crate) fn narrow(run: &Run, stored: ContextSettings) -> ContextSettings {
    match &run.context {
        Some(overlay) => overlay.over(stored),
        None => stored,
    }
}

/// The accounts and apps of the networks that a strict selection leaves out.
pub(crate) async fn left_out(
    deps: &RuntimeDeps,
    scope: &CallScope,
    networks: &[Network],
    seen: &[EntityItem],
) -> Vec<EntityItem> {
    if scope.settings.mode != ContextMode::Strict {
        return Vec::new();
    }
    let mut all = scope.clone();
    all.settings.mode = ContextMode::Soft;
    let wanted = networks.iter().flat_map(|network| [(*network, EntityKind::Account), (*network, EntityKind::App)]);
    let loads = wanted.map(|(network, kind)| {
        let all = &all;
        async move { deps.gateway.entities(all, network, kind, EntityFilter::default()).await.unwrap_or_default() }
    });
    let known = |item: &EntityItem| {
        seen.iter().any(|other| other.network == item.network && other.kind == item.kind && other.id == item.id)
    };
    let mut items: Vec<EntityItem> = join_all(loads).await.into_iter().flatten().filter(|item| !known(item)).collect();
    // Names and ids are all that is told of them.
    for item in &mut items {
        item.raw = Json::Null;
    }
    items
}

/// Entities of the networks, all kinds side by side; a network that fails comes with the reason.
pub(crate) async fn load_entities(
    deps: &RuntimeDeps,
    scope: &CallScope,
    networks: &[Network],
    refresh: bool,
) -> (Vec<EntityItem>, Vec<(Network, Fault)>) {
    let wanted = networks.iter().flat_map(|network| KINDS.map(|kind| (*network, kind)));
    let loads = wanted.map(|(network, kind)| async move {
        (network, deps.gateway.entities(scope, network, kind, EntityFilter { refresh }).await)
    });
    let (mut items, mut problems) = (Vec::new(), Vec::<(Network, Fault)>::new());
    for (network, outcome) in join_all(loads).await {
        match outcome {
            Ok(found) => items.extend(found),
            Err(error) if !problems.iter().any(|(seen, _)| *seen == network) => {
                problems.push((network, fault_of(error)));
            }
            Err(_) => {}
        }
    }
    (items, problems)
}
