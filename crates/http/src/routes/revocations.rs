//! Access that this server could not revoke at its network. We list it until a person has revoked it there.

use adagent_contract::{Page, RevocationView};
use adagent_domain::JobId;
use axum::{Json, extract::State, http::StatusCode};

use super::Route;
use crate::{
    error::ApiResult,
    extract::{Acting, Deciding, Id},
    openapi::Operation,
    state::HttpState,
};

const TAG: &str = "connections";
const ALL: &str = "/api/revocations";

pub fn routes() -> Vec<Route> {
    vec![
        Route::new(
            Operation::get(
                ALL,
                "list_revocations",
                TAG,
                "Access of removed connections that couldn't be revoked; someone must do it at the network",
            )
            .json(200, "RevocationList"),
            list,
        ),
        Route::new(
            Operation::delete(
                "/api/revocations/{id}",
                "forget_revocation",
                TAG,
                "Someone removed the access at the network",
            )
            .id("id")
            .empty(204),
            forget,
        ),
    ]
}

async fn list(State(state): State<HttpState>, Acting(actor): Acting) -> ApiResult<Json<Page<RevocationView>>> {
    Ok(Json(Page::last(state.service.failed_revocations(&actor.grant()?).await?)))
}

async fn forget(State(state): State<HttpState>, Deciding(actor): Deciding, Id(id): Id<JobId>) -> ApiResult<StatusCode> {
    state.service.forget_revocation(&actor.grant()?, id).await?;
    Ok(StatusCode::NO_CONTENT)
}
