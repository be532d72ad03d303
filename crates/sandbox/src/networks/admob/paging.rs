//! Opaque page tokens that are valid only for the request they were made for.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use crate::networks::admob::errors::ApiError;

const DEFAULT_PAGE: usize = 10_000;
const LARGEST_PAGE: usize = 20_000;

/// A page of a list.
pub struct Page<'a> {
    pub size: Option<&'a str>,
    pub token: Option<&'a str>,
    /// Everything that the token is bound to: operation, parent, filter, owner of the credential.
    pub bound_to: String,
}

impl Page<'_> {
    /// Cuts one page out of the items and puts it under `key`.
    pub fn cut<T: Serialize>(&self, key: &str, items: &[T]) -> Result<Value, ApiError> {
        let size = match self.size.map(str::parse::<i64>) {
            None | Some(Ok(0)) => DEFAULT_PAGE,
            Some(Ok(size)) if size > 0 => usize::try_from(size).unwrap_or(LARGEST_PAGE).min(LARGEST_PAGE),
            Some(_) => return Err(ApiError::invalid("pageSize", "must be a whole number that is not negative")),
        };
        let start = match self.token.filter(|token| !token.is_empty()) {
            None => 0,
            Some(token) => self.read(token).filter(|start| *start < items.len()).ok_or_else(|| {
                ApiError::invalid("pageToken", "is not valid for this request; start again without a page token")
            })?,
        };
        let end = items.len().min(start + size);
        let mut body = Map::new();
        if start < end {
            let page =
                serde_json::to_value(&items[start..end]).map_err(|error| ApiError::internal(error.to_string()))?;
            body.insert(key.to_owned(), page);
        }
        if end < items.len() {
            body.insert("nextPageToken".to_owned(), Value::String(self.write(end)));
        }
        Ok(Value::Object(body))
    }

    pub fn write(&self, offset: usize) -> String {
        let mut bytes = (offset as u64).to_be_bytes().to_vec();
        bytes.extend(self.mark(&bytes));
        URL_SAFE_NO_PAD.encode(bytes)
    }

    pub fn read(&self, token: &str) -> Option<usize> {
        let bytes = URL_SAFE_NO_PAD.decode(token).ok()?;
        let (offset, mark) = bytes.split_at_checked(8)?;
        (mark == self.mark(offset)).then(|| u64::from_be_bytes(offset.try_into().unwrap_or_default()))?.try_into().ok()
    }

    fn mark(&self, offset: &[u8]) -> Vec<u8> {
        Sha256::new().chain_update(offset).chain_update(self.bound_to.as_bytes()).finalize()[..12].to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page<'a>(size: &'a str, token: Option<&'a str>, bound_to: &str) -> Page<'a> {
        Page { size: Some(size), token, bound_to: bound_to.to_owned() }
    }

    #[test]
    fn pages_cover_the_list_once_and_tokens_fit_one_request_only() {
        let items: Vec<u32> = (0..5).collect();
        let first = page("2", None, "apps of a").cut("apps", &items).unwrap();
        let token = first["nextPageToken"].as_str().unwrap().to_owned();
        let second = page("3", Some(&token), "apps of a").cut("apps", &items).unwrap();
        assert_eq!(second["apps"], serde_json::json!([2, 3, 4]));
        assert!(second.get("nextPageToken").is_none());
        assert!(page("2", Some(&token), "apps of b").cut("apps", &items).is_err());
        assert!(page("2", Some("nonsense"), "apps of a").cut("apps", &items).is_err());
        assert!(page("-1", None, "apps of a").cut("apps", &items).is_err());
    }
}
