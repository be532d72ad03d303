//! Time travel: shows a checkpoint, and continues from it in a new run.

use adagent_contract::{CheckpointComparison, CheckpointDetail, CheckpointView, ForkRequest, Page};
use adagent_domain::{CheckpointId, RunId};
use axum::{Json, extract::State, http::StatusCode};
use serde_json::json;

use super::{Route, runs::RunRef};
use crate::{
    error::ApiResult,
    extract::{Acting, Id, IdempotencyKey, Ids2, OptionalJson, Query},
    openapi::Operation,
    state::HttpState,
};

const TAG: &str = "runs";
const LIST: &str = "/api/runs/{run_id}/checkpoints";
const ONE: &str = "/api/runs/{run_id}/checkpoints/{checkpoint_id}";
const COMPARE: &str = "/api/runs/{run_id}/checkpoints/{checkpoint_id}/compare";
const FORK: &str = "/api/runs/{run_id}/checkpoints/{checkpoint_id}/fork";

pub fn routes() -> Vec<Route> {
    vec![
        Route::new(
            Operation::get(LIST, "list_checkpoints", TAG, "Checkpoints, oldest first")
                .id("run_id")
                .json(200, "CheckpointList"),
            list,
        ),
        Route::new(
            Operation::get(ONE, "get_checkpoint", TAG, "One checkpoint")
                .id("run_id")
                .id("checkpoint_id")
                .json(200, "CheckpointDetail"),
            read,
        ),
        Route::new(
            Operation::get(COMPARE, "compare_checkpoints", TAG, "What changed since another checkpoint")
                .id("run_id")
                .id("checkpoint_id")
                .described(json!({
                    "name": "from", "in": "query", "schema": {"type": "string", "format": "uuid"},
                    "description": "ID of another checkpoint of this run; the previous one if absent"
                }))
                .json(200, "CheckpointComparison"),
            compare,
        ),
        Route::new(
            Operation::post(FORK, "fork_run", TAG, "Continue from a checkpoint in a new run, unchanged, with another message or with other arguments; never repeats a change")
                .id("run_id")
                .id("checkpoint_id")
                .idempotent()
                .optional_body("ForkRequest")
                .json(201, "RunRef"),
            fork,
        ),
    ]
}

async fn list(
    State(state): State<HttpState>,
    Acting(actor): Acting,
    Id(run): Id<RunId>,
) -> ApiResult<Json<Page<CheckpointView>>> {
    Ok(Json(Page::last(state.service.checkpoints(&actor, run).await?)))
}

async fn read(
    State(state): State<HttpState>,
    Acting(actor): Acting,
    Ids2(run, id): Ids2<RunId, CheckpointId>,
) -> ApiResult<Json<CheckpointDetail>> {
    Ok(Json(state.service.checkpoint(&actor, run, id).await?))
}

async fn compare(
    State(state): State<HttpState>,
    Acting(actor): Acting,
    Ids2(run, id): Ids2<RunId, CheckpointId>,
    query: Query,
) -> ApiResult<Json<CheckpointComparison>> {
    let from = query.parsed("from", "the ID of a checkpoint")?;
    Ok(Json(state.service.compare_checkpoints(&actor, run, id, from).await?))
}

async fn fork(
    State(state): State<HttpState>,
    Acting(actor): Acting,
    Ids2(run, id): Ids2<RunId, CheckpointId>,
    IdempotencyKey(key): IdempotencyKey,
    OptionalJson(request): OptionalJson<ForkRequest>,
) -> ApiResult<(StatusCode, Json<RunRef>)> {
    let run_id = state.service.fork(&actor.grant()?, run, id, request, key.as_deref()).await?;
    Ok((StatusCode::CREATED, Json(RunRef { run_id })))
}
