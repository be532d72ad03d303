//! Who calls, and in which workspace.

use adagent_contract::TokenScope;
use adagent_domain::{Actor, UserId, WorkspaceId};
use adagent_service::{CurrentUser, Pass, ServiceError, SessionHash, TokenGrant};
use axum::{extract::FromRequestParts, http::request::Parts};

use crate::{
    error::{ApiError, ApiResult},
    state::HttpState,
};

const WORKSPACE: &str = "x-organization-id";
const IN_ADDRESS: &str = "workspace";
/// The word for the personal workspace in addresses.
const PERSONAL: &str = "personal";

/// The ID of this request, in its extensions.
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

/// A signed-in person in the workspace of the request. We check the membership every time.
pub struct Acting(pub Actor);

impl FromRequestParts<HttpState> for Acting {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &HttpState) -> ApiResult<Self> {
        let Person(user) = Person::from_request_parts(parts, state).await?;
        let workspace = workspace(parts)?;
        if let Some(grant) = parts.extensions.get::<TokenGrant>() {
            // A token knows only its own workspace, even if its person is a member of others.
            if workspace.is_some_and(|named| named != grant.workspace) {
                return Err(ApiError::not_found("organization"));
            }
            return Ok(Self(state.service.actor_of(grant).await?));
        }
        Ok(Self(state.service.resolve_actor(user, workspace).await?))
    }
}

/// What authorized the request: an access token or a browser session. Work that continues after the request ends with it.
pub struct CameWith(pub Pass);

impl<S: Sync> FromRequestParts<S> for CameWith {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> ApiResult<Self> {
        if let Some(grant) = parts.extensions.get::<TokenGrant>() {
            return Ok(Self(Pass::Token(grant.clone())));
        }
        let session = parts.extensions.get::<SessionHash>().cloned();
        session.map(|session| Self(Pass::Session(session))).ok_or_else(|| ServiceError::Unauthenticated.into())
    }
}

/// Like [`Acting`], for what a person decides: approvals, settings, connections. Refuses a token for MCP clients, whatever other scope it
/// has: a text that such a client reads could make it do anything that the token allows.
pub struct Deciding(pub Actor);

impl FromRequestParts<HttpState> for Deciding {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &HttpState) -> ApiResult<Self> {
        if parts.extensions.get::<TokenGrant>().is_some_and(|grant| grant.scopes.contains(&TokenScope::Mcp)) {
            return Err(ApiError::new(
                403,
                adagent_contract::codes::FORBIDDEN,
                "Not allowed with this token",
                "MCP tokens can propose changes but not decide them. Do it in ADAgentAI, or use a token with the API scope only.",
            ));
        }
        Acting::from_request_parts(parts, state).await.map(|Acting(actor)| Self(actor))
    }
}

/// Like [`Acting`], but only for a signed-in person: a token is not enough.
pub struct InPerson(pub Actor);

impl FromRequestParts<HttpState> for InPerson {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &HttpState) -> ApiResult<Self> {
        refuse_tokens(parts)?;
        Acting::from_request_parts(parts, state).await.map(|Acting(actor)| Self(actor))
    }
}

/// Refuses tokens, for actions where a token is not enough.
pub(super) fn refuse_tokens(parts: &Parts) -> ApiResult<()> {
    if parts.extensions.get::<TokenGrant>().is_some() {
        return Err(ApiError::new(
            403,
            adagent_contract::codes::FORBIDDEN,
            "Not allowed with a token",
            "Access tokens can't do this. Sign in and do it in the browser.",
        ));
    }
    Ok(())
}

/// Finds the workspace that a request names. Absent or empty means the personal one. A form without JavaScript cannot send a header, so it
/// names the workspace in its address. If both name one, they must be equal.
fn workspace(parts: &Parts) -> ApiResult<Option<WorkspaceId>> {
    let headers = parts.headers.get_all(WORKSPACE).iter();
    let in_headers = headers.map(|value| read(WORKSPACE, value.to_str().unwrap_or("?")));
    let query = url::form_urlencoded::parse(parts.uri.query().unwrap_or_default().as_bytes());
    let in_address = query
        .filter(|(name, _)| name == IN_ADDRESS)
        .map(|(_, value)| if value == PERSONAL { Ok(None) } else { read(IN_ADDRESS, &value) });
    let mut named: Option<Option<WorkspaceId>> = None;
    for one in in_headers.chain(in_address) {
        let one = one?;
        if *named.get_or_insert(one) != one {
            return Err(ApiError::field(format!("/{IN_ADDRESS}"), "The request names two organizations; name one."));
        }
    }
    Ok(named.flatten())
}

fn read(place: &str, text: &str) -> ApiResult<Option<WorkspaceId>> {
    let wrong = || ApiError::field(format!("/{place}"), "This isn't an organization ID (a UUID).");
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
        // The same value twice counts once; two values in one place are an error.
        assert_eq!(asked(Some(&format!("{ONE}&{IN_ADDRESS}={ONE}")), None), Some(one));
        for second in [OTHER, PERSONAL, ""] {
            assert_eq!(asked(Some(&format!("{ONE}&{IN_ADDRESS}={second}")), None), None, "{second}");
        }
        let request = axum::http::Request::get("/api/runs").header(WORKSPACE, ONE).header(WORKSPACE, OTHER);
        assert!(workspace(&request.body(()).unwrap().into_parts().0).is_err());
    }
}
