//! Time travel: look at a saved state, go on from it in a new run.

use adagent_contract::{CheckpointDetail, CheckpointView, Page};
use adagent_domain::{CheckpointId, RunId};
use axum::{Json, extract::State, http::StatusCode};

use super::{Route, runs::RunRef};
use crate::{
    error::ApiResult,
    extract::{Acting, Id, Ids2},
    openapi::Operation,
    state::HttpState,
};

const TAG: &str = "runs";
const LIST: &str = "/api/runs/{run_id}/checkpoints";
const ONE: &str = "/api/runs/{run_id}/checkpoints/{checkpoint_id}";
const FORK: &str = "/api/runs/{run_id}/checkpoints/{checkpoint_id}/fork";

pub fn routes() -> Vec<Route> {
    vec![
        Route::new(
            Operation::get(LIST, "list_checkpoints", TAG, "Saved states, oldest first")
                .id("run_id")
                .json(200, "CheckpointList"),
            list,
        ),
        Route::new(
            Operation::get(ONE, "get_checkpoint", TAG, "One saved state")
                .id("run_id")
                .id("checkpoint_id")
                .json(200, "CheckpointDetail"),
            read,
        ),
        Route::new(
            Operation::post(FORK, "fork_run", TAG, "Go on from a saved state in a new run; writes are never repeated")
                .id("run_id")
                .id("checkpoint_id")
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

async fn fork(
    State(state): State<HttpState>,
    Acting(actor): Acting,
    Ids2(run, id): Ids2<RunId, CheckpointId>,
) -> ApiResult<(StatusCode, Json<RunRef>)> {
    let run_id = state.service.fork(&actor, run, id).await?;
    Ok((StatusCode::CREATED, Json(RunRef { run_id })))
}
