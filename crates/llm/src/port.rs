//! What the engine asks of a model, hosted or local.

use std::collections::BTreeMap;

use adagent_contract::{
    Artifact, ConnectionName, ContextSettings, Covers, EntityItem, HistoryEntry, ModelTier, Plan, SharedJson,
};
use adagent_domain::{Network, ToolCallId};
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::Entities;

/// A tool as the model sees it in one turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    pub name: String,
    pub description: String,
    pub input_schema: SharedJson,
    pub read_only: bool,
}

/// A tool of a tool server, which only this workspace has. A person can call it by its name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OwnTool {
    pub name: String,
    /// The names of the server and the tool: `Docs: Search`.
    pub title: String,
    pub input_schema: SharedJson,
}

/// Another agent of the workspace, which a run may ask.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Colleague {
    pub handle: String,
    pub name: String,
    /// The purpose of the agent, in its team's words.
    pub about: String,
}

/// The messages of one run, in order. Earlier turns of the chat come first, as plain user and assistant texts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum ModelMessage {
    User {
        content: String,
    },
    Assistant {
        content: String,
        calls: Vec<ProposedCall>,
    },
    /// The result of a call. It is data, never instructions. With `ok: false`, it holds the error with guidance.
    Tool {
        call_id: ToolCallId,
        name: String,
        ok: bool,
        content: SharedJson,
    },
    /// Guidance of the engine: what was wrong with the last proposal, or what is missing.
    Guidance {
        content: String,
    },
}

/// A call that the model proposes. The engine sets the ID when it receives the reply; models leave it `None`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProposedCall {
    pub id: Option<ToolCallId>,
    pub name: String,
    pub args: Json,
}

/// Facts in typed form. Hosted models get them as text in the system prompt; the local planner reads them directly.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PlannerContext {
    /// The current day in the reporting time zone, `2026-11-21`.
    pub today: String,
    /// The IANA name of that zone.
    #[serde(default)]
    pub time_zone: String,
    /// Connected networks where it is still an earlier day than `today`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub days: BTreeMap<Network, NetworkDay>,
    /// The question to answer.
    pub question: String,
    /// Earlier turns of the chat, oldest first.
    pub history: Vec<HistoryEntry>,
    /// Networks with working credentials. `disabled` are the networks that the context turns off.
    pub connected: Vec<Network>,
    pub disabled: Vec<Network>,
    /// What the understanding read from the question: `adagent_understanding::Understood` in JSON.
    pub understood: Json,
    /// Entities of the workspace within the context settings: accounts, apps, ad units, ad sources, mediation groups.
    pub entities: Entities,
    pub settings: ContextSettings,
    /// Accounts and apps that a strict selection leaves out. The planner may name them as such, but never use them.
    #[serde(default)]
    pub outside: Vec<EntityItem>,
    /// Every connection by its label, because a network may have several.
    #[serde(default)]
    pub connections: Vec<ConnectionName>,
    /// The agent that answers. `None` means the workspace's own agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<Persona>,
    /// Changes that exist but that the agent lacks a grant for, by tool name. Each value says what somebody would have to turn on.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub not_granted: BTreeMap<String, String>,
    /// The steps planned in this run, with their calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Plan>,
    /// The tools of the workspace's tool servers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub own_tools: Vec<OwnTool>,
    /// The agents that this run may ask.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub colleagues: Vec<Colleague>,
}

/// The current day in a network's own time zone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NetworkDay {
    /// `2026-11-20`.
    pub date: String,
    /// That time zone, as an IANA name.
    pub zone: String,
}

/// The agent that a model answers as.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Persona {
    pub handle: String,
    pub name: String,
    pub position: String,
    /// The instructions of the people that the agent works for. They never extend what it may do.
    pub instructions: String,
    /// Whether at least one connected network is closed to this agent.
    #[serde(default)]
    pub narrow: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelRequest {
    pub tier: ModelTier,
    pub system: String,
    pub messages: Vec<ModelMessage>,
    pub tools: Vec<ToolSpec>,
    pub max_output_tokens: u32,
    pub planner: PlannerContext,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cost_micros: i64,
    /// The provider reported no usable numbers, so we estimated these from the texts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub estimated: bool,
}

impl Usage {
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
            cost_micros: self.cost_micros.saturating_add(other.cost_micros),
            estimated: self.estimated || other.estimated,
        }
    }
}

/// The average number of bytes per token.
pub(crate) const BYTES_A_TOKEN: u64 = 3;

/// The highest possible cost of one call, known before we send it. All zero for a free call. Neither the usage that a provider reports nor
/// our estimate may exceed it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Quote {
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cost_micros: i64,
    /// The part of the cost that is for output.
    pub output_micros: i64,
    /// The estimated cost that we owe once the request is sent, whatever comes back.
    pub sent: Usage,
}

impl Quote {
    pub const fn is_free(&self) -> bool {
        self.input_tokens == 0 && self.output_tokens == 0 && self.cost_micros == 0
    }

    /// Returns the usage of a call that broke off after this many bytes of its answer. It never exceeds the quote.
    pub fn broken_off(&self, heard_bytes: u64) -> Usage {
        let heard = heard_bytes.div_ceil(BYTES_A_TOKEN).min(self.output_tokens);
        let all = u128::from(self.output_micros.max(0).unsigned_abs()) * u128::from(heard);
        let micros = all.div_ceil(u128::from(self.output_tokens.max(1)));
        let cost_micros = i64::try_from(micros).unwrap_or(i64::MAX);
        let all = self.sent.plus(Usage { input_tokens: 0, output_tokens: heard, cost_micros, estimated: true });
        // Each part is rounded up, so the sum could exceed the quote.
        Usage { cost_micros: all.cost_micros.min(self.cost_micros), ..all }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The answer is complete.
    End,
    /// The model proposes calls.
    ToolCalls,
    MaxTokens,
    Refusal,
}

/// The steps of a message that wants several things, as a model proposes them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanDraft {
    pub goal: String,
    pub steps: Vec<PlanDraftStep>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanDraftStep {
    pub says: String,
    /// The index of the call in the reply that does the step. `None` if an earlier call does it, or if there is no call yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<usize>,
    /// The indexes of all calls in the reply for this step, including lookups.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<usize>,
    /// The text for a step that needs no call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Whether the step asks for a change that the model can't make.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unmade: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelReply {
    /// Markdown. If the reply has calls, this is the model's comment on them, not the answer.
    pub text: String,
    pub calls: Vec<ProposedCall>,
    /// The plan whose steps the calls belong to, if there are several things to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<PlanDraft>,
    /// Typed results built from tool results. Hosted models leave this empty, and the synthesizer builds them.
    pub artifacts: Vec<Artifact>,
    /// How the numbers were counted, one line each. Pages fold it below the answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub method: Vec<String>,
    /// The days that the numbers cover, if they cover days.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub covers: Option<Covers>,
    pub follow_ups: Vec<String>,
    pub usage: Usage,
    pub stop: StopReason,
    /// The provider and model that answered.
    pub model: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum ModelError {
    #[error("the model provider asks to slow down")]
    RateLimited { retry_after_ms: Option<u64> },
    #[error("the model provider is unavailable: {message}")]
    Unavailable { message: String, retry_after_ms: Option<u64> },
    #[error("the model provider refused the request: {0}")]
    Rejected(String),
    /// The model's own mistake. If we tell the model, it may correct it.
    #[error("the model's reply could not be used: {0}")]
    Malformed(String),
}

impl ModelError {
    pub fn unavailable(message: impl Into<String>) -> Self {
        Self::Unavailable { message: message.into(), retry_after_ms: None }
    }

    pub const fn is_retryable(&self) -> bool {
        matches!(self, Self::RateLimited { .. } | Self::Unavailable { .. } | Self::Malformed(_))
    }

    /// Returns how long the provider asks us to wait.
    pub const fn retry_after_ms(&self) -> Option<u64> {
        match self {
            Self::RateLimited { retry_after_ms } | Self::Unavailable { retry_after_ms, .. } => *retry_after_ms,
            Self::Rejected(_) | Self::Malformed(_) => None,
        }
    }
}

/// A piece of the answer while it is being written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delta {
    Text(String),
    Thinking(String),
}

/// Receives deltas while the model writes.
#[async_trait]
pub trait TextSink: Send {
    async fn push(&mut self, delta: Delta);

    /// Counts bytes of a call that arrived but are not pushed.
    fn unshown(&mut self, _bytes: u64) {}

    /// Reports the cost of an answer that comes back as an error because it broke off or could not be used.
    fn wasted(&mut self, _: Usage) {}
}

/// A model of one tier.
#[async_trait]
pub trait Model: Send + Sync {
    /// Returns the model's ID for people: `local`, `anthropic/…`, `openai/…`.
    fn id(&self) -> &str;

    /// Returns the highest possible cost of this request.
    fn quote(&self, _: &ModelRequest) -> Quote {
        Quote::default()
    }

    async fn complete(&self, request: &ModelRequest, sink: &mut dyn TextSink) -> Result<ModelReply, ModelError>;
}

/// Picks the model of a tier. `wanted` is the person's choice from the context settings; `None` means the server's default.
pub trait Models: Send + Sync {
    fn model(&self, tier: ModelTier, wanted: Option<&str>) -> std::sync::Arc<dyn Model>;
}
