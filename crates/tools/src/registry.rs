//! The tools of every source together: callers name a tool and need not know its source. The registry looks up, shows and sends only what
//! the grants of the scope open. Looking at an earlier write (`probe`, `place`) is always open.

use std::{collections::HashSet, sync::Arc};

use adagent_contract::FieldError;
use adagent_domain::WorkspaceId;
use async_trait::async_trait;
use serde_json::Value as Json;

use crate::{
    ApprovalSketch, CallScope, GroundingIssue, ProbeOutcome, ProgressSink, Provider, ToolError, ToolInfo, ToolOutput,
    WriteTicket, digest,
};

/// The error for two sources with a tool of the same name, because a call could then reach either.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("two sources have a tool named `{0}`")]
pub struct DoubleName(String);

/// Several providers as one.
pub struct Registry {
    providers: Vec<Arc<dyn Provider>>,
}

impl Registry {
    pub fn new(providers: Vec<Arc<dyn Provider>>) -> Result<Self, DoubleName> {
        let mut names = HashSet::new();
        for tool in providers.iter().flat_map(|provider| provider.tools()) {
            if !names.insert(tool.name.clone()) {
                return Err(DoubleName(tool.name.clone()));
            }
        }
        Ok(Self { providers })
    }

    fn of(&self, tool: &ToolInfo) -> Result<&dyn Provider, ToolError> {
        let found = self.providers.iter().find(|provider| provider.has(tool)).map(Arc::as_ref);
        found.ok_or_else(|| ToolError::unknown_tool(&tool.name))
    }
}

#[async_trait]
impl Provider for Registry {
    fn tool(&self, name: &str) -> Option<Arc<ToolInfo>> {
        self.providers.iter().find_map(|provider| provider.tool(name))
    }

    fn tools(&self) -> Vec<Arc<ToolInfo>> {
        self.providers.iter().flat_map(|provider| provider.tools()).collect()
    }

    async fn find(&self, workspace: WorkspaceId, name: &str) -> Result<Option<Arc<ToolInfo>>, ToolError> {
        for provider in &self.providers {
            if let Some(tool) = provider.find(workspace, name).await? {
                return Ok(Some(tool));
            }
        }
        Ok(None)
    }

    async fn own_tools(&self, workspace: WorkspaceId) -> Result<Vec<Arc<ToolInfo>>, ToolError> {
        let mut all = Vec::new();
        for provider in &self.providers {
            all.extend(provider.own_tools(workspace).await?);
        }
        Ok(all)
    }

    fn has(&self, tool: &ToolInfo) -> bool {
        self.providers.iter().any(|provider| provider.has(tool))
    }

    async fn offered(&self, workspace: WorkspaceId) -> Result<Vec<Arc<ToolInfo>>, ToolError> {
        let mut all = Vec::new();
        for provider in &self.providers {
            all.extend(provider.offered(workspace).await?);
        }
        Ok(all)
    }

    fn normalise_args(&self, tool: &ToolInfo, args: &Json) -> Json {
        self.of(tool).map_or_else(|_| args.clone(), |provider| provider.normalise_args(tool, args))
    }

    fn check(&self, tool: &ToolInfo, args: &Json) -> Vec<FieldError> {
        match self.of(tool) {
            Ok(provider) => provider.check(tool, args),
            Err(error) => vec![FieldError::new("", error.message)],
        }
    }

    async fn ground(&self, scope: &CallScope, tool: &ToolInfo, args: &Json) -> Result<Vec<GroundingIssue>, ToolError> {
        scope.admits(tool)?;
        self.of(tool)?.ground(scope, tool, args).await
    }

    async fn sketch(&self, scope: &CallScope, tool: &ToolInfo, args: &Json) -> Result<ApprovalSketch, ToolError> {
        scope.admits(tool)?;
        self.of(tool)?.sketch(scope, tool, args).await
    }

    fn unmade(&self, tool: &ToolInfo, args: &Json, result: &Json) -> Option<(String, Json)> {
        self.of(tool).ok()?.unmade(tool, args, result)
    }

    fn digest(&self, tool: &ToolInfo, args: &Json) -> String {
        self.of(tool).map_or_else(|_| digest(tool, args), |provider| provider.digest(tool, args))
    }

    async fn execute(
        &self,
        scope: &CallScope,
        tool: &ToolInfo,
        args: &Json,
        ticket: Option<&WriteTicket>,
        progress: &mut dyn ProgressSink,
    ) -> Result<ToolOutput, ToolError> {
        scope.admits(tool)?;
        self.of(tool)?.execute(scope, tool, args, ticket, progress).await
    }

    async fn place(&self, scope: &CallScope, tool: &ToolInfo, args: &Json) -> Result<Option<String>, ToolError> {
        self.of(tool)?.place(scope, tool, args).await
    }

    async fn baseline(&self, scope: &CallScope, tool: &ToolInfo, args: &Json) -> Result<Option<Json>, ToolError> {
        self.of(tool)?.baseline(scope, tool, args).await
    }

    async fn probe(
        &self,
        scope: &CallScope,
        tool: &ToolInfo,
        args: &Json,
        baseline: Option<&Json>,
    ) -> Result<ProbeOutcome, ToolError> {
        self.of(tool)?.probe(scope, tool, args, baseline).await
    }
}
