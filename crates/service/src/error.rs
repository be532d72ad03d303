//! All errors of use cases, and the one place that turns them into problems for the wire.

use adagent_contract::{FieldError, Problem, TokenScope, codes};
use adagent_domain::{Denied, Network};
use adagent_store::StoreError;

pub type ServiceResult<T> = Result<T, ServiceError>;

#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// Fields are wrong; a JSON pointer names each one.
    #[error("{} field(s) are not valid", .0.len())]
    Validation(Vec<FieldError>),
    #[error("not signed in")]
    Unauthenticated,
    #[error("incorrect email or password")]
    WrongCredentials,
    #[error("the code is wrong")]
    WrongCode,
    /// The person signed in too long ago to do this without another proof.
    #[error("signed in too long ago")]
    SignInAgain,
    /// The token is unknown, expired or revoked; all three look the same.
    #[error("the access token is not valid")]
    InvalidToken,
    /// The token is valid, but was made for something else.
    #[error("the access token is not for {0}")]
    InsufficientScope(TokenScope),
    /// The member lacks the right.
    #[error(transparent)]
    Denied(#[from] Denied),
    /// The member has the right, but not over this person or for this role. The sentence says why.
    #[error("{0}")]
    Forbidden(&'static str),
    /// It does not exist, or not for this person; both look the same.
    #[error("no such {0}")]
    NotFound(&'static str),
    #[error("{detail}")]
    Conflict { code: &'static str, detail: String },
    /// An `Idempotency-Key` came again with another body.
    #[error("the idempotency key was used for another request")]
    IdempotencyMismatch,
    #[error("too many requests; try again in {retry_after_seconds} s")]
    RateLimited { retry_after_seconds: u64 },
    #[error("too many event streams of one person at a time")]
    TooManyStreams,
    /// A network cannot be used right now: it is not connected, it refused, or we cannot reach it.
    #[error("{network}: {detail}")]
    Network { network: Network, code: &'static str, detail: String },
    /// A network did not accept the keys, so nothing was stored. A JSON pointer names each key, with what to do.
    #[error("{network} rejected the keys")]
    KeysRefused { network: Network, code: &'static str, errors: Vec<FieldError> },
    #[error("the server sends no mail")]
    MailOff,
    #[error("the server runs without the sandbox")]
    SandboxOff,
    /// A later try may work.
    #[error("{0}")]
    Unavailable(&'static str),
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A broken invariant. The text goes to the log, never to a person.
    #[error("{0}")]
    Internal(String),
}

impl ServiceError {
    /// Makes an error for one wrong field.
    pub fn field(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Validation(vec![FieldError::new(pointer, message)])
    }

    /// Returns the seconds to wait, for `Retry-After`.
    pub const fn retry_after_seconds(&self) -> Option<u64> {
        match self {
            Self::RateLimited { retry_after_seconds } => Some(*retry_after_seconds),
            Self::TooManyStreams => Some(10),
            Self::Unavailable(_) | Self::Store(StoreError::Unavailable(_)) => Some(2),
            _ => None,
        }
    }

    /// Checks whether the server is at fault, so that the error belongs in the log.
    pub const fn is_internal(&self) -> bool {
        matches!(self, Self::Store(_) | Self::Internal(_))
    }

    /// Returns the error as people and programs get it. Internal errors do not reveal their cause.
    pub fn problem(&self) -> Problem {
        let new = |status, code, title: &str, detail: String| Problem::new(status, code, title, detail);
        match self {
            Self::Validation(errors) => {
                new(422, codes::VALIDATION, "Some fields aren't valid", summary(errors)).with_errors(errors.clone())
            }
            Self::Unauthenticated => new(401, codes::UNAUTHENTICATED, "Not signed in", "Sign in and try again.".into()),
            Self::WrongCredentials => {
                new(401, codes::WRONG_CREDENTIALS, "Not signed in", "Incorrect email or password.".into())
            }
            Self::WrongCode => {
                new(401, codes::WRONG_CODE, "Incorrect code", "Enter the current code from your app, or an unused recovery code.".into())
            }
            Self::SignInAgain => new(
                403,
                codes::SIGN_IN_AGAIN,
                "Sign in again",
                "Sign out, sign in again, and retry within 10 minutes, so we know it's you.".into(),
            ),
            Self::InvalidToken => new(
                401,
                codes::INVALID_TOKEN,
                "Invalid access token",
                "This access token is unknown, expired or revoked. Create a new one under /settings/tokens.".into(),
            ),
            Self::InsufficientScope(scope) => new(
                403,
                codes::INSUFFICIENT_SCOPE,
                "Missing scope",
                format!("This access token doesn't have the {scope} scope. Create one that does under /settings/tokens."),
            ),
            Self::Denied(denied) => new(403, codes::FORBIDDEN, "Not allowed", denied.to_string()),
            Self::Forbidden(why) => new(403, codes::FORBIDDEN, "Not allowed", (*why).into()),
            Self::NotFound(what) => {
                new(404, codes::NOT_FOUND, "Not found", format!("This {what} doesn't exist, or you don't have access to it."))
            }
            Self::Conflict { code, detail } => new(409, code, "Conflict", detail.clone()),
            Self::IdempotencyMismatch => new(
                422,
                codes::IDEMPOTENCY_MISMATCH,
                "Idempotency key already used",
                "This Idempotency-Key was used for a different request. Use a new key.".into(),
            ),
            Self::RateLimited { retry_after_seconds } => new(
                429,
                codes::RATE_LIMITED,
                "Too many requests",
                format!("Too many requests. Try again in {retry_after_seconds} seconds."),
            ),
            Self::TooManyStreams => new(
                429,
                codes::RATE_LIMITED,
                "Too many open streams",
                "You're following too many runs at once. Close some tabs or programs, then try again.".into(),
            ),
            Self::Network { network, code, detail } => {
                let status = if *code == codes::NETWORK_UNAVAILABLE { 502 } else { 409 };
                new(status, code, network.display_name(), detail.clone())
            }
            Self::KeysRefused { network, code, errors } => {
                let title = format!("{} was not connected", network.display_name());
                new(422, code, &title, summary(errors)).with_errors(errors.clone())
            }
            Self::MailOff => new(
                503,
                codes::MAIL_OFF,
                "Email is off",
                "This server can't send email yet. An administrator can set mail.url and mail.from; invite links work without it."
                    .into(),
            ),
            Self::SandboxOff => new(
                404,
                codes::SANDBOX_OFF,
                "No sandbox",
                "This server runs without the sandbox. Start it without --no-sandbox to explore demo data."
                    .into(),
            ),
            Self::Unavailable(what) => new(503, codes::UNAVAILABLE, "Not available right now", (*what).into()),
            Self::Store(StoreError::Unavailable(_)) => new(
                503,
                codes::UNAVAILABLE,
                "Not available right now",
                "The database isn't responding. Try again in a moment.".into(),
            ),
            Self::Store(_) | Self::Internal(_) => new(
                500,
                codes::INTERNAL,
                "Something went wrong",
                "Something went wrong on our end. Try again. If it keeps happening, report the request ID.".into(),
            ),
        }
    }
}

fn summary(errors: &[FieldError]) -> String {
    match errors {
        [only] => only.message.clone(),
        [first, rest @ ..] => format!("{} ({} more)", first.message, rest.len()),
        [] => "The request isn't valid.".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_broke_inside_is_not_told_outside() {
        let secret = "password=hunter2 at db.internal:5432";
        let errors = [
            ServiceError::Internal(secret.into()),
            ServiceError::Store(StoreError::Driver(secret.into())),
            ServiceError::Store(StoreError::Unavailable(secret.into())),
        ];
        for error in errors {
            let problem = serde_json::to_string(&error.problem()).unwrap();
            assert!(!problem.contains("hunter2"), "{problem}");
            assert!(error.problem().status >= 500);
        }
    }

    #[test]
    fn one_wrong_field_is_told_in_the_detail_too() {
        let problem = ServiceError::field("/message", "Write something.").problem();
        assert_eq!((problem.status, problem.detail.as_str()), (422, "Write something."));
        assert_eq!(problem.errors, vec![FieldError::new("/message", "Write something.")]);
    }
}
