//! Tool servers: servers of others that speak the Model Context Protocol, and their tools.

use std::{collections::BTreeMap, fmt};

use adagent_domain::{Source, Timestamp, ToolServerId};
use serde::{Deserialize, Serialize};

use crate::SharedJson;

/// How many tool servers one workspace can have.
pub const MOST_TOOL_SERVERS: u32 = 20;
/// How many tools of one server we accept; we ignore the others.
pub const MOST_SERVER_TOOLS: usize = 64;
/// The prefix of the names of tools. The server's handle and the tool's own name follow.
pub const MCP_PREFIX: &str = "mcp:";

/// The parts of the name of a tool server's tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerToolName<'a> {
    pub server: &'a str,
    pub tool: &'a str,
}

impl<'a> ServerToolName<'a> {
    pub fn of(name: &'a str) -> Option<Self> {
        let (server, tool) = name.strip_prefix(MCP_PREFIX)?.split_once(':')?;
        (!server.is_empty() && !tool.is_empty()).then_some(Self { server, tool })
    }
}

impl fmt::Display for ServerToolName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{MCP_PREFIX}{}:{}", self.server, self.tool)
    }
}

/// Returns the name of a tool's source; for a tool server, its handle.
pub fn source_name(source: Source, tool: &str) -> String {
    let server = ServerToolName::of(tool).filter(|_| source == Source::Mcp).map(|name| name.server);
    server.unwrap_or(source.display_name()).to_owned()
}

/// How we sign in to a tool server, without the secret.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum ToolServerSignIn {
    #[default]
    None,
    Bearer,
    /// A key in the header with this name.
    Header {
        name: String,
    },
    /// A person signs in there with OAuth.
    Oauth {
        /// Our client there, where an admin registered one. If absent, we register ours.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        client_id: Option<String>,
    },
}

impl ToolServerSignIn {
    /// Checks whether a person must give a token or key with the address.
    pub const fn needs_secret(&self) -> bool {
        matches!(self, Self::Bearer | Self::Header { .. })
    }

    /// Leaves out our client ID, which only those who manage the server see.
    #[must_use]
    pub fn without_client(self) -> Self {
        if self.is_oauth() { Self::Oauth { client_id: None } } else { self }
    }

    pub const fn is_oauth(&self) -> bool {
        matches!(self, Self::Oauth { .. })
    }
}

/// Whether somebody signed in to a tool server with OAuth.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum ServerAccess {
    #[default]
    SignedOut,
    SignedIn {
        since: Timestamp,
    },
    /// The server or its sign-in no longer accepts what we have. A person must sign in again.
    Expired {
        since: Timestamp,
    },
}

/// A tool as we found it, and what people decided about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ServerTool {
    /// The server's name for the tool.
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    pub description: String,
    pub input_schema: SharedJson,
    /// The digest of the accepted name, description and schema. We do not call a tool whose description differs.
    pub digest: String,
    /// An admin said that the tool changes nothing. Until then, every call needs an approval.
    #[serde(default)]
    pub reading: bool,
    pub on: bool,
    /// The server's new description of the tool, until an admin accepts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<Box<ToolChange>>,
}

impl ServerTool {
    /// Checks whether a run may call the tool.
    pub const fn is_usable(&self) -> bool {
        self.on && self.change.is_none()
    }
}

/// A new description of a tool that nobody has accepted yet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolChange {
    /// The server did not list the tool before.
    #[serde(default)]
    pub new: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    pub description: String,
    pub input_schema: SharedJson,
    pub digest: String,
}

/// A tool server as people in its workspace see it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolServerView {
    pub id: ToolServerId,
    /// The server's part in the names of its tools: `docs` in `mcp:docs:search`.
    pub handle: String,
    pub name: String,
    pub url: String,
    pub sign_in: ToolServerSignIn,
    /// Only of a server with OAuth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access: Option<ServerAccess>,
    /// Where the sign-in sends the browser back to. Only of a server with OAuth, for those who manage it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub callback_url: Option<String>,
    pub on: bool,
    /// Why the last check of the server failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    pub tools: Vec<ServerTool>,
    /// How many of the server's tools we ignore: there are too many, they are too long, or we cannot check their schema.
    #[serde(default)]
    pub left_out: u32,
    pub version: i64,
    pub checked_at: Timestamp,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl ToolServerView {
    /// Returns the tools with a change that nobody has accepted yet.
    pub fn changed(&self) -> impl Iterator<Item = &ServerTool> {
        self.tools.iter().filter(|tool| tool.change.is_some())
    }
}

/// The body of POST `/api/mcp-servers`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewToolServer {
    pub name: String,
    /// If absent, we derive it from the name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
    pub url: String,
    #[serde(default)]
    pub sign_in: ToolServerSignIn,
    /// The token or key; with OAuth, the secret of our client if it has one. We seal it and never show it again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
}

/// The body of PATCH `/api/mcp-servers/{id}`: absent fields stay as they are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolServerUpdate {
    /// The version that the person changed. If a newer one exists, we do not overwrite it.
    pub version: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<bool>,
    /// Settings by the tools' own names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tools: BTreeMap<String, ToolSetting>,
}

/// Our client at the sign-ins of tool servers, as they read it at the address that is its ID.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OauthClientDocument {
    pub client_id: String,
    pub client_name: String,
    pub client_uri: String,
    pub redirect_uris: Vec<String>,
    pub grant_types: Vec<String>,
    pub response_types: Vec<String>,
    pub token_endpoint_auth_method: String,
}

/// Where a person signs in to a tool server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerSignIn {
    pub authorization_url: String,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolSetting {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<bool>,
}

/// The body of POST `/api/mcp-servers/{id}/accept-changes`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AcceptedChanges {
    /// The version that the person looked at.
    pub version: i64,
}

/// Returns what is wrong with the handle of a tool server, or `None`.
pub fn server_handle_problem(handle: &str) -> Option<&'static str> {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    match () {
        () if handle.len() < 2 || handle.len() > 30 => Some("Use 2 to 30 characters."),
        () if !handle.chars().all(fits) => Some("Use lowercase letters, digits, and hyphens."),
        () if !handle.starts_with(|c: char| c.is_ascii_lowercase()) => Some("Begin with a letter."),
        () => None,
    }
}

/// Derives a handle from a name: `Docs & search` becomes `docs-search`.
pub fn server_handle_of(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        match c.to_ascii_lowercase() {
            c if c.is_ascii_lowercase() || (c.is_ascii_digit() && !out.is_empty()) => out.push(c),
            _ if out.ends_with('-') || out.is_empty() => {}
            _ => out.push('-'),
        }
        if out.len() == 30 {
            break;
        }
    }
    out.trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_is_named_by_its_server_and_its_own_name() {
        let name = ServerToolName::of("mcp:docs:files:read.v2").expect("two parts");
        assert_eq!((name.server, name.tool), ("docs", "files:read.v2"));
        assert_eq!(name.to_string(), "mcp:docs:files:read.v2");
        for other in ["admob_list_apps", "mcp:docs", "mcp::x", "mcp:docs:", "xmcp:docs:echo"] {
            assert_eq!(ServerToolName::of(other), None, "{other}");
        }
    }

    #[test]
    fn handles_follow_from_names() {
        for (name, handle) in
            [("Docs & search", "docs-search"), ("  42 Games!", "games"), ("日本", ""), ("R2-D2", "r2-d2")]
        {
            assert_eq!(server_handle_of(name), handle);
        }
        assert!(server_handle_problem("docs-search").is_none());
        for bad in ["", "a", "Docs", "4u", "a:b", "a_b", &"x".repeat(31)] {
            assert!(server_handle_problem(bad).is_some(), "{bad}");
        }
    }
}
