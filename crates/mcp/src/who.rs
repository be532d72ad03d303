//! Who asks. The check of the token puts it into each HTTP request, and each request of a session finds it there.

use adagent_domain::{Actor, Granted, Right};
use adagent_service::{ServiceError, TokenGrant};
use http::request::Parts;
use rmcp::{ErrorData, model::Extensions};

/// The person of this request. A session has none of its own: each request brings its token.
pub(crate) fn actor(extensions: &Extensions) -> Result<Actor, ErrorData> {
    signed_in(extensions)
}

/// The token of this request.
pub(crate) fn grant(extensions: &Extensions) -> Result<TokenGrant, ErrorData> {
    signed_in(extensions)
}

/// What the check of the token left in the request.
fn signed_in<T: Clone + Send + Sync + 'static>(extensions: &Extensions) -> Result<T, ErrorData> {
    let found = extensions.get::<Parts>().and_then(|parts| parts.extensions.get::<T>()).cloned();
    found.ok_or_else(|| ErrorData::internal_error("the request was not signed in", None))
}

/// The proof of a right that a use case asks for.
pub(crate) fn granted<P: Right>(actor: &Actor) -> Result<Granted<P>, ErrorData> {
    actor.grant().map_err(|denied| failed(&denied.into()))
}

/// As a protocol error, for what is not the call of a tool. Internal causes go to the log.
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

/// What somebody else wrote, made fit to be repeated in an error: short, and nothing that moves a terminal.
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
