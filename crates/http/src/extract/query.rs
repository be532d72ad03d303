//! The query string with typed lookups. An error names its parameter.

use std::str::FromStr;

use axum::{extract::FromRequestParts, http::request::Parts};

use crate::error::{ApiError, ApiResult};

/// The parameters in their order. Unknown ones are ignored; if one is repeated, the last counts.
pub struct Query(Vec<(String, String)>);

impl<S: Sync> FromRequestParts<S> for Query {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> ApiResult<Self> {
        let query = parts.uri.query().unwrap_or_default();
        Ok(Self(url::form_urlencoded::parse(query.as_bytes()).into_owned().collect()))
    }
}

impl Query {
    /// Returns the value, unless it is absent or empty.
    pub fn text(&self, name: &str) -> Option<String> {
        self.0
            .iter()
            .rev()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.clone())
            .filter(|value| !value.is_empty())
    }

    pub fn parsed<T: FromStr>(&self, name: &str, expected: &str) -> ApiResult<Option<T>> {
        self.text(name)
            .map(|value| {
                value.parse().map_err(|_| ApiError::field(format!("/{name}"), format!("Expected {expected}.")))
            })
            .transpose()
    }

    pub fn limit(&self) -> ApiResult<Option<u32>> {
        self.parsed("limit", "a number from 1 to 200")
    }

    pub fn cursor(&self) -> Option<String> {
        self.text("cursor")
    }

    pub fn flag(&self, name: &str) -> ApiResult<bool> {
        Ok(self.parsed(name, "true or false")?.unwrap_or(false))
    }
}
