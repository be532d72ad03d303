//! Which passwords are accepted. Length is what counts; composition rules only annoy.

use unicode_normalization::UnicodeNormalization as _;
use zeroize::Zeroizing;

use crate::{AccountError, email_key};

const MIN: usize = 8;
const MAX: usize = 256;

/// The ones every dictionary starts with, at least eight characters long.
const COMMON: [&str; 32] = [
    "password",
    "password1",
    "password12",
    "password123",
    "passw0rd",
    "12345678",
    "123456789",
    "1234567890",
    "11111111",
    "00000000",
    "qwertyui",
    "qwerty123",
    "qwertyuiop",
    "1q2w3e4r",
    "1qaz2wsx",
    "abc12345",
    "abcd1234",
    "iloveyou",
    "sunshine",
    "princess",
    "football",
    "baseball",
    "welcome1",
    "superman",
    "trustno1",
    "letmein1",
    "dragon12",
    "monkey12",
    "changeme",
    "admin123",
    "asdfghjk",
    "zxcvbnm1",
];

/// The password in the one form in which it is hashed (NFC), so that two keyboards type the same.
pub fn normalize(password: &str) -> Zeroizing<String> {
    Zeroizing::new(password.nfc().collect())
}

/// Checks a new password; `email` is what the account is known by.
pub fn validate_password(password: &str, email: &str) -> Result<(), AccountError> {
    let normal = normalize(password);
    let length = normal.chars().count();
    if length < MIN {
        return Err(AccountError::PasswordTooShort);
    }
    if length > MAX {
        return Err(AccountError::PasswordTooLong);
    }
    let lower = Zeroizing::new(normal.to_lowercase());
    if COMMON.contains(&lower.as_str()) || all_the_same(&lower) {
        return Err(AccountError::PasswordCommon);
    }
    if *lower == email_key(email) {
        return Err(AccountError::PasswordIsEmail);
    }
    Ok(())
}

fn all_the_same(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|first| chars.all(|c| c == first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn length_and_the_obvious_are_checked() {
        assert_eq!(validate_password("short", "a@b.c"), Err(AccountError::PasswordTooShort));
        assert_eq!(validate_password(&"x1".repeat(129), "a@b.c"), Err(AccountError::PasswordTooLong));
        assert_eq!(validate_password("PassWord123", "a@b.c"), Err(AccountError::PasswordCommon));
        assert_eq!(validate_password("ääääääääää", "a@b.c"), Err(AccountError::PasswordCommon));
        assert_eq!(validate_password("Ada@Example.com", "ada@example.com"), Err(AccountError::PasswordIsEmail));
        assert_eq!(validate_password("correct horse battery", "a@b.c"), Ok(()));
    }

    #[test]
    fn composed_and_decomposed_letters_are_one_password() {
        assert_eq!(*normalize("caf\u{e9}-table"), *normalize("cafe\u{301}-table"));
    }
}
