//! Who acts, and in which workspace: carried by every use case, so that no call can forget the tenant.

use serde::{Deserialize, Serialize};

use crate::{Permission, Role, UserId, WorkspaceId};

/// A signed-in person acting in one workspace; made only after membership was checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Actor {
    pub user: UserId,
    pub workspace: WorkspaceId,
    pub role: Role,
    /// Whether the workspace is the person's own.
    pub personal: bool,
}

impl Actor {
    pub const fn may(&self, permission: Permission) -> bool {
        self.role.may(permission)
    }
}
