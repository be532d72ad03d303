//! Delegation: a run asks another agent, which answers in a run of its own.

use adagent_domain::RunId;
use serde::{Deserialize, Serialize};

use crate::AgentRef;

/// The tool that asks an agent. Its call begins a run; what that run answers is the result of the call.
pub const ASK_AGENT: &str = "ask_agent";
/// Runs below each other: the one a person asked for is above all of them.
pub const MOST_DEPTH: u32 = 3;
/// Characters of what one agent asks another.
pub const MOST_TASK: usize = 4_000;

/// Who was asked, and in which run the answer is worked out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delegation {
    /// Events say `run_id` of the run they are of.
    pub task_run_id: RunId,
    pub agent: AgentRef,
}
