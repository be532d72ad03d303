//! Work to be done outside once its cause is committed: written in the transaction of the cause, claimed for a time, tried again,
//! given up visibly. Whoever claims it holds it until the lease is over; then another one may, because nobody knows what became
//! of it.
//!
//! What a job is about is sealed: the store must never be able to read it.

use adagent_domain::Timestamp;
use async_trait::async_trait;
use uuid::Uuid;

use crate::StoreResult;

/// Which jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Queue {
    Mails,
    /// Consents that are to be taken back at their networks.
    Revocations,
}

/// A job that the caller may do until its lease is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimedJob {
    pub id: Uuid,
    /// A mail's purpose, or the network of a consent.
    pub kind: String,
    pub sealed: String,
    /// This one included; also what tells this claim from an earlier one.
    pub attempts: u32,
    /// Nobody wants it done later than this.
    pub expires_at: Option<Timestamp>,
}

/// What became of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobOutcome {
    Done,
    /// Not now: again from then on.
    Again {
        at: Timestamp,
        error: String,
    },
    /// Never, unless somebody asks for it: `keeps` leaves what is sealed for them.
    GivenUp {
        error: String,
        keeps: bool,
    },
}

/// How a queue is doing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct QueueBacklog {
    pub waiting: u64,
    pub failed: u64,
}

#[async_trait]
pub trait QueueReads {
    /// Whether one may be claimed now.
    async fn job_is_due(&self, queue: Queue, now: Timestamp) -> StoreResult<bool>;
    async fn queue_backlog(&self, queue: Queue) -> StoreResult<QueueBacklog>;
}

#[async_trait]
pub trait QueueWrites {
    /// The longest-waiting one, invitations behind all other mails, until `lease`.
    async fn claim_job(&mut self, queue: Queue, now: Timestamp, lease: Timestamp) -> StoreResult<Option<ClaimedJob>>;
    /// `false` when the claim is not the newest any more; then nothing is written. What is done loses its content.
    async fn settle_job(
        &mut self,
        queue: Queue,
        claimed: &ClaimedJob,
        outcome: &JobOutcome,
        at: Timestamp,
    ) -> StoreResult<bool>;
}
