//! What surrounds every request: its id, panics, same-origin check, browser session, security headers.

use std::panic::AssertUnwindSafe;

use adagent_contract::{Problem, codes};
use axum::{
    Router,
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, header},
    middleware::{Next, from_fn, from_fn_with_state},
    response::{IntoResponse as _, Response},
};
use futures::FutureExt as _;
use tracing::Instrument as _;

use crate::{
    deadline::bounded,
    error::{ApiError, Cause, ProblemBody, problem_response},
    extract::RequestId,
    seen::Seen,
    session,
    state::HttpState,
};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Puts everything that all routes share around `router` (API and pages).
pub fn around(router: Router, state: &HttpState) -> Router {
    router
        .layer(from_fn_with_state(state.clone(), session::current_user))
        .layer(session::layer(state))
        .layer(from_fn_with_state(state.clone(), same_origin))
        .layer(from_fn(bounded))
        .layer(from_fn_with_state(state.clone(), identify))
}

/// Gives the request an id, turns panics into problems, completes problems, logs what broke.
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
    // Pages read it from the header, whoever made it.
    if let Ok(value) = HeaderValue::from_str(&id) {
        request.headers_mut().insert(REQUEST_ID, value);
    }
    let seen = Seen::arrived(&request, &id);

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
        // The caller's next request goes to another server instead of into a connection that is about to be closed.
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    secure(response.headers_mut(), state.settings.public_url.scheme() == "https");
    seen.answered(response)
}

/// The new response with whatever else the old one said (cookies, `Retry-After`, `Cache-Control`).
fn with_headers_of(old: &Response, mut new: Response) -> Response {
    for (name, value) in old.headers() {
        if name != header::CONTENT_LENGTH && name != header::CONTENT_TYPE {
            new.headers_mut().append(name.clone(), value.clone());
        }
    }
    new
}

fn secure(headers: &mut HeaderMap, https: bool) {
    let mut default = |name: HeaderName, value: &'static str| {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    };
    default(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    default(header::X_FRAME_OPTIONS, "DENY");
    default(header::REFERRER_POLICY, "same-origin");
    default(HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
    if https {
        default(header::STRICT_TRANSPORT_SECURITY, "max-age=31536000; includeSubDomains");
    }
}

/// Refuses what another site makes a browser send. Programs send neither header and may pass.
async fn same_origin(State(state): State<HttpState>, request: Request, next: Next) -> Response {
    let safe = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    if safe || is_same_origin(request.headers(), request.uri().host(), &state.settings.public_url) {
        next.run(request).await
    } else {
        let detail = "The request came from another site. Open this page directly and try again.";
        ApiError::from_problem(Problem::new(403, codes::CROSS_ORIGIN, "Cross-origin request", detail)).into_response()
    }
}

fn is_same_origin(headers: &HeaderMap, authority: Option<&str>, public_url: &url::Url) -> bool {
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    if let Some(site) = text("sec-fetch-site") {
        return matches!(site, "same-origin" | "none");
    }
    let Some(origin) = text("origin") else { return true };
    if origin == public_url.origin().ascii_serialization() {
        return true;
    }
    let host = text("host").or(authority);
    let of_origin = origin.split_once("://").map(|(_, host)| host);
    // Under its public name only the public scheme is ours: over plain HTTP anybody on the way could have written the page.
    let public = public_url.origin().ascii_serialization();
    let is_public = public.split_once("://").is_some_and(|(_, host)| Some(host) == of_origin);
    of_origin.is_some_and(is_local) && of_origin == host && !is_public
}

/// An address or this machine: any other name may point here because somebody else made it do so.
fn is_local(authority: &str) -> bool {
    let host = url::Url::parse(&format!("http://{authority}")).ok();
    host.as_ref().and_then(url::Url::host).is_some_and(|host| match host {
        url::Host::Domain(name) => name == "localhost" || name.ends_with(".localhost"),
        url::Host::Ipv4(_) | url::Host::Ipv6(_) => true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pairs: &[(&str, &str)]) -> bool {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.insert(HeaderName::try_from(*name).unwrap(), value.parse().unwrap());
        }
        is_same_origin(&headers, None, &"https://desk.example.com".parse().unwrap())
    }

    #[test]
    fn only_the_own_origin_and_programs_without_one_may_write() {
        assert!(check(&[]));
        assert!(check(&[("host", "127.0.0.1:3000"), ("origin", "http://127.0.0.1:3000")]));
        assert!(check(&[("host", "internal:3000"), ("origin", "https://desk.example.com")]));
        assert!(check(&[("sec-fetch-site", "same-origin")]));
        assert!(!check(&[("sec-fetch-site", "cross-site")]));
        assert!(!check(&[("sec-fetch-site", "same-site")]));
        assert!(!check(&[("host", "127.0.0.1:3000"), ("origin", "https://evil.example")]));
        assert!(!check(&[("host", "127.0.0.1:3000"), ("origin", "null")]));
        assert!(check(&[("host", "localhost:3000"), ("origin", "http://localhost:3000")]));
        assert!(
            !check(&[("host", "evil.example"), ("origin", "http://evil.example")]),
            "a name that was made to point here"
        );
        assert!(!check(&[("host", "desk.example.com"), ("origin", "http://desk.example.com")]));
        assert!(!check(&[("host", "desk.example.com"), ("origin", "https://desk.example.com:8443")]));
        assert!(!check(&[("host", "desk.example.com"), ("origin", "https://desk.example.com.evil.example")]));
    }
}
