//! Sign-in with Google, or another OpenID Connect provider: two addresses that a browser opens. Each answers with the address to which the
//! browser goes next.
//!
//! The data of one round trip is in its own cookie, so that the callback of somebody else's round trip signs nobody in.

use adagent_contract::{LinkStart, ProofRequest, codes, links};
use adagent_service::{CurrentUser, GoogleTrip, Proof, SignedInAt};
use axum::{
    Extension,
    extract::State,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Redirect, Response},
};
use tower_sessions::Session;

use super::{
    Route,
    auth::Came,
    forms::{DONE, Places, answer},
};
use crate::{
    error::{ApiError, ApiResult},
    extract::{Client, Device, InPerson, JsonOrForm, Query},
    openapi::Operation,
    session,
    state::HttpState,
};

const TAG: &str = "accounts";
const COOKIE: &str = "adagent_google";
/// With TLS, browsers accept this cookie only from this host, so no neighboring host can plant somebody else's round trip. Such a cookie
/// goes with every request; the one without TLS goes only to the addresses of the round trip.
const SECURE_COOKIE: &str = "__Host-adagent_google";
const PATH: &str = "/api/auth/google";
const SETTINGS: &str = "/settings/account";

pub fn routes() -> Vec<Route> {
    vec![
        Route::new(
            Operation::get(PATH, "google_sign_in", TAG, "Sign in with Google; open it in a browser")
                .query("return", "string", "Path to continue at")
                .redirect()
                .public(),
            begin,
        ),
        Route::new(
            Operation::get(
                "/api/auth/google/callback",
                "google_callback",
                TAG,
                "Where Google sends the browser back to",
            )
            .query("state", "string", "As given to Google")
            .query("code", "string", "Exchanged for the user's identity")
            .query("error", "string", "Why Google refused")
            .redirect()
            .public(),
            callback,
        ),
        Route::new(
            Operation::post(
                "/api/account/google",
                "link_google",
                TAG,
                "Start linking a Google account to your account",
            )
            .form("ProofRequest")
            .json(200, "LinkStart")
            .personal(),
            link,
        ),
        Route::new(
            Operation::post("/api/account/google/unlink", "unlink_google", TAG, "Unlink Google")
                .form("ProofRequest")
                .empty(204)
                .personal(),
            unlink,
        ),
    ]
}

fn cookie(state: &HttpState, value: &str, seconds: u32) -> ApiResult<HeaderValue> {
    let https = state.settings.public_url.scheme() == "https";
    let (name, path, secure) = if https { (SECURE_COOKIE, "/", "; Secure") } else { (COOKIE, PATH, "") };
    let text = format!("{name}={value}; Path={path}; HttpOnly; SameSite=Lax; Max-Age={seconds}{secure}");
    HeaderValue::from_str(&text).map_err(ApiError::internal)
}

fn with_cookie(mut response: Response, cookie: HeaderValue) -> Response {
    response.headers_mut().append(header::SET_COOKIE, cookie);
    response
}

/// Redirects to a page that can explain the error.
fn told(error: ApiError, wanted: Option<&str>) -> ApiResult<Response> {
    if matches!(error.problem.status, 404 | 500) {
        return Err(error);
    }
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.append_pair("error", &error.problem.code);
    if let Some(wanted) = wanted {
        query.append_pair("return", wanted);
    }
    Ok(Redirect::to(&format!("/sign-in?{}", query.finish())).into_response())
}

async fn begin(State(state): State<HttpState>, client: Client, query: Query) -> ApiResult<Response> {
    let wanted = query.text("return").as_deref().and_then(links::return_path);
    match state.service.begin_google(wanted.as_deref(), client.0).await {
        Ok(GoogleTrip { url, binding }) => {
            Ok(with_cookie(Redirect::to(url.as_str()).into_response(), cookie(&state, &binding, 600)?))
        }
        Err(error) => told(error.into(), wanted.as_deref()),
    }
}

async fn callback(
    State(state): State<HttpState>,
    Extension(CurrentUser(signed_in)): Extension<CurrentUser>,
    client: Client,
    device: Device,
    browser: Session,
    headers: HeaderMap,
    query: Query,
) -> ApiResult<Response> {
    let https = state.settings.public_url.scheme() == "https";
    let brought = brought(&headers, if https { SECURE_COOKIE } else { COOKIE });
    let given = query.text("state").unwrap_or_default();
    let (code, error) = (query.text("code"), query.text("error"));
    let code = code.as_deref().ok_or(error.as_deref().unwrap_or_default());
    let response = async {
        let arrival = state.service.finish_google(&given, code, brought.as_deref(), signed_in).await?;
        let wanted = arrival.return_to.as_deref();
        if arrival.linked {
            return Ok(Redirect::to(&format!("{SETTINGS}?done=linked")).into_response());
        }
        if state.service.asks_for_code(arrival.user).await? {
            session::wait_for_code(&browser, arrival.user, true).await?;
            let next = wanted.map(|path| format!("?return={}", links::encode(path))).unwrap_or_default();
            return Ok(Redirect::to(&format!("/sign-in/code{next}")).into_response());
        }
        let came = Came { browser: &browser, device: &device, client, method: "google" };
        let _ = came.enter(&state, arrival.user).await?;
        Ok(Redirect::to(wanted.unwrap_or("/")).into_response())
    };
    let response = match response.await {
        Ok(response) => response,
        // A signed-in person was linking.
        Err(error) if signed_in.is_some() && error_is_told(&error) => {
            let code = &error.problem.code;
            Redirect::to(&format!("{SETTINGS}?form=google&error={}", links::encode(code))).into_response()
        }
        Err(error) => told(error, None)?,
    };
    Ok(with_cookie(response, cookie(&state, "", 0)?))
}

fn error_is_told(error: &ApiError) -> bool {
    let code = error.problem.code.as_str();
    matches!(code, codes::GOOGLE_FAILED | codes::GOOGLE_TAKEN | codes::GOOGLE_UNVERIFIED | codes::UNAVAILABLE)
}

/// Returns what the browser kept for the round trip.
fn brought(headers: &HeaderMap, wanted: &str) -> Option<String> {
    let all = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = all.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, value)| *name == wanted && !value.is_empty()).map(|(_, value)| value.to_owned())
}

async fn link(
    State(state): State<HttpState>,
    InPerson(actor): InPerson,
    at: Option<Extension<SignedInAt>>,
    client: Client,
    JsonOrForm { value, form }: JsonOrForm<ProofRequest>,
) -> ApiResult<Response> {
    let trip = async {
        let ProofRequest { password } = value?;
        let proof = Proof {
            password: password.as_deref(),
            signed_in_at: at.map(|Extension(SignedInAt(at))| at),
            address: client.0.ip,
        };
        Ok::<_, ApiError>(state.service.begin_google_link(&actor, proof).await?)
    };
    let page = format!("{SETTINGS}?form=google");
    let places = Places { done: SETTINGS, page: &page, keep: &[] };
    match trip.await {
        Ok(GoogleTrip { url, binding }) => {
            let response = match form {
                Some(_) => Redirect::to(url.as_str()).into_response(),
                None => axum::Json(LinkStart { authorization_url: url.into() }).into_response(),
            };
            Ok(with_cookie(response, cookie(&state, &binding, 600)?))
        }
        Err(error) => answer::<()>(&places, form, Err(error)),
    }
}

async fn unlink(
    State(state): State<HttpState>,
    InPerson(actor): InPerson,
    client: Client,
    JsonOrForm { value, form }: JsonOrForm<ProofRequest>,
) -> ApiResult<Response> {
    let outcome = async {
        let ProofRequest { password } = value?;
        let proof = Proof { password: password.as_deref(), signed_in_at: None, address: client.0.ip };
        state.service.unlink_google(&actor, proof).await?;
        Ok((StatusCode::NO_CONTENT, DONE))
    };
    let places = Places { done: "/settings/account?done=unlinked", page: "/settings/account?form=google", keep: &[] };
    answer(&places, form, outcome.await)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cookie_of_the_trip_is_found_among_others() {
        let of = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::COOKIE, text.parse().unwrap());
            brought(&headers, COOKIE)
        };
        assert_eq!(of("adagent_session=x; adagent_google=abc").as_deref(), Some("abc"));
        assert_eq!(of("adagent_google=").as_deref(), None);
        assert_eq!(of("__Host-adagent_google=abc").as_deref(), None);
        assert_eq!(of("xadagent_google=abc").as_deref(), None);
    }
}
