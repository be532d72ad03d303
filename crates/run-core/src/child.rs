//! Runs that a run begins: what for, and how they end.

use adagent_contract::{AgentRef, Artifact, ContextSettings, RunStatus};
use adagent_domain::{AgentId, DefinitionId, MessageId, RunId};
use serde_json::Value as Json;

use crate::Spent;

/// A run that begins with this step and not without it.
#[derive(Debug, Clone, PartialEq)]
pub struct Child {
    pub run: RunId,
    /// Which step of the parent began it: of one path there is one child.
    pub path: String,
    pub does: ChildWork,
}

/// What a run is begun for.
#[derive(Debug, Clone, PartialEq)]
pub enum ChildWork {
    Flow {
        definition: DefinitionId,
        /// Hash of the definition as it was when the parent began.
        hash: String,
        inputs: Json,
    },
    /// An agent answers a message, in the chat of the run that asks.
    Turn { message: MessageId, asked: Box<AgentTask> },
}

/// What one agent asks another.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentTask {
    pub agent: AgentId,
    pub mark: AgentRef,
    pub task: String,
    pub model: String,
    pub settings: ContextSettings,
}

/// How a run ended that this one began.
#[derive(Debug, Clone, PartialEq)]
pub struct ChildEnd {
    pub run: RunId,
    pub status: RunStatus,
    pub answer: Option<String>,
    /// How its figures were counted.
    pub method: Vec<String>,
    pub artifacts: Vec<Artifact>,
    /// What may be asked next.
    pub follow_ups: Vec<String>,
    /// With what the runs below it spent.
    pub spent: Spent,
}
