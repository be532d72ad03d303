//! What surrounds every request: its ID, panics, limits, host and origin checks, browser session, security headers.

use std::panic::AssertUnwindSafe;

use axum::{
    Router,
    extract::{Request, State},
    http::{HeaderName, HeaderValue, header},
    middleware::{Next, from_fn, from_fn_with_state},
    response::{IntoResponse as _, Response},
};
use futures::FutureExt as _;
use tracing::Instrument as _;

use crate::{
    deadline::bounded,
    error::{ApiError, Cause, ProblemBody, problem_response},
    extract::RequestId,
    flash, headers, host, method, often, origin, rest,
    seen::Seen,
    session,
    state::HttpState,
};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Adds to `router` (API and pages) everything that all routes share.
pub fn around(router: Router, state: &HttpState) -> Router {
    router
        .layer(from_fn_with_state(state.clone(), flash::across_redirect))
        .layer(from_fn_with_state(state.clone(), often::by_person))
        .layer(from_fn_with_state(state.clone(), session::current_user))
        .layer(session::layer(state))
        .layer(from_fn_with_state(state.clone(), origin::same_origin))
        .layer(from_fn_with_state(state.clone(), host::known))
        .layer(from_fn_with_state(state.clone(), often::by_address))
        .layer(from_fn(method::known))
        .layer(from_fn(bounded))
        .layer(from_fn_with_state(state.clone(), identify))
        .layer(from_fn(rest::read_away))
}

/// Gives the request an ID, turns panics into problems, completes problems, and logs failures.
async fn identify(State(state): State<HttpState>, mut request: Request, next: Next) -> Response {
    let id = request
        .headers()
        .get(&REQUEST_ID)
        .and_then(|given| given.to_str().ok())
        .filter(|given| {
            (8..=100).contains(&given.len()) && given.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
        })
        .map_or_else(|| state.ids.next_uuid().to_string(), str::to_owned);
    request.extensions_mut().insert(RequestId(id.clone()));
    // Pages read it from the header, whichever layer set it.
    if let Ok(value) = HeaderValue::from_str(&id) {
        request.headers_mut().insert(REQUEST_ID, value);
    }
    let seen = Seen::arrived(&request, &id);
    if let Some(caller) = request.headers().get("traceparent").and_then(|value| value.to_str().ok()) {
        (state.settings.join_trace)(&seen.span, caller);
    }

    let mut response = match AssertUnwindSafe(next.run(request)).catch_unwind().instrument(seen.span.clone()).await {
        Ok(response) => response,
        Err(panic) => {
            let what = panic
                .downcast_ref::<&str>()
                .map(|text| (*text).to_owned())
                .or_else(|| panic.downcast_ref::<String>().cloned());
            ApiError::internal(format!("panic: {}", what.unwrap_or_default())).into_response()
        }
    };
    if let Some(Cause(cause)) = response.extensions_mut().remove() {
        seen.span.in_scope(|| tracing::error!(route = seen.route, cause, "request failed"));
    }
    if let Some(ProblemBody(mut problem)) = response.extensions_mut().remove() {
        problem.request_id = Some(id.clone());
        problem.run_id.clone_from(&seen.run);
        response = with_headers_of(&response, problem_response(&problem));
    }
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    if state.stopping.is_cancelled() {
        // Close the connection, so that the client's next request goes to another server.
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    headers::secure(response.headers_mut(), state.settings.public_url.scheme() == "https");
    seen.answered(response)
}

/// Returns the new response with the other headers of the old one (cookies, `Retry-After`, `Cache-Control`).
fn with_headers_of(old: &Response, mut new: Response) -> Response {
    for (name, value) in old.headers() {
        if name != header::CONTENT_LENGTH && name != header::CONTENT_TYPE {
            new.headers_mut().append(name.clone(), value.clone());
        }
    }
    new
}
