//! Errors cross the wire as the same problem details every route answers with.

use adagent_contract::{Problem, codes};
use leptos::server_fn::{
    codec::JsonEncoding,
    error::{FromServerFnError, ServerFnErrorErr},
};
use serde::{Deserialize, Serialize};

/// What a server function failed with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{0}")]
pub struct ApiError(pub Box<Problem>);

/// What was done, or what was said against it at the form: both are answers.
pub type Told<T> = Result<T, Box<Problem>>;

/// What a form is told, however it came.
pub fn settled<T>(answer: Result<Told<T>, ApiError>) -> Result<T, ApiError> {
    answer.and_then(|told| told.map_err(ApiError))
}

impl ApiError {
    /// Whether signing in would help.
    pub fn is_signed_out(&self) -> bool {
        self.0.code == codes::UNAUTHENTICATED
    }

    pub fn is_not_found(&self) -> bool {
        self.0.status == 404
    }
}

impl FromServerFnError for ApiError {
    type Encoder = JsonEncoding;

    fn from_server_fn_error(value: ServerFnErrorErr) -> Self {
        let detail = match value {
            ServerFnErrorErr::Request(_) => {
                "The server could not be reached. Check the connection and try again.".to_owned()
            }
            other => other.to_string(),
        };
        Self(Box::new(Problem::new(503, codes::UNAVAILABLE, "No answer", detail)))
    }
}
