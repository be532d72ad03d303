//! People's rights over their own data: see everything we hold, change their name, be erased. A token cannot do this.

use adagent_contract::{ConsentsLeft, ErasureRequest, ProfilePatch, UserEnvelope, links};
use adagent_service::SignedInAt;
use axum::{
    Extension, Json,
    body::Body,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse as _, Response},
};
use tower_sessions::Session;

use super::{
    Route,
    forms::{Places, answer},
};
use crate::{
    error::ApiResult,
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
                "Everything we store about you, in all workspaces; streamed",
            )
            .json(200, "AccountExport")
            .personal(),
            export,
        ),
        Route::new(
            Operation::patch("/api/account/profile", "change_profile", TAG, "Change your name")
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
                "Delete the account and all personal data; can't be undone",
            )
            .form("ErasureRequest")
            .json(200, "ConsentsLeft")
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
    InPerson(actor): InPerson,
    at: Option<Extension<SignedInAt>>,
    JsonOrForm { value, form }: JsonOrForm<ErasureRequest>,
) -> ApiResult<Response> {
    let outcome = async {
        let signed_in_at = at.map(|Extension(SignedInAt(at))| at);
        let consents_left = state.service.erase_account(actor.user, &value?, client.0, signed_in_at).await?;
        session::sign_out(&browser).await?;
        Ok(if consents_left.is_empty() {
            (StatusCode::NO_CONTENT, None)
        } else {
            (StatusCode::OK, Some(ConsentsLeft { consents_left }))
        })
    };
    let outcome = outcome.await;
    let left = outcome.as_ref().ok().and_then(|(_, left)| left.as_ref());
    let done = links::leaving("/sign-in?deleted=1", left.map(|left| left.consents_left.as_slice()).unwrap_or_default());
    let places = Places { done: &done, page: "/settings/account?form=delete", keep: &["email"] };
    let erased = outcome.is_ok();
    let response = answer(&places, form, outcome)?;
    Ok(if erased { session::left_behind(response) } else { response })
}
