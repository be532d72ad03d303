//! Organisations: making and ending them, who is in, how people come in and go.
//!
//! Every change locks the organisation's row first and looks again at who acts, so that two changes at a time see each other: a
//! last seat is taken once, an admin who is being removed changes nothing more, and there is one owner at the end of each.

mod invitations;
mod links;
mod manage;
mod members;
mod slug;

use adagent_domain::{Granted, Right, Role, UserId, WorkspaceId};
use adagent_identity::email_key;
use adagent_store::{UnitOfWork, User, Workspace, WorkspaceKind};
use serde::Serialize;

use crate::{
    Service, ServiceError, ServiceResult,
    validate::{self, Fields},
};

/// Members and pending invitations.
const MOST_PEOPLE: u32 = 100;
/// Links that may still be used.
const MOST_LINKS: u32 = 20;
/// Organisations that one person owns.
const MOST_OWNED: u64 = 20;
const MAX_NAME: usize = 80;
const DAY_SECONDS: i64 = 24 * 60 * 60;

const ORGANIZATION: &str = "organization";

/// The organisation as it is now, locked, and the role in it of who acts, as it is now.
struct Locked {
    organization: Workspace,
    role: Role,
}

/// What was ended with a membership, or with the right to invite.
#[derive(Debug, Serialize)]
pub(crate) struct WaysBack {
    revoked_invitations: u64,
    deactivated_links: u64,
}

impl Service {
    /// Locks the organisation of a granted actor and looks again whether the right still stands.
    async fn lock<P: Right>(&self, work: &mut dyn UnitOfWork, actor: &Granted<P>) -> ServiceResult<Locked> {
        let gone = ServiceError::NotFound(ORGANIZATION);
        let organization = work.lock_organization(actor.workspace).await?.ok_or(gone)?;
        let membership = work.membership(actor.workspace, actor.user).await?;
        let role = membership.ok_or(ServiceError::NotFound(ORGANIZATION))?.role;
        adagent_domain::Actor { role, ..*actor.actor() }.grant::<P>()?;
        Ok(Locked { organization, role })
    }

    /// Refuses one more person where the house is full.
    async fn has_seat(&self, work: &mut dyn UnitOfWork, organization: WorkspaceId) -> ServiceResult<()> {
        if work.count_people(organization, self.clock.now()).await? < u64::from(MOST_PEOPLE) {
            return Ok(());
        }
        Err(conflict(&format!(
            "An organization can have up to {MOST_PEOPLE} members and pending invitations. Remove or revoke some first."
        )))
    }

    /// Ends what would let somebody back in by themselves: invitations for their address and those they sent, and every link:
    /// an admin saw the addresses of all, and who came in by one has that. Says how many for the audit log.
    pub(crate) async fn close_ways_back(
        &self,
        work: &mut dyn UnitOfWork,
        organization: WorkspaceId,
        user: UserId,
    ) -> ServiceResult<WaysBack> {
        let now = self.clock.now();
        let revoked_invitations = work.revoke_invitations_of(organization, user, now).await?;
        let deactivated_links = work.deactivate_invite_links(organization, now).await?;
        Ok(WaysBack { revoked_invitations, deactivated_links })
    }

    /// The address under which somebody receives and sends invitations, as it is compared. The one place that decides whether an
    /// account may answer what was sent to an address: where mail reaches people, once its link was followed, because anybody can
    /// sign up with somebody else's address. Where no mail leaves this machine (none is sent, or a
    /// developer's outbox takes it) nobody could ever follow one: there the address counts as it is.
    pub(crate) fn address_of(&self, person: &User) -> Option<String> {
        (person.has_proven_email() || !self.mail.reaches_people()).then(|| email_key(&person.email))
    }

    /// Somebody comes in; `false` when they are in already.
    async fn join(
        &self,
        work: &mut dyn UnitOfWork,
        organization: WorkspaceId,
        user: UserId,
        role: Role,
    ) -> ServiceResult<bool> {
        Ok(work.insert_member(organization, user, role, self.clock.now()).await?)
    }
}

fn conflict(detail: &str) -> ServiceError {
    ServiceError::Conflict { code: adagent_contract::codes::CONFLICT, detail: detail.into() }
}

fn checked_name(name: &str) -> ServiceResult<String> {
    let mut fields = Fields::default();
    let name = fields.take("/name", validate::line(name, "The name", MAX_NAME));
    fields.done()?;
    name.ok_or_else(|| ServiceError::Internal("validated name is missing".into()))
}

const fn is_organization(workspace: &Workspace) -> bool {
    matches!(workspace.kind, WorkspaceKind::Organization)
}
