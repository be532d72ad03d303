//! Implements [`Gateway`], which the engine calls. Every method that takes arguments normalizes them, checks them and looks up their IDs.

use std::sync::Arc;

use adagent_contract::{
    AccountChoice, CONNECTION, ConnectionName, ContextMode, ContextSettings, EntityItem, EntityKind, FieldError,
    FieldHint, NetworkState, Widget,
};
use adagent_domain::{Network, WorkspaceId};
use async_trait::async_trait;
use serde::Deserialize as _;
use serde_json::{Value as Json, json};

use super::{
    Networks,
    route::{self, Route, split},
    together,
};
use crate::{Connected, Via, adapters::mask, grounding, limits, probe::Baseline};
use adagent_tools::{
    ApprovalSketch, CallScope, EntityFilter, Gateway, GroundingIssue, ProbeOutcome, ProgressSink, Provider, ToolError,
    ToolInfo, ToolOutput, WriteTicket, with_connection,
};

#[async_trait]
impl Provider for Networks {
    fn tool(&self, name: &str) -> Option<Arc<ToolInfo>> {
        self.catalogue.get(name).map(|operation| operation.info.clone())
    }

    fn tools(&self) -> Vec<Arc<ToolInfo>> {
        self.catalogue.tools().to_vec()
    }

    async fn offered(&self, workspace: WorkspaceId) -> Result<Vec<Arc<ToolInfo>>, ToolError> {
        let all = self.source.connections(workspace).await?;
        let simulated = |network| all.iter().any(|one| one.network == network && one.mark.sandbox);
        let tools = self
            .catalogue
            .tools()
            .iter()
            .filter(|tool| tool.network().is_some_and(|network| tool.is_offered(simulated(network))));
        Ok(tools
            .map(|tool| {
                let ways = all.iter().filter(|one| Some(one.network) == tool.network() && route::plays(one));
                let labels: Vec<&str> = ways.map(|one| one.mark.label.as_str()).collect();
                if labels.len() < 2 {
                    return Arc::clone(tool);
                }
                let input_schema = with_connection(&tool.input_schema, tool.source, &labels);
                Arc::new(ToolInfo { input_schema, ..ToolInfo::clone(tool) })
            })
            .collect())
    }

    fn normalise_args(&self, tool: &ToolInfo, args: &Json) -> Json {
        mask::normalise_args(tool, args)
    }

    fn check(&self, tool: &ToolInfo, args: &Json) -> Vec<FieldError> {
        match self.catalogue.get(&tool.name) {
            Some(operation) => operation.check(&mask::normalise_args(tool, &split(args).0)),
            None => vec![FieldError::new("", "there is no such operation")],
        }
    }

    async fn ground(&self, scope: &CallScope, tool: &ToolInfo, args: &Json) -> Result<Vec<GroundingIssue>, ToolError> {
        let tool = &self.operation(&tool.name)?;
        limits::admit(&scope.settings, tool)?;
        let routed = match self.route(scope, tool, args).await? {
            Route::To(routed) => routed,
            Route::Ask(issues) => return Ok(issues),
        };
        Self::attend_to(&routed.mark, tool)?;
        let grounded = self.resolve(routed.via, tool, &routed.args).await?;
        limits::check(&scope.settings, &*self.facts(tool.network)?, &grounded.resolved)?;
        Ok(grounded.issues)
    }

    async fn sketch(&self, scope: &CallScope, tool: &ToolInfo, args: &Json) -> Result<ApprovalSketch, ToolError> {
        let tool = &self.operation(&tool.name)?;
        let args = mask::normalise_args(tool, args);
        let routed = self.route(scope, tool, &args).await?.or_error(tool.network)?;
        Self::attend_to(&routed.mark, tool)?;
        let mut sketch = self.draw(&routed, tool).await?;
        sketch.warnings.extend(Self::doubt(&routed.mark, tool));
        sketch.ui_hints.goes_to = Some(routed.mark.id);
        if let Some(named) = args.get(CONNECTION) {
            show_connection(&mut sketch, named);
            let now = &routed.mark.label;
            // A change for one connection goes to that connection, even if it has a different name now.
            if let Some(then) = named.as_str().filter(|then| !route::same(then, now)) {
                sketch.warnings.push(format!("The account “{then}” is now called “{now}”."));
            }
        }
        Ok(sketch)
    }

    fn unmade(&self, tool: &ToolInfo, args: &Json, result: &Json) -> Option<(String, Json)> {
        let tool = self.catalogue.get(&tool.name)?;
        let (name, mut back) = self.take_back(tool, &split(args).0, Some(result))?;
        // Use the connection that the change was made with.
        if let Some(named) = args.get(CONNECTION) {
            back[CONNECTION] = named.clone();
        }
        Some((name, back))
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
        // The catalog's own description decides what is a write, not the caller's copy.
        let tool = Arc::clone(&operation);
        let given = &mask::normalise_args(&tool, args);
        let errors = operation.check(&split(given).0);
        if !errors.is_empty() {
            return Err(ToolError::invalid(
                format!("The arguments don't fit {}. Nothing was sent.", tool.title),
                errors,
            )
            .guide("Correct the named fields."));
        }
        limits::admit(&scope.settings, &tool)?;
        let routed = self.route(scope, &tool, given).await?.or_error(tool.network)?;
        Self::attend_to(&routed.mark, &tool)?;
        let (via, args) = (routed.via, &routed.args);
        let grounded = self.resolve(via, &tool, args).await?;
        if !grounded.issues.is_empty() {
            return Err(grounding::to_error(tool.network, &grounded.issues));
        }
        limits::check(&scope.settings, &*self.facts(tool.network)?, &grounded.resolved)?;
        if tool.read_only {
            self.read(scope, via, &operation, args, progress).await
        } else {
            self.write(scope, via, &operation, (given, args), ticket, progress).await
        }
    }

    async fn place(&self, scope: &CallScope, tool: &ToolInfo, args: &Json) -> Result<Option<String>, ToolError> {
        let tool = &self.operation(&tool.name)?;
        let network = tool.network;
        if let Some(pinned) = scope.connection {
            let all = self.connected(scope.workspace, network).await?;
            return Ok(all.iter().find(|one| one.mark.id == pinned).map(|one| one.mark.place()));
        }
        if self.connected(scope.workspace, network).await?.is_empty() {
            return Ok(None);
        }
        let args = mask::normalise_args(tool, args);
        Ok(Some(self.route(scope, tool, &args).await?.or_error(network)?.mark.place()))
    }

    async fn baseline(&self, scope: &CallScope, tool: &ToolInfo, args: &Json) -> Result<Option<Json>, ToolError> {
        let tool = &self.operation(&tool.name)?;
        let routed = self.route(scope, tool, &mask::normalise_args(tool, args)).await?.or_error(tool.network)?;
        let found = self.before(routed.via, tool, &routed.args).await?;
        Ok(found.map(|baseline| json!(baseline)))
    }

    async fn probe(
        &self,
        scope: &CallScope,
        tool: &ToolInfo,
        args: &Json,
        baseline: Option<&Json>,
    ) -> Result<ProbeOutcome, ToolError> {
        let tool = &self.operation(&tool.name)?;
        let routed = self.route(scope, tool, &mask::normalise_args(tool, args)).await?.or_error(tool.network)?;
        self.registry.forget(routed.via, tool.network, self.clock.now());
        // A baseline that cannot be read counts as unknown, so we can be less certain of the outcome.
        let baseline = baseline.and_then(|kept| Baseline::deserialize(kept).ok());
        self.look_for(routed.via, tool, &routed.args, baseline.as_ref()).await
    }
}

impl Networks {
    /// Loads the entities that the settings allow, from the given connections of the network.
    async fn entities_by(
        &self,
        all: &[Connected],
        scope: &CallScope,
        network: Network,
        kind: EntityKind,
        filter: EntityFilter,
    ) -> Result<Vec<EntityItem>, ToolError> {
        let (ways, several) = Self::ways(all, scope, network)?;
        let ways: Vec<&Connected> = ways.iter().collect();
        if ways.is_empty() {
            return Err(ToolError::not_connected(network));
        }
        if scope.settings.mode != ContextMode::Strict {
            return self.gathered(scope.workspace, &ways, several, kind, filter.refresh).await;
        }
        let facts = self.facts(network)?;
        let loads = ways.iter().map(|one| {
            let facts = &facts;
            async move {
                let mut own = self.had_by(scope.workspace, one, several, kind, filter.refresh).await?;
                let via = Via { workspace: scope.workspace, connection: one.mark.id };
                let between = self.between(scope, via, network, kind).await?;
                own.retain(|item| limits::sees(&scope.settings, facts, item, &between));
                Ok(own)
            }
        });
        together(&ways, futures::future::join_all(loads).await)
    }
}

#[async_trait]
impl Gateway for Networks {
    async fn networks(&self, workspace: WorkspaceId) -> Result<Vec<(Network, NetworkState)>, ToolError> {
        let mut known: Vec<(Network, NetworkState)> = Vec::new();
        for one in self.source.connections(workspace).await? {
            match known.iter_mut().find(|(network, _)| *network == one.network) {
                // A network counts as working if one of its connections works.
                Some((_, state)) if rank(one.state) < rank(*state) => *state = one.state,
                Some(_) => {}
                None => known.push((one.network, one.state)),
            }
        }
        Ok(known)
    }

    async fn connections(
        &self,
        workspace: WorkspaceId,
        settings: &ContextSettings,
    ) -> Result<Vec<ConnectionName>, ToolError> {
        let all = self.source.connections(workspace).await?;
        let named = all.into_iter().map(|one| ConnectionName {
            network: one.network,
            id: one.mark.id,
            selected: settings.has_connection(one.network, one.mark.id),
            label: one.mark.label,
            state: one.state,
        });
        Ok(named.collect())
    }

    async fn entities(
        &self,
        scope: &CallScope,
        network: Network,
        kind: EntityKind,
        filter: EntityFilter,
    ) -> Result<Vec<EntityItem>, ToolError> {
        let all = route::readable(self.connected(scope.workspace, network).await?, scope, network)?;
        self.entities_by(&all, scope, network, kind, filter).await
    }

    async fn entities_of(
        &self,
        scope: &CallScope,
        wanted: &[(Network, EntityKind)],
        filter: EntityFilter,
    ) -> Vec<Result<Vec<EntityItem>, ToolError>> {
        let all = match self.source.connections(scope.workspace).await {
            Ok(all) => all,
            Err(error) => return wanted.iter().map(|_| Err(error.clone())).collect(),
        };
        let loads = wanted.iter().map(|(network, kind)| {
            let of_it: Vec<Connected> = all.iter().filter(|one| one.network == *network).cloned().collect();
            async move {
                let of_it = route::readable(of_it, scope, *network)?;
                self.entities_by(&of_it, scope, *network, *kind, filter).await
            }
        });
        futures::future::join_all(loads).await
    }

    async fn today(&self, workspace: WorkspaceId) -> (String, String) {
        // Networks that use keys do not return the time zone of their publishers.
        let all = self.source.connections(workspace).await.unwrap_or_default();
        let of = |network: Network| all.iter().filter(move |one| one.network == network);
        let accounts: Vec<&AccountChoice> =
            of(Network::AdMob).chain(of(Network::AdManager)).flat_map(|one| &one.accounts).collect();
        let chosen = accounts.iter().find(|account| account.selected).or_else(|| accounts.first());
        let zone = chosen.and_then(|account| account.time_zone.clone()).unwrap_or_else(|| "Etc/UTC".to_owned());
        let now = self.clock.now().to_jiff();
        match now.in_tz(&zone) {
            Ok(local) => (local.date().to_string(), zone),
            Err(_) => (now.to_zoned(jiff::tz::TimeZone::UTC).date().to_string(), "Etc/UTC".to_owned()),
        }
    }
}

/// Returns the rank of a state; smaller is better.
const fn rank(state: NetworkState) -> u8 {
    match state {
        NetworkState::Connected => 0,
        NetworkState::AuthFailed => 1,
        NetworkState::ChooseAccount => 2,
        NetworkState::Disabled => 3,
        NetworkState::NotConnected => 4,
        NetworkState::ComingSoon => 5,
    }
}

/// Puts the account first in the form. Like the entity that is changed, it cannot be edited there.
fn show_connection(sketch: &mut ApprovalSketch, named: &Json) {
    sketch.parameter_schema["properties"][CONNECTION] = json!({"type": "string", "enum": [named]});
    let hint = FieldHint {
        pointer: format!("/{CONNECTION}"),
        label: "Account".to_owned(),
        widget: Widget::ReadOnly,
        help: None,
        options: None,
        parent: None,
        choices: Vec::new(),
        required: false,
        max_length: None,
        ..FieldHint::default()
    };
    sketch.ui_hints.fields.insert(0, hint);
}
