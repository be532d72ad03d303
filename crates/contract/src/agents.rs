//! Agents: who they are, what they may use, and how a message names one.

use std::sync::Arc;

use adagent_domain::{AgentId, ConnectionId, Network, Source, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{MCP_PREFIX, ServerToolName, server_handle_problem, source_name};

/// The agent that every workspace has: it may use everything, and answers when a message names nobody.
pub const DEFAULT_AGENT: &str = "desk";
/// Agents of one person in one workspace.
pub const MOST_AGENTS: u32 = 1_000;
/// Characters of instructions.
pub const MOST_INSTRUCTIONS: usize = 8_000;

/// What a tool does to the thing it is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    Read,
    List,
    Create,
    Update,
    Delete,
}

impl Access {
    pub const ALL: [Self; 5] = [Self::Read, Self::List, Self::Create, Self::Update, Self::Delete];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::List => "list",
            Self::Create => "create",
            Self::Update => "update",
            Self::Delete => "delete",
        }
    }

    /// As the form of an agent says it.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Read => "Read",
            Self::List => "List",
            Self::Create => "Create",
            Self::Update => "Update",
            Self::Delete => "Delete",
        }
    }
}

/// What a grant opens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum GrantTarget {
    Everything,
    Source(Source),
    /// The tools of one tool server, by its handle.
    Server(String),
    /// One tool, by its name.
    Tool(String),
}

impl From<GrantTarget> for String {
    fn from(target: GrantTarget) -> Self {
        match target {
            GrantTarget::Everything => "everything".into(),
            GrantTarget::Source(source) => source.id().into(),
            GrantTarget::Server(handle) => format!("{MCP_PREFIX}{handle}"),
            GrantTarget::Tool(name) => format!("tool:{name}"),
        }
    }
}

impl TryFrom<String> for GrantTarget {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if text == "everything" {
            return Ok(Self::Everything);
        }
        if let Some(name) = text.strip_prefix("tool:") {
            return Ok(Self::Tool(name.to_owned()));
        }
        if let Some(source) = Source::OTHERS.into_iter().find(|source| source.id() == text) {
            return Ok(Self::Source(source));
        }
        if let Some(handle) = text.strip_prefix(MCP_PREFIX) {
            return match server_handle_problem(handle) {
                None => Ok(Self::Server(handle.to_owned())),
                Some(problem) => Err(format!("{handle:?} is not the handle of a tool server. {problem}")),
            };
        }
        let network = text.parse::<Network>().map_err(|error| {
            format!("{error}; a grant is on \"everything\", \"native\", \"mcp\", a network, \"mcp:\" with a tool server's handle, or \"tool:\" with a tool's name")
        })?;
        Ok(Self::Source(network.into()))
    }
}

/// What an agent may do where. Without any grant it may do nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grant {
    pub on: GrantTarget,
    pub may: Vec<Access>,
    /// Of the network's connections only these; empty: all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub connections: Vec<ConnectionId>,
}

impl Grant {
    fn covers(&self, tool: &str, source: Source) -> bool {
        match &self.on {
            GrantTarget::Everything => true,
            GrantTarget::Source(granted) => *granted == source,
            GrantTarget::Server(handle) => {
                source == Source::Mcp && ServerToolName::of(tool).is_some_and(|name| name.server == handle)
            }
            GrantTarget::Tool(name) => name == tool,
        }
    }

    /// Whether it opens a tool server of this handle, or one of its tools, by name.
    pub fn is_about_server(&self, handle: &str) -> bool {
        match &self.on {
            GrantTarget::Server(granted) => granted == handle,
            GrantTarget::Tool(name) => ServerToolName::of(name).is_some_and(|name| name.server == handle),
            GrantTarget::Everything | GrantTarget::Source(_) => false,
        }
    }

    fn is_about(&self, network: Network) -> bool {
        match &self.on {
            GrantTarget::Everything => true,
            GrantTarget::Source(source) => *source == Source::Network(network),
            GrantTarget::Server(_) => false,
            // Names of tools begin with their network's.
            GrantTarget::Tool(name) => name.split('_').next() == Some(network.id()),
        }
    }
}

/// The boxes of a form as grants. `boxes`: `applovin/read` each; `bound`: `applovin/` and a connection's id each.
pub fn grants_of_boxes(boxes: &[String], bound: &[String]) -> Result<Vec<Grant>, String> {
    let mut grants: Vec<Grant> = Vec::new();
    for text in boxes {
        let (target, access) = text.rsplit_once('/').ok_or_else(|| format!("{text:?} is no box of this form."))?;
        let on = GrantTarget::try_from(target.to_owned())?;
        let access = Access::ALL.into_iter().find(|one| one.as_str() == access);
        let access = access.ok_or_else(|| format!("{text:?} is no box of this form."))?;
        match grants.iter_mut().find(|grant| grant.on == on) {
            Some(grant) => grant.may.push(access),
            None => grants.push(Grant { on, may: vec![access], connections: Vec::new() }),
        }
    }
    for text in bound {
        let (target, id) = text.rsplit_once('/').ok_or_else(|| format!("{text:?} is no box of this form."))?;
        let on = GrantTarget::try_from(target.to_owned())?;
        let id = id.parse::<ConnectionId>().map_err(|error| error.to_string())?;
        if let Some(grant) = grants.iter_mut().find(|grant| grant.on == on) {
            grant.connections.push(id);
        }
    }
    Ok(grants)
}

/// Stands behind the handle in every refusal of an agent: an answer that begins so made nothing.
pub const NOT_ALLOWED: &str = " isn't allowed to ";

/// Whether an answer refuses what the agent was not granted.
pub fn is_refusal(answer: &str) -> bool {
    answer
        .strip_prefix('@')
        .and_then(|rest| rest.split_once(NOT_ALLOWED))
        .is_some_and(|(handle, _)| !handle.contains(' '))
}

/// What a run may use: everything, or what its agent's grants open.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Grants(Option<Arc<Bound>>);

#[derive(Debug, PartialEq, Eq)]
struct Bound {
    handle: String,
    grants: Vec<Grant>,
    /// Why there is none at all.
    gone: Option<String>,
    /// What the agent that asked this one may use: nobody gets more by asking another.
    within: Grants,
}

impl Grants {
    /// Of a person, and of the default agent: nothing is taken away.
    pub const fn everything() -> Self {
        Self(None)
    }

    /// Those of an agent, named in what is refused.
    pub fn of(handle: &str, grants: Vec<Grant>) -> Self {
        let within = Self::everything();
        Self(Some(Arc::new(Bound { handle: handle.to_owned(), grants, gone: None, within })))
    }

    /// Of an agent that is gone, or no longer this person's to use; says why.
    pub fn nothing(why: impl Into<String>) -> Self {
        let within = Self::everything();
        Self(Some(Arc::new(Bound { handle: String::new(), grants: Vec::new(), gone: Some(why.into()), within })))
    }

    /// What both open: an agent that another one asked has its own grants as far as those of the other one go.
    #[must_use]
    pub fn within(self, other: Self) -> Self {
        let Some(bound) = self.0 else { return other };
        if other.0.is_none() {
            return Self(Some(bound));
        }
        let (handle, grants, gone) = (bound.handle.clone(), bound.grants.clone(), bound.gone.clone());
        Self(Some(Arc::new(Bound { handle, grants, gone, within: bound.within.clone().within(other) })))
    }

    /// Whether each agent of the chain was granted something of this kind.
    fn all(&self, opens: impl Fn(&[Grant]) -> bool) -> bool {
        std::iter::successors(self.0.as_deref(), |bound| bound.within.0.as_deref()).all(|bound| opens(&bound.grants))
    }

    /// The agent they are of; `None` where nothing is taken away.
    pub fn handle(&self) -> Option<&str> {
        self.0.as_deref().map(|bound| bound.handle.as_str())
    }

    /// Whether a tool may be called.
    pub fn admits(&self, tool: &str, source: Source, access: Access) -> bool {
        self.all(|grants| grants.iter().any(|grant| grant.covers(tool, source) && grant.may.contains(&access)))
    }

    /// Whether it was granted anything of the server that has this tool. What it may not do with that is then said, not passed over.
    pub fn opens_server_of(&self, tool: &str, source: Source) -> bool {
        let server = ServerToolName::of(tool).map(|name| name.server);
        let about = |grant: &Grant| server.is_some_and(|server| grant.is_about_server(server));
        self.all(|grants| grants.iter().any(|grant| grant.covers(tool, source) || about(grant)))
    }

    /// Whether anything of a network may be read.
    pub fn opens(&self, network: Network) -> bool {
        let reads = |grant: &Grant| grant.may.iter().any(|access| matches!(access, Access::Read | Access::List));
        self.all(|grants| grants.iter().any(|grant| grant.is_about(network) && reads(grant)))
    }

    /// Whether calls may go through a connection.
    pub fn has_connection(&self, network: Network, connection: ConnectionId) -> bool {
        let open = |grant: &Grant| grant.connections.is_empty() || grant.connections.contains(&connection);
        self.all(|grants| grants.iter().any(|grant| grant.is_about(network) && open(grant)))
    }

    /// Why a tool may not be called, and what would have to be granted.
    pub fn refusal(&self, tool: &str, source: Source, access: Access) -> String {
        let Some(bound) = self.0.as_deref() else { return String::new() };
        if let Some(gone) = &bound.gone {
            return gone.clone();
        }
        let own = bound.grants.iter().any(|grant| grant.covers(tool, source) && grant.may.contains(&access));
        if own {
            return bound.within.refusal(tool, source, access);
        }
        let handle = &bound.handle;
        let (name, label) = (source_name(source, tool), access.label());
        let nothing = if access > Access::List { ", so nothing was changed" } else { "" };
        format!(
            "@{handle}{NOT_ALLOWED}{} in {name}{nothing}. To allow it, open Agents, then @{handle}, and turn on {label} for {name}.",
            access.as_str()
        )
    }
}

/// Who may use an agent besides its owner.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sharing {
    #[default]
    Private,
    /// Everybody in the organization may ask it.
    Use,
    /// Everybody in the organization may ask it and change it.
    Edit,
}

/// What people set of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentBody {
    /// What a message calls it by, without the `@`.
    pub handle: String,
    pub name: String,
    /// What it is in the team: "Reporting", "Floor keeper".
    #[serde(default)]
    pub position: String,
    #[serde(default)]
    pub description: String,
    /// Read by the model with every question; the built-in assistant reads none.
    #[serde(default)]
    pub instructions: String,
    /// The color of its mark, 0 to 7.
    #[serde(default)]
    pub color: u8,
    /// `None`: as the person has it set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(default)]
    pub grants: Vec<Grant>,
    #[serde(default)]
    pub sharing: Sharing,
    /// One that is off answers nobody.
    #[serde(default = "on")]
    pub active: bool,
}

impl AgentBody {
    /// As a run's record names it.
    pub fn mark(&self) -> AgentRef {
        AgentRef { handle: self.handle.clone(), name: self.name.clone(), color: self.color }
    }
}

const fn on() -> bool {
    true
}

/// An agent as one person sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentView {
    pub id: AgentId,
    pub agent: AgentBody,
    /// Whose it is, by name.
    pub owner: String,
    pub mine: bool,
    /// Whether this person may change it.
    pub editable: bool,
    pub version: i64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// PUT `/api/agents/{id}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentUpdate {
    /// The one this is a change of: another one since is not overwritten.
    pub version: i64,
    pub agent: AgentBody,
}

/// How an agent was once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentVersion {
    pub version: i64,
    pub by: String,
    pub at: Timestamp,
    pub agent: AgentBody,
}

/// An agent to begin with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentTemplate {
    pub slug: String,
    pub agent: AgentBody,
}

/// Which agent a run works as, for readers of its record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentRef {
    pub handle: String,
    pub name: String,
    pub color: u8,
}

/// The handle a message begins with, and the rest of the message.
pub fn mention(message: &str) -> Option<(&str, &str)> {
    let after = message.trim_start().strip_prefix('@')?;
    let end = after.find(|c: char| !is_of_handle(c)).unwrap_or(after.len());
    let (handle, rest) = after.split_at(end);
    // `@puzzle.game` and `@Ann Smith's` name no agent by the part in front.
    let ended = rest.chars().next().is_none_or(|c| c.is_whitespace() || matches!(c, ',' | ':' | ';' | '!' | '?' | '.'));
    let rest = rest.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, ',' | ':'));
    (!handle.is_empty() && ended).then_some((handle, rest))
}

/// The message without the agent it is addressed to.
pub fn unaddressed(message: &str) -> &str {
    mention(message).map(|(_, rest)| rest).filter(|rest| !rest.is_empty()).unwrap_or(message)
}

const fn is_of_handle(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '-' || c == '_'
}

/// A handle as it is stored, from what somebody wrote: `@Reporter ` is `reporter`.
pub fn handle_of(text: &str) -> String {
    text.trim().trim_start_matches('@').to_lowercase()
}

/// What is wrong with a handle.
pub fn handle_problem(handle: &str) -> Option<&'static str> {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    match () {
        () if handle.len() < 2 || handle.len() > 30 => Some("Use 2 to 30 characters."),
        () if !handle.chars().all(fits) => Some("Use lowercase letters, digits, hyphens, and underscores."),
        () if !handle.starts_with(|c: char| c.is_ascii_lowercase()) => Some("Begin with a letter."),
        () if handle == DEFAULT_AGENT => Some("@desk is the agent that every workspace has. Choose another handle."),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grants(json: serde_json::Value) -> Grants {
        Grants::of("reporter", serde_json::from_value(json).expect("grants"))
    }

    #[test]
    fn a_refusal_is_known_by_how_it_begins() {
        let said = grants(serde_json::json!([])).refusal(
            "admob_update_mediation_group",
            Source::Network(Network::AdMob),
            Access::Update,
        );
        assert!(is_refusal(&said), "{said}");
        for other in ["Done. @reporter isn't allowed to do more.", "@reporter earned $5", "It isn't allowed to change."]
        {
            assert!(!is_refusal(other), "{other}");
        }
    }

    #[test]
    fn without_a_grant_nothing_is_open_and_a_person_has_everything() {
        let none = grants(serde_json::json!([]));
        for source in Network::ALL.map(Source::Network).into_iter().chain(Source::OTHERS) {
            for access in Access::ALL {
                assert!(!none.admits("x_y", source, access));
                assert!(Grants::everything().admits("x_y", source, access));
            }
        }
        assert!(Network::ALL.iter().all(|network| !none.opens(*network)));
    }

    #[test]
    fn a_grant_opens_what_it_names_and_no_more() {
        let some = grants(serde_json::json!([
            {"on": "applovin", "may": ["read", "list"]},
            {"on": "tool:unity_list_apps", "may": ["list"]},
        ]));
        let applovin = Source::Network(Network::AppLovin);
        assert!(some.admits("applovin_get_report", applovin, Access::Read));
        assert!(!some.admits("applovin_update_ad_unit", applovin, Access::Update));
        assert!(!some.admits("admob_list_apps", Source::Network(Network::AdMob), Access::List));
        assert!(some.admits("unity_list_apps", Source::Network(Network::Unity), Access::List));
        assert!(!some.admits("unity_list_ad_units", Source::Network(Network::Unity), Access::List));
        assert!(some.opens(Network::AppLovin) && some.opens(Network::Unity) && !some.opens(Network::AdMob));
        assert_eq!(
            some.refusal("applovin_update_ad_unit", applovin, Access::Update),
            "@reporter isn't allowed to update in AppLovin, so nothing was changed. To allow it, open Agents, then @reporter, and \
             turn on Update for AppLovin."
        );
    }

    #[test]
    fn a_grant_on_a_tool_server_opens_that_server_only() {
        let some = grants(serde_json::json!([
            {"on": "mcp:docs", "may": ["read"]},
            {"on": "tool:mcp:mail:send", "may": ["update"]},
        ]));
        assert!(some.admits("mcp:docs:search", Source::Mcp, Access::Read));
        assert!(!some.admits("mcp:docs:search", Source::Mcp, Access::Update));
        assert!(!some.admits("mcp:docs2:search", Source::Mcp, Access::Read));
        assert!(!some.admits("mcp:docs:search", Source::Native, Access::Read));
        assert!(some.admits("mcp:mail:send", Source::Mcp, Access::Update));
        assert!(!some.admits("mcp:mail:read", Source::Mcp, Access::Update));
        let all = grants(serde_json::json!([{"on": "mcp", "may": ["read"]}]));
        assert!(
            all.admits("mcp:mail:read", Source::Mcp, Access::Read)
                && !all.admits("list_todos", Source::Native, Access::Read)
        );
        assert!(Network::ALL.iter().all(|network| !some.opens(*network)));
        assert!(some.refusal("mcp:docs:write", Source::Mcp, Access::Update).contains("update in docs"));
        assert!(serde_json::from_str::<Grant>(r#"{"on": "mcp:Docs!", "may": ["read"]}"#).is_err());
    }

    #[test]
    fn a_grant_is_bound_to_its_connections() {
        let id = |n: u128| ConnectionId(uuid::Uuid::from_u128(n));
        let some = grants(serde_json::json!([{"on": "applovin", "may": ["read"], "connections": [id(1)]}]));
        assert!(some.has_connection(Network::AppLovin, id(1)) && !some.has_connection(Network::AppLovin, id(2)));
        assert!(!some.has_connection(Network::Unity, id(1)));
        assert!(Grants::everything().has_connection(Network::AppLovin, id(2)));
    }

    #[test]
    fn boxes_of_a_form_are_grants() {
        let boxes = |all: &[&str]| all.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let id = "019aa5c4-9a3e-7000-8000-000000000000";
        let checked = boxes(&["applovin/read", "applovin/list", "native/create", "tool:unity_list_apps/list"]);
        let grants = grants_of_boxes(&checked, &boxes(&[&format!("applovin/{id}")])).expect("they are of the form");
        assert_eq!(
            serde_json::to_value(&grants).expect("plain data"),
            serde_json::json!([
                {"on": "applovin", "may": ["read", "list"], "connections": [id]},
                {"on": "native", "may": ["create"]},
                {"on": "tool:unity_list_apps", "may": ["list"]},
            ])
        );
        for wrong in ["applovin", "facebook/read", "applovin/own"] {
            assert!(grants_of_boxes(&boxes(&[wrong]), &[]).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_no_network_is_called_cannot_be_granted() {
        let error = serde_json::from_str::<Grant>(r#"{"on": "facebook", "may": ["read"]}"#).expect_err("unknown");
        assert!(error.to_string().contains("unknown network"), "{error}");
        assert!(serde_json::from_str::<Grant>(r#"{"on": "admob", "may": ["own"]}"#).is_err());
    }

    #[test]
    fn a_message_names_an_agent_at_its_beginning_only() {
        assert_eq!(mention("@reporter revenue yesterday"), Some(("reporter", "revenue yesterday")));
        assert_eq!(mention("  @floor-keeper, what now?"), Some(("floor-keeper", "what now?")));
        assert_eq!(mention("@desk"), Some(("desk", "")));
        assert_eq!(mention("ask @reporter"), None);
        assert_eq!(mention("@ reporter"), None);
        assert_eq!(mention("@мария hi"), None);
        assert_eq!(mention("@ann@example.com hi"), None);
    }

    #[test]
    fn handles_are_short_and_plain() {
        for good in ["reporter", "floor-keeper", "q4_2026"] {
            assert_eq!(handle_problem(good), None, "{good}");
        }
        for bad in ["a", "desk", "Reporter", "4u", "-x", "naïve", "with space", &"x".repeat(31)] {
            assert!(handle_problem(bad).is_some(), "{bad}");
        }
    }
}
