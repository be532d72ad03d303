//! The state of a turn.

use adagent_contract::{Artifact, Covers, DecidedBy, ModelTier, Path, Plan};
use adagent_domain::{Network, ToolCallId};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::{Call, Ledger, Node};

/// What the router said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Route {
    pub services: Vec<Network>,
    pub capability: String,
    pub path: Path,
    pub tier: ModelTier,
    pub confidence: f64,
    pub decided_by: DecidedBy,
    /// As the understanding said it; opaque here.
    #[serde(default)]
    pub understood: Json,
}

/// A round of this turn as the model is told it; tool results follow the calls they belong to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Round {
    Assistant { text: String, calls: Vec<ToolCallId> },
    Guidance { content: String },
}

/// Rounds in a row that failed; a round without failure sets both back.
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

/// Ways back in the graph (`needs_reroute`, `needs_entity_refresh`); each is taken at most once per run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Backflow {
    pub reroute: Once,
    pub entity_refresh: Once,
}

/// An answer that is not given yet.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Draft {
    pub text: String,
    #[serde(default)]
    pub artifacts: Vec<Artifact>,
    #[serde(default)]
    pub follow_ups: Vec<String>,
    /// How the figures were counted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub method: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub covers: Option<Covers>,
    /// Bytes of the text that readers have seen already.
    #[serde(default)]
    pub streamed: usize,
    /// Which model wrote it.
    #[serde(default)]
    pub model: String,
}

/// Everything a turn needs to go on. Holds no secret and no big result; results are named by call id.
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
    /// A turn whose message is still to be read.
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

    /// Whether the question is talk or documentation and nothing was called: such an answer rests on no figures.
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
