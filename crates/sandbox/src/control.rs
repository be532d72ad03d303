//! Control routes for tests and for the product's "explore" button; they are no part of any real network.
//!
//! | Route | Meaning |
//! | --- | --- |
//! | `GET /__sandbox/writes?network=` | `{items}`: every write received, in order |
//! | `POST /__sandbox/faults` | `{network, operation?, kind, status?, ms?, times, apply?}`; `DELETE` removes all, `GET` lists them |
//! | `GET /__sandbox/truth?…` | exact figures, see [`crate::report::truth`] |
//! | `POST /__sandbox/reset` | objects, writes and faults as at first; consents stay |
//! | `POST /__sandbox/grant` `{network?, identity?}` | tokens without a browser |
//! | `POST /__sandbox/oauth` `{access_token_seconds?, expire_access?, revoke_all?}` | token lifetime, expiry, revocation |
//! | `POST /__sandbox/quota` `{burst, per_minute}` | other limits, full buckets |
//!
//! Fault kinds: `status` answers `status` (400–599) and the operation does not run, unless `apply` is true; with `delay`,
//! `truncate`, `malformed` and `stall` it runs and only its answer suffers. Operations are tool names
//! (`admob_generate_network_report`) or `oauth_authorize`, `oauth_token`, `oauth_revoke`; without one, any API operation.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::data::accounts::{IDENTITIES, identity};
use crate::faults::Fault;
use crate::journal::Entry;
use crate::quota::Buckets;
use crate::report::truth as figures;
use crate::routes::OPERATIONS;
use crate::state::Inner;
use crate::{Quota, oauth};

pub(crate) fn router() -> Router<Arc<Inner>> {
    Router::new()
        .route("/__sandbox/writes", get(writes))
        .route("/__sandbox/faults", get(list_faults).post(add_fault).delete(clear_faults))
        .route("/__sandbox/truth", get(truth))
        .route("/__sandbox/reset", post(reset))
        .route("/__sandbox/grant", post(grant))
        .route("/__sandbox/oauth", post(tokens))
        .route("/__sandbox/quota", post(quota))
}

type Shared = State<Arc<Inner>>;

fn wrong(message: &str) -> Response {
    (StatusCode::BAD_REQUEST, Json(json!({ "error": message }))).into_response()
}

fn failed(error: &std::io::Error) -> Response {
    tracing::error!(%error, "the sandbox log cannot be written");
    (StatusCode::INTERNAL_SERVER_ERROR, Json(json!({ "error": "the sandbox log cannot be written" }))).into_response()
}

/// Reads a body leniently: none at all means the defaults.
fn body<T: for<'de> Deserialize<'de> + Default>(text: &str) -> Result<T, Box<Response>> {
    if text.trim().is_empty() {
        return Ok(T::default());
    }
    serde_json::from_str(text).map_err(|error| Box::new(wrong(&error.to_string())))
}

type Pairs = Query<Vec<(String, String)>>;

async fn writes(State(inner): Shared, Query(query): Pairs) -> Json<Value> {
    let network = query.into_iter().find(|(name, _)| name == "network").map(|(_, value)| value);
    let store = inner.store();
    let fits =
        |record: &&crate::journal::WriteRecord| network.as_ref().is_none_or(|network| *network == record.network);
    let items: Vec<_> = store.writes.iter().filter(fits).collect();
    Json(json!({ "items": items }))
}

async fn list_faults(State(inner): Shared) -> Json<Value> {
    Json(json!({ "items": inner.faults().list() }))
}

async fn add_fault(State(inner): Shared, text: String) -> Response {
    match serde_json::from_str::<Fault>(&text) {
        Err(error) => wrong(&error.to_string()),
        Ok(fault) => {
            if let Some(problem) = fault.problem(&OPERATIONS) {
                return wrong(&problem);
            }
            inner.faults().add(fault.clone());
            (StatusCode::CREATED, Json(fault)).into_response()
        }
    }
}

async fn clear_faults(State(inner): Shared) -> StatusCode {
    inner.faults().clear();
    StatusCode::NO_CONTENT
}

async fn truth(State(inner): Shared, Query(query): Pairs) -> Response {
    let done = tokio::task::spawn_blocking(move || {
        figures::answer(&inner, |name| query.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone()))
    });
    match done.await {
        Ok(Ok(value)) => Json(value).into_response(),
        Ok(Err(message)) => wrong(&message),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

async fn reset(State(inner): Shared) -> Response {
    inner.faults().clear();
    match inner.store().reset(&inner.units) {
        Ok(()) => StatusCode::NO_CONTENT.into_response(),
        Err(error) => failed(&error),
    }
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct GrantRequest {
    network: Option<String>,
    identity: Option<String>,
}

async fn grant(State(inner): Shared, text: String) -> Response {
    let request: GrantRequest = match body(&text) {
        Ok(request) => request,
        Err(response) => return *response,
    };
    if request.network.is_some_and(|network| network != "admob") {
        return wrong("network: only admob is simulated");
    }
    let email = request.identity.unwrap_or_else(|| IDENTITIES[0].email.to_owned());
    if identity(&email).is_none() {
        let known: Vec<&str> = IDENTITIES.iter().map(|identity| identity.email).collect();
        return wrong(&format!("identity: one of {} is expected", known.join(", ")));
    }
    match oauth::direct(&inner, &email) {
        Ok(tokens) => Json(tokens).into_response(),
        Err(error) => failed(&error),
    }
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct TokenRequest {
    access_token_seconds: Option<i64>,
    expire_access: bool,
    revoke_all: bool,
}

async fn tokens(State(inner): Shared, text: String) -> Response {
    let request: TokenRequest = match body(&text) {
        Ok(request) => request,
        Err(response) => return *response,
    };
    let now = inner.now();
    let mut store = inner.store();
    if let Some(seconds) = request.access_token_seconds {
        if !(1..=86_400).contains(&seconds) {
            return wrong("access_token_seconds: a number from 1 to 86400 is expected");
        }
        store.tokens.lifetime = seconds;
    }
    let mut entries = Vec::new();
    if request.expire_access {
        let expired = store.tokens.access.values().cloned();
        entries.extend(expired.map(|access| Entry::Access(crate::tokens::Access { expires_at: now, ..access })));
    }
    if request.revoke_all {
        entries.extend(store.tokens.grants.keys().cloned().map(|grant| Entry::Revoked { grant }));
    }
    for entry in entries {
        if let Err(error) = store.commit(entry) {
            return failed(&error);
        }
    }
    Json(json!({ "access_token_seconds": store.tokens.lifetime })).into_response()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct QuotaRequest {
    burst: u32,
    per_minute: u32,
}

async fn quota(State(inner): Shared, text: String) -> Response {
    match serde_json::from_str::<QuotaRequest>(&text) {
        Err(error) => wrong(&error.to_string()),
        Ok(request) => {
            *inner.quota() = Buckets::new(Quota { burst: request.burst, per_minute: request.per_minute });
            StatusCode::NO_CONTENT.into_response()
        }
    }
}
