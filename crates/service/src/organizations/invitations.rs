//! Invitations by email. The email holds no secret: it leads to this site, where a person who signs in with that address can answer.

use adagent_contract::{
    InvitationMail, InvitationState, InvitationView, NewInvitation, OrganizationName, OrganizationSummary, Page,
    ReceivedInvitationView, codes,
};
use adagent_domain::{Actor, Granted, InvitationId, MailId, Role, Timestamp, UserId, rights::InviteMembers};
use adagent_identity::{email_key, validate_email};
use adagent_store::{
    Invitation, InvitationStatus, ListedInvitation, MailState, ReceivedInvitation, StoreError, UnitOfWork, User,
};
use serde_json::json;

use super::{DAY_SECONDS, MOST_PEOPLE, ORGANIZATION, conflict, manage::summary};
use crate::{Service, ServiceError, ServiceResult, limits::MailFor, validate::Fields};

const DAYS: i64 = 14;
/// How many emails we send about one invitation, including the first, and how long to wait between two.
const MOST_MAILS: u32 = 5;
const BETWEEN_MAILS_SECONDS: i64 = 60;
/// How many invitations one person sees at a time.
const MOST_RECEIVED: u32 = 50;
const INVITATION: &str = "invitation";
const SOMEBODY: &str = "a former member";

impl Service {
    /// Invites a person. Queues the email in the same transaction, so that there is no invitation without an email, and no email for an
    /// invitation that failed.
    pub async fn invite(
        &self,
        actor: &Granted<InviteMembers>,
        request: NewInvitation,
    ) -> ServiceResult<InvitationView> {
        let mut fields = Fields::default();
        let email = fields.take("/email", validate_email(&request.email));
        if let Err(why) = actor.role.may_invite_as(request.role) {
            fields.wrong("/role", why);
        }
        fields.done()?;
        let email = email.ok_or_else(|| ServiceError::Internal("validated address is missing".into()))?;
        let key = email_key(&email);
        self.needs_mail()?;
        let by_name = self.inviter(actor.user).await?;
        let invited = self.store.find_user_by_email(&key).await?;
        let now = self.clock.now();
        let mut work = self.store.begin_in(actor.workspace).await?;
        let locked = self.lock(&mut *work, actor).await?;
        if let Some(user) = invited
            && work.membership(actor.workspace, user.id).await?.is_some()
        {
            return Err(ServiceError::field("/email", "This person is already a member."));
        }
        if let Some(earlier) = work.pending_invitation(actor.workspace, &key).await? {
            if earlier.expires_at > now {
                return Err(ServiceError::field(
                    "/email",
                    "This email is already invited. Resend the invitation, or revoke it first.",
                ));
            }
            work.settle_invitation(earlier.id, InvitationStatus::Revoked, now).await?;
        }
        self.has_seat(&mut *work, actor.workspace).await?;
        // These checks come last, so that a refused invitation does not count against the address.
        self.limits.invite(actor.workspace, actor.user)?;
        self.limits.mail(MailFor::Invitation, &key)?;
        let id = InvitationId::new(&*self.ids);
        let mail =
            self.queue_invitation(&mut *work, id, &email, &by_name, &locked.organization.name, request.role).await?;
        let invitation = Invitation {
            id,
            workspace: actor.workspace,
            email,
            email_key: key,
            role: request.role,
            status: InvitationStatus::Pending,
            invited_by: actor.user,
            created_at: now,
            expires_at: now.plus_seconds(DAYS * DAY_SECONDS),
            mail,
            mailed_at: now,
            mails: 1,
        };
        work.insert_invitation(&invitation).await.map_err(|error| match error {
            StoreError::Taken { .. } => ServiceError::field("/email", "This email is already invited."),
            other => other.into(),
        })?;
        let detail = json!({"email": invitation.email, "role": invitation.role});
        self.audit(&mut *work, actor, "invitation.created", invitation.id, detail).await?;
        work.durable();
        work.commit().await?;
        self.mail_was_queued();
        let (mail_state, mail_error) = (Some(MailState::Waiting), None);
        Ok(view(ListedInvitation { invitation, invited_by_name: Some(by_name), mail_state, mail_error }, now))
    }

    /// Lists the pending invitations, newest first, then the expired ones.
    pub async fn invitations(&self, actor: &Granted<InviteMembers>) -> ServiceResult<Page<InvitationView>> {
        let now = self.clock.now();
        let listed = self.store.list_invitations(actor.workspace, now, 2 * MOST_PEOPLE).await?;
        Ok(Page::last(listed.into_iter().map(|one| view(one, now)).collect()))
    }

    /// Sends another email and restarts the invitation's time.
    pub async fn resend_invitation(
        &self,
        actor: &Granted<InviteMembers>,
        id: InvitationId,
    ) -> ServiceResult<InvitationView> {
        self.needs_mail()?;
        let by_name = self.inviter(actor.user).await?;
        let now = self.clock.now();
        let mut work = self.store.begin_in(actor.workspace).await?;
        let locked = self.lock(&mut *work, actor).await?;
        let invitation = pending(&mut *work, actor, id).await?;
        if invitation.mails >= MOST_MAILS {
            return Err(conflict(&format!(
                "You've sent {MOST_MAILS} emails for this invitation, the maximum. Revoke it and contact them another way."
            )));
        }
        let wait = BETWEEN_MAILS_SECONDS - now.millis_since(invitation.mailed_at) / 1000;
        if let Ok(retry_after_seconds) = u64::try_from(wait)
            && retry_after_seconds > 0
        {
            return Err(ServiceError::RateLimited { retry_after_seconds });
        }
        if invitation.expires_at <= now {
            // The invitation takes a seat again.
            self.has_seat(&mut *work, actor.workspace).await?;
        }
        let invited_by_name = self.store.find_user(invitation.invited_by).await?.map(|user| user.name);
        self.limits.invite(actor.workspace, actor.user)?;
        self.limits.mail(MailFor::Invitation, &invitation.email_key)?;
        work.cancel_mail(invitation.mail).await?;
        let name = &locked.organization.name;
        let mail = self.queue_invitation(&mut *work, id, &invitation.email, &by_name, name, invitation.role).await?;
        let expires_at = now.plus_seconds(DAYS * DAY_SECONDS);
        if !work.remail_invitation(id, mail, now, expires_at).await? {
            return Err(ServiceError::NotFound(INVITATION));
        }
        self.audit(&mut *work, actor, "invitation.resent", id, json!({"email": invitation.email})).await?;
        work.commit().await?;
        self.mail_was_queued();
        let invitation = Invitation { mail, mailed_at: now, mails: invitation.mails + 1, expires_at, ..invitation };
        let (mail_state, mail_error) = (Some(MailState::Waiting), None);
        Ok(view(ListedInvitation { invitation, invited_by_name, mail_state, mail_error }, now))
    }

    /// Revokes an invitation, even an expired one, and cancels its email if that was not sent yet.
    pub async fn revoke_invitation(&self, actor: &Granted<InviteMembers>, id: InvitationId) -> ServiceResult<()> {
        let mut work = self.store.begin_in(actor.workspace).await?;
        self.lock(&mut *work, actor).await?;
        let invitation = pending(&mut *work, actor, id).await?;
        if !work.settle_invitation(id, InvitationStatus::Revoked, self.clock.now()).await? {
            return Err(ServiceError::NotFound(INVITATION));
        }
        work.cancel_mail(invitation.mail).await?;
        self.audit(&mut *work, actor, "invitation.revoked", id, json!({"email": invitation.email})).await?;
        work.durable();
        Ok(work.commit().await?)
    }

    /// Lists the invitations that this person has not answered.
    pub async fn received_invitations(&self, user: &User) -> ServiceResult<Vec<ReceivedInvitationView>> {
        let Some(key) = self.address_of(user) else { return Ok(Vec::new()) };
        let received = self.store.list_received_invitations(&key, self.clock.now(), MOST_RECEIVED).await?;
        Ok(received.into_iter().map(received_view).collect())
    }

    /// Lets the invited person join, once.
    pub async fn accept_invitation(&self, user: UserId, id: InvitationId) -> ServiceResult<OrganizationSummary> {
        let person = self.store.find_user(user).await?.ok_or(ServiceError::Unauthenticated)?;
        let workspace = self.addressed(&person, id).await?.workspace;
        let mut work = self.store.begin_in(workspace).await?;
        let organization = work.lock_organization(workspace).await?.ok_or(ServiceError::NotFound(INVITATION))?;
        let invitation = self.open(&mut *work, id).await?;
        let role = invitation.role;
        work.settle_invitation(id, InvitationStatus::Accepted, self.clock.now()).await?;
        work.cancel_mail(invitation.mail).await?;
        // A person who has joined by a link meanwhile keeps the role they have.
        let joined = self.join(&mut *work, workspace, user, role).await?;
        let role = if joined { role } else { membership_role(&mut *work, &organization, user).await? };
        let actor = Actor { user, workspace, role, personal: false };
        let detail = json!({"role": role, "invited_by": invitation.invited_by, "joined": joined});
        self.audit(&mut *work, &actor, "invitation.accepted", id, detail).await?;
        work.durable();
        work.commit().await?;
        Ok(summary(organization, role))
    }

    pub async fn reject_invitation(&self, user: UserId, id: InvitationId) -> ServiceResult<()> {
        let person = self.store.find_user(user).await?.ok_or(ServiceError::Unauthenticated)?;
        let workspace = self.addressed(&person, id).await?.workspace;
        let mut work = self.store.begin_in(workspace).await?;
        work.lock_organization(workspace).await?.ok_or(ServiceError::NotFound(INVITATION))?;
        let invitation = self.open(&mut *work, id).await?;
        work.settle_invitation(id, InvitationStatus::Rejected, self.clock.now()).await?;
        work.cancel_mail(invitation.mail).await?;
        let actor = Actor { user, workspace, role: invitation.role, personal: false };
        self.audit(&mut *work, &actor, "invitation.rejected", id, json!({"email": invitation.email})).await?;
        Ok(work.commit().await?)
    }

    /// Finds an invitation for this person. Other people's invitations do not exist for them.
    async fn addressed(&self, person: &User, id: InvitationId) -> ServiceResult<Invitation> {
        let found = self.store.find_invitation(id).await?;
        let theirs = found.filter(|invitation| self.address_of(person).as_ref() == Some(&invitation.email_key));
        theirs.ok_or(ServiceError::NotFound(INVITATION))
    }

    /// Reads the invitation as it is now. If it was answered or revoked or has expired, tells its recipient so.
    async fn open(&self, work: &mut dyn UnitOfWork, id: InvitationId) -> ServiceResult<Invitation> {
        let invitation = work.invitation(id).await?.ok_or(ServiceError::NotFound(INVITATION))?;
        match invitation.status {
            InvitationStatus::Pending if invitation.expires_at > self.clock.now() => Ok(invitation),
            InvitationStatus::Pending => Err(ServiceError::Conflict {
                code: codes::INVITE_EXPIRED,
                detail: "This invitation has expired. Ask for a new one.".into(),
            }),
            InvitationStatus::Revoked => Err(conflict("This invitation was revoked.")),
            InvitationStatus::Accepted | InvitationStatus::Rejected => {
                Err(conflict("This invitation was already answered; the first answer counts."))
            }
        }
    }

    /// Returns the sender's name. Only people whose own address is confirmed can send email to others.
    async fn inviter(&self, user: UserId) -> ServiceResult<String> {
        let person = self.store.find_user(user).await?.ok_or(ServiceError::Unauthenticated)?;
        match self.address_of(&person) {
            Some(_) => Ok(person.name),
            None => {
                Err(ServiceError::Forbidden("Confirm your own email first (/settings/account), then invite others."))
            }
        }
    }

    async fn queue_invitation(
        &self,
        work: &mut dyn UnitOfWork,
        id: InvitationId,
        email: &str,
        by_name: &str,
        organization: &str,
        role: Role,
    ) -> ServiceResult<MailId> {
        let article = if role == Role::Member { "a" } else { "an" };
        // The sender chooses both names. So neither goes into the subject, and both are quoted in the text: nobody can use this server to
        // send their own words.
        let mail = crate::Mail::new(email, "You're invited to an organization on ADAgentAI")
            .says(format!("“{by_name}” invited you to join “{organization}” on ADAgentAI as {article} {role}."))
            .says(format!(
                "Sign in as {email}, or create an account with that email. You can accept the invitation within {DAYS} days."
            ))
            .leads_to("See the invitation", self.desk_url(&format!("/invitations/{id}")))
            .says("If you weren't expecting this, ignore this email.");
        self.queue_mail(work, "invitation", &mail, DAYS * DAY_SECONDS).await
    }

    /// Returns the public address of a page of this server.
    pub(crate) fn desk_url(&self, path: &str) -> String {
        format!("{}{path}", self.connections.public_url().as_str().trim_end_matches('/'))
    }
}

async fn pending(work: &mut dyn UnitOfWork, actor: &Actor, id: InvitationId) -> ServiceResult<Invitation> {
    let found = work.invitation(id).await?;
    let ours = found.filter(|one| one.workspace == actor.workspace && one.status == InvitationStatus::Pending);
    ours.ok_or(ServiceError::NotFound(INVITATION))
}

async fn membership_role(
    work: &mut dyn UnitOfWork,
    organization: &adagent_store::Workspace,
    user: UserId,
) -> ServiceResult<Role> {
    Ok(work.membership(organization.id, user).await?.ok_or(ServiceError::NotFound(ORGANIZATION))?.role)
}

fn view(listed: ListedInvitation, now: Timestamp) -> InvitationView {
    let ListedInvitation { invitation, invited_by_name, mail_state, mail_error } = listed;
    InvitationView {
        id: invitation.id,
        email: invitation.email,
        role: invitation.role,
        invited_by: invited_by_name.unwrap_or_else(|| SOMEBODY.into()),
        created_at: invitation.created_at,
        expires_at: invitation.expires_at,
        state: if invitation.expires_at > now { InvitationState::Pending } else { InvitationState::Expired },
        mail: match mail_state {
            Some(MailState::Waiting) => InvitationMail::Queued,
            Some(MailState::Failed) => InvitationMail::Failed,
            Some(MailState::Sent) | None => InvitationMail::Sent,
        },
        mail_error,
    }
}

fn received_view(received: ReceivedInvitation) -> ReceivedInvitationView {
    let ReceivedInvitation { invitation, organization, invited_by_name } = received;
    ReceivedInvitationView {
        id: invitation.id,
        organization: OrganizationName { id: invitation.workspace, name: organization },
        role: invitation.role,
        invited_by: invited_by_name.unwrap_or_else(|| SOMEBODY.into()),
        expires_at: invitation.expires_at,
    }
}
