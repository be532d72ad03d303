//! The simulated networks.

use adagent_contract::{ExploreRequest, Page, ProviderView, SandboxInfo};
use adagent_service::ServiceError;
use axum::{Json, extract::State};

use super::Route;
use crate::{
    error::ApiResult,
    extract::{Deciding, OptionalJson},
    openapi::Operation,
    state::HttpState,
};

const TAG: &str = "sandbox";

pub fn routes() -> Vec<Route> {
    vec![
        Route::new(
            Operation::get("/api/sandbox", "get_sandbox", TAG, "Where the sandbox listens")
                .json(200, "SandboxInfo")
                .public(),
            info,
        ),
        Route::new(
            Operation::post(
                "/api/sandbox/explore",
                "explore_sandbox",
                TAG,
                "Connect simulated networks to the workspace",
            )
            .optional_body("ExploreRequest")
            .json(200, "ProviderList"),
            explore,
        ),
    ]
}

async fn info(State(state): State<HttpState>) -> ApiResult<Json<SandboxInfo>> {
    Ok(Json(state.service.sandbox_info().ok_or(ServiceError::SandboxOff)?))
}

async fn explore(
    State(state): State<HttpState>,
    Deciding(actor): Deciding,
    OptionalJson(request): OptionalJson<ExploreRequest>,
) -> ApiResult<Json<Page<ProviderView>>> {
    Ok(Json(Page::last(state.service.explore(&actor.grant()?, request).await?)))
}
