//! Sign-up, sign-in with its second step, sign-out, and who is signed in. All except the last also accept plain forms, for pages without
//! JavaScript.

use adagent_contract::{CodeRequest, Me, SignInRequest, SignUpRequest, UserEnvelope, codes};
use adagent_domain::UserId;
use adagent_service::{CurrentUser, ServiceError, SignInStep, SignedUp, TokenGrant};
use axum::{
    Extension, Json,
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse as _, Redirect, Response},
};
use tower_sessions::Session;

use super::{
    Route,
    forms::{Places, answer},
};
use crate::{
    error::{ApiError, ApiResult},
    extract::{Client, Device, JsonOrForm, Person},
    openapi::Operation,
    session,
    state::HttpState,
};

pub fn routes() -> Vec<Route> {
    vec![
        Route::new(
            Operation::post(
                "/api/auth/sign-up",
                "sign_up",
                "accounts",
                "Create an account and sign in; 202 if the email must be confirmed first",
            )
            .form("SignUpRequest")
            .json(201, "UserEnvelope")
            .empty(202)
            .public(),
            sign_up,
        ),
        Route::new(
            Operation::post(
                "/api/auth/sign-in",
                "sign_in",
                "accounts",
                "Sign in; an unknown email and a wrong password look the same",
            )
            .form("SignInRequest")
            .json(200, "UserEnvelope")
            .public(),
            sign_in,
        ),
        Route::new(
            Operation::post(
                "/api/auth/second-factor",
                "second_factor",
                "accounts",
                "Second sign-in step: a code from the authenticator app, or a recovery code",
            )
            .form("CodeRequest")
            .json(200, "UserEnvelope")
            .public(),
            second_factor,
        ),
        Route::new(
            Operation::post("/api/auth/sign-out", "sign_out", "accounts", "End the browser session")
                .empty(204)
                .public(),
            sign_out,
        ),
        Route::new(Operation::get("/api/me", "me", "accounts", "Who is signed in").json(200, "Me").personal(), me),
    ]
}

/// Fields that the pages get back.
const KEEP: &[&str] = &["email", "name"];

/// Makes the answer for a right password if a code is still missing.
pub(super) fn code_wanted() -> ApiError {
    ApiError::new(
        401,
        codes::SECOND_FACTOR_REQUIRED,
        "One more step",
        "Send a code from your authenticator app, or a recovery code, to POST /api/auth/second-factor.",
    )
}

/// A person who has proven who they are, and how.
pub(super) struct Came<'a> {
    pub browser: &'a Session,
    pub device: &'a Device,
    pub client: Client,
    pub method: &'static str,
}

impl Came<'_> {
    /// Signs the person in: notes it, and begins a new session.
    pub async fn enter(self, state: &HttpState, user: UserId) -> ApiResult<(StatusCode, Option<UserEnvelope>)> {
        let before = session::hash_of(self.browser);
        state.service.signed_in(user, self.method, self.client.0, before.as_ref()).await?;
        session::sign_in(self.browser, user, self.device).await?;
        Ok((StatusCode::OK, Some(UserEnvelope { user: state.service.user_view(user).await? })))
    }
}

async fn sign_up(
    State(state): State<HttpState>,
    client: Client,
    device: Device,
    browser: Session,
    JsonOrForm { value, form }: JsonOrForm<SignUpRequest>,
) -> ApiResult<Response> {
    let outcome = async {
        match state.service.sign_up(value?, client.0).await? {
            SignedUp::In(user) => {
                session::sign_in(&browser, user.id, &device).await?;
                Ok((StatusCode::CREATED, Some(UserEnvelope { user })))
            }
            SignedUp::Mailed => Ok((StatusCode::ACCEPTED, None)),
        }
    };
    let outcome: Result<_, ApiError> = outcome.await;
    let places = Places { done: "/chat", page: "/sign-up", keep: KEEP };
    if form.is_some() && matches!(&outcome, Ok((StatusCode::ACCEPTED, _))) {
        return Ok(Redirect::to("/sign-up?sent=1").into_response());
    }
    answer(&places, form, outcome)
}

async fn sign_in(
    State(state): State<HttpState>,
    client: Client,
    device: Device,
    browser: Session,
    JsonOrForm { value, form }: JsonOrForm<SignInRequest>,
) -> ApiResult<Response> {
    let outcome = async {
        match state.service.sign_in(value?, client.0).await? {
            SignInStep::Done(user) => {
                let came = Came { browser: &browser, device: &device, client, method: "password" };
                came.enter(&state, user.id).await
            }
            SignInStep::NeedsCode(user) => {
                session::wait_for_code(&browser, user, false).await?;
                Err(code_wanted())
            }
        }
    };
    answer(&Places { done: "/", page: "/sign-in", keep: KEEP }, form, outcome.await)
}

async fn second_factor(
    State(state): State<HttpState>,
    client: Client,
    device: Device,
    browser: Session,
    JsonOrForm { value, form }: JsonOrForm<CodeRequest>,
) -> ApiResult<Response> {
    let outcome = async {
        let pending = session::pending(&browser).await?.ok_or(ServiceError::Unauthenticated)?;
        state.service.check_code(pending.user, &value?.code).await?;
        let method = if pending.google { "google and code" } else { "password and code" };
        Came { browser: &browser, device: &device, client, method }.enter(&state, pending.user).await
    };
    let outcome: Result<_, ApiError> = outcome.await;
    // A person who took too long starts again with the first step.
    let over = matches!(&outcome, Err(error) if error.problem.code == codes::UNAUTHENTICATED);
    let page = if over { "/sign-in" } else { "/sign-in/code" };
    answer(&Places { done: "/", page, keep: &[] }, form, outcome)
}

async fn sign_out(
    State(state): State<HttpState>,
    Extension(CurrentUser(user)): Extension<CurrentUser>,
    browser: Session,
    headers: HeaderMap,
) -> ApiResult<Response> {
    session::sign_out(&browser).await?;
    if let Some(user) = user {
        state.service.signed_out(user).await?;
    }
    let from_a_page = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|value| value.starts_with("application/x-www-form-urlencoded"));
    let done =
        if from_a_page { Redirect::to("/sign-in").into_response() } else { StatusCode::NO_CONTENT.into_response() };
    Ok(session::left_behind(done))
}

async fn me(
    State(state): State<HttpState>,
    Person(user): Person,
    grant: Option<Extension<TokenGrant>>,
) -> ApiResult<Json<Me>> {
    let mut me = state.service.me(user).await?;
    if let Some(Extension(grant)) = grant {
        // A token knows only its own workspace.
        me.organizations.retain(|organization| organization.id == grant.workspace);
        me.invitations.clear();
    }
    Ok(Json(me))
}
