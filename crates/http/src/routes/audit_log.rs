//! The audit log of a workspace: its pages, a file for spreadsheets, and the check of its chain.

use adagent_contract::{AuditQuery, AuditVerdict};
use adagent_domain::{Granted, Timestamp, UserId, WorkspaceId, rights::ViewAuditLog};
use adagent_service::TokenGrant;
use axum::{
    Extension, Json,
    body::Body,
    extract::State,
    http::{HeaderMap, header},
    response::{IntoResponse as _, Response},
};
use serde_json::json;

use super::Route;
use crate::{
    error::{ApiError, ApiResult},
    extract::{Id, Person, Query},
    openapi::Operation,
    state::HttpState,
};

const TAG: &str = "organizations";

pub fn routes() -> Vec<Route> {
    vec![
        Route::new(
            Operation::get(
                "/api/organizations/{id}/audit-log",
                "list_audit_log",
                TAG,
                "Who did what, newest first; for admins, and in your personal workspace",
            )
            .id("id")
            .query("action", "string", "connection, or connection.connected; leave out for all")
            .described(json!({
                "name": "person", "in": "query", "description": "ID of the person who did it", "schema": {"type": "string", "format": "uuid"}
            }))
            .described(json!({
                "name": "from", "in": "query", "description": "The first instant", "schema": {"type": "string", "format": "date-time"}
            }))
            .described(json!({
                "name": "to", "in": "query", "description": "The instant after the last", "schema": {"type": "string", "format": "date-time"}
            }))
            .described(json!({
                "name": "format", "in": "query", "description": "csv for the whole log as a file, like `Accept: text/csv`",
                "schema": {"type": "string", "enum": ["csv", "json"]}
            }))
            .paged()
            .json_or_csv(200, "AuditPage")
            .personal(),
            list,
        ),
        Route::new(
            Operation::get(
                "/api/organizations/{id}/audit-log/verification",
                "verify_audit_log",
                TAG,
                "Verify the audit log's hash chain from beginning to end",
            )
            .id("id")
            .json(200, "AuditVerdict")
            .personal(),
            verify,
        ),
    ]
}

/// Checks that the caller may see the log of exactly this workspace. A token sees only its own workspace.
async fn may_see(
    state: &HttpState,
    user: UserId,
    grant: Option<Extension<TokenGrant>>,
    workspace: WorkspaceId,
) -> ApiResult<Granted<ViewAuditLog>> {
    if grant.is_some_and(|Extension(grant)| grant.workspace != workspace) {
        return Err(ApiError::not_found("organization"));
    }
    Ok(state.service.resolve_actor(user, Some(workspace)).await?.grant()?)
}

async fn list(
    State(state): State<HttpState>,
    Person(user): Person,
    grant: Option<Extension<TokenGrant>>,
    Id(workspace): Id<WorkspaceId>,
    headers: HeaderMap,
    query: Query,
) -> ApiResult<Response> {
    let actor = may_see(&state, user, grant, workspace).await?;
    let narrowed = AuditQuery {
        action: query.text("action").unwrap_or_default(),
        person: query.parsed("person", "the ID of a person")?,
        from: query.parsed::<Timestamp>("from", "an instant such as 2026-11-21T00:00:00Z")?,
        to: query.parsed::<Timestamp>("to", "an instant such as 2026-11-22T00:00:00Z")?,
    };
    if !as_csv(&headers, query.text("format").as_deref())? {
        let page = state.service.audit_log(&actor, &narrowed, query.cursor().as_deref(), query.limit()?).await?;
        return Ok(Json(page).into_response());
    }
    let text = state.service.audit_csv(&actor, &narrowed).await?;
    let head = [
        (header::CONTENT_TYPE, "text/csv; charset=utf-8; header=present"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"audit-log.csv\""),
    ];
    Ok((head, Body::from_stream(text)).into_response())
}

/// Checks whether to answer with CSV. The query parameter counts before the `Accept` header.
fn as_csv(headers: &HeaderMap, format: Option<&str>) -> ApiResult<bool> {
    match format {
        Some("csv") => Ok(true),
        Some("json") => Ok(false),
        Some(_) => Err(ApiError::field("/format", "Expected csv or json.")),
        None => {
            let accept = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
            Ok(accept.split(',').any(|kind| kind.trim().starts_with("text/csv")))
        }
    }
}

async fn verify(
    State(state): State<HttpState>,
    Person(user): Person,
    grant: Option<Extension<TokenGrant>>,
    Id(workspace): Id<WorkspaceId>,
) -> ApiResult<Json<AuditVerdict>> {
    let actor = may_see(&state, user, grant, workspace).await?;
    Ok(Json(state.service.verify_audit(&actor).await?))
}
