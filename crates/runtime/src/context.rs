//! What a turn works with: its question, the chat so far, the networks and their names.

use std::sync::Arc;

use adagent_contract::{
    ASK_AGENT, Access, Artifact, ConnectionName, ContextMode, DRAFTED, EntityItem, EntityKind, HistoryEntry,
    MOST_DEPTH, ModelTier, NetworkState, SharedJson, UNANSWERED, unaddressed,
};
use adagent_domain::{Cut as _, Network, RunId, Source, Timestamp, ToolCallId, WorkspaceId};
use adagent_llm::{Colleague, Entities, LOCAL_MODEL, ModelMessage, OwnTool, Persona, PlannerContext, ProposedCall};
use adagent_run_core::{CallState, Denial, Fault, Round, Turn};
use adagent_store::{AgentName, Run, StoreError};
use adagent_tools::{CallScope, EntityFilter, ToolError, ToolInfo};
use futures::future::join_all;
use serde_json::{Value as Json, json};

use crate::{
    claim::{Claim, Waiting},
    deps::RuntimeDeps,
    drive::DriveError,
    reporting::{earlier_days, reporting_day},
    work::fault_of,
};

/// The most earlier turns of the chat that a model sees.
const HISTORY: u32 = 10;

/// The most agents whose names a run knows.
const MOST_COLLEAGUES: u32 = 200;
/// In how much of each message we look for names of agents, in bytes.
const MOST_NAMING: usize = 24_000;

const KINDS: [EntityKind; 5] =
    [EntityKind::Account, EntityKind::App, EntityKind::AdUnit, EntityKind::AdSource, EntityKind::MediationGroup];

/// What a turn works with, as its claim loaded it.
#[derive(Debug, Clone)]
pub(crate) struct Material {
    pub question: String,
    pub history: Vec<HistoryEntry>,
    pub networks: Vec<(Network, NetworkState)>,
    /// Every connection by its label, because a network may have several.
    pub connections: Vec<ConnectionName>,
    /// The tools of the workspace's tool servers.
    pub own_tools: Vec<Arc<ToolInfo>>,
    /// The agents that this run may ask.
    pub colleagues: Vec<Colleague>,
    pub today: String,
    pub time_zone: String,
    /// When we read the day.
    pub now: Timestamp,
    pub entities: Option<Arc<Vec<EntityItem>>>,
    /// Accounts and apps that a strict selection leaves out. If somebody asks for one, we can say why we do not answer.
    pub outside: Arc<Vec<EntityItem>>,
}

/// Everything that the work of a turn uses.
#[derive(Debug, Clone)]
pub(crate) struct Context {
    pub claim: Arc<Claim>,
    pub turn: Arc<Material>,
}

/// Returns what the understanding read from the question. A run that began with a ready-made call makes only that call, so this leaves out
/// the message's other parts.
fn understood_by(state: &Turn) -> Json {
    let mut understood = state.route.as_ref().map(|route| route.understood.clone()).unwrap_or_default();
    if state.ledger.calls.iter().any(|call| call.given)
        && let Some(fields) = understood.as_object_mut()
    {
        fields.remove("parts");
    }
    understood
}

/// The text that the history shows as the answer of a run that waits for approval: the titles of its drafted changes. `None` if it waits
/// for nothing.
fn asks(waiting: &[Waiting], run: RunId) -> Option<String> {
    let titles: Vec<&str> = waiting.iter().filter(|card| card.run == run).map(|card| card.title.as_str()).collect();
    (!titles.is_empty()).then(|| format!("{DRAFTED}{}.", titles.join("; ")))
}

/// Returns the message that a turn answers.
pub(crate) fn turn_of(run: &Run) -> Result<adagent_store::MessageRef, DriveError> {
    run.turn().ok_or_else(|| DriveError::Defect(format!("run {} is no turn of a chat", run.id)))
}

impl Material {
    pub async fn load(deps: &RuntimeDeps, claim: &Claim) -> Result<Self, DriveError> {
        let (store, gateway, run) = (&deps.store, &deps.gateway, &claim.run);
        let (turn, user) = (turn_of(run)?, run.principal.user);
        // If another agent asks this one, the history is what that chat asked this agent before.
        let heard = run.parent.as_ref().and(run.principal.agent);
        let (message, history, networks, connections, own_tools, today) = futures::join!(
            store.find_message(run.workspace, user, turn.message),
            store.list_history(run.workspace, turn.session, turn.message, heard, HISTORY),
            gateway.networks(run.workspace),
            gateway.connections(run.workspace, &claim.settings),
            deps.tools.own_tools(run.workspace),
            reporting_day(deps, run.workspace),
        );
        let question = message?.ok_or_else(|| DriveError::Defect(format!("run {} has no message", run.id)))?.content;
        let question = unaddressed(&question).to_owned();
        let history: Vec<HistoryEntry> = history?
            .into_iter()
            .flat_map(|row| {
                let asked = HistoryEntry { role: "user".into(), content: unaddressed(&row.message.content).to_owned() };
                // A message without an answer gets a note as its answer. A failed run leaves nothing that a later question could continue.
                let content = match (row.answer, asks(&claim.waiting, row.message.run)) {
                    (Some(answer), _) if row.completed => answer,
                    (None, Some(drafted)) => drafted,
                    (why, _) => format!("{UNANSWERED} {}", why.unwrap_or_default()).trim_end().to_owned(),
                };
                [asked, HistoryEntry { role: "assistant".into(), content }]
            })
            .collect();
        // If we can't read the networks, we don't know that there are none. The run continues once we can read them, and says nothing
        // before.
        let networks = networks
            .map_err(|error| StoreError::Unavailable(format!("the states of the networks cannot be read: {error}")))?;
        let connections =
            connections.map_err(|error| StoreError::Unavailable(format!("the connections cannot be read: {error}")))?;
        let own_tools = readable(run.workspace, own_tools);
        let today = today?;
        let colleagues = colleagues(deps, claim, &question, &history).await?;
        Ok(Self {
            question,
            history,
            networks,
            connections,
            own_tools,
            colleagues,
            today: today.date,
            time_zone: today.zone,
            now: deps.clock.now(),
            entities: None,
            outside: Arc::default(),
        })
    }
}

/// Returns the agents that a run may ask, those that its messages name first. Returns none where they can't matter: the local planner asks
/// only an agent that a message names.
async fn colleagues(
    deps: &RuntimeDeps,
    claim: &Claim,
    question: &str,
    history: &[HistoryEntry],
) -> Result<Vec<Colleague>, StoreError> {
    let run = &claim.run;
    if run.depth >= MOST_DEPTH || !claim.grants.admits(ASK_AGENT, Source::Native, Access::Read) {
        return Ok(Vec::new());
    }
    // A short reply goes on with the task of an earlier message.
    let said =
        || history.iter().filter(|entry| entry.role == "user").map(|entry| entry.content.as_str()).chain([question]);
    let hosted = |tier| deps.models.model(tier, claim.settings.model.as_deref()).id() != LOCAL_MODEL;
    if !said().any(|text| deps.understanding.may_hand_on(text))
        && !hosted(ModelTier::Fast)
        && !hosted(ModelTier::Strong)
    {
        return Ok(Vec::new());
    }
    let text = said().map(|text| text.cut(..MOST_NAMING)).collect::<Vec<_>>().join("\n");
    let all = deps.store.list_agent_names(run.workspace, run.principal.user, &text, MOST_COLLEAGUES).await?;
    let others = all.into_iter().filter(|agent| run.principal.agent != Some(agent.id));
    let known = |agent: AgentName| {
        let about = if agent.description.is_empty() { agent.position } else { agent.description };
        Colleague { handle: agent.handle, name: agent.name, about }
    };
    Ok(others.map(known).collect())
}

/// Returns the tools of tool servers. Most questions need none, so if we can't read them, the turn continues without them.
fn readable(workspace: WorkspaceId, own_tools: Result<Vec<Arc<ToolInfo>>, ToolError>) -> Vec<Arc<ToolInfo>> {
    own_tools.unwrap_or_else(|error| {
        tracing::warn!(%workspace, %error, "a turn goes on without tool servers: they cannot be read");
        Vec::new()
    })
}

impl Context {
    /// Returns a tool by its name, including one that only this workspace has.
    pub fn tool(&self, deps: &RuntimeDeps, name: &str) -> Option<Arc<ToolInfo>> {
        deps.tools.tool(name).or_else(|| self.turn.own_tools.iter().find(|tool| tool.name == name).cloned())
    }

    pub fn usable(&self) -> Vec<Network> {
        self.turn
            .networks
            .iter()
            .filter(|(network, state)| *state == NetworkState::Connected && self.claim.enabled(*network))
            .map(|(network, _)| *network)
            .collect()
    }

    /// Returns the connected networks, including those that no longer accept the sign-in: a question may be about them, and the answer then
    /// says what to do.
    pub fn connected(&self) -> Vec<Network> {
        let known =
            |state| matches!(state, NetworkState::Connected | NetworkState::Disabled | NetworkState::AuthFailed);
        let theirs = |network| self.claim.grants.opens(network);
        self.turn
            .networks
            .iter()
            .filter(|(network, state)| known(*state) && theirs(*network))
            .map(|(network, _)| *network)
            .collect()
    }

    /// Returns the networks that somebody turned off.
    pub fn disabled(&self) -> Vec<Network> {
        let off = |(network, state): &&(Network, NetworkState)| match state {
            NetworkState::Disabled => true,
            NetworkState::Connected => !self.claim.chat_only() && !self.claim.settings.is_on(*network),
            _ => false,
        };
        let off = self.turn.networks.iter().filter(off).map(|(network, _)| *network);
        off.filter(|network| self.claim.grants.opens(*network)).collect()
    }

    pub fn known_entities(&self) -> Entities {
        self.turn.entities.clone().map(Entities::from).unwrap_or_default()
    }

    /// Returns the chat as the model sees it.
    pub fn messages(&self, state: &Turn) -> Vec<ModelMessage> {
        let mut out: Vec<_> = self
            .turn
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
        out.push(ModelMessage::User { content: self.turn.question.clone() });
        for round in &state.rounds {
            match round {
                Round::Guidance { content } => out.push(ModelMessage::Guidance { content: content.clone() }),
                Round::Assistant { text, calls } => {
                    let known: Vec<_> = calls.iter().filter_map(|id| state.call(*id)).collect();
                    let proposed = known.iter().map(|call| ProposedCall {
                        id: Some(call.id),
                        name: call.name.clone(),
                        args: self.claim.args.get(&call.id).map_or_else(|| json!({}), |args| Json::clone(args)),
                    });
                    out.push(ModelMessage::Assistant { content: text.clone(), calls: proposed.collect() });
                    for call in known {
                        let (ok, mut content) = self.told(call.id, &call.state);
                        // An earlier attempt was interrupted. A denial of the second attempt says nothing about the first one.
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

    fn told(&self, id: ToolCallId, state: &CallState) -> (bool, SharedJson) {
        let (ok, told) = match state {
            CallState::Succeeded => {
                let result = self.claim.results.get(&id).map(|(result, _)| Arc::clone(result).into());
                return (true, result.unwrap_or_else(|| json!({ "done": true }).into()));
            }
            CallState::Failed { fault } => (false, fault.to_json()),
            CallState::Denied { reason, cause } => (
                false,
                json!({ "denied": true, "cause": cause, "reason": reason, "guidance": match cause {
                    Denial::Declined => "Acknowledge the reason in your answer. Where it says what should be different, propose that; never propose the same change again.",
                    Denial::Expired => "Say that nobody answered in time and that nothing was sent; nobody declined it.",
                    Denial::AlreadyThere => "Say that the network already has these values, so that nothing was sent; no one denied it. Do not propose the same change again.",
                    Denial::Cancelled => "Say that the approval was canceled and nothing was sent; no one denied it.",
                    Denial::Forked => "Say that it belongs to the run this one was forked from, and that the run shows what happened to it; no one denied it here. Do not propose the same change again.",
                } }),
            ),
            CallState::Unknown { why, .. } => (
                false,
                json!({ "unknown": true, "reason": why, "guidance": "Say that it is not known whether the change went through." }),
            ),
            _ => (false, json!({ "pending": true })),
        };
        (ok, told.into())
    }

    pub fn planner(&self, state: &Turn) -> PlannerContext {
        PlannerContext {
            today: self.turn.today.clone(),
            time_zone: self.turn.time_zone.clone(),
            days: earlier_days(&self.turn, &self.connected()),
            question: self.turn.question.clone(),
            history: self.turn.history.clone(),
            connected: self.connected(),
            disabled: self.disabled(),
            understood: understood_by(state),
            entities: self.known_entities(),
            settings: self.claim.settings.clone(),
            outside: self.turn.outside.as_ref().clone(),
            connections: self.names(),
            agent: self.persona(),
            not_granted: std::collections::BTreeMap::new(),
            plan: state.plan.clone(),
            own_tools: self.own_tools(),
            colleagues: self.colleagues(),
        }
    }

    /// Returns the own tools in the form that the understanding reads.
    pub fn own_tools(&self) -> Vec<OwnTool> {
        let tool = |tool: &Arc<ToolInfo>| OwnTool {
            name: tool.name.clone(),
            title: tool.title.clone(),
            input_schema: tool.input_schema.clone(),
        };
        let own = self.turn.own_tools.iter();
        own.filter(|tool| self.claim.grants.opens_server_of(&tool.name, tool.source)).map(tool).collect()
    }

    pub fn colleagues(&self) -> Vec<Colleague> {
        self.turn.colleagues.clone()
    }

    fn persona(&self) -> Option<Persona> {
        let agent = self.claim.agent.as_deref()?;
        Some(Persona {
            handle: agent.handle.clone(),
            name: agent.name.clone(),
            position: agent.position.clone(),
            instructions: agent.instructions.clone(),
            narrow: self
                .turn
                .networks
                .iter()
                .any(|(network, state)| *state == NetworkState::Connected && !self.claim.grants.opens(*network)),
        })
    }

    /// Returns the connections, and which of them are selected now.
    pub fn names(&self) -> Vec<ConnectionName> {
        let of_now = |one: &ConnectionName| ConnectionName {
            selected: self.claim.settings.has_connection(one.network, one.id),
            ..one.clone()
        };
        self.turn.connections.iter().filter(|one| self.granted(one)).map(of_now).collect()
    }

    fn granted(&self, one: &ConnectionName) -> bool {
        self.claim.grants.has_connection(one.network, one.id)
    }

    /// Returns the labels of a source's connections that calls may use.
    pub fn labels(&self, source: Source) -> Vec<&str> {
        let plays = |one: &&ConnectionName| {
            Source::Network(one.network) == source
                && matches!(one.state, NetworkState::Connected | NetworkState::AuthFailed)
        };
        self.turn
            .connections
            .iter()
            .filter(plays)
            .filter(|one| self.granted(one))
            .map(|one| one.label.as_str())
            .collect()
    }

    /// Returns what an answer may repeat besides names and IDs: the chat, and refusals with their reasons.
    pub fn said(&self, state: &Turn) -> Vec<String> {
        let turns = self
            .turn
            .history
            .iter()
            .map(|entry| entry.content.clone())
            .chain([self.turn.question.clone(), self.turn.today.clone()]);
        let refusals = state.ledger.calls.iter().filter_map(|call| match &call.state {
            CallState::Failed { fault } => Some(fault.to_json().to_string()),
            CallState::Denied { reason, .. } => Some(reason.clone()),
            CallState::Unknown { why, .. } => Some(why.clone()),
            _ => None,
        });
        let labels = self.turn.connections.iter().map(|one| one.label.clone());
        turns.chain(labels).chain(refusals).collect()
    }

    /// Returns the artifacts of the last round's reads, for models that make none of their own.
    pub fn last_artifacts(&self, state: &Turn) -> Vec<Artifact> {
        let last = state.rounds.iter().rev().find_map(|round| match round {
            Round::Assistant { calls, .. } if !calls.is_empty() => Some(calls),
            _ => None,
        });
        last.into_iter().flatten().filter_map(|id| self.claim.results.get(id)?.1.clone()).take(3).collect()
    }
}

/// Returns the accounts and apps of these networks that a strict selection leaves out.
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
    // We tell only their names and IDs.
    for item in &mut items {
        item.raw = Json::Null.into();
    }
    items
}

/// Loads entities of the networks, all kinds at the same time. Returns the reason for each network that fails.
pub(crate) async fn load_entities(
    deps: &RuntimeDeps,
    scope: &CallScope,
    networks: &[Network],
    refresh: bool,
) -> (Vec<EntityItem>, Vec<(Network, Fault)>) {
    let wanted: Vec<_> = networks.iter().flat_map(|network| KINDS.map(|kind| (*network, kind))).collect();
    let found = deps.gateway.entities_of(scope, &wanted, EntityFilter { refresh }).await;
    let (mut items, mut problems) = (Vec::new(), Vec::<(Network, Fault)>::new());
    for ((network, _), outcome) in wanted.into_iter().zip(found) {
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

#[cfg(test)]
mod tests {
    use adagent_tools::ToolErrorClass;

    use super::*;

    #[test]
    fn a_turn_goes_on_without_tool_servers_that_cannot_be_read() {
        let error = ToolError::new(ToolErrorClass::Retryable, "UNAVAILABLE", "The tool servers can't be read.");
        assert!(readable(WorkspaceId::new(&adagent_domain::SequentialIds::default()), Err(error)).is_empty());
    }
}
