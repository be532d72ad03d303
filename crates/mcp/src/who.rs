//! The caller. The check of the token puts it into each HTTP request, and each request of a session reads it from there.

use adagent_domain::{Actor, Granted, Right};
use adagent_service::{ServiceError, TokenGrant};
use http::request::Parts;
use rmcp::{ErrorData, model::Extensions};

/// Returns the person of this request. A session has no person: each request brings its token.
pub(crate) fn actor(extensions: &Extensions) -> Result<Actor, ErrorData> {
    signed_in(extensions)
}

/// Returns the token of this request.
pub(crate) fn grant(extensions: &Extensions) -> Result<TokenGrant, ErrorData> {
    signed_in(extensions)
}

/// Returns what the check of the token put into the request.
fn signed_in<T: Clone + Send + Sync + 'static>(extensions: &Extensions) -> Result<T, ErrorData> {
    let found = extensions.get::<Parts>().and_then(|parts| parts.extensions.get::<T>()).cloned();
    found.ok_or_else(|| ErrorData::internal_error("the request was not signed in", None))
}

/// Returns the proof of a right that a use case asks for.
pub(crate) fn granted<P: Right>(actor: &Actor) -> Result<Granted<P>, ErrorData> {
    actor.grant().map_err(|denied| failed(&denied.into()))
}

/// Turns an error into a protocol error, for requests that are not tool calls. Only the log gets the cause of an internal error.
pub(crate) fn failed(error: &ServiceError) -> ErrorData {
    if error.is_internal() {
        tracing::error!(error = %error, "a request of the tools' protocol failed");
        return ErrorData::internal_error("Something went wrong on our end. Try again.", None);
    }
    match error {
        ServiceError::NotFound(_) | ServiceError::Validation(_) => {
            ErrorData::invalid_params(error.problem().detail, None)
        }
        _ => ErrorData::internal_error(error.problem().detail, None),
    }
}

/// Makes a text that somebody else wrote safe to repeat in an error: short, and without characters that control a terminal.
pub(crate) fn quoted(text: &str) -> String {
    const MOST: usize = 80;
    let cut: String = text.chars().take(MOST).collect();
    let dots = if text.chars().count() > MOST { "…" } else { "" };
    format!("{}{dots}", cut.escape_debug())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_names_are_repeated_harmlessly() {
        assert_eq!(quoted("admob_list_apps"), "admob_list_apps");
        assert_eq!(quoted("a\u{1b}[2Jb\u{202e}\n"), "a\\u{1b}[2Jb\\u{202e}\\n");
        assert_eq!(quoted(&"x".repeat(5000)).chars().count(), 81);
    }
}
