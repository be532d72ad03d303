//! A request before it is sent, with everything that a signer may read and add. It holds secrets, so it never prints them, and it
//! overwrites query, headers and body when it is dropped. It cannot wipe what the HTTP client makes of them (the address, the bytes on the
//! wire).
//!
//! A request is made for one attempt and must never be kept.

use serde_json::Value as Json;
use url::Url;
use zeroize::Zeroize as _;

use crate::catalogue::Method;

/// The body of a request.
pub enum Payload {
    Empty,
    Json(Json),
    Form(Vec<(String, String)>),
}

/// One request. Signatures need the address without its query, the query, the headers and the body separately.
pub struct Outgoing {
    pub method: Method,
    pub url: Url,
    pub query: Vec<(String, String)>,
    pub headers: Vec<(String, String)>,
    pub payload: Payload,
    added: Vec<String>,
}

impl Outgoing {
    pub const fn new(method: Method, url: Url) -> Self {
        Self { method, url, query: Vec::new(), headers: Vec::new(), payload: Payload::Empty, added: Vec::new() }
    }

    /// Sets a header and replaces one of the same name.
    pub fn header(&mut self, name: &str, value: impl Into<String>) {
        self.headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self.headers.push((name.to_owned(), value.into()));
    }

    /// Sets a query parameter and replaces one of the same name from the arguments.
    pub fn parameter(&mut self, name: &str, value: impl Into<String>) {
        self.query.retain(|(known, _)| known != name);
        self.query.push((name.to_owned(), value.into()));
    }

    /// Sets a form field if the body is a form, otherwise a query parameter.
    pub fn field(&mut self, name: &str, value: impl Into<String>) {
        match &mut self.payload {
            Payload::Form(fields) => {
                fields.retain(|(known, _)| known != name);
                fields.push((name.to_owned(), value.into()));
            }
            Payload::Empty | Payload::Json(_) => self.parameter(name, value),
        }
    }

    /// Returns all values of the request, wherever they are.
    pub fn texts(&self) -> Vec<String> {
        let pairs = self.query.iter().chain(&self.headers).map(|(_, value)| value.clone());
        let mut all: Vec<String> = pairs.collect();
        match &self.payload {
            Payload::Form(fields) => all.extend(fields.iter().map(|(_, value)| value.clone())),
            Payload::Json(Json::Object(fields)) => {
                all.extend(fields.values().filter_map(|value| value.as_str().map(str::to_owned)));
            }
            Payload::Json(_) | Payload::Empty => {}
        }
        all
    }

    /// Remembers which values were added since the request had only those of `before`.
    pub fn note_added(&mut self, before: &[String]) {
        self.added = self.texts();
        self.added.retain(|value| !before.contains(value));
    }

    /// Returns the values that signing added.
    pub fn added(&self) -> impl Iterator<Item = &String> {
        self.added.iter()
    }

    /// Returns the address with the query.
    pub fn address(&self) -> Url {
        let mut url = self.url.clone();
        if !self.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&self.query);
        }
        url
    }
}

impl std::fmt::Debug for Outgoing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Outgoing").field("method", &self.method).field("path", &self.url.path()).finish_non_exhaustive()
    }
}

impl Drop for Outgoing {
    fn drop(&mut self) {
        let pairs = self.query.iter_mut().chain(&mut self.headers);
        let form = match &mut self.payload {
            Payload::Form(fields) => fields.as_mut_slice(),
            Payload::Json(body) => {
                wipe(body);
                &mut []
            }
            Payload::Empty => &mut [],
        };
        pairs.chain(form).for_each(|(_, value)| value.zeroize());
        self.added.zeroize();
    }
}

/// Wipes a body. The bodies of exchanges also hold secrets.
fn wipe(value: &mut Json) {
    match value {
        Json::String(text) => text.zeroize(),
        Json::Array(values) => values.iter_mut().for_each(wipe),
        Json::Object(fields) => fields.values_mut().for_each(wipe),
        Json::Null | Json::Bool(_) | Json::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_signer_sets_replaces_what_arguments_put_there() {
        let mut out = Outgoing::new(Method::Get, "https://h/p".parse().expect("valid"));
        out.query.push(("sign".into(), "forged".into()));
        out.parameter("sign", "real");
        out.header("Api-Key", "a");
        out.header("api-key", "b");
        assert_eq!(out.address().as_str(), "https://h/p?sign=real");
        assert_eq!(out.headers, vec![("api-key".to_owned(), "b".to_owned())]);
    }

    #[test]
    fn debug_shows_neither_query_nor_headers() {
        let mut out = Outgoing::new(Method::Get, "https://h/p".parse().expect("valid"));
        out.parameter("api_key", "k-1234");
        out.header("Authorization", "Bearer t-5678");
        let printed = format!("{out:?}");
        assert!(printed.contains("/p") && !printed.contains("1234") && !printed.contains("5678"), "{printed}");
    }
}
