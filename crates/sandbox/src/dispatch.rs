//! From a request to an operation: faults, token, quota, scope, account, then the operation itself off the async threads.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures::StreamExt as _;
use serde_json::{Map, Value, json};

use crate::data::accounts;
use crate::errors::ApiError;
use crate::faults::{Fault, FaultKind};
use crate::fields;
use crate::journal::{Entry, WriteRecord};
use crate::oauth;
use crate::ops;
use crate::routes::{self, Call};
use crate::state::Inner;
use crate::tokens::Caller;

const LARGEST_BODY: usize = 1 << 20;
/// Lets the first half of a truncated answer reach the reader before the connection breaks.
const HALF_SENT: Duration = Duration::from_millis(50);

/// A request whose caller is known.
pub struct Context {
    pub call: Call,
    pub caller: Caller,
    pub query: Vec<(String, String)>,
    pub body: Value,
}

impl Context {
    pub fn query(&self, name: &str) -> Option<&str> {
        let snake = |it: &str| fields::camel(it) == name;
        self.query.iter().find(|(key, _)| key == name || snake(key)).map(|(_, value)| value.as_str())
    }
}

struct Received {
    method: String,
    path: String,
    query: Vec<(String, String)>,
    token: Option<String>,
    request_id: Option<String>,
    body: Result<Value, ApiError>,
}

/// Answers everything that is no control route.
pub async fn any(State(inner): State<Arc<Inner>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let path = parts
        .uri
        .path()
        .strip_prefix("/admob")
        .filter(|rest| rest.starts_with('/'))
        .unwrap_or(parts.uri.path())
        .to_owned();
    let query: Vec<(String, String)> =
        url::form_urlencoded::parse(parts.uri.query().unwrap_or_default().as_bytes()).into_owned().collect();
    let Ok(bytes) = axum::body::to_bytes(body, LARGEST_BODY).await else {
        return ApiError::too_large().into_response();
    };
    if let Some(endpoint) = oauth::endpoint(&parts.method, &path) {
        let fault = inner.faults().take(endpoint.name());
        if let Some(early) = early_answer(fault.as_ref()) {
            return early;
        }
        let response = oauth::answer(&inner, endpoint, &parts.headers, &query, &bytes);
        return broken(&inner, fault, response).await;
    }
    let Some(call) = routes::find(&parts.method, &path) else {
        return ApiError::not_found(format!("The requested URL {} {path} was not found on this server.", parts.method))
            .into_response();
    };
    let fault = inner.faults().take(call.operation.name());
    let received = Received {
        method: parts.method.to_string(),
        path,
        query,
        token: bearer(&parts.headers),
        request_id: parts.headers.get("x-request-id").and_then(|id| id.to_str().ok()).map(str::to_owned),
        body: parse(&bytes),
    };
    let work = Arc::clone(&inner);
    let given = fault.clone();
    let done = tokio::task::spawn_blocking(move || run(&work, call, received, given.as_ref())).await;
    let response = done.unwrap_or_else(|_| ApiError::internal("The sandbox failed; see its log.").into_response());
    if let Some(early) = early_answer(fault.as_ref()) {
        return early;
    }
    broken(&inner, fault, response).await
}

fn bearer(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim().to_owned())
}

fn parse(bytes: &Bytes) -> Result<Value, ApiError> {
    if bytes.is_empty() {
        return Ok(json!({}));
    }
    serde_json::from_slice(bytes)
        .map_err(|error| ApiError::malformed(format!("Invalid JSON payload received. {error}")))
}

/// Authenticates, checks and runs; writes are recorded whatever comes of them.
fn run(inner: &Inner, call: Call, received: Received, fault: Option<&Fault>) -> Response {
    let now = inner.now();
    let refused = fault.filter(|fault| fault.kind == FaultKind::Status && !fault.apply).and_then(|fault| fault.status);
    let caller = received.token.as_deref().and_then(|token| inner.store().tokens.caller(token, now));
    let record = call.operation.is_write().then(|| WriteRecord {
        seq: 0,
        network: "admob".to_owned(),
        operation: call.operation.name().to_owned(),
        method: received.method.clone(),
        path: received.path.clone(),
        query: received
            .query
            .iter()
            .map(|(key, value)| (key.clone(), Value::String(value.clone())))
            .collect::<Map<_, _>>()
            .into(),
        body: received.body.as_ref().cloned().unwrap_or(Value::Null),
        owner: caller.as_ref().map(|caller| caller.email.clone()),
        at: now.to_string(),
        status: refused.unwrap_or(200),
        applied: false,
        fault: fault
            .and_then(|fault| serde_json::to_value(fault.kind).ok())
            .and_then(|kind| kind.as_str().map(str::to_owned)),
        request_id: received.request_id.clone().unwrap_or_default(),
    });
    let context = if refused.is_some() { Err(ApiError::injected(503)) } else { admit(inner, call, received, caller) };
    let answer = match (context, record) {
        (Ok(context), None) => ops::read(inner, &context),
        (Ok(context), Some(record)) => write(inner, Some(&context), record, None),
        (Err(error), None) => Err(error),
        (Err(error), Some(record)) => write(inner, None, record, Some(error)),
    };
    match answer {
        Ok(body) => axum::Json(body).into_response(),
        Err(error) => error.into_response(),
    }
}

fn admit(inner: &Inner, call: Call, received: Received, caller: Option<Caller>) -> Result<Context, ApiError> {
    let caller = caller.ok_or_else(ApiError::unauthenticated)?;
    inner.quota().take(&caller.grant, inner.now()).map_err(ApiError::exhausted)?;
    if !caller.may(call.operation.scopes()) {
        return Err(ApiError::scope_insufficient());
    }
    if !call.account.is_empty() {
        let digits = call
            .account
            .strip_prefix("pub-")
            .filter(|rest| rest.len() == 16 && rest.bytes().all(|b| b.is_ascii_digit()));
        if digits.is_none() {
            return Err(ApiError::invalid(
                "parent",
                format!("\"{}\" is no publisher id; the form is pub-9876543210987654", call.account),
            ));
        }
        let reachable = accounts::identity(&caller.email)
            .is_some_and(|identity| identity.accounts.contains(&call.account.as_str()));
        if !reachable {
            return Err(ApiError::forbidden(format!(
                "The caller does not have permission for account {}, or it does not exist.",
                call.account
            )));
        }
    }
    let body = fields::normalised(received.body?);
    Ok(Context { call, caller, query: received.query, body })
}

/// Runs a write and keeps its record with its effects in one line.
fn write(
    inner: &Inner,
    context: Option<&Context>,
    mut record: WriteRecord,
    refused: Option<ApiError>,
) -> Result<Value, ApiError> {
    let mut store = inner.store();
    let outcome = match (context, refused) {
        (Some(context), _) => ops::write(inner, &store.objects, context),
        (None, error) => Err(error.unwrap_or_else(ApiError::unauthenticated)),
    };
    record.seq = store.writes.last().map_or(1, |last| last.seq + 1);
    if record.request_id.is_empty() {
        record.request_id = format!("sandbox-{:06}", record.seq);
    }
    let (answer, effects) = match outcome {
        Ok((answer, effects)) => {
            record.applied = true;
            (Ok(answer), effects)
        }
        Err(error) => {
            if record.status == 200 {
                record.status = error.code;
            }
            (Err(error), Vec::new())
        }
    };
    store.commit(Entry::Write { record: Box::new(record), effects }).map_err(|error| {
        tracing::error!(%error, "the sandbox log cannot be written");
        ApiError::internal("The sandbox could not store the write; nothing was changed.")
    })?;
    answer
}

fn early_answer(fault: Option<&Fault>) -> Option<Response> {
    let fault = fault.filter(|fault| fault.kind == FaultKind::Status)?;
    Some(ApiError::injected(fault.status.unwrap_or(503)).into_response())
}

/// Breaks an answer the way the fault says.
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
