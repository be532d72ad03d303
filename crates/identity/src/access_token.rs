//! Secrets of personal access tokens: 256 random bits behind a prefix that scanners of leaked secrets can look for.
//!
//! We store only the SHA-256 of a token. Nobody can guess 256 random bits, so a fast hash is enough, and every request needs one.

use std::fmt;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD as B64};
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

/// The prefix of every token.
pub const TOKEN_PREFIX: &str = "adat_";
const BYTES: usize = 32;
/// Length of 32 bytes in base64url.
const ENCODED: usize = 43;
/// How many characters after the prefix a list shows: enough to tell tokens apart, far too few to guess the rest.
const SHOWN: usize = 4;

/// The error if the system gave no random bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the system gave no random bytes for a token")]
pub struct NoRandomness;

/// A new secret: the token, which its person sees once, and the hash and hint, which we may store.
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

/// Returns the digest to look a token up by. `None` if the text cannot be one of our tokens, so that we do not query the database for it.
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
