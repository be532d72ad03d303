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

/// A tool as it is bound to one turn of the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    pub name: String,
    pub description: String,
    pub input_schema: SharedJson,
    pub read_only: bool,
}

/// A tool that only this workspace has: one of a tool server, which a person may call by its name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OwnTool {
    pub name: String,
    /// What server and tool are called: `Docs: Search`.
    pub title: String,
    pub input_schema: SharedJson,
}

/// Another agent of the workspace, which a run may ask.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Colleague {
    pub handle: String,
    pub name: String,
    /// What it is for, in its team's words.
    pub about: String,
}

/// The conversation of one run, in order. Earlier turns of the session come first as plain user and assistant texts.
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
    /// Data, never instructions. `ok: false` carries the error with guidance.
    Tool {
        call_id: ToolCallId,
        name: String,
        ok: bool,
        content: SharedJson,
    },
    /// Guidance of the engine: what was wrong with the last proposal, what is missing.
    Guidance {
        content: String,
    },
}

/// A call the model wants made. The id is the engine's, given when the reply is taken in; models leave it `None`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProposedCall {
    pub id: Option<ToolCallId>,
    pub name: String,
    pub args: Json,
}

/// Facts in typed form. Hosted models get them rendered into the system prompt, the local planner reads them as they are.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PlannerContext {
    /// Civil date in the reporting time zone, `2026-11-21`.
    pub today: String,
    /// That zone, by its IANA name.
    #[serde(default)]
    pub time_zone: String,
    /// The question being answered.
    pub question: String,
    /// Earlier turns of the session, oldest first.
    pub history: Vec<HistoryEntry>,
    /// Networks with working credentials, and those switched off in the context.
    pub connected: Vec<Network>,
    pub disabled: Vec<Network>,
    /// What was understood, as `adagent_understanding::Understood` in JSON.
    pub understood: Json,
    /// Entities of the workspace within the context settings: accounts, apps, ad units, ad sources, mediation groups.
    pub entities: Entities,
    pub settings: ContextSettings,
    /// Accounts and apps that a strict selection leaves out: to be named as such, never to be used.
    #[serde(default)]
    pub outside: Vec<EntityItem>,
    /// Every connection by name: a network may have several.
    #[serde(default)]
    pub connections: Vec<ConnectionName>,
    /// The agent that answers; `None`: the workspace's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<Persona>,
    /// Changes at hand that the agent was not granted, by the names of their tools, each with what would have to be turned on.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub not_granted: BTreeMap<String, String>,
    /// The steps that were planned in this run, with the calls that do them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Plan>,
    /// Tools of the workspace's tool servers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub own_tools: Vec<OwnTool>,
    /// Agents that may be asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub colleagues: Vec<Colleague>,
}

/// Who a model answers as.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Persona {
    pub handle: String,
    pub name: String,
    pub position: String,
    /// Of the people it works for; they never widen what it may do.
    pub instructions: String,
    /// Some network that is connected is not open to it.
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
    /// The provider told no usable figures; these are reckoned from the texts.
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

/// What texts come to on the average.
pub(crate) const BYTES_A_TOKEN: u64 = 3;

/// The most one call can cost, known before it goes out; all zero for what costs nothing. No usage that a provider tells, and
/// none that is reckoned in its place, may be more.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Quote {
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cost_micros: i64,
    /// The part of it that is for output.
    pub output_micros: i64,
    /// What is spent once it was sent, whatever comes back: reckoned, not the most.
    pub sent: Usage,
}

impl Quote {
    pub const fn is_free(&self) -> bool {
        self.input_tokens == 0 && self.output_tokens == 0 && self.cost_micros == 0
    }

    /// What a call came to that was broken off after so many bytes of its answer; never more than the quote.
    pub fn broken_off(&self, heard_bytes: u64) -> Usage {
        let heard = heard_bytes.div_ceil(BYTES_A_TOKEN).min(self.output_tokens);
        let all = u128::from(self.output_micros.max(0).unsigned_abs()) * u128::from(heard);
        let micros = all.div_ceil(u128::from(self.output_tokens.max(1)));
        let cost_micros = i64::try_from(micros).unwrap_or(i64::MAX);
        let all = self.sent.plus(Usage { input_tokens: 0, output_tokens: heard, cost_micros, estimated: true });
        // Each part is rounded up.
        Usage { cost_micros: all.cost_micros.min(self.cost_micros), ..all }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The answer is complete.
    End,
    /// Calls are proposed.
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
    /// Which of the reply's calls does it. `None`: one that was made before, or none yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<usize>,
    /// Which of the reply's calls are made for it, what is looked up first as well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<usize>,
    /// What is to be said of a step that needs no call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelReply {
    /// Markdown. With calls: what it says about them (thinking aloud), not the answer.
    pub text: String,
    pub calls: Vec<ProposedCall>,
    /// What the calls are steps of, where there are several things to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<PlanDraft>,
    /// Typed results built from tool results; hosted models leave this empty and the synthesizer builds them.
    pub artifacts: Vec<Artifact>,
    /// How the figures were counted, a line each; shown folded under the answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub method: Vec<String>,
    /// The days the figures cover, where they are of some days.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub covers: Option<Covers>,
    pub follow_ups: Vec<String>,
    pub usage: Usage,
    pub stop: StopReason,
    /// Provider and model that answered.
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
    /// The model's own mistake; told to it, it may do better.
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

    /// How long the provider wants to be left alone.
    pub const fn retry_after_ms(&self) -> Option<u64> {
        match self {
            Self::RateLimited { retry_after_ms } | Self::Unavailable { retry_after_ms, .. } => *retry_after_ms,
            Self::Rejected(_) | Self::Malformed(_) => None,
        }
    }
}

/// A piece of the answer as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delta {
    Text(String),
    Thinking(String),
}

/// Takes deltas while the model writes.
#[async_trait]
pub trait TextSink: Send {
    async fn push(&mut self, delta: Delta);

    /// So many bytes of a call came, which are not pushed.
    fn unshown(&mut self, _bytes: u64) {}

    /// What an answer cost that comes back as an error: it broke off, or could not be used.
    fn wasted(&mut self, _: Usage) {}
}

/// A model of one tier.
#[async_trait]
pub trait Model: Send + Sync {
    /// `local`, `anthropic/…`, `openai/…`: shown to people.
    fn id(&self) -> &str;

    /// The most this request can cost.
    fn quote(&self, _: &ModelRequest) -> Quote {
        Quote::default()
    }

    async fn complete(&self, request: &ModelRequest, sink: &mut dyn TextSink) -> Result<ModelReply, ModelError>;
}

/// Which model serves a tier. `wanted` is the person's choice from the context settings (`None` = the server's default).
pub trait Models: Send + Sync {
    fn model(&self, tier: ModelTier, wanted: Option<&str>) -> std::sync::Arc<dyn Model>;
}
