//! Why a server gave no answer, in words for people. It never contains a secret.

use adagent_outgoing::{Elsewhere, was_not_public};
use rmcp::{
    model::{ErrorCode, ErrorData},
    service::{ClientInitializeError, ServiceError},
    transport::streamable_http_client::{AuthRequiredError, HttpStatusError, StreamableHttpError},
};

use super::answer::said;

/// The most characters of a server's own words that we show.
pub(super) const MOST_SAID: usize = 200;
/// The code of a call for which the server wants a further sign-in.
pub const MORE_WANTED: &str = "PERMISSION_NEEDED";

/// Why nobody can sign in to a server, or why a sign-in ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoSignIn {
    /// It names no sign-in that we understand.
    NotOffered,
    /// What it says of its sign-in is about another server.
    OtherResource,
    /// The sign-in says that it is another one than the server named.
    OtherIssuer,
    /// An address on the way is one that we do not call.
    Elsewhere,
    /// The sign-in does not promise PKCE with S256.
    NoPkce,
    /// It accepts only clients that its owner registered.
    NoRegistration,
    /// It did not register our client. These are its words.
    NotRegistered(String),
    /// It does not accept a code or a refresh token, or no longer does.
    GrantRefused,
    /// It does not know our client.
    ClientRefused,
    /// It may work later.
    Unavailable(String),
}

impl NoSignIn {
    fn told(&self, name: &str) -> String {
        match self {
            Self::NotOffered => {
                format!("{name} offers no sign-in that we understand. It needs OAuth 2.1 with its metadata.")
            }
            Self::OtherResource => format!("The sign-in of {name} is about another address, so we don't use it."),
            Self::OtherIssuer => {
                format!("The sign-in of {name} gives itself another name than {name} does, so we don't use it.")
            }
            Self::Elsewhere => format!(
                "The sign-in of {name} leads to an address that we don't connect to. An administrator can allow its host in tool_servers.allow."
            ),
            Self::NoPkce => format!("The sign-in of {name} doesn't offer PKCE with S256, so it isn't safe to use."),
            Self::NoRegistration => {
                format!(
                    "The sign-in of {name} accepts only clients it knows. Create one there, and enter its client ID."
                )
            }
            Self::NotRegistered(words) if words.is_empty() => {
                format!("The sign-in of {name} didn't register us. Create a client there, and enter its client ID.")
            }
            Self::NotRegistered(words) => format!("The sign-in of {name} didn't register us: “{words}”"),
            Self::GrantRefused => format!("The sign-in of {name} has ended. Sign in again."),
            Self::ClientRefused => format!("The sign-in of {name} doesn't know our client. Sign in again."),
            Self::Unavailable(why) => format!("The sign-in of {name} doesn't work right now: {why}. Try again later."),
        }
    }
}

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
    SignIn(NoSignIn),
    /// The server wants a sign-in with these further scopes, and did nothing.
    MoreWanted(String),
}

impl Trouble {
    /// Checks whether another try may help.
    pub const fn may_pass(&self) -> bool {
        matches!(self, Self::Unreachable | Self::OutOfTime | Self::Busy(_) | Self::SignIn(NoSignIn::Unavailable(_)))
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
            Self::SignIn(_) => "SIGN_IN_FAILED",
            Self::MoreWanted(_) => MORE_WANTED,
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
            Self::SignIn(why) => why.told(name),
            Self::MoreWanted(scopes) => {
                let scopes = said(scopes, MOST_SAID, None);
                format!("{name} wants further permissions for this ({scopes}). Sign in again to give them.")
            }
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
                Some(StreamableHttpError::InsufficientScope(error)) => {
                    return error.required_scope.clone().map_or(Self::Unauthorized, Self::MoreWanted);
                }
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

/// Returns the header with which a server asked for a sign-in.
pub(super) fn challenge_in(error: &(dyn std::error::Error + 'static)) -> Option<String> {
    let inner: &(dyn std::error::Error + 'static) = match error.downcast_ref::<ClientInitializeError>() {
        Some(ClientInitializeError::TransportError { error, .. }) => error.error.as_ref(),
        _ => match error.downcast_ref::<ServiceError>() {
            Some(ServiceError::TransportSend(error)) => error.error.as_ref(),
            _ => error,
        },
    };
    let header = |cause: &(dyn std::error::Error + 'static)| {
        let needed = match cause.downcast_ref::<StreamableHttpError<reqwest::Error>>() {
            Some(StreamableHttpError::AuthRequired(needed)) => Some(needed),
            _ => cause.downcast_ref::<AuthRequiredError>(),
        };
        needed.map(|needed| needed.www_authenticate_header.clone())
    };
    std::iter::successors(Some(inner), |error| error.source()).find_map(header)
}
