//! Agents: who they are, what they may use, and how a message names one.

use std::sync::Arc;

use adagent_domain::{AgentId, ConnectionId, Network, Source, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{MCP_PREFIX, ServerToolName, server_handle_problem, source_name};

/// The agent that every workspace has: it may use everything, and answers when a message names nobody.
pub const DEFAULT_AGENT: &str = "desk";
/// The most agents that one person may have in one workspace.
pub const MOST_AGENTS: u32 = 1_000;
/// The most characters that the instructions of an agent may have.
pub const MOST_INSTRUCTIONS: usize = 8_000;

/// What a tool does with a thing.
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

    /// Returns the name that the agent form shows.
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

/// What a grant applies to.
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

/// What an agent may do, and on what. An agent without any grant may do nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grant {
    pub on: GrantTarget,
    pub may: Vec<Access>,
    /// The connections of the network that the agent may use. Empty means all.
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

    /// Checks whether the grant names the tool server with this handle, or one of its tools.
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
            // The name of a network's tool begins with the network's ID.
            GrantTarget::Tool(name) => name.split('_').next() == Some(network.id()),
        }
    }
}

/// Returns the grants that the checked boxes of a form describe. Each of `boxes` reads `applovin/read`; each of `bound` is `applovin/` and
/// the ID of a connection.
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

/// Follows the handle in every refusal of an agent. An answer that begins with a handle and this text changed nothing.
pub const NOT_ALLOWED: &str = " isn't allowed to ";

/// Checks whether an answer is a refusal, because the agent lacks a grant.
pub fn is_refusal(answer: &str) -> bool {
    answer
        .strip_prefix('@')
        .and_then(|rest| rest.split_once(NOT_ALLOWED))
        .is_some_and(|(handle, _)| !handle.contains(' '))
}

/// What a run may use: everything, or what the grants of its agent allow.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Grants(Option<Arc<Bound>>);

#[derive(Debug, PartialEq, Eq)]
struct Bound {
    handle: String,
    grants: Vec<Grant>,
    /// Why the agent may use nothing at all, if it may not.
    gone: Option<String>,
    /// What the agent that asked this one may use: an agent gets no more rights by asking another one.
    within: Grants,
}

impl Grants {
    /// Returns the grants of a person and of the default agent, which limit nothing.
    pub const fn everything() -> Self {
        Self(None)
    }

    /// Returns the grants of an agent. A refusal names the agent by `handle`.
    pub fn of(handle: &str, grants: Vec<Grant>) -> Self {
        let within = Self::everything();
        Self(Some(Arc::new(Bound { handle: handle.to_owned(), grants, gone: None, within })))
    }

    /// Returns the grants of an agent that was deleted, or that this person may no longer use. A refusal gives `why`.
    pub fn nothing(why: impl Into<String>) -> Self {
        let within = Self::everything();
        Self(Some(Arc::new(Bound { handle: String::new(), grants: Vec::new(), gone: Some(why.into()), within })))
    }

    /// Returns what both sets of grants allow. An agent that another agent asked may use its own grants, but only as far as the other
    /// agent's grants allow.
    #[must_use]
    pub fn within(self, other: Self) -> Self {
        let Some(bound) = self.0 else { return other };
        if other.0.is_none() {
            return Self(Some(bound));
        }
        let (handle, grants, gone) = (bound.handle.clone(), bound.grants.clone(), bound.gone.clone());
        Self(Some(Arc::new(Bound { handle, grants, gone, within: bound.within.clone().within(other) })))
    }

    /// Checks whether every agent of the chain has grants that satisfy `opens`.
    fn all(&self, opens: impl Fn(&[Grant]) -> bool) -> bool {
        std::iter::successors(self.0.as_deref(), |bound| bound.within.0.as_deref()).all(|bound| opens(&bound.grants))
    }

    /// Returns the agent that has these grants. `None` if they limit nothing.
    pub fn handle(&self) -> Option<&str> {
        self.0.as_deref().map(|bound| bound.handle.as_str())
    }

    /// Checks whether these grants allow a call to a tool.
    pub fn admits(&self, tool: &str, source: Source, access: Access) -> bool {
        self.all(|grants| grants.iter().any(|grant| grant.covers(tool, source) && grant.may.contains(&access)))
    }

    /// Checks whether these grants allow anything on the server that has this tool. If so, we tell the person what the agent may not do
    /// there.
    pub fn opens_server_of(&self, tool: &str, source: Source) -> bool {
        let server = ServerToolName::of(tool).map(|name| name.server);
        let about = |grant: &Grant| server.is_some_and(|server| grant.is_about_server(server));
        self.all(|grants| grants.iter().any(|grant| grant.covers(tool, source) || about(grant)))
    }

    /// Checks whether these grants allow reading anything of a network.
    pub fn opens(&self, network: Network) -> bool {
        let reads = |grant: &Grant| grant.may.iter().any(|access| matches!(access, Access::Read | Access::List));
        self.all(|grants| grants.iter().any(|grant| grant.is_about(network) && reads(grant)))
    }

    /// Checks whether calls may use this connection.
    pub fn has_connection(&self, network: Network, connection: ConnectionId) -> bool {
        let open = |grant: &Grant| grant.connections.is_empty() || grant.connections.contains(&connection);
        self.all(|grants| grants.iter().any(|grant| grant.is_about(network) && open(grant)))
    }

    /// Returns why the agent may not call a tool, and which grant would allow it.
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
    /// Everyone in the organization may ask it.
    Use,
    /// Everyone in the organization may ask it and change it.
    Edit,
}

/// Which entries of an agent's journal other people see who may use the agent. Everyone sees their own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JournalSharing {
    #[default]
    Own,
    /// Also those of runs that no person asked for.
    OwnAndScheduled,
    /// Also what others ask it.
    Full,
}

impl JournalSharing {
    pub const ALL: [Self; 3] = [Self::Own, Self::OwnAndScheduled, Self::Full];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::OwnAndScheduled => "own_and_scheduled",
            Self::Full => "full",
        }
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "as `skip_serializing_if` takes it")]
    fn is_own(&self) -> bool {
        *self == Self::Own
    }
}

/// What people set for an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentBody {
    /// The name that a message calls the agent by, without the `@`.
    pub handle: String,
    pub name: String,
    /// Its role in the team, such as "Reporting" or "Floor keeper".
    #[serde(default)]
    pub position: String,
    #[serde(default)]
    pub description: String,
    /// What the model reads with every question. The built-in planner does not read it.
    #[serde(default)]
    pub instructions: String,
    /// The color of the agent's mark, 0 to 7.
    #[serde(default)]
    pub color: u8,
    /// The model. `None`: the one in the person's settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(default)]
    pub grants: Vec<Grant>,
    #[serde(default)]
    pub sharing: Sharing,
    #[serde(default, skip_serializing_if = "JournalSharing::is_own")]
    pub journal: JournalSharing,
    /// Whether the agent is on. An agent that is off answers nobody.
    #[serde(default = "on")]
    pub active: bool,
}

impl AgentBody {
    /// Returns how a run's record names this agent.
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
    /// The owner's name.
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
    /// The version that this update changes. If somebody saved a newer one, we refuse the update and overwrite nothing.
    pub version: i64,
    pub agent: AgentBody,
}

/// An earlier version of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentVersion {
    pub version: i64,
    pub by: String,
    pub at: Timestamp,
    pub agent: AgentBody,
}

/// A template for a new agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentTemplate {
    pub slug: String,
    pub agent: AgentBody,
}

/// The agent that a run works as, for readers of the run's record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentRef {
    pub handle: String,
    pub name: String,
    pub color: u8,
}

/// Returns the handle that a message begins with, and the rest of the message.
pub fn mention(message: &str) -> Option<(&str, &str)> {
    let after = message.trim_start().strip_prefix('@')?;
    let end = after.find(|c: char| !is_of_handle(c)).unwrap_or(after.len());
    let (handle, rest) = after.split_at(end);
    // The first part of `@puzzle.game` or `@Ann Smith's` is not the handle of an agent.
    let ended = rest.chars().next().is_none_or(|c| c.is_whitespace() || matches!(c, ',' | ':' | ';' | '!' | '?' | '.'));
    let rest = rest.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, ',' | ':'));
    (!handle.is_empty() && ended).then_some((handle, rest))
}

/// Returns the message without the handle that it begins with.
pub fn unaddressed(message: &str) -> &str {
    mention(message).map(|(_, rest)| rest).filter(|rest| !rest.is_empty()).unwrap_or(message)
}

const fn is_of_handle(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '-' || c == '_'
}

/// Returns the handle in the form that we store: `@Reporter ` becomes `reporter`.
pub fn handle_of(text: &str) -> String {
    text.trim().trim_start_matches('@').to_lowercase()
}

/// Returns what is wrong with a handle. `None` if it is fine.
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
