//! The time zone in which the workspace counts its days.

use adagent_contract::{ReportingSettings, ReportingView};
use axum::{Json, extract::State};

use super::Route;
use crate::{
    error::ApiResult,
    extract::{Acting, InPerson, Json as Body},
    openapi::Operation,
    state::HttpState,
};

const PATH: &str = "/api/settings/reporting";

pub fn routes() -> Vec<Route> {
    vec![
        Route::new(
            Operation::get(PATH, "get_reporting", "settings", "The reporting time zone, and which day it is there")
                .json(200, "Reporting"),
            read,
        ),
        Route::new(
            Operation::put(PATH, "put_reporting", "settings", "Choose the reporting time zone")
                .body("ReportingSettings")
                .json(200, "Reporting"),
            write,
        ),
    ]
}

async fn read(State(state): State<HttpState>, Acting(actor): Acting) -> ApiResult<Json<ReportingView>> {
    Ok(Json(state.service.reporting(&actor).await?))
}

async fn write(
    State(state): State<HttpState>,
    InPerson(actor): InPerson,
    Body(settings): Body<ReportingSettings>,
) -> ApiResult<Json<ReportingView>> {
    Ok(Json(state.service.set_reporting(&actor.grant()?, settings).await?))
}
