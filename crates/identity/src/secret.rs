//! Random secrets that we hand out once and store as a digest: links in emails, states of round trips, recovery codes.
//!
//! They have 256 bits (80 for codes that people type). Nobody can try so many values, so a fast hash is enough.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD as B64};
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use crate::NoRandomness;

const BYTES: usize = 32;
/// Length of 32 bytes in base64url.
const ENCODED: usize = 43;
const CODES: usize = 10;
/// 10 bytes are 80 bits.
const CODE_BYTES: usize = 10;
const BASE32: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// Returns 256 random bits in base64url.
pub fn random_secret() -> Result<Zeroizing<String>, NoRandomness> {
    let mut bytes = Zeroizing::new([0_u8; BYTES]);
    getrandom::fill(&mut bytes[..]).map_err(|_| NoRandomness)?;
    Ok(Zeroizing::new(B64.encode(&bytes[..])))
}

/// Returns the digest to look up a secret of [`random_secret`] by. `None` if the text cannot be one of ours, so that we do not query the
/// database for it.
pub fn secret_hash(given: &str) -> Option<String> {
    let given = given.trim();
    let fits = given.len() == ENCODED && given.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
    fits.then(|| hex::encode(Sha256::digest(given)))
}

/// Derives a secret from another one for one purpose. Nobody can compute the first from the second.
pub(crate) fn derived(secret: &str, purpose: &str) -> Zeroizing<String> {
    let digest = Sha256::new().chain_update(purpose).chain_update([0]).chain_update(secret).finalize();
    Zeroizing::new(B64.encode(digest))
}

/// Makes recovery codes (`ABCD-EFGH-IJKL-MNOP`) for a person who loses their authenticator app.
pub fn recovery_codes() -> Result<Vec<String>, NoRandomness> {
    (0..CODES)
        .map(|_| {
            let mut bytes = Zeroizing::new([0_u8; CODE_BYTES]);
            getrandom::fill(&mut bytes[..]).map_err(|_| NoRandomness)?;
            let text = Zeroizing::new(base32(&bytes[..]));
            Ok(format!("{}-{}-{}-{}", &text[..4], &text[4..8], &text[8..12], &text[12..]))
        })
        .collect()
}

/// Returns the digest of one person's recovery code, whatever its case, spaces and dashes.
pub fn recovery_hash(owner: impl std::fmt::Display, code: &str) -> String {
    let plain: Zeroizing<String> =
        Zeroizing::new(code.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_uppercase()).collect());
    hex::encode(
        Sha256::new().chain_update(owner.to_string()).chain_update([0]).chain_update(plain.as_bytes()).finalize(),
    )
}

/// Encodes bytes in base32 (RFC 4648), without padding.
pub(crate) fn base32(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(5) * 8);
    let (mut held, mut bits) = (0_u32, 0_u32);
    for byte in bytes {
        held = (held << 8) | u32::from(*byte);
        bits += 8;
        while bits >= 5 {
            bits -= 5;
            out.push(char::from(BASE32[((held >> bits) & 31) as usize]));
        }
        held &= (1 << bits) - 1;
    }
    if bits > 0 {
        out.push(char::from(BASE32[((held << (5 - bits)) & 31) as usize]));
    }
    out
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn base32_is_that_of_the_standard() {
        for (plain, encoded) in [
            ("", ""),
            ("f", "MY"),
            ("fo", "MZXQ"),
            ("foo", "MZXW6"),
            ("foob", "MZXW6YQ"),
            ("fooba", "MZXW6YTB"),
            ("foobar", "MZXW6YTBOI"),
        ] {
            assert_eq!(base32(plain.as_bytes()), encoded);
        }
    }

    #[test]
    fn a_secret_is_found_by_its_digest_and_what_is_none_is_not_looked_up() {
        let (one, two) = (random_secret().unwrap(), random_secret().unwrap());
        assert!(one != two && secret_hash(&one) != secret_hash(&two));
        assert_eq!(secret_hash(&format!(" {} ", *one)), secret_hash(&one), "as mail programs wrap it");
        for foreign in ["", "x", &one[1..], &format!("{}=", *one), "'; drop table users; --"] {
            assert_eq!(secret_hash(foreign), None, "{foreign}");
        }
        assert_ne!(*derived(&one, "nonce"), *derived(&one, "verifier"));
    }

    #[test]
    fn recovery_codes_differ_and_are_the_same_however_they_are_typed() {
        let codes = recovery_codes().unwrap();
        assert_eq!(codes.iter().collect::<BTreeSet<_>>().len(), 10);
        assert!(codes.iter().all(|code| code.len() == 19), "{codes:?}");
        let typed = codes[0].to_lowercase().replace('-', " ");
        assert_eq!(recovery_hash("ada", &typed), recovery_hash("ada", &codes[0]));
        assert_ne!(recovery_hash("bob", &codes[0]), recovery_hash("ada", &codes[0]));
    }
}
