//! Invite links: anyone who has one can join. So a link has a long secret, may expire or be used up, and can be deactivated.
//!
//! We find a link by a digest. We also keep the token sealed, because people who may invite can copy the link again. The token is in no
//! other list, no log and no audit entry.

use adagent_contract::{
    InviteLinkState, InviteLinkView, InviteState, InviteView, NewInviteLink, OrganizationName, OrganizationSummary,
    Page, codes,
};
use adagent_domain::{Actor, Granted, InviteLinkId, Timestamp, UserId, WorkspaceId, rights::InviteMembers};
use adagent_identity::{InviteToken, Owner, Purpose, invite_hash};
use adagent_store::{InvitationStatus, InviteLink};
use serde_json::json;
use zeroize::Zeroizing;

use super::{DAY_SECONDS, MOST_LINKS, conflict, manage::summary};
use crate::{ClientInfo, Service, ServiceError, ServiceResult, validate::Fields};

const MAX_DAYS: u32 = 365;
const MAX_USES: u32 = 1000;
const LINK: &str = "invite link";

fn owner(workspace: WorkspaceId, id: InviteLinkId) -> Owner {
    Owner::of(workspace, "invite_links", Purpose::InviteLink, id)
}

impl Service {
    pub async fn create_invite_link(
        &self,
        actor: &Granted<InviteMembers>,
        request: NewInviteLink,
    ) -> ServiceResult<InviteLinkView> {
        let mut fields = Fields::default();
        if let Err(why) = actor.role.may_invite_as(request.role) {
            fields.wrong("/role", why);
        }
        if request.expires_in_days.is_some_and(|days| !(1..=MAX_DAYS).contains(&days)) {
            fields.wrong("/expires_in_days", format!("Enter 1 to {MAX_DAYS} days, or leave it blank."));
        }
        if request.max_uses.is_some_and(|uses| !(1..=MAX_USES).contains(&uses)) {
            fields.wrong("/max_uses", format!("Enter 1 to {MAX_USES} uses, or leave it blank."));
        }
        fields.done()?;
        let now = self.clock.now();
        let token = InviteToken::generate().map_err(|error| ServiceError::Internal(error.to_string()))?;
        let id = InviteLinkId::new(&*self.ids);
        let sealed = self.connections.vault().seal(&owner(actor.workspace, id), token.token.as_bytes());
        let link = InviteLink {
            id,
            workspace: actor.workspace,
            role: request.role,
            sealed: sealed.map_err(|error| ServiceError::Internal(error.to_string()))?,
            created_by: actor.user,
            created_at: now,
            expires_at: request.expires_in_days.map(|days| now.plus_seconds(i64::from(days) * DAY_SECONDS)),
            max_uses: request.max_uses,
            uses: 0,
            deactivated_at: None,
        };
        let mut work = self.store.begin_in(actor.workspace).await?;
        self.lock(&mut *work, actor).await?;
        if work.count_invite_links(actor.workspace, now).await? >= u64::from(MOST_LINKS) {
            return Err(conflict(&format!(
                "You already have {MOST_LINKS} active links, the maximum. Deactivate one first."
            )));
        }
        work.insert_invite_link(&link, &token.hash).await?;
        let detail = json!({"role": link.role, "expires_at": link.expires_at, "max_uses": link.max_uses});
        self.audit(&mut *work, actor, "invite_link.created", id, detail).await?;
        work.durable();
        work.commit().await?;
        self.link_view(&link)
    }

    /// Lists the links that were not deactivated, with their addresses: newest first, and those that no longer work last.
    pub async fn invite_links(&self, actor: &Granted<InviteMembers>) -> ServiceResult<Page<InviteLinkView>> {
        let links = self.store.list_invite_links(actor.workspace, self.clock.now(), 5 * MOST_LINKS).await?;
        Ok(Page::last(links.iter().map(|link| self.link_view(link)).collect::<ServiceResult<_>>()?))
    }

    pub async fn deactivate_invite_link(&self, actor: &Granted<InviteMembers>, id: InviteLinkId) -> ServiceResult<()> {
        let mut work = self.store.begin_in(actor.workspace).await?;
        self.lock(&mut *work, actor).await?;
        if !work.deactivate_invite_link(actor.workspace, id, self.clock.now()).await? {
            return Err(ServiceError::NotFound(LINK));
        }
        self.audit(&mut *work, actor, "invite_link.deactivated", id, json!({})).await?;
        work.durable();
        Ok(work.commit().await?)
    }

    /// Returns what an invite link offers. The caller need not be signed in.
    pub async fn look_at_invite(
        &self,
        token: &str,
        user: Option<UserId>,
        client: ClientInfo,
    ) -> ServiceResult<InviteView> {
        let Some((link, organization)) = self.link_of(token).await? else {
            self.limits.invite_guess(client.ip)?;
            return Ok(InviteView { state: InviteState::Invalid, organization: None, role: None });
        };
        let member = match user {
            Some(user) => self.store.find_membership(link.workspace, user).await?.is_some(),
            None => false,
        };
        let state = if member { InviteState::AlreadyMember } else { worth(&link, self.clock.now()) };
        Ok(InviteView {
            state,
            organization: Some(OrganizationName { id: organization.id, name: organization.name }),
            role: Some(link.role),
        })
    }

    /// Lets a person join by a link. Each use counts once, however many people join at the same time.
    pub async fn accept_invite(
        &self,
        user: UserId,
        token: &str,
        client: ClientInfo,
    ) -> ServiceResult<OrganizationSummary> {
        let Some((link, _)) = self.link_of(token).await? else {
            self.limits.invite_guess(client.ip)?;
            return Err(ServiceError::NotFound(LINK));
        };
        let person = self.store.find_user(user).await?.ok_or(ServiceError::Unauthenticated)?;
        let now = self.clock.now();
        let mut work = self.store.begin_in(link.workspace).await?;
        let organization = work.lock_organization(link.workspace).await?.ok_or(ServiceError::NotFound(LINK))?;
        if work.membership(link.workspace, user).await?.is_some() {
            return Err(refused(InviteState::AlreadyMember));
        }
        if !work.use_invite_link(link.id, now).await? {
            drop(work);
            // Read it again: it may have been deactivated or used up since we checked it.
            let state = self.link_of(token).await?.map_or(InviteState::Invalid, |(link, _)| worth(&link, now));
            return Err(refused(state));
        }
        self.has_seat(&mut *work, link.workspace).await?;
        self.join(&mut *work, link.workspace, user, link.role).await?;
        // The person has joined, so an invitation to their address has no more use. It must not let them back in after they leave.
        if let Some(key) = self.address_of(&person)
            && let Some(sent) = work.pending_invitation(link.workspace, &key).await?
        {
            work.settle_invitation(sent.id, InvitationStatus::Accepted, now).await?;
            work.cancel_mail(sent.mail).await?;
        }
        let actor = Actor { user, workspace: link.workspace, role: link.role, personal: false };
        self.audit(&mut *work, &actor, "invite_link.used", link.id, json!({"role": link.role})).await?;
        work.durable();
        work.commit().await?;
        Ok(summary(organization, link.role))
    }

    async fn link_of(&self, token: &str) -> ServiceResult<Option<(InviteLink, adagent_store::Workspace)>> {
        match invite_hash(token) {
            Some(hash) => Ok(self.store.find_invite_link(&hash).await?),
            None => Ok(None),
        }
    }

    fn link_view(&self, link: &InviteLink) -> ServiceResult<InviteLinkView> {
        let token = self.connections.vault().open(&owner(link.workspace, link.id), &link.sealed);
        let token = token.map_err(|error| ServiceError::Internal(error.to_string()))?;
        let token = Zeroizing::new(String::from_utf8_lossy(&token).into_owned());
        let state = match worth(link, self.clock.now()) {
            InviteState::Expired => InviteLinkState::Expired,
            InviteState::UsedUp => InviteLinkState::UsedUp,
            _ => InviteLinkState::Active,
        };
        Ok(InviteLinkView {
            id: link.id,
            role: link.role,
            url: self.desk_url(&format!("/invite/{}", *token)),
            created_at: link.created_at,
            expires_at: link.expires_at,
            max_uses: link.max_uses,
            uses: link.uses,
            state,
        })
    }
}

fn worth(link: &InviteLink, now: Timestamp) -> InviteState {
    if link.deactivated_at.is_some() {
        InviteState::Deactivated
    } else if link.expires_at.is_some_and(|end| end <= now) {
        InviteState::Expired
    } else if link.max_uses.is_some_and(|most| link.uses >= most) {
        InviteState::UsedUp
    } else {
        InviteState::Valid
    }
}

fn refused(state: InviteState) -> ServiceError {
    let (code, detail) = match state {
        InviteState::Invalid | InviteState::Valid => return ServiceError::NotFound(LINK),
        InviteState::Expired => (codes::INVITE_EXPIRED, "This link has expired. Ask for a new one."),
        InviteState::Deactivated => (codes::INVITE_DEACTIVATED, "This link was deactivated. Ask for a new one."),
        InviteState::UsedUp => (codes::INVITE_USED_UP, "This link has reached its limit. Ask for a new one."),
        InviteState::AlreadyMember => (codes::ALREADY_MEMBER, "You're already a member of this organization."),
    };
    ServiceError::Conflict { code, detail: detail.into() }
}
