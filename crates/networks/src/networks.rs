//! The gateway put together: validate → resolve → limits → cache → credentials → send → normalise.
//!
//! Nothing reaches a network on another way. A write goes out only with the ticket of its approval, once.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use adagent_contract::{AccountChoice, Artifact, EntityItem, EntityKind, FieldError, NetworkState, Progress};
use adagent_domain::{Clock, Network, Timestamp, WorkspaceId};
use async_trait::async_trait;
use futures::FutureExt as _;
use moka::future::Cache;
use serde_json::{Value as Json, json};

use crate::{
    ApprovalSketch, CallScope, CredentialSource, Credentials, EntityFilter, Gateway, GroundingIssue, ProbeOutcome,
    ProgressSink, ToolError, ToolErrorClass, ToolInfo, ToolOutput, WriteTicket,
    adapters::mask,
    catalogue::{Catalogue, CatalogueError, Operation, ResultKind},
    digest::digest,
    entities::{self, Registry},
    grounding, limits, normalise,
    pipeline::{Jitter, Reply, SendError, Transport, Tuning},
};

/// Cached answers together weigh at most about this many bytes.
const CACHE_BYTES: u64 = 64 * 1024 * 1024;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct ReadKey {
    workspace: WorkspaceId,
    network: Network,
    generation: u64,
    digest: String,
}

#[derive(Debug, Clone)]
struct Cached {
    output: Arc<ToolOutput>,
    weight: u32,
}

/// What the gateway is made of.
pub struct Parts {
    pub client: reqwest::Client,
    pub credentials: Arc<dyn CredentialSource>,
    pub clock: Arc<dyn Clock>,
    pub jitter: Jitter,
    pub tuning: Tuning,
}

/// The networks, for the engine and the use cases. Shared behind an `Arc`.
pub struct Networks {
    catalogue: Catalogue,
    transport: Transport,
    source: Arc<dyn CredentialSource>,
    clock: Arc<dyn Clock>,
    registry: Registry,
    reads: Cache<ReadKey, Cached>,
}

impl Networks {
    pub fn new(parts: Parts) -> Result<Self, CatalogueError> {
        let Parts { client, credentials, clock, jitter, tuning } = parts;
        let reads = Cache::builder()
            .max_capacity(CACHE_BYTES)
            .weigher(|_, cached: &Cached| cached.weight)
            .time_to_live(tuning.read_cache)
            .build();
        Ok(Self {
            catalogue: Catalogue::built_in()?,
            registry: Registry::new(tuning.entity_cache),
            transport: Transport::new(client, clock.clone(), jitter, tuning),
            source: credentials,
            clock,
            reads,
        })
    }

    /// The accounts these credentials reach; for a connection that is just being made.
    pub async fn reachable_accounts(&self, credentials: &Credentials) -> Result<Vec<AccountChoice>, ToolError> {
        let operation = self.operation("admob_list_accounts")?;
        let reply =
            self.transport.call(&operation, &json!({}), credentials, &mut Quiet).await.map_err(
                |error| match error {
                    SendError::Unauthorized => ToolError::auth_failed(Network::AdMob),
                    SendError::Failed(error) => error,
                },
            )?;
        let found = entities::Found { account: None, parent: None };
        let items = reply
            .body
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|raw| entities::item(EntityKind::Account, raw, found));
        Ok(items
            .map(|item| AccountChoice {
                currency: item.raw["currencyCode"].as_str().map(str::to_owned),
                time_zone: item.raw["reportingTimeZone"].as_str().map(str::to_owned),
                id: item.id,
                name: item.name,
                selected: false,
            })
            .collect())
    }

    /// Drops everything known of a network: its connection was made anew, changed or removed.
    pub fn forget(&self, workspace: WorkspaceId, network: Network) {
        self.registry.forget(workspace, network, self.clock.now());
    }

    /// Entities without context settings, for the settings pages.
    pub async fn entities_of(
        &self,
        workspace: WorkspaceId,
        network: Network,
        kind: EntityKind,
        refresh: bool,
    ) -> Result<Vec<EntityItem>, ToolError> {
        if !network.is_available() {
            return Err(ToolError::not_connected(network));
        }
        if refresh {
            self.registry.refresh(workspace, network, self.clock.now());
        }
        self.all(workspace, network, kind).await
    }

    pub(crate) fn registry(&self) -> &Registry {
        &self.registry
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub(crate) fn operation(&self, name: &str) -> Result<Arc<Operation>, ToolError> {
        self.catalogue.get(name).cloned().ok_or_else(|| {
            let name: String = name.chars().take(80).collect();
            ToolError::invalid(format!("There is no operation {name:?}."), Vec::new())
        })
    }

    pub(crate) async fn credentials(&self, workspace: WorkspaceId, network: Network) -> Result<Credentials, ToolError> {
        self.source.credentials(workspace, network).await
    }

    /// Credentials, sending, and one renewal when they are refused. A 401 is a definite no, so this is safe for writes too.
    pub(crate) async fn send(
        &self,
        workspace: WorkspaceId,
        operation: &Operation,
        args: &Json,
        progress: &mut dyn ProgressSink,
    ) -> Result<Reply, ToolError> {
        let network = operation.info.network;
        let credentials = self.credentials(workspace, network).await?;
        match self.transport.call(operation, args, &credentials, progress).await {
            Ok(reply) => return Ok(reply),
            Err(SendError::Failed(error)) => return Err(error),
            Err(SendError::Unauthorized) => {}
        }
        let renewed = self.source.renew(workspace, network, &credentials).await?;
        match self.transport.call(operation, args, &renewed, progress).await {
            Ok(reply) => Ok(reply),
            Err(SendError::Failed(error)) => Err(error),
            Err(SendError::Unauthorized) => {
                self.source.report_auth_failure(workspace, network).await;
                Err(ToolError::auth_failed(network))
            }
        }
    }

    async fn read(
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

    async fn write(
        &self,
        scope: &CallScope,
        operation: &Operation,
        args: &Json,
        ticket: Option<&WriteTicket>,
        progress: &mut dyn ProgressSink,
    ) -> Result<ToolOutput, ToolError> {
        let tool = &operation.info;
        let approved = ticket.is_some_and(|ticket| ticket.call == scope.call && ticket.digest == digest(tool, args));
        if !approved {
            return Err(ToolError::new(
                ToolErrorClass::OutOfContext,
                "APPROVAL_REQUIRED",
                "This change was not approved in exactly this form; nothing was sent.",
            )
            .guide("Ask for approval of these arguments."));
        }
        let sent = self.send(scope.workspace, operation, args, progress).await;
        // Also after a failure: the change may have been made all the same.
        self.registry.forget(scope.workspace, tool.network, self.clock.now());
        let reply = sent?;
        let kind = entity_kind(tool);
        let item = kind.and_then(|kind| {
            let account = args["account_id"].as_str();
            entities::item(kind, &reply.body, entities::Found { account, parent: None })
        });
        let summary = item.map_or_else(
            || "Done".to_owned(),
            |item| {
                let verb = if tool.name.contains("_create_") { "Created" } else { "Changed" };
                format!("{verb} {} {} ({})", grounding::noun(item.kind), item.name, item.id)
            },
        );
        let attempts = reply.attempts;
        Ok(ToolOutput {
            result: normalise::object(kind, &reply.body),
            summary,
            artifact: None,
            cached: false,
            attempts,
        })
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
                let (summary, artifact) = describe_list(tool, kind, args, &result);
                Ok(output(result, summary, artifact))
            }
            ResultKind::Object => {
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
        if scope.settings.mode != adagent_contract::ContextMode::Strict {
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
            let (summary, artifact) = describe_list(tool, Some(kind), &Json::Null, &output.result);
            output.summary = format!("{summary} (strict mode)");
            output.artifact = artifact;
        }
        Ok(())
    }
}

/// A sink for calls nobody watches.
pub(crate) struct Quiet;

#[async_trait]
impl ProgressSink for Quiet {
    async fn progress(&mut self, _: &str, _: Option<Progress>) {}
}

/// What an operation's answer consists of.
pub(crate) fn entity_kind(tool: &ToolInfo) -> Option<EntityKind> {
    Some(match tool.name.as_str() {
        "admob_get_account" | "admob_list_accounts" => EntityKind::Account,
        "admob_list_apps" | "admob_create_app" => EntityKind::App,
        "admob_list_ad_units" | "admob_create_ad_unit" => EntityKind::AdUnit,
        "admob_list_ad_sources" => EntityKind::AdSource,
        "admob_list_ad_source_adapters" => EntityKind::AdSourceAdapter,
        "admob_list_ad_unit_mappings" | "admob_create_ad_unit_mapping" => EntityKind::AdUnitMapping,
        "admob_list_mediation_groups" | "admob_create_mediation_group" | "admob_update_mediation_group" => {
            EntityKind::MediationGroup
        }
        _ => return None,
    })
}

fn describe_list(tool: &ToolInfo, kind: Option<EntityKind>, args: &Json, result: &Json) -> (String, Option<Artifact>) {
    let raw = result["items"].as_array().map_or(&[][..], Vec::as_slice);
    let found = entities::Found { account: args["account_id"].as_str(), parent: None };
    let items: Vec<EntityItem> =
        kind.map(|kind| raw.iter().filter_map(|raw| entities::item(kind, raw, found)).collect()).unwrap_or_default();
    let more = if result["truncated"] == true { " (there are more)" } else { "" };
    let summary = format!("{}{more}", normalise::counted(kind, raw.len()));
    let title = tool.title.trim_start_matches("List ");
    let title = title.get(..1).map(|first| first.to_uppercase() + &title[1..]).unwrap_or_default();
    let artifact =
        kind.map(|_| normalise::list_table(&title, tool.network.display_name().to_owned(), &items, raw.len() as u64));
    (summary, artifact)
}

/// Roughly the memory an answer takes.
fn weigh(output: &ToolOutput) -> u32 {
    let cells = match &output.result["rows"] {
        Json::Array(rows) => rows.len() * rows.first().and_then(Json::as_array).map_or(1, Vec::len) * 160,
        _ => output.result["items"].as_array().map_or(1, Vec::len) * 1500,
    };
    u32::try_from(cells + 2000).unwrap_or(u32::MAX)
}

#[async_trait]
impl Gateway for Networks {
    fn tool(&self, name: &str) -> Option<Arc<ToolInfo>> {
        self.catalogue.get(name).map(|operation| operation.info.clone())
    }

    fn tools(&self) -> Vec<Arc<ToolInfo>> {
        self.catalogue.tools().to_vec()
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
        if !limits::enabled(&scope.settings, network) {
            return Err(ToolError::disabled(network));
        }
        let mut items = self.entities_of(scope.workspace, network, kind, filter.refresh).await?;
        if scope.settings.mode == adagent_contract::ContextMode::Strict {
            let units = match kind {
                EntityKind::MediationGroup | EntityKind::AdUnitMapping => {
                    self.all(scope.workspace, network, EntityKind::AdUnit).await?
                }
                _ => Vec::new(),
            };
            items.retain(|item| limits::sees(&scope.settings, item, &units));
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
        let grounded = self.resolve(scope.workspace, tool, args).await?;
        limits::check(&scope.settings, &grounded.resolved)?;
        Ok(grounded.issues)
    }

    async fn sketch(&self, scope: &CallScope, tool: &ToolInfo, args: &Json) -> Result<ApprovalSketch, ToolError> {
        self.draw(scope.workspace, tool, &mask::normalise_args(tool, args)).await
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
        let grounded = self.resolve(scope.workspace, &tool, args).await?;
        if !grounded.issues.is_empty() {
            return Err(grounding::to_error(tool.network, &grounded.issues));
        }
        limits::check(&scope.settings, &grounded.resolved)?;
        if tool.read_only {
            self.read(scope, &operation, args, progress).await
        } else {
            self.write(scope, &operation, args, ticket, progress).await
        }
    }

    async fn probe(&self, scope: &CallScope, tool: &ToolInfo, args: &Json) -> Result<ProbeOutcome, ToolError> {
        self.registry.forget(scope.workspace, tool.network, self.clock.now());
        self.look_for(scope.workspace, tool, &mask::normalise_args(tool, args)).await
    }

    async fn today(&self, workspace: WorkspaceId) -> (String, String) {
        let accounts = self.source.accounts(workspace, Network::AdMob).await.unwrap_or_default();
        let chosen = accounts.iter().find(|account| account.selected).or_else(|| accounts.first());
        let zone = chosen.and_then(|account| account.time_zone.clone()).unwrap_or_else(|| "Etc/UTC".to_owned());
        let now = self.clock.now().to_jiff();
        match now.in_tz(&zone) {
            Ok(local) => (local.date().to_string(), zone),
            Err(_) => (now.to_zoned(jiff::tz::TimeZone::UTC).date().to_string(), "Etc/UTC".to_owned()),
        }
    }
}
