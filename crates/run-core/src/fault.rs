//! What went wrong with a call, in the machine's own vocabulary. Never carries a secret: it is stored and shown.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// Rate limit, timeout, 5xx: the same call may work later.
    Retryable,
    /// The same call will fail again.
    Deterministic,
    /// Arguments do not fit the schema; nothing was sent.
    Invalid,
    /// An entity the arguments name is unknown; nothing was sent.
    Ungrounded,
    NotConnected,
    Disabled,
    AuthFailed,
    /// Forbidden by the context settings (strict mode, safe mode); nothing was sent.
    OutOfContext,
    /// A write was sent and its outcome is not known.
    UnknownOutcome,
    /// The same call with the same arguments was made before.
    Duplicate,
    /// No such tool, or not one bound to this turn.
    UnknownTool,
}

impl FaultKind {
    pub const fn is_retryable(self) -> bool {
        matches!(self, Self::Retryable)
    }
}

/// What is wrong with one argument, with candidates that exist.
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
    /// `RATE_LIMITED`, `NOT_FOUND` … shown to people and the model.
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

    /// What the model is told in place of a result; also the step's JSON view.
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
