//! Problems on the wire.
//!
//! The error of a handler becomes a response with its [`Problem`] as an extension; the outermost layer adds the request ID. So every
//! problem has one, including those of extractors.

use adagent_contract::{FieldError, Problem, codes};
use adagent_domain::Denied;
use adagent_service::ServiceError;
use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};

/// The error of a handler.
#[derive(Debug)]
pub struct ApiError {
    pub problem: Box<Problem>,
    retry_after: Option<u64>,
    /// The cause, for the log only.
    cause: Option<String>,
}

pub type ApiResult<T> = Result<T, ApiError>;

/// The problem in a response's extensions, for the layer that adds the request ID.
#[derive(Debug, Clone)]
pub struct ProblemBody(pub Problem);

/// The cause in a response's extensions, for the log.
#[derive(Debug, Clone)]
pub struct Cause(pub String);

impl ApiError {
    pub fn new(status: u16, code: &str, title: &str, detail: impl Into<String>) -> Self {
        Self { problem: Box::new(Problem::new(status, code, title, detail)), retry_after: None, cause: None }
    }

    pub fn from_problem(problem: Problem) -> Self {
        Self { problem: Box::new(problem), retry_after: None, cause: None }
    }

    pub fn bad_request(detail: impl Into<String>) -> Self {
        Self::new(400, codes::BAD_REQUEST, "Bad request", detail)
    }

    /// Makes an error for one wrong field of the body, query or header.
    pub fn field(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        ServiceError::Validation(vec![FieldError::new(pointer, message)]).into()
    }

    pub fn not_found(what: &'static str) -> Self {
        ServiceError::NotFound(what).into()
    }

    /// Makes an internal error; the log gets the cause with the request ID.
    pub fn internal(cause: impl std::fmt::Display) -> Self {
        ServiceError::Internal(cause.to_string()).into()
    }
}

impl From<Denied> for ApiError {
    fn from(denied: Denied) -> Self {
        ServiceError::from(denied).into()
    }
}

impl From<ServiceError> for ApiError {
    fn from(error: ServiceError) -> Self {
        Self {
            problem: Box::new(error.problem()),
            retry_after: error.retry_after_seconds(),
            cause: error.is_internal().then(|| describe(&error)),
        }
    }
}

/// Returns the error with its sources, for the log.
fn describe(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        let inner_text = inner.to_string();
        if !text.ends_with(&inner_text) {
            text = format!("{text}: {inner_text}");
        }
        source = inner.source();
    }
    text
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = problem_response(&self.problem);
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if let Some(cause) = self.cause {
            response.extensions_mut().insert(Cause(cause));
        }
        response.extensions_mut().insert(ProblemBody(*self.problem));
        response
    }
}

/// Makes a response from a problem.
pub fn problem_response(problem: &Problem) -> Response {
    let status = StatusCode::from_u16(problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let body = serde_json::to_vec(problem).unwrap_or_default();
    (status, [(header::CONTENT_TYPE, "application/problem+json")], body).into_response()
}
