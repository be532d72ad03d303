//! What a person sees of their account.

use adagent_contract::{AccountView, GoogleView, LinkedView, SecondFactorView};
use adagent_domain::Actor;
use adagent_store::TokenPurpose;

use crate::{Service, ServiceResult, accounts::user_view};

impl Service {
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
            user: user_view(&user),
        })
    }
}
