//! Work to do outside the database after its cause is committed. We write a job in the transaction that causes it; a worker claims it for a
//! time, tries it again after a failure, and gives up visibly. A worker holds a job until its lease ends. After that another worker may
//! claim it, because nobody knows what happened to it.
//!
//! The subject of a job is sealed: the store must never be able to read it.

use adagent_domain::Timestamp;
use async_trait::async_trait;
use uuid::Uuid;

use crate::StoreResult;

/// A kind of job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Queue {
    Mails,
    /// Network access that we must revoke.
    Revocations,
}

/// A job that the caller may do until its lease ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimedJob {
    pub id: Uuid,
    /// An email's purpose, or the network of an access to revoke.
    pub kind: String,
    pub sealed: String,
    /// How many attempts there were, including this one. It also distinguishes this claim from earlier ones.
    pub attempts: u32,
    /// After this time the job is no longer useful.
    pub expires_at: Option<Timestamp>,
}

/// The outcome of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobOutcome {
    Done,
    /// The attempt failed for now: try again from `at` on.
    Again {
        at: Timestamp,
        error: String,
    },
    /// The attempt failed for good, unless somebody restarts the job. With `keeps`, the sealed content stays for that.
    GivenUp {
        error: String,
        keeps: bool,
    },
}

/// The state of a queue.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct QueueBacklog {
    pub waiting: u64,
    pub failed: u64,
}

#[async_trait]
pub trait QueueReads {
    /// Checks whether a job can be claimed now.
    async fn job_is_due(&self, queue: Queue, now: Timestamp) -> StoreResult<bool>;
    async fn queue_backlog(&self, queue: Queue) -> StoreResult<QueueBacklog>;
}

#[async_trait]
pub trait QueueWrites {
    /// Claims the longest-waiting job until `lease`. Invitations come after all other emails.
    async fn claim_job(&mut self, queue: Queue, now: Timestamp, lease: Timestamp) -> StoreResult<Option<ClaimedJob>>;
    /// Settles a job. Returns `false` and writes nothing if the claim is no longer the newest. A done job loses its content.
    async fn settle_job(
        &mut self,
        queue: Queue,
        claimed: &ClaimedJob,
        outcome: &JobOutcome,
        at: Timestamp,
    ) -> StoreResult<bool>;
}
