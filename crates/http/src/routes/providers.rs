//! Connections to networks.

use adagent_contract::{
    ConnectRequest, ConnectResponse, EnableRequest, EntityItem, EntityKind, Page, ProviderView,
    RenameConnectionRequest, codes, links,
};
use adagent_domain::ConnectionId;
use adagent_service::{SessionHash, connections::OauthFailed};
use axum::{
    Extension, Json,
    extract::State,
    http::StatusCode,
    response::{IntoResponse as _, Redirect, Response},
};
use serde::Deserialize;

use super::Route;
use crate::{
    error::{ApiError, ApiResult},
    extract::{Acting, Deciding, Id, IdempotencyKey, InPerson, Json as Body, Query},
    openapi::Operation,
    state::HttpState,
};

const TAG: &str = "connections";

pub fn routes() -> Vec<Route> {
    let mut routes = of_connections();
    routes.extend(of_entities());
    routes
}

fn of_connections() -> Vec<Route> {
    vec![
        Route::new(
            Operation::get("/api/providers", "list_providers", TAG, "Every network with its state")
                .json(200, "ProviderList"),
            list,
        ),
        Route::new(
            Operation::post("/api/providers/connect", "connect_provider", TAG, "Start connecting a network by OAuth")
                .body("ConnectRequest")
                .idempotent()
                .json(200, "ConnectResponse"),
            connect,
        ),
        Route::new(
            Operation::get(
                "/api/providers/oauth/callback",
                "oauth_callback",
                TAG,
                "Where the network sends the browser back to",
            )
            .query("state", "string", "As given to the network")
            .query("code", "string", "Exchanged for tokens")
            .query("error", "string", "Why the network refused")
            .redirect(),
            callback,
        ),
        Route::new(
            Operation::patch("/api/providers/{id}/enable", "enable_provider", TAG, "Switch a connection on or off")
                .id("id")
                .body("EnableRequest")
                .json(200, "Provider"),
            enable,
        ),
        Route::new(
            Operation::patch("/api/providers/{id}", "rename_provider", TAG, "Rename a connection")
                .id("id")
                .body("RenameConnectionRequest")
                .json(200, "Provider"),
            rename,
        ),
        Route::new(
            Operation::post("/api/providers/{id}/test", "test_provider", TAG, "Test a connection with a small request")
                .id("id")
                .json(200, "Provider"),
            test,
        ),
        Route::new(
            Operation::delete(
                "/api/providers/{id}",
                "disconnect_provider",
                TAG,
                "Disconnect; the token is revoked where the network allows",
            )
            .id("id")
            .empty(204),
            disconnect,
        ),
        Route::new(
            Operation::put(
                "/api/providers/{id}/accounts",
                "choose_accounts",
                TAG,
                "Choose the publisher accounts to use",
            )
            .id("id")
            .body("ChooseAccountsRequest")
            .json(200, "Provider"),
            choose,
        ),
    ]
}

/// Returns the routes for the entities of a connection.
fn of_entities() -> Vec<Route> {
    let entities = |path, id, summary| {
        Operation::get(path, id, TAG, summary)
            .id("id")
            .query("refresh", "boolean", "Skip the cache of five minutes")
            .paged()
            .json(200, "EntityPage")
    };
    vec![
        Route::new(
            entities("/api/providers/{id}/accounts", "list_accounts", "Publisher accounts"),
            async |s: State<HttpState>, a: Acting, i: Id<ConnectionId>, q: Query| {
                entities_of(s, a, i, q, EntityKind::Account).await
            },
        ),
        Route::new(
            entities("/api/providers/{id}/apps", "list_apps", "Apps"),
            async |s: State<HttpState>, a: Acting, i: Id<ConnectionId>, q: Query| {
                entities_of(s, a, i, q, EntityKind::App).await
            },
        ),
        Route::new(
            entities("/api/providers/{id}/ad-units", "list_ad_units", "Ad units"),
            async |s: State<HttpState>, a: Acting, i: Id<ConnectionId>, q: Query| {
                entities_of(s, a, i, q, EntityKind::AdUnit).await
            },
        ),
        Route::new(
            entities("/api/providers/{id}/ad-sources", "list_ad_sources", "Ad sources"),
            async |s: State<HttpState>, a: Acting, i: Id<ConnectionId>, q: Query| {
                entities_of(s, a, i, q, EntityKind::AdSource).await
            },
        ),
        Route::new(
            entities("/api/providers/{id}/mediation-groups", "list_mediation_groups", "Mediation groups"),
            async |s: State<HttpState>, a: Acting, i: Id<ConnectionId>, q: Query| {
                entities_of(s, a, i, q, EntityKind::MediationGroup).await
            },
        ),
    ]
}

async fn list(State(state): State<HttpState>, Acting(actor): Acting) -> ApiResult<Json<Page<ProviderView>>> {
    Ok(Json(Page::last(state.service.providers(&actor.grant()?).await?)))
}

async fn connect(
    State(state): State<HttpState>,
    InPerson(actor): InPerson,
    session: Option<Extension<SessionHash>>,
    IdempotencyKey(key): IdempotencyKey,
    Body(request): Body<ConnectRequest>,
) -> ApiResult<Json<ConnectResponse>> {
    let Extension(SessionHash(session)) = session.ok_or_else(super::no_session)?;
    Ok(Json(state.service.connect_once(&actor.grant()?, request, &session, key.as_deref()).await?))
}

/// Always redirects the browser to a page. An error goes there as a code, never as the network's text.
async fn callback(
    State(state): State<HttpState>,
    session: Option<Extension<SessionHash>>,
    query: Query,
) -> ApiResult<Response> {
    const PAGE: &str = "/settings/networks";
    let Some(Extension(SessionHash(session))) = session else {
        return Ok(Redirect::to("/sign-in?return=%2Fsettings%2Fnetworks").into_response());
    };
    let failed = |code: &str, began: Option<&str>| {
        let named = named_in(began);
        Redirect::to(&format!("{PAGE}?error={code}{named}")).into_response()
    };
    let Some(round_trip) = query.text("state") else { return Ok(failed(codes::BAD_REQUEST, None)) };
    let (code, error) = (query.text("code"), query.text("error"));
    let outcome = match (&code, &error) {
        (Some(code), None) => Ok(code.as_str()),
        (_, Some(error)) => Err(error.as_str()),
        (None, None) => return Ok(failed(codes::BAD_REQUEST, None)),
    };
    match state.service.finish_oauth(&round_trip, outcome, &session).await {
        Ok(done) => {
            // With several accounts, the person first chooses, then returns to where they began.
            let target = match done.choose {
                Some(id) => {
                    let back = done
                        .return_to
                        .as_deref()
                        .map(|path| format!("&return={}", links::encode(path)))
                        .unwrap_or_default();
                    let named = named_in(done.return_to.as_deref());
                    format!("{PAGE}?choose={id}{named}{back}")
                }
                None => links::connected(done.return_to.as_deref().unwrap_or(PAGE), done.network.id()),
            };
            Ok(Redirect::to(&target).into_response())
        }
        Err(OauthFailed { error, return_to }) => {
            let (error, began) = (ApiError::from(error), return_to.as_deref());
            // If the person declines at the network, nothing failed; the page says that nothing was connected.
            match outcome {
                Err("access_denied") => Ok(failed("access_denied", began)),
                _ if error.problem.status >= 500 => Err(error),
                _ => Ok(failed(&error.problem.code, began)),
            }
        }
    }
}

/// Returns the workspace from the return address, for people who have several. So every page on the way uses the same workspace, whatever
/// another tab of this browser has chosen meanwhile.
fn named_in(way_back: Option<&str>) -> String {
    let named = way_back.and_then(|path| path.split(['?', '&', '#']).find(|part| part.starts_with("workspace=")));
    named.map(|named| format!("&{named}")).unwrap_or_default()
}

async fn enable(
    State(state): State<HttpState>,
    Deciding(actor): Deciding,
    Id(id): Id<ConnectionId>,
    Body(request): Body<EnableRequest>,
) -> ApiResult<Json<ProviderView>> {
    Ok(Json(state.service.enable_provider(&actor.grant()?, id, request.enabled).await?))
}

async fn rename(
    State(state): State<HttpState>,
    Deciding(actor): Deciding,
    Id(id): Id<ConnectionId>,
    Body(request): Body<RenameConnectionRequest>,
) -> ApiResult<Json<ProviderView>> {
    Ok(Json(state.service.rename_connection(&actor.grant()?, id, &request.label).await?))
}

async fn test(
    State(state): State<HttpState>,
    Deciding(actor): Deciding,
    Id(id): Id<ConnectionId>,
) -> ApiResult<Json<ProviderView>> {
    Ok(Json(state.service.test_provider(&actor.grant()?, id).await?))
}

async fn disconnect(
    State(state): State<HttpState>,
    Deciding(actor): Deciding,
    Id(id): Id<ConnectionId>,
) -> ApiResult<StatusCode> {
    state.service.disconnect_provider(&actor.grant()?, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ChooseAccounts {
    account_ids: Vec<String>,
}

async fn choose(
    State(state): State<HttpState>,
    Deciding(actor): Deciding,
    Id(id): Id<ConnectionId>,
    Body(request): Body<ChooseAccounts>,
) -> ApiResult<Json<ProviderView>> {
    Ok(Json(state.service.choose_accounts(&actor.grant()?, id, request.account_ids).await?))
}

async fn entities_of(
    State(state): State<HttpState>,
    Acting(actor): Acting,
    Id(id): Id<ConnectionId>,
    query: Query,
    kind: EntityKind,
) -> ApiResult<Json<Page<EntityItem>>> {
    let refresh = query.flag("refresh")?;
    Ok(Json(state.service.entities(&actor.grant()?, id, kind, refresh, query.cursor(), query.limit()?).await?))
}
