//! What a tool is: the same for a chat, a program and a machine of the engine.

use adagent_contract::{Access, EntityKind, SharedJson};
use adagent_domain::{Network, Source};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// A tool as its callers need it: what it is for, what it takes, and whether it changes anything.
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
    /// Whether its source works on it after it has answered.
    #[serde(default)]
    pub long_running: bool,
    #[serde(default)]
    pub confidence: Confidence,
    pub tags: Vec<String>,
    pub input_schema: SharedJson,
    /// Parameter path (`account_id`, `body.targeting.adUnitIds[]`, `body.mediationGroupLines.*.adSourceId`) → entity kind.
    pub entity_params: Vec<(String, EntityKind)>,
}

impl ToolInfo {
    /// A read that takes nothing; the rest is for the caller to fill in.
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

    /// What it does, by what grants open it. Names of tools say it with a verb of their own; a change that says none is an update.
    pub fn access(&self) -> Access {
        let says = |verbs: &[&str]| self.name.split('_').any(|word| verbs.contains(&word));
        match () {
            // What others call their tools says nothing.
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

    /// Whether it may be used: towards a live network only what the network's documentation confirms.
    pub fn is_offered(&self, sandbox: bool) -> bool {
        sandbox || self.confidence != Confidence::Inferred
    }

    pub const fn network(&self) -> Option<Network> {
        self.source.network()
    }
}

/// How sure it is that the network has an operation as it is described.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// The network's own specification, or its documentation and code that makes the same call.
    #[default]
    Verified,
    /// Documented, not seen in use.
    Documented,
    /// Known to exist, but worked out from its siblings: not confirmed by the network's documentation.
    Inferred,
}
