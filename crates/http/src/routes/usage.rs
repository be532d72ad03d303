//! What hosted models cost the workspace today.

use adagent_contract::UsageToday;
use axum::{Json, extract::State};

use super::Route;
use crate::{error::ApiResult, extract::Acting, openapi::Operation, state::HttpState};

pub fn routes() -> Vec<Route> {
    let summary = "What hosted models cost the workspace today, and the limit";
    vec![Route::new(Operation::get("/api/usage", "get_usage", "settings", summary).json(200, "UsageToday"), today)]
}

async fn today(State(state): State<HttpState>, Acting(actor): Acting) -> ApiResult<Json<UsageToday>> {
    Ok(Json(state.service.usage_today(&actor).await?))
}
