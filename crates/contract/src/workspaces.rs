//! A workspace as its member sees it.

use adagent_domain::{Role, WorkspaceId};
use serde::{Deserialize, Serialize};

/// The personal workspace or an organization, with the person's role in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkspaceView {
    pub id: WorkspaceId,
    /// "Personal", or the name of the organization.
    pub name: String,
    pub role: Role,
    pub personal: bool,
}
