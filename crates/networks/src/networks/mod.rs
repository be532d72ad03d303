//! The whole gateway: validate → resolve → limits → cache → credentials → send → normalize.
//!
//! No other code sends a request to a network. A write is sent only with the ticket of its approval.

mod abilities;
mod connect;
mod describe;
mod port;
mod read;
mod route;
#[cfg(test)]
mod tests;
mod unmake;
mod write;

use std::sync::Arc;

use adagent_contract::{EntityItem, EntityKind, Progress};
use adagent_domain::{Clock, ConnectionId, Network, Timestamp, WorkspaceId};
use async_trait::async_trait;
use moka::future::Cache;
use serde_json::Value as Json;

pub use self::connect::Unproven;
use self::read::{Cached, ReadKey};
pub(crate) use self::route::Routed;
use crate::{
    Connected, ConnectionMark, CredentialSource, Credentials, Via,
    catalogue::{Catalogue, CatalogueError, NetworkFacts, Operation, ResultKind},
    entities::Registry,
    normalise::shapes,
    pipeline::{Call, Follow, Jitter, Reply, SendError, Transport, Tuning, breaker::Circuit},
};
use adagent_tools::{ProgressSink, ToolError, ToolErrorClass};

/// The approximate total size of the cached answers, in bytes.
const CACHE_BYTES: u64 = 64 * 1024 * 1024;

/// The parts that the gateway is built from.
pub struct Parts {
    pub client: reqwest::Client,
    pub credentials: Arc<dyn CredentialSource>,
    pub clock: Arc<dyn Clock>,
    pub jitter: Jitter,
    pub tuning: Tuning,
}

/// The networks, for the engine and the use cases. Shared behind an `Arc`.
pub struct Networks {
    catalogue: Arc<Catalogue>,
    transport: Transport,
    source: Arc<dyn CredentialSource>,
    clock: Arc<dyn Clock>,
    registry: Registry,
    reads: Cache<ReadKey, Cached>,
}

impl Networks {
    pub fn new(parts: Parts) -> Result<Self, CatalogueError> {
        Ok(Self::over(Catalogue::built_in()?, parts))
    }

    /// Builds a gateway over a catalog other than the built-in one.
    pub(crate) fn over(catalogue: Arc<Catalogue>, parts: Parts) -> Self {
        let Parts { client, credentials, clock, jitter, tuning } = parts;
        let reads = Cache::builder()
            .max_capacity(CACHE_BYTES)
            .weigher(|_, cached: &Cached| cached.weight())
            .time_to_live(tuning.read_cache)
            .build();
        Self {
            catalogue,
            registry: Registry::new(tuning.entity_cache),
            transport: Transport::new(client, clock.clone(), jitter, tuning),
            source: credentials,
            clock,
            reads,
        }
    }

    /// Drops everything known through a connection, because it was made again, changed or removed.
    pub fn forget(&self, via: Via, network: Network) {
        self.registry.forget(via, network, self.clock.now());
        self.transport.forget(via.connection);
    }

    /// Loads the entities of one connection without context settings, for the settings pages.
    pub async fn entities_through(
        &self,
        via: Via,
        network: Network,
        kind: EntityKind,
        refresh: bool,
    ) -> Result<Vec<EntityItem>, ToolError> {
        let all = self.connected(via.workspace, network).await?;
        let one = all.iter().find(|one| one.mark.id == via.connection);
        self.attend(via.workspace, one.ok_or_else(|| ToolError::not_connected(network))?);
        if refresh {
            self.registry.refresh(via, network, self.clock.now());
        }
        self.all(via, network, kind).await
    }

    /// Loads the entities of all connections of a network that calls may use, without context settings. If there are several, each entity
    /// names its connection. Fails if every connection fails.
    pub async fn entities_of(
        &self,
        workspace: WorkspaceId,
        network: Network,
        kind: EntityKind,
        refresh: bool,
    ) -> Result<Vec<EntityItem>, ToolError> {
        let all = self.connected(workspace, network).await?;
        let mut ways: Vec<&Connected> = all.iter().filter(|one| route::plays(one)).collect();
        let several = ways.len() > 1;
        if ways.is_empty() {
            ways.push(all.first().ok_or_else(|| ToolError::not_connected(network))?);
        }
        self.gathered(workspace, &ways, several, kind, refresh).await
    }

    /// Loads the entities of a kind from the connections. A connection that fails is left out if another one answers.
    async fn gathered(
        &self,
        workspace: WorkspaceId,
        ways: &[&Connected],
        several: bool,
        kind: EntityKind,
        refresh: bool,
    ) -> Result<Vec<EntityItem>, ToolError> {
        let loads = ways.iter().map(|one| self.had_by(workspace, one, several, kind, refresh));
        together(ways, futures::future::join_all(loads).await)
    }

    /// Loads the entities of a kind from one connection, with its name if there are several.
    async fn had_by(
        &self,
        workspace: WorkspaceId,
        one: &Connected,
        several: bool,
        kind: EntityKind,
        refresh: bool,
    ) -> Result<Vec<EntityItem>, ToolError> {
        let via = self.attend(workspace, one);
        if refresh {
            self.registry.refresh(via, one.network, self.clock.now());
        }
        let found = self.all(via, one.network, kind).await?;
        let label = several.then(|| one.mark.label.clone());
        Ok(found.into_iter().map(|item| EntityItem { connection: label.clone(), ..item }).collect())
    }

    /// Refuses an operation that no documentation confirms on a live network, and one that the credentials do not allow.
    pub(super) fn attend_to(mark: &ConnectionMark, tool: &Operation) -> Result<(), ToolError> {
        if tool.is_offered(mark.sandbox) {
            return Self::within_abilities(mark, tool);
        }
        let message = format!(
            "“{}” isn't confirmed by {}'s documentation, so it's off for live connections. Nothing was sent.",
            tool.title,
            tool.network.display_name()
        );
        Err(ToolError::new(ToolErrorClass::OutOfContext, "NOT_CONFIRMED", message)
            .guide("Make this change in the network's own console, or try it on a sandbox connection."))
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

    /// Returns what the catalog says of a network.
    pub fn facts(&self, network: Network) -> Result<Arc<NetworkFacts>, ToolError> {
        self.catalogue.network(network).cloned().ok_or_else(|| ToolError::not_connected(network))
    }

    pub(crate) async fn credentials(&self, via: Via, network: Network) -> Result<Credentials, ToolError> {
        self.source.credentials(via, network).await
    }

    /// Gets credentials, sends the request, and renews the credentials once if the network refuses them. A 401 is a definite refusal, so
    /// this is safe for writes too.
    pub(crate) async fn send(
        &self,
        via: Via,
        operation: &Operation,
        args: &Json,
        place: Option<&str>,
        progress: &mut dyn ProgressSink,
    ) -> Result<Reply, ToolError> {
        let network = operation.network;
        let credentials = self.credentials(via, network).await?;
        if place.is_some_and(|place| Some(place) != credentials.place().as_deref()) {
            return Err(ToolError::connection_changed(network));
        }
        let follow = self.follow(operation);
        let call = |credentials| Call { operation, args, credentials, follow: &follow };
        match self.transport.call(&call(&credentials), progress).await {
            Ok(reply) => {
                self.learn(via, operation, &credentials, Ok(())).await;
                return Ok(reply);
            }
            Err(SendError::Failed(error)) => {
                self.learn(via, operation, &credentials, Err(&error)).await;
                return Err(error);
            }
            Err(SendError::Unauthorized) => {}
        }
        // Keys cannot be renewed; only OAuth tokens can.
        let refused = if network.uses_oauth() {
            let renewed = self.source.renew(via, network, &credentials).await?;
            if place.is_some_and(|place| Some(place) != renewed.place().as_deref()) {
                return Err(ToolError::connection_changed(network));
            }
            match self.transport.call(&call(&renewed), progress).await {
                Ok(reply) => return Ok(reply),
                Err(SendError::Failed(error)) => return Err(error),
                Err(SendError::Unauthorized) => renewed,
            }
        } else {
            credentials
        };
        self.source.report_auth_failure(via, network, &refused).await;
        Err(ToolError::auth_failed(network))
    }

    /// Returns what must be done after the first reply of an operation that takes time.
    fn follow(&self, operation: &Operation) -> Follow {
        if !operation.info.read_only {
            return Follow::default();
        }
        let spec = &operation.result;
        let named = |name: Option<&str>| name.and_then(|name| self.catalogue.get(name)).cloned();
        let shape = shapes::of(&operation.info.name);
        let poll = named(spec.poll_tool.as_deref().filter(|_| spec.next_tool.is_some()));
        let mut files: Vec<String> = shape.map(|shape| shape.files.clone()).unwrap_or_default();
        // If the result is not a file, this field holds a resource name instead of a link.
        if poll.is_none() && spec.kind == ResultKind::Operation && spec.format.as_deref() == Some("csv") {
            files.extend(spec.result_field.clone());
        }
        let definition = named(shape.and_then(|shape| shape.definition.as_deref()));
        Follow { poll, fetch: named(spec.next_tool.as_deref()), definition, files }
    }

    /// Returns whether calls through a connection are sent at the moment; for the networks page.
    pub fn circuit(&self, network: Network, connection: ConnectionId) -> Circuit {
        self.transport.circuit(network, Some(connection))
    }
}

/// Joins the answers of several connections. A failed connection does not affect the others; its entities are missing. Fails only if none
/// answered.
fn together(
    ways: &[&Connected],
    outcomes: Vec<Result<Vec<EntityItem>, ToolError>>,
) -> Result<Vec<EntityItem>, ToolError> {
    let (mut items, mut failed, mut answered) = (Vec::new(), None, false);
    for (one, outcome) in ways.iter().zip(outcomes) {
        match outcome {
            Ok(found) => {
                answered = true;
                items.extend(found);
            }
            Err(error) => {
                tracing::warn!(%error, connection = %one.mark.id, "the things of a connection could not be read");
                failed = failed.or(Some(error));
            }
        }
    }
    match failed {
        Some(error) if !answered => Err(error),
        _ => Ok(items),
    }
}

/// A progress sink for calls that nobody watches.
pub(crate) struct Quiet;

#[async_trait]
impl ProgressSink for Quiet {
    async fn progress(&mut self, _: &str, _: Option<Progress>) {}
}
