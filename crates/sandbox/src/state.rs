//! What the sandbox holds: seeded objects, objects created since, writes received, tokens, faults.
//!
//! Every change goes to the journal first; memory follows only when it is on disk.

use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use tokio_util::sync::CancellationToken;

use crate::data::apps::{self, SeedUnit};
use crate::data::figures::{self, Leaf};
use crate::data::groups;
use crate::faults::Faults;
use crate::journal::{Effect, Entry, Journal, WriteRecord};
use crate::quota::Buckets;
use crate::tokens::Tokens;
use crate::wire::{AdUnit, AdUnitMapping, App, Experiment, MediationGroup};
use crate::{SandboxConfig, SandboxError};

/// Objects as they are now.
pub struct Objects {
    pub apps: Vec<App>,
    pub ad_units: Vec<AdUnit>,
    pub mappings: Vec<AdUnitMapping>,
    pub groups: Vec<MediationGroup>,
    pub experiments: Vec<Experiment>,
}

impl Objects {
    fn seeded(units: &[SeedUnit]) -> Self {
        let mediation = groups::seed(units);
        Self {
            apps: apps::APPS.iter().map(apps::SeedApp::wire).collect(),
            ad_units: units.iter().map(|unit| unit.wire.clone()).collect(),
            mappings: mediation.mappings,
            groups: mediation.groups,
            experiments: mediation.experiments,
        }
    }

    fn apply(&mut self, effect: Effect) {
        match effect {
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
}

impl Store {
    fn replay(&mut self, entry: Entry) {
        match entry {
            Entry::Write { record, effects } => {
                self.writes.push(*record);
                for effect in effects {
                    self.objects.apply(effect);
                }
            }
            Entry::Grant(grant) => {
                self.tokens.grants.insert(grant.id.clone(), grant);
            }
            Entry::Access(access) => {
                self.tokens.access.insert(access.token.clone(), access);
            }
            Entry::Revoked { grant } => self.tokens.revoke(&grant),
        }
    }

    /// Puts an entry on disk, then into memory.
    pub fn commit(&mut self, entry: Entry) -> std::io::Result<()> {
        self.journal.append(&entry)?;
        self.replay(entry);
        Ok(())
    }

    /// Back to the seeded objects without writes; consents stay, so that connected workspaces go on working.
    pub fn reset(&mut self, units: &[SeedUnit]) -> std::io::Result<()> {
        let mut kept: Vec<Entry> = self.tokens.grants.values().cloned().map(Entry::Grant).collect();
        kept.extend(self.tokens.access.values().cloned().map(Entry::Access));
        self.journal.rewrite(&kept)?;
        self.objects = Objects::seeded(units);
        self.writes.clear();
        Ok(())
    }
}

/// Everything behind the routes.
pub struct Inner {
    pub config: SandboxConfig,
    pub units: Vec<SeedUnit>,
    pub leaves: Vec<Leaf>,
    pub shutdown: CancellationToken,
    store: Mutex<Store>,
    faults: Mutex<Faults>,
    quota: Mutex<Buckets>,
}

impl Inner {
    pub fn open(config: SandboxConfig) -> Result<Self, SandboxError> {
        let (journal, entries) = Journal::open(&config.data_dir)?;
        let units = apps::units();
        let leaves = figures::leaves(&units);
        let mut store =
            Store { journal, objects: Objects::seeded(&units), writes: Vec::new(), tokens: Tokens::default() };
        for entry in entries {
            store.replay(entry);
        }
        let quota = Mutex::new(Buckets::new(config.quota));
        let shutdown = CancellationToken::new();
        Ok(Self { config, units, leaves, shutdown, store: Mutex::new(store), faults: Mutex::default(), quota })
    }

    pub fn now(&self) -> Timestamp {
        (self.config.now)()
    }

    /// A poisoned lock means a panic in a pure check: what is stored is still whole.
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
