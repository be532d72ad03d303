//! What waits to be done outside, and what home keeps: the engine asks a store for none of it, so nothing of it is simulated.

use adagent_domain::{ChatSessionId, JobId, MailId, SavedQuestionId, Timestamp, UserId, WorkspaceId};
use adagent_store::{
    ClaimedJob, Connection, HomeReading, HomeReads, HomeWrites, JobOutcome, MailWrites, NewMail, NewRevocation, Queue,
    QueueBacklog, QueueReads, QueueWrites, Revocation, RevocationReads, RevocationWrites, SavedQuestion, SavedReads,
    SavedWrites, StoreResult,
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

#[async_trait]
impl HomeReads for SimStore {
    async fn list_home_readings(&self, _: WorkspaceId, _: UserId, _: u32) -> StoreResult<Vec<HomeReading>> {
        not_simulated()
    }
}

#[async_trait]
impl HomeWrites for Unit {
    async fn mark_home_chat(
        &mut self,
        _: WorkspaceId,
        _: UserId,
        _: ChatSessionId,
        _: &str,
        _: &str,
    ) -> StoreResult<()> {
        not_simulated()
    }

    async fn forget_home_readings(
        &mut self,
        _: WorkspaceId,
        _: UserId,
        _: &str,
        _: ChatSessionId,
        _: Timestamp,
    ) -> StoreResult<u64> {
        not_simulated()
    }
}

#[async_trait]
impl SavedReads for SimStore {
    async fn list_saved_questions(&self, _: WorkspaceId, _: UserId, _: u32) -> StoreResult<Vec<SavedQuestion>> {
        not_simulated()
    }
}

#[async_trait]
impl SavedWrites for Unit {
    async fn insert_saved_question(&mut self, _: &SavedQuestion, _: u32) -> StoreResult<bool> {
        not_simulated()
    }

    async fn update_saved_question(
        &mut self,
        _: WorkspaceId,
        _: UserId,
        _: SavedQuestionId,
        _: Option<&str>,
        _: Option<bool>,
        _: Timestamp,
    ) -> StoreResult<bool> {
        not_simulated()
    }

    async fn delete_saved_question(&mut self, _: WorkspaceId, _: UserId, _: SavedQuestionId) -> StoreResult<bool> {
        not_simulated()
    }
}
