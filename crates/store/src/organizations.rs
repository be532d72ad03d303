//! Organisations: members, invitations by e-mail, shareable links.
//!
//! An organisation has exactly one owner at the end of every transaction: an index allows no second one, and no statement here
//! takes the first away but the one that makes another.

use adagent_domain::{ChatSessionId, InvitationId, InviteLinkId, MailId, Role, RunId, Timestamp, UserId, WorkspaceId};
use async_trait::async_trait;

use crate::{MailState, Membership, StoreResult, Workspace};

/// Somebody in an organisation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    pub user: UserId,
    pub name: String,
    pub email: String,
    pub role: Role,
    pub joined_at: Timestamp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InvitationStatus {
    Pending,
    Accepted,
    Rejected,
    Revoked,
}

impl InvitationStatus {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Accepted => "accepted",
            Self::Rejected => "rejected",
            Self::Revoked => "revoked",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        [Self::Pending, Self::Accepted, Self::Rejected, Self::Revoked]
            .into_iter()
            .find(|status| status.as_str() == word)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invitation {
    pub id: InvitationId,
    pub workspace: WorkspaceId,
    /// As typed.
    pub email: String,
    /// As it is compared.
    pub email_key: String,
    pub role: Role,
    pub status: InvitationStatus,
    pub invited_by: UserId,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
    /// The newest mail about it, when that was queued, and the how-manieth it is.
    pub mail: MailId,
    pub mailed_at: Timestamp,
    pub mails: u32,
}

/// An invitation as its organisation sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedInvitation {
    pub invitation: Invitation,
    /// `None` when that person is gone.
    pub invited_by_name: Option<String>,
    /// `None` when the queue has forgotten it: then it was sent long ago.
    pub mail_state: Option<MailState>,
    /// What kept it from leaving the last time; for operators, without address or text.
    pub mail_error: Option<String>,
}

/// An invitation as the invited person sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedInvitation {
    pub invitation: Invitation,
    pub organization: String,
    pub invited_by_name: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InviteLink {
    pub id: InviteLinkId,
    pub workspace: WorkspaceId,
    pub role: Role,
    /// The token, for those who may copy the link again.
    pub sealed: String,
    pub created_by: UserId,
    pub created_at: Timestamp,
    pub expires_at: Option<Timestamp>,
    pub max_uses: Option<u32>,
    pub uses: u32,
    pub deactivated_at: Option<Timestamp>,
}

#[async_trait]
pub trait OrganizationReads {
    /// Owner first, then admins, then members, each by name.
    async fn list_members(&self, workspace: WorkspaceId, limit: u32) -> StoreResult<Vec<Member>>;
    async fn count_members(&self, workspace: WorkspaceId) -> StoreResult<u64>;
    /// Where this person's chat is, if they are a member there.
    async fn place_of_chat(&self, user: UserId, id: ChatSessionId) -> StoreResult<Option<WorkspaceId>>;
    /// Where this person's run is, if they are a member there.
    async fn place_of_run(&self, user: UserId, id: RunId) -> StoreResult<Option<WorkspaceId>>;
    /// Pending ones, newest first; those whose time is over come last, so that they push none out of the list.
    async fn list_invitations(
        &self,
        workspace: WorkspaceId,
        now: Timestamp,
        limit: u32,
    ) -> StoreResult<Vec<ListedInvitation>>;
    /// Pending ones of an address whose time is not over, oldest first.
    async fn list_received_invitations(
        &self,
        email_key: &str,
        now: Timestamp,
        limit: u32,
    ) -> StoreResult<Vec<ReceivedInvitation>>;
    async fn find_invitation(&self, id: InvitationId) -> StoreResult<Option<Invitation>>;
    /// Newest first; those that let nobody in any more come last, those that were deactivated are left out.
    async fn list_invite_links(
        &self,
        workspace: WorkspaceId,
        now: Timestamp,
        limit: u32,
    ) -> StoreResult<Vec<InviteLink>>;
    /// Whatever has become of it, with where it leads.
    async fn find_invite_link(&self, token_hash: &str) -> StoreResult<Option<(InviteLink, Workspace)>>;
}

#[async_trait]
pub trait OrganizationWrites {
    /// With its owner. A used address gives `Taken { workspaces.slug }`.
    async fn insert_organization(&mut self, organization: &Workspace, owner: UserId) -> StoreResult<()>;
    /// The organisation as it is now; who else locks it waits for the end of this transaction. Personal workspaces are none.
    async fn lock_organization(&mut self, id: WorkspaceId) -> StoreResult<Option<Workspace>>;
    /// Locks a workspace of any kind until this transaction ends; other transactions that lock it wait. `false` if it no longer exists.
    async fn lock_workspace(&mut self, id: WorkspaceId) -> StoreResult<bool>;
    async fn rename_organization(&mut self, id: WorkspaceId, name: &str) -> StoreResult<()>;
    /// With everything in it but the audit log, and with the mails of its invitations that did not leave yet.
    async fn delete_organization(&mut self, id: WorkspaceId) -> StoreResult<()>;
    /// Who else locks this person waits for the end of this transaction.
    async fn lock_user(&mut self, user: UserId) -> StoreResult<()>;
    /// How many organisations somebody owns.
    async fn count_owned(&mut self, user: UserId) -> StoreResult<u64>;

    /// As this transaction sees it.
    async fn membership(&mut self, workspace: WorkspaceId, user: UserId) -> StoreResult<Option<Membership>>;
    /// Members and pending invitations whose time is not over.
    async fn count_people(&mut self, workspace: WorkspaceId, now: Timestamp) -> StoreResult<u64>;
    /// `false` when they are a member already. What an earlier time left behind, such as access tokens, goes.
    async fn insert_member(
        &mut self,
        workspace: WorkspaceId,
        user: UserId,
        role: Role,
        at: Timestamp,
    ) -> StoreResult<bool>;
    /// From one role to another, neither of them owner; `false` when they are something else by now.
    async fn change_role(&mut self, workspace: WorkspaceId, user: UserId, from: Role, to: Role) -> StoreResult<bool>;
    /// The owner becomes an admin and the other one owner; `false` when either is something else by now.
    async fn transfer_ownership(&mut self, workspace: WorkspaceId, from: UserId, to: UserId) -> StoreResult<bool>;
    /// With what is theirs alone there: access tokens, settings, round trips to networks. Never the owner: `false`.
    async fn delete_member(&mut self, workspace: WorkspaceId, user: UserId) -> StoreResult<bool>;

    /// A pending one for the same address gives `Taken { invitations.workspace_id,email_key }`.
    async fn insert_invitation(&mut self, invitation: &Invitation) -> StoreResult<()>;
    /// As this transaction sees it.
    async fn invitation(&mut self, id: InvitationId) -> StoreResult<Option<Invitation>>;
    /// The pending one of an address.
    async fn pending_invitation(&mut self, workspace: WorkspaceId, email_key: &str) -> StoreResult<Option<Invitation>>;
    /// Ends a pending one; `false` when somebody was faster.
    async fn settle_invitation(&mut self, id: InvitationId, to: InvitationStatus, at: Timestamp) -> StoreResult<bool>;
    /// Revokes what is pending by this person or for their address, with mails that did not leave yet; says how many.
    async fn revoke_invitations_of(&mut self, workspace: WorkspaceId, user: UserId, at: Timestamp) -> StoreResult<u64>;
    /// Notes another mail about a pending one, and its new end; `false` when it is not pending any more.
    async fn remail_invitation(
        &mut self,
        id: InvitationId,
        mail: MailId,
        at: Timestamp,
        expires_at: Timestamp,
    ) -> StoreResult<bool>;

    async fn insert_invite_link(&mut self, link: &InviteLink, token_hash: &str) -> StoreResult<()>;
    /// Those that may still be used.
    async fn count_invite_links(&mut self, workspace: WorkspaceId, now: Timestamp) -> StoreResult<u64>;
    /// `false` when the organisation has none that is active under this id.
    async fn deactivate_invite_link(
        &mut self,
        workspace: WorkspaceId,
        id: InviteLinkId,
        at: Timestamp,
    ) -> StoreResult<bool>;
    /// All that may still be used; says how many.
    async fn deactivate_invite_links(&mut self, workspace: WorkspaceId, at: Timestamp) -> StoreResult<u64>;
    /// Takes one use; `false` when it is deactivated, over, or used up by now.
    async fn use_invite_link(&mut self, id: InviteLinkId, now: Timestamp) -> StoreResult<bool>;
}
