//! The credentials of an OAuth connection as the vault seals them.

use std::time::Duration;

use adagent_domain::Timestamp;
use adagent_identity::{Owner, Vault, VaultError};
use adagent_oauth::Tokens;
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};
use zeroize::{Zeroize, ZeroizeOnDrop};

/// The tokens of a connection. Only this module and the call that needs them open them; they are wiped when dropped.
#[derive(Clone, Serialize, Deserialize, Zeroize, ZeroizeOnDrop)]
pub struct StoredTokens {
    access_token: String,
    refresh_token: Option<String>,
    #[zeroize(skip)]
    pub expires_at: Timestamp,
    /// A random time before the expiry, so that connections made together do not refresh together.
    #[zeroize(skip)]
    pub refresh_at: Timestamp,
    /// The scopes that the sign-in granted, if it said so.
    #[serde(default)]
    #[zeroize(skip)]
    pub scopes: Option<Vec<String>>,
}

impl StoredTokens {
    /// Makes the tokens to store. `previous` supplies the refresh token if a refresh brought no new one. `jitter` is between 0 and 1.
    pub fn new(tokens: &Tokens, previous: Option<&Self>, now: Timestamp, jitter: f64) -> Self {
        let text = |secret: &SecretString| secret.expose_secret().to_owned();
        let refresh_token = tokens.refresh_token.as_ref().map(text);
        let lifetime = i64::try_from(tokens.lifetime.as_millis()).unwrap_or(i64::MAX / 4);
        let expires_at = now.plus_millis(lifetime);
        Self {
            access_token: text(&tokens.access_token),
            refresh_token: refresh_token.or_else(|| previous.and_then(|previous| previous.refresh_token.clone())),
            expires_at,
            refresh_at: expires_at.plus_millis(-early(lifetime, jitter)),
            scopes: tokens.scopes.clone().or_else(|| previous.and_then(|previous| previous.scopes.clone())),
        }
    }

    pub fn access(&self) -> SecretString {
        self.access_token.clone().into()
    }

    pub fn refresh(&self) -> Option<SecretString> {
        self.refresh_token.clone().map(Into::into)
    }

    pub fn seal(&self, vault: &Vault, owner: &Owner) -> Result<String, VaultError> {
        vault.seal_json(owner, self)
    }

    pub fn open(vault: &Vault, owner: &Owner, sealed: &str) -> Result<Self, VaultError> {
        vault.open_json(owner, sealed)
    }
}

/// Returns how long before the expiry to refresh: one to five minutes, but at most a fifth of the lifetime, so that a fresh token is never
/// stale at once.
fn early(lifetime: i64, jitter: f64) -> i64 {
    let spread = Duration::from_mins(4).mul_f64(jitter.clamp(0.0, 1.0));
    let before = (Duration::from_mins(1) + spread).as_millis().min(300_000) as i64;
    before.min(lifetime / 5)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(seconds: u64, refresh: Option<&str>) -> Tokens {
        Tokens {
            access_token: "a".to_owned().into(),
            refresh_token: refresh.map(|text| text.to_owned().into()),
            lifetime: Duration::from_secs(seconds),
            scopes: None,
        }
    }

    #[test]
    fn a_token_is_refreshed_one_to_five_minutes_before_it_expires() {
        let now = Timestamp::EPOCH;
        let at =
            |seconds, jitter| StoredTokens::new(&tokens(seconds, None), None, now, jitter).refresh_at.millis_since(now);
        assert_eq!((at(3600, 0.0), at(3600, 1.0)), (3_540_000, 3_300_000));
        // A token with a short lifetime is used for four fifths of it.
        assert_eq!(at(10, 1.0), 8_000);
    }

    #[test]
    fn a_refresh_without_a_new_refresh_token_keeps_the_old_one() {
        let first = StoredTokens::new(&tokens(60, Some("r1")), None, Timestamp::EPOCH, 0.5);
        let second = StoredTokens::new(&tokens(60, None), Some(&first), Timestamp::EPOCH, 0.5);
        assert_eq!(second.refresh_token.as_deref(), Some("r1"));
        let third = StoredTokens::new(&tokens(60, Some("r2")), Some(&second), Timestamp::EPOCH, 0.5);
        assert_eq!(third.refresh_token.as_deref(), Some("r2"));
    }
}
