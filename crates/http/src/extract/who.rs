//! Who calls, and in which workspace.

use adagent_contract::TokenScope;
use adagent_domain::{Actor, UserId, WorkspaceId};
use adagent_service::{CurrentUser, ServiceError, TokenGrant};
use axum::{extract::FromRequestParts, http::request::Parts};

use crate::{
    error::{ApiError, ApiResult},
    state::HttpState,
};

const WORKSPACE: &str = "x-organization-id";
const IN_ADDRESS: &str = "workspace";
/// What addresses call the workspace that is no organisation.
const PERSONAL: &str = "personal";

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
        let workspace = workspace(parts)?;
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
        refuse_tokens(parts)?;
        Acting::from_request_parts(parts, state).await.map(|Acting(actor)| Self(actor))
    }
}

/// For what a token must not be enough for.
pub(super) fn refuse_tokens(parts: &Parts) -> ApiResult<()> {
    if parts.extensions.get::<TokenGrant>().is_some() {
        return Err(ApiError::new(
            403,
            adagent_contract::codes::FORBIDDEN,
            "Not with a token",
            "An access token cannot do this; sign in and do it there.",
        ));
    }
    Ok(())
}

/// Absent or empty means the personal workspace. A form without script cannot send a header and says it in its address; who
/// says both must say the same.
fn workspace(parts: &Parts) -> ApiResult<Option<WorkspaceId>> {
    let in_header = match parts.headers.get(WORKSPACE) {
        None => None,
        Some(value) => Some(read(WORKSPACE, value.to_str().unwrap_or("?"))?),
    };
    let query = parts.uri.query().unwrap_or_default();
    let in_address = match url::form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == IN_ADDRESS) {
        None => None,
        Some((_, value)) if value == PERSONAL => Some(None),
        Some((_, value)) => Some(read(IN_ADDRESS, &value)?),
    };
    match (in_header, in_address) {
        (Some(one), Some(other)) if one != other => {
            Err(ApiError::field(format!("/{IN_ADDRESS}"), "Header and address name different organisations; name one."))
        }
        (one, other) => Ok(one.or(other).flatten()),
    }
}

fn read(place: &str, text: &str) -> ApiResult<Option<WorkspaceId>> {
    let wrong = || ApiError::field(format!("/{place}"), "This is not the id of an organisation; ids are UUIDs.");
    match text.trim() {
        "" => Ok(None),
        text => text.parse().map(Some).map_err(|_| wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_and_address_say_the_same_also_about_the_personal_workspace() {
        const ONE: &str = "019aa5c4-9a3e-7000-8000-000000000001";
        const OTHER: &str = "019aa5c4-9a3e-7000-8000-000000000002";
        let asked = |address: Option<&str>, header: Option<&str>| {
            let uri = address.map_or_else(|| "/api/runs".to_owned(), |name| format!("/api/runs?{IN_ADDRESS}={name}"));
            let mut request = axum::http::Request::get(uri);
            if let Some(header) = header {
                request = request.header(WORKSPACE, header);
            }
            workspace(&request.body(()).unwrap().into_parts().0).ok()
        };
        let one: Option<WorkspaceId> = ONE.parse().ok();
        assert_eq!(asked(None, None), Some(None));
        for (address, header) in [(Some(ONE), None), (None, Some(ONE)), (Some(ONE), Some(ONE))] {
            assert_eq!(asked(address, header), Some(one), "{address:?} {header:?}");
        }
        assert_eq!(asked(Some(PERSONAL), Some("")), Some(None));
        for (address, header) in [(ONE, OTHER), (PERSONAL, ONE), (ONE, ""), ("acme", ONE)] {
            assert_eq!(asked(Some(address), Some(header)), None, "{address} {header}");
        }
    }
}
