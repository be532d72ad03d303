//! Who acts, and in which workspace. Every use case takes this value, so that no call can forget the workspace.

use std::{fmt, marker::PhantomData, ops::Deref};

use serde::{Deserialize, Serialize};

use crate::{Denied, Permission, Right, Role, Standing, UserId, WorkspaceId};

/// A signed-in person who acts in one workspace. We make this value only after we have checked the membership.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Actor {
    pub user: UserId,
    pub workspace: WorkspaceId,
    pub role: Role,
    /// Whether the workspace is the person's own.
    pub personal: bool,
}

impl Actor {
    pub const fn standing(&self) -> Standing {
        Standing::of(self.role, self.personal)
    }

    pub const fn may(&self, permission: Permission) -> bool {
        permission.is_given_to(self.standing())
    }

    /// Returns the proof that a use case asks for, or the error that says who has the right.
    pub fn grant<P: Right>(&self) -> Result<Granted<P>, Denied> {
        if self.may(P::PERMISSION) {
            Ok(Granted { actor: *self, right: PhantomData })
        } else {
            Err(Denied { permission: P::PERMISSION, standing: self.standing() })
        }
    }
}

/// An actor who has the right `P`. Only [`Actor::grant`] makes this value, so nobody without the right can call a use case that takes it.
///
/// ```compile_fail
/// use adagent_domain::{Actor, Granted, rights::DeleteOrganization};
/// fn forged(actor: Actor) -> Granted<DeleteOrganization> {
///     Granted { actor, right: std::marker::PhantomData }
/// }
/// ```
///
/// One right does not replace another:
///
/// ```compile_fail
/// use adagent_domain::{Granted, rights::{Chat, ManageConnections}};
/// fn disconnect(_: &Granted<ManageConnections>) {}
/// fn chat(actor: &Granted<Chat>) { disconnect(actor) }
/// ```
pub struct Granted<P> {
    actor: Actor,
    right: PhantomData<fn() -> P>,
}

impl<P> Granted<P> {
    pub const fn actor(&self) -> &Actor {
        &self.actor
    }
}

impl<P> Clone for Granted<P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P> Copy for Granted<P> {}

impl<P> Deref for Granted<P> {
    type Target = Actor;

    fn deref(&self) -> &Actor {
        &self.actor
    }
}

impl<P: Right> fmt::Debug for Granted<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Granted").field("permission", &P::PERMISSION).field("actor", &self.actor).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SequentialIds, rights};

    #[test]
    fn a_right_is_granted_to_who_has_it_and_carries_who_acts() {
        let ids = SequentialIds::default();
        let actor =
            |role, personal| Actor { user: UserId::new(&ids), workspace: WorkspaceId::new(&ids), role, personal };
        let admin = actor(Role::Admin, false);
        assert_eq!(admin.grant::<rights::ManageConnections>().expect("admins may").actor(), &admin);
        let member = actor(Role::Member, false);
        let denied = member.grant::<rights::ManageConnections>().expect_err("members may not");
        assert_eq!(denied, Denied { permission: Permission::ManageConnections, standing: Standing::Member });
        let alone = actor(Role::Owner, true);
        assert!(alone.grant::<rights::ManageConnections>().is_ok());
        assert!(alone.grant::<rights::DeleteOrganization>().is_err(), "a personal workspace stays");
    }
}
