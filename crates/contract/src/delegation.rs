//! Delegation: a run asks another agent, which answers in its own run.

use adagent_domain::RunId;
use serde::{Deserialize, Serialize};

use crate::AgentRef;

/// The tool that asks an agent. A call of it begins a run, and that run's answer is the result of the call.
pub const ASK_AGENT: &str = "ask_agent";
/// How many levels of runs there may be below the run that a person asked for.
pub const MOST_DEPTH: u32 = 3;
/// The most characters of what one agent asks another.
pub const MOST_TASK: usize = 4_000;

/// The arguments of [`ASK_AGENT`].
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct TaskArgs {
    /// The agent's handle, as somebody wrote it.
    pub agent: String,
    pub task: String,
}

/// The agent that a call asks, and the run in which that agent answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delegation {
    /// Not called `run_id`, because in events that name means the run that the event belongs to.
    pub task_run_id: RunId,
    pub agent: AgentRef,
}
