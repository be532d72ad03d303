//! Tool servers: servers of others that speak the Model Context Protocol, and the tools found there.

use std::{collections::BTreeMap, fmt};

use adagent_domain::{Source, Timestamp, ToolServerId};
use serde::{Deserialize, Serialize};

use crate::SharedJson;

/// Tool servers of one workspace.
pub const MOST_TOOL_SERVERS: u32 = 20;
/// Tools of one server; what it lists beyond is left out.
pub const MOST_SERVER_TOOLS: usize = 64;
/// Names of tools begin with this, and go on with the server's handle and the tool's own name.
pub const MCP_PREFIX: &str = "mcp:";

/// A tool of a tool server by its parts.
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

/// What a tool's source is called: a tool server by its handle.
pub fn source_name(source: Source, tool: &str) -> String {
    let server = ServerToolName::of(tool).filter(|_| source == Source::Mcp).map(|name| name.server);
    server.unwrap_or(source.display_name()).to_owned()
}

/// How we sign in at a tool server, without what is secret.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum ToolServerSignIn {
    #[default]
    None,
    Bearer,
    /// A key in a header of this name.
    Header {
        name: String,
    },
}

impl ToolServerSignIn {
    pub const fn needs_secret(&self) -> bool {
        !matches!(self, Self::None)
    }
}

/// A tool as it was found, and what people decided about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ServerTool {
    /// As its server calls it.
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    pub description: String,
    pub input_schema: SharedJson,
    /// Over name, description and schema as they were accepted: a tool that is described otherwise is not called.
    pub digest: String,
    /// An admin said that it changes nothing. Until then every call of it needs an approval.
    #[serde(default)]
    pub reading: bool,
    pub on: bool,
    /// How its server describes it now, until an admin accepts that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<Box<ToolChange>>,
}

impl ServerTool {
    /// Whether it may be called.
    pub const fn is_usable(&self) -> bool {
        self.on && self.change.is_none()
    }
}

/// How a tool is described since somebody last looked at it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolChange {
    /// The tool was not listed before.
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
    /// The part of its tools' names that is its own: `docs` in `mcp:docs:search`.
    pub handle: String,
    pub name: String,
    pub url: String,
    pub sign_in: ToolServerSignIn,
    pub on: bool,
    /// Why the last look at it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    pub tools: Vec<ServerTool>,
    /// Tools that its server lists and that we do not take: too many, too long, or with a schema that cannot be checked.
    #[serde(default)]
    pub left_out: u32,
    pub version: i64,
    pub checked_at: Timestamp,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl ToolServerView {
    /// Tools that wait until somebody looks at what changed.
    pub fn changed(&self) -> impl Iterator<Item = &ServerTool> {
        self.tools.iter().filter(|tool| tool.change.is_some())
    }
}

/// POST `/api/mcp-servers`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewToolServer {
    pub name: String,
    /// Without one it is made of the name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
    pub url: String,
    #[serde(default)]
    pub sign_in: ToolServerSignIn,
    /// The token or key. It is sealed and never shown again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
}

/// PATCH `/api/mcp-servers/{id}`: what is left out stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolServerUpdate {
    /// The one this is a change of: another one since is not overwritten.
    pub version: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<bool>,
    /// By the tools' own names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tools: BTreeMap<String, ToolSetting>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolSetting {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<bool>,
}

/// POST `/api/mcp-servers/{id}/accept-changes`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AcceptedChanges {
    /// The version that the person looked at.
    pub version: i64,
}

/// What is wrong with the handle of a tool server.
pub fn server_handle_problem(handle: &str) -> Option<&'static str> {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    match () {
        () if handle.len() < 2 || handle.len() > 30 => Some("Use 2 to 30 characters."),
        () if !handle.chars().all(fits) => Some("Use lowercase letters, digits, and hyphens."),
        () if !handle.starts_with(|c: char| c.is_ascii_lowercase()) => Some("Begin with a letter."),
        () => None,
    }
}

/// The handle that a name comes to: `Docs & search` is `docs-search`.
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
