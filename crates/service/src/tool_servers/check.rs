//! Checks the fields of a tool server that people set.

use adagent_contract::{NewToolServer, ToolServerSignIn, server_handle_of, server_handle_problem};
use adagent_store::ToolServerBody;
use secrecy::SecretString;
use url::Url;

use crate::{
    ServiceError, ServiceResult,
    validate::{self, Fields},
};

const MOST_NAME: usize = 60;
const MOST_URL: usize = 500;
const MOST_SECRET: usize = 4_000;
const MOST_CLIENT: usize = 500;
/// Headers that already have another meaning.
const TAKEN: [&str; 13] = [
    "accept",
    "connection",
    "content-type",
    "content-length",
    "cookie",
    "host",
    "proxy-authorization",
    "te",
    "transfer-encoding",
    "upgrade",
    "mcp-session-id",
    "mcp-protocol-version",
    "last-event-id",
];

pub(super) struct Checked {
    pub name: String,
    pub handle: String,
    pub url: Url,
    pub sign_in: ToolServerSignIn,
    pub secret: Option<SecretString>,
}

pub(super) fn name(text: &str) -> Result<String, String> {
    validate::line(text, "The name", MOST_NAME)
}

fn url(text: &str) -> Result<Url, String> {
    let text = validate::line(text, "The address", MOST_URL)?;
    let url = Url::parse(&text).map_err(|_| "Enter an address such as https://mcp.example.com/mcp.".to_owned())?;
    if url.fragment().is_some() { Err("The address must not contain a #.".into()) } else { Ok(url) }
}

/// Returns why we may not fill in a header with this name, or `None`.
fn header_problem(name: &str) -> Option<&'static str> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    match () {
        () if name.is_empty() || name.len() > 60 || !name.chars().all(fits) => {
            Some("Enter the name of a header, such as X-API-Key.")
        }
        () if TAKEN.contains(&name.to_ascii_lowercase().as_str()) => Some("This header is used for something else."),
        () => None,
    }
}

pub(super) fn checked(new: NewToolServer) -> ServiceResult<Checked> {
    let mut fields = Fields::default();
    let name = fields.take("/name", name(&new.name));
    let given = new.handle.map(|handle| handle.trim().to_owned()).filter(|handle| !handle.is_empty());
    let handle = given.unwrap_or_else(|| server_handle_of(name.as_deref().unwrap_or_default()));
    if let Some(problem) = server_handle_problem(&handle).filter(|_| name.is_some()) {
        fields.wrong("/handle", problem);
    }
    let url = fields.take("/url", url(&new.url));
    if let ToolServerSignIn::Header { name } = &new.sign_in
        && let Some(problem) = header_problem(name)
    {
        fields.wrong("/sign_in/name", problem);
    }
    let sign_in = match new.sign_in {
        ToolServerSignIn::Oauth { client_id } => {
            let client_id = client_id.map(|id| id.trim().to_owned()).filter(|id| !id.is_empty());
            if client_id.as_ref().is_some_and(|id| id.len() > MOST_CLIENT || !id.chars().all(|c| c.is_ascii_graphic()))
            {
                fields.wrong("/sign_in/client_id", "Enter the client ID as the sign-in shows it, without spaces.");
            }
            ToolServerSignIn::Oauth { client_id }
        }
        other => other,
    };
    let secret = new.secret.map(|secret| secret.trim().to_owned()).filter(|secret| !secret.is_empty());
    match (&secret, &sign_in) {
        (None, sign_in) if sign_in.needs_secret() => fields.wrong("/secret", "Enter the token or key."),
        (Some(_), ToolServerSignIn::None) => fields.wrong("/secret", "Choose how to sign in with this token or key."),
        (Some(_), ToolServerSignIn::Oauth { client_id: None }) => {
            fields.wrong("/secret", "Enter the client ID that this secret belongs to.");
        }
        (Some(secret), _) if secret.len() > MOST_SECRET || !secret.chars().all(|c| c.is_ascii_graphic()) => {
            fields.wrong("/secret", "The token or key must have letters, digits and signs only, without spaces.");
        }
        _ => {}
    }
    fields.done()?;
    let (Some(name), Some(url)) = (name, url) else {
        return Err(ServiceError::Internal("validated fields are missing".into()));
    };
    Ok(Checked { name, handle, url, sign_in, secret: secret.map(SecretString::from) })
}

/// Returns what people decided, without contents, for the audit log.
pub(super) fn changed(before: &ToolServerBody, after: &ToolServerBody) -> Vec<String> {
    let mut out = Vec::new();
    if before.name != after.name {
        out.push("name".to_owned());
    }
    if before.enabled != after.enabled {
        out.push(if after.enabled { "turned on" } else { "turned off" }.to_owned());
    }
    for (was, is) in before.tools.iter().zip(&after.tools) {
        if was.reading != is.reading {
            out.push(format!("{}: {}", is.name, if is.reading { "reads only" } else { "may change things" }));
        }
        if was.on != is.on {
            out.push(format!("{}: {}", is.name, if is.on { "on" } else { "off" }));
        }
    }
    out
}
