//! Why a call was not made, or what its source answered. Messages are for people and the model, and never contain a secret.

use adagent_contract::FieldError;
use adagent_domain::Network;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolErrorClass {
    /// Rate limit, timeout or 5xx, after the transport's own retries.
    Retryable,
    /// The same call would fail again: invalid argument, not found, permission denied, already exists.
    Deterministic,
    /// The arguments do not fit the schema or name unknown entities; nothing was sent.
    Invalid,
    NotConnected,
    Disabled,
    AuthFailed,
    /// Context settings forbid it (strict mode, safe mode); nothing was sent.
    OutOfContext,
    /// A write was sent, and its outcome is unknown.
    UnknownOutcome,
}

/// The code of a read for which we stopped waiting, because the answer is due.
pub const OUT_OF_TIME: &str = "OUT_OF_TIME";

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct ToolError {
    pub class: ToolErrorClass,
    /// `RATE_LIMITED`, `NOT_FOUND`, `PERMISSION_DENIED`, `INVALID_ARGUMENT`, `TIMEOUT` …
    pub code: String,
    /// The message for people and the model. Never contains a secret.
    pub message: String,
    /// What to do: "Use `admob_list_ad_sources` to get valid ids."
    pub guidance: Option<String>,
    pub errors: Vec<FieldError>,
}

impl ToolError {
    pub fn new(class: ToolErrorClass, code: &str, message: impl Into<String>) -> Self {
        Self { class, code: code.to_owned(), message: message.into(), guidance: None, errors: Vec::new() }
    }

    #[must_use]
    pub fn guide(mut self, guidance: impl Into<String>) -> Self {
        self.guidance = Some(guidance.into());
        self
    }

    #[must_use]
    pub fn with_errors(mut self, errors: Vec<FieldError>) -> Self {
        self.errors = errors;
        self
    }

    pub fn invalid(message: impl Into<String>, errors: Vec<FieldError>) -> Self {
        Self::new(ToolErrorClass::Invalid, "INVALID_ARGUMENT", message).with_errors(errors)
    }

    pub fn unknown_tool(name: &str) -> Self {
        Self::new(ToolErrorClass::Deterministic, "UNKNOWN_TOOL", format!("There is no tool named `{name}`."))
    }

    pub fn not_connected(network: Network) -> Self {
        Self::new(
            ToolErrorClass::NotConnected,
            "NOT_CONNECTED",
            format!("{} is not connected.", network.display_name()),
        )
        .guide(format!("Connect it under /settings/networks?connect={}.", network.id()))
    }

    pub fn disabled(network: Network) -> Self {
        Self::new(ToolErrorClass::Disabled, "DISABLED", format!("{} is turned off.", network.display_name()))
            .guide("Turn it on in your scope or under /settings/networks.")
    }

    /// Makes the error for a change that was approved for another connection than the current one.
    pub fn connection_changed(network: Network) -> Self {
        let message =
            format!("{} was reconnected after you approved this, so nothing was sent.", network.display_name());
        Self::new(ToolErrorClass::Deterministic, "CONNECTION_CHANGED", message)
            .guide("Propose the change again; its card shows where it goes now.")
    }

    pub fn auth_failed(network: Network) -> Self {
        Self::new(
            ToolErrorClass::AuthFailed,
            "AUTH_FAILED",
            format!("{} no longer accepts the stored credentials.", network.display_name()),
        )
        .guide(format!("Reconnect it under /settings/networks?connect={}.", network.id()))
    }

    /// Makes the error for a call that the agent may not make. `why` says what somebody would have to grant.
    pub fn not_granted(why: impl Into<String>) -> Self {
        Self::new(ToolErrorClass::OutOfContext, "NOT_GRANTED", why)
    }

    pub fn out_of_context(message: impl Into<String>) -> Self {
        Self::new(ToolErrorClass::OutOfContext, "OUT_OF_CONTEXT", message)
    }
}
