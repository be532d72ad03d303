//! Ids in paths. What is no id cannot exist: 404, like an id that is not yours.

use std::str::FromStr;

use axum::{
    extract::{FromRequestParts, Path},
    http::request::Parts,
};

use crate::error::{ApiError, ApiResult};

/// The only id of a path.
pub struct Id<T>(pub T);

impl<T: FromStr, S: Send + Sync> FromRequestParts<S> for Id<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> ApiResult<Self> {
        let Path(text) =
            Path::<String>::from_request_parts(parts, state).await.map_err(|_| ApiError::not_found("object"))?;
        text.parse().map(Self).map_err(|_| ApiError::not_found("object"))
    }
}

/// The two ids of a path, outer first.
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
