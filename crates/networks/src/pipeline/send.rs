//! Makes one attempt: sends a signed request and reads a bounded reply. Does not judge the reply, never retries, and never logs a header or
//! a body.

use std::time::Duration;

use reqwest::{
    Method, Response,
    header::{self, HeaderMap, HeaderName, HeaderValue},
};

use super::retry::Attempt;
use crate::{
    catalogue::Method as Verb,
    sign::{Outgoing, Payload},
};

/// Bounds of one attempt.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    pub total: Duration,
    pub bytes: usize,
}

/// The rest of a longer error reply adds nothing.
const MAX_ERROR_BYTES: usize = 64 * 1024;

/// A reply as it arrived.
pub struct Received {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl Received {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Returns the wait in seconds that the reply asks for. The networks here do not use the date form.
    pub fn retry_after(&self) -> Option<Duration> {
        let seconds: f64 = self.header(header::RETRY_AFTER.as_str())?.trim().parse().ok()?;
        (seconds.is_finite() && (0.0..=86_400.0).contains(&seconds)).then(|| Duration::from_secs_f64(seconds))
    }
}

pub async fn attempt(client: &reqwest::Client, out: &Outgoing, bounds: Bounds) -> Result<Received, Attempt> {
    let verb = match out.method {
        Verb::Get => Method::GET,
        Verb::Post => Method::POST,
        Verb::Patch => Method::PATCH,
        Verb::Put => Method::PUT,
        Verb::Delete => Method::DELETE,
    };
    let mut request = client.request(verb, out.address()).timeout(bounds.total);
    if !out.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("accept")) {
        request = request.header(header::ACCEPT, "application/json");
    }
    for (name, value) in &out.headers {
        let unsendable = || Attempt::Unsendable(format!("its value for the header {name}"));
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| unsendable())?;
        let mut value = HeaderValue::from_str(value).map_err(|_| unsendable())?;
        value.set_sensitive(true);
        request = request.header(name, value);
    }
    request = match &out.payload {
        Payload::Empty => request,
        Payload::Json(body) => request.json(body),
        Payload::Form(fields) => request.form(fields),
    };
    let response = request.send().await.map_err(|error| classify(&error))?;
    let (status, headers) = (response.status(), response.headers().clone());
    let body = if status.is_success() {
        read(response, bounds.bytes).await?
    } else {
        // An error reply that breaks off is still an error reply; its status is enough.
        read(response, MAX_ERROR_BYTES).await.unwrap_or_default()
    };
    Ok(Received { status: status.as_u16(), headers, body })
}

fn classify(error: &reqwest::Error) -> Attempt {
    if adagent_outgoing::was_not_public(error) {
        Attempt::OffLimits
    } else if error.is_connect() {
        Attempt::NotSent(if error.is_timeout() { "no connection in time" } else { "no connection" }.into())
    } else if error.is_builder() {
        Attempt::Unsendable("a value".into())
    } else if error.is_timeout() {
        Attempt::Timeout
    } else {
        Attempt::cut()
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
            Err(error) if error.is_timeout() => return Err(Attempt::Stalled),
            Err(_) => return Err(Attempt::cut()),
        }
    }
}
