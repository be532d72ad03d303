//! What hosted models cost a workspace in a day, and what is set aside for running calls.
//!
//! We reserve the cost of a call before it is sent, and settle it with the usage of its run in the same transaction. Both lock the day's
//! row, so all runs and servers together never reserve more than the ceiling. A reservation belongs to one question of its run: the next
//! call for that question replaces it, and settling the question removes it. Questions that run together do not touch each other's
//! reservations. If a worker dies, the worker that takes over the run books its reservation; until then it stays, and it counts until it
//! expires.

use adagent_domain::{RunId, Timestamp, WorkspaceId};
use async_trait::async_trait;

use crate::{Lease, StoreResult};

/// The usage of a workspace on one day. Days are named in the administrator's time zone: `2026-11-22`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DayUsage {
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cost_micros: i64,
    pub calls: u64,
    /// The amount set aside for running calls.
    pub held_micros: i64,
}

/// A number that distinguishes the questions of a run that are open at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct QuestionNumber(pub u32);

impl QuestionNumber {
    /// The number of every question in a run that asks one at a time.
    pub const ONLY: Self = Self(0);
}

/// The highest possible cost of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reservation {
    pub workspace: WorkspaceId,
    pub question: QuestionNumber,
    pub day: String,
    pub model: String,
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cost_micros: i64,
    /// The workspace's limit for that day.
    pub ceiling_micros: i64,
    pub now: Timestamp,
    pub expires_at: Timestamp,
}

/// The amount set aside for a question of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    pub question: QuestionNumber,
    pub model: String,
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cost_micros: i64,
}

/// The result of a reservation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reserved {
    Granted,
    /// The call could exceed the ceiling. Holds the day's usage without it.
    Refused(DayUsage),
}

/// The cost of a run's calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settlement {
    pub workspace: WorkspaceId,
    pub question: QuestionNumber,
    /// The day to book on if nothing is set aside for the question; otherwise the reservation says the day.
    pub day: String,
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cost_micros: i64,
    pub calls: u64,
}

#[async_trait]
pub trait UsageReads {
    async fn find_usage(&self, workspace: WorkspaceId, day: &str, now: Timestamp) -> StoreResult<DayUsage>;

    /// Lists what the run has set aside, however long ago, by question, for the worker that takes it over.
    async fn list_held(&self, run: RunId) -> StoreResult<Vec<Held>>;
}

#[async_trait]
pub trait UsageWrites {
    /// Sets the cost aside and replaces what this question had set aside before, unless the ceiling could be exceeded. Needs the lease.
    async fn reserve_usage(&mut self, lease: &Lease, wanted: &Reservation) -> StoreResult<Reserved>;

    /// Books the cost and removes the question's reservation. Call it after writing the run's own row, because the day's row is always
    /// locked after that one.
    async fn settle_usage(&mut self, lease: &Lease, settled: &Settlement) -> StoreResult<()>;

    /// Removes the reservation of a question, if there is one, because nothing was spent.
    async fn release_usage(&mut self, run: RunId, question: QuestionNumber) -> StoreResult<()>;
}
