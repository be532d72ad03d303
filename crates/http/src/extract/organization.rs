//! The organization in the path. Its ID counts, whatever workspace the request names.

use adagent_domain::{Actor, UserId, WorkspaceId};
use adagent_service::TokenGrant;
use axum::{
    extract::{FromRequestParts, RawPathParams},
    http::request::Parts,
};

use super::who::{Person, refuse_tokens};
use crate::{
    error::{ApiError, ApiResult},
    state::HttpState,
};

/// A person in the organization of the path. A token works only in its own workspace.
pub struct InOrganization(pub Actor);

impl FromRequestParts<HttpState> for InOrganization {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &HttpState) -> ApiResult<Self> {
        let Person(user) = Person::from_request_parts(parts, state).await?;
        let gone = || ApiError::not_found("organization");
        let params = RawPathParams::from_request_parts(parts, state).await.map_err(|_| gone())?;
        let named = params.iter().find(|(name, _)| *name == "id").map(|(_, value)| value.to_owned());
        let id: WorkspaceId = named.and_then(|text| text.parse().ok()).ok_or_else(gone)?;
        if parts.extensions.get::<TokenGrant>().is_some_and(|grant| grant.workspace != id) {
            return Err(gone());
        }
        Ok(Self(state.service.resolve_organization(user, id).await?))
    }
}

/// Like [`InOrganization`], but only for a signed-in person: people, not programs, decide who the members are and who may join.
pub struct Deciders(pub Actor);

impl FromRequestParts<HttpState> for Deciders {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &HttpState) -> ApiResult<Self> {
        refuse_tokens(parts)?;
        InOrganization::from_request_parts(parts, state).await.map(|InOrganization(actor)| Self(actor))
    }
}

/// A signed-in person, not a token that acts for them.
pub struct PersonHere(pub UserId);

impl<S: Sync> FromRequestParts<S> for PersonHere {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> ApiResult<Self> {
        refuse_tokens(parts)?;
        Person::from_request_parts(parts, state).await.map(|Person(user)| Self(user))
    }
}
