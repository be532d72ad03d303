//! Roles and the permission matrix of the unified specification, 7.4, journey E.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// What somebody is in a workspace. In a personal workspace its person is the owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    Member,
    Admin,
    Owner,
}

impl Role {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Member => "member",
            Self::Admin => "admin",
            Self::Owner => "owner",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Role {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        [Self::Member, Self::Admin, Self::Owner]
            .into_iter()
            .find(|role| role.as_str() == text)
            .ok_or_else(|| format!("unknown role {text:?}; known are member, admin, owner"))
    }
}

/// Something a role may or may not do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Permission {
    Chat,
    ApproveWrites,
    ViewConnections,
    ManageConnections,
    ChangeOwnContext,
    ManageMembers,
    DeleteWorkspace,
}

impl Role {
    /// The permission matrix, in one readable place.
    pub const fn may(self, permission: Permission) -> bool {
        match permission {
            Permission::Chat
            | Permission::ApproveWrites
            | Permission::ViewConnections
            | Permission::ChangeOwnContext => true,
            Permission::ManageConnections | Permission::ManageMembers => matches!(self, Self::Admin | Self::Owner),
            Permission::DeleteWorkspace => matches!(self, Self::Owner),
        }
    }
}
