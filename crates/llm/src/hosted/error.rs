//! Turns a provider's errors into the port's four kinds. It reads only the message of a body, and headers never leave this module.

use genai::{Error, webc::StreamTimeout};
use serde_json::Value as Json;

use crate::ModelError;

/// The most characters of a provider's message that people see.
const MOST: usize = 240;

/// One day in milliseconds. A longer wait helps as little as no answer.
const MOST_WAIT: i32 = 86_400_000;

pub(super) fn read(error: &Error) -> ModelError {
    // A stream's error contains the HTTP error.
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
        408 | 409 | 500..=599 => ModelError::Unavailable { message, retry_after_ms: retry_after(error) },
        _ => ModelError::Rejected(message),
    }
}

fn without_status(error: &Error) -> ModelError {
    match error {
        Error::ChatResponse { body, .. } => {
            // For a blocked question, Gemini's answer has no candidate.
            if body.get("error").is_none() && body.get("finishReason").is_some_and(Json::is_null) {
                return ModelError::Rejected("it gave no answer; most likely its filter blocked the question".into());
            }
            let text = said(&body.to_string());
            let kind = ["/error/type", "/error/status", "/error/code", "/type"]
                .iter()
                .find_map(|at| body.pointer(at).and_then(Json::as_str).filter(|kind| *kind != "error"))
                .unwrap_or("");
            match kind {
                "rate_limit_error" | "rate_limit_exceeded" | "RESOURCE_EXHAUSTED" => {
                    ModelError::RateLimited { retry_after_ms: None }
                }
                "invalid_request_error"
                | "authentication_error"
                | "permission_error"
                | "INVALID_ARGUMENT"
                | "PERMISSION_DENIED"
                | "UNAUTHENTICATED" => ModelError::Rejected(text),
                _ => ModelError::unavailable(text),
            }
        }
        // The transfer failed. Another try may help; telling the model would not.
        Error::StreamParse { .. }
        | Error::InvalidJsonResponseElement { .. }
        | Error::ChatResponseGeneration { .. }
        | Error::JsonValueExt(_)
        | Error::SerdeJson(_) => ModelError::unavailable("its answer could not be read"),
        Error::WebStream { error: inner, .. } if inner.downcast_ref::<StreamTimeout>().is_some() => {
            ModelError::unavailable("it did not go on in time")
        }
        Error::WebModelCall { .. }
        | Error::WebAdapterCall { .. }
        | Error::WebStream { .. }
        | Error::NoChatResponse { .. } => ModelError::unavailable("it cannot be reached, or the answer broke off"),
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

/// Returns the message in a provider's error body. Cuts the message, because the whole body may repeat the request.
fn said(body: &str) -> String {
    let parsed: Option<Json> = serde_json::from_str(body).ok();
    let message = parsed
        .as_ref()
        .and_then(|json| {
            // Google wraps errors of streams in a list.
            let json = json.get(0).unwrap_or(json);
            json.pointer("/error/message").or_else(|| json.get("message")).and_then(Json::as_str)
        })
        .unwrap_or("no message");
    message.chars().filter(|c| !c.is_control()).take(MOST).collect()
}

/// Returns how long the provider asks us to wait, in milliseconds: from `retry-after-ms`, from `retry-after` in seconds or as a date, or
/// from Google's field in the body.
fn retry_after(error: &Error) -> Option<u64> {
    let headers = error.headers();
    let header = |name: &str| headers?.get(name)?.to_str().ok().map(str::trim);
    let number = |text: &str, unit: f64| text.parse::<f64>().ok().and_then(|n| whole(n * unit));
    let date = |text: &str| {
        let until = jiff::fmt::rfc2822::parse(text).ok()?;
        // Use the provider's own clock, so that our clock need not agree with it.
        let now = jiff::fmt::rfc2822::parse(header("date")?).ok()?;
        Some(
            until
                .timestamp()
                .duration_since(now.timestamp())
                .as_millis()
                .clamp(0, i128::from(MOST_WAIT))
                .unsigned_abs(),
        )
        .and_then(|ms| u64::try_from(ms).ok())
    };
    header("retry-after-ms")
        .and_then(|text| number(text, 1.0))
        .or_else(|| header("retry-after").and_then(|text| number(text, 1000.0).or_else(|| date(text))))
        .or_else(|| {
            let parsed: Json = serde_json::from_str(body(error)?).ok()?;
            let details = parsed.get(0).unwrap_or(&parsed).pointer("/error/details")?.as_array()?;
            let delay = details.iter().find_map(|detail| detail.get("retryDelay")?.as_str())?;
            number(delay.strip_suffix('s')?, 1000.0)
        })
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded to a day of milliseconds")]
fn whole(ms: f64) -> Option<u64> {
    (0.0..f64::from(MOST_WAIT)).contains(&ms).then(|| ms.ceil() as u64)
}

/// Returns the first line of an error, cut to the limit. Later lines may contain requests and bodies.
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
        assert_eq!(read(&http(529, message, &[])), ModelError::unavailable("HTTP 529: Overloaded"));
        assert_eq!(read(&http(503, "", &[("retry-after", "1")])).retry_after_ms(), Some(1000));
        assert!(matches!(read(&http(401, message, &[])), ModelError::Rejected(_)));
        assert!(!read(&http(400, message, &[])).is_retryable());
    }

    #[test]
    fn dates_count_from_the_providers_clock_and_google_writes_delays_into_the_body() {
        let wait = |headers: &[(&'static str, &str)], body: &str| read(&http(429, body, headers)).retry_after_ms();
        let (date, until) = ("Sun, 22 Nov 2026 10:00:00 GMT", "Sun, 22 Nov 2026 10:00:07 GMT");
        assert_eq!(wait(&[("retry-after", until), ("date", date)], ""), Some(7000));
        assert_eq!(wait(&[("retry-after", date), ("date", until)], ""), Some(0), "over already");
        assert_eq!(wait(&[("retry-after", until)], ""), None, "from when?");
        let body = r#"{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"quota","details":[
            {"@type":"type.googleapis.com/google.rpc.Help"},
            {"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.5s"}]}}"#;
        assert_eq!(wait(&[], body), Some(34_500));
        assert_eq!(wait(&[], &format!("[{body}]")), Some(34_500));
        for wrong in ["-1", "1e99", "NaN", "soon"] {
            assert_eq!(wait(&[("retry-after", wrong)], ""), None, "{wrong}");
        }
    }

    #[test]
    fn only_the_message_of_a_body_is_shown() {
        let text = read(&http(400, r#"{"error":{"message":"bad"},"request":{"key":"sk-hunter2"}}"#, &[])).to_string();
        assert!(text.contains("bad") && !text.contains("hunter2"));
        assert!(!read(&http(500, "sk-hunter2 in plain text", &[])).to_string().contains("hunter2"));
    }
}
