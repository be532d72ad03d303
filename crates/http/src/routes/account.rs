//! What people may ask about themselves: everything that is held, another name, to be forgotten. Not with a token.

use adagent_contract::{ErasureRequest, ProfilePatch, UserEnvelope};
use axum::{
    Json,
    body::Body,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse as _, Redirect, Response},
};
use tower_sessions::Session;

use super::Route;
use crate::{
    error::{ApiError, ApiResult},
    extract::{Client, InPerson, Json as JsonBody, JsonOrForm},
    openapi::Operation,
    session,
    state::HttpState,
};

const TAG: &str = "accounts";

pub fn routes() -> Vec<Route> {
    vec![
        Route::new(
            Operation::get(
                "/api/account/export",
                "export_account",
                TAG,
                "Everything that is held about you, over all workspaces; written as it is read",
            )
            .json(200, "AccountExport")
            .personal(),
            export,
        ),
        Route::new(
            Operation::patch("/api/account/profile", "change_profile", TAG, "Change what you are called")
                .body("ProfilePatch")
                .json(200, "UserEnvelope")
                .personal(),
            profile,
        ),
        Route::new(
            Operation::post(
                "/api/account/delete",
                "delete_account",
                TAG,
                "Erase the account and everything that speaks of its person; nothing of it can be taken back",
            )
            .form("ErasureRequest")
            .empty(204)
            .personal(),
            erase,
        ),
    ]
}

async fn export(State(state): State<HttpState>, InPerson(actor): InPerson) -> ApiResult<Response> {
    let text = state.service.export_account(actor.user).await?;
    let head = [
        (header::CONTENT_TYPE, "application/json"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"account.json\""),
    ];
    Ok((head, Body::from_stream(text)).into_response())
}

async fn profile(
    State(state): State<HttpState>,
    InPerson(actor): InPerson,
    JsonBody(request): JsonBody<ProfilePatch>,
) -> ApiResult<Json<UserEnvelope>> {
    Ok(Json(UserEnvelope { user: state.service.change_profile(actor.user, &request).await? }))
}

async fn erase(
    State(state): State<HttpState>,
    client: Client,
    browser: Session,
    person: Result<InPerson, ApiError>,
    JsonOrForm { value, form }: JsonOrForm<ErasureRequest>,
) -> ApiResult<Response> {
    let outcome = async {
        let InPerson(actor) = person?;
        state.service.erase_account(actor.user, &value?, client.0).await?;
        session::sign_out(&browser).await
    }
    .await;
    if form.is_none() {
        return outcome.map(|()| StatusCode::NO_CONTENT.into_response());
    }
    match outcome {
        Ok(()) => Ok(Redirect::to("/sign-in?deleted=1").into_response()),
        Err(error) if error.problem.status >= 500 => Err(error),
        Err(error) => {
            let mut query = url::form_urlencoded::Serializer::new(String::new());
            query.append_pair("error", &error.problem.code);
            query.append_pair("detail", &error.problem.detail);
            for wrong in &error.problem.errors {
                query.append_pair("field", wrong.pointer.trim_start_matches('/'));
            }
            Ok(Redirect::to(&format!("/settings/account?{}", query.finish())).into_response())
        }
    }
}
