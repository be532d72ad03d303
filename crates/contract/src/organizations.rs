//! Organizations: their members, their invitations, and the links that let people join.

use adagent_domain::{InvitationId, InviteLinkId, Role, Timestamp, UserId, WorkspaceId};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OrganizationSummary {
    pub id: WorkspaceId,
    pub name: String,
    /// The name in addresses that people read. It stays when the organization is renamed.
    pub slug: String,
    /// The reader's role.
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

/// The body of DELETE `/api/organizations/{id}`. The page asks people to type the name; if a request has a name, it must be right.
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

/// The state of the newest email about an invitation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InvitationMail {
    Queued,
    Sent,
    /// We gave up. The address or the server's email settings may be wrong.
    Failed,
}

/// An invitation as the organization sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InvitationView {
    pub id: InvitationId,
    pub email: String,
    pub role: Role,
    /// The name of the person who invited.
    pub invited_by: String,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
    pub state: InvitationState,
    pub mail: InvitationMail,
    /// Why the last attempt to send the email failed, if it did.
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
    /// The name of the person who invited.
    pub invited_by: String,
    pub expires_at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewInviteLink {
    pub role: Role,
    /// Days until the link expires. If absent, it never expires.
    #[serde(default)]
    pub expires_in_days: Option<u32>,
    /// How many people can join with the link. If absent, any number.
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
    /// The address to copy and share: anyone who has it can join.
    pub url: String,
    pub created_at: Timestamp,
    pub expires_at: Option<Timestamp>,
    pub max_uses: Option<u32>,
    pub uses: u32,
    pub state: InviteLinkState,
}

/// What a link means for the person who opens it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InviteState {
    Valid,
    /// No such link exists, or its organization was deleted.
    Invalid,
    Expired,
    Deactivated,
    UsedUp,
    AlreadyMember,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InviteView {
    pub state: InviteState,
    /// Anyone who has a link that was once valid sees the organization.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub organization: Option<OrganizationName>,
    /// The role that the link gives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
}
