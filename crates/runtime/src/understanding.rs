//! What the driver asks of the understanding: route, choose tools, check an answer. Microseconds, no I/O.

use std::sync::Arc;

use adagent_networks::ToolInfo;
use adagent_run_core::Verdict;
use adagent_understanding::{Question, Understood};
use serde_json::Value as Json;

/// A written answer and what it rests on.
#[derive(Debug, Clone, Copy)]
pub struct Checked<'a> {
    pub question: &'a str,
    pub understood: &'a Understood,
    pub answer: &'a str,
    /// Name and result of each call that worked, in order.
    pub results: &'a [(&'a str, &'a Json)],
}

/// Understanding, as the driver needs it.
pub trait Understanding: Send + Sync {
    fn route(&self, question: &Question) -> Understood;

    /// Names of the tools to bind, best first.
    fn retrieve(&self, understood: &Understood, tools: &[Arc<ToolInfo>]) -> Vec<String>;

    fn verify(&self, checked: &Checked<'_>) -> Verdict;
}
