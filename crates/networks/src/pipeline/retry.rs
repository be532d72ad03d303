//! Decides whether to repeat a failed attempt, after which wait, and what the failure means if not. This module is pure.
//!
//! Reads, and writes that are idempotent with these exact arguments, get up to three retries of transient failures. Other writes get none.
//! If any attempt of a write may have been applied without a definite answer, the outcome is unknown, and the error says so, whatever later
//! attempts returned.

use std::time::Duration;

use adagent_domain::{Network, Timestamp};
use serde_json::Value as Json;

use super::{hush::Secrets, refusal::Refusal};
use crate::Operation;
use adagent_tools::{ToolError, ToolErrorClass};

pub const MAX_RETRIES: u32 = 3;
const BASE_WAIT: Duration = Duration::from_millis(250);
/// If a network asks for a longer wait, only a caller with more patience waits; others get the error.
const MAX_WAIT: Duration = Duration::from_secs(30);

/// What a failure needs to know about the operation.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    pub network: Network,
    pub name: &'a str,
    pub read_only: bool,
    pub schema: Option<&'a Json>,
}

impl<'a> From<&'a Operation> for Subject<'a> {
    fn from(tool: &'a Operation) -> Self {
        Self { network: tool.network, name: &tool.name, read_only: tool.read_only, schema: Some(&tool.input_schema) }
    }
}

/// How one attempt failed.
#[derive(Debug, Clone, PartialEq)]
pub enum Attempt {
    /// No connection: the request was never sent.
    NotSent(String),
    /// A value of the connection does not fit into a request, so it can never be sent.
    Unsendable(String),
    /// The host's name leads into our own network, so the request was never sent.
    OffLimits,
    /// 429.
    RateLimited { retry_after: Option<Duration>, refusal: Refusal },
    /// 401.
    Unauthorized(Refusal),
    /// Any other definite refusal.
    Refused(Refusal),
    /// 5xx.
    Server { retry_after: Option<Duration>, refusal: Refusal },
    /// No reply in time.
    Timeout,
    /// The reply began, and then nothing more arrived.
    Stalled,
    /// The reply was cut off or cannot be read.
    Broken { code: &'static str, why: String },
    /// The reply is larger than this program accepts.
    TooLarge,
}

/// What to do about a failure.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    Retry { wait: Duration, why: String },
    Fail(ToolError),
}

impl Attempt {
    pub fn broken(code: &'static str, why: &str) -> Self {
        Self::Broken { code, why: why.to_owned() }
    }

    pub fn cut() -> Self {
        Self::broken("TRUNCATED_REPLY", "the connection was cut")
    }

    /// Checks whether the network may have made the change although this attempt failed.
    pub const fn may_have_applied(&self) -> bool {
        match self {
            Self::Server { .. } | Self::Timeout | Self::Stalled | Self::Broken { .. } | Self::TooLarge => true,
            Self::NotSent(_)
            | Self::Unsendable(_)
            | Self::OffLimits
            | Self::RateLimited { .. }
            | Self::Unauthorized(_)
            | Self::Refused(_) => false,
        }
    }

    /// Returns whether the network works; `None` if this attempt does not show it.
    pub const fn healthy(&self) -> Option<bool> {
        match self {
            Self::Unsendable(_) | Self::OffLimits => None,
            Self::Refused(_) | Self::RateLimited { .. } | Self::Unauthorized(_) | Self::TooLarge => Some(true),
            Self::NotSent(_) | Self::Server { .. } | Self::Timeout | Self::Stalled | Self::Broken { .. } => Some(false),
        }
    }

    /// Hides the secrets in the network's texts.
    #[must_use]
    pub fn without(mut self, secrets: &Secrets) -> Self {
        if let Self::RateLimited { refusal, .. }
        | Self::Unauthorized(refusal)
        | Self::Refused(refusal)
        | Self::Server { refusal, .. } = &mut self
        {
            refusal.hide(secrets);
        }
        self
    }
}

/// Decides about a failed attempt. `may_repeat`: see [`crate::adapters::may_repeat`]. `attempt` counts from 1; `jitter` is between 0 and 1.
/// `patience` is how long the caller can wait, which is never less than [`MAX_WAIT`].
pub fn decide(
    subject: &Subject<'_>,
    may_repeat: bool,
    attempt: u32,
    outcome: &Attempt,
    jitter: f64,
    patience: Duration,
) -> Decision {
    if may_repeat
        && attempt <= MAX_RETRIES
        && let Some((wait, why)) = transient(subject.network, attempt, outcome, jitter, patience.max(MAX_WAIT))
    {
        return Decision::Retry { wait, why };
    }
    Decision::Fail(error(subject, outcome))
}

fn transient(
    network: Network,
    attempt: u32,
    outcome: &Attempt,
    jitter: f64,
    patience: Duration,
) -> Option<(Duration, String)> {
    let name = network.display_name();
    let (asked, why) = match outcome {
        Attempt::NotSent(_) => (None, format!("{name} couldn't be reached")),
        Attempt::Timeout => (None, format!("{name} didn't respond in time")),
        Attempt::Stalled => (None, format!("{name}'s reply stopped partway")),
        Attempt::Broken { code: "TRUNCATED_REPLY", .. } => (None, format!("{name}'s reply was cut off")),
        Attempt::Broken { why, .. } => (None, format!("{name}'s reply could not be read ({why})")),
        Attempt::RateLimited { retry_after, .. } => (*retry_after, format!("{name} asks us to slow down")),
        Attempt::Server { retry_after, refusal } => (*retry_after, format!("{name} failed with {}", refusal.status)),
        Attempt::Unsendable(_)
        | Attempt::OffLimits
        | Attempt::Unauthorized(_)
        | Attempt::Refused(_)
        | Attempt::TooLarge => return None,
    };
    // Wait between half and all of the doubled base, so that callers that failed together do not return together.
    let backoff = BASE_WAIT * 2_u32.pow(attempt - 1);
    let spread = backoff.mul_f64(0.5 + jitter.clamp(0.0, 1.0) / 2.0);
    let wait = asked.map_or(spread, |asked| asked + spread / 4);
    (wait <= patience).then_some((wait, why))
}

/// Writes a wait as "17 seconds", "10 minutes" or "3 hours", rounded up so that the next try is not too early.
pub fn in_words(wait: Duration) -> String {
    let unit = |count: u64, name: &str| format!("{count} {name}{}", if count == 1 { "" } else { "s" });
    match wait.as_millis().div_ceil(1000).max(1).try_into().unwrap_or(u64::MAX) {
        seconds @ 0..120 => unit(seconds, "second"),
        seconds @ 120..7200 => unit(seconds.div_ceil(60), "minute"),
        seconds => unit(seconds.div_ceil(3600), "hour"),
    }
}

/// Writes a time as "12:04:37 UTC".
pub fn time_of_day(at: Timestamp) -> String {
    let text = at.to_string();
    let time = text.split_once('T').map_or(text.as_str(), |(_, time)| time);
    format!("{} UTC", time.get(..8).unwrap_or(time))
}

/// Turns an error into an unknown outcome, because an earlier attempt of the write may have been applied.
pub fn unclear_after(subject: &Subject<'_>, last: ToolError) -> ToolError {
    if subject.read_only || last.class == ToolErrorClass::UnknownOutcome {
        return last;
    }
    let message = format!(
        "An earlier attempt may have reached {}. After that: {} We don't know whether the change was made.",
        subject.network.display_name(),
        last.message
    );
    let (code, errors) = (last.code, last.errors);
    ToolError::new(ToolErrorClass::UnknownOutcome, &code, message)
        .with_errors(errors)
        .guide("Check at the network before you send it again.")
}

fn error(subject: &Subject<'_>, outcome: &Attempt) -> ToolError {
    let name = subject.network.display_name();
    let retryable = |code: &str, message: String| ToolError::new(ToolErrorClass::Retryable, code, message);
    let unclear = |code: &str, what: String| {
        if subject.read_only {
            retryable(code, what).guide("It may work later; try again or ask for less.")
        } else {
            ToolError::new(
                ToolErrorClass::UnknownOutcome,
                code,
                format!("{what} We don't know whether the change was made."),
            )
            .guide("Check at the network before you send it again.")
        }
    };
    match outcome {
        Attempt::NotSent(why) => {
            retryable("UNREACHABLE", format!("We couldn't reach {name} ({why}). Nothing was sent."))
                .guide("Try again later.")
        }
        Attempt::Unsendable(what) => ToolError::new(
            ToolErrorClass::Invalid,
            "CREDENTIAL_UNUSABLE",
            format!("The {name} connection contains something that can't be sent ({what}). Nothing was sent."),
        )
        .guide(format!(
            "Enter its fields again under /settings/networks?connect={}; one has a line break or an unusual character.",
            subject.network.id()
        )),
        Attempt::OffLimits => ToolError::new(
            ToolErrorClass::Deterministic,
            "ADDRESS_NOT_PUBLIC",
            format!("A {name} host resolves to a private address. Nothing was sent."),
        )
        .guide("Ask your administrator to check the server's DNS."),
        Attempt::RateLimited { retry_after, refusal } => {
            let wait = retry_after
                .map(|wait| {
                    let seconds = wait.as_secs().max(1);
                    format!(" It asks us to wait {seconds} seconds. Ask again in {}.", in_words(wait))
                })
                .unwrap_or_default();
            retryable("RATE_LIMITED", format!("{name} is rejecting requests for now: {}{wait}", refusal.sentence()))
                .guide("Wait a bit, or ask for less at once.")
        }
        Attempt::Unauthorized(_) => ToolError::auth_failed(subject.network),
        Attempt::Refused(refusal) => refusal.to_error(subject),
        Attempt::Server { refusal, .. } => {
            unclear("UNAVAILABLE", format!("{name} failed with status {}: {}", refusal.status, refusal.sentence()))
        }
        Attempt::Timeout => unclear("TIMEOUT", format!("{name} didn't respond in time.")),
        Attempt::Stalled => unclear("TIMEOUT", format!("{name}'s reply stopped partway.")),
        Attempt::Broken { code, why } => unclear(code, format!("We couldn't read {name}'s reply ({why}).")),
        Attempt::TooLarge if subject.read_only => {
            ToolError::new(ToolErrorClass::Deterministic, "TOO_LARGE", format!("{name}'s reply is too large."))
                .guide("Ask for a shorter period or fewer dimensions.")
        }
        Attempt::TooLarge => unclear("TOO_LARGE", format!("{name}'s reply is too large.")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Catalogue;

    fn tool(name: &str) -> std::sync::Arc<Operation> {
        Catalogue::built_in().expect("loads").get(name).expect("known").clone()
    }

    fn server() -> Attempt {
        Attempt::Server { retry_after: None, refusal: Refusal::bare(503) }
    }

    fn class(decision: Decision) -> Option<ToolErrorClass> {
        match decision {
            Decision::Retry { .. } => None,
            Decision::Fail(error) => Some(error.class),
        }
    }

    #[test]
    fn reads_are_retried_three_times_and_then_stay_retryable() {
        let read = tool("admob_list_apps");
        for attempt in 1..=3 {
            assert_eq!(class(decide(&Subject::from(&*read), true, attempt, &server(), 0.5, Duration::ZERO)), None);
        }
        assert_eq!(
            class(decide(&Subject::from(&*read), true, 4, &server(), 0.5, Duration::ZERO)),
            Some(ToolErrorClass::Retryable)
        );
    }

    #[test]
    fn a_write_is_never_repeated_and_unclear_failures_are_unknown() {
        let write = tool("admob_create_app");
        for outcome in [server(), Attempt::Timeout, Attempt::cut(), Attempt::Stalled, Attempt::TooLarge] {
            assert_eq!(
                class(decide(&Subject::from(&*write), false, 1, &outcome, 0.5, Duration::ZERO)),
                Some(ToolErrorClass::UnknownOutcome),
                "{outcome:?}"
            );
        }
        assert_eq!(
            class(decide(&Subject::from(&*write), false, 1, &Attempt::NotSent("refused".into()), 0.5, Duration::ZERO)),
            Some(ToolErrorClass::Retryable)
        );
        assert_eq!(
            class(decide(
                &Subject::from(&*write),
                false,
                1,
                &Attempt::Refused(Refusal::bare(400)),
                0.5,
                Duration::ZERO
            )),
            Some(ToolErrorClass::Deterministic)
        );
    }

    #[test]
    fn an_idempotent_write_is_retried_and_unknown_in_the_end() {
        let patch = tool("admob_update_mediation_group");
        assert_eq!(class(decide(&Subject::from(&*patch), true, 3, &Attempt::Timeout, 0.0, Duration::ZERO)), None);
        assert_eq!(
            class(decide(&Subject::from(&*patch), true, 4, &Attempt::Timeout, 0.0, Duration::ZERO)),
            Some(ToolErrorClass::UnknownOutcome)
        );
    }

    #[test]
    fn after_an_attempt_that_may_have_been_applied_a_write_is_unknown_and_a_read_is_not() {
        let refused = || ToolError::auth_failed(Network::AdMob);
        let patch = unclear_after(&Subject::from(&*tool("admob_update_mediation_group")), refused());
        assert_eq!((patch.class, patch.code.as_str()), (ToolErrorClass::UnknownOutcome, "AUTH_FAILED"));
        assert_eq!(unclear_after(&Subject::from(&*tool("admob_list_apps")), refused()), refused());
        for clear in [Attempt::NotSent("no".into()), Attempt::Refused(Refusal::bare(400))] {
            assert!(!clear.may_have_applied());
        }
        assert!(server().may_have_applied() && Attempt::Timeout.may_have_applied());
    }

    #[test]
    fn retry_after_is_honoured_and_too_long_a_wait_is_refused() {
        let read = tool("admob_list_apps");
        let limited = |seconds| Attempt::RateLimited {
            retry_after: Some(Duration::from_secs(seconds)),
            refusal: Refusal::bare(429),
        };
        match decide(&Subject::from(&*read), true, 1, &limited(2), 0.0, Duration::ZERO) {
            Decision::Retry { wait, .. } => assert!(wait >= Duration::from_secs(2) && wait < Duration::from_secs(3)),
            Decision::Fail(error) => panic!("{error}"),
        }
        match decide(&Subject::from(&*read), true, 1, &limited(600), 0.0, Duration::ZERO) {
            Decision::Fail(error) => {
                assert_eq!(error.code, "RATE_LIMITED");
                assert!(error.message.contains("600 s"));
            }
            Decision::Retry { .. } => panic!("ten minutes is too long"),
        }
    }

    #[test]
    fn who_can_wait_longer_waits_and_else_is_told_when_to_ask_again() {
        let read = tool("admob_list_apps");
        let limited = Attempt::RateLimited { retry_after: Some(Duration::from_secs(100)), refusal: Refusal::bare(429) };
        let decided = |patience| decide(&Subject::from(&*read), true, 1, &limited, 0.0, Duration::from_secs(patience));
        assert!(matches!(decided(280), Decision::Retry { wait, .. } if wait >= Duration::from_secs(100)));
        let Decision::Fail(error) = decided(60) else { panic!("longer than there is") };
        assert!(error.message.contains("Ask again in 100 seconds."), "{}", error.message);
        assert_eq!(in_words(Duration::from_millis(16_100)), "17 seconds");
        assert_eq!(
            (in_words(Duration::from_mins(10)), in_words(Duration::from_secs(7201))),
            ("10 minutes".into(), "3 hours".into())
        );
        assert_eq!(time_of_day("2026-11-26T12:04:37.5Z".parse().expect("valid")), "12:04:37 UTC");
    }
}
