//! Personal access tokens. Only signed-in people create and revoke them; a token cannot create tokens.

use adagent_contract::{CreatedToken, NewToken, Page, TokenView};
use adagent_domain::AccessTokenId;
use axum::{Json, extract::State, http::StatusCode};

use super::{Route, sign_in::Shown};
use crate::{
    error::ApiResult,
    extract::{Id, InPerson, Json as Body},
    openapi::Operation,
    state::HttpState,
};

const TAG: &str = "accounts";
const ALL: &str = "/api/tokens";

pub fn routes() -> Vec<Route> {
    vec![
        Route::new(
            Operation::get(
                ALL,
                "list_tokens",
                TAG,
                "Your access tokens of this workspace, newest first, without secrets",
            )
            .json(200, "TokenList"),
            list,
        ),
        Route::new(
            Operation::post(
                ALL,
                "create_token",
                TAG,
                "Create an access token with your password; the secret is shown only in this answer",
            )
            .body("NewToken")
            .json(201, "CreatedToken"),
            create,
        ),
        Route::new(
            Operation::delete("/api/tokens/{id}", "revoke_token", TAG, "Revoke an access token").id("id").empty(204),
            revoke,
        ),
    ]
}

async fn list(State(state): State<HttpState>, InPerson(actor): InPerson) -> ApiResult<Json<Page<TokenView>>> {
    Ok(Json(Page::last(state.service.tokens(&actor).await?)))
}

async fn create(
    State(state): State<HttpState>,
    InPerson(actor): InPerson,
    shown: Shown,
    Body(request): Body<NewToken>,
) -> ApiResult<(StatusCode, Json<CreatedToken>)> {
    let made = state.service.create_token(&actor.grant()?, request, shown.proof(None)).await?;
    Ok((StatusCode::CREATED, Json(made)))
}

async fn revoke(
    State(state): State<HttpState>,
    InPerson(actor): InPerson,
    Id(id): Id<AccessTokenId>,
) -> ApiResult<StatusCode> {
    state.service.revoke_token(&actor, id).await?;
    Ok(StatusCode::NO_CONTENT)
}
