//! What waits to be done outside: the engine asks a store for none of it, so nothing of it is simulated.

use adagent_domain::{JobId, MailId, Timestamp, WorkspaceId};
use adagent_store::{
    ClaimedJob, Connection, JobOutcome, MailWrites, NewMail, NewRevocation, Queue, QueueBacklog, QueueReads,
    QueueWrites, Revocation, RevocationReads, RevocationWrites, StoreResult,
};
use async_trait::async_trait;

use super::{SimStore, Unit, writes::not_simulated};

#[async_trait]
impl QueueReads for SimStore {
    async fn job_is_due(&self, _: Queue, _: Timestamp) -> StoreResult<bool> {
        not_simulated()
    }

    async fn queue_backlog(&self, _: Queue) -> StoreResult<QueueBacklog> {
        not_simulated()
    }
}

#[async_trait]
impl QueueWrites for Unit {
    async fn claim_job(&mut self, _: Queue, _: Timestamp, _: Timestamp) -> StoreResult<Option<ClaimedJob>> {
        not_simulated()
    }

    async fn settle_job(&mut self, _: Queue, _: &ClaimedJob, _: &JobOutcome, _: Timestamp) -> StoreResult<bool> {
        not_simulated()
    }
}

#[async_trait]
impl MailWrites for Unit {
    async fn insert_mail(&mut self, _: &NewMail) -> StoreResult<()> {
        not_simulated()
    }

    async fn cancel_mail(&mut self, _: MailId) -> StoreResult<bool> {
        not_simulated()
    }

    async fn revive_mails(&mut self, _: Timestamp) -> StoreResult<u64> {
        not_simulated()
    }
}

#[async_trait]
impl RevocationReads for SimStore {
    async fn list_failed_revocations(&self, _: WorkspaceId, _: u32) -> StoreResult<Vec<Revocation>> {
        not_simulated()
    }

    async fn find_revocation(&self, _: JobId) -> StoreResult<Option<Revocation>> {
        not_simulated()
    }
}

#[async_trait]
impl RevocationWrites for Unit {
    async fn insert_revocation(&mut self, _: &NewRevocation) -> StoreResult<()> {
        not_simulated()
    }

    async fn connections_of(&mut self, _: WorkspaceId) -> StoreResult<Vec<Connection>> {
        not_simulated()
    }

    async fn revocation(&mut self, _: JobId) -> StoreResult<Option<Revocation>> {
        not_simulated()
    }

    async fn forget_revocation(&mut self, _: WorkspaceId, _: JobId) -> StoreResult<bool> {
        not_simulated()
    }
}
