//! Resets forgotten passwords and changes known ones. Both end all other sessions and tell the person by email.

use std::time::Duration;

use adagent_contract::{ChangePasswordRequest, ResetPasswordRequest};
use adagent_domain::{Actor, Timestamp};
use adagent_identity::{Whose, email_key, random_secret, secret_hash, validate_password};
use adagent_store::{AccountToken, TokenPurpose};
use serde_json::json;

use super::{Proof, email::stale_link, letters::Letter};
use crate::{ClientInfo, Service, ServiceError, ServiceResult, SessionHash, limits::MailFor};

const LIVES_SECONDS: i64 = 30 * 60;
/// Every answer takes at least this long, which is longer than queueing an email, so that its time does not reveal whether an account
/// exists.
const FLOOR: Duration = Duration::from_millis(250);

impl Service {
    /// Sends a link if an account has the address. If none has, the answer is the same and takes as long.
    pub async fn forgot_password(&self, email: &str, client: ClientInfo) -> ServiceResult<()> {
        let email = email.trim();
        if email.is_empty() || email.chars().count() > 300 {
            return Err(ServiceError::field("/email", "Enter your email."));
        }
        self.needs_mail()?;
        self.limits.sign_up(client.ip)?;
        let (sent, ()) = tokio::join!(self.send_reset(email), tokio::time::sleep(FLOOR));
        // An error would reveal that an account exists.
        if let Err(error) = sent {
            tracing::warn!(%error, "a link to set a new password could not be sent");
        }
        Ok(())
    }

    async fn send_reset(&self, email: &str) -> ServiceResult<()> {
        let key = email_key(email);
        // The limit keeps a mailbox from being flooded. The answer stays the same, so that it does not reveal whether an account exists.
        if self.limits.mail(MailFor::Reset, &key).is_err() {
            return Ok(());
        }
        let Some(user) = self.store.find_user_by_email(&key).await? else { return Ok(()) };
        let secret = random_secret().map_err(|error| ServiceError::Internal(error.to_string()))?;
        let hash = secret_hash(&secret).ok_or_else(|| ServiceError::Internal("a secret of the wrong shape".into()))?;
        let now = self.clock.now();
        let token = AccountToken {
            user: user.id,
            purpose: TokenPurpose::ResetPassword,
            email: user.email.clone(),
            created_at: now,
            expires_at: now.plus_seconds(LIVES_SECONDS),
        };
        let mut work = self.store.begin().await?;
        work.replace_account_token(&token, &hash).await?;
        self.post(&mut *work, &user.email, Letter::Reset { name: &user.name, secret: &secret }).await?;
        self.audit_account(&mut *work, &user, "account.reset_asked", json!({})).await?;
        self.sent_off(work).await
    }

    /// Sets a new password with the link from the email, which works once. Signs nobody in: we still ask for the second factor.
    pub async fn reset_password(&self, request: ResetPasswordRequest, client: ClientInfo) -> ServiceResult<()> {
        let ResetPasswordRequest { token, password } = request;
        self.limits.token_guess(client.ip)?;
        let hash = secret_hash(&token).ok_or_else(stale_link)?;
        let now = self.clock.now();
        let link = self.store.find_account_token(&hash, TokenPurpose::ResetPassword, now).await?;
        let link = link.ok_or_else(stale_link)?;
        let user = self.store.find_user(link.user).await?.ok_or_else(stale_link)?;
        // The link stays valid while the new password is not acceptable.
        let good = validate_password(&password, Whose { email: &user.email, name: &user.name });
        good.map_err(|error| ServiceError::field("/password", error.to_string()))?;
        let new = self.hash(&password).await?;
        let mut work = self.store.begin().await?;
        let taken = work.take_account_token(&hash, TokenPurpose::ResetPassword).await?;
        taken.filter(|token| token.expires_at > now).ok_or_else(stale_link)?;
        work.update_password_hash(user.id, &new).await?;
        work.end_other_sessions(user.id, "").await?;
        // A person who needed this may have had an intruder. So nothing the intruder left behind still opens the account: no unconfirmed
        // address, no linked provider, no access token.
        work.delete_account_tokens(user.id, TokenPurpose::VerifyEmail).await?;
        for identity in self.store.list_identities(user.id).await? {
            work.delete_identity(user.id, &identity.issuer).await?;
        }
        work.delete_access_tokens_of(user.id).await?;
        if email_key(&link.email) == email_key(&user.email) && !user.has_proven_email() {
            // The person who made the account never showed that the address is theirs. Their second factor would lock out the owner of the
            // address for good.
            work.delete_second_factor(user.id).await?;
            work.set_email_verified(user.id, now).await?;
        }
        self.audit_account(&mut *work, &user, "account.password_reset", json!({})).await?;
        self.tell(&mut *work, &user.email, Letter::PasswordReset { name: &user.name }).await?;
        work.durable();
        self.sent_off(work).await
    }

    /// Changes the password after checking the old one. Ends every session except the one that asks.
    pub async fn change_password(
        &self,
        actor: &Actor,
        request: ChangePasswordRequest,
        session: Option<&SessionHash>,
        signed_in_at: Option<Timestamp>,
        client: ClientInfo,
    ) -> ServiceResult<()> {
        let ChangePasswordRequest { current_password, new_password } = request;
        let user = self.user(actor.user).await?;
        let good = validate_password(&new_password, Whose { email: &user.email, name: &user.name });
        good.map_err(|error| ServiceError::field("/new_password", error.to_string()))?;
        let proof = Proof { password: current_password.as_deref(), signed_in_at, address: client.ip };
        self.prove(&user, proof, "/current_password").await?;
        let new = self.hash(&new_password).await?;
        let mut work = self.store.begin().await?;
        work.update_password_hash(user.id, &new).await?;
        for purpose in TokenPurpose::ALL {
            work.delete_account_tokens(user.id, purpose).await?;
        }
        let ended = work.end_other_sessions(user.id, session.map_or("", |session| session.0.as_str())).await?;
        self.audit_account(&mut *work, &user, "account.password_changed", json!({"ended_sessions": ended})).await?;
        self.tell(&mut *work, &user.email, Letter::PasswordChanged { name: &user.name }).await?;
        work.durable();
        self.sent_off(work).await
    }
}
