//! Sign-in with Google, or with another configured OpenID Connect provider, and linking it to an account.
//!
//! We find an account by the provider's own ID for a person. We find it by address only if both sides have verified the address. So neither
//! a provider that vouches for an unchecked address nor an account made with another person's address gives access.

use adagent_domain::{Actor, UserId, WorkspaceId};
use adagent_identity::{Claims, OpenId, OpenIdError, email_key, validate_email, validate_name};
use adagent_store::{Identity, NewUser, SignInAttempt, StoreError, TokenPurpose, User};
use serde_json::json;
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use adagent_contract::{codes, links};

use super::{Proof, letters::Letter};
use crate::{Service, ServiceError, ServiceResult};

/// How long a person may take to choose an account and type a password at the provider, in seconds.
const ATTEMPT_SECONDS: i64 = 10 * 60;

/// The start of a round trip: where to send the browser, and the secret that this browser must bring back.
pub struct GoogleTrip {
    pub url: url::Url,
    /// Goes into a cookie.
    pub binding: Zeroizing<String>,
}

/// The person who came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrival {
    pub user: UserId,
    /// We linked the provider to the account that is signed in already, so nobody signs in.
    pub linked: bool,
    pub return_to: Option<String>,
}

fn refused(code: &'static str, detail: &str) -> ServiceError {
    ServiceError::Conflict { code, detail: detail.to_owned() }
}

fn failed(error: &OpenIdError) -> ServiceError {
    match error {
        OpenIdError::Provider(_) => {
            tracing::warn!(%error, "the sign-in provider cannot be used");
            ServiceError::Unavailable("We can't reach Google right now. Try again, or sign in with your password.")
        }
        OpenIdError::NoRandomness(_) => ServiceError::Internal(error.to_string()),
        OpenIdError::CodeRefused | OpenIdError::Unproven(_) => {
            tracing::warn!(%error, "somebody came back from the sign-in provider without a proof");
            refused(codes::GOOGLE_FAILED, "Google sign-in failed. Try again.")
        }
    }
}

impl Service {
    pub const fn has_google(&self) -> bool {
        self.openid.is_some()
    }

    /// Returns the origin to which the form that links an account leads.
    pub fn google_origin(&self) -> Option<String> {
        let issuer = url::Url::parse(self.openid.as_ref()?.issuer()).ok()?;
        Some(issuer.origin().ascii_serialization())
    }

    fn openid(&self) -> ServiceResult<&OpenId> {
        self.openid.as_deref().ok_or(ServiceError::NotFound("sign-in provider"))
    }

    /// Begins a sign-in.
    pub async fn begin_google(&self, return_to: Option<&str>, client: crate::ClientInfo) -> ServiceResult<GoogleTrip> {
        self.openid()?;
        self.limits.sign_up(client.ip)?;
        self.begin_trip(None, return_to).await
    }

    /// Begins linking the provider to the signed-in account, after a proof that it is the person.
    pub async fn begin_google_link(&self, actor: &Actor, proof: Proof<'_>) -> ServiceResult<GoogleTrip> {
        self.openid()?;
        let user = self.user(actor.user).await?;
        self.prove(&user, proof, "/password").await?;
        self.begin_trip(Some(&user), Some("/settings/account")).await
    }

    async fn begin_trip(&self, user: Option<&User>, return_to: Option<&str>) -> ServiceResult<GoogleTrip> {
        let hint = user.map(|user| user.email.as_str());
        let departure = self.openid()?.depart(hint).await.map_err(|error| failed(&error))?;
        let attempt = SignInAttempt {
            state_hash: departure.state_hash,
            binding_hash: departure.binding_hash,
            user: user.map(|user| user.id),
            return_to: return_to.and_then(links::return_path),
            expires_at: self.clock.now().plus_seconds(ATTEMPT_SECONDS),
        };
        let mut work = self.store.begin().await?;
        work.insert_sign_in_attempt(&attempt).await?;
        work.commit().await?;
        Ok(GoogleTrip { url: departure.url, binding: departure.binding })
    }

    /// Finishes a round trip. `code` is the provider's code, or `Err` with its error. A state works once, and only in the browser where it
    /// began.
    pub async fn finish_google(
        &self,
        state: &str,
        code: Result<&str, &str>,
        binding: Option<&str>,
        signed_in: Option<UserId>,
    ) -> ServiceResult<Arrival> {
        let openid = self.openid()?;
        let elsewhere = || {
            refused(
                codes::GOOGLE_FAILED,
                "This sign-in has expired, was already used, or started in another browser. Try again.",
            )
        };
        let binding = binding.ok_or_else(elsewhere)?;
        let state_hash = hex::encode(Sha256::digest(state.as_bytes()));
        let mut work = self.store.begin().await?;
        let attempt = work.take_sign_in_attempt(&state_hash, &OpenId::binding_hash(binding)).await?;
        work.commit().await?;
        let now = self.clock.now();
        let attempt = attempt.filter(|attempt| attempt.expires_at > now).ok_or_else(elsewhere)?;
        let code = code.map_err(|error| {
            let detail = if error == "access_denied" {
                "You canceled signing in with Google."
            } else {
                "Google refused the sign-in."
            };
            refused(codes::GOOGLE_FAILED, detail)
        })?;
        let claims = openid.arrive(code, binding).await.map_err(|error| failed(&error))?;
        let user = match attempt.user {
            // If the person has signed out or switched accounts since, we link nothing.
            Some(user) if signed_in != Some(user) => return Err(elsewhere()),
            Some(user) => self.link(user, claims).await?,
            None => self.whoever(claims).await?,
        };
        Ok(Arrival { user, linked: attempt.user.is_some(), return_to: attempt.return_to })
    }

    /// Returns the account of a person for whom the provider vouches. Makes one if there is none.
    async fn whoever(&self, claims: Claims) -> ServiceResult<UserId> {
        let now = self.clock.now();
        let issuer = self.openid()?.issuer().to_owned();
        let email = claims.email.as_deref().and_then(|email| validate_email(email).ok());
        if let Some(known) = self.store.find_identity(&issuer, &claims.subject).await? {
            let mut work = self.store.begin().await?;
            work.touch_identity(&issuer, &claims.subject, now, email.as_deref().unwrap_or(&known.email)).await?;
            work.commit().await?;
            return Ok(known.user);
        }
        let email = email.filter(|_| claims.email_verified).ok_or_else(unverified)?;
        let key = email_key(&email);
        let identity = |user| Identity {
            issuer: issuer.clone(),
            subject: claims.subject.clone(),
            user,
            email: email.clone(),
            created_at: now,
            used_at: Some(now),
        };
        if let Some(user) = self.store.find_user_by_email(&key).await? {
            if !user.has_proven_email() {
                return Err(refused(
                    codes::GOOGLE_LINK_FIRST,
                    "This email already has an account. Sign in with its password, then link Google in the settings.",
                ));
            }
            self.insert_link(&user, &identity(user.id)).await?;
            return Ok(user.id);
        }
        let name = claims.name.as_deref().and_then(|name| validate_name(name).ok());
        let name = name.unwrap_or_else(|| email.split('@').next().unwrap_or("Someone").chars().take(100).collect());
        let user = User {
            id: UserId::new(&*self.ids),
            email: email.clone(),
            name,
            password_hash: String::new(),
            personal_workspace: WorkspaceId::new(&*self.ids),
            created_at: now,
            email_verified_at: Some(now),
        };
        let mut work = self.store.begin().await?;
        let made = async {
            work.insert_user(&NewUser { email_key: key, user: user.clone() }).await?;
            work.insert_identity(&identity(user.id)).await
        };
        made.await.map_err(taken)?;
        self.audit_account(&mut *work, &user, "account.signed_up", json!({"method": "google"})).await?;
        work.durable();
        work.commit().await?;
        Ok(user.id)
    }

    async fn link(&self, user: UserId, claims: Claims) -> ServiceResult<UserId> {
        let user = self.user(user).await?;
        let openid = self.openid()?;
        let now = self.clock.now();
        if let Some(known) = self.store.find_identity(openid.issuer(), &claims.subject).await? {
            // Linking the same account again changes nothing.
            return if known.user == user.id { Ok(user.id) } else { Err(taken_elsewhere()) };
        }
        if !claims.email_verified {
            return Err(unverified());
        }
        let identity = Identity {
            issuer: openid.issuer().to_owned(),
            subject: claims.subject,
            user: user.id,
            email: claims.email.unwrap_or_default(),
            created_at: now,
            used_at: None,
        };
        self.insert_link(&user, &identity).await?;
        Ok(user.id)
    }

    async fn insert_link(&self, user: &User, identity: &Identity) -> ServiceResult<()> {
        let mut work = self.store.begin().await?;
        work.insert_identity(identity).await.map_err(taken)?;
        self.audit_account(&mut *work, user, "account.google_linked", json!({"issuer": identity.issuer})).await?;
        self.tell(&mut *work, &user.email, Letter::GoogleLinked { name: &user.name }).await?;
        work.durable();
        self.sent_off(work).await
    }

    /// Removes the link. A person without a password must keep it, so that they do not lock themselves out.
    pub async fn unlink_google(&self, actor: &Actor, proof: Proof<'_>) -> ServiceResult<()> {
        let user = self.user(actor.user).await?;
        if user.password().is_none() {
            let detail = "Google is your only way to sign in. Set a password first.";
            return Err(ServiceError::Conflict { code: codes::CONFLICT, detail: detail.into() });
        }
        self.prove(&user, proof, "/password").await?;
        let mut work = self.store.begin().await?;
        if !work.delete_identity(user.id, self.openid()?.issuer()).await? {
            return Err(ServiceError::NotFound("linked account"));
        }
        // A pending link to reset the password may come from the person who had linked the provider, so delete it.
        work.delete_account_tokens(user.id, TokenPurpose::ResetPassword).await?;
        self.audit_account(&mut *work, &user, "account.google_unlinked", json!({})).await?;
        work.durable();
        self.sent_off(work).await
    }
}

fn unverified() -> ServiceError {
    refused(codes::GOOGLE_UNVERIFIED, "Google hasn't verified this account's email.")
}

fn taken_elsewhere() -> ServiceError {
    refused(
        codes::GOOGLE_TAKEN,
        "This Google account is linked to another user, or your account already has a different one.",
    )
}

fn taken(error: StoreError) -> ServiceError {
    match error {
        StoreError::Taken { .. } => taken_elsewhere(),
        other => other.into(),
    }
}
