//! One attempt: sign, send, read a bounded reply, say what came of it. Never retries, never logs a header or a body.

use std::time::Duration;

use reqwest::{Method, Response, StatusCode, header};
use secrecy::ExposeSecret as _;
use serde_json::Value as Json;
use url::Url;

use super::{refusal::Refusal, retry::Attempt};
use crate::{Credentials, catalogue::HttpBinding, catalogue::Method as Verb};

/// Bounds of one attempt.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    pub total: Duration,
    pub bytes: usize,
}

/// An error reply longer than this says nothing more.
const MAX_ERROR_BYTES: usize = 64 * 1024;

pub async fn attempt(
    client: &reqwest::Client,
    binding: &HttpBinding,
    url: Url,
    body: Option<&Json>,
    credentials: &Credentials,
    bounds: Bounds,
) -> Result<Json, Attempt> {
    let verb = match binding.method {
        Verb::Get => Method::GET,
        Verb::Post => Method::POST,
        Verb::Patch => Method::PATCH,
        Verb::Put => Method::PUT,
        Verb::Delete => Method::DELETE,
    };
    let mut request = client
        .request(verb, url)
        .bearer_auth(credentials.access_token.expose_secret())
        .header(header::ACCEPT, "application/json")
        .timeout(bounds.total);
    if let Some(body) = body {
        request = request.json(body);
    }
    let response = request.send().await.map_err(|error| classify(&error))?;
    let status = response.status();
    if status.is_success() {
        let bytes = read(response, bounds.bytes).await?;
        if bytes.is_empty() {
            return Ok(Json::Object(serde_json::Map::new()));
        }
        return serde_json::from_slice(&bytes).map_err(|_| Attempt::Broken("it is no complete JSON".into()));
    }
    let retry_after = retry_after(&response);
    // An error reply that breaks off still is an error reply: its status says enough.
    let bytes = read(response, MAX_ERROR_BYTES).await.unwrap_or_default();
    let refusal = Refusal::read(status.as_u16(), &bytes);
    Err(match status {
        StatusCode::TOO_MANY_REQUESTS => Attempt::RateLimited { retry_after, refusal },
        StatusCode::UNAUTHORIZED => Attempt::Unauthorized(refusal),
        StatusCode::REQUEST_TIMEOUT => Attempt::Timeout,
        _ if status.is_server_error() => Attempt::Server { retry_after, refusal },
        _ => Attempt::Refused(refusal),
    })
}

fn classify(error: &reqwest::Error) -> Attempt {
    if error.is_connect() {
        Attempt::NotSent(if error.is_timeout() { "no connection in time" } else { "no connection" }.into())
    } else if error.is_builder() {
        Attempt::NotSent("the request could not be built".into())
    } else if error.is_timeout() {
        Attempt::Timeout
    } else {
        Attempt::Broken("the connection was cut".into())
    }
}

async fn read(mut response: Response, limit: usize) -> Result<Vec<u8>, Attempt> {
    let announced = response.content_length().and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
    if announced > limit {
        return Err(Attempt::TooLarge);
    }
    let mut bytes = Vec::with_capacity(announced);
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) if bytes.len() + chunk.len() > limit => return Err(Attempt::TooLarge),
            Ok(Some(chunk)) => bytes.extend_from_slice(&chunk),
            Ok(None) => return Ok(bytes),
            Err(error) if error.is_timeout() => return Err(Attempt::Timeout),
            Err(_) => return Err(Attempt::Broken("the connection was cut".into())),
        }
    }
}

/// Seconds; the date form is not used by the networks here.
fn retry_after(response: &Response) -> Option<Duration> {
    let seconds: f64 = response.headers().get(header::RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    (seconds.is_finite() && (0.0..=86_400.0).contains(&seconds)).then(|| Duration::from_secs_f64(seconds))
}
