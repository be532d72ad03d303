//! How long a workspace keeps its data.

use adagent_contract::{RetentionSettings, RetentionView};
use axum::{Json, extract::State};

use super::Route;
use crate::{
    error::ApiResult,
    extract::{Acting, InPerson, Json as Body},
    openapi::Operation,
    state::HttpState,
};

const PATH: &str = "/api/settings/retention";

pub fn routes() -> Vec<Route> {
    vec![
        Route::new(
            Operation::get(PATH, "get_retention", "settings", "Data retention, and the allowed range")
                .json(200, "Retention"),
            read,
        ),
        Route::new(
            Operation::put(PATH, "put_retention", "settings", "Change data retention; deleted data can't be restored")
                .body("RetentionSettings")
                .json(200, "Retention"),
            write,
        ),
    ]
}

async fn read(State(state): State<HttpState>, Acting(actor): Acting) -> ApiResult<Json<RetentionView>> {
    Ok(Json(state.service.retention(&actor).await?))
}

async fn write(
    State(state): State<HttpState>,
    InPerson(actor): InPerson,
    Body(settings): Body<RetentionSettings>,
) -> ApiResult<Json<RetentionView>> {
    Ok(Json(state.service.set_retention(&actor.grant()?, settings).await?))
}
