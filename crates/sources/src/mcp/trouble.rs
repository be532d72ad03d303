//! Why a server gave no answer, in words for people. It never contains a secret.

use adagent_outgoing::{Elsewhere, was_not_public};
use rmcp::{
    model::{ErrorCode, ErrorData},
    service::{ClientInitializeError, ServiceError},
    transport::streamable_http_client::{AuthRequiredError, HttpStatusError, StreamableHttpError},
};

use super::answer::said;

/// The most characters of a server's own words that we show.
const MOST_SAID: usize = 200;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trouble {
    /// We do not call addresses of this kind.
    Elsewhere(Elsewhere),
    /// The host name leads into our own network.
    NotPublic,
    Redirected,
    Unauthorized,
    Unreachable,
    TooLong,
    OutOfTime,
    /// HTTP status 429 or 5xx.
    Busy(u16),
    /// The server refused before it did anything. These are its words.
    Refused(String),
    /// The server failed and did not say how far it got. These are its words.
    Failed(String),
    /// The server does not follow the protocol.
    Strange,
}

impl Trouble {
    /// Checks whether another try may help.
    pub const fn may_pass(&self) -> bool {
        matches!(self, Self::Unreachable | Self::OutOfTime | Self::Busy(_))
    }

    /// Checks whether the server itself failed. If so, we stop calling it after several failures.
    pub const fn is_its_fault(&self) -> bool {
        matches!(self, Self::Unreachable | Self::OutOfTime | Self::Busy(_) | Self::TooLong | Self::Strange)
    }

    pub const fn code(&self) -> &'static str {
        match self {
            Self::Elsewhere(_) | Self::NotPublic => "ADDRESS_NOT_ALLOWED",
            Self::Redirected => "REDIRECTED",
            Self::Unauthorized => "AUTH_FAILED",
            Self::Unreachable => "UNREACHABLE",
            Self::TooLong => "ANSWER_TOO_LONG",
            Self::OutOfTime => "TIMEOUT",
            Self::Busy(429) => "RATE_LIMITED",
            Self::Busy(_) => "UNAVAILABLE",
            Self::Refused(_) => "REFUSED",
            Self::Failed(_) => "FAILED",
            Self::Strange => "NOT_UNDERSTOOD",
        }
    }

    /// Returns a sentence for people. `name` is the server's name.
    pub fn told(&self, name: &str) -> String {
        match self {
            Self::Elsewhere(why) => match why {
                Elsewhere::Unencrypted => "The address must begin with https://.".into(),
                Elsewhere::Port => {
                    "The address must use port 443. An administrator can allow another host in tool_servers.allow."
                        .into()
                }
                Elsewhere::Literal => {
                    "Use a host name, not an IP address. An administrator can allow a host in tool_servers.allow."
                        .into()
                }
                Elsewhere::Userinfo => "The address must not contain a user name or password.".into(),
                Elsewhere::NoHost => "The address names no host.".into(),
            },
            Self::NotPublic => format!(
                "The address of {name} leads into a private network, so we don't connect to it. An administrator can allow its host in tool_servers.allow."
            ),
            Self::Redirected => {
                format!("{name} sends us to another address, and we don't follow it. Enter that address instead.")
            }
            Self::Unauthorized => format!("{name} doesn't accept the token or key."),
            Self::Unreachable => format!("We can't reach {name}."),
            Self::TooLong => format!("The answer of {name} is too long."),
            Self::OutOfTime => format!("{name} didn't answer in time."),
            Self::Busy(429) => format!("{name} accepts no more requests for now. Try again later."),
            Self::Busy(status) => format!("{name} doesn't work right now (HTTP {status}). Try again later."),
            Self::Refused(words) if words.is_empty() => format!("{name} refused the call."),
            Self::Failed(words) if words.is_empty() => format!("{name} answered with an error."),
            Self::Refused(words) | Self::Failed(words) => format!("{name} answered: “{words}”"),
            Self::Strange => format!("The answer of {name} doesn't follow the Model Context Protocol."),
        }
    }

    pub(super) fn of_start(error: &ClientInitializeError, secret: Option<&str>) -> Self {
        match error {
            ClientInitializeError::JsonRpcError(error) => Self::of_error(error, secret),
            ClientInitializeError::TransportError { error, .. } => Self::of_transport(error.error.as_ref()),
            other => Self::of_transport(other),
        }
    }

    pub(super) fn of_call(error: &ServiceError, secret: Option<&str>) -> Self {
        match error {
            ServiceError::McpError(error) => Self::of_error(error, secret),
            ServiceError::TransportSend(error) => Self::of_transport(error.error.as_ref()),
            ServiceError::Timeout { .. } => Self::OutOfTime,
            ServiceError::TransportClosed | ServiceError::Cancelled { .. } => Self::Unreachable,
            _ => Self::Strange,
        }
    }

    /// Returns the trouble for a server's error. The server refuses a request before it does anything only if it cannot read the request or
    /// the request does not fit.
    fn of_error(error: &ErrorData, secret: Option<&str>) -> Self {
        let words = said(&error.message, MOST_SAID, secret);
        match error.code {
            ErrorCode::PARSE_ERROR
            | ErrorCode::INVALID_REQUEST
            | ErrorCode::METHOD_NOT_FOUND
            | ErrorCode::INVALID_PARAMS => Self::Refused(words),
            _ => Self::Failed(words),
        }
    }

    fn of_transport(error: &(dyn std::error::Error + 'static)) -> Self {
        for cause in std::iter::successors(Some(error), |error| error.source()) {
            if cause.is::<AuthRequiredError>() {
                return Self::Unauthorized;
            }
            if let Some(error) = cause.downcast_ref::<HttpStatusError>() {
                return Self::Busy(error.status);
            }
            match cause.downcast_ref::<StreamableHttpError<reqwest::Error>>() {
                Some(StreamableHttpError::Client(error)) => return Self::of_client(error),
                Some(StreamableHttpError::HttpStatus(error)) => return Self::Busy(error.status),
                Some(StreamableHttpError::ResponseBodyTooLarge { .. }) => return Self::TooLong,
                Some(StreamableHttpError::InsufficientScope(_)) => return Self::Unauthorized,
                Some(StreamableHttpError::UnexpectedServerResponse(text)) => return Self::of_status(text),
                _ => {}
            }
        }
        Self::Strange
    }

    fn of_client(error: &reqwest::Error) -> Self {
        match error.status().map(|status| status.as_u16()) {
            _ if was_not_public(error) => Self::NotPublic,
            _ if error.is_timeout() => Self::OutOfTime,
            Some(401 | 403) => Self::Unauthorized,
            Some(300..=399) => Self::Redirected,
            Some(status @ (429 | 500..)) => Self::Busy(status),
            Some(_) => Self::Strange,
            None if error.is_decode() => Self::Strange,
            None => Self::Unreachable,
        }
    }

    /// Reads other statuses from a text, because the SDK reports them only as `HTTP 401 Unauthorized: …`.
    fn of_status(text: &str) -> Self {
        let status =
            text.strip_prefix("HTTP ").and_then(|rest| rest.get(..3)).and_then(|code| code.parse::<u16>().ok());
        match status {
            Some(401 | 403) => Self::Unauthorized,
            Some(300..=399) => Self::Redirected,
            Some(status @ (429 | 500..)) => Self::Busy(status),
            _ => Self::Strange,
        }
    }
}
