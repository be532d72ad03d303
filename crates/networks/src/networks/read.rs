//! Reads: narrows them to the settings, answers repeats from the cache for a short time, and normalizes the replies.
//!
//! This module must never send a write.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use adagent_contract::{AccountChoice, ContextMode, EntityItem, EntityKind};
use adagent_domain::{Cut as _, Network};
use futures::FutureExt as _;
use serde_json::Value as Json;

use super::{
    Networks,
    describe::{self, named_parent},
};
use crate::{
    Via,
    catalogue::{Operation, ResultKind},
    entities,
    grounding::{leads_to_app, parent_kind},
    limits, normalise,
    pipeline::Reply,
};
use adagent_tools::{CallScope, ProgressSink, ToolError, ToolErrorClass, ToolOutput, digest};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct ReadKey {
    via: Via,
    network: Network,
    generation: u64,
    digest: String,
}

#[derive(Debug, Clone)]
pub(super) struct Cached {
    output: Arc<ToolOutput>,
    weight: u32,
}

impl Cached {
    pub(super) const fn weight(&self) -> u32 {
        self.weight
    }
}

impl Networks {
    pub(super) async fn read(
        &self,
        scope: &CallScope,
        via: Via,
        operation: &Operation,
        args: &Json,
        progress: &mut dyn ProgressSink,
    ) -> Result<ToolOutput, ToolError> {
        let tool = operation;
        let (args, notes) = self.narrowed(scope, via, operation, args).await?;
        let key = ReadKey {
            via,
            network: tool.network,
            generation: self.registry.generation(via, tool.network),
            digest: digest(tool, &args),
        };
        let fetched = AtomicBool::new(false);
        let load = async {
            fetched.store(true, Ordering::Relaxed);
            self.transport.pace(tool.network, scope.workspace, true, progress).await?;
            let reply = self.send(via, operation, &args, None, progress).await?;
            let output = self.normalise(via, operation, &args, reply, notes).await?;
            Ok(Cached { weight: weigh(&output), output: Arc::new(output) })
        };
        let cached =
            self.reads.try_get_with(key, load.boxed()).await.map_err(|error: Arc<ToolError>| (*error).clone())?;
        let mut output = (*cached.output).clone();
        output.cached = !fetched.load(Ordering::Relaxed);
        if output.cached {
            output.attempts = 0;
        }
        if output.result["kind"] == "list" {
            self.hold_back(scope, via, operation, &args, &mut output).await?;
        }
        Ok(output)
    }

    async fn normalise(
        &self,
        via: Via,
        operation: &Operation,
        args: &Json,
        reply: Reply,
        notes: Vec<String>,
    ) -> Result<ToolOutput, ToolError> {
        let tool = operation;
        let attempts = reply.attempts;
        let output = |result, summary, artifact| ToolOutput { result, summary, artifact, cached: false, attempts };
        let kind = operation.yields;
        match operation.result.kind {
            // If such an operation has a report shape, we follow it at the network, and it ends as a report.
            ResultKind::Operation if normalise::shapes::of(&tool.name).is_none() => {
                let done = operation.result.done_field.as_deref().is_some_and(|field| reply.body[field] == true);
                let summary = if done { "Done" } else { "In progress" };
                Ok(output(normalise::object(kind, &reply.body), summary.to_owned(), None))
            }
            // Without a shape we do not know the columns, so the reply stays as it is.
            ResultKind::Report if tool.network != Network::AdMob && normalise::shapes::of(&tool.name).is_none() => {
                Ok(output(normalise::object(kind, &reply.body), "As the network replied".to_owned(), None))
            }
            ResultKind::Report | ResultKind::Operation => {
                let accounts = self.choices(via, tool.network).await?;
                let named = ["account_id", "network_code", "publisher_id"].map(|name| args[name].as_str());
                let only = || accounts.first().filter(|_| accounts.len() == 1 && !tool.network.uses_oauth());
                let account = accounts.iter().find(|account| named.contains(&Some(account.id.as_str()))).or_else(only);
                let max_rows = self.transport.tuning().max_report_rows;
                let context = normalise::ReportContext { args, account, max_rows, notes };
                let read = match normalise::shapes::of(&tool.name) {
                    Some(shape) => {
                        let path = operation.result.items_path.as_deref();
                        normalise::rows_report(&reply.body, shape, path, reply.truncated, &context)
                    }
                    None => normalise::report(&reply.body, &context),
                };
                let data = read.map_err(|error| {
                    let message = format!("We couldn't read {}'s report: {error}.", tool.network.display_name());
                    ToolError::new(ToolErrorClass::Retryable, "BROKEN_REPLY", message).guide("Try again.")
                })?;
                let title = tool.title.trim_start_matches("Generate ");
                let title = title.get(..1).map(|first| first.to_uppercase() + title.cut(1..)).unwrap_or_default();
                let artifact = normalise::report_table(&data, &title, tool.network.display_name());
                let rows = data.rows.len();
                let plural = if rows == 1 { "" } else { "s" };
                let summary = if data.truncated {
                    format!("{rows} of {} rows", data.row_count)
                } else {
                    format!("{rows} row{plural}")
                };
                let result = serde_json::to_value(&data).map_err(|error| {
                    ToolError::new(
                        ToolErrorClass::Deterministic,
                        "INTERNAL",
                        format!("We couldn't store the report: {error}"),
                    )
                })?;
                Ok(output(result, summary, Some(artifact)))
            }
            ResultKind::List => {
                let Json::Array(items) = reply.body else { return Ok(output(reply.body, "Done".to_owned(), None)) };
                let result = normalise::list(kind, &items, reply.truncated, reply.next_page_token);
                let (summary, artifact) = describe::list(&operation.facts, tool, kind, args, &result);
                Ok(output(result, summary, artifact))
            }
            ResultKind::Object => {
                let summary = match kind {
                    Some(EntityKind::Account) if tool.network == Network::AdMob => {
                        format!("Account {}", reply.body["publisherId"].as_str().unwrap_or_default())
                    }
                    _ => describe::one(&operation.facts, tool, kind, args, &reply.body),
                };
                Ok(output(normalise::object(kind, &reply.body), summary, None))
            }
        }
    }

    /// Returns the accounts of a connection with their selection, without a request to the network.
    async fn choices(&self, via: Via, network: Network) -> Result<Vec<AccountChoice>, ToolError> {
        let all = self.connected(via.workspace, network).await?;
        Ok(all.into_iter().find(|one| one.mark.id == via.connection).map(|one| one.accounts).unwrap_or_default())
    }

    /// Returns the arguments, narrowed to what the settings allow, and notes about that.
    async fn narrowed(
        &self,
        scope: &CallScope,
        via: Via,
        operation: &Operation,
        args: &Json,
    ) -> Result<(Json, Vec<String>), ToolError> {
        let (settings, tool, kind) = (&scope.settings, operation, operation.result.kind);
        // If we follow the operation at the network, it ends as a report.
        let report = kind == ResultKind::Report || normalise::shapes::of(&tool.name).is_some();
        let chosen = settings.apps_of(tool.network).filter(|_| report);
        let Some(chosen) = chosen.filter(|_| tool.network != Network::AdMob) else {
            return limits::narrow(settings, tool, kind, args);
        };
        let apps = self.all(via, tool.network, EntityKind::App).await?;
        let apps: Vec<&str> = apps.iter().filter(|app| chosen.contains(&app.id)).map(|app| app.id.as_str()).collect();
        limits::narrow_to(settings, tool, args, &apps)
    }

    /// Returns the entities between a kind and its apps. Strict mode needs them when it selects by app.
    pub(super) async fn between(
        &self,
        scope: &CallScope,
        via: Via,
        network: Network,
        kind: EntityKind,
    ) -> Result<Vec<EntityItem>, ToolError> {
        if scope.settings.mode != ContextMode::Strict || scope.settings.apps_of(network).is_none() {
            return Ok(Vec::new());
        }
        if network == Network::AdMob {
            let targets = matches!(kind, EntityKind::MediationGroup | EntityKind::AdUnitMapping);
            return if targets { self.all(via, network, EntityKind::AdUnit).await } else { Ok(Vec::new()) };
        }
        let facts = self.facts(network)?;
        let mut known = Vec::new();
        let mut above = parent_kind(&facts, kind);
        while let Some(kind) = above.filter(|kind| *kind != EntityKind::App && leads_to_app(&facts, *kind)) {
            known.extend(self.all(via, network, kind).await?);
            above = parent_kind(&facts, kind);
        }
        Ok(known)
    }

    /// Removes items outside a strict selection from a list, whatever the network returned. In soft mode, adds how many are selected.
    async fn hold_back(
        &self,
        scope: &CallScope,
        via: Via,
        operation: &Operation,
        args: &Json,
        output: &mut ToolOutput,
    ) -> Result<(), ToolError> {
        let tool = operation;
        if scope.settings.mode != ContextMode::Strict {
            let (Some(kind), Some(raw)) = (operation.yields, output.result["items"].as_array()) else { return Ok(()) };
            let facts = self.facts(tool.network)?;
            // A list of entities inside apps says how many of them are selected.
            if kind != EntityKind::App && parent_kind(&facts, kind) != Some(EntityKind::App) {
                return Ok(());
            }
            let parent = named_parent(&facts, tool, kind, args);
            let found = entities::Found { account: None, parent: parent.as_deref() };
            let items: Vec<EntityItem> =
                raw.iter().filter_map(|raw| entities::item(&facts, kind, raw, found)).collect();
            if let Some(words) = limits::selected_of(&scope.settings, &items) {
                output.summary = format!("{} ({words})", output.summary);
            }
            return Ok(());
        }
        // Mappings are listed for one ad unit, which was already checked.
        let Some(kind) = operation.yields.filter(|kind| *kind != EntityKind::AdUnitMapping) else { return Ok(()) };
        let facts = self.facts(tool.network)?;
        let between = self.between(scope, via, tool.network, kind).await?;
        let parent = named_parent(&facts, tool, kind, args);
        let Some(items) = output.result["items"].as_array_mut() else { return Ok(()) };
        let before = items.len();
        items.retain(|raw| {
            // A resource name contains the account and the parent: `accounts/pub-…/adUnits/…/adUnitMappings/…`.
            let account = raw["name"].as_str().and_then(|name| name.split('/').nth(1));
            let found = entities::Found { account, parent: parent.as_deref() };
            let item = entities::item(&facts, kind, raw, found);
            item.is_some_and(|item| limits::sees(&scope.settings, &facts, &item, &between))
        });
        if items.len() < before {
            let (summary, artifact) = describe::list(&facts, tool, Some(kind), args, &output.result);
            let kept = output.result["items"].as_array().map_or(0, Vec::len);
            output.summary = format!("{summary} ({kept} of {before}, selected only)");
            output.artifact = artifact;
        }
        Ok(())
    }
}

/// Estimates the memory that an answer takes, in bytes.
fn weigh(output: &ToolOutput) -> u32 {
    let cells = match &output.result["rows"] {
        Json::Array(rows) => rows.len() * rows.first().and_then(Json::as_array).map_or(1, Vec::len) * 160,
        _ => output.result["items"].as_array().map_or(1, Vec::len) * 1500,
    };
    u32::try_from(cells + 2000).unwrap_or(u32::MAX)
}
