//! Runs and their events.

use adagent_contract::{OverrideRequest, Page, RunView};
use adagent_domain::RunId;
use adagent_service::Results;
use axum::{
    Json,
    extract::State,
    http::{HeaderMap, StatusCode},
    response::{IntoResponse as _, Response},
};
use serde::Serialize;
use serde_json::json;

use super::Route;
use crate::{
    error::{ApiError, ApiResult},
    extract::{Acting, CameWith, Id, IdempotencyKey, Json as Body, Query},
    openapi::Operation,
    sse,
    state::HttpState,
};

const TAG: &str = "runs";

pub fn routes() -> Vec<Route> {
    vec![
        Route::new(
            Operation::get("/api/runs", "list_runs", TAG, "Runs, newest first").paged().json(200, "RunPage"),
            list,
        ),
        Route::new(
            Operation::get("/api/runs/{run_id}", "get_run", TAG, "Status, usage, timings")
                .id("run_id")
                .json(200, "Run"),
            read,
        ),
        Route::new(
            Operation::get(
                "/api/runs/{run_id}/events",
                "follow_run",
                TAG,
                "The events: replayed after Last-Event-ID, then followed",
            )
            .id("run_id")
            .described(json!({
                "name": "after", "in": "query", "description": "Number of the last event seen; the header Last-Event-ID wins",
                "schema": {"type": "integer", "minimum": 0}
            }))
            .described(json!({
                "name": "results", "in": "query",
                "description": "brief: of a long result its size, as {\"omitted_bytes\": …}. Without it every result comes whole",
                "schema": {"enum": ["whole", "brief"]}
            }))
            .described(json!({
                "name": "Last-Event-ID", "in": "header", "description": "Number of the last event seen, as browsers send it when they come back",
                "schema": {"type": "string", "pattern": "^[0-9]{1,18}$"}
            }))
            .events()
            .empty(204),
            events,
        ),
        Route::new(
            Operation::post("/api/runs/{run_id}/cancel", "cancel_run", TAG, "Stop at the next safe point")
                .id("run_id")
                .json(202, "RunRef"),
            cancel,
        ),
        Route::new(
            Operation::post(
                "/api/runs/{run_id}/override",
                "override_run",
                TAG,
                "Developer override after a stop: corrected arguments, then approval as usual",
            )
            .id("run_id")
            .body("OverrideRequest")
            .idempotent()
            .json(202, "RunRef"),
            override_run,
        ),
    ]
}

/// The run that continues.
#[derive(Serialize)]
pub struct RunRef {
    pub run_id: RunId,
}

async fn list(State(state): State<HttpState>, Acting(actor): Acting, query: Query) -> ApiResult<Json<Page<RunView>>> {
    Ok(Json(state.service.list_runs(&actor, query.cursor(), query.limit()?).await?))
}

async fn read(State(state): State<HttpState>, Acting(actor): Acting, Id(id): Id<RunId>) -> ApiResult<Json<RunView>> {
    Ok(Json(state.service.run(&actor, id).await?))
}

async fn events(
    State(state): State<HttpState>,
    Acting(actor): Acting,
    Id(id): Id<RunId>,
    CameWith(pass): CameWith,
    headers: HeaderMap,
    query: Query,
) -> ApiResult<Response> {
    let after = sse::after(&headers, &query)?;
    let results = match query.text("results").as_deref() {
        None | Some("whole") => Results::Whole,
        Some("brief") => Results::Brief,
        Some(_) => return Err(ApiError::field("/results", "Expected whole or brief.")),
    };
    // For this answer, a browser's EventSource stops; after any other, it reconnects every few seconds.
    if state.service.has_told_everything(&actor, id, after).await? {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let seat = state.service.take_seat(&actor)?;
    let events = state.service.follow_events_with(&actor, id, (after, results), (pass, seat)).await?;
    Ok(sse::stream(&state, id, None, events))
}

async fn cancel(
    State(state): State<HttpState>,
    Acting(actor): Acting,
    Id(id): Id<RunId>,
) -> ApiResult<(StatusCode, Json<RunRef>)> {
    state.service.cancel_run(&actor, id).await?;
    Ok((StatusCode::ACCEPTED, Json(RunRef { run_id: id })))
}

async fn override_run(
    State(state): State<HttpState>,
    Acting(actor): Acting,
    Id(id): Id<RunId>,
    IdempotencyKey(key): IdempotencyKey,
    Body(request): Body<OverrideRequest>,
) -> ApiResult<(StatusCode, Json<RunRef>)> {
    let run_id = state.service.override_run_once(&actor.grant()?, id, request, key.as_deref()).await?;
    Ok((StatusCode::ACCEPTED, Json(RunRef { run_id })))
}
