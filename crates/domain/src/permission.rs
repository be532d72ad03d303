//! What people may do in a workspace. Pages, routes, server functions, tools and workers all ask this one table.
//!
//! This module must stay a table. The caller first checks whether a person is a member at all. `role.rs` says on which members a person may
//! use a right.

use std::fmt;

use crate::Role;

/// A person's position in a workspace: their role in an organization, or the one person of a personal workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Standing {
    Owner,
    Admin,
    Member,
    Personal,
}

impl Standing {
    pub const ALL: [Self; 4] = [Self::Owner, Self::Admin, Self::Member, Self::Personal];

    pub const fn of(role: Role, personal: bool) -> Self {
        match (role, personal) {
            (_, true) => Self::Personal,
            (Role::Owner, false) => Self::Owner,
            (Role::Admin, false) => Self::Admin,
            (Role::Member, false) => Self::Member,
        }
    }
}

/// One line of the table.
struct Line {
    /// Who has the permission: owner, admin, member, and the person of a personal workspace, which has no team. The order is that of
    /// [`Standing`].
    given: [bool; 4],
    /// The permission in words that follow "Only the owner can".
    what: &'static str,
}

const Y: bool = true;
const N: bool = false;

macro_rules! matrix {
    ($( $(#[$doc:meta])* $name:ident $owner:ident $admin:ident $member:ident $personal:ident $what:literal )*) => {
        /// An action that the table allows or forbids in a workspace.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Permission { $( $(#[$doc])* $name, )* }

        impl Permission {
            pub const ALL: &[Self] = &[$(Self::$name),*];

            const fn line(self) -> Line {
                match self {
                    $( Self::$name => Line { given: [$owner, $admin, $member, $personal], what: $what }, )*
                }
            }
        }

        /// The same permissions as types, so that a use case can require one in its signature.
        pub mod rights {
            use super::{Permission, Right};

            $(
                $(#[$doc])*
                #[derive(Debug, Clone, Copy, PartialEq, Eq)]
                pub enum $name {}

                impl Right for $name {
                    const PERMISSION: Permission = Permission::$name;
                }
            )*
        }
    };
}

/// A permission as a type without values; see [`rights`].
pub trait Right: fmt::Debug + Send + Sync + 'static {
    const PERMISSION: Permission;
}

matrix! {
    // What                   owner admin member personal  in words
    /// See which networks are connected, and their content.
    ViewConnections           Y     Y     Y      Y         "see connections"
    /// Ask, use tools, steer and delete one's own chats.
    Chat                      Y     Y     Y      Y         "chat and use tools"
    /// Answer the approvals of one's own runs.
    ApproveWrites             Y     Y     Y      Y         "answer approvals"
    /// Answer the approvals of other members' runs.
    AnswerForOthers           Y     Y     N      N         "answer approvals of other people"
    /// Change one's own context settings.
    ChangeOwnContext          Y     Y     Y      Y         "change the scope"
    /// Create access tokens that act for oneself.
    MakeTokens                Y     Y     Y      Y         "create access tokens"
    /// Create, change and delete one's own agents.
    MakeAgents                Y     Y     Y      Y         "create agents"
    /// Let everybody in the organization use one's own agent.
    ShareAgents               Y     Y     Y      N         "share agents"
    /// Add, change, finish and delete to-dos of the workspace.
    EditLibrary               Y     Y     Y      Y         "change the library"
    /// Connect networks, choose accounts, test, turn on or off, disconnect.
    ManageConnections         Y     Y     N      Y         "connect or disconnect networks"
    /// Connect tool servers, test, turn on or off, decide what their tools may do, disconnect.
    ManageSources             Y     Y     N      Y         "manage tool servers"
    /// See the members. Seeing invitations belongs to `InviteMembers`.
    ViewTeam                  Y     Y     Y      N         "see the team"
    /// Make, see, resend and revoke invitations and links.
    InviteMembers             Y     Y     N      N         "invite people"
    ChangeRoles               Y     Y     N      N         "change roles"
    RemoveMembers             Y     Y     N      N         "remove members"
    RenameOrganization        Y     Y     N      N         "rename the organization"
    /// See who did what.
    ViewAuditLog              Y     Y     N      Y         "see the audit log"
    /// Set how long we keep data. Deleted data does not come back.
    ManageRetention           Y     N     N      Y         "change data retention"
    TransferOwnership         Y     N     N      N         "transfer ownership"
    DeleteOrganization        Y     N     N      N         "delete the organization"
    /// Leave. The owner must first transfer the ownership or delete the organization.
    LeaveOrganization         N     Y     Y      N         "leave the organization"
}

impl Permission {
    pub const fn is_given_to(self, standing: Standing) -> bool {
        self.line().given[standing as usize]
    }
}

/// The error for a missing permission; its sentence says who has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Denied {
    pub permission: Permission,
    pub standing: Standing,
}

impl fmt::Display for Denied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.permission.line();
        if self.standing == Standing::Personal {
            return write!(f, "This is a personal workspace. You can {} only in an organization.", line.what);
        }
        let [owner, admin, ..] = line.given;
        match (owner, admin) {
            (false, _) => f.write_str("The owner can't leave. Transfer ownership or delete the organization first."),
            (true, true) => write!(f, "Only admins and the owner can {}.", line.what),
            (true, false) => write!(f, "Only the owner can {}.", line.what),
        }
    }
}

impl std::error::Error for Denied {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares every cell with a second copy, so that a slip in the table above is found.
    #[test]
    fn the_matrix_is_as_specified() {
        let specified: [(Permission, &str); 21] = [
            (Permission::ViewConnections, "owner admin member personal"),
            (Permission::Chat, "owner admin member personal"),
            (Permission::ApproveWrites, "owner admin member personal"),
            (Permission::AnswerForOthers, "owner admin"),
            (Permission::ChangeOwnContext, "owner admin member personal"),
            (Permission::MakeTokens, "owner admin member personal"),
            (Permission::MakeAgents, "owner admin member personal"),
            (Permission::ShareAgents, "owner admin member"),
            (Permission::EditLibrary, "owner admin member personal"),
            (Permission::ManageConnections, "owner admin personal"),
            (Permission::ManageSources, "owner admin personal"),
            (Permission::ViewTeam, "owner admin member"),
            (Permission::InviteMembers, "owner admin"),
            (Permission::ChangeRoles, "owner admin"),
            (Permission::RemoveMembers, "owner admin"),
            (Permission::RenameOrganization, "owner admin"),
            (Permission::ViewAuditLog, "owner admin personal"),
            (Permission::ManageRetention, "owner personal"),
            (Permission::TransferOwnership, "owner"),
            (Permission::DeleteOrganization, "owner"),
            (Permission::LeaveOrganization, "admin member"),
        ];
        assert_eq!(specified.map(|(permission, _)| permission), Permission::ALL);
        for (permission, who) in specified {
            for standing in Standing::ALL {
                let name = format!("{standing:?}").to_lowercase();
                let expected = who.split(' ').any(|word| word == name);
                assert_eq!(permission.is_given_to(standing), expected, "{permission:?} for {standing:?}");
            }
        }
    }

    #[test]
    fn who_is_refused_is_told_who_may() {
        let told = |permission, standing| Denied { permission, standing }.to_string();
        assert_eq!(
            told(Permission::ManageConnections, Standing::Member),
            "Only admins and the owner can connect or disconnect networks."
        );
        assert_eq!(
            told(Permission::DeleteOrganization, Standing::Admin),
            "Only the owner can delete the organization."
        );
        assert!(told(Permission::LeaveOrganization, Standing::Owner).contains("Transfer ownership"));
        assert!(told(Permission::InviteMembers, Standing::Personal).contains("personal workspace"));
    }
}
