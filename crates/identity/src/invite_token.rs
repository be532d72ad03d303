//! Secrets of invite links: 256 random bits, which we look up by their SHA-256. Nobody can guess so many bits, so a fast hash is enough.

use std::fmt;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD as B64};
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use crate::NoRandomness;

const BYTES: usize = 32;
/// Length of 32 bytes in base64url.
const ENCODED: usize = 43;

/// A new secret: the token goes into the link, and we look it up by its hash.
pub struct InviteToken {
    pub token: Zeroizing<String>,
    pub hash: String,
}

impl fmt::Debug for InviteToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InviteToken").finish_non_exhaustive()
    }
}

impl InviteToken {
    pub fn generate() -> Result<Self, NoRandomness> {
        let mut bytes = Zeroizing::new([0_u8; BYTES]);
        getrandom::fill(&mut bytes[..]).map_err(|_| NoRandomness)?;
        let token = Zeroizing::new(B64.encode(&bytes[..]));
        Ok(Self { hash: digest(&token), token })
    }
}

/// Returns the digest to look a link up by. `None` if the text cannot be one of ours, so that we do not query the database for it.
pub fn invite_hash(given: &str) -> Option<String> {
    let fits = given.len() == ENCODED && given.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
    fits.then(|| digest(given))
}

/// Hashes the token together with a label, so that the digest of a link never equals any other digest we store.
fn digest(token: &str) -> String {
    hex::encode(Sha256::new().chain_update("invite link\0").chain_update(token).finalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_found_by_its_digest_and_what_is_none_is_not_looked_up() {
        let (one, two) = (InviteToken::generate().unwrap(), InviteToken::generate().unwrap());
        assert_eq!(invite_hash(&one.token), Some(one.hash.clone()));
        assert!(one.token != two.token && one.hash != two.hash);
        assert_eq!(format!("{one:?}"), "InviteToken { .. }");
        for foreign in [
            "",
            "abc",
            &one.token[1..],
            &format!("{}=", &one.token[1..]),
            "../../../etc/passwd/../../../../../../etc/x",
        ] {
            assert_eq!(invite_hash(foreign), None, "{foreign:?}");
        }
    }
}
