//! What went wrong at a provider, in the port's four kinds. Bodies are read for their message only; headers never leave here.

use genai::Error;
use serde_json::Value as Json;

use crate::ModelError;

/// Characters of a provider's message that people get to see.
const MOST: usize = 240;

pub(super) fn read(error: &Error) -> ModelError {
    // Failures of a stream carry the HTTP error inside.
    if let Error::WebStream { error: inner, .. } = error
        && let Some(inner) = inner.downcast_ref::<Error>()
    {
        return read(inner);
    }
    let Some(status) = error.status().map(|s| s.as_u16()) else { return without_status(error) };
    let message = body(error).map_or_else(|| format!("HTTP {status}"), |body| format!("HTTP {status}: {}", said(body)));
    match status {
        429 => ModelError::RateLimited { retry_after_ms: retry_after(error) },
        // 529 is Anthropic's "overloaded".
        408 | 409 | 500..=599 => ModelError::Unavailable(message),
        _ => ModelError::Rejected(message),
    }
}

fn without_status(error: &Error) -> ModelError {
    match error {
        Error::ChatResponse { body, .. } => {
            let text = said(&body.to_string());
            let kind = body
                .pointer("/error/type")
                .or_else(|| body.pointer("/error/code"))
                .and_then(Json::as_str)
                .unwrap_or("");
            match kind {
                "rate_limit_error" | "rate_limit_exceeded" => ModelError::RateLimited { retry_after_ms: None },
                "invalid_request_error" | "authentication_error" | "permission_error" => ModelError::Rejected(text),
                _ => ModelError::Unavailable(text),
            }
        }
        Error::StreamParse { .. }
        | Error::InvalidJsonResponseElement { .. }
        | Error::ChatResponseGeneration { .. }
        | Error::JsonValueExt(_)
        | Error::SerdeJson(_) => ModelError::Malformed(short(error)),
        Error::WebModelCall { .. }
        | Error::WebAdapterCall { .. }
        | Error::WebStream { .. }
        | Error::NoChatResponse { .. } => {
            ModelError::Unavailable("it cannot be reached, or the answer broke off".to_owned())
        }
        _ => ModelError::Rejected(short(error)),
    }
}

fn body(error: &Error) -> Option<&str> {
    match error {
        Error::HttpError { body, .. } => Some(body),
        Error::WebModelCall { webc_error, .. } | Error::WebAdapterCall { webc_error, .. } => match webc_error {
            genai::webc::Error::ResponseFailedStatus { body, .. } => Some(body),
            _ => None,
        },
        _ => None,
    }
}

/// The message inside a provider's error body, cut; the whole body may echo the request.
fn said(body: &str) -> String {
    let parsed: Option<Json> = serde_json::from_str(body).ok();
    let message = parsed
        .as_ref()
        .and_then(|json| json.pointer("/error/message").or_else(|| json.get("message")).and_then(Json::as_str))
        .unwrap_or("no message");
    message.chars().filter(|c| !c.is_control()).take(MOST).collect()
}

fn retry_after(error: &Error) -> Option<u64> {
    let headers = error.headers()?;
    let number = |name: &str| {
        headers.get(name)?.to_str().ok()?.trim().parse::<f64>().ok().filter(|n| (0.0..86_400_000.0).contains(n))
    };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "bounded to a day of milliseconds above"
    )]
    let whole = |ms: f64| ms.ceil() as u64;
    number("retry-after-ms").map(whole).or_else(|| number("retry-after").map(|seconds| whole(seconds * 1000.0)))
}

/// The first line of an error, cut: later lines may hold requests and bodies.
pub(super) fn short(error: &Error) -> String {
    error.to_string().lines().next().unwrap_or("unknown error").chars().take(MOST).collect()
}

#[cfg(test)]
mod tests {
    use reqwest::{StatusCode, header::HeaderMap};

    use super::*;

    fn http(status: u16, body: &str, headers: &[(&'static str, &str)]) -> Error {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.insert(*name, value.parse().expect("a header"));
        }
        Error::HttpError {
            status: StatusCode::from_u16(status).expect("a status"),
            canonical_reason: String::new(),
            body: body.to_owned(),
            headers: Box::new(map),
        }
    }

    #[test]
    fn statuses_become_the_four_kinds() {
        let message = r#"{"error":{"message":"Overloaded"}}"#;
        assert_eq!(
            read(&http(429, "", &[("retry-after", "2")])),
            ModelError::RateLimited { retry_after_ms: Some(2000) }
        );
        assert_eq!(
            read(&http(429, "", &[("retry-after-ms", "150")])),
            ModelError::RateLimited { retry_after_ms: Some(150) }
        );
        assert_eq!(
            read(&http(429, "", &[("retry-after", "Wed, 21 Oct 2026")])),
            ModelError::RateLimited { retry_after_ms: None }
        );
        assert_eq!(read(&http(529, message, &[])), ModelError::Unavailable("HTTP 529: Overloaded".into()));
        assert!(matches!(read(&http(503, "", &[])), ModelError::Unavailable(_)));
        assert!(matches!(read(&http(401, message, &[])), ModelError::Rejected(_)));
        assert!(!read(&http(400, message, &[])).is_retryable());
    }

    #[test]
    fn only_the_message_of_a_body_is_shown() {
        let text = read(&http(400, r#"{"error":{"message":"bad"},"request":{"key":"sk-hunter2"}}"#, &[])).to_string();
        assert!(text.contains("bad") && !text.contains("hunter2"));
        assert!(!read(&http(500, "sk-hunter2 in plain text", &[])).to_string().contains("hunter2"));
    }
}
