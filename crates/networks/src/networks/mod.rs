//! The gateway put together: validate → resolve → limits → cache → credentials → send → normalise.
//!
//! Nothing reaches a network on another way. A write goes out only with the ticket of its approval, once.

mod describe;
mod port;
mod read;
mod write;

use std::sync::Arc;

use adagent_contract::{AccountChoice, EntityItem, EntityKind, Progress};
use adagent_domain::{Clock, Network, Timestamp, WorkspaceId};
use async_trait::async_trait;
use moka::future::Cache;
use serde_json::{Value as Json, json};

use self::read::{Cached, ReadKey};
use crate::{
    CredentialSource, Credentials, ProgressSink, ToolError,
    catalogue::{Catalogue, CatalogueError, Operation},
    entities::{self, Registry},
    pipeline::{Jitter, Reply, SendError, Transport, Tuning},
};

/// What no network's documentation confirms is not offered.
const LIVE: bool = true;

/// Cached answers together weigh at most about this many bytes.
const CACHE_BYTES: u64 = 64 * 1024 * 1024;

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
    catalogue: Arc<Catalogue>,
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
            .weigher(|_, cached: &Cached| cached.weight())
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
        self.attend(workspace, network).await?;
        if refresh {
            self.registry.refresh(workspace, network, self.clock.now());
        }
        self.all(workspace, network, kind).await
    }

    /// Looks which connection there is, before anything known is used. Another process may have connected another account.
    pub(super) async fn attend(&self, workspace: WorkspaceId, network: Network) -> Result<(), ToolError> {
        let mark = self.source.mark(workspace, network).await?;
        self.registry.belongs_to(workspace, network, mark, self.clock.now());
        Ok(())
    }

    pub(crate) fn registry(&self) -> &Registry {
        &self.registry
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub(crate) fn operation(&self, name: &str) -> Result<Arc<Operation>, ToolError> {
        self.catalogue.get_offered(name, LIVE).cloned().ok_or_else(|| {
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
                self.source.report_auth_failure(workspace, network, &renewed).await;
                Err(ToolError::auth_failed(network))
            }
        }
    }
}

/// A sink for calls nobody watches.
pub(crate) struct Quiet;

#[async_trait]
impl ProgressSink for Quiet {
    async fn progress(&mut self, _: &str, _: Option<Progress>) {}
}
