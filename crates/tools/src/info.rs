//! The description of a tool, the same for a chat, a program and a machine of the engine.

use adagent_contract::{Access, EntityKind, SharedJson};
use adagent_domain::{Network, Source};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// A tool as its callers need it: its purpose, its arguments, and whether it changes anything.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "four independent facts about an operation, as tool protocols name them"
)]
pub struct ToolInfo {
    pub name: String,
    pub title: String,
    pub description: String,
    pub source: Source,
    /// `reporting`, `inventory`, `accounts`, `mediation`, `experiments` …
    pub capability: String,
    pub read_only: bool,
    pub destructive: bool,
    pub idempotent: bool,
    /// Whether its source continues the work after it has answered.
    #[serde(default)]
    pub long_running: bool,
    #[serde(default)]
    pub confidence: Confidence,
    pub tags: Vec<String>,
    pub input_schema: SharedJson,
    /// The path of a parameter (`account_id`, `body.targeting.adUnitIds[]`, `body.mediationGroupLines.*.adSourceId`) → the kind of entity.
    pub entity_params: Vec<(String, EntityKind)>,
}

impl ToolInfo {
    /// Makes a read without arguments; the caller fills in the rest.
    pub fn named(name: &str, source: Source) -> Self {
        Self {
            name: name.to_owned(),
            title: name.to_owned(),
            description: String::new(),
            source,
            capability: "inventory".to_owned(),
            read_only: true,
            destructive: false,
            idempotent: true,
            long_running: false,
            confidence: Confidence::Verified,
            tags: Vec::new(),
            input_schema: json!({"type": "object", "properties": {}}).into(),
            entity_params: Vec::new(),
        }
    }

    /// Returns the kind of access that a grant must open. The name of a tool contains its verb; a change without a known verb is an update.
    pub fn access(&self) -> Access {
        let says = |verbs: &[&str]| self.name.split('_').any(|word| verbs.contains(&word));
        match () {
            // The names of tool servers' tools prove nothing.
            () if self.source == Source::Mcp => {
                if self.read_only {
                    Access::Read
                } else {
                    Access::Update
                }
            }
            () if self.read_only && says(&["list"]) => Access::List,
            () if self.read_only => Access::Read,
            () if self.destructive || says(&["delete", "remove"]) => Access::Delete,
            () if says(&["create", "add", "save"]) => Access::Create,
            () => Access::Update,
        }
    }

    /// Checks whether we offer the tool. For a live network, we do only if the network's documentation confirms it.
    pub fn is_offered(&self, sandbox: bool) -> bool {
        sandbox || self.confidence != Confidence::Inferred
    }

    pub const fn network(&self) -> Option<Network> {
        self.source.network()
    }
}

/// How sure we are that the network has the operation as described.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// The network's own specification, or its documentation and code that makes the same call, confirms it.
    #[default]
    Verified,
    /// Documented, but not seen in use.
    Documented,
    /// Known to exist, but derived from similar operations: the network's documentation does not confirm it.
    Inferred,
}
