//! Sign-up, sign-in, sign-out, who am I. The first three also take plain forms, for pages without scripts.

use adagent_contract::{Me, SignInRequest, SignUpRequest, UserEnvelope, links};
use adagent_service::TokenGrant;
use axum::{
    Extension, Json,
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse as _, Redirect, Response},
};
use tower_sessions::Session;

use super::Route;
use crate::{
    error::{ApiError, ApiResult},
    extract::{Client, JsonOrForm, Person},
    openapi::Operation,
    session,
    state::HttpState,
};

pub fn routes() -> Vec<Route> {
    vec![
        Route::new(
            Operation::post("/api/auth/sign-up", "sign_up", "accounts", "Make an account and sign in")
                .form("SignUpRequest")
                .json(201, "UserEnvelope")
                .public(),
            sign_up,
        ),
        Route::new(
            Operation::post(
                "/api/auth/sign-in",
                "sign_in",
                "accounts",
                "Sign in; unknown e-mail and wrong password look the same",
            )
            .form("SignInRequest")
            .json(200, "UserEnvelope")
            .public(),
            sign_in,
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

async fn sign_up(
    State(state): State<HttpState>,
    client: Client,
    browser: Session,
    JsonOrForm { value, form }: JsonOrForm<SignUpRequest>,
) -> ApiResult<Response> {
    let outcome = async {
        let user = state.service.sign_up(value?, client.0).await?;
        session::sign_in(&browser, user.id).await?;
        Ok(user)
    }
    .await;
    answer("/sign-up", form, outcome.map(|user| (StatusCode::CREATED, UserEnvelope { user })))
}

async fn sign_in(
    State(state): State<HttpState>,
    client: Client,
    browser: Session,
    JsonOrForm { value, form }: JsonOrForm<SignInRequest>,
) -> ApiResult<Response> {
    let outcome = async {
        let user = state.service.sign_in(value?, client.0).await?;
        session::sign_in(&browser, user.id).await?;
        Ok(user)
    }
    .await;
    answer("/sign-in", form, outcome.map(|user| (StatusCode::OK, UserEnvelope { user })))
}

async fn sign_out(browser: Session, headers: HeaderMap) -> ApiResult<Response> {
    session::sign_out(&browser).await?;
    let from_a_page = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|value| value.starts_with("application/x-www-form-urlencoded"));
    Ok(if from_a_page { Redirect::to("/sign-in").into_response() } else { StatusCode::NO_CONTENT.into_response() })
}

async fn me(
    State(state): State<HttpState>,
    Person(user): Person,
    grant: Option<Extension<TokenGrant>>,
) -> ApiResult<Json<Me>> {
    let mut me = state.service.me(user).await?;
    if let Some(Extension(grant)) = grant {
        // A token knows its workspace and no other.
        me.organizations.retain(|organization| organization.id == grant.workspace);
        me.invitations.clear();
    }
    Ok(Json(me))
}

/// JSON gets the answer itself; a form is sent on, or back to its page with what went wrong.
fn answer(
    page: &str,
    form: Option<Vec<(String, String)>>,
    outcome: Result<(StatusCode, UserEnvelope), ApiError>,
) -> ApiResult<Response> {
    let Some(form) = form else {
        return outcome.map(|(status, body)| (status, Json(body)).into_response());
    };
    let field = |name: &str| form.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
    let wanted = field("return").or_else(|| field("redirect")).and_then(links::return_path);
    match outcome {
        Ok(_) => Ok(Redirect::to(wanted.as_deref().unwrap_or("/chat")).into_response()),
        // The page cannot explain what broke inside: the problem can.
        Err(error) if error.problem.status >= 500 => Err(error),
        Err(error) => {
            let mut query = url::form_urlencoded::Serializer::new(String::new());
            query.append_pair("error", &error.problem.code);
            for wrong in &error.problem.errors {
                query.append_pair("field", wrong.pointer.trim_start_matches('/'));
            }
            for name in ["email", "name"] {
                if let Some(value) = field(name).filter(|value| !value.is_empty() && value.len() <= 300) {
                    query.append_pair(name, value);
                }
            }
            if let Some(wanted) = &wanted {
                query.append_pair("return", wanted);
            }
            Ok(Redirect::to(&format!("{page}?{}", query.finish())).into_response())
        }
    }
}
