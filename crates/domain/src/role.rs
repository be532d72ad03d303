//! Roles, and which role a person may give, change or remove. `permission.rs` says what each role may do.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// A person's role in a workspace. In a personal workspace, its person is the owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    Member,
    Admin,
    Owner,
}

impl Role {
    pub const ALL: [Self; 3] = [Self::Member, Self::Admin, Self::Owner];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Member => "member",
            Self::Admin => "admin",
            Self::Owner => "owner",
        }
    }

    /// Checks whether a person with this role may invite as `role`. Nobody can invite an owner: an organization has one, who can transfer
    /// the ownership.
    pub const fn may_invite_as(self, role: Self) -> Result<(), &'static str> {
        match (self, role) {
            (_, Self::Owner) => Err("You can't invite an owner. Invite them, then transfer ownership."),
            (Self::Member, _) => Err("Only admins and the owner can invite people."),
            (Self::Admin | Self::Owner, _) => Ok(()),
        }
    }

    /// Checks whether a person with this role may change a member from `of` to `to`. Admins may promote members and step down themselves.
    /// Only the owner may change another admin, or two admins could demote each other.
    pub const fn may_change(self, of: Self, to: Self, oneself: bool) -> Result<(), &'static str> {
        match (self, of, to) {
            (_, _, Self::Owner) => Err("An organization has one owner. Transfer ownership instead."),
            (_, Self::Owner, _) => Err("The owner's role changes only when you transfer ownership."),
            (Self::Member, ..) => Err("Only admins and the owner can change roles."),
            (Self::Admin, Self::Admin, _) if !oneself => Err("Only the owner can change the role of an admin."),
            (Self::Admin | Self::Owner, ..) => Ok(()),
        }
    }

    /// Checks whether a person with this role may remove another person with the role `of`. Leaving has its own permission.
    pub const fn may_remove(self, of: Self) -> Result<(), &'static str> {
        match (self, of) {
            (_, Self::Owner) => Err("The owner can't be removed."),
            (Self::Member, _) => Err("Only admins and the owner can remove members."),
            (Self::Admin, Self::Admin) => Err("Only the owner can remove an admin."),
            (Self::Admin, Self::Member) | (Self::Owner, _) => Ok(()),
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
        Self::ALL
            .into_iter()
            .find(|role| role.as_str() == text)
            .ok_or_else(|| format!("unknown role {text:?}; known are member, admin, owner"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Role::{Admin, Member, Owner};

    #[test]
    fn nobody_becomes_or_stops_being_owner_by_a_role() {
        for by in Role::ALL {
            assert!(by.may_invite_as(Owner).is_err() && by.may_remove(Owner).is_err());
            for role in Role::ALL {
                for oneself in [true, false] {
                    assert!(by.may_change(role, Owner, oneself).is_err(), "{by} makes {role} owner");
                    assert!(by.may_change(Owner, role, oneself).is_err(), "{by} makes the owner {role}");
                }
            }
        }
    }

    #[test]
    fn members_change_nothing_not_even_themselves() {
        for role in Role::ALL {
            assert!(Member.may_invite_as(role).is_err() && Member.may_remove(role).is_err());
            for to in Role::ALL {
                assert!(Member.may_change(role, to, true).is_err() && Member.may_change(role, to, false).is_err());
            }
        }
    }

    #[test]
    fn admins_reach_members_and_themselves_and_the_owner_reaches_everybody_else() {
        for to in [Member, Admin] {
            assert!(Admin.may_change(Member, to, false).is_ok() && Admin.may_change(Admin, to, true).is_ok());
            assert!(Admin.may_change(Admin, to, false).is_err());
            assert!(Owner.may_change(Member, to, false).is_ok() && Owner.may_change(Admin, to, false).is_ok());
            assert!(Admin.may_invite_as(to).is_ok() && Owner.may_invite_as(to).is_ok());
        }
        assert!(Admin.may_remove(Member).is_ok() && Admin.may_remove(Admin).is_err());
        assert!(Owner.may_remove(Member).is_ok() && Owner.may_remove(Admin).is_ok());
    }
}
