//! Runs that another run begins: why they begin, and how they end.

use adagent_contract::{AgentRef, Artifact, ContextSettings, RunStatus};
use adagent_domain::{AgentId, DefinitionId, MessageId, RunId};
use serde_json::Value as Json;

use crate::Spent;

/// A run that a step begins. The run is stored together with the step, or not at all.
#[derive(Debug, Clone, PartialEq)]
pub struct Child {
    pub run: RunId,
    /// The step of the parent that began the run. A path has only one child.
    pub path: String,
    pub does: ChildWork,
}

/// Why a run begins.
#[derive(Debug, Clone, PartialEq)]
pub enum ChildWork {
    Flow {
        definition: DefinitionId,
        /// Hash of the definition at the time the parent began.
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

/// How a run ended, for the run that began it.
#[derive(Debug, Clone, PartialEq)]
pub struct ChildEnd {
    pub run: RunId,
    pub status: RunStatus,
    pub answer: Option<String>,
    /// How its numbers were counted.
    pub method: Vec<String>,
    pub artifacts: Vec<Artifact>,
    /// Questions to suggest next.
    pub follow_ups: Vec<String>,
    /// The spending of the run, including the runs below it.
    pub spent: Spent,
}
