//! Organizations: members, invitations by email, invite links.
//!
//! At the end of every transaction, an organization has exactly one owner: an index allows no second one, and only the statement that makes
//! a new owner removes the old one.

use adagent_domain::{ChatSessionId, InvitationId, InviteLinkId, MailId, Role, RunId, Timestamp, UserId, WorkspaceId};
use async_trait::async_trait;

use crate::{MailState, Membership, StoreResult, Workspace};

/// A member of an organization.
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
    /// The address as it was typed.
    pub email: String,
    /// The form in which we compare the address.
    pub email_key: String,
    pub role: Role,
    pub status: InvitationStatus,
    pub invited_by: UserId,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
    /// The newest email about the invitation, when we queued it, and how many emails there were.
    pub mail: MailId,
    pub mailed_at: Timestamp,
    pub mails: u32,
}

/// An invitation as its organization sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedInvitation {
    pub invitation: Invitation,
    /// `None` if that person's account was deleted.
    pub invited_by_name: Option<String>,
    /// `None` if the queue has forgotten the email, because it was sent long ago.
    pub mail_state: Option<MailState>,
    /// Why the last attempt to send it failed, for administrators; without the address or the text.
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
    /// The sealed token, for people who may copy the link again.
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
    /// Lists the owner first, then admins, then members, each by name.
    async fn list_members(&self, workspace: WorkspaceId, limit: u32) -> StoreResult<Vec<Member>>;
    async fn count_members(&self, workspace: WorkspaceId) -> StoreResult<u64>;
    /// Finds the workspace of this person's chat, if they are a member there.
    async fn place_of_chat(&self, user: UserId, id: ChatSessionId) -> StoreResult<Option<WorkspaceId>>;
    /// Finds the workspace of this person's run, if they are a member there.
    async fn place_of_run(&self, user: UserId, id: RunId) -> StoreResult<Option<WorkspaceId>>;
    /// Lists the pending invitations, newest first. Expired ones come last, so that they do not push others off the list.
    async fn list_invitations(
        &self,
        workspace: WorkspaceId,
        now: Timestamp,
        limit: u32,
    ) -> StoreResult<Vec<ListedInvitation>>;
    /// Lists the pending invitations of an address that have not expired, oldest first.
    async fn list_received_invitations(
        &self,
        email_key: &str,
        now: Timestamp,
        limit: u32,
    ) -> StoreResult<Vec<ReceivedInvitation>>;
    async fn find_invitation(&self, id: InvitationId) -> StoreResult<Option<Invitation>>;
    /// Lists the links, newest first. Links that no longer work come last; deactivated ones are left out.
    async fn list_invite_links(
        &self,
        workspace: WorkspaceId,
        now: Timestamp,
        limit: u32,
    ) -> StoreResult<Vec<InviteLink>>;
    /// Finds a link in any state, with its organization.
    async fn find_invite_link(&self, token_hash: &str) -> StoreResult<Option<(InviteLink, Workspace)>>;
}

#[async_trait]
pub trait OrganizationWrites {
    /// Inserts an organization with its owner. A used slug gives `Taken { workspaces.slug }`.
    async fn insert_organization(&mut self, organization: &Workspace, owner: UserId) -> StoreResult<()>;
    /// Returns and locks the organization; other transactions that lock it wait for the end of this one. `None` for a personal workspace.
    async fn lock_organization(&mut self, id: WorkspaceId) -> StoreResult<Option<Workspace>>;
    /// Locks a workspace of any kind until this transaction ends; other transactions that lock it wait. `false` if it no longer exists.
    async fn lock_workspace(&mut self, id: WorkspaceId) -> StoreResult<bool>;
    async fn rename_organization(&mut self, id: WorkspaceId, name: &str) -> StoreResult<()>;
    /// Deletes the organization with everything in it except the audit log, and cancels the emails of its invitations that were not sent
    /// yet.
    async fn delete_organization(&mut self, id: WorkspaceId) -> StoreResult<()>;
    /// Locks this person; other transactions that lock them wait for the end of this one.
    async fn lock_user(&mut self, user: UserId) -> StoreResult<()>;
    /// Counts the organizations that the person owns.
    async fn count_owned(&mut self, user: UserId) -> StoreResult<u64>;

    /// Finds the membership as this transaction sees it.
    async fn membership(&mut self, workspace: WorkspaceId, user: UserId) -> StoreResult<Option<Membership>>;
    /// Counts the members and the pending invitations that have not expired.
    async fn count_people(&mut self, workspace: WorkspaceId, now: Timestamp) -> StoreResult<u64>;
    /// Inserts a member, and removes what an earlier membership left, such as access tokens. Returns `false` if the person is a member
    /// already.
    async fn insert_member(
        &mut self,
        workspace: WorkspaceId,
        user: UserId,
        role: Role,
        at: Timestamp,
    ) -> StoreResult<bool>;
    /// Changes a role to another one; neither may be owner. Returns `false` if the member's role is no longer `from`.
    async fn change_role(&mut self, workspace: WorkspaceId, user: UserId, from: Role, to: Role) -> StoreResult<bool>;
    /// Makes the owner an admin and the other person the owner. Returns `false` if either role has changed meanwhile.
    async fn transfer_ownership(&mut self, workspace: WorkspaceId, from: UserId, to: UserId) -> StoreResult<bool>;
    /// Removes the member with what only they have there: access tokens, settings, OAuth attempts. Returns `false` for the owner.
    async fn delete_member(&mut self, workspace: WorkspaceId, user: UserId) -> StoreResult<bool>;

    /// Inserts an invitation. A pending one for the same address gives `Taken { invitations.workspace_id,email_key }`.
    async fn insert_invitation(&mut self, invitation: &Invitation) -> StoreResult<()>;
    /// Finds the invitation as this transaction sees it.
    async fn invitation(&mut self, id: InvitationId) -> StoreResult<Option<Invitation>>;
    /// Finds the pending invitation of an address.
    async fn pending_invitation(&mut self, workspace: WorkspaceId, email_key: &str) -> StoreResult<Option<Invitation>>;
    /// Ends a pending invitation. Returns `false` if somebody else ended it first.
    async fn settle_invitation(&mut self, id: InvitationId, to: InvitationStatus, at: Timestamp) -> StoreResult<bool>;
    /// Revokes the pending invitations by this person or for their address, with the emails not sent yet. Returns how many.
    async fn revoke_invitations_of(&mut self, workspace: WorkspaceId, user: UserId, at: Timestamp) -> StoreResult<u64>;
    /// Notes another email about a pending invitation, and its new expiry. Returns `false` if it is no longer pending.
    async fn remail_invitation(
        &mut self,
        id: InvitationId,
        mail: MailId,
        at: Timestamp,
        expires_at: Timestamp,
    ) -> StoreResult<bool>;

    async fn insert_invite_link(&mut self, link: &InviteLink, token_hash: &str) -> StoreResult<()>;
    /// Counts the links that still work.
    async fn count_invite_links(&mut self, workspace: WorkspaceId, now: Timestamp) -> StoreResult<u64>;
    /// Deactivates a link. Returns `false` if the organization has no active link with this ID.
    async fn deactivate_invite_link(
        &mut self,
        workspace: WorkspaceId,
        id: InviteLinkId,
        at: Timestamp,
    ) -> StoreResult<bool>;
    /// Deactivates all links that still work. Returns how many.
    async fn deactivate_invite_links(&mut self, workspace: WorkspaceId, at: Timestamp) -> StoreResult<u64>;
    /// Takes one use of a link. Returns `false` if it is deactivated, expired or used up.
    async fn use_invite_link(&mut self, id: InviteLinkId, now: Timestamp) -> StoreResult<bool>;
}
