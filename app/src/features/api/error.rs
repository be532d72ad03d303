//! Errors of server functions: the same problem details that every route answers with.

use adagent_contract::{FieldError, Problem, codes};
use leptos::server_fn::{
    Bytes, ContentType, Decodes, Encodes, Format, FormatType,
    error::{FromServerFnError, ServerFnErrorErr},
};
use serde::{Deserialize, Serialize};

use super::arguments;

/// The error of a server function.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{0}")]
pub struct ApiError(pub Box<Problem>);

/// The result of a form, or the problem to show at the form. Both are successful answers of the server function.
pub type Told<T> = Result<T, Box<Problem>>;

/// Merges both kinds of failure, for a form that handles them alike.
pub fn settled<T>(answer: Result<Told<T>, ApiError>) -> Result<T, ApiError> {
    answer.and_then(|told| told.map_err(ApiError))
}

impl ApiError {
    /// Checks whether signing in would help.
    pub fn is_signed_out(&self) -> bool {
        self.0.code == codes::UNAUTHENTICATED
    }

    pub fn is_not_found(&self) -> bool {
        self.0.status == 404
    }
}

/// Turns a problem into the answer of a server function, with the problem's status. A page that shows a problem chooses its own
/// status.
pub(super) fn answered(problem: Problem) -> ApiError {
    #[cfg(feature = "ssr")]
    super::who::server::say_status(problem.status);
    ApiError(Box::new(problem))
}

impl FromServerFnError for ApiError {
    type Encoder = AsProblem;

    fn from_server_fn_error(value: ServerFnErrorErr) -> Self {
        let away = |detail: String| answered(Problem::new(503, codes::UNAVAILABLE, "No response", detail));
        match value {
            ServerFnErrorErr::Request(_) => {
                away("We can't reach the server. Check your connection and try again.".to_owned())
            }
            ServerFnErrorErr::MissingArg(told) | ServerFnErrorErr::Args(told) => {
                arguments::refused(FieldError::explained("", &told))
            }
            // On a server, this is the body of a request. In a browser, it is an answer of the server.
            #[cfg(feature = "ssr")]
            ServerFnErrorErr::Deserialization(told) if told.contains("length limit") => {
                answered(Problem::new(413, codes::TOO_LARGE, "Too large", "The request is too large."))
            }
            #[cfg(feature = "ssr")]
            ServerFnErrorErr::Deserialization(_) => {
                let detail = "The request was incomplete or not text. Try again.";
                answered(Problem::new(400, codes::BAD_REQUEST, "Bad request", detail))
            }
            other => away(other.to_string()),
        }
    }
}

/// The encoding of errors as `application/problem+json`.
pub struct AsProblem;

impl ContentType for AsProblem {
    const CONTENT_TYPE: &'static str = "application/problem+json";
}

impl FormatType for AsProblem {
    const FORMAT_TYPE: Format = Format::Text;
}

impl Encodes<ApiError> for AsProblem {
    type Error = serde_json::Error;

    fn encode(output: &ApiError) -> Result<Bytes, Self::Error> {
        serde_json::to_vec(output).map(Bytes::from)
    }
}

impl Decodes<ApiError> for AsProblem {
    type Error = serde_json::Error;

    fn decode(bytes: Bytes) -> Result<ApiError, Self::Error> {
        serde_json::from_slice(&bytes)
    }
}
