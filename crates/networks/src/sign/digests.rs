//! The old hashes that some networks still use to sign. We never use them for anything of our own.

use hmac::{Hmac, KeyInit as _, Mac as _};
use md5::Digest as _;

pub fn md5_hex(text: &str) -> String {
    hex::encode(md5::Md5::digest(text.as_bytes()))
}

pub fn sha1_hex(text: &str) -> String {
    hex::encode(sha1::Sha1::digest(text.as_bytes()))
}

pub fn hmac_sha1(key: &str, text: &str) -> Vec<u8> {
    let mut mac = Hmac::<sha1::Sha1>::new_from_slice(key.as_bytes()).expect("HMAC takes keys of any length");
    mac.update(text.as_bytes());
    mac.finalize().into_bytes().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_the_hashes_of_their_standards() {
        // RFC 1321 A.5, RFC 3174 7.3, RFC 2202 3 (case 2).
        assert_eq!(md5_hex("abc"), "900150983cd24fb0d6963f7d28e17f72");
        assert_eq!(sha1_hex("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
        assert_eq!(
            hex::encode(hmac_sha1("Jefe", "what do ya want for nothing?")),
            "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"
        );
    }
}
