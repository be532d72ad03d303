//! A workspace as somebody in it sees it.

use adagent_domain::{Role, WorkspaceId};
use serde::{Deserialize, Serialize};

/// The personal one, or an organisation, with what the person is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkspaceView {
    pub id: WorkspaceId,
    /// "Personal", or what the organisation is called.
    pub name: String,
    pub role: Role,
    pub personal: bool,
}
