//! The entity registry: what exists on a network. It loads entities in pages, keeps them for minutes per connection, and loads them once
//! for many callers.
//!
//! It holds only what the network returned. A write or a refresh makes everything in it stale at once.

mod admob;
mod admob_lists;
mod fetch;
mod thing;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use adagent_contract::{EntityItem, EntityKind};
use adagent_domain::{Network, Timestamp};
use futures::{TryFutureExt as _, future::BoxFuture};
use moka::future::Cache;

pub use fetch::Place;
pub use thing::{Found, item};

use crate::{ConnectionMark, Via};
use adagent_tools::ToolError;

/// A second refresh within this time changes nothing.
const REFRESH_PAUSE_MILLIS: i64 = 5_000;
/// A kind is loaded again for unknown IDs at most once in this time, however many wrong IDs arrive.
pub const RENEW_PAUSE_MILLIS: i64 = 2_000;
const MAX_ABSENT: u64 = 10_000;
/// The longest ID that we remember. No network has IDs this long.
const MAX_ID: usize = 256;
const MAX_LISTS: u64 = 20_000;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key {
    via: Via,
    network: Network,
    generation: Generation,
    kind: EntityKind,
    account: String,
    parent: String,
}

/// The state of one connection at one network. A change starts a new generation.
#[derive(Debug, Clone, Default)]
struct Era {
    generation: u64,
    since: Option<Timestamp>,
    connection: Option<ConnectionMark>,
    kinds: HashMap<EntityKind, Renewed>,
}

/// How often one kind was loaded again for an unknown ID, and when last.
#[derive(Debug, Clone, Copy)]
struct Renewed {
    times: u64,
    last: Timestamp,
}

/// The generation of everything, and that of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Generation(u64, u64);

/// What happens to a request to load a kind again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Renewal {
    /// Lists that are loaded from now on are newer than the request.
    Fresh,
    /// Another caller loaded the kind again a moment ago. The request may be repeated at this time.
    NotBefore(Timestamp),
}

impl Era {
    fn of(&self, kind: EntityKind) -> Generation {
        Generation(self.generation, self.kinds.get(&kind).map_or(0, |renewed| renewed.times))
    }

    const fn renew(&mut self, now: Timestamp) {
        self.generation += 1;
        self.since = Some(now);
    }
}

pub type Items = Arc<Vec<EntityItem>>;

pub struct Registry {
    lists: Cache<Key, Items>,
    eras: Mutex<HashMap<(Via, Network), Era>>,
    /// IDs that were missing from a list that we loaded for them just now. Nobody knows an ID before the network issues it, so an ID that
    /// was missing is still missing a moment later.
    absent: Cache<(Via, Network, EntityKind, String), ()>,
}

impl Registry {
    pub fn new(keep: Duration) -> Self {
        Self {
            lists: Cache::builder().max_capacity(MAX_LISTS).time_to_live(keep).build(),
            eras: Mutex::new(HashMap::new()),
            absent: Cache::builder()
                .max_capacity(MAX_ABSENT)
                .time_to_live(Duration::from_millis(RENEW_PAUSE_MILLIS.unsigned_abs()))
                .build(),
        }
    }

    /// Returns a number that every write increases. Each cache key contains it, so a load that began before a write never answers after it.
    pub fn generation(&self, via: Via, network: Network) -> u64 {
        let eras = self.eras.lock().unwrap_or_else(PoisonError::into_inner);
        eras.get(&(via, network)).map_or(0, |era| era.generation)
    }

    /// Makes everything known so far stale.
    pub fn forget(&self, via: Via, network: Network, now: Timestamp) {
        let mut eras = self.eras.lock().unwrap_or_else(PoisonError::into_inner);
        eras.entry((via, network)).or_default().renew(now);
    }

    /// Makes everything known stale if the connection changed, because the generation in each cache key counts for one connection only.
    pub fn belongs_to(&self, via: Via, network: Network, connection: Option<ConnectionMark>, now: Timestamp) {
        let mut eras = self.eras.lock().unwrap_or_else(PoisonError::into_inner);
        let era = eras.entry((via, network)).or_default();
        if era.connection != connection {
            // Without an earlier connection we learned nothing.
            if era.connection.is_some() {
                era.renew(now);
            }
            era.connection = connection;
        }
    }

    /// Returns the connection as we last saw it.
    pub fn mark(&self, via: Via, network: Network) -> Option<ConnectionMark> {
        let eras = self.eras.lock().unwrap_or_else(PoisonError::into_inner);
        eras.get(&(via, network))?.connection.clone()
    }

    /// Makes everything known stale, as `forget` does, unless that happened a moment ago. Returns whether it did so.
    pub fn refresh(&self, via: Via, network: Network, now: Timestamp) -> bool {
        let mut eras = self.eras.lock().unwrap_or_else(PoisonError::into_inner);
        let era = eras.entry((via, network)).or_default();
        if era.since.is_some_and(|since| now.millis_since(since) < REFRESH_PAUSE_MILLIS) {
            return false;
        }
        era.renew(now);
        true
    }

    /// Returns the generation of the lists of a kind.
    pub fn generation_of(&self, via: Via, network: Network, kind: EntityKind) -> Generation {
        let eras = self.eras.lock().unwrap_or_else(PoisonError::into_inner);
        eras.get(&(via, network)).map_or(Generation(0, 0), |era| era.of(kind))
    }

    /// Makes the lists of one kind stale, for a caller that did not find an ID in the lists of generation `seen`. Unlike `refresh`, this
    /// also works right after another drop, because another process may have created something since.
    pub fn renew(&self, via: Via, network: Network, kind: EntityKind, seen: Generation, now: Timestamp) -> Renewal {
        let mut eras = self.eras.lock().unwrap_or_else(PoisonError::into_inner);
        let era = eras.entry((via, network)).or_default();
        if era.of(kind) != seen {
            return Renewal::Fresh;
        }
        if let Some(renewed) = era.kinds.get(&kind)
            && now.millis_since(renewed.last) < RENEW_PAUSE_MILLIS
        {
            return Renewal::NotBefore(renewed.last.plus_millis(RENEW_PAUSE_MILLIS));
        }
        // An ad unit gets its platform from its app, which may be just as new.
        for kind in [Some(kind), (kind == EntityKind::AdUnit).then_some(EntityKind::App)].into_iter().flatten() {
            let renewed = era.kinds.entry(kind).or_insert(Renewed { times: 0, last: now });
            *renewed = Renewed { times: renewed.times + 1, last: now };
        }
        Renewal::Fresh
    }

    /// Remembers that a list that was loaded for this ID did not contain it.
    pub async fn note_absent(&self, via: Via, network: Network, kind: EntityKind, id: &str) {
        if id.len() <= MAX_ID {
            self.absent.insert((via, network, kind, id.to_owned()), ()).await;
        }
    }

    pub fn is_absent(&self, via: Via, network: Network, kind: EntityKind, id: &str) -> bool {
        self.absent.contains_key(&(via, network, kind, id.to_owned()))
    }

    async fn get(
        &self,
        place: &Place<'_>,
        kind: EntityKind,
        parent: &str,
        load: BoxFuture<'_, Result<Vec<EntityItem>, ToolError>>,
    ) -> Result<Items, ToolError> {
        let key = Key {
            via: place.via,
            network: place.network,
            generation: self.generation_of(place.via, place.network, kind),
            kind,
            account: place.account.to_owned(),
            parent: parent.to_owned(),
        };
        self.lists.try_get_with(key, load.map_ok(Arc::new)).await.map_err(|error| (*error).clone())
    }
}

/// Checks whether `value`, as an operation takes it, names this item. An AdMob ad unit can be named by its ID, by the last digits of the
/// ID, or by its resource name.
pub fn names(item: &EntityItem, value: &str) -> bool {
    if item.id == value {
        return true;
    }
    if item.kind != EntityKind::AdUnit || item.network != Network::AdMob {
        return false;
    }
    let digits = item.id.rsplit('/').next().unwrap_or_default();
    value == digits
        || value
            .strip_prefix("accounts/")
            .and_then(|rest| rest.split_once("/adUnits/"))
            .is_some_and(|(account, unit)| unit == digits && item.account.as_deref() == Some(account))
}
