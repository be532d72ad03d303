//! RFC 9457 problem details: the one form of every error that leaves the server.

use serde::{Deserialize, Serialize};

/// Stable codes for programs.
pub mod codes {
    pub const BAD_REQUEST: &str = "bad_request";
    pub const VALIDATION: &str = "validation_failed";
    pub const UNAUTHENTICATED: &str = "unauthenticated";
    pub const WRONG_CREDENTIALS: &str = "wrong_credentials";
    /// The password is right; the code of the authenticator app must follow.
    pub const SECOND_FACTOR_REQUIRED: &str = "second_factor_required";
    /// The code is neither from the authenticator app nor a recovery code.
    pub const WRONG_CODE: &str = "wrong_code";
    /// The person signed in too long ago for this request.
    pub const SIGN_IN_AGAIN: &str = "sign_in_again";
    /// The provider has not verified the person's address.
    pub const GOOGLE_UNVERIFIED: &str = "google_unverified";
    /// An account with this address exists. Its owner must sign in and link Google there.
    pub const GOOGLE_LINK_FIRST: &str = "google_link_first";
    /// The Google account belongs to another account here, or this account has another one.
    pub const GOOGLE_TAKEN: &str = "google_taken";
    /// The round trip to Google did not finish.
    pub const GOOGLE_FAILED: &str = "google_failed";
    /// The token in `Authorization: Bearer` never existed, or it is no longer valid.
    pub const INVALID_TOKEN: &str = "invalid_token";
    /// The token is valid, but its scopes do not cover this request.
    pub const INSUFFICIENT_SCOPE: &str = "insufficient_scope";
    pub const FORBIDDEN: &str = "forbidden";
    pub const NOT_FOUND: &str = "not_found";
    pub const METHOD_NOT_ALLOWED: &str = "method_not_allowed";
    pub const CONFLICT: &str = "conflict";
    pub const TOO_MANY_WAITING: &str = "too_many_waiting";
    pub const APPROVAL_ANSWERED: &str = "approval_already_answered";
    pub const IDEMPOTENCY_MISMATCH: &str = "idempotency_key_reused";
    pub const TOO_LARGE: &str = "payload_too_large";
    pub const UNSUPPORTED_MEDIA_TYPE: &str = "unsupported_media_type";
    pub const RATE_LIMITED: &str = "rate_limited";
    pub const CROSS_ORIGIN: &str = "cross_origin";
    pub const NETWORK_NOT_CONNECTED: &str = "network_not_connected";
    pub const NETWORK_AUTH_FAILED: &str = "network_auth_failed";
    pub const NETWORK_UNAVAILABLE: &str = "network_unavailable";
    /// The network knows the credentials but denies access, or the request to it failed.
    pub const NETWORK_REFUSED: &str = "network_refused";
    /// This server sends no email.
    pub const MAIL_OFF: &str = "mail_off";
    pub const INVITE_EXPIRED: &str = "invite_expired";
    pub const INVITE_DEACTIVATED: &str = "invite_deactivated";
    pub const INVITE_USED_UP: &str = "invite_used_up";
    pub const ALREADY_MEMBER: &str = "already_member";
    pub const SANDBOX_OFF: &str = "sandbox_off";
    pub const INTERNAL: &str = "internal";
    pub const UNAVAILABLE: &str = "unavailable";
}

/// What is wrong with one field; a JSON pointer names the field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldError {
    pub pointer: String,
    pub message: String,
}

impl FieldError {
    pub fn new(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), message: message.into() }
    }

    /// Translates serde's message about a place. The result says what we expect and does not repeat the value, which might be a password in
    /// the wrong field.
    pub fn explained(pointer: &str, message: &str) -> Self {
        let quoted = |prefix: &str| message.strip_prefix(prefix).and_then(|rest| rest.split('`').next());
        if let Some(name) = quoted("missing field `") {
            return Self::new(format!("{pointer}/{name}"), format!("The field {name:?} is missing."));
        }
        if let Some(name) = quoted("unknown field `") {
            // The path of an unknown field already ends with its name.
            let named = pointer.rsplit('/').next() == Some(name);
            let pointer = if named { pointer.to_owned() } else { format!("{pointer}/{name}") };
            return Self::new(pointer, "Unknown field.");
        }
        if message.starts_with("unknown variant")
            && let Some((_, known)) = message.split_once(", expected ")
        {
            return Self::new(pointer, format!("Expected {}.", known.replace('`', "\"")));
        }
        if let Some((_, expected)) = message.rsplit_once(", expected ") {
            return Self::new(pointer, format!("Expected {}.", friendly(expected)));
        }
        if message.contains("UUID") {
            return Self::new(pointer, "Expected an ID (a UUID).");
        }
        let message = message.strip_prefix("invalid value: ").unwrap_or(message);
        let mut text: String = message.chars().take(200).collect();
        if !text.ends_with('.') {
            text.push('.');
        }
        Self::new(pointer, text)
    }
}

fn friendly(expected: &str) -> &str {
    match expected {
        "a boolean" => "true or false",
        "a formatted UUID string" | "a UUID string" => "an ID (a UUID)",
        other if other.starts_with("struct ") || other == "a map" => "an object",
        "a sequence" => "a list",
        other => other,
    }
}

/// The body of an `application/problem+json` answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{title}: {detail}")]
pub struct Problem {
    #[serde(rename = "type")]
    pub kind: String,
    pub title: String,
    pub status: u16,
    pub detail: String,
    pub code: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// The run that the request was about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<FieldError>,
}

impl Problem {
    pub fn new(status: u16, code: &str, title: impl Into<String>, detail: impl Into<String>) -> Self {
        Self {
            kind: "about:blank".into(),
            title: title.into(),
            status,
            detail: detail.into(),
            code: code.into(),
            request_id: None,
            run_id: None,
            errors: Vec::new(),
        }
    }

    #[must_use]
    pub fn with_errors(mut self, errors: Vec<FieldError>) -> Self {
        self.errors = errors;
        self
    }
}
