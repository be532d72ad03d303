//! Who calls, and in which workspace.

use adagent_contract::TokenScope;
use adagent_domain::{Actor, UserId, WorkspaceId};
use adagent_service::{CurrentUser, ServiceError, TokenGrant};
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
        if let Some(grant) = parts.extensions.get::<TokenGrant>() {
            // A token knows its workspace; any other does not exist for it, whatever its person is a member of.
            if workspace.is_some_and(|named| named != grant.workspace) {
                return Err(ApiError::not_found("organization"));
            }
            return Ok(Self(state.service.actor_of(grant).await?));
        }
        Ok(Self(state.service.resolve_actor(user, workspace).await?))
    }
}

/// The access token of the request, where it came with one: what goes on after the request ends with it.
pub struct Token(pub Option<TokenGrant>);

impl<S: Sync> FromRequestParts<S> for Token {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        Ok(Self(parts.extensions.get().cloned()))
    }
}

/// As [`Acting`], for what a person decides: not with a token that programs hold which ask for it.
pub struct Deciding(pub Actor);

impl FromRequestParts<HttpState> for Deciding {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &HttpState) -> ApiResult<Self> {
        if parts.extensions.get::<TokenGrant>().is_some_and(|grant| grant.scopes.contains(&TokenScope::Mcp)) {
            return Err(ApiError::new(
                403,
                adagent_contract::codes::FORBIDDEN,
                "Not with this token",
                "A token for MCP clients asks for changes and cannot approve them; answer on the desk.",
            ));
        }
        Acting::from_request_parts(parts, state).await.map(|Acting(actor)| Self(actor))
    }
}

/// As [`Acting`], and signed in: what a token must not be enough for.
pub struct InPerson(pub Actor);

impl FromRequestParts<HttpState> for InPerson {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &HttpState) -> ApiResult<Self> {
        if parts.extensions.get::<TokenGrant>().is_some() {
            return Err(ApiError::new(
                403,
                adagent_contract::codes::FORBIDDEN,
                "Not with a token",
                "An access token cannot do this; sign in and do it there.",
            ));
        }
        Acting::from_request_parts(parts, state).await.map(|Acting(actor)| Self(actor))
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
