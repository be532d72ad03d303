//! A run as `text/event-stream`. It only reads, so it may end at any time and continue later.

use std::{convert::Infallible, time::Duration};

use adagent_contract::RunEvent;
use adagent_domain::{ChatSessionId, RunId};
use axum::{
    http::{HeaderMap, HeaderName, HeaderValue, header},
    response::{
        IntoResponse as _, Response, Sse,
        sse::{Event, KeepAlive},
    },
};
use futures::{Stream, StreamExt as _};

use crate::{
    error::{ApiError, ApiResult},
    extract::Query,
    state::HttpState,
};

pub const HEARTBEAT: Duration = Duration::from_secs(15);
/// How long a disconnected reader waits before it reconnects.
const RETRY: Duration = Duration::from_secs(2);

/// Streams the events as they come, with a comment every 15 seconds in between. Ends after `done` or when the server stops.
pub fn stream(
    state: &HttpState,
    run: RunId,
    session: Option<ChatSessionId>,
    events: impl Stream<Item = RunEvent> + Send + 'static,
) -> Response {
    let mut first = true;
    let events = events
        .map(move |event| {
            let encoded = encode(&event);
            Ok::<_, Infallible>(if std::mem::take(&mut first) { encoded.retry(RETRY) } else { encoded })
        })
        .take_until(state.stopping.clone().cancelled_owned());
    let mut response = Sse::new(events).keep_alive(KeepAlive::new().interval(HEARTBEAT).text("")).into_response();
    let headers = response.headers_mut();
    // Proxies must not buffer events.
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    let mut id = |name: &'static str, value: String| {
        if let Ok(value) = HeaderValue::from_str(&value) {
            headers.insert(HeaderName::from_static(name), value);
        }
    };
    id("x-run-id", run.to_string());
    if let Some(session) = session {
        id("x-session-id", session.to_string());
    }
    response
}

fn encode(event: &RunEvent) -> Event {
    let data = serde_json::to_string(event).unwrap_or_else(|error| {
        tracing::error!(run = %event.run_id, seq = event.seq, %error, "an event cannot be written as JSON");
        "{}".to_owned()
    });
    Event::default().id(event.seq.to_string()).event(event.body.kind()).data(data)
}

/// Returns the event after which to continue: `Last-Event-ID` (a browser that reconnects), otherwise `?after=`, otherwise the beginning.
pub fn after(headers: &HeaderMap, query: &Query) -> ApiResult<u64> {
    let expected = "the number of the last event seen";
    match headers.get("last-event-id") {
        Some(value) if !value.is_empty() => value
            .to_str()
            .ok()
            .and_then(|text| text.trim().parse().ok())
            .ok_or_else(|| ApiError::field("/Last-Event-ID", format!("Expected {expected}."))),
        _ => Ok(query.parsed("after", expected)?.unwrap_or(0)),
    }
}
