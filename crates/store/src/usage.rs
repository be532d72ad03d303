//! What hosted models cost a workspace in a day, and what is set aside for calls under way.
//!
//! A call is reserved before it goes out and settled with the usage of its run, in the same transaction. The day's row is
//! locked by both, so however many runs and servers reserve at once, together they never promise more than the ceiling. A
//! reservation belongs to its run: the next one replaces it, and it is gone once its question was settled or the run given back.
//! One whose worker died is booked by who takes the run over; until then it stays, and counts as long as its time is not over.

use adagent_domain::{RunId, Timestamp, WorkspaceId};
use async_trait::async_trait;

use crate::{Lease, StoreResult};

/// A workspace's day. Days are named as the operator's time zone has them: `2026-11-22`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DayUsage {
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cost_micros: i64,
    pub calls: u64,
    /// Set aside for calls under way.
    pub held_micros: i64,
}

/// The most that the next call of a run can cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reservation {
    pub workspace: WorkspaceId,
    pub day: String,
    pub model: String,
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cost_micros: i64,
    /// What the workspace may spend that day.
    pub ceiling_micros: i64,
    pub now: Timestamp,
    pub expires_at: Timestamp,
}

/// What is set aside for a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    pub model: String,
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cost_micros: i64,
}

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reserved {
    Granted,
    /// The ceiling could break; this is how the day stands without the refused call.
    Refused(DayUsage),
}

/// What calls of a run cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settlement {
    pub workspace: WorkspaceId,
    /// The day to book on when the run has no reservation, which else says it.
    pub day: String,
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cost_micros: i64,
    pub calls: u64,
}

#[async_trait]
pub trait UsageReads {
    async fn find_usage(&self, workspace: WorkspaceId, day: &str, now: Timestamp) -> StoreResult<DayUsage>;

    /// What the run has set aside, however long ago; for who took it over.
    async fn find_held(&self, run: RunId) -> StoreResult<Option<Held>>;
}

#[async_trait]
pub trait UsageWrites {
    /// Sets the cost aside in place of what the run had set aside before, unless the ceiling could break; needs the lease.
    async fn reserve_usage(&mut self, lease: &Lease, wanted: &Reservation) -> StoreResult<Reserved>;

    /// Books what was spent and removes the run's reservation. To be called after the run's own row was written: the day's row
    /// is always locked after it.
    async fn settle_usage(&mut self, lease: &Lease, settled: &Settlement) -> StoreResult<()>;

    /// Removes the run's reservation, if it has one: nothing of it was spent, or its run is over.
    async fn release_usage(&mut self, run: RunId) -> StoreResult<()>;
}
