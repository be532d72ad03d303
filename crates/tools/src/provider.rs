//! A source of tools: it names them, checks a call, shows what a change does, makes the call, and says whether it happened.

use std::sync::Arc;

use adagent_contract::{FieldError, Preview, Risk, UiHints};
use adagent_domain::WorkspaceId;
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::{CallScope, ProgressSink, ToolError, ToolInfo, ToolOutput, WriteTicket, digest};

/// A mistake in an argument, found before anything is sent, with candidates that exist.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GroundingIssue {
    pub pointer: String,
    pub message: String,
    pub candidates: Vec<(String, String)>,
}

/// What the source shows about a write whose outcome is unknown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum ProbeOutcome {
    Happened { result: Json, summary: String },
    DidNotHappen { looked_at: String },
    CannotTell { why: String },
}

/// What an approval shows, made from arguments, schema, entities and (for updates) the current object.
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
    /// Lists every tool that all workspaces share, including those that a person may not use.
    fn tools(&self) -> Vec<Arc<ToolInfo>>;

    /// Finds one of [`Self::tools`].
    fn tool(&self, name: &str) -> Option<Arc<ToolInfo>>;

    /// Finds a tool as this workspace has it, even if it is turned off. Only this finds tools of tool servers.
    async fn find(&self, _workspace: WorkspaceId, name: &str) -> Result<Option<Arc<ToolInfo>>, ToolError> {
        Ok(self.tool(name))
    }

    /// Lists tools that only this workspace has and may use.
    async fn own_tools(&self, _workspace: WorkspaceId) -> Result<Vec<Arc<ToolInfo>>, ToolError> {
        Ok(Vec::new())
    }

    /// Checks whether a tool belongs to this source.
    fn has(&self, tool: &ToolInfo) -> bool {
        self.tool(&tool.name).is_some()
    }

    /// Lists the tools that we may propose to a workspace. A tool that no documentation confirms is included only if the connection is
    /// simulated. Tools of a network with several connections accept a connection's name.
    async fn offered(&self, _workspace: WorkspaceId) -> Result<Vec<Arc<ToolInfo>>, ToolError> {
        Ok(self.tools())
    }

    /// Returns the arguments in the one form that we check, show, hash and send. Derives dependent arguments again (the update mask from
    /// the body). Pure; arguments that already have this form do not change. Every method here applies it. Callers also apply it to
    /// incoming arguments, so that they store and show what will be sent.
    fn normalise_args(&self, _tool: &ToolInfo, args: &Json) -> Json {
        args.clone()
    }

    /// Checks arguments against the schema.
    fn check(&self, tool: &ToolInfo, args: &Json) -> Vec<FieldError>;

    /// Looks up every entity parameter, so that nothing is sent that names an unknown entity.
    async fn ground(&self, scope: &CallScope, tool: &ToolInfo, args: &Json) -> Result<Vec<GroundingIssue>, ToolError>;

    /// Returns what the approval of a write shows.
    async fn sketch(&self, scope: &CallScope, tool: &ToolInfo, args: &Json) -> Result<ApprovalSketch, ToolError>;

    /// Returns the call that deletes what a creation made, from the creation's arguments and its result. `None` if there is no such call.
    fn unmade(&self, _tool: &ToolInfo, _args: &Json, _result: &Json) -> Option<(String, Json)> {
        None
    }

    /// Returns the canonical digest of (source, tool, arguments), which an approval is bound to.
    fn digest(&self, tool: &ToolInfo, args: &Json) -> String {
        digest(tool, &self.normalise_args(tool, args))
    }

    /// Makes the call. A write needs the ticket of its approval.
    async fn execute(
        &self,
        scope: &CallScope,
        tool: &ToolInfo,
        args: &Json,
        ticket: Option<&WriteTicket>,
        progress: &mut dyn ProgressSink,
    ) -> Result<ToolOutput, ToolError>;

    /// Returns which connection a call uses now. It stays the same when tokens are renewed, and changes when other credentials
    /// are stored. `None` if there is none, or if it is no longer the one that the call is bound to.
    async fn place(&self, _scope: &CallScope, _tool: &ToolInfo, _args: &Json) -> Result<Option<String>, ToolError> {
        Ok(None)
    }

    /// Returns what the source has just before a write is sent, as far as a later [`Self::probe`] needs it. It is stored with the call.
    async fn baseline(&self, _scope: &CallScope, _tool: &ToolInfo, _args: &Json) -> Result<Option<Json>, ToolError> {
        Ok(None)
    }

    /// Finds out, after a crash during a write, whether the write happened. Only something that the baseline does not contain
    /// proves it.
    async fn probe(
        &self,
        scope: &CallScope,
        tool: &ToolInfo,
        args: &Json,
        baseline: Option<&Json>,
    ) -> Result<ProbeOutcome, ToolError>;
}
