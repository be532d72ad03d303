//! The organisation that a path names: its id there decides, whatever workspace the request is made in.

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

/// Somebody in the organisation of the path. A token reaches its own workspace alone.
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

/// As [`InOrganization`], and signed in: who is in and who may come in is decided by people, not by programs.
pub struct Deciders(pub Actor);

impl FromRequestParts<HttpState> for Deciders {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &HttpState) -> ApiResult<Self> {
        refuse_tokens(parts)?;
        InOrganization::from_request_parts(parts, state).await.map(|InOrganization(actor)| Self(actor))
    }
}

/// A signed-in person, not a token that stands for them.
pub struct PersonHere(pub UserId);

impl<S: Sync> FromRequestParts<S> for PersonHere {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> ApiResult<Self> {
        refuse_tokens(parts)?;
        Person::from_request_parts(parts, state).await.map(|Person(user)| Self(user))
    }
}
