//! The stop policy's numbers and the words of each stop. Must never end a run without an explanation.

use serde::{Deserialize, Serialize};

/// How far a run may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Turns of the model.
    pub iterations: u32,
    /// Rounds in a row with a failure that may pass.
    pub retryable: u32,
    /// Rounds in a row with a failure that will not.
    pub deterministic: u32,
    /// Working time, waiting for people not counted.
    pub deadline_ms: i64,
    pub tokens: u64,
    pub cost_micros: i64,
    /// How often the verifier may send an answer back.
    pub rewrites: u32,
    /// How long a question to a person stays open.
    pub approval_ms: i64,
    /// Calls of one turn.
    pub calls_per_turn: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            iterations: 15,
            retryable: 3,
            deterministic: 2,
            deadline_ms: 300_000,
            tokens: 400_000,
            cost_micros: 2_000_000,
            rewrites: 2,
            approval_ms: 7 * 24 * 3_600_000,
            calls_per_turn: 12,
        }
    }
}

/// Why the stop policy ends a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    Iterations(u32),
    Retryable {
        times: u32,
        last: String,
    },
    Deterministic {
        times: u32,
        last: String,
    },
    Deadline,
    Tokens(u64),
    Cost,
    Unverified(String),
    Empty,
    /// The model could not be asked.
    Model {
        message: String,
        retryable: bool,
    },
}

impl Stop {
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Iterations(_) => "max_iterations",
            Self::Retryable { .. } => "max_retries",
            Self::Deterministic { .. } => "deterministic_failure",
            Self::Deadline => "deadline_exceeded",
            Self::Tokens(_) => "token_limit",
            Self::Cost => "cost_limit",
            Self::Unverified(_) => "unverified_answer",
            Self::Empty => "empty_answer",
            Self::Model { .. } => "model_unavailable",
        }
    }

    /// What happened and what can be done, for people.
    pub fn explain(&self) -> String {
        match self {
            Self::Iterations(n) => format!(
                "I stopped after {n} rounds without reaching an answer. Try a narrower question, for example one app or a shorter period."
            ),
            Self::Retryable { times, last } => {
                format!(
                    "I stopped after {times} failed attempts: {last} This often passes; ask again in a few minutes."
                )
            }
            Self::Deterministic { times, last } => format!(
                "I stopped after {times} attempts that would fail again the same way: {last} \
                 You can correct the arguments yourself with the developer override, or ask differently."
            ),
            Self::Deadline => {
                "I stopped because this took longer than one run may take. Ask for less at once, or ask again to go on."
                    .into()
            }
            Self::Tokens(n) => {
                format!("I stopped because this run used up its {n} tokens. Ask for less at once, or start a new chat.")
            }
            Self::Cost => "I stopped because this run reached its cost limit. Ask for less at once.".into(),
            Self::Unverified(why) => format!(
                "I could not back up my answer with what the network returned, so I am not showing it: {why} \
                 The results themselves are in the steps above."
            ),
            Self::Empty => {
                "The model gave no answer. Ask again, or choose another model in the context settings.".into()
            }
            Self::Model { message, retryable } => {
                let advice = if *retryable {
                    "Ask again in a moment, or choose another model in the context settings."
                } else {
                    "Choose another model in the context settings, or ask an administrator to check the model's configuration."
                };
                format!("The model could not be asked: {message}. {advice}")
            }
        }
    }

    pub const fn is_retryable(&self) -> bool {
        match self {
            Self::Model { retryable, .. } => *retryable,
            Self::Retryable { .. } | Self::Deadline | Self::Empty => true,
            _ => false,
        }
    }

    pub const fn allows_override(&self) -> bool {
        matches!(self, Self::Deterministic { .. })
    }
}
