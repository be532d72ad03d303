//! The state of a turn.

use adagent_contract::{Artifact, Covers, DecidedBy, ModelTier, Path, Plan};
use adagent_domain::{Network, ToolCallId};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::{Call, Ledger, Node};

/// What the router decided about the question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Route {
    pub services: Vec<Network>,
    pub capability: String,
    pub path: Path,
    pub tier: ModelTier,
    pub confidence: f64,
    pub decided_by: DecidedBy,
    /// What the understanding read from the question, as its own JSON. This crate does not look into it.
    #[serde(default)]
    pub understood: Json,
}

/// A round of this turn, as the model sees it. Tool results follow their calls.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Round {
    Assistant { text: String, calls: Vec<ToolCallId> },
    Guidance { content: String },
}

/// Failed rounds in a row. A round without a failure resets both counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failures {
    pub retryable: u32,
    pub deterministic: u32,
}

/// Something that happens at most once in a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Once {
    #[default]
    NotYet,
    Needed,
    Done,
}

/// The ways back in the graph (`needs_reroute`, `needs_entity_refresh`). A run takes each of them once at most.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Backflow {
    pub reroute: Once,
    pub entity_refresh: Once,
}

/// An answer that people have not received yet.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Draft {
    pub text: String,
    #[serde(default)]
    pub artifacts: Vec<Artifact>,
    #[serde(default)]
    pub follow_ups: Vec<String>,
    /// How the numbers were counted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub method: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub covers: Option<Covers>,
    /// Bytes of the text that readers have already seen.
    #[serde(default)]
    pub streamed: usize,
    /// The model that wrote it.
    #[serde(default)]
    pub model: String,
}

/// Everything that a turn needs to continue. It holds no secret and no large result; it refers to results by call ID.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    pub ledger: Ledger,
    pub node: Node,
    #[serde(default)]
    pub iterations: u32,
    #[serde(default)]
    pub failures: Failures,
    #[serde(default)]
    pub rewrites: u32,
    #[serde(default)]
    pub backflow: Backflow,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub route: Option<Route>,
    /// Names of the tools bound to the model.
    #[serde(default)]
    pub tools: Vec<String>,
    #[serde(default)]
    pub rounds: Vec<Round>,
    /// The steps of a message that wants several things.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Plan>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draft: Option<Draft>,
}

impl Turn {
    /// Makes a turn that has not read its message yet.
    pub const fn new(ledger: Ledger) -> Self {
        Self {
            ledger,
            node: Node::Router,
            iterations: 0,
            failures: Failures { retryable: 0, deterministic: 0 },
            rewrites: 0,
            backflow: Backflow { reroute: Once::NotYet, entity_refresh: Once::NotYet },
            route: None,
            tools: Vec::new(),
            rounds: Vec::new(),
            plan: None,
            draft: None,
        }
    }

    /// Checks whether the question is talk or about documentation and the run made no call. Such an answer contains no numbers.
    pub fn is_talk(&self) -> bool {
        let talk = |route: &Route| matches!(route.capability.as_str(), "assistant" | "docs");
        self.ledger.calls.is_empty() && self.route.as_ref().is_some_and(talk)
    }

    pub fn call(&self, id: ToolCallId) -> Option<&Call> {
        self.ledger.call(id)
    }

    pub(crate) fn last_calls(&self) -> &[ToolCallId] {
        let calls = self.rounds.iter().rev().find_map(|round| match round {
            Round::Assistant { calls, .. } => Some(calls.as_slice()),
            Round::Guidance { .. } => None,
        });
        calls.unwrap_or_default()
    }
}
