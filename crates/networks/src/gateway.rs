//! The port through which the engine reads and changes networks.

use std::sync::Arc;

use adagent_contract::{
    Artifact, ConnectionName, EntityItem, EntityKind, FieldError, Preview, Progress, Risk, UiHints,
};
use adagent_domain::{ConnectionId, Network, ToolCallId, WorkspaceId};
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// An operation of the catalogue, as callers need it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "four independent facts about an operation, as tool protocols name them"
)]
pub struct ToolInfo {
    pub name: String,
    pub title: String,
    pub description: String,
    pub network: Network,
    /// `reporting`, `inventory`, `accounts`, `mediation`, `experiments` …
    pub capability: String,
    pub read_only: bool,
    pub destructive: bool,
    pub idempotent: bool,
    /// Whether the network works on it after it has answered.
    #[serde(default)]
    pub long_running: bool,
    #[serde(default)]
    pub confidence: Confidence,
    pub tags: Vec<String>,
    pub input_schema: Json,
    /// Parameter path (`account_id`, `body.targeting.adUnitIds[]`, `body.mediationGroupLines.*.adSourceId`) → entity kind.
    pub entity_params: Vec<(String, EntityKind)>,
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

/// For whom a call is made.
#[derive(Debug, Clone, PartialEq)]
pub struct CallScope {
    pub workspace: WorkspaceId,
    pub call: ToolCallId,
    /// Context settings of the person: strict mode and safe mode are enforced in here too.
    pub settings: adagent_contract::ContextSettings,
    /// The connection this is bound to: what was approved for one goes through no other.
    pub connection: Option<ConnectionId>,
}

/// Proof that a person approved these arguments: the engine makes it from the stored approval, the pipeline checks it against
/// the digest of what it is about to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriteTicket {
    pub call: ToolCallId,
    pub digest: String,
    /// The connection it was looked at in ([`Gateway::place`]): through another one it is not sent.
    pub place: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolOutput {
    /// Normalised answer; what the model and the step's JSON view get. For reports: `{columns, rows, …}` with typed values.
    pub result: Json,
    /// One line for people: "8 rows", "3 apps".
    pub summary: String,
    pub artifact: Option<Artifact>,
    pub cached: bool,
    /// How often it was sent, with the waits between (for the step's detail).
    pub attempts: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolErrorClass {
    /// Rate limit, timeout, 5xx after the transport's own retries.
    Retryable,
    /// The same call will fail again: invalid argument, not found, permission denied, already exists.
    Deterministic,
    /// The arguments do not fit the schema or name unknown entities; nothing was sent.
    Invalid,
    NotConnected,
    Disabled,
    AuthFailed,
    /// Forbidden by context settings (strict mode, safe mode); nothing was sent.
    OutOfContext,
    /// A write was sent and its outcome is not known.
    UnknownOutcome,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct ToolError {
    pub class: ToolErrorClass,
    /// `RATE_LIMITED`, `NOT_FOUND`, `PERMISSION_DENIED`, `INVALID_ARGUMENT`, `TIMEOUT` …
    pub code: String,
    /// For people and the model. Never a secret.
    pub message: String,
    /// What to do: "Use `admob_list_ad_sources` to get valid ids."
    pub guidance: Option<String>,
    pub errors: Vec<FieldError>,
}

/// What is wrong with an argument before anything is sent, with candidates that exist.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GroundingIssue {
    pub pointer: String,
    pub message: String,
    pub candidates: Vec<(String, String)>,
}

/// What looking at the network says about a write whose outcome is unknown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum ProbeOutcome {
    Happened { result: Json, summary: String },
    DidNotHappen { looked_at: String },
    CannotTell { why: String },
}

/// What an approval shows, made from arguments, schema, entities and (for updates) the object as it is now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ApprovalSketch {
    /// What will happen, in one sentence with names.
    pub title: String,
    pub risk: Risk,
    pub warnings: Vec<String>,
    pub preview: Preview,
    pub ui_hints: UiHints,
    pub parameter_schema: Json,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EntityFilter {
    /// Skip the cache.
    pub refresh: bool,
}

/// Takes progress of a long call.
#[async_trait]
pub trait ProgressSink: Send {
    async fn progress(&mut self, message: &str, progress: Option<Progress>);
}

/// Networks as the engine sees them.
#[async_trait]
pub trait Gateway: Send + Sync {
    fn tool(&self, name: &str) -> Option<Arc<ToolInfo>>;

    fn tools(&self) -> Vec<Arc<ToolInfo>>;

    /// The operations that may be proposed to a workspace: what no documentation confirms only where the connection is simulated.
    /// Those of a network with several connections take the name of one.
    async fn offered(&self, _workspace: WorkspaceId) -> Result<Vec<Arc<ToolInfo>>, ToolError> {
        Ok(self.tools())
    }

    /// Networks with usable credentials, and those that are connected but switched off or failing.
    async fn networks(
        &self,
        workspace: WorkspaceId,
    ) -> Result<Vec<(Network, adagent_contract::NetworkState)>, ToolError>;

    /// Every connection by name, for anyone who has to choose between several of one network.
    async fn connections(
        &self,
        _workspace: WorkspaceId,
        _settings: &adagent_contract::ContextSettings,
    ) -> Result<Vec<ConnectionName>, ToolError> {
        Ok(Vec::new())
    }

    /// Entities of a network within the settings (strict mode filters), cached five minutes per workspace.
    async fn entities(
        &self,
        scope: &CallScope,
        network: Network,
        kind: EntityKind,
        filter: EntityFilter,
    ) -> Result<Vec<EntityItem>, ToolError>;

    /// The arguments in the one form that is checked, shown, hashed and sent: what follows from others is derived again (the
    /// update mask from the body). Pure, and without effect on arguments that have that form. Every method here applies it;
    /// callers do when arguments come in, so that what they keep and show is what will be sent.
    fn normalise_args(&self, _tool: &ToolInfo, args: &Json) -> Json {
        args.clone()
    }

    /// Schema check of arguments.
    fn check(&self, tool: &ToolInfo, args: &Json) -> Vec<FieldError>;

    /// Every entity parameter is looked up; nothing is sent that names something unknown.
    async fn ground(&self, scope: &CallScope, tool: &ToolInfo, args: &Json) -> Result<Vec<GroundingIssue>, ToolError>;

    /// What the approval of a write shows.
    async fn sketch(&self, scope: &CallScope, tool: &ToolInfo, args: &Json) -> Result<ApprovalSketch, ToolError>;

    /// What takes back what a creation made, from the arguments it was made with and its result; nothing where there is no way.
    fn unmade(&self, _tool: &ToolInfo, _args: &Json, _result: &Json) -> Option<(String, Json)> {
        None
    }

    /// Canonical digest of (network, tool, arguments): what an approval is bound to.
    fn digest(&self, tool: &ToolInfo, args: &Json) -> String;

    /// Runs an operation. Writes need the ticket of their approval.
    async fn execute(
        &self,
        scope: &CallScope,
        tool: &ToolInfo,
        args: &Json,
        ticket: Option<&WriteTicket>,
        progress: &mut dyn ProgressSink,
    ) -> Result<ToolOutput, ToolError>;

    /// Which connection a call goes through now, as it was made: renewed tokens are the same one, other credentials are not. `None`
    /// when there is none, or not the one it is bound to any more.
    async fn place(&self, _scope: &CallScope, _tool: &ToolInfo, _args: &Json) -> Result<Option<String>, ToolError> {
        Ok(None)
    }

    /// What the network has just before a write leaves, as far as a later [`Self::probe`] needs it; kept with the call.
    async fn baseline(&self, _scope: &CallScope, _tool: &ToolInfo, _args: &Json) -> Result<Option<Json>, ToolError> {
        Ok(None)
    }

    /// After a crash in the middle of a write: did it happen? Only what was not there at the baseline proves that it did.
    async fn probe(
        &self,
        scope: &CallScope,
        tool: &ToolInfo,
        args: &Json,
        baseline: Option<&Json>,
    ) -> Result<ProbeOutcome, ToolError>;

    /// Today in the reporting time zone of the workspace's account (civil date, `2026-11-21`) and that zone's name.
    async fn today(&self, workspace: WorkspaceId) -> (String, String);
}
