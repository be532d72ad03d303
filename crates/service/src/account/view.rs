//! What a person sees of their account.

use adagent_contract::{AccountView, GoogleView, LinkedView, SecondFactorView};
use adagent_domain::{Actor, UserId};
use adagent_store::{TokenPurpose, User};
use serde_json::{Value as Json, json};

use super::browsers::LISTED;
use crate::{Service, ServiceResult, accounts::user_view};

impl Service {
    /// Returns how a person signs in, for the file of their own data. It contains no secret, and nothing from which one could be derived.
    pub(crate) async fn how_they_sign_in(&self, user: &User) -> ServiceResult<Json> {
        let identities = self.store.list_identities(user.id).await?.into_iter().map(|identity| {
            json!({
                "issuer": identity.issuer, "subject": identity.subject, "email": identity.email,
                "created_at": identity.created_at, "used_at": identity.used_at,
            })
        });
        let identities: Vec<Json> = identities.collect();
        let sessions = self.store.list_browser_sessions(user.id, self.clock.now(), LISTED).await?;
        let sessions = sessions.into_iter().map(|session| {
            json!({
                "created_at": session.created_at, "seen_at": session.seen_at, "agent": session.agent,
                "address": session.address,
            })
        });
        let sessions: Vec<Json> = sessions.collect();
        let factor = self.store.find_second_factor(user.id).await?;
        Ok(json!({
            "email_verified_at": user.email_verified_at, "has_password": user.password().is_some(),
            "second_factor_since": factor.and_then(|factor| factor.confirmed_at),
            "recovery_codes_left": self.store.count_recovery_codes(user.id).await?,
            "identities": identities, "browser_sessions": sessions, "failed_sign_ins": self.failed_sign_ins(user).await?,
        }))
    }

    /// Checks whether pages ask the person to confirm their address. They ask only if email from this server reaches people, because then
    /// invitations to an address count only after that. The answer says nothing about pending emails, which may be somebody else's.
    pub async fn asks_to_confirm(&self, user: UserId) -> ServiceResult<bool> {
        Ok(self.mail.reaches_people() && !self.user(user).await?.has_proven_email())
    }

    /// Checks whether the account has a password.
    pub async fn has_password(&self, actor: &Actor) -> ServiceResult<bool> {
        Ok(self.user(actor.user).await?.password().is_some())
    }

    pub async fn account(&self, actor: &Actor) -> ServiceResult<AccountView> {
        let user = self.user(actor.user).await?;
        let factor = self.store.find_second_factor(user.id).await?;
        let second_factor = match factor.and_then(|factor| factor.confirmed_at) {
            Some(since) => {
                let recovery_codes_left = self.store.count_recovery_codes(user.id).await?;
                Some(SecondFactorView { since, recovery_codes_left })
            }
            None => None,
        };
        let google = match &self.openid {
            Some(openid) => {
                let known = self.store.list_identities(user.id).await?;
                let linked = known.into_iter().find(|identity| identity.issuer == openid.issuer());
                let linked = linked.map(|identity| LinkedView {
                    email: identity.email,
                    since: identity.created_at,
                    last_used_at: identity.used_at,
                });
                Some(GoogleView { linked })
            }
            None => None,
        };
        let asked = self.store.find_account_token_of(user.id, TokenPurpose::VerifyEmail, self.clock.now()).await?;
        Ok(AccountView {
            email_verified: user.has_proven_email(),
            awaiting_email: asked.map(|token| token.email),
            mail: self.sends_mail(),
            has_password: user.password().is_some(),
            second_factor,
            google,
            failed_sign_ins: self.failed_sign_ins(&user).await?,
            consents_left: self.consents_left_of(&user).await?,
            user: user_view(&user),
        })
    }
}
