//! Answers a request: finds network, operation and fault, authenticates the caller, checks the limit, and runs the operation outside the
//! async threads.
//!
//! Every network goes through the same steps. What differs is behind [`crate::networks::Network`]. The journal gets a write with its
//! effects in one line before the answer leaves.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request as HttpRequest, State};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures::StreamExt as _;
use tokio::time::Duration;

use crate::faults::{Fault, FaultKind};
use crate::journal::{Effect, Entry, WriteRecord};
use crate::networks::{self, Answer, Call, Caller, Exchange, Kind, NETWORKS, Network, Refusal, Request, Unsigned};
use crate::state::Inner;

const LARGEST_BODY: usize = 1 << 20;
/// How long to wait after half of a truncated answer, so that the reader gets that half before the connection breaks.
const HALF_SENT: Duration = Duration::from_millis(50);
/// The size of an answer that is far too large, in bytes.
const HUGE: u64 = 50_000_000;

/// Answers every request that is not for a control route.
pub async fn any(State(inner): State<Arc<Inner>>, request: HttpRequest) -> Response {
    let (parts, body) = request.into_parts();
    let (network, host, path) = split(parts.uri.path());
    let (host, path) = (host.to_owned(), path.to_owned());
    let Ok(bytes) = axum::body::to_bytes(body, LARGEST_BODY).await else {
        return network.refuse(&Refusal::TooLarge).into_response();
    };
    let request = received(&parts, host, path, bytes.to_vec());
    let Some(call) = network.find(&request) else {
        let refusal = Refusal::Unknown { method: parts.method.to_string(), path: request.path };
        return network.refuse(&refusal).into_response();
    };
    let operation = call.operation;
    let fault = inner.faults().take(network.id(), operation);
    let (at, path) = (inner.now().to_string(), request.path.clone());
    let work = Arc::clone(&inner);
    let given = fault.clone();
    let done = tokio::task::spawn_blocking(move || run(&work, network, call, request, given.as_ref())).await;
    let answer = done.unwrap_or_else(|_| network.refuse(&Refusal::Failed));
    let response = match early_answer(network, fault.as_ref()) {
        Some(early) => early,
        None => broken(&inner, fault, answer.into_response()).await,
    };
    inner.seen().add(network.id(), operation.name, path, response.status().as_u16(), at);
    response
}

/// Splits `/applovin/@r.applovin.com/maxReport` into the network, `r.applovin.com` and `/maxReport`. A path that names no network belongs
/// to `AdMob`.
fn split(path: &str) -> (&'static dyn Network, &str, &str) {
    let rest = path.strip_prefix('/').unwrap_or(path);
    let (first, after) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
    let Some(network) = networks::find(first).filter(|_| !after.is_empty()) else {
        return (NETWORKS[0], "", path);
    };
    match after.strip_prefix("/@") {
        None => (network, "", after),
        Some(named) => {
            let (host, path) = named.find('/').map_or((named, "/"), |at| named.split_at(at));
            (network, host, path)
        }
    }
}

fn received(parts: &Parts, host: String, path: String, bytes: Vec<u8>) -> Request {
    let query = parts.uri.query().unwrap_or_default();
    Request {
        method: parts.method.clone(),
        host,
        path,
        query: url::form_urlencoded::parse(query.as_bytes()).into_owned().collect(),
        headers: parts.headers.clone(),
        bytes,
    }
}

/// Authenticates, checks and runs a call. Records writes whatever their outcome.
fn run(inner: &Inner, network: &dyn Network, call: Call, request: Request, fault: Option<&Fault>) -> Answer {
    let status = fault.filter(|fault| fault.kind == FaultKind::Status);
    let operation = call.operation;
    if operation.kind == Kind::Token {
        // An injected status prevents the sign-in.
        return match status.and_then(|fault| fault.status) {
            Some(status) => network.refuse(&Refusal::Injected(status)),
            None => network.token(inner, &Unsigned { call, request }),
        };
    }
    let refused = status.filter(|fault| !fault.apply).and_then(|fault| fault.status);
    let caller = network.authenticate(inner, &call, &request);
    let record = (operation.kind == Kind::Write).then(|| record(inner, network, &call, &request, &caller, fault));
    let admitted = match refused {
        Some(status) => Err(network.refuse(&Refusal::Injected(status))),
        None => caller.and_then(|caller| admit(inner, network, &call, caller)),
    };
    let exchange = admitted.map(|caller| Exchange { call, caller, request });
    match (exchange, record) {
        (Ok(exchange), None) => network.read(inner, &exchange),
        (Err(answer), None) => answer,
        (exchange, Some(mut record)) => {
            if let Some(status) = refused {
                record.status = status;
            }
            write(inner, network, exchange, record, refused.is_some())
        }
    }
}

fn record(
    inner: &Inner,
    network: &dyn Network,
    call: &Call,
    request: &Request,
    caller: &Result<Caller, Answer>,
    fault: Option<&Fault>,
) -> WriteRecord {
    let kind = fault.and_then(|fault| serde_json::to_value(fault.kind).ok());
    WriteRecord {
        seq: 0,
        network: network.id().to_owned(),
        operation: call.operation.name.to_owned(),
        method: request.method.to_string(),
        path: request.path.clone(),
        query: request.recorded_query(network.hidden()),
        body: request.recorded_body(network.hidden()),
        owner: caller.as_ref().ok().map(|caller| caller.email.clone()),
        at: inner.now().to_string(),
        status: 200,
        applied: false,
        fault: kind.and_then(|kind| kind.as_str().map(str::to_owned)),
        request_id: request.header("x-request-id").unwrap_or_default().to_owned(),
    }
}

fn admit(inner: &Inner, network: &dyn Network, call: &Call, caller: Caller) -> Result<Caller, Answer> {
    let own = network.limit(call);
    let taken = inner.quota().take(network.id(), own, &caller.credential, inner.now());
    taken.map(|()| caller).map_err(|seconds| network.refuse(&Refusal::Quota(seconds)))
}

/// Runs a write and stores its record with its effects in one line.
fn write(
    inner: &Inner,
    network: &dyn Network,
    exchange: Result<Exchange, Answer>,
    mut record: WriteRecord,
    refused: bool,
) -> Answer {
    let mut store = inner.store();
    let outcome = exchange.and_then(|exchange| network.write(inner, &store, &exchange));
    record.seq = store.next_seq();
    if record.request_id.is_empty() {
        record.request_id = format!("sandbox-{:06}", record.seq);
    }
    record.applied = outcome.is_ok();
    let (answer, effects): (Answer, Vec<Effect>) = match outcome {
        Ok(done) => done,
        Err(answer) => (answer, Vec::new()),
    };
    if !refused {
        record.status = answer.status;
    }
    match store.commit(Entry::Write { record: Box::new(record), effects }) {
        Ok(()) => answer,
        Err(error) => {
            tracing::error!(%error, "the sandbox log cannot be written");
            network.refuse(&Refusal::NotStored)
        }
    }
}

fn early_answer(network: &dyn Network, fault: Option<&Fault>) -> Option<Response> {
    let fault = fault.filter(|fault| fault.kind == FaultKind::Status)?;
    let mut response = network.refuse(&Refusal::Injected(fault.status.unwrap_or(503))).into_response();
    if let Some(seconds) = fault.retry_after {
        response.headers_mut().remove(header::RETRY_AFTER);
        if seconds > 0 {
            response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
    }
    Some(response)
}

/// Breaks an answer as the fault says.
async fn broken(inner: &Inner, fault: Option<Fault>, response: Response) -> Response {
    let Some(fault) = fault else { return response };
    match fault.kind {
        FaultKind::Status => response,
        FaultKind::Delay => {
            tokio::select! {
                () = tokio::time::sleep(Duration::from_millis(fault.ms.unwrap_or(0))) => {}
                () = inner.shutdown.cancelled() => {}
            }
            response
        }
        FaultKind::Malformed => {
            let headers = [(header::CONTENT_TYPE, "application/json; charset=UTF-8")];
            (StatusCode::OK, headers, "{\"header\": <html>not json</html>").into_response()
        }
        FaultKind::Html => {
            let page =
                "<!doctype html><html><head><title>Sign in</title></head><body><h1>Maintenance</h1></body></html>";
            (StatusCode::OK, axum::response::Html(page)).into_response()
        }
        FaultKind::Huge => {
            let size = fault.bytes.unwrap_or(HUGE);
            let block = axum::body::Bytes::from(vec![b' '; 1 << 16]);
            let pieces = futures::stream::iter(0..size.div_ceil(1 << 16)).map(move |index| {
                let left = size - index * (1 << 16);
                Ok::<_, std::io::Error>(block.slice(..usize::try_from(left.min(1 << 16)).unwrap_or(1 << 16)))
            });
            let headers = [(header::CONTENT_TYPE, "application/json; charset=UTF-8")];
            (StatusCode::OK, headers, Body::from_stream(pieces)).into_response()
        }
        FaultKind::Truncate | FaultKind::Stall => {
            let (mut parts, body) = response.into_parts();
            parts.headers.remove(header::CONTENT_LENGTH);
            let bytes = axum::body::to_bytes(body, usize::MAX).await.unwrap_or_default();
            let half = bytes.slice(..bytes.len() / 2);
            let start = futures::stream::once(async { Ok::<_, std::io::Error>(half) });
            let stall = fault.kind == FaultKind::Stall;
            let shutdown = inner.shutdown.clone();
            let end = futures::stream::once(async move {
                let patience = if stall { Duration::MAX } else { HALF_SENT };
                tokio::select! {
                    () = tokio::time::sleep(patience) => {}
                    () = shutdown.cancelled() => {}
                }
                Err(std::io::Error::other("injected fault: the answer breaks off"))
            });
            Response::from_parts(parts, Body::from_stream(start.chain(end)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_names_no_network_is_admobs() {
        let (network, host, path) = split("/v1beta/accounts");
        assert_eq!((network.id(), host, path), ("admob", "", "/v1beta/accounts"));
        let (network, host, path) = split("/admob/token");
        assert_eq!((network.id(), host, path), ("admob", "", "/token"));
        let (network, _, path) = split("/admob");
        assert_eq!((network.id(), path), ("admob", "/admob"));
        let (_, host, path) = split("/admob/@somewhere.else");
        assert_eq!((host, path), ("somewhere.else", "/"));
    }
}
