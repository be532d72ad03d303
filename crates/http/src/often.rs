//! General request limits: by address before we look anything up, and by person after we know who asks.
//!
//! Expensive actions have stricter limits in the use cases: signing in, asking, trying keys.

use std::convert::Infallible;

use adagent_service::CurrentUser;
use axum::{
    extract::{FromRequestParts as _, Request, State},
    middleware::Next,
    response::{IntoResponse as _, Response},
};

use crate::{error::ApiError, extract::Client, state::HttpState};

/// Checks whether a path has no limit: monitoring must never wait, and files come from memory.
fn is_free(state: &HttpState, path: &str) -> bool {
    matches!(path, "/healthz" | "/readyz" | "/metrics") || state.files.has(path)
}

pub async fn by_address(State(state): State<HttpState>, request: Request, next: Next) -> Response {
    let (mut parts, body) = request.into_parts();
    let client: Result<Client, Infallible> = Client::from_request_parts(&mut parts, &state).await;
    let Ok(Client(client)) = client;
    if !is_free(&state, parts.uri.path())
        && let Err(error) = state.service.admit_address(client)
    {
        return ApiError::from(error).into_response();
    }
    next.run(Request::from_parts(parts, body)).await
}

pub async fn by_person(State(state): State<HttpState>, request: Request, next: Next) -> Response {
    let CurrentUser(user) = request.extensions().get().copied().unwrap_or_default();
    if let Some(user) = user
        && !is_free(&state, request.uri().path())
        && let Err(error) = state.service.admit_person(user)
    {
        return ApiError::from(error).into_response();
    }
    next.run(request).await
}
