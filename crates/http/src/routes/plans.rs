//! The plan of a chat.

use adagent_contract::{ApprovePlanRequest, PlanView};
use adagent_domain::ChatSessionId;
use adagent_service::Started;
use axum::{Json, extract::State, http::StatusCode};
use serde_json::json;

use super::{Route, runs::RunRef};
use crate::{
    error::ApiResult,
    extract::{Acting, Deciding, Id, IdempotencyKey, Ids2, Json as Body},
    openapi::Operation,
    state::HttpState,
};

const TAG: &str = "chat";

pub fn routes() -> Vec<Route> {
    vec![
        Route::new(
            Operation::get("/api/chat/sessions/{id}/plan", "get_plan", TAG, "The chat's last plan, step by step")
                .id("id")
                .json(200, "Plan"),
            read,
        ),
        Route::new(
            Operation::post(
                "/api/chat/sessions/{id}/plan/approve",
                "approve_plan",
                TAG,
                "Approve every change of the plan that is waiting",
            )
            .id("id")
            .body("ApprovePlanRequest")
            .json(200, "Plan"),
            approve,
        ),
        Route::new(
            Operation::post(
                "/api/chat/sessions/{id}/plan/execute",
                "execute_plan",
                TAG,
                "Ask for the steps that failed or were not run",
            )
            .id("id")
            .idempotent()
            .json(202, "RunRef"),
            execute,
        ),
        Route::new(
            Operation::post(
                "/api/chat/sessions/{id}/plan/steps/{step}/skip",
                "skip_plan_step",
                TAG,
                "Leave out a step that is waiting for approval",
            )
            .id("id")
            .described(json!({
                "name": "step", "in": "path", "required": true, "description": "Which step, from 1",
                "schema": {"type": "integer", "minimum": 1, "maximum": 100}
            }))
            .json(200, "Plan"),
            skip,
        ),
    ]
}

async fn read(
    State(state): State<HttpState>,
    Acting(actor): Acting,
    Id(id): Id<ChatSessionId>,
) -> ApiResult<Json<PlanView>> {
    Ok(Json(state.service.plan(&actor, id).await?))
}

async fn approve(
    State(state): State<HttpState>,
    Deciding(actor): Deciding,
    Id(id): Id<ChatSessionId>,
    Body(request): Body<ApprovePlanRequest>,
) -> ApiResult<Json<PlanView>> {
    Ok(Json(state.service.approve_plan(&actor.grant()?, id, &request).await?))
}

async fn execute(
    State(state): State<HttpState>,
    Acting(actor): Acting,
    Id(id): Id<ChatSessionId>,
    IdempotencyKey(key): IdempotencyKey,
) -> ApiResult<(StatusCode, Json<RunRef>)> {
    let Started { run_id, .. } = state.service.execute_plan(&actor.grant()?, id, key.as_deref()).await?;
    Ok((StatusCode::ACCEPTED, Json(RunRef { run_id })))
}

async fn skip(
    State(state): State<HttpState>,
    Deciding(actor): Deciding,
    Ids2(id, step): Ids2<ChatSessionId, u32>,
) -> ApiResult<Json<PlanView>> {
    Ok(Json(state.service.skip_plan_step(&actor.grant()?, id, step).await?))
}
