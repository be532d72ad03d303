//! Shorthands for the errors tools give. Messages are for people and the model, never with a secret.

use adagent_contract::FieldError;
use adagent_domain::Network;

use crate::{ToolError, ToolErrorClass};

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

    /// What was looked at and approved lies in another connection than the one there is now.
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

    pub fn out_of_context(message: impl Into<String>) -> Self {
        Self::new(ToolErrorClass::OutOfContext, "OUT_OF_CONTEXT", message)
    }
}
