//! Organisations: who is in, who is invited, and the links that let people in.

use adagent_domain::{InvitationId, InviteLinkId, Role, Timestamp, UserId, WorkspaceId};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OrganizationSummary {
    pub id: WorkspaceId,
    pub name: String,
    /// For addresses that people read; it stays when the name changes.
    pub slug: String,
    /// What the asking person is in it.
    pub role: Role,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewOrganization {
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OrganizationPatch {
    pub name: String,
}

/// DELETE `/api/organizations/{id}`. The page asks people to type the name; a name that is given must be right.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeleteOrganization {
    #[serde(default)]
    pub name: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MemberView {
    pub user_id: UserId,
    pub name: String,
    pub email: String,
    pub role: Role,
    pub joined_at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RolePatch {
    pub role: Role,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TransferOwnershipRequest {
    pub user_id: UserId,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewInvitation {
    pub email: String,
    pub role: Role,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InvitationState {
    Pending,
    Expired,
}

/// What became of the newest mail about an invitation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InvitationMail {
    Queued,
    Sent,
    /// Given up: look at the address, or at the server's mail settings.
    Failed,
}

/// An invitation as the organisation sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InvitationView {
    pub id: InvitationId,
    pub email: String,
    pub role: Role,
    /// Name of who invited.
    pub invited_by: String,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
    pub state: InvitationState,
    pub mail: InvitationMail,
    /// What kept the mail from leaving the last time, where something did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mail_error: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrganizationName {
    pub id: WorkspaceId,
    pub name: String,
}

/// An invitation as the invited person sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReceivedInvitationView {
    pub id: InvitationId,
    pub organization: OrganizationName,
    pub role: Role,
    /// Name of who invited.
    pub invited_by: String,
    pub expires_at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewInviteLink {
    pub role: Role,
    /// Days until it ends; it does not end by itself when absent.
    #[serde(default)]
    pub expires_in_days: Option<u32>,
    /// How many people may come in by it; any number when absent.
    #[serde(default)]
    pub max_uses: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InviteLinkState {
    Active,
    Expired,
    UsedUp,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InviteLinkView {
    pub id: InviteLinkId,
    pub role: Role,
    /// To be copied and given away: anyone who has it comes in.
    pub url: String,
    pub created_at: Timestamp,
    pub expires_at: Option<Timestamp>,
    pub max_uses: Option<u32>,
    pub uses: u32,
    pub state: InviteLinkState,
}

/// What a link is worth to whoever asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InviteState {
    Valid,
    /// There is no such link, or its organisation is gone.
    Invalid,
    Expired,
    Deactivated,
    UsedUp,
    AlreadyMember,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InviteView {
    pub state: InviteState,
    /// Told to anyone who has a link that was good once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub organization: Option<OrganizationName>,
    /// What the link makes people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
}
