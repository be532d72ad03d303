//! Organizations: how they begin and end, who their members are, and how people join and leave.
//!
//! Every change first locks the organization's row and checks the actor again, so that two changes at the same time see each other: a last
//! seat is taken once, an admin who is being removed changes nothing more, and after each change there is one owner.

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

/// How many members and pending invitations an organization can have together.
const MOST_PEOPLE: u32 = 100;
/// How many working links an organization can have.
const MOST_LINKS: u32 = 20;
/// How many organizations one person can own.
const MOST_OWNED: u64 = 20;
const MAX_NAME: usize = 80;
const DAY_SECONDS: i64 = 24 * 60 * 60;

const ORGANIZATION: &str = "organization";

/// The locked organization, and the actor's current role in it.
struct Locked {
    organization: Workspace,
    role: Role,
}

/// What we ended together with a membership, or with the right to invite.
#[derive(Debug, Serialize)]
pub(crate) struct WaysBack {
    revoked_invitations: u64,
    deactivated_links: u64,
}

impl Service {
    /// Locks the organization of a granted actor, and checks that they still have the right.
    async fn lock<P: Right>(&self, work: &mut dyn UnitOfWork, actor: &Granted<P>) -> ServiceResult<Locked> {
        let gone = ServiceError::NotFound(ORGANIZATION);
        let organization = work.lock_organization(actor.workspace).await?.ok_or(gone)?;
        let membership = work.membership(actor.workspace, actor.user).await?;
        let role = membership.ok_or(ServiceError::NotFound(ORGANIZATION))?.role;
        adagent_domain::Actor { role, ..*actor.actor() }.grant::<P>()?;
        Ok(Locked { organization, role })
    }

    /// Refuses one more person if the organization is full.
    async fn has_seat(&self, work: &mut dyn UnitOfWork, organization: WorkspaceId) -> ServiceResult<()> {
        if work.count_people(organization, self.clock.now()).await? < u64::from(MOST_PEOPLE) {
            return Ok(());
        }
        Err(conflict(&format!(
            "An organization can have up to {MOST_PEOPLE} members and pending invitations. Remove or revoke some first."
        )))
    }

    /// Ends everything with which a person could come back on their own: invitations to their address, invitations they sent, and every
    /// link. An admin has seen all links, and a person who joined by a link still has it. Returns the counts for the audit log.
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

    /// Returns the address under which a person receives and sends invitations, in the form that we compare. Only this function decides
    /// whether an account may answer what was sent to an address. If email reaches people, the address must be confirmed, because anybody
    /// can sign up with another person's address. If no email leaves this machine (it sends none, or a developer's outbox stores it),
    /// nobody could ever confirm one, so the address counts as it is.
    pub(crate) fn address_of(&self, person: &User) -> Option<String> {
        (person.has_proven_email() || !self.mail.reaches_people()).then(|| email_key(&person.email))
    }

    /// Adds a person. Returns `false` if they are a member already.
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
