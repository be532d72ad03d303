//! Accounts and sessions.

use adagent_domain::{Timestamp, UserId, WorkspaceId};
use serde::{Deserialize, Serialize};

use crate::{OrganizationSummary, ReceivedInvitationView};

#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SignUpRequest {
    pub email: String,
    pub password: String,
    pub name: String,
}

#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SignInRequest {
    pub email: String,
    pub password: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UserView {
    pub id: UserId,
    pub email: String,
    pub name: String,
    pub created_at: Timestamp,
    /// The workspace that belongs only to this person.
    pub personal_workspace_id: WorkspaceId,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UserEnvelope {
    pub user: UserView,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Me {
    pub user: UserView,
    pub organizations: Vec<OrganizationSummary>,
    /// The invitations that this person has not answered.
    pub invitations: Vec<ReceivedInvitationView>,
}
