//! Control routes for tests and for the product's "explore" button. No real network has them.
//!
//! | Route | Meaning |
//! | --- | --- |
//! | `GET /__sandbox/networks` | `{items}`: each network with its first host and its operations: name, kind, method, host, path |
//! | `GET /__sandbox/writes?network=` | `{items}`: every write received, in order |
//! | `GET /__sandbox/requests?network=&operation=` | `{items}`: the last 5000 requests to operations, including reads; in memory only |
//! | `POST /__sandbox/faults` | `{network, operation?, kind, status?, retry_after?, ms?, bytes?, times, apply?}`; `DELETE` removes all, `GET` lists them |
//! | `GET /__sandbox/truth?network=…` | exact numbers, see [`crate::truth`] |
//! | `POST /__sandbox/reset` | resets objects, writes, faults and revoked keys to the start; consents stay |
//! | `POST /__sandbox/grant` `{network?, identity?, standing?}` | tokens without a browser (`AdMob`, and Ad Manager unless `standing` is given); for a key network `{network, standing, fields}` |
//! | `POST /__sandbox/oauth` `{network?, access_token_seconds?, expire_access?, revoke_all?}` | token lifetime (Google's sign-in), expiry, revocation |
//! | `POST /__sandbox/quota` `{network?, burst, per_minute}` | sets other limits and fills the buckets; for all networks if none is given |
//!
//! Fault kinds: `status` answers with `status` (400–599) in the network's own form, and the operation does not run unless `apply` is true.
//! With `delay`, `truncate`, `malformed`, `html`, `huge` and `stall` the operation runs, and only its answer is broken. Operations are tool
//! names (`admob_generate_network_report`) or those of the sign-in (`oauth_authorize`, `oauth_token`, `oauth_revoke`, `unity_auth`,
//! `liftoff_auth`, `inmobi_auth`, `dtexchange_auth`). Without one, the fault hits any API operation of the network. `standing` is `valid`
//! (the default), `revoked`, `expired` or `not_allowed`, or the name of a set that opens less; see [`crate::credentials`].

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::faults::Fault;
use crate::journal::Entry;
use crate::networks;
use crate::networks::admob::{oauth, tokens::Access, tokens::Tokens};
use crate::state::Inner;
use crate::world::accounts::{IDENTITIES, identity};
use crate::{Quota, credentials, truth as figures};

pub(crate) fn router() -> Router<Arc<Inner>> {
    Router::new()
        .route("/__sandbox/networks", get(list_networks))
        .route("/__sandbox/writes", get(writes))
        .route("/__sandbox/requests", get(requests))
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

/// Parses a body; an empty body means the defaults.
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

/// Lists the simulated networks. `AdMob` finds its paths itself, so they are not listed.
async fn list_networks() -> Json<Value> {
    let operation = |it: &networks::Operation| {
        let kind = format!("{:?}", it.kind).to_lowercase();
        json!({ "name": it.name, "kind": kind, "method": it.method, "host": it.host, "path": it.path })
    };
    let network = |it: &&dyn networks::Network| {
        let operations: Vec<Value> = it.operations().iter().map(operation).collect();
        json!({ "id": it.id(), "host": it.host(), "operations": operations })
    };
    Json(json!({ "items": networks::NETWORKS.iter().map(network).collect::<Vec<_>>() }))
}

async fn requests(State(inner): Shared, Query(query): Pairs) -> Json<Value> {
    let wanted = |name: &str, value: &str| query.iter().all(|(key, want)| key != name || want == value);
    let seen = inner.seen();
    let fits = |it: &&crate::seen::SeenRequest| wanted("network", it.network) && wanted("operation", it.operation);
    let items: Vec<_> = seen.list().filter(fits).collect();
    Json(json!({ "items": items }))
}

async fn list_faults(State(inner): Shared) -> Json<Value> {
    Json(json!({ "items": inner.faults().list() }))
}

async fn add_fault(State(inner): Shared, text: String) -> Response {
    match serde_json::from_str::<Fault>(&text) {
        Err(error) => wrong(&error.to_string()),
        Ok(fault) => {
            if let Some(problem) = fault.problem() {
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
    inner.seen().clear();
    match inner.store().reset(&inner.units, &inner.leaves) {
        Ok(()) => StatusCode::NO_CONTENT.into_response(),
        Err(error) => failed(&error),
    }
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct GrantRequest {
    network: Option<String>,
    identity: Option<String>,
    standing: Option<String>,
}

async fn grant(State(inner): Shared, text: String) -> Response {
    let request: GrantRequest = match body(&text) {
        Ok(request) => request,
        Err(response) => return *response,
    };
    let network = request.network.unwrap_or_else(|| "admob".to_owned());
    let google = ["admob", "admanager"].contains(&network.as_str());
    if !google || (network == "admanager" && request.standing.is_some()) {
        return keys(&network, request.standing.as_deref().unwrap_or("valid"));
    }
    let email = request.identity.unwrap_or_else(|| IDENTITIES[0].email.to_owned());
    if identity(&email).is_none() {
        let known: Vec<&str> = IDENTITIES.iter().map(|identity| identity.email).collect();
        return wrong(&format!("identity: one of {} is expected", known.join(", ")));
    }
    match oauth::direct(&inner, &email, &network) {
        Ok(tokens) => Json(tokens).into_response(),
        Err(error) => failed(&error),
    }
}

/// Returns the fields for the connect form of a key network.
fn keys(network: &str, standing: &str) -> Response {
    let sets = || credentials::published().filter(|(_, set)| set.network == network);
    let Some((_, set)) = sets().find(|(name, _)| *name == standing) else {
        return wrong(&if sets().next().is_none() {
            format!("network: \"{network}\" has no published keys; one of {} is expected", networks::ids())
        } else {
            format!(
                "standing: \"{standing}\" does not exist; one of {} is expected",
                sets().map(|(name, _)| name).collect::<Vec<_>>().join(", ")
            )
        });
    };
    let fields: serde_json::Map<String, Value> =
        set.fields.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
    Json(json!({ "network": network, "standing": standing, "fields": fields })).into_response()
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct TokenRequest {
    network: Option<String>,
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
    let network = request.network.unwrap_or_else(|| "admob".to_owned());
    if networks::find(&network).is_none() {
        return wrong(&format!("network: \"{network}\" is not simulated; one of {} is", networks::ids()));
    }
    let mut store = inner.store();
    if let Some(seconds) = request.access_token_seconds {
        if !(1..=86_400).contains(&seconds) {
            return wrong("access_token_seconds: a number from 1 to 86400 is expected");
        }
        store.tokens.lifetime = seconds;
    }
    let mut entries = Vec::new();
    if network != "admob" {
        if request.expire_access || request.revoke_all {
            let number = store.generation(&network) + 1;
            entries.push(Entry::Generation { network: network.clone(), number });
        }
        if request.revoke_all {
            entries.push(Entry::KeysRevoked { network: network.clone() });
        }
    }
    if ["admob", "admanager"].contains(&network.as_str()) {
        let grants = &store.tokens.grants;
        let own = |id: &String| grants.get(id).is_none_or(|grant| Tokens::is_for(grant, &network));
        if request.revoke_all {
            entries.extend(grants.keys().filter(|id| own(id)).cloned().map(|grant| Entry::Revoked { grant }));
        } else if request.expire_access {
            let expired = store.tokens.access.values().filter(|access| own(&access.grant)).cloned();
            entries.extend(expired.map(|access| Entry::Access(Access { expires_at: now, ..access })));
        }
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
    #[serde(default)]
    network: String,
    burst: u32,
    per_minute: u32,
}

async fn quota(State(inner): Shared, text: String) -> Response {
    match serde_json::from_str::<QuotaRequest>(&text) {
        Err(error) => wrong(&error.to_string()),
        Ok(request) => {
            if !request.network.is_empty() && networks::find(&request.network).is_none() {
                return wrong(&format!(
                    "network: \"{}\" is not simulated; one of {} is",
                    request.network,
                    networks::ids()
                ));
            }
            let quota = Quota { burst: request.burst, per_minute: request.per_minute };
            inner.quota().set(&request.network, quota);
            StatusCode::NO_CONTENT.into_response()
        }
    }
}
