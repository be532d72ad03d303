//! Verifies and changes a person's address. A new address counts only after the person has opened its link.

use adagent_contract::LinkRequest;
use adagent_domain::{Actor, UserId};
use adagent_identity::{email_key, random_secret, secret_hash, validate_email};
use adagent_store::{AccountToken, StoreError, TokenPurpose, UnitOfWork, User};
use serde_json::json;
use zeroize::Zeroizing;

use super::{Proof, letters::Letter};
use crate::{ClientInfo, Service, ServiceError, ServiceResult, limits::MailFor};

const LIVES_SECONDS: i64 = 24 * 60 * 60;

pub(super) fn stale_link() -> ServiceError {
    ServiceError::field(
        "/token",
        "This link was already used, has expired, or was replaced by a newer one. Get a new link.",
    )
}

impl Service {
    /// Sends the link again, to the address that is not verified yet.
    pub async fn ask_to_verify_email(&self, actor: &Actor) -> ServiceResult<()> {
        let user = self.user(actor.user).await?;
        let asked = self.store.find_account_token_of(user.id, TokenPurpose::VerifyEmail, self.clock.now()).await?;
        let address = match asked {
            Some(token) => token.email,
            None if user.has_proven_email() => {
                return Err(ServiceError::Conflict {
                    code: adagent_contract::codes::CONFLICT,
                    detail: "Your email is already confirmed.".into(),
                });
            }
            None => user.email.clone(),
        };
        self.needs_mail()?;
        self.limits.mail(MailFor::Address, &email_key(&address))?;
        let mut work = self.store.begin().await?;
        self.send_verification(&mut *work, &user, &address).await?;
        self.audit_account(&mut *work, &user, "account.verification_sent", json!({})).await?;
        self.sent_off(work).await
    }

    /// Stores and queues a link within the transaction that causes it.
    pub(crate) async fn send_verification(
        &self,
        work: &mut dyn UnitOfWork,
        user: &User,
        address: &str,
    ) -> ServiceResult<()> {
        let secret = self.keep_verification(work, user, address).await?;
        self.post(work, address, Letter::Verify { name: &user.name, secret: &secret }).await
    }

    async fn keep_verification(
        &self,
        work: &mut dyn UnitOfWork,
        user: &User,
        address: &str,
    ) -> ServiceResult<Zeroizing<String>> {
        let secret = random_secret().map_err(|error| ServiceError::Internal(error.to_string()))?;
        let hash = secret_hash(&secret).ok_or_else(|| ServiceError::Internal("a secret of the wrong shape".into()))?;
        let now = self.clock.now();
        let token = AccountToken {
            user: user.id,
            purpose: TokenPurpose::VerifyEmail,
            email: address.to_owned(),
            created_at: now,
            expires_at: now.plus_seconds(LIVES_SECONDS),
        };
        work.replace_account_token(&token, &hash).await?;
        Ok(secret)
    }

    /// Verifies an address. The link shows that the person reads email there; the session or the password shows that the account is theirs.
    /// Neither is enough alone: somebody may have made an account with the reader's address and now waits for the reader to verify it.
    pub async fn verify_email(
        &self,
        request: &LinkRequest,
        signed_in: Option<UserId>,
        client: ClientInfo,
    ) -> ServiceResult<()> {
        self.limits.token_guess(client.ip)?;
        let hash = secret_hash(&request.token).ok_or_else(stale_link)?;
        let now = self.clock.now();
        let link =
            self.store.find_account_token(&hash, TokenPurpose::VerifyEmail, now).await?.ok_or_else(stale_link)?;
        let user = self.store.find_user(link.user).await?.ok_or_else(stale_link)?;
        if signed_in != Some(user.id) {
            let proof = Proof { password: request.password.as_deref(), signed_in_at: None, address: client.ip };
            self.prove(&user, proof, "/password").await?;
        }
        let mut work = self.store.begin().await?;
        let token = work.take_account_token(&hash, TokenPurpose::VerifyEmail).await?;
        let token = token.filter(|token| token.expires_at > now).ok_or_else(stale_link)?;
        if email_key(&token.email) == email_key(&user.email) {
            work.set_email_verified(user.id, now).await?;
            self.audit_account(&mut *work, &user, "account.email_verified", json!({})).await?;
        } else {
            let by_another = || ServiceError::field("/token", "Another account now uses this email.");
            work.set_email(user.id, &token.email, &email_key(&token.email), Some(now)).await.map_err(|error| {
                match error {
                    StoreError::Taken { .. } => by_another(),
                    other => other.into(),
                }
            })?;
            // A link to the old address must no longer open the account.
            work.delete_account_tokens(user.id, TokenPurpose::ResetPassword).await?;
            self.audit_account(&mut *work, &user, "account.email_changed", json!({})).await?;
            self.tell(&mut *work, &user.email, Letter::EmailChanged { name: &user.name }).await?;
        }
        work.durable();
        self.sent_off(work).await
    }

    /// Sends a link to the new address. If another account has the address, only its reader learns that.
    pub async fn change_email(&self, actor: &Actor, email: &str, proof: Proof<'_>) -> ServiceResult<()> {
        let user = self.user(actor.user).await?;
        let email = validate_email(email).map_err(|error| ServiceError::field("/email", error.to_string()))?;
        let key = email_key(&email);
        if key == email_key(&user.email) {
            return Err(ServiceError::field("/email", "This is already your email."));
        }
        self.prove(&user, proof, "/password").await?;
        self.needs_mail()?;
        self.limits.mail(MailFor::Address, &key)?;
        let taken = self.store.find_user_by_email(&key).await?;
        let mut work = self.store.begin().await?;
        match taken {
            Some(other) => {
                // Store this link like any other, so that the account looks the same. Nobody has its secret.
                self.keep_verification(&mut *work, &user, &email).await?;
                self.post(&mut *work, &email, Letter::Known { name: &other.name }).await?;
            }
            None => self.send_verification(&mut *work, &user, &email).await?,
        }
        self.audit_account(&mut *work, &user, "account.email_change_asked", json!({})).await?;
        self.sent_off(work).await
    }
}
