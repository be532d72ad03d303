//! Sign-up, sign-in, who a person is, and in which workspace they act.

use std::{net::IpAddr, time::Duration};

use adagent_contract::{Me, SignInRequest, SignUpRequest, UserView};
use adagent_domain::{Actor, UserId, WorkspaceId};
use adagent_identity::{Verdict, Whose, email_key, validate_email, validate_name, validate_password};
use adagent_store::{NewUser, StoreError, User, WorkspaceKind};

use crate::{
    Service, ServiceError, ServiceResult,
    account::{SignInStep, letters::Letter},
    limits::MailFor,
    validate::Fields,
};

/// Every answer takes at least this long, which is longer than queueing an email, so that its time does not reveal whether an account
/// exists.
const FLOOR: Duration = Duration::from_millis(250);

/// The person of a request. The session middleware puts it into the request's extensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CurrentUser(pub Option<UserId>);

/// The fields of a refused form that was sent without JavaScript. The page shows them again. The HTTP layer puts them into the request's
/// extensions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KeptFields(pub Vec<(String, String)>);

impl KeptFields {
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// What rate limits know about a client.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ClientInfo {
    pub ip: Option<IpAddr>,
}

/// The result of signing up.
#[derive(Debug, Clone, PartialEq)]
pub enum SignedUp {
    In(UserView),
    /// We sent an email, whether or not an account has the address.
    Mailed,
}

impl Service {
    /// Makes an account with its personal workspace. If addresses must be confirmed first, an address that has an account gets the same
    /// answer after the same time, and an email tells its reader.
    pub async fn sign_up(&self, request: SignUpRequest, client: ClientInfo) -> ServiceResult<SignedUp> {
        let mut fields = Fields::default();
        let email = fields.take("/email", validate_email(&request.email));
        let name = fields.take("/name", validate_name(&request.name));
        fields.take(
            "/password",
            validate_password(&request.password, Whose { email: &request.email, name: &request.name }),
        );
        fields.done()?;
        let (Some(email), Some(name)) = (email, name) else {
            return Err(ServiceError::Internal("validated fields are missing".into()));
        };
        self.limits.sign_up(client.ip)?;
        if self.confirm_first {
            self.needs_mail()?;
        }
        let password_hash = self.hash(&request.password).await?;
        let user = User {
            id: UserId::new(&*self.ids),
            email: email.clone(),
            name,
            password_hash,
            personal_workspace: WorkspaceId::new(&*self.ids),
            created_at: self.clock.now(),
            email_verified_at: None,
        };
        if self.confirm_first {
            let mail = async {
                match self.make(&user).await {
                    Err(ServiceError::Store(StoreError::Taken { .. })) => self.tell_known(&email).await,
                    made => made,
                }
            };
            let (mailed, ()) = tokio::join!(mail, tokio::time::sleep(FLOOR));
            return mailed.map(|()| SignedUp::Mailed);
        }
        match self.make(&user).await {
            Ok(()) => Ok(SignedUp::In(user_view(&user))),
            Err(ServiceError::Store(StoreError::Taken { .. })) => {
                Err(ServiceError::field("/email", "This email already has an account. Sign in instead."))
            }
            Err(other) => Err(other),
        }
    }

    /// Tells the reader of an address by email that it has an account, within the usual limit for emails.
    async fn tell_known(&self, email: &str) -> ServiceResult<()> {
        let key = email_key(email);
        let Some(user) = self.store.find_user_by_email(&key).await? else { return Ok(()) };
        if self.limits.mail(MailFor::Address, &key).is_err() {
            return Ok(());
        }
        let mut work = self.store.begin().await?;
        self.post(&mut *work, &user.email, Letter::Known { name: &user.name }).await?;
        self.sent_off(work).await
    }

    async fn make(&self, user: &User) -> ServiceResult<()> {
        let mut work = self.store.begin().await?;
        work.insert_user(&NewUser { email_key: email_key(&user.email), user: user.clone() }).await?;
        if self.sends_mail() {
            self.send_verification(&mut *work, user, &user.email).await?;
        }
        self.audit_account(&mut *work, user, "account.signed_up", serde_json::json!({"method": "password"})).await?;
        self.sent_off(work).await
    }

    /// Checks email and password. An unknown address and a wrong password get the same answer after the same time. A person with a second
    /// factor is not signed in yet.
    pub async fn sign_in(&self, request: SignInRequest, client: ClientInfo) -> ServiceResult<SignInStep> {
        let mut fields = Fields::default();
        if request.email.trim().is_empty() {
            fields.wrong("/email", "Enter your email.");
        } else if request.email.chars().count() > 300 {
            fields.wrong("/email", "An email has at most 254 characters.");
        }
        if request.password.is_empty() {
            fields.wrong("/password", "Enter your password.");
        } else if request.password.chars().count() > 1000 {
            fields.wrong("/password", "A password has at most 256 characters.");
        }
        fields.done()?;
        let key = email_key(&request.email);
        let slowed = self.limits.sign_in(&key, client.ip)?;
        if !slowed.is_zero() {
            tokio::time::sleep(slowed).await;
        }
        let user = self.store.find_user_by_email(&key).await?;
        let stored = user.as_ref().and_then(User::password);
        let verdict =
            self.hasher.verify(&request.password, stored).await.map_err(|e| ServiceError::Internal(e.to_string()))?;
        match (user, verdict) {
            // Otherwise a sign-in would reveal what a sign-up hides.
            (Some(user), Verdict::Right | Verdict::RightButOutdated)
                if self.confirm_first && !user.has_proven_email() =>
            {
                tracing::info!(user = %user.id, from = ?client.ip, "a sign-in failed: the address is not confirmed");
                Err(ServiceError::WrongCredentials)
            }
            (Some(user), Verdict::Right) => self.step(&user).await,
            (Some(user), Verdict::RightButOutdated) => {
                let hash = self.hash(&request.password).await?;
                let mut work = self.store.begin().await?;
                work.update_password_hash(user.id, &hash).await?;
                work.commit().await?;
                self.step(&user).await
            }
            (user, _) => {
                tracing::info!(known = user.is_some(), from = ?client.ip, "a sign-in failed");
                if let Some(user) = &user {
                    self.note_wrong_password(user, client.ip);
                }
                Err(ServiceError::WrongCredentials)
            }
        }
    }

    async fn step(&self, user: &User) -> ServiceResult<SignInStep> {
        let more = self.asks_for_code(user.id).await?;
        Ok(if more { SignInStep::NeedsCode(user.id) } else { SignInStep::Done(user_view(user)) })
    }

    /// Returns a person who is signed in now.
    pub async fn user_view(&self, id: UserId) -> ServiceResult<UserView> {
        Ok(user_view(&self.store.find_user(id).await?.ok_or(ServiceError::Unauthenticated)?))
    }

    /// Returns the person and their organizations.
    pub async fn me(&self, user: UserId) -> ServiceResult<Me> {
        let user = self.store.find_user(user).await?.ok_or(ServiceError::Unauthenticated)?;
        let organizations = self.organizations(user.id).await?;
        let invitations = self.received_invitations(&user).await?;
        Ok(Me { user: user_view(&user), organizations, invitations })
    }

    /// Returns the person in a workspace; `None` means their personal one. A person who is not a member learns nothing about the workspace.
    pub async fn resolve_actor(&self, user: UserId, workspace: Option<WorkspaceId>) -> ServiceResult<Actor> {
        let wanted = match workspace {
            Some(id) => id,
            None => self.store.find_user(user).await?.ok_or(ServiceError::Unauthenticated)?.personal_workspace,
        };
        let membership = self.store.find_membership(wanted, user).await?;
        // Every person has a personal workspace, unless their account is being deleted at this moment.
        let gone =
            if workspace.is_none() { ServiceError::Unauthenticated } else { ServiceError::NotFound("organization") };
        let membership = membership.ok_or(gone)?;
        Ok(Actor {
            user,
            workspace: wanted,
            role: membership.role,
            personal: membership.workspace.kind == WorkspaceKind::Personal,
        })
    }

    pub(crate) async fn hash(&self, password: &str) -> ServiceResult<String> {
        self.hasher.hash(password).await.map_err(|error| ServiceError::Internal(error.to_string()))
    }
}

pub(crate) fn user_view(user: &User) -> UserView {
    UserView {
        id: user.id,
        email: user.email.clone(),
        name: user.name.clone(),
        created_at: user.created_at,
        personal_workspace_id: user.personal_workspace,
    }
}

/// The SHA-256 of the browser session's ID, in hex. An OAuth round trip is bound to it. The session layer puts it into the request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionHash(pub String);
