//! Your sign-in settings: address, password, two-factor authentication, signed-in browsers. A program's token can use none of them.

use adagent_contract::{
    AccountView, BrowserSessionView, ChangeEmailRequest, ChangePasswordRequest, CodeRequest,
    DisableSecondFactorRequest, EndedSessions, Page, ProofRequest, RecoveryCodesView, RenewCodesRequest,
};
use adagent_domain::BrowserSessionId;
use adagent_service::{Proof, SessionHash, SignedInAt};
use axum::{
    Extension, Json,
    extract::{FromRequestParts, State},
    http::{StatusCode, request::Parts},
    response::Response,
};

use super::{
    Route,
    forms::{DONE, Places, answer},
};
use crate::{
    error::{ApiError, ApiResult},
    extract::{Client, Id, InPerson, Json as Body, JsonOrForm},
    openapi::Operation,
    state::HttpState,
};

const TAG: &str = "accounts";

pub fn routes() -> Vec<Route> {
    let post = |path, id, what| Operation::post(path, id, TAG, what).personal();
    let mut routes = vec![
        Route::new(
            Operation::get("/api/account", "account", TAG, "Your sign-in settings").personal().json(200, "Account"),
            view,
        ),
        Route::new(
            post("/api/account/verify-email", "send_verification", "Resend the confirmation link")
                .form("Nothing")
                .empty(202),
            send_verification,
        ),
        Route::new(
            post("/api/account/email", "change_email", "Change the email; takes effect when its link is opened")
                .form("ChangeEmailRequest")
                .empty(202),
            change_email,
        ),
        Route::new(
            post("/api/account/password", "change_password", "Change the password; signs out everywhere else")
                .form("ChangePasswordRequest")
                .empty(204),
            change_password,
        ),
    ];
    routes.extend(of_second_factor());
    routes.extend(of_sessions());
    routes
}

fn of_second_factor() -> Vec<Route> {
    let post = |path, id, what| Operation::post(path, id, TAG, what).personal();
    vec![
        Route::new(
            post(
                "/api/account/second-factor",
                "begin_second_factor",
                "A secret for an authenticator app, with recovery codes; takes effect when confirmed",
            )
            .form("ProofRequest")
            .json(201, "Enrolment"),
            begin_factor,
        ),
        Route::new(
            post(
                "/api/account/second-factor/confirm",
                "confirm_second_factor",
                "Turn on two-factor authentication with a code from the app",
            )
            .form("CodeRequest")
            .empty(204),
            confirm_factor,
        ),
        Route::new(
            post(
                "/api/account/second-factor/recovery-codes",
                "renew_recovery_codes",
                "New recovery codes; the old ones stop working",
            )
            .body("RenewCodesRequest")
            .json(201, "RecoveryCodes"),
            renew_codes,
        ),
        Route::new(
            post("/api/account/second-factor/off", "disable_second_factor", "Turn off two-factor authentication")
                .form("DisableSecondFactorRequest")
                .empty(204),
            disable_factor,
        ),
    ]
}

fn of_sessions() -> Vec<Route> {
    let post = |path, id, what| Operation::post(path, id, TAG, what).personal();
    vec![
        Route::new(
            Operation::get("/api/account/sessions", "list_browser_sessions", TAG, "Where you're signed in")
                .personal()
                .json(200, "BrowserSessionList"),
            sessions,
        ),
        Route::new(
            post("/api/account/sessions/end-others", "end_other_sessions", "Sign out everywhere else")
                .form("Nothing")
                .json(200, "EndedSessions"),
            end_others,
        ),
        Route::new(
            post("/api/account/sessions/{id}/end", "end_browser_session", "Sign out one browser")
                .id("id")
                .form("Nothing")
                .empty(204),
            end_one,
        ),
    ]
}

/// What a request shows in addition to the person: which session it is, since when, and from where.
pub(super) struct Shown {
    session: Option<SessionHash>,
    at: Option<SignedInAt>,
    client: Client,
}

impl Shown {
    pub(super) fn proof<'a>(&self, password: Option<&'a str>) -> Proof<'a> {
        Proof { password, signed_in_at: self.at.map(|SignedInAt(at)| at), address: self.client.0.ip }
    }
}

impl FromRequestParts<HttpState> for Shown {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &HttpState) -> Result<Self, Self::Rejection> {
        let client = Client::from_request_parts(parts, state).await?;
        Ok(Self { session: parts.extensions.get().cloned(), at: parts.extensions.get().copied(), client })
    }
}

/// Names the part of the settings page that holds the form, and what the page says after success.
fn places<'a>(done: &'a str, page: &'a str, keep: &'a [&'a str]) -> Places<'a> {
    Places { done, page, keep }
}

/// An empty body.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

async fn view(State(state): State<HttpState>, InPerson(actor): InPerson) -> ApiResult<Json<AccountView>> {
    Ok(Json(state.service.account(&actor).await?))
}

async fn send_verification(
    State(state): State<HttpState>,
    InPerson(actor): InPerson,
    JsonOrForm { value, form }: JsonOrForm<Nothing>,
) -> ApiResult<Response> {
    let outcome = async {
        let Nothing {} = value?;
        state.service.ask_to_verify_email(&actor).await?;
        Ok((StatusCode::ACCEPTED, DONE))
    };
    answer(&places("/settings/account?done=sent", "/settings/account?form=verify", &[]), form, outcome.await)
}

async fn change_email(
    State(state): State<HttpState>,
    InPerson(actor): InPerson,
    shown: Shown,
    JsonOrForm { value, form }: JsonOrForm<ChangeEmailRequest>,
) -> ApiResult<Response> {
    let outcome = async {
        let ChangeEmailRequest { email, password } = value?;
        state.service.change_email(&actor, &email, shown.proof(password.as_deref())).await?;
        Ok((StatusCode::ACCEPTED, DONE))
    };
    answer(&places("/settings/account?done=sent", "/settings/account?form=email", &["email"]), form, outcome.await)
}

async fn change_password(
    State(state): State<HttpState>,
    InPerson(actor): InPerson,
    shown: Shown,
    JsonOrForm { value, form }: JsonOrForm<ChangePasswordRequest>,
) -> ApiResult<Response> {
    let outcome = async {
        let at = shown.at.map(|SignedInAt(at)| at);
        let session = shown.session.as_ref();
        state.service.change_password(&actor, value?, session, at, shown.client.0).await?;
        Ok((StatusCode::NO_CONTENT, DONE))
    };
    answer(&places("/settings/account?done=password", "/settings/account?form=password", &[]), form, outcome.await)
}

async fn begin_factor(
    State(state): State<HttpState>,
    InPerson(actor): InPerson,
    shown: Shown,
    JsonOrForm { value, form }: JsonOrForm<ProofRequest>,
) -> ApiResult<Response> {
    let outcome = async {
        let ProofRequest { password } = value?;
        let begun =
            state.service.begin_second_factor(&actor, shown.proof(password.as_deref()), shown.session.as_ref()).await?;
        Ok((StatusCode::CREATED, Some(begun)))
    };
    let done = "/settings/account?enrol=1#second-factor";
    answer(&places(done, "/settings/account?form=factor", &[]), form, outcome.await)
}

async fn confirm_factor(
    State(state): State<HttpState>,
    InPerson(actor): InPerson,
    shown: Shown,
    JsonOrForm { value, form }: JsonOrForm<CodeRequest>,
) -> ApiResult<Response> {
    let outcome = async {
        state.service.confirm_second_factor(&actor, &value?.code, shown.session.as_ref()).await?;
        Ok((StatusCode::NO_CONTENT, DONE))
    };
    let page = "/settings/account?enrol=1&form=confirm";
    answer(&places("/settings/account?done=factor", page, &[]), form, outcome.await)
}

async fn disable_factor(
    State(state): State<HttpState>,
    InPerson(actor): InPerson,
    shown: Shown,
    JsonOrForm { value, form }: JsonOrForm<DisableSecondFactorRequest>,
) -> ApiResult<Response> {
    let outcome = async {
        let DisableSecondFactorRequest { password, code } = value?;
        state.service.disable_second_factor(&actor, &code, shown.proof(password.as_deref())).await?;
        Ok((StatusCode::NO_CONTENT, DONE))
    };
    answer(&places("/settings/account?done=factor_off", "/settings/account?form=off", &[]), form, outcome.await)
}

async fn renew_codes(
    State(state): State<HttpState>,
    InPerson(actor): InPerson,
    shown: Shown,
    Body(request): Body<RenewCodesRequest>,
) -> ApiResult<(StatusCode, Json<RecoveryCodesView>)> {
    let RenewCodesRequest { password, code } = request;
    let renewed = state.service.renew_recovery_codes(&actor, &code, shown.proof(password.as_deref())).await?;
    Ok((StatusCode::CREATED, Json(renewed)))
}

async fn sessions(
    State(state): State<HttpState>,
    InPerson(actor): InPerson,
    session: Option<Extension<SessionHash>>,
) -> ApiResult<Json<Page<BrowserSessionView>>> {
    let current = session.as_ref().map(|Extension(session)| session);
    Ok(Json(Page::last(state.service.browser_sessions(&actor, current).await?)))
}

async fn end_others(
    State(state): State<HttpState>,
    InPerson(actor): InPerson,
    shown: Shown,
    JsonOrForm { value, form }: JsonOrForm<Nothing>,
) -> ApiResult<Response> {
    let outcome = async {
        let Nothing {} = value?;
        let ended = state.service.end_other_sessions(&actor, shown.session.as_ref()).await?;
        Ok((StatusCode::OK, Some(EndedSessions { ended })))
    };
    answer(&places("/settings/account?done=ended", "/settings/account?form=sessions", &[]), form, outcome.await)
}

async fn end_one(
    State(state): State<HttpState>,
    InPerson(actor): InPerson,
    Id(id): Id<BrowserSessionId>,
    JsonOrForm { value, form }: JsonOrForm<Nothing>,
) -> ApiResult<Response> {
    let outcome = async {
        let Nothing {} = value?;
        state.service.end_browser_session(&actor, id).await?;
        Ok::<_, ApiError>((StatusCode::NO_CONTENT, DONE))
    };
    answer(&places("/settings/account?done=ended", "/settings/account?form=sessions", &[]), form, outcome.await)
}
