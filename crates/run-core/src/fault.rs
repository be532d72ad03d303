//! What went wrong with a call, in the machine's own terms. It must never contain a secret, because we store and show it.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// Rate limit, timeout, 5xx: the same call may work later.
    Retryable,
    /// The same call will fail again.
    Deterministic,
    /// The arguments do not fit the schema. Nothing was sent.
    Invalid,
    /// The arguments name an unknown entity. Nothing was sent.
    Ungrounded,
    NotConnected,
    Disabled,
    AuthFailed,
    /// The context settings (strict mode, safe mode) forbid the call. Nothing was sent.
    OutOfContext,
    /// We sent a write and do not know whether it took effect.
    UnknownOutcome,
    /// The run already made the same call with the same arguments.
    Duplicate,
    /// The tool does not exist, or this turn may not use it.
    UnknownTool,
}

impl FaultKind {
    pub const fn is_retryable(self) -> bool {
        matches!(self, Self::Retryable)
    }
}

/// What is wrong with one argument, with existing candidates to choose from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Issue {
    pub pointer: String,
    pub message: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<(String, String)>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    pub kind: FaultKind,
    /// A code such as `RATE_LIMITED` or `NOT_FOUND`, for people and the model.
    pub code: String,
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guidance: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<Issue>,
}

impl Fault {
    pub fn new(kind: FaultKind, code: &str, message: impl Into<String>) -> Self {
        Self { kind, code: code.into(), message: message.into(), guidance: None, issues: Vec::new() }
    }

    #[must_use]
    pub fn with_guidance(mut self, guidance: impl Into<String>) -> Self {
        self.guidance = Some(guidance.into());
        self
    }

    /// Returns what the model gets in place of a result. The step shows the same JSON.
    pub fn to_json(&self) -> serde_json::Value {
        let mut error = serde_json::json!({ "code": self.code, "message": self.message });
        if let Some(guidance) = &self.guidance {
            error["guidance"] = guidance.clone().into();
        }
        if !self.issues.is_empty() {
            error["issues"] = self
                .issues
                .iter()
                .map(|issue| {
                    let mut out = serde_json::json!({ "pointer": issue.pointer, "message": issue.message });
                    if !issue.candidates.is_empty() {
                        out["candidates"] = issue
                            .candidates
                            .iter()
                            .map(|(id, name)| serde_json::json!({ "id": id, "name": name }))
                            .collect();
                    }
                    out
                })
                .collect();
        }
        serde_json::json!({ "error": error })
    }
}
