//! Checks from which site a browser sends a change. Only our own pages may send one.

use adagent_contract::{Problem, codes};
use axum::{
    extract::{Request, State},
    http::{HeaderMap, Method},
    middleware::Next,
    response::{IntoResponse as _, Response},
};

use crate::{error::ApiError, host::is_local, state::HttpState};

/// Refuses changes that another site makes a browser send. Programs send neither header and pass.
pub async fn same_origin(State(state): State<HttpState>, request: Request, next: Next) -> Response {
    let safe = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    if safe || is_same_origin(request.headers(), request.uri().host(), &state.settings.public_url) {
        next.run(request).await
    } else {
        let detail = "This request came from another site. Open the page directly and try again.";
        ApiError::from_problem(Problem::new(403, codes::CROSS_ORIGIN, "Cross-origin request", detail)).into_response()
    }
}

/// Checks whether a request with these headers comes from our own pages or from a program.
pub fn is_same_origin(headers: &HeaderMap, authority: Option<&str>, public_url: &url::Url) -> bool {
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    match text("sec-fetch-site") {
        Some("same-origin") => return true,
        // The person typed the address, or the browser says nothing: then a foreign `Origin` still counts.
        Some("none") | None => {}
        Some(_) => return false,
    }
    let Some(origin) = text("origin") else { return true };
    if origin == public_url.origin().ascii_serialization() {
        return true;
    }
    let host = text("host").or(authority);
    let of_origin = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    // Under its public name only the public scheme is ours: with plain HTTP, anybody on the network path could have written the page.
    let public = public_url.origin().ascii_serialization();
    let is_public = public.split_once("://").is_some_and(|(_, host)| Some(host) == of_origin);
    of_origin.is_some_and(is_local) && of_origin == host && !is_public
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderName;

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
        assert!(check(&[("sec-fetch-site", "none")]));
        assert!(!check(&[("sec-fetch-site", "none"), ("host", "127.0.0.1:3000"), ("origin", "https://evil.example")]));
        assert!(!check(&[("host", "127.0.0.1:3000"), ("origin", "https://evil.example")]));
        assert!(!check(&[("host", "127.0.0.1:3000"), ("origin", "null")]));
        assert!(!check(&[("host", "127.0.0.1:3000"), ("origin", "data: http://127.0.0.1:3000")]));
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
