//! The entity registry: what exists on a network, loaded in pages, kept for minutes per connection, loaded once for many askers.
//!
//! It holds what the network said and nothing else; a write or a refresh makes everything known before stale at once.

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

/// A refresh within this time of the last one gives the same answer.
const REFRESH_PAUSE_MILLIS: i64 = 5_000;
/// One kind is loaded again for unknown ids at most this often, however many wrong ones come.
pub const RENEW_PAUSE_MILLIS: i64 = 2_000;
const MAX_ABSENT: u64 = 10_000;
/// Nobody has ids this long; what is longer is not remembered.
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

/// What is known belongs to one connection, as it was since the last change.
#[derive(Debug, Clone, Default)]
struct Era {
    generation: u64,
    since: Option<Timestamp>,
    connection: Option<ConnectionMark>,
    kinds: HashMap<EntityKind, Renewed>,
}

/// How often one kind was loaded again for an unknown id, and when last.
#[derive(Debug, Clone, Copy)]
struct Renewed {
    times: u64,
    last: Timestamp,
}

/// Of everything, and of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Generation(u64, u64);

/// What became of the wish to load a kind again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Renewal {
    /// Whatever is loaded from now on is newer than the wish.
    Fresh,
    /// It was loaded again a moment ago, for somebody else: the wish may come again then.
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
    /// What a list loaded for it just now did not hold. An id is known to nobody before the network gave it out, so what was
    /// not there is not there a moment later.
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

    /// Counts up with every write: part of each cache key, so that a load begun before a write never answers after it.
    pub fn generation(&self, via: Via, network: Network) -> u64 {
        let eras = self.eras.lock().unwrap_or_else(PoisonError::into_inner);
        eras.get(&(via, network)).map_or(0, |era| era.generation)
    }

    /// Everything known so far is stale.
    pub fn forget(&self, via: Via, network: Network, now: Timestamp) {
        let mut eras = self.eras.lock().unwrap_or_else(PoisonError::into_inner);
        eras.entry((via, network)).or_default().renew(now);
    }

    /// Everything known of another connection is stale: the generation in each cache key stands for this one only.
    pub fn belongs_to(&self, via: Via, network: Network, connection: Option<ConnectionMark>, now: Timestamp) {
        let mut eras = self.eras.lock().unwrap_or_else(PoisonError::into_inner);
        let era = eras.entry((via, network)).or_default();
        if era.connection != connection {
            // Before the first one, and without one, nothing was learned.
            if era.connection.is_some() {
                era.renew(now);
            }
            era.connection = connection;
        }
    }

    /// The connection as it was last seen.
    pub fn mark(&self, via: Via, network: Network) -> Option<ConnectionMark> {
        let eras = self.eras.lock().unwrap_or_else(PoisonError::into_inner);
        eras.get(&(via, network))?.connection.clone()
    }

    /// Like `forget`, unless that happened a moment ago. Says whether it did.
    pub fn refresh(&self, via: Via, network: Network, now: Timestamp) -> bool {
        let mut eras = self.eras.lock().unwrap_or_else(PoisonError::into_inner);
        let era = eras.entry((via, network)).or_default();
        if era.since.is_some_and(|since| now.millis_since(since) < REFRESH_PAUSE_MILLIS) {
            return false;
        }
        era.renew(now);
        true
    }

    /// How new the lists of a kind are.
    pub fn generation_of(&self, via: Via, network: Network, kind: EntityKind) -> Generation {
        let eras = self.eras.lock().unwrap_or_else(PoisonError::into_inner);
        eras.get(&(via, network)).map_or(Generation(0, 0), |era| era.of(kind))
    }

    /// Makes the lists of one kind stale, for somebody who did not find an id in those of generation `seen`. Unlike `refresh`
    /// it does not matter when something else was last dropped: another process may have made something since.
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
        // The platform of an ad unit stands at its app, which may be as new.
        for kind in [Some(kind), (kind == EntityKind::AdUnit).then_some(EntityKind::App)].into_iter().flatten() {
            let renewed = era.kinds.entry(kind).or_insert(Renewed { times: 0, last: now });
            *renewed = Renewed { times: renewed.times + 1, last: now };
        }
        Renewal::Fresh
    }

    /// A list loaded for it did not hold this.
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

/// Whether `value`, as an operation takes it, names this item. AdMob's ad units are named by id, by their last digits or by
/// resource.
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
