//! Organisations: the engine asks a store for nothing of them, so nothing of them is simulated.

use adagent_domain::{ChatSessionId, InvitationId, InviteLinkId, MailId, Role, RunId, Timestamp, UserId, WorkspaceId};
use adagent_store::{
    Invitation, InvitationStatus, InviteLink, ListedInvitation, Member, Membership, OrganizationReads,
    OrganizationWrites, ReceivedInvitation, StoreResult, Workspace,
};
use async_trait::async_trait;

use super::{SimStore, Unit, writes::not_simulated};

#[async_trait]
impl OrganizationReads for SimStore {
    async fn list_members(&self, _: WorkspaceId, _: u32) -> StoreResult<Vec<Member>> {
        not_simulated()
    }

    async fn count_members(&self, _: WorkspaceId) -> StoreResult<u64> {
        not_simulated()
    }

    async fn place_of_chat(&self, _: UserId, _: ChatSessionId) -> StoreResult<Option<WorkspaceId>> {
        not_simulated()
    }

    async fn place_of_run(&self, _: UserId, _: RunId) -> StoreResult<Option<WorkspaceId>> {
        not_simulated()
    }

    async fn list_invitations(&self, _: WorkspaceId, _: Timestamp, _: u32) -> StoreResult<Vec<ListedInvitation>> {
        not_simulated()
    }

    async fn list_received_invitations(&self, _: &str, _: Timestamp, _: u32) -> StoreResult<Vec<ReceivedInvitation>> {
        not_simulated()
    }

    async fn find_invitation(&self, _: InvitationId) -> StoreResult<Option<Invitation>> {
        not_simulated()
    }

    async fn list_invite_links(&self, _: WorkspaceId, _: Timestamp, _: u32) -> StoreResult<Vec<InviteLink>> {
        not_simulated()
    }

    async fn find_invite_link(&self, _: &str) -> StoreResult<Option<(InviteLink, Workspace)>> {
        not_simulated()
    }
}

#[async_trait]
impl OrganizationWrites for Unit {
    async fn insert_organization(&mut self, _: &Workspace, _: UserId) -> StoreResult<()> {
        not_simulated()
    }

    async fn lock_organization(&mut self, _: WorkspaceId) -> StoreResult<Option<Workspace>> {
        not_simulated()
    }

    async fn lock_workspace(&mut self, _: WorkspaceId) -> StoreResult<bool> {
        not_simulated()
    }

    async fn rename_organization(&mut self, _: WorkspaceId, _: &str) -> StoreResult<()> {
        not_simulated()
    }

    async fn delete_organization(&mut self, _: WorkspaceId) -> StoreResult<()> {
        not_simulated()
    }

    async fn lock_user(&mut self, _: UserId) -> StoreResult<()> {
        not_simulated()
    }

    async fn count_owned(&mut self, _: UserId) -> StoreResult<u64> {
        not_simulated()
    }

    async fn membership(&mut self, _: WorkspaceId, _: UserId) -> StoreResult<Option<Membership>> {
        not_simulated()
    }

    async fn count_people(&mut self, _: WorkspaceId, _: Timestamp) -> StoreResult<u64> {
        not_simulated()
    }

    async fn insert_member(&mut self, _: WorkspaceId, _: UserId, _: Role, _: Timestamp) -> StoreResult<bool> {
        not_simulated()
    }

    async fn change_role(&mut self, _: WorkspaceId, _: UserId, _: Role, _: Role) -> StoreResult<bool> {
        not_simulated()
    }

    async fn transfer_ownership(&mut self, _: WorkspaceId, _: UserId, _: UserId) -> StoreResult<bool> {
        not_simulated()
    }

    async fn delete_member(&mut self, _: WorkspaceId, _: UserId) -> StoreResult<bool> {
        not_simulated()
    }

    async fn insert_invitation(&mut self, _: &Invitation) -> StoreResult<()> {
        not_simulated()
    }

    async fn invitation(&mut self, _: InvitationId) -> StoreResult<Option<Invitation>> {
        not_simulated()
    }

    async fn pending_invitation(&mut self, _: WorkspaceId, _: &str) -> StoreResult<Option<Invitation>> {
        not_simulated()
    }

    async fn settle_invitation(&mut self, _: InvitationId, _: InvitationStatus, _: Timestamp) -> StoreResult<bool> {
        not_simulated()
    }

    async fn revoke_invitations_of(&mut self, _: WorkspaceId, _: UserId, _: Timestamp) -> StoreResult<u64> {
        not_simulated()
    }

    async fn remail_invitation(&mut self, _: InvitationId, _: MailId, _: Timestamp, _: Timestamp) -> StoreResult<bool> {
        not_simulated()
    }

    async fn insert_invite_link(&mut self, _: &InviteLink, _: &str) -> StoreResult<()> {
        not_simulated()
    }

    async fn count_invite_links(&mut self, _: WorkspaceId, _: Timestamp) -> StoreResult<u64> {
        not_simulated()
    }

    async fn deactivate_invite_link(&mut self, _: WorkspaceId, _: InviteLinkId, _: Timestamp) -> StoreResult<bool> {
        not_simulated()
    }

    async fn deactivate_invite_links(&mut self, _: WorkspaceId, _: Timestamp) -> StoreResult<u64> {
        not_simulated()
    }

    async fn use_invite_link(&mut self, _: InviteLinkId, _: Timestamp) -> StoreResult<bool> {
        not_simulated()
    }
}
