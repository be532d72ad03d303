//! Who calls, and in which workspace.

use adagent_domain::{Actor, UserId, WorkspaceId};
use adagent_service::{CurrentUser, ServiceError};
use axum::{
    extract::FromRequestParts,
    http::{HeaderMap, request::Parts},
};

use crate::{
    error::{ApiError, ApiResult},
    state::HttpState,
};

const WORKSPACE: &str = "x-organization-id";

/// The id of this request, in its extensions.
#[derive(Debug, Clone)]
pub struct RequestId(pub String);

/// A signed-in person.
pub struct Person(pub UserId);

impl<S: Sync> FromRequestParts<S> for Person {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> ApiResult<Self> {
        let CurrentUser(user) = parts.extensions.get().copied().unwrap_or_default();
        user.map(Self).ok_or_else(|| ServiceError::Unauthenticated.into())
    }
}

/// A signed-in person in the workspace of the request; membership is checked every time.
pub struct Acting(pub Actor);

impl FromRequestParts<HttpState> for Acting {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &HttpState) -> ApiResult<Self> {
        let Person(user) = Person::from_request_parts(parts, state).await?;
        let workspace = workspace(&parts.headers)?;
        Ok(Self(state.service.resolve_actor(user, workspace).await?))
    }
}

/// Absent or empty means the personal workspace.
fn workspace(headers: &HeaderMap) -> ApiResult<Option<WorkspaceId>> {
    let Some(value) = headers.get(WORKSPACE) else { return Ok(None) };
    let wrong = || ApiError::field(format!("/{WORKSPACE}"), "This is not the id of an organisation; ids are UUIDs.");
    match value.to_str().map_err(|_| wrong())?.trim() {
        "" => Ok(None),
        text => text.parse().map(Some).map_err(|_| wrong()),
    }
}
