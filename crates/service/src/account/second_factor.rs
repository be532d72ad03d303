//! Two-factor authentication: codes of an authenticator app, and recovery codes for people who lose it.
//!
//! The database counts each guess before we check it, so another session, another server or a restart does not reset the count.

use adagent_contract::{EnrolmentView, QrView};
use adagent_domain::{Actor, UserId};
use adagent_identity::{Owner, Purpose, TotpSecret, recovery_codes, recovery_hash};
use adagent_store::{SecondFactor, User};
use qrcode::{EcLevel, QrCode};
use serde::{Deserialize, Serialize};
use serde_json::json;
use zeroize::{Zeroize, ZeroizeOnDrop};

use super::{Proof, letters::Letter};
use crate::{Service, ServiceError, ServiceResult, SessionHash};

/// The name under which an authenticator app lists the account.
const SERVICE: &str = "ADAgentAI";
/// How long we show the secret of an enrollment, in seconds.
const ENROL_SECONDS: i64 = 15 * 60;
/// After this many wrong codes in a row, the next one must wait. This allows 480 guesses a day, each with a chance of three in a million.
const GUESSES: u32 = 5;
const BLOCK_SECONDS: i64 = 15 * 60;
/// The white border around the QR code, as the standard requires.
const QUIET: usize = 4;

/// The content that the vault seals. It holds the recovery codes until the enrollment is confirmed; after that we keep only their digests.
#[derive(Serialize, Deserialize, Zeroize, ZeroizeOnDrop)]
struct Sealed {
    secret: String,
    #[serde(default)]
    recovery_codes: Vec<String>,
    /// The browser session that began the enrollment. We show the secret to no other session.
    #[serde(default)]
    begun_in: String,
}

fn owner(user: &User) -> Owner {
    Owner::of(user.personal_workspace, "account", Purpose::SecondFactor, user.id)
}

fn named(session: Option<&SessionHash>) -> String {
    session.map(|session| session.0.clone()).unwrap_or_default()
}

fn already_on() -> ServiceError {
    ServiceError::Conflict {
        code: adagent_contract::codes::CONFLICT,
        detail: "Two-factor authentication is already on. Turn it off to set up another app.".into(),
    }
}

impl Service {
    /// Makes a new secret, which the person must confirm with a code. Replaces an earlier secret that was not confirmed.
    pub async fn begin_second_factor(
        &self,
        actor: &Actor,
        proof: Proof<'_>,
        session: Option<&SessionHash>,
    ) -> ServiceResult<EnrolmentView> {
        let user = self.user(actor.user).await?;
        self.prove(&user, proof, "/password").await?;
        let no_chance = |error: adagent_identity::NoRandomness| ServiceError::Internal(error.to_string());
        let secret = TotpSecret::generate().map_err(no_chance)?;
        let codes = recovery_codes().map_err(no_chance)?;
        let shown = enrolment(&user, &secret, codes.clone())?;
        let sealed = self.seal_factor(
            &user,
            &Sealed { secret: secret.store().to_string(), recovery_codes: codes, begun_in: named(session) },
        )?;
        let mut work = self.store.begin().await?;
        if !work.put_second_factor(user.id, &sealed, self.clock.now()).await? {
            return Err(already_on());
        }
        self.audit_account(&mut *work, &user, "account.second_factor_begun", json!({})).await?;
        work.commit().await?;
        Ok(shown)
    }

    /// Returns the enrollment that this session began and has not confirmed yet.
    pub async fn second_factor_enrolment(
        &self,
        actor: &Actor,
        session: Option<&SessionHash>,
    ) -> ServiceResult<Option<EnrolmentView>> {
        let user = self.user(actor.user).await?;
        let Some(factor) = self.pending_factor(&user).await? else { return Ok(None) };
        let (secret, opened) = self.open_factor(&user, &factor)?;
        if opened.begun_in != named(session) {
            return Ok(None);
        }
        enrolment(&user, &secret, opened.recovery_codes.clone()).map(Some)
    }

    /// Turns two-factor authentication on, so that every sign-in asks for a code. Ends all other sessions, because they began without one.
    pub async fn confirm_second_factor(
        &self,
        actor: &Actor,
        code: &str,
        session: Option<&SessionHash>,
    ) -> ServiceResult<()> {
        let user = self.user(actor.user).await?;
        let Some(factor) = self.pending_factor(&user).await? else {
            return Err(ServiceError::field("/code", "This setup has expired. Start again."));
        };
        let (secret, opened) = self.open_factor(&user, &factor)?;
        let now = self.clock.now();
        let step = secret
            .step_of(code, now.as_seconds(), None)
            .ok_or_else(|| ServiceError::field("/code", "Incorrect code. Check that your phone's clock is right."))?;
        let hashes: Vec<String> = opened.recovery_codes.iter().map(|code| recovery_hash(user.id, code)).collect();
        let sealed = self.seal_factor(
            &user,
            &Sealed { secret: secret.store().to_string(), recovery_codes: Vec::new(), begun_in: String::new() },
        )?;
        let mut work = self.store.begin().await?;
        if !work.confirm_second_factor(user.id, &factor.sealed, &sealed, now, step).await? {
            return Err(already_on());
        }
        work.replace_recovery_codes(user.id, &hashes).await?;
        let ended = work.end_other_sessions(user.id, session.map_or("", |session| session.0.as_str())).await?;
        self.audit_account(&mut *work, &user, "account.second_factor_on", json!({"ended_sessions": ended})).await?;
        self.tell(&mut *work, &user.email, Letter::SecondFactorOn { name: &user.name }).await?;
        work.durable();
        self.sent_off(work).await
    }

    /// Turns two-factor authentication off. Asks for both proofs, so that an open session or the phone alone is not enough.
    pub async fn disable_second_factor(&self, actor: &Actor, code: &str, proof: Proof<'_>) -> ServiceResult<()> {
        let user = self.user(actor.user).await?;
        if !self.asks_for_code(user.id).await? {
            return Err(ServiceError::Conflict {
                code: adagent_contract::codes::CONFLICT,
                detail: "Two-factor authentication is already off.".into(),
            });
        }
        self.prove(&user, proof, "/password").await?;
        self.check_own_code(user.id, code).await?;
        let mut work = self.store.begin().await?;
        work.delete_second_factor(user.id).await?;
        self.audit_account(&mut *work, &user, "account.second_factor_off", json!({})).await?;
        self.tell(&mut *work, &user.email, Letter::SecondFactorOff { name: &user.name }).await?;
        work.durable();
        self.sent_off(work).await
    }

    /// Checks whether a password or Google alone is not enough to sign in.
    pub async fn asks_for_code(&self, user: UserId) -> ServiceResult<bool> {
        Ok(self.store.find_second_factor(user).await?.is_some_and(|factor| factor.confirmed_at.is_some()))
    }

    /// Like [`Self::check_code`], for the form of a signed-in person: an error names the field.
    pub(crate) async fn check_own_code(&self, user: UserId, code: &str) -> ServiceResult<()> {
        self.check_code(user, code).await.map_err(|error| match error {
            ServiceError::WrongCode => ServiceError::field("/code", "Incorrect code."),
            other => other,
        })
    }

    /// Checks a code of the app or a recovery code. Each works once.
    pub async fn check_code(&self, user: UserId, code: &str) -> ServiceResult<()> {
        if code.trim().is_empty() || code.len() > 100 {
            return Err(ServiceError::field("/code", "Enter the code from your app, or a recovery code."));
        }
        let user = self.user(user).await?;
        let now = self.clock.now();
        let mut work = self.store.begin().await?;
        let until = now.plus_seconds(BLOCK_SECONDS);
        let failures = work.count_second_factor_attempt(user.id, now, until, GUESSES).await?;
        work.durable();
        work.commit().await?;
        let factor = self.store.find_second_factor(user.id).await?.ok_or(ServiceError::Unauthenticated)?;
        let Some(failures) = failures else {
            let until = factor.blocked_until.unwrap_or(until);
            let wait = until.millis_since(now).max(0).unsigned_abs().div_ceil(1000);
            return Err(ServiceError::RateLimited { retry_after_seconds: wait.max(1) });
        };
        let (secret, _) = self.open_factor(&user, &factor)?;
        let mut work = self.store.begin().await?;
        let right = if let Some(step) = secret.step_of(code, now.as_seconds(), factor.last_step) {
            work.use_totp_step(user.id, step).await?
        } else {
            let taken = work.use_recovery_code(user.id, &recovery_hash(user.id, code)).await?;
            if taken {
                work.forgive_second_factor(user.id).await?;
                self.audit_account(&mut *work, &user, "account.recovery_code_used", json!({})).await?;
                self.tell(&mut *work, &user.email, Letter::RecoveryCodeUsed { name: &user.name }).await?;
            }
            taken
        };
        if right {
            work.durable();
            return self.sent_off(work).await;
        }
        self.audit_account(&mut *work, &user, "account.second_factor_failed", json!({"in_a_row": failures})).await?;
        if failures == u64::from(GUESSES) {
            self.tell(&mut *work, &user.email, Letter::CodesGuessed { name: &user.name }).await?;
        }
        self.sent_off(work).await?;
        Err(ServiceError::WrongCode)
    }

    async fn pending_factor(&self, user: &User) -> ServiceResult<Option<SecondFactor>> {
        let now = self.clock.now();
        let factor = self.store.find_second_factor(user.id).await?;
        Ok(factor.filter(|it| it.confirmed_at.is_none() && it.created_at.plus_seconds(ENROL_SECONDS) > now))
    }

    fn seal_factor(&self, user: &User, sealed: &Sealed) -> ServiceResult<String> {
        let vault = self.connections.vault();
        vault.seal_json(&owner(user), sealed).map_err(|error| ServiceError::Internal(error.to_string()))
    }

    fn open_factor(&self, user: &User, factor: &SecondFactor) -> ServiceResult<(TotpSecret, Sealed)> {
        let broken = |error: String| ServiceError::Internal(format!("a second factor can't be read: {error}"));
        let opened: Sealed = self
            .connections
            .vault()
            .open_json(&owner(user), &factor.sealed)
            .map_err(|error| broken(error.to_string()))?;
        let secret =
            TotpSecret::restore(&opened.secret).ok_or_else(|| broken("its secret has another length".into()))?;
        Ok((secret, opened))
    }
}

fn enrolment(user: &User, secret: &TotpSecret, recovery_codes: Vec<String>) -> ServiceResult<EnrolmentView> {
    let uri = secret.uri(SERVICE, &user.email);
    let qr = picture(&uri).ok_or_else(|| ServiceError::Internal("an otpauth address is too long to draw".into()))?;
    Ok(EnrolmentView { secret: secret.base32().to_string(), uri: uri.to_string(), qr, recovery_codes })
}

/// Draws the QR code: one stroke for each run of dark modules in a row.
fn picture(text: &str) -> Option<QrView> {
    let code = QrCode::with_error_correction_level(text, EcLevel::M).ok()?;
    let width = code.width();
    let colors = code.to_colors();
    let mut path = String::new();
    for (y, row) in colors.chunks(width).enumerate() {
        let mut x = 0;
        for run in row.chunk_by(|a, b| a == b) {
            if run[0] == qrcode::Color::Dark {
                use std::fmt::Write as _;
                let length = run.len();
                let _ = write!(path, "M{} {}h{length}v1h-{length}z", x + QUIET, y + QUIET);
            }
            x += run.len();
        }
    }
    Some(QrView { size: u32::try_from(width + 2 * QUIET).ok()?, path })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Turns the path back into modules and compares them with the encoder's.
    #[test]
    fn the_picture_has_every_dark_module_once() {
        let text = "otpauth://totp/ADAgentAI:ada@example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=ADAgentAI";
        let drawn = picture(text).unwrap();
        let code = QrCode::with_error_correction_level(text, EcLevel::M).unwrap();
        let width = code.width();
        assert_eq!(drawn.size as usize, width + 8);
        let mut dark = vec![false; width * width];
        for stroke in drawn.path.split('M').filter(|stroke| !stroke.is_empty()) {
            let (place, rest) = stroke.split_once('h').unwrap();
            let (x, y) = place.split_once(' ').unwrap();
            let length: usize = rest.split_once('v').unwrap().0.parse().unwrap();
            let (x, y): (usize, usize) = (x.parse().unwrap(), y.parse().unwrap());
            for module in &mut dark[(y - 4) * width + x - 4..][..length] {
                assert!(!*module);
                *module = true;
            }
        }
        let expected: Vec<bool> = code.to_colors().iter().map(|color| *color == qrcode::Color::Dark).collect();
        assert_eq!(dark, expected);
    }
}
