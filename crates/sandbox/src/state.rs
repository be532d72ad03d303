//! The state of the sandbox: objects from the start, objects created since, writes received, tokens, faults.
//!
//! Every change goes to the journal first. The memory changes only after the journal is on disk.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use jiff::civil::Date;
use tokio_util::sync::CancellationToken;

use crate::faults::Faults;
use crate::journal::{Effect, Entry, Journal, WriteRecord};
use crate::networks::Seeds;
use crate::networks::admob::groups;
use crate::networks::admob::tokens::Tokens;
use crate::networks::admob::wire::{AdUnit, AdUnitMapping, App, Experiment, MediationGroup};
use crate::quota::Buckets;
use crate::seen::Seen;
use crate::shelves::Shelves;
use crate::world::apps::{self, SeedUnit};
use crate::world::figures::{self, Leaf};
use crate::{SandboxConfig, SandboxError};

/// The current objects.
pub struct Objects {
    pub apps: Vec<App>,
    pub ad_units: Vec<AdUnit>,
    pub mappings: Vec<AdUnitMapping>,
    pub groups: Vec<MediationGroup>,
    pub experiments: Vec<Experiment>,
    /// The objects of all other networks.
    pub shelves: Shelves,
}

impl Objects {
    fn seeded(units: &[SeedUnit], leaves: &[Leaf]) -> Self {
        let mediation = groups::seed(units);
        Self {
            apps: apps::APPS.iter().map(apps::SeedApp::wire).collect(),
            ad_units: units.iter().map(|unit| unit.wire.clone()).collect(),
            mappings: mediation.mappings,
            groups: mediation.groups,
            experiments: mediation.experiments,
            shelves: Shelves::seeded(&Seeds { units, leaves }),
        }
    }

    fn apply(&mut self, effect: Effect) {
        match effect {
            Effect::Put { network, shelf, id, object } => self.shelves.put(&network, &shelf, id, object),
            Effect::Drop { network, shelf, id } => self.shelves.remove(&network, &shelf, &id),
            Effect::App(app) => put(&mut self.apps, app, |it| &it.name),
            Effect::AdUnit(unit) => put(&mut self.ad_units, unit, |it| &it.name),
            Effect::Mapping(mapping) => put(&mut self.mappings, mapping, |it| &it.name),
            Effect::Group(group) => put(&mut self.groups, group, |it| &it.name),
            Effect::Experiment(experiment) => put(&mut self.experiments, experiment, |it| &it.name),
        }
    }
}

fn put<T>(list: &mut Vec<T>, item: T, name: impl Fn(&T) -> &str) {
    match list.iter().position(|it| name(it) == name(&item)) {
        Some(at) => list[at] = item,
        None => list.push(item),
    }
}

pub struct Store {
    journal: Journal,
    pub objects: Objects,
    pub writes: Vec<WriteRecord>,
    pub tokens: Tokens,
    /// The lowest number of valid tokens, for each network.
    generations: HashMap<String, u64>,
    /// The networks whose published credentials are no longer valid.
    revoked: HashSet<String>,
}

impl Store {
    /// Returns the number that valid tokens of this network carry.
    pub fn generation(&self, network: &str) -> u64 {
        self.generations.get(network).copied().unwrap_or(0)
    }

    pub fn keys_revoked(&self, network: &str) -> bool {
        self.revoked.contains(network)
    }

    /// Returns the number of the next write; new objects derive their IDs from it.
    pub fn next_seq(&self) -> u64 {
        self.writes.last().map_or(1, |last| last.seq + 1)
    }

    fn replay(&mut self, entry: Entry) {
        match entry {
            Entry::Write { record, effects } => {
                self.writes.push(*record);
                for effect in effects {
                    self.objects.apply(effect);
                }
            }
            Entry::Kept { effects } => effects.into_iter().for_each(|effect| self.objects.apply(effect)),
            Entry::Grant(grant) => {
                self.tokens.grants.insert(grant.id.clone(), grant);
            }
            Entry::Access(access) => {
                self.tokens.access.insert(access.token.clone(), access);
            }
            Entry::Revoked { grant } => self.tokens.revoke(&grant),
            Entry::Generation { network, number } => {
                self.generations.insert(network, number);
            }
            Entry::KeysRevoked { network } => {
                self.revoked.insert(network);
            }
        }
    }

    /// Puts an entry on disk, then into memory.
    pub fn commit(&mut self, entry: Entry) -> std::io::Result<()> {
        self.journal.append(&entry)?;
        self.replay(entry);
        Ok(())
    }

    /// Resets the objects to the start and drops all writes. Consents stay, so that connected workspaces keep working.
    pub fn reset(&mut self, units: &[SeedUnit], leaves: &[Leaf]) -> std::io::Result<()> {
        let mut kept: Vec<Entry> = self.tokens.grants.values().cloned().map(Entry::Grant).collect();
        let generations = self.generations.iter();
        kept.extend(
            generations.map(|(network, number)| Entry::Generation { network: network.clone(), number: *number }),
        );
        kept.extend(self.tokens.access.values().cloned().map(Entry::Access));
        self.journal.rewrite(&kept)?;
        self.objects = Objects::seeded(units, leaves);
        self.writes.clear();
        self.revoked.clear();
        Ok(())
    }
}

/// Everything that the routes use.
pub struct Inner {
    pub config: SandboxConfig,
    pub units: Vec<SeedUnit>,
    pub leaves: Vec<Leaf>,
    pub shutdown: CancellationToken,
    store: Mutex<Store>,
    faults: Mutex<Faults>,
    quota: Mutex<Buckets>,
    seen: Mutex<Seen>,
}

impl Inner {
    pub fn open(config: SandboxConfig) -> Result<Self, SandboxError> {
        let (journal, entries) = Journal::open(&config.data_dir)?;
        let units = apps::units();
        let leaves = figures::leaves(&units);
        let mut store = Store {
            journal,
            objects: Objects::seeded(&units, &leaves),
            writes: Vec::new(),
            tokens: Tokens::default(),
            generations: HashMap::new(),
            revoked: HashSet::new(),
        };
        for entry in entries {
            store.replay(entry);
        }
        let quota = Mutex::new(Buckets::new(config.quota));
        let shutdown = CancellationToken::new();
        Ok(Self {
            config,
            units,
            leaves,
            shutdown,
            store: Mutex::new(store),
            faults: Mutex::default(),
            quota,
            seen: Mutex::default(),
        })
    }

    pub fn now(&self) -> Timestamp {
        (self.config.now)()
    }

    /// Returns today and the hours of it that have passed.
    pub fn clock(&self) -> (Date, usize) {
        let now = self.now().to_zoned(jiff::tz::TimeZone::UTC);
        (now.date(), usize::from(now.hour().unsigned_abs()))
    }

    pub fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks the store. A poisoned lock means that a check panicked; checks change nothing, so the data is still whole.
    pub fn store(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn faults(&self) -> MutexGuard<'_, Faults> {
        self.faults.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn quota(&self) -> MutexGuard<'_, Buckets> {
        self.quota.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
