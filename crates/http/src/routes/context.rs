//! Context settings.

use adagent_contract::ContextSettings;
use axum::{Json, extract::State};

use super::Route;
use crate::{
    error::ApiResult,
    extract::{Acting, Deciding, Json as Body},
    openapi::Operation,
    state::HttpState,
};

const PATH: &str = "/api/settings/context";

pub fn routes() -> Vec<Route> {
    vec![
        Route::new(
            Operation::get(PATH, "get_context", "settings", "What the assistant can read and do")
                .json(200, "ContextSettings"),
            read,
        ),
        Route::new(
            Operation::put(PATH, "put_context", "settings", "Replace the settings")
                .body("ContextSettings")
                .json(200, "ContextSettings"),
            replace,
        ),
    ]
}

async fn read(State(state): State<HttpState>, Acting(actor): Acting) -> ApiResult<Json<ContextSettings>> {
    Ok(Json(state.service.context(&actor).await?))
}

async fn replace(
    State(state): State<HttpState>,
    Deciding(actor): Deciding,
    Body(settings): Body<ContextSettings>,
) -> ApiResult<Json<ContextSettings>> {
    Ok(Json(state.service.put_context(&actor.grant()?, settings).await?))
}
