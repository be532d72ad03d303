//! A request as networks see it, and the answers that they may give. Code for a single network does not belong here.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value, json};

use super::Operation;

/// A request without the part of its path that names network and host.
pub struct Request {
    pub method: Method,
    /// The host after the `@`; empty if there is none.
    pub host: String,
    pub path: String,
    pub query: Vec<(String, String)>,
    pub headers: HeaderMap,
    pub bytes: Vec<u8>,
}

impl Request {
    /// Returns the first value of a query parameter.
    pub fn query(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Returns the text after the scheme in the Authorization header.
    pub fn authorization(&self, scheme: &str) -> Option<&str> {
        let (named, rest) = self.header("authorization")?.split_once(' ')?;
        named.eq_ignore_ascii_case(scheme).then(|| rest.trim())
    }

    pub fn is_form(&self) -> bool {
        self.header("content-type").is_some_and(|kind| kind.starts_with("application/x-www-form-urlencoded"))
    }

    /// Returns the pairs of a form body.
    pub fn form(&self) -> Vec<(String, String)> {
        url::form_urlencoded::parse(&self.bytes).into_owned().collect()
    }

    /// Returns the body as JSON; an empty body is an empty object.
    pub fn json(&self) -> Result<Value, serde_json::Error> {
        if self.bytes.is_empty() { Ok(json!({})) } else { serde_json::from_slice(&self.bytes) }
    }

    /// Returns the body as the journal stores it; null if it is not JSON.
    pub fn recorded_body(&self, hidden: &[&str]) -> Value {
        if self.is_form() {
            return record(&self.form(), hidden);
        }
        let mut body = self.json().unwrap_or(Value::Null);
        if let Some(map) = body.as_object_mut() {
            map.retain(|name, _| !hidden.contains(&name.as_str()));
        }
        body
    }

    pub fn recorded_query(&self, hidden: &[&str]) -> Value {
        record(&self.query, hidden)
    }

    /// Returns the address that the client called, for links in answers.
    pub fn origin(&self) -> String {
        format!("http://{}", self.header("host").unwrap_or("127.0.0.1"))
    }
}

fn record(pairs: &[(String, String)], hidden: &[&str]) -> Value {
    let kept = pairs.iter().filter(|(name, _)| !hidden.contains(&name.as_str()));
    kept.map(|(name, value)| (name.clone(), Value::String(value.clone()))).collect::<Map<_, _>>().into()
}

/// An operation with the IDs in its path.
#[derive(Debug)]
pub struct Call {
    pub operation: &'static Operation,
    pub ids: Vec<String>,
}

/// Finds the row whose method, host and path fit.
pub fn by_template(operations: &'static [Operation], own_host: &str, request: &Request) -> Option<Call> {
    let host = if request.host == own_host { "" } else { request.host.as_str() };
    let parts: Vec<&str> = request.path.trim_matches('/').split('/').collect();
    operations.iter().filter(|it| it.method == request.method.as_str() && it.host == host).find_map(|operation| {
        let pattern: Vec<&str> = operation.path.trim_matches('/').split('/').collect();
        let fits = pattern.len() == parts.len()
            && pattern.iter().zip(&parts).all(|(want, have)| (*want == "{}" && !have.is_empty()) || want == have);
        let ids = || pattern.iter().zip(&parts).filter(|(want, _)| **want == "{}").map(|(_, id)| (*id).to_owned());
        fits.then(|| Call { operation, ids: ids().collect() })
    })
}

/// Who sent a request.
#[derive(Debug, Clone, PartialEq)]
pub struct Caller {
    /// The identity behind the credential.
    pub email: String,
    /// What the quota is counted for; not a secret.
    pub credential: String,
    /// The scopes, if the network has any.
    pub scope: String,
}

impl Caller {
    pub fn may(&self, scopes: &[&str]) -> bool {
        self.scope.split(' ').any(|scope| scopes.contains(&scope))
    }
}

/// A request whose caller is known.
pub struct Exchange {
    pub call: Call,
    pub caller: Caller,
    pub request: Request,
}

/// Why the sandbox itself refuses a request, whatever the network.
#[derive(Debug, Clone)]
pub enum Refusal {
    /// No operation has this method and path.
    Unknown {
        method: String,
        path: String,
    },
    TooLarge,
    /// The limit is reached; holds the seconds until the next request is allowed.
    Quota(u64),
    /// An injected fault asks for this status.
    Injected(u16),
    /// The journal cannot be written.
    NotStored,
    /// The sandbox itself failed.
    Failed,
}

/// An answer that is ready to send.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    headers: Vec<(HeaderName, HeaderValue)>,
    payload: Payload,
}

#[derive(Debug)]
enum Payload {
    Json(Value),
    Bytes { kind: &'static str, bytes: Vec<u8> },
    Ready(Box<Response>),
}

impl Answer {
    pub fn json(status: u16, body: Value) -> Self {
        Self { status, headers: Vec::new(), payload: Payload::Json(body) }
    }

    pub fn ok(body: Value) -> Self {
        Self::json(200, body)
    }

    pub fn bytes(status: u16, kind: &'static str, bytes: impl Into<Vec<u8>>) -> Self {
        Self { status, headers: Vec::new(), payload: Payload::Bytes { kind, bytes: bytes.into() } }
    }

    /// Wraps a response that was built elsewhere.
    pub fn ready(response: Response) -> Self {
        Self { status: response.status().as_u16(), headers: Vec::new(), payload: Payload::Ready(Box::new(response)) }
    }

    /// Adds a header; leaves out a value that no header can hold.
    pub fn with(mut self, name: &'static str, value: &str) -> Self {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.headers.push((HeaderName::from_static(name), value));
        }
        self
    }
}

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = match self.payload {
            Payload::Json(body) => (status, axum::Json(body)).into_response(),
            Payload::Bytes { kind, bytes } => {
                (status, [(header::CONTENT_TYPE, kind)], Body::from(bytes)).into_response()
            }
            Payload::Ready(response) => *response,
        };
        for (name, value) in self.headers {
            response.headers_mut().insert(name, value);
        }
        response
    }
}
