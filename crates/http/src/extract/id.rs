//! IDs in paths. An invalid ID gives 404, like the ID of another person's thing.

use std::str::FromStr;

use axum::{
    extract::{FromRequestParts, Path},
    http::request::Parts,
};

use crate::error::{ApiError, ApiResult};

/// The only ID in a path.
pub struct Id<T>(pub T);

impl<T: FromStr, S: Send + Sync> FromRequestParts<S> for Id<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> ApiResult<Self> {
        let Path(text) =
            Path::<String>::from_request_parts(parts, state).await.map_err(|_| ApiError::not_found("object"))?;
        text.parse().map(Self).map_err(|_| ApiError::not_found("object"))
    }
}

/// The two IDs in a path, the outer one first.
pub struct Ids2<A, B>(pub A, pub B);

impl<A: FromStr, B: FromStr, S: Send + Sync> FromRequestParts<S> for Ids2<A, B> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> ApiResult<Self> {
        let not_found = || ApiError::not_found("object");
        let Path((outer, inner)) =
            Path::<(String, String)>::from_request_parts(parts, state).await.map_err(|_| not_found())?;
        Ok(Self(outer.parse().map_err(|_| not_found())?, inner.parse().map_err(|_| not_found())?))
    }
}
