//! What hosted models cost a workspace in a day, and what is set aside for calls under way.
//!
//! A call is reserved before it goes out and settled with the usage of its run, in the same transaction. The day's row is
//! locked by both, so however many runs and servers reserve at once, together they never promise more than the ceiling. A
//! reservation belongs to a question of its run: the next one for that question replaces it, and it is gone once the question was
//! settled. Questions that are under way together do not touch each other's. One whose worker died is booked by who takes the run
//! over; until then it stays, and counts as long as its time is not over.

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

/// Tells apart the questions of a run that are under way at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct QuestionNumber(pub u32);

impl QuestionNumber {
    /// Of a run that asks one question at a time, each of them.
    pub const ONLY: Self = Self(0);
}

/// The most that a question of a run can cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reservation {
    pub workspace: WorkspaceId,
    pub question: QuestionNumber,
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

/// What is set aside for a question of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    pub question: QuestionNumber,
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
    pub question: QuestionNumber,
    /// The day to book on when nothing is set aside for the question, which else says it.
    pub day: String,
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cost_micros: i64,
    pub calls: u64,
}

#[async_trait]
pub trait UsageReads {
    async fn find_usage(&self, workspace: WorkspaceId, day: &str, now: Timestamp) -> StoreResult<DayUsage>;

    /// What the run has set aside, however long ago, by question; for who took it over.
    async fn list_held(&self, run: RunId) -> StoreResult<Vec<Held>>;
}

#[async_trait]
pub trait UsageWrites {
    /// Sets the cost aside in place of what was set aside for this question before, unless the ceiling could break; needs the
    /// lease.
    async fn reserve_usage(&mut self, lease: &Lease, wanted: &Reservation) -> StoreResult<Reserved>;

    /// Books what was spent and removes the reservation of the question. To be called after the run's own row was written: the day's row
    /// is always locked after it.
    async fn settle_usage(&mut self, lease: &Lease, settled: &Settlement) -> StoreResult<()>;

    /// Removes the reservation of a question, if there is one: nothing of it was spent.
    async fn release_usage(&mut self, run: RunId, question: QuestionNumber) -> StoreResult<()>;
}
