//! What administrators see of requests: a span each, one log line when the response is complete, counts and times by route.
//!
//! A route is the template, never the path: paths contain IDs and invitations, and queries contain more. This module only observes; it
//! decides nothing.

use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Instant,
};

use axum::{
    body::{Body, Bytes},
    extract::{MatchedPath, Request},
    http::{Method, header},
    response::Response,
};
use http_body::{Frame, SizeHint};
use metrics::{counter, gauge, histogram};
use tracing::{Span, field::Empty, info_span};

const UNMATCHED: &str = "unmatched";
const FILES: &str = "files";

/// A request from its arrival to the last byte of its response.
pub struct Seen {
    pub span: Span,
    /// The run that the path names.
    pub run: Option<String>,
    pub route: String,
    method: &'static str,
    started: Instant,
    status: u16,
    stream: bool,
}

impl Seen {
    pub fn arrived(request: &Request, id: &str) -> Self {
        let route = route_of(request);
        let method = method_of(request.method());
        let run = run_of(&route, request.uri().path());
        let span = info_span!(
            "request",
            otel.name = format!("{method} {route}"),
            otel.kind = "server",
            otel.status_code = Empty,
            request_id = id,
            run_id = run,
            http.request.method = method,
            http.route = route,
            http.response.status_code = Empty,
        );
        gauge!("adagent_http_requests_in_flight").increment(1.0);
        Self { span, run, route, method, started: Instant::now(), status: 0, stream: false }
    }

    /// Takes the head of the response. The log line is written after the body was sent, or when nobody reads it any longer.
    pub fn answered(mut self, response: Response) -> Response {
        self.status = response.status().as_u16();
        if self.route == UNMATCHED && self.status < 400 {
            // Only a file can answer where no route exists.
            FILES.clone_into(&mut self.route);
            self.span.record("http.route", FILES);
            self.span.record("otel.name", format!("{} {FILES}", self.method));
        }
        let headers = response.headers();
        self.stream = headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind.as_bytes() == b"text/event-stream");
        if let Some(run) = headers.get("x-run-id").and_then(|run| run.to_str().ok()) {
            self.span.record("run_id", run);
        }
        // Signed, because collectors do not know unsigned numbers.
        self.span.record("http.response.status_code", i64::from(self.status));
        if self.status >= 500 {
            self.span.record("otel.status_code", "ERROR");
        }
        let class = match self.status {
            100..200 => "1xx",
            200..300 => "2xx",
            300..400 => "3xx",
            400..500 => "4xx",
            _ => "5xx",
        };
        counter!("adagent_http_requests_total", "method" => self.method, "route" => self.route.clone(), "status" => class)
            .increment(1);
        histogram!("adagent_http_request_duration_seconds", "route" => self.route.clone())
            .record(self.started.elapsed());
        if self.stream {
            gauge!("adagent_event_streams").increment(1.0);
        }
        response.map(|inner| Body::new(Counted { inner, seen: self, bytes: 0 }))
    }
}

impl Drop for Seen {
    fn drop(&mut self) {
        gauge!("adagent_http_requests_in_flight").decrement(1.0);
        if self.stream {
            gauge!("adagent_event_streams").decrement(1.0);
        }
    }
}

struct Counted {
    inner: Body,
    seen: Seen,
    bytes: u64,
}

impl http_body::Body for Counted {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        let this = &mut *self;
        let polled = this.seen.span.in_scope(|| Pin::new(&mut this.inner).poll_frame(context));
        if let Poll::Ready(Some(Ok(frame))) = &polled {
            this.bytes += frame.data_ref().map_or(0, |data| data.len() as u64);
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        let Seen { span, route, method, started, status, .. } = &self.seen;
        let ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let bytes = self.bytes;
        span.in_scope(|| {
            if is_quiet(route) {
                tracing::debug!(method, route, status, ms, bytes, "request finished");
            } else {
                tracing::info!(method, route, status, ms, bytes, "request finished");
            }
        });
    }
}

/// Checks whether monitoring asks this route every few seconds, or every page asks for many at once.
fn is_quiet(route: &str) -> bool {
    matches!(route, "/healthz" | "/readyz" | "/metrics" | FILES)
}

fn route_of(request: &Request) -> String {
    match request.extensions().get::<MatchedPath>() {
        Some(matched) => matched.as_str().to_owned(),
        // Files of the interface, and whatever strangers try.
        None => UNMATCHED.to_owned(),
    }
}

/// Returns the method as a label. Anybody can invent methods, but there must be few labels.
fn method_of(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "OTHER",
    }
}

/// Returns the segment of the path where the route names the run, if it is an ID.
fn run_of(route: &str, path: &str) -> Option<String> {
    let place = route.split('/').position(|segment| segment == "{run_id}")?;
    let run = path.split('/').nth(place)?;
    let is_id = run.len() == 36 && run.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-');
    is_id.then(|| run.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_run_is_the_segment_the_route_names() {
        let id = "019aa000-0000-7000-8000-000000000001";
        let of = |path: &str| run_of("/api/runs/{run_id}/events", path);
        assert_eq!(of(&format!("/api/runs/{id}/events")).as_deref(), Some(id));
        assert_eq!(of("/api/runs/hunter2/events"), None);
        assert_eq!(run_of("/api/invite/{token}/accept", &format!("/api/invite/{id}/accept")), None);
    }

    #[test]
    fn labels_are_few_whatever_is_asked() {
        assert_eq!(method_of(&Method::from_bytes(b"HUNTER2").expect("a method")), "OTHER");
        assert_eq!(route_of(&Request::new(Body::empty())), "unmatched");
    }
}
