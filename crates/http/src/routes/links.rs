//! Links from emails: confirm an address, set a new password. Opening a link changes nothing, because mail programs open all links: the
//! person must press the button on its page.

use adagent_contract::{ForgotPasswordRequest, LinkRequest, ResetPasswordRequest};
use adagent_service::CurrentUser;
use axum::{Extension, extract::State, http::StatusCode, response::Response};

use super::{
    Route,
    forms::{DONE, Places, answer},
};
use crate::{
    error::ApiResult,
    extract::{Client, JsonOrForm},
    openapi::Operation,
    state::HttpState,
};

const TAG: &str = "accounts";

pub fn routes() -> Vec<Route> {
    vec![
        Route::new(
            Operation::post("/api/auth/verify-email", "verify_email", TAG, "Confirm an email")
                .form("LinkRequest")
                .empty(204)
                .public(),
            verify,
        ),
        Route::new(
            Operation::post(
                "/api/auth/forgot-password",
                "forgot_password",
                TAG,
                "Request a password reset link; the answer is the same for unknown emails",
            )
            .form("ForgotPasswordRequest")
            .empty(202)
            .public(),
            forgot,
        ),
        Route::new(
            Operation::post(
                "/api/auth/reset-password",
                "reset_password",
                TAG,
                "Set a new password with the link, once; signs out everywhere",
            )
            .form("ResetPasswordRequest")
            .empty(204)
            .public(),
            reset,
        ),
    ]
}

async fn verify(
    State(state): State<HttpState>,
    Extension(CurrentUser(signed_in)): Extension<CurrentUser>,
    client: Client,
    JsonOrForm { value, form }: JsonOrForm<LinkRequest>,
) -> ApiResult<Response> {
    let outcome = async {
        state.service.verify_email(&value?, signed_in, client.0).await?;
        Ok((StatusCode::NO_CONTENT, DONE))
    };
    let page = page_of("/verify-email", form.as_deref());
    answer(&Places { done: "/verify-email?done=1", page: &page, keep: &[] }, form, outcome.await)
}

async fn forgot(
    State(state): State<HttpState>,
    client: Client,
    JsonOrForm { value, form }: JsonOrForm<ForgotPasswordRequest>,
) -> ApiResult<Response> {
    let outcome = async {
        state.service.forgot_password(&value?.email, client.0).await?;
        Ok((StatusCode::ACCEPTED, DONE))
    };
    answer(&Places { done: "/forgot-password?sent=1", page: "/forgot-password", keep: &["email"] }, form, outcome.await)
}

async fn reset(
    State(state): State<HttpState>,
    client: Client,
    JsonOrForm { value, form }: JsonOrForm<ResetPasswordRequest>,
) -> ApiResult<Response> {
    let outcome = async {
        state.service.reset_password(value?, client.0).await?;
        Ok((StatusCode::NO_CONTENT, DONE))
    };
    let page = page_of("/reset-password", form.as_deref());
    answer(&Places { done: "/sign-in?done=reset", page: &page, keep: &[] }, form, outcome.await)
}

/// Returns the page of the link itself, so that the person can try again. The secret stays in the path, because logs and histories keep
/// queries.
fn page_of(page: &str, form: Option<&[(String, String)]>) -> String {
    let secret = form.into_iter().flatten().find(|(name, _)| name == "token").map(|(_, value)| value.as_str());
    let plain = |secret: &&str| {
        (1..=200).contains(&secret.len())
            && secret.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    };
    secret.filter(plain).map_or_else(|| page.to_owned(), |secret| format!("{page}/{secret}"))
}
