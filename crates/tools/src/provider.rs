//! What a source of tools does: it names them, checks a call, shows what a change does, makes the call, and says whether it happened.

use std::sync::Arc;

use adagent_contract::{FieldError, Preview, Risk, UiHints};
use adagent_domain::WorkspaceId;
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::{CallScope, ProgressSink, ToolError, ToolInfo, ToolOutput, WriteTicket, digest};

/// What is wrong with an argument before anything is sent, with candidates that exist.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GroundingIssue {
    pub pointer: String,
    pub message: String,
    pub candidates: Vec<(String, String)>,
}

/// What a look at the source says about a write whose outcome is unknown.
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

/// A source of tools.
#[async_trait]
pub trait Provider: Send + Sync {
    /// Every tool that is the same for all workspaces, also those that a person may not use.
    fn tools(&self) -> Vec<Arc<ToolInfo>>;

    /// One of [`Self::tools`].
    fn tool(&self, name: &str) -> Option<Arc<ToolInfo>>;

    /// A tool as this workspace has it, also one that it switched off. Tools of tool servers are known only this way.
    async fn find(&self, _workspace: WorkspaceId, name: &str) -> Result<Option<Arc<ToolInfo>>, ToolError> {
        Ok(self.tool(name))
    }

    /// Tools that only this workspace has, and may use.
    async fn own_tools(&self, _workspace: WorkspaceId) -> Result<Vec<Arc<ToolInfo>>, ToolError> {
        Ok(Vec::new())
    }

    /// Whether a tool is one of this source.
    fn has(&self, tool: &ToolInfo) -> bool {
        self.tool(&tool.name).is_some()
    }

    /// The tools that may be proposed to a workspace: what no documentation confirms only where the connection is simulated.
    /// Those of a network with several connections take the name of one.
    async fn offered(&self, _workspace: WorkspaceId) -> Result<Vec<Arc<ToolInfo>>, ToolError> {
        Ok(self.tools())
    }

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

    /// Canonical digest of (source, tool, arguments): what an approval is bound to.
    fn digest(&self, tool: &ToolInfo, args: &Json) -> String {
        digest(tool, &self.normalise_args(tool, args))
    }

    /// Makes the call. Writes need the ticket of their approval.
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

    /// What the source has just before a write leaves, as far as a later [`Self::probe`] needs it; kept with the call.
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
}
