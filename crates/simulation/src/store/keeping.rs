//! What operators and people ask of a store beside the engine's work: of it only the audit log is simulated, without its chain.

use adagent_domain::{Timestamp, UserId, WorkspaceId};
use adagent_store::{
    AuditEntry, AuditFilter, AuditHead, AuditReads, AuditRecord, AuditWrites, DeletedUser, ExportMark, ExportSection,
    ExportedRow, Owned, PrivacyReads, PrivacyWrites, SealedColumn, SealedKey, SealedReads, SealedRow, SealedWrites,
    StoreResult, User, WorkspaceRetention,
};
use async_trait::async_trait;

use super::{SimStore, Unit, reads::at_most, writes::not_simulated};

#[async_trait]
impl SealedReads for SimStore {
    async fn list_sealed(&self, _: SealedColumn, _: Option<&SealedKey>, _: u32) -> StoreResult<Vec<SealedRow>> {
        not_simulated()
    }

    async fn find_sealed(&self, _: SealedColumn, _: &SealedKey) -> StoreResult<Option<SealedRow>> {
        not_simulated()
    }
}

#[async_trait]
impl SealedWrites for Unit {
    async fn reseal(&mut self, _: SealedColumn, _: &SealedRow, _: &str) -> StoreResult<bool> {
        not_simulated()
    }
}

#[async_trait]
impl AuditReads for SimStore {
    async fn list_audit(&self, _: WorkspaceId, limit: u32) -> StoreResult<Vec<AuditEntry>> {
        self.read(|db| db.audit.iter().rev().take(at_most(limit)).cloned().collect()).await
    }

    async fn list_audit_records(&self, _: WorkspaceId, _: &AuditFilter, _: u32) -> StoreResult<Vec<AuditRecord>> {
        not_simulated()
    }

    async fn list_audit_chain(&self, _: WorkspaceId, _: u64, _: u32) -> StoreResult<Vec<AuditRecord>> {
        not_simulated()
    }

    async fn find_audit_head(&self, _: WorkspaceId) -> StoreResult<Option<AuditHead>> {
        not_simulated()
    }

    async fn count_unchained_audit(&self, _: WorkspaceId) -> StoreResult<u64> {
        not_simulated()
    }

    async fn list_audit_workspaces(&self, _: Option<WorkspaceId>, _: u32) -> StoreResult<Vec<WorkspaceId>> {
        not_simulated()
    }

    async fn list_ownerless_audits(&self, _: Option<WorkspaceId>, _: u32) -> StoreResult<Vec<WorkspaceId>> {
        not_simulated()
    }
}

#[async_trait]
impl AuditWrites for Unit {
    async fn insert_audit(&mut self, entry: &AuditEntry) -> StoreResult<()> {
        self.cross().await?;
        self.changes.audit.push(entry.clone());
        Ok(())
    }

    async fn prune_audit(&mut self, _: WorkspaceId, _: Timestamp, _: u32) -> StoreResult<u64> {
        not_simulated()
    }

    async fn entomb_audit(&mut self, _: WorkspaceId, _: u32) -> StoreResult<u64> {
        not_simulated()
    }

    async fn set_audit_verified(&mut self, _: WorkspaceId, _: u64, _: &str) -> StoreResult<()> {
        not_simulated()
    }

    async fn delete_audit(&mut self, _: WorkspaceId) -> StoreResult<()> {
        not_simulated()
    }
}

#[async_trait]
impl PrivacyReads for SimStore {
    async fn export_page(&self, _: UserId, _: ExportSection, _: ExportMark, _: u32) -> StoreResult<Vec<ExportedRow>> {
        not_simulated()
    }

    async fn find_retention(&self, _: WorkspaceId) -> StoreResult<WorkspaceRetention> {
        not_simulated()
    }

    async fn list_retention(
        &self,
        _: Option<WorkspaceId>,
        _: u32,
    ) -> StoreResult<Vec<(WorkspaceId, WorkspaceRetention)>> {
        not_simulated()
    }
}

#[async_trait]
impl PrivacyWrites for Unit {
    async fn rename_user(&mut self, _: UserId, _: &str) -> StoreResult<()> {
        not_simulated()
    }

    async fn owned_organizations(&mut self, _: UserId) -> StoreResult<Vec<Owned>> {
        not_simulated()
    }

    async fn stop_runs_of(&mut self, _: UserId) -> StoreResult<u64> {
        not_simulated()
    }

    async fn close_workspace(&mut self, _: WorkspaceId) -> StoreResult<bool> {
        not_simulated()
    }

    async fn erase_user(&mut self, _: &User, _: Option<&str>, _: &DeletedUser) -> StoreResult<()> {
        not_simulated()
    }

    async fn put_retention(&mut self, _: WorkspaceId, _: &WorkspaceRetention, _: Timestamp) -> StoreResult<()> {
        not_simulated()
    }
}
