//! The entity registry: what exists on a network, loaded in pages, kept for minutes per workspace, loaded once for many askers.
//!
//! It holds what the network said and nothing else; a write or a refresh makes everything known before stale at once.

mod admob;
mod load;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use adagent_contract::{EntityItem, EntityKind};
use adagent_domain::{Network, Timestamp, WorkspaceId};
use futures::{TryFutureExt as _, future::BoxFuture};
use moka::future::Cache;

pub use admob::{Found, item};
pub use load::Place;

use crate::{ConnectionMark, ToolError};

/// A refresh within this time of the last one gives the same answer.
const REFRESH_PAUSE_MILLIS: i64 = 5_000;
const MAX_LISTS: u64 = 20_000;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key {
    workspace: WorkspaceId,
    network: Network,
    generation: u64,
    kind: EntityKind,
    account: String,
    parent: String,
}

/// What is known belongs to one connection, as it was since the last change.
#[derive(Debug, Clone, Default)]
struct Era {
    generation: u64,
    since: Option<Timestamp>,
    connection: Option<ConnectionMark>,
}

impl Era {
    const fn renew(&mut self, now: Timestamp) {
        self.generation += 1;
        self.since = Some(now);
    }
}

pub type Items = Arc<Vec<EntityItem>>;

pub struct Registry {
    lists: Cache<Key, Items>,
    eras: Mutex<HashMap<(WorkspaceId, Network), Era>>,
}

impl Registry {
    pub fn new(keep: Duration) -> Self {
        Self {
            lists: Cache::builder().max_capacity(MAX_LISTS).time_to_live(keep).build(),
            eras: Mutex::new(HashMap::new()),
        }
    }

    /// Counts up with every write: part of each cache key, so that a load begun before a write never answers after it.
    pub fn generation(&self, workspace: WorkspaceId, network: Network) -> u64 {
        let eras = self.eras.lock().unwrap_or_else(PoisonError::into_inner);
        eras.get(&(workspace, network)).map_or(0, |era| era.generation)
    }

    /// Everything known so far is stale.
    pub fn forget(&self, workspace: WorkspaceId, network: Network, now: Timestamp) {
        let mut eras = self.eras.lock().unwrap_or_else(PoisonError::into_inner);
        eras.entry((workspace, network)).or_default().renew(now);
    }

    /// Everything known of another connection is stale: the generation in each cache key stands for this one only.
    pub fn belongs_to(
        &self,
        workspace: WorkspaceId,
        network: Network,
        connection: Option<ConnectionMark>,
        now: Timestamp,
    ) {
        let mut eras = self.eras.lock().unwrap_or_else(PoisonError::into_inner);
        let era = eras.entry((workspace, network)).or_default();
        if era.connection != connection {
            // Before the first one, and without one, nothing was learned.
            if era.connection.is_some() {
                era.renew(now);
            }
            era.connection = connection;
        }
    }

    /// Like `forget`, unless that happened a moment ago. Says whether it did.
    pub fn refresh(&self, workspace: WorkspaceId, network: Network, now: Timestamp) -> bool {
        let mut eras = self.eras.lock().unwrap_or_else(PoisonError::into_inner);
        let era = eras.entry((workspace, network)).or_default();
        if era.since.is_some_and(|since| now.millis_since(since) < REFRESH_PAUSE_MILLIS) {
            return false;
        }
        era.renew(now);
        true
    }

    async fn get(
        &self,
        place: &load::Place<'_>,
        kind: EntityKind,
        parent: &str,
        load: BoxFuture<'_, Result<Vec<EntityItem>, ToolError>>,
    ) -> Result<Items, ToolError> {
        let key = Key {
            workspace: place.workspace,
            network: place.network,
            generation: self.generation(place.workspace, place.network),
            kind,
            account: place.account.to_owned(),
            parent: parent.to_owned(),
        };
        self.lists.try_get_with(key, load.map_ok(Arc::new)).await.map_err(|error| (*error).clone())
    }
}

/// Whether `value`, as an operation takes it, names this item. Ad units are named by id, by their last digits or by resource.
pub fn names(item: &EntityItem, value: &str) -> bool {
    if item.id == value {
        return true;
    }
    if item.kind != EntityKind::AdUnit {
        return false;
    }
    let digits = item.id.rsplit('/').next().unwrap_or_default();
    value == digits
        || value
            .strip_prefix("accounts/")
            .and_then(|rest| rest.split_once("/adUnits/"))
            .is_some_and(|(account, unit)| unit == digits && item.account.as_deref() == Some(account))
}
