//! Lists of approvals.

use adagent_contract::{ApprovalStatus, ApprovalView, Page};
use adagent_domain::ApprovalId;
use axum::{Json, extract::State, http::StatusCode};
use serde_json::json;

use super::{Route, runs::RunRef};
use crate::{
    error::{ApiError, ApiResult},
    extract::{Acting, Id, IdempotencyKey, Query},
    openapi::Operation,
    state::HttpState,
};

const TAG: &str = "approvals";

pub fn routes() -> Vec<Route> {
    vec![
        Route::new(
            Operation::get("/api/approvals", "list_approvals", TAG, "The inbox, newest first")
                .described(json!({
                    "name": "status", "in": "query", "description": "Only approvals with this status; all when left out",
                    "schema": {"type": "string", "enum": ["pending", "approved", "denied", "cancelled", "expired"]}
                }))
                .described(json!({
                    "name": "of", "in": "query",
                    "description": "`everyone`: those of all members, for admins and the owner of an organization; otherwise your own",
                    "schema": {"type": "string", "enum": ["me", "everyone"]}
                }))
                .paged()
                .json(200, "ApprovalPage"),
            list,
        ),
        Route::new(
            Operation::get("/api/approvals/{id}", "get_approval", TAG, "One approval").id("id").json(200, "Approval"),
            read,
        ),
        Route::new(
            Operation::post("/api/approvals/{id}/undo", "undo_change", TAG, "Propose what was there before a change; approval as usual")
                .id("id")
                .idempotent()
                .json(202, "RunRef"),
            undo,
        ),
    ]
}

async fn list(
    State(state): State<HttpState>,
    Acting(actor): Acting,
    query: Query,
) -> ApiResult<Json<Page<ApprovalView>>> {
    let status = query.text("status").map(|text| status(&text)).transpose()?;
    let (cursor, limit) = (query.cursor(), query.limit()?);
    let page = match query.text("of").as_deref() {
        None | Some("me") => state.service.list_approvals(&actor, status, cursor, limit).await,
        Some("everyone") => state.service.list_all_approvals(&actor.grant()?, status, cursor, limit).await,
        Some(_) => return Err(ApiError::field("/of", "Expected `me` or `everyone`.")),
    };
    Ok(Json(page?))
}

async fn read(
    State(state): State<HttpState>,
    Acting(actor): Acting,
    Id(id): Id<ApprovalId>,
) -> ApiResult<Json<ApprovalView>> {
    Ok(Json(state.service.approval(&actor, id).await?))
}

async fn undo(
    State(state): State<HttpState>,
    Acting(actor): Acting,
    Id(id): Id<ApprovalId>,
    IdempotencyKey(key): IdempotencyKey,
) -> ApiResult<(StatusCode, Json<RunRef>)> {
    let run_id = state.service.undo(&actor.grant()?, id, key.as_deref()).await?;
    Ok((StatusCode::ACCEPTED, Json(RunRef { run_id })))
}

fn status(text: &str) -> ApiResult<ApprovalStatus> {
    serde_json::from_value(text.into())
        .map_err(|_| ApiError::field("/status", "Expected `pending`, `approved`, `denied`, `cancelled` or `expired`."))
}
