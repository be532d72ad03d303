//! Reads: narrowed to the settings, answered from the cache for a moment, brought into their normal form.
//!
//! Must never send a write.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use adagent_contract::{ContextMode, EntityKind};
use adagent_domain::{Network, WorkspaceId};
use futures::FutureExt as _;
use serde_json::Value as Json;

use super::{
    Networks,
    describe::{self, entity_kind},
};
use crate::{
    CallScope, ProgressSink, ToolError, ToolErrorClass, ToolOutput,
    catalogue::{Operation, ResultKind},
    digest::digest,
    entities, limits, normalise,
    pipeline::Reply,
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct ReadKey {
    workspace: WorkspaceId,
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
        operation: &Operation,
        args: &Json,
        progress: &mut dyn ProgressSink,
    ) -> Result<ToolOutput, ToolError> {
        let tool = &operation.info;
        let (args, notes) = limits::narrow(&scope.settings, tool, operation.result.kind, args)?;
        let key = ReadKey {
            workspace: scope.workspace,
            network: tool.network,
            generation: self.registry.generation(scope.workspace, tool.network),
            digest: digest(tool, &args),
        };
        let fetched = AtomicBool::new(false);
        let load = async {
            fetched.store(true, Ordering::Relaxed);
            let reply = self.send(scope.workspace, operation, &args, progress).await?;
            let output = self.normalise(scope.workspace, operation, &args, reply, notes).await?;
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
            self.hold_back(scope, operation, &mut output).await?;
        }
        Ok(output)
    }

    async fn normalise(
        &self,
        workspace: WorkspaceId,
        operation: &Operation,
        args: &Json,
        reply: Reply,
        notes: Vec<String>,
    ) -> Result<ToolOutput, ToolError> {
        let tool = &operation.info;
        let attempts = reply.attempts;
        let output = |result, summary, artifact| ToolOutput { result, summary, artifact, cached: false, attempts };
        let kind = entity_kind(tool);
        match operation.result.kind {
            ResultKind::Report => {
                let accounts = self.source.accounts(workspace, tool.network).await?;
                let account = accounts.iter().find(|account| Some(account.id.as_str()) == args["account_id"].as_str());
                let max_rows = self.transport.tuning().max_report_rows;
                let context = normalise::ReportContext { args, account, max_rows, notes };
                let data = normalise::report(&reply.body, &context).map_err(|error| {
                    let message = format!("{}'s report could not be read: {error}.", tool.network.display_name());
                    ToolError::new(ToolErrorClass::Retryable, "BROKEN_REPLY", message).guide("Try again.")
                })?;
                let title = tool.title.trim_start_matches("Generate ");
                let title = title.get(..1).map(|first| first.to_uppercase() + &title[1..]).unwrap_or_default();
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
                        format!("The report could not be kept: {error}"),
                    )
                })?;
                Ok(output(result, summary, Some(artifact)))
            }
            ResultKind::List => {
                let Json::Array(items) = reply.body else { return Ok(output(reply.body, "Done".to_owned(), None)) };
                let result = normalise::list(kind, &items, reply.truncated, reply.next_page_token);
                let (summary, artifact) = describe::list(tool, kind, args, &result);
                Ok(output(result, summary, artifact))
            }
            ResultKind::Object | ResultKind::Operation => {
                let summary = match kind {
                    Some(EntityKind::Account) => {
                        format!("Account {}", reply.body["publisherId"].as_str().unwrap_or_default())
                    }
                    _ => "Done".to_owned(),
                };
                Ok(output(normalise::object(kind, &reply.body), summary, None))
            }
        }
    }

    /// Strict mode: what lies outside the selection is taken out of lists, whatever the network answered.
    async fn hold_back(
        &self,
        scope: &CallScope,
        operation: &Operation,
        output: &mut ToolOutput,
    ) -> Result<(), ToolError> {
        if scope.settings.mode != ContextMode::Strict {
            return Ok(());
        }
        let tool = &operation.info;
        // Mappings are listed for one ad unit, which was checked before.
        let Some(kind) = entity_kind(tool).filter(|kind| *kind != EntityKind::AdUnitMapping) else { return Ok(()) };
        let units = if kind == EntityKind::MediationGroup && scope.settings.enabled_apps.is_some() {
            self.all(scope.workspace, tool.network, EntityKind::AdUnit).await?
        } else {
            Vec::new()
        };
        let Some(items) = output.result["items"].as_array_mut() else { return Ok(()) };
        let before = items.len();
        items.retain(|raw| {
            // Resource names say the account and the parent: `accounts/pub-…/adUnits/…/adUnitMappings/…`.
            let account = raw["name"].as_str().and_then(|name| name.split('/').nth(1));
            let found = entities::Found { account, parent: None };
            entities::item(kind, raw, found).is_some_and(|item| limits::sees(&scope.settings, &item, &units))
        });
        if items.len() < before {
            let (summary, artifact) = describe::list(tool, Some(kind), &Json::Null, &output.result);
            output.summary = format!("{summary} (strict mode)");
            output.artifact = artifact;
        }
        Ok(())
    }
}

/// Roughly the memory an answer takes.
fn weigh(output: &ToolOutput) -> u32 {
    let cells = match &output.result["rows"] {
        Json::Array(rows) => rows.len() * rows.first().and_then(Json::as_array).map_or(1, Vec::len) * 160,
        _ => output.result["items"].as_array().map_or(1, Vec::len) * 1500,
    };
    u32::try_from(cells + 2000).unwrap_or(u32::MAX)
}
