//! One-time codes of authenticator apps: RFC 6238 with SHA-1, six digits and thirty seconds, as all these apps use it.
//!
//! This module must never print a secret. Only [`TotpSecret::base32`] and [`TotpSecret::uri`] reveal it, to the person who enrolls.

use std::fmt;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD as B64};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha1::Sha1;
use zeroize::Zeroizing;

use crate::{NoRandomness, secret::base32};

/// How many bytes a secret has: as many as the digest. RFC 4226 requires at least 128 bits.
const BYTES: usize = 20;
const PERIOD: i64 = 30;
/// How many steps before and after now count, because clocks of phones are a little off.
const AROUND: i64 = 1;
const DIGITS: u32 = 6;

/// The secret that an authenticator app and this server share.
pub struct TotpSecret(Zeroizing<Vec<u8>>);

impl fmt::Debug for TotpSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TotpSecret")
    }
}

impl TotpSecret {
    pub fn generate() -> Result<Self, NoRandomness> {
        let mut bytes = Zeroizing::new(vec![0_u8; BYTES]);
        getrandom::fill(&mut bytes).map_err(|_| NoRandomness)?;
        Ok(Self(bytes))
    }

    /// Reads a secret that [`Self::store`] wrote.
    pub fn restore(text: &str) -> Option<Self> {
        let bytes = Zeroizing::new(B64.decode(text).ok()?);
        (bytes.len() == BYTES).then_some(Self(bytes))
    }

    /// Writes the secret as text for the vault.
    pub fn store(&self) -> Zeroizing<String> {
        Zeroizing::new(B64.encode(&*self.0))
    }

    /// Returns the secret as text to type, for a person who cannot scan the QR code.
    pub fn base32(&self) -> Zeroizing<String> {
        Zeroizing::new(base32(&self.0))
    }

    /// Returns the content of the QR code: `otpauth://totp/…`.
    pub fn uri(&self, service: &str, account: &str) -> Zeroizing<String> {
        let (service, account) = (encode(service), encode(account));
        let secret = self.base32();
        Zeroizing::new(format!(
            "otpauth://totp/{service}:{account}?secret={}&issuer={service}&algorithm=SHA1&digits={DIGITS}&period={PERIOD}",
            *secret
        ))
    }

    /// Finds the time step that this code belongs to: the current step or one next to it, and later than `last`, the last step we accepted.
    /// `None` if the code fits no such step.
    pub fn step_of(&self, code: &str, now_seconds: i64, last: Option<i64>) -> Option<i64> {
        let digits: String = code.chars().filter(|c| !c.is_whitespace()).collect();
        let six = digits.len() == DIGITS as usize && digits.bytes().all(|b| b.is_ascii_digit());
        let given: u32 = digits.parse().ok().filter(|_| six)?;
        let here = now_seconds.div_euclid(PERIOD);
        let mut found = None;
        // We compute the code of every step, so that the time does not reveal which one fits.
        for step in here - AROUND..=here + AROUND {
            let right = self.code(step, DIGITS) == given && last.is_none_or(|last| step > last);
            if right && found.is_none() {
                found = Some(step);
            }
        }
        found
    }

    fn code(&self, step: i64, digits: u32) -> u32 {
        let mut mac = Hmac::<Sha1>::new_from_slice(&self.0).expect("HMAC takes keys of any length");
        mac.update(&step.to_be_bytes());
        let digest = mac.finalize().into_bytes();
        let offset = usize::from(digest[19] & 15);
        let four = [digest[offset], digest[offset + 1], digest[offset + 2], digest[offset + 3]];
        (u32::from_be_bytes(four) & 0x7fff_ffff) % 10_u32.pow(digits)
    }
}

fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~@".contains(&byte) {
            out.push(char::from(byte));
        } else {
            use fmt::Write as _;
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(text: &str) -> TotpSecret {
        TotpSecret(Zeroizing::new(text.as_bytes().to_vec()))
    }

    #[test]
    fn the_vectors_of_rfc_6238_hold() {
        let secret = secret("12345678901234567890");
        for (seconds, code) in [
            (59, 94_287_082),
            (1_111_111_109, 7_081_804),
            (1_111_111_111, 14_050_471),
            (1_234_567_890, 89_005_924),
            (2_000_000_000, 69_279_037),
            (20_000_000_000, 65_353_130),
        ] {
            assert_eq!(secret.code(i64::div_euclid(seconds, PERIOD), 8), code, "{seconds}");
        }
    }

    #[test]
    fn a_code_counts_now_and_one_step_around_and_once() {
        let secret = secret("12345678901234567890");
        // The last six digits of the RFC's test value at 59 seconds, which is step 1.
        let code = "287 082";
        for (seconds, step) in [(0, Some(1)), (29, Some(1)), (59, Some(1)), (89, Some(1)), (90, None), (-31, None)] {
            assert_eq!(secret.step_of(code, seconds, None), step, "{seconds}");
        }
        assert_eq!(secret.step_of(code, 59, Some(0)), Some(1));
        assert_eq!(secret.step_of(code, 59, Some(1)), None, "used");
        assert_eq!(secret.step_of(code, 59, Some(2)), None, "older than one that was used");
        for wrong in ["", "287083", "28708", "2870820", "28708a", "+87082", "２８７０８２"] {
            assert_eq!(secret.step_of(wrong, 59, None), None, "{wrong}");
        }
    }

    #[test]
    fn the_picture_says_what_apps_read_and_nothing_else_tells_the_secret() {
        let secret = secret("12345678901234567890");
        assert_eq!(
            *secret.uri("ADAgentAI", "ada lovelace+x@example.com"),
            "otpauth://totp/ADAgentAI:ada%20lovelace%2Bx@example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=ADAgentAI&algorithm=SHA1&digits=6&period=30"
        );
        assert_eq!(format!("{secret:?}"), "TotpSecret");
        let stored = TotpSecret::restore(&secret.store()).unwrap();
        assert_eq!(*stored.base32(), *secret.base32());
        assert!(TotpSecret::restore("short").is_none());
    }
}
