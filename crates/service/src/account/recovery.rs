//! Replaces the ten recovery codes, while two-factor authentication stays on.

use adagent_contract::{RecoveryCodesView, codes};
use adagent_domain::Actor;
use adagent_identity::{recovery_codes, recovery_hash};
use serde_json::json;

use super::{Proof, letters::Letter};
use crate::{Service, ServiceError, ServiceResult};

impl Service {
    /// Replaces the recovery codes; only this answer contains them. Asks for both proofs, as turning 2FA off does, because a person with
    /// recovery codes gets in without the phone.
    pub async fn renew_recovery_codes(
        &self,
        actor: &Actor,
        code: &str,
        proof: Proof<'_>,
    ) -> ServiceResult<RecoveryCodesView> {
        let user = self.user(actor.user).await?;
        if !self.asks_for_code(user.id).await? {
            return Err(ServiceError::Conflict {
                code: codes::CONFLICT,
                detail: "Two-factor authentication is off. Turn it on first.".into(),
            });
        }
        self.prove(&user, proof, "/password").await?;
        self.check_own_code(user.id, code).await?;
        let codes = recovery_codes().map_err(|error| ServiceError::Internal(error.to_string()))?;
        let hashes: Vec<String> = codes.iter().map(|code| recovery_hash(user.id, code)).collect();
        let mut work = self.store.begin().await?;
        work.replace_recovery_codes(user.id, &hashes).await?;
        self.audit_account(&mut *work, &user, "account.recovery_codes_renewed", json!({})).await?;
        self.tell(&mut *work, &user.email, Letter::RecoveryCodesRenewed { name: &user.name }).await?;
        work.durable();
        self.sent_off(work).await?;
        Ok(RecoveryCodesView { recovery_codes: codes })
    }
}
