//! `AdMob`: Google's paths, OAuth, reports and error bodies. It must never answer with a number that contradicts [`crate::truth`].
//!
//! It answers under `/admob/v1beta/…`, `/admob/v1/…` and at the root (`/v1beta/…`), where Google's own client looks.

pub mod errors;
pub mod fields;
mod filter;
pub mod groups;
pub mod oauth;
mod oauth_page;
mod ops;
pub mod paging;
pub mod report;
mod routes;
pub mod tokens;
pub mod wire;

use axum::response::IntoResponse as _;
use serde_json::Value;

use self::errors::ApiError;
pub use self::fields::normalised;
use super::{Answer, Call, Caller, Done, Exchange, Network, Operation, Refusal, Request, Unsigned};
use crate::state::{Inner, Store};
use crate::world::accounts;

/// The simulated `AdMob`.
pub struct AdMob;

/// A checked request, as the operations read it.
pub struct Context {
    pub call: routes::Call,
    pub caller: Caller,
    query: Vec<(String, String)>,
    pub body: Value,
}

impl Context {
    pub fn query(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(key, _)| key == name || fields::camel(key) == name).map(|(_, value)| value.as_str())
    }
}

impl Network for AdMob {
    fn id(&self) -> &'static str {
        "admob"
    }

    fn host(&self) -> &'static str {
        "admob.googleapis.com"
    }

    fn operations(&self) -> &'static [Operation] {
        &routes::OPERATIONS
    }

    fn find(&self, request: &Request) -> Option<Call> {
        if let Some(endpoint) = oauth::endpoint(&request.method, &request.path) {
            return Some(Call { operation: endpoint.row(), ids: Vec::new() });
        }
        let call = routes::find(&request.method, &request.path)?;
        Some(Call { operation: call.operation.row(), ids: Vec::new() })
    }

    fn authenticate(&self, inner: &Inner, _call: &Call, request: &Request) -> Result<Caller, Answer> {
        let caller = request.authorization("bearer").and_then(|token| inner.store().tokens.caller(token, inner.now()));
        caller.ok_or_else(|| ApiError::unauthenticated().into())
    }

    fn read(&self, inner: &Inner, exchange: &Exchange) -> Answer {
        match admit(exchange).and_then(|context| ops::read(inner, &context)) {
            Ok(body) => Answer::ok(body),
            Err(error) => error.into(),
        }
    }

    fn write(&self, inner: &Inner, store: &Store, exchange: &Exchange) -> Done {
        let done = admit(exchange).and_then(|context| ops::write(inner, &store.objects, &context));
        done.map(|(body, effects)| (Answer::ok(body), effects)).map_err(Answer::from)
    }

    fn token(&self, inner: &Inner, asked: &Unsigned) -> Answer {
        let request = &asked.request;
        match oauth::endpoint(&request.method, &request.path) {
            Some(endpoint) => {
                Answer::ready(oauth::answer(inner, endpoint, &request.headers, &request.query, &request.bytes))
            }
            None => ApiError::internal("an operation came as a sign-in").into(),
        }
    }

    fn refuse(&self, refusal: &Refusal) -> Answer {
        error_of(refusal).into()
    }
}

/// Returns Google's error for a refusal of the sandbox itself.
pub fn error_of(refusal: &Refusal) -> ApiError {
    match refusal {
        Refusal::Unknown { method, path } => {
            ApiError::not_found(format!("The requested URL {method} {path} was not found on this server."))
        }
        Refusal::TooLarge => ApiError::too_large(),
        Refusal::Quota(seconds) => ApiError::exhausted(*seconds),
        Refusal::Injected(status) => ApiError::injected(*status),
        Refusal::NotStored => ApiError::internal("The sandbox could not store the write; nothing was changed."),
        Refusal::Failed => ApiError::internal("The sandbox failed; see its log."),
    }
}

impl From<ApiError> for Answer {
    fn from(error: ApiError) -> Self {
        Self::ready(error.into_response())
    }
}

/// Checks scope, account and body.
fn admit(exchange: &Exchange) -> Result<Context, ApiError> {
    let (request, caller) = (&exchange.request, &exchange.caller);
    let call = routes::find(&request.method, &request.path)
        .ok_or_else(|| ApiError::internal("the operation is no longer found"))?;
    if !caller.may(call.operation.scopes()) {
        return Err(ApiError::scope_insufficient());
    }
    if !call.account.is_empty() {
        let digits = call
            .account
            .strip_prefix("pub-")
            .filter(|rest| rest.len() == 16 && rest.bytes().all(|b| b.is_ascii_digit()));
        if digits.is_none() {
            return Err(ApiError::invalid(
                "parent",
                format!("\"{}\" is no publisher id; the form is pub-9876543210987654", call.account),
            ));
        }
        let reachable = accounts::identity(&caller.email)
            .is_some_and(|identity| identity.accounts.contains(&call.account.as_str()));
        if !reachable {
            return Err(ApiError::forbidden(format!(
                "The caller does not have permission for account {}, or it does not exist.",
                call.account
            )));
        }
    }
    let body =
        request.json().map_err(|error| ApiError::malformed(format!("Invalid JSON payload received. {error}")))?;
    Ok(Context { call, caller: caller.clone(), query: request.query.clone(), body: fields::normalised(body) })
}
