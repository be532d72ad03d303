//! [`Gateway`] as the engine calls it: arguments are normalised, checked and looked up on every way in.

use std::sync::Arc;

use adagent_contract::{ContextMode, EntityItem, EntityKind, FieldError, NetworkState};
use adagent_domain::{Network, WorkspaceId};
use async_trait::async_trait;
use serde::Deserialize as _;
use serde_json::{Value as Json, json};

use super::Networks;
use crate::{
    ApprovalSketch, CallScope, EntityFilter, Gateway, GroundingIssue, ProbeOutcome, ProgressSink, ToolError, ToolInfo,
    ToolOutput, WriteTicket, adapters::mask, digest::digest, grounding, limits, probe::Baseline,
};

#[async_trait]
impl Gateway for Networks {
    fn tool(&self, name: &str) -> Option<Arc<ToolInfo>> {
        self.catalogue.get(name).map(|operation| operation.info.clone())
    }

    fn tools(&self) -> Vec<Arc<ToolInfo>> {
        self.catalogue.tools().to_vec()
    }

    async fn offered(&self, workspace: WorkspaceId) -> Result<Vec<Arc<ToolInfo>>, ToolError> {
        let simulated = self.source.simulated(workspace).await?;
        let tools = self.catalogue.tools().iter();
        Ok(tools.filter(|tool| tool.is_offered(simulated.contains(&tool.network))).cloned().collect())
    }

    async fn networks(&self, workspace: WorkspaceId) -> Result<Vec<(Network, NetworkState)>, ToolError> {
        self.source.states(workspace).await
    }

    async fn entities(
        &self,
        scope: &CallScope,
        network: Network,
        kind: EntityKind,
        filter: EntityFilter,
    ) -> Result<Vec<EntityItem>, ToolError> {
        if !scope.settings.is_on(network) {
            return Err(ToolError::disabled(network));
        }
        let mut items = self.entities_of(scope.workspace, network, kind, filter.refresh).await?;
        if scope.settings.mode == ContextMode::Strict {
            let facts = self.facts(network)?;
            let between = self.between(scope, network, kind).await?;
            items.retain(|item| limits::sees(&scope.settings, &facts, item, &between));
        }
        Ok(items)
    }

    fn normalise_args(&self, tool: &ToolInfo, args: &Json) -> Json {
        mask::normalise_args(tool, args)
    }

    fn check(&self, tool: &ToolInfo, args: &Json) -> Vec<FieldError> {
        match self.catalogue.get(&tool.name) {
            Some(operation) => operation.check(&mask::normalise_args(tool, args)),
            None => vec![FieldError::new("", "there is no such operation")],
        }
    }

    async fn ground(&self, scope: &CallScope, tool: &ToolInfo, args: &Json) -> Result<Vec<GroundingIssue>, ToolError> {
        limits::admit(&scope.settings, tool)?;
        self.attend_to(scope.workspace, tool).await?;
        let grounded = self.resolve(scope.workspace, tool, args).await?;
        limits::check(&scope.settings, &*self.facts(tool.network)?, &grounded.resolved)?;
        Ok(grounded.issues)
    }

    async fn sketch(&self, scope: &CallScope, tool: &ToolInfo, args: &Json) -> Result<ApprovalSketch, ToolError> {
        self.attend_to(scope.workspace, tool).await?;
        let mut sketch = self.draw(scope.workspace, tool, &mask::normalise_args(tool, args)).await?;
        let mark = self.registry.mark(scope.workspace, tool.network);
        sketch.warnings.extend(mark.and_then(|mark| Self::doubt(&mark, tool)));
        Ok(sketch)
    }

    fn digest(&self, tool: &ToolInfo, args: &Json) -> String {
        digest(tool, &mask::normalise_args(tool, args))
    }

    async fn execute(
        &self,
        scope: &CallScope,
        tool: &ToolInfo,
        args: &Json,
        ticket: Option<&WriteTicket>,
        progress: &mut dyn ProgressSink,
    ) -> Result<ToolOutput, ToolError> {
        let operation = self.operation(&tool.name)?;
        // The catalogue's own description decides what is a write, not the caller's copy.
        let tool = operation.info.clone();
        let args = &mask::normalise_args(&tool, args);
        let errors = operation.check(args);
        if !errors.is_empty() {
            return Err(ToolError::invalid(
                format!("The arguments do not fit {}; nothing was sent.", tool.title),
                errors,
            )
            .guide("Correct the named fields."));
        }
        limits::admit(&scope.settings, &tool)?;
        self.attend_to(scope.workspace, &tool).await?;
        let grounded = self.resolve(scope.workspace, &tool, args).await?;
        if !grounded.issues.is_empty() {
            return Err(grounding::to_error(tool.network, &grounded.issues));
        }
        limits::check(&scope.settings, &*self.facts(tool.network)?, &grounded.resolved)?;
        if tool.read_only {
            self.read(scope, &operation, args, progress).await
        } else {
            self.write(scope, &operation, args, ticket, progress).await
        }
    }

    async fn place(&self, workspace: WorkspaceId, network: Network) -> Result<Option<String>, ToolError> {
        Ok(self.attend(workspace, network).await?.map(|mark| mark.place()))
    }

    async fn baseline(&self, scope: &CallScope, tool: &ToolInfo, args: &Json) -> Result<Option<Json>, ToolError> {
        let found = self.before(scope.workspace, tool, &mask::normalise_args(tool, args)).await?;
        Ok(found.map(|baseline| json!(baseline)))
    }

    async fn probe(
        &self,
        scope: &CallScope,
        tool: &ToolInfo,
        args: &Json,
        baseline: Option<&Json>,
    ) -> Result<ProbeOutcome, ToolError> {
        self.registry.forget(scope.workspace, tool.network, self.clock.now());
        // What cannot be read counts as not known: then less is certain.
        let baseline = baseline.and_then(|kept| Baseline::deserialize(kept).ok());
        self.look_for(scope.workspace, tool, &mask::normalise_args(tool, args), baseline.as_ref()).await
    }

    async fn today(&self, workspace: WorkspaceId) -> (String, String) {
        // Networks that take keys do not say where their publishers are.
        let mut accounts = self.source.accounts(workspace, Network::AdMob).await.unwrap_or_default();
        if accounts.is_empty() {
            accounts = self.source.accounts(workspace, Network::AdManager).await.unwrap_or_default();
        }
        let chosen = accounts.iter().find(|account| account.selected).or_else(|| accounts.first());
        let zone = chosen.and_then(|account| account.time_zone.clone()).unwrap_or_else(|| "Etc/UTC".to_owned());
        let now = self.clock.now().to_jiff();
        match now.in_tz(&zone) {
            Ok(local) => (local.date().to_string(), zone),
            Err(_) => (now.to_zoned(jiff::tz::TimeZone::UTC).date().to_string(), "Etc/UTC".to_owned()),
        }
    }
}
