//! A transaction with what happens at its end (wakes, audit entries), and the lease that it checked.

use adagent_domain::{LaneId, RunId};
use adagent_store::{AuditEntry, EngineUnit, Lease, StoreResult, UnitOfWork, Wake};
use async_trait::async_trait;

use crate::{
    connection::{Connection, Transaction},
    engine::Hub,
};

/// A transaction that rolls back if it is dropped without `commit`.
pub struct Unit {
    transaction: Transaction,
    hub: Hub,
    wakes: Vec<Wake>,
    durable: bool,
    /// The lease whose row this transaction has locked. After one check it stays ours until the end.
    held: Option<Lease>,
    /// The lane that this transaction has locked: nobody else can begin runs in it until the end.
    lane: Option<LaneId>,
    /// Entries for the audit log. We write them last.
    audit: Vec<AuditEntry>,
}

impl Unit {
    pub(crate) const fn new(transaction: Transaction, hub: Hub) -> Self {
        Self { transaction, hub, wakes: Vec::new(), durable: false, held: None, lane: None, audit: Vec::new() }
    }

    pub(crate) fn connection(&mut self) -> &mut Connection {
        self.transaction.connection()
    }

    pub(crate) fn holds(&self, lease: &Lease) -> bool {
        self.held
            .as_ref()
            .is_some_and(|held| held.run == lease.run && held.epoch == lease.epoch && held.owner == lease.owner)
    }

    /// Checks whether this transaction has checked a lease of this run.
    pub(crate) fn holds_run(&self, run: RunId) -> bool {
        self.held.as_ref().is_some_and(|held| held.run == run)
    }

    pub(crate) fn remember(&mut self, lease: &Lease) {
        if !self.holds(lease) {
            self.held = Some(lease.clone());
        }
    }

    pub(crate) fn owns_lane(&self, lane: LaneId) -> bool {
        self.lane == Some(lane)
    }

    pub(crate) fn owns_a_lane(&self) -> bool {
        self.lane.is_some()
    }

    pub(crate) fn remember_lane(&mut self, lane: LaneId) {
        self.lane = Some(lane);
    }

    pub(crate) fn note(&mut self, entry: AuditEntry) {
        self.audit.push(entry);
    }

    pub(crate) fn take_audit(&mut self) -> Vec<AuditEntry> {
        std::mem::take(&mut self.audit)
    }

    pub(crate) fn forget(&mut self) {
        self.held = None;
    }
}

#[async_trait]
impl EngineUnit for Unit {
    fn wake(&mut self, wake: Wake) {
        if !self.wakes.contains(&wake) {
            self.wakes.push(wake);
        }
    }

    fn durable(&mut self) {
        self.durable = true;
    }

    async fn commit(mut self: Box<Self>) -> StoreResult<()> {
        self.append_audit().await?;
        let Self { transaction, hub, wakes, durable, .. } = *self;
        hub.commit(transaction, &wakes, durable).await
    }
}

impl UnitOfWork for Unit {}
