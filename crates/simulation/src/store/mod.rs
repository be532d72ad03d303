//! A store in memory that behaves like the real engines: transactions, row locks, leases, and commits that are durable or not yet durable.
//!
//! It passes the same conformance suite. It must not be more forgiving than a real engine if the driver could notice.

mod checks;
mod reads;
mod unit;
mod writes;

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use adagent_contract::{RunEvent, RunStatus};
use adagent_domain::{ApprovalId, ChatSessionId, MessageId, RunId, Timestamp, ToolCallId, UserId};
use adagent_store::{
    ApprovalRecord, CallRecord, ChatSession, Checkpoint, EngineStore, EngineUnit, HttpSession, Lease, NewMessage,
    Origin, Run, StoreError, StoreResult, User, Wake,
};
use async_trait::async_trait;
use tokio::sync::broadcast;
use uuid::Uuid;

use crate::{
    process::Process,
    sim::{Sim, lock},
};
pub(crate) use unit::{Unit, short};

/// A row of the runs table, with the fields that only the store uses.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    pub run: Run,
    pub owner: Option<String>,
    pub claim_at: Option<Timestamp>,
    pub woken_at: Option<Timestamp>,
    pub takeovers: u64,
}

impl Row {
    pub fn is_held_by(&self, lease: &Lease) -> bool {
        self.owner.as_deref() == Some(lease.owner.as_str()) && self.run.epoch == lease.epoch
    }
}

pub(crate) const fn is_open(status: RunStatus) -> bool {
    matches!(status, RunStatus::Queued | RunStatus::Running | RunStatus::AwaitingApproval)
}

/// A run with everything that belongs to it.
#[derive(Debug, Clone)]
pub(crate) struct Filed {
    pub row: Row,
    pub calls: Vec<Arc<CallRecord>>,
    pub approvals: Vec<Arc<ApprovalRecord>>,
    pub events: Vec<Arc<RunEvent>>,
    pub checkpoints: Vec<Arc<Checkpoint>>,
}

/// What a commit replaced, so that a power cut can undo it.
pub(crate) type Undo = Vec<(RunId, Option<Arc<Filed>>)>;

#[derive(Default)]
pub(crate) struct Db {
    pub runs: BTreeMap<RunId, Arc<Filed>>,
    pub approvals: BTreeMap<ApprovalId, RunId>,
    pub users: BTreeMap<UserId, User>,
    pub chats: BTreeMap<ChatSessionId, ChatSession>,
    pub messages: BTreeMap<MessageId, NewMessage>,
    pub origins: BTreeMap<RunId, Origin>,
    pub sessions: BTreeMap<String, HttpSession>,
    /// The transaction that holds each locked row.
    pub locks: HashMap<Uuid, u64>,
    /// The process of each transaction.
    pub open: BTreeMap<u64, String>,
    pub units: u64,
    /// Increases when the machine restarts. Transactions from before that are lost.
    pub incarnation: u64,
    /// Commits that are on no disk yet, oldest first.
    pub undo: Vec<Undo>,
    /// For a planted bug: changes that a commit acknowledged but did not carry out.
    pub late: BTreeMap<String, unit::Changes>,
}

impl Db {
    pub fn filed(&self, run: RunId) -> Option<&Arc<Filed>> {
        self.runs.get(&run)
    }

    pub fn approval(&self, id: ApprovalId) -> Option<&Arc<ApprovalRecord>> {
        self.filed(*self.approvals.get(&id)?)?.approvals.iter().find(|record| record.view.id == id)
    }

    /// Returns the calls of the runs that this run was forked from, and of their other forks.
    pub fn of_the_family(&self, run: RunId) -> Vec<ToolCallId> {
        let root = |mut at: RunId| {
            while let Some(origin) = self.origins.get(&at) {
                at = origin.parent;
            }
            at
        };
        let first = root(run);
        let family = self.runs.values().filter(|filed| root(filed.row.run.id) == first);
        family.flat_map(|filed| filed.calls.iter().map(|call| call.id)).collect()
    }
}

/// The store as seen by one process.
pub struct SimStore {
    pub(crate) sim: Arc<Sim>,
    pub(crate) process: Arc<Process>,
}

impl SimStore {
    pub fn new(sim: Arc<Sim>, process: Arc<Process>) -> Self {
        Self { sim, process }
    }

    /// Begins every statement: time passes, and the store may be down.
    pub(crate) async fn cross(&self) -> StoreResult<()> {
        self.sim.cross(&self.process).await;
        if self.sim.store_is_down() { Err(unavailable("it does not answer")) } else { Ok(()) }
    }
}

pub(crate) fn unavailable(why: &str) -> StoreError {
    StoreError::Unavailable(why.to_owned())
}

impl Sim {
    /// Closes the connections of a process that is gone, and rolls back its open transactions.
    pub(crate) fn roll_back_of(&self, process: &Process) {
        let mut db = lock(&self.db);
        let gone: Vec<u64> =
            db.open.iter().filter(|(_, owner)| **owner == process.name).map(|(unit, _)| *unit).collect();
        for unit in gone {
            db.open.remove(&unit);
            db.locks.retain(|_, holder| *holder != unit);
        }
        drop(db);
        self.freed.notify_waiters();
    }

    /// Cuts the power of the database's machine. It comes back without everything that was not on a disk.
    pub(crate) fn cut_power(&self) {
        let mut db = lock(&self.db);
        let kept = self.chance.below(db.undo.len() as u64 + 1);
        let lost = db.undo.split_off(usize::try_from(kept).unwrap_or_default());
        self.note("store", || format!("power cut: {} commits are lost", lost.len()));
        for undo in lost.into_iter().rev() {
            for (run, before) in undo {
                match before {
                    Some(filed) => db.runs.insert(run, filed),
                    None => db.runs.remove(&run),
                };
            }
        }
        db.undo.clear();
        let known: BTreeMap<_, _> = db
            .runs
            .iter()
            .flat_map(|(run, filed)| filed.approvals.iter().map(|record| (record.view.id, *run)))
            .collect();
        db.approvals = known;
        db.incarnation += 1;
        db.open.clear();
        db.locks.clear();
        drop(db);
        self.freed.notify_waiters();
    }
}

#[async_trait]
impl EngineStore for SimStore {
    async fn engine_unit(&self) -> StoreResult<Box<dyn EngineUnit>> {
        self.cross().await?;
        let unit = Unit::begin(Arc::clone(&self.sim), Arc::clone(&self.process));
        if self.sim.plan.one_writer {
            unit.lock(Uuid::nil()).await?;
        }
        Ok(Box::new(unit))
    }

    fn subscribe(&self) -> broadcast::Receiver<Wake> {
        self.sim.wakes.subscribe()
    }
}
