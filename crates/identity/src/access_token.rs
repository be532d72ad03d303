//! Secrets of personal access tokens: 256 random bits behind a prefix that scanners of leaked secrets can look for.
//!
//! Stored is the SHA-256 alone: nobody guesses so many bits, so no slow hash is needed, and every request is checked with one.

use std::fmt;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD as B64};
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

/// How every token begins.
pub const TOKEN_PREFIX: &str = "adat_";
const BYTES: usize = 32;
/// 32 bytes in base64url.
const ENCODED: usize = 43;
/// Characters behind the prefix that lists show: enough to tell tokens apart, far too few to guess the rest.
const SHOWN: usize = 4;

/// The system gave no random bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the system gave no random bytes for a token")]
pub struct NoRandomness;

/// A new secret: what its person gets once, and what may be kept of it.
pub struct TokenSecret {
    pub token: Zeroizing<String>,
    pub hash: String,
    pub hint: String,
}

impl fmt::Debug for TokenSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TokenSecret").field("hint", &self.hint).finish_non_exhaustive()
    }
}

impl TokenSecret {
    pub fn generate() -> Result<Self, NoRandomness> {
        let mut bytes = Zeroizing::new([0_u8; BYTES]);
        getrandom::fill(&mut bytes[..]).map_err(|_| NoRandomness)?;
        let token = Zeroizing::new(format!("{TOKEN_PREFIX}{}", B64.encode(&bytes[..])));
        let hint = token[..TOKEN_PREFIX.len() + SHOWN].to_owned();
        Ok(Self { hash: digest(&token), hint, token })
    }
}

/// The digest by which a token is found; `None` for what is no token of ours, so that nobody asks the database about it.
pub fn token_hash(given: &str) -> Option<String> {
    let secret = given.strip_prefix(TOKEN_PREFIX)?;
    let fits = secret.len() == ENCODED && secret.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
    fits.then(|| digest(given))
}

fn digest(token: &str) -> String {
    hex::encode(Sha256::digest(token))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_found_by_its_digest_and_no_two_are_alike() {
        let (one, two) = (TokenSecret::generate().unwrap(), TokenSecret::generate().unwrap());
        assert_eq!(token_hash(&one.token), Some(one.hash.clone()));
        assert!(one.token != two.token && one.hash != two.hash);
        assert!(one.token.starts_with(&one.hint) && one.hint.len() == 9);
        assert!(!format!("{one:?}").contains(one.token.as_str()));
    }

    #[test]
    fn what_is_no_token_is_not_looked_up() {
        let token = TokenSecret::generate().unwrap().token;
        for foreign in [
            "",
            "adat_",
            "secret",
            &token[1..],
            &format!("{}=", *token),
            &token.replace("adat_", "ADAT_"),
            "adat_\u{0}",
        ] {
            assert_eq!(token_hash(foreign), None, "{foreign:?}");
        }
    }
}
