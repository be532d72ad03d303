//! The methods that this server knows. Each route says which of them it accepts.

use axum::{
    extract::Request,
    http::{HeaderValue, Method, header},
    middleware::Next,
    response::{IntoResponse as _, Response},
};

use crate::error::ApiError;

const KNOWN: [Method; 7] =
    [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE, Method::OPTIONS];
const ALLOW: HeaderValue = HeaderValue::from_static("GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS");

/// Refuses unknown methods. This server is not a proxy (`CONNECT`) and echoes nothing (`TRACE`); such requests may have no path, so no page
/// could answer them.
pub async fn known(request: Request, next: Next) -> Response {
    if KNOWN.contains(request.method()) {
        return next.run(request).await;
    }
    let detail = "This server does not know that method; see /api/openapi.json.";
    let mut response =
        ApiError::new(405, adagent_contract::codes::METHOD_NOT_ALLOWED, "Method not allowed", detail).into_response();
    response.headers_mut().insert(header::ALLOW, ALLOW);
    response
}
