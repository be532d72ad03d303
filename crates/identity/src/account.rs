//! Defines valid email addresses and names, and decides which addresses are the same.

use adagent_domain::text::hidden_in;
use unicode_normalization::UnicodeNormalization as _;

pub const MAX_EMAIL: usize = 254;
pub const MAX_NAME: usize = 100;

/// Why we refuse a field of an account. The person who typed it reads the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AccountError {
    #[error("Enter an email such as ada@example.com.")]
    Email,
    #[error("An email has at most 254 characters.")]
    EmailTooLong,
    #[error("Enter your name.")]
    NameMissing,
    #[error("A name has at most 100 characters.")]
    NameTooLong,
    #[error("A name can't contain control characters.")]
    NameControl,
    #[error("A name can't contain invisible characters or characters that change the text direction.")]
    NameHidden,
    #[error("Use at least 8 characters.")]
    PasswordTooShort,
    #[error("Use at most 256 characters.")]
    PasswordTooLong,
    #[error("This password is too common. Choose another one.")]
    PasswordCommon,
    #[error("Your password can't be based on your name or your email.")]
    PasswordPersonal,
    #[error("Your password can't be based on the name of this service or an ad network.")]
    PasswordOfService,
}

/// Returns the form in which we compare addresses: trimmed, NFKC, lower case.
pub fn email_key(email: &str) -> String {
    email.trim().nfkc().collect::<String>().to_lowercase()
}

/// Checks the shape of an address; only a sent email could tell whether it exists. Returns the address in NFKC, so that email goes to the
/// mailbox that [`email_key`] compares: two spellings with one key must not be two mailboxes.
pub fn validate_email(email: &str) -> Result<String, AccountError> {
    let normal: String = email.nfkc().collect();
    let trimmed = normal.trim();
    if trimmed.chars().count() > MAX_EMAIL {
        return Err(AccountError::EmailTooLong);
    }
    let (local, host) = trimmed.rsplit_once('@').ok_or(AccountError::Email)?;
    let plain = |c: char| !c.is_whitespace() && !c.is_control();
    // Invisible characters make two addresses that look like one. This includes joiners, which names may contain.
    let hidden = hidden_in(trimmed).is_some() || trimmed.contains(['\u{200C}', '\u{200D}']);
    let local_ok = !local.is_empty()
        && !hidden
        && local.len() <= 64
        && local
            .chars()
            .all(|c| plain(c) && !matches!(c, '@' | '<' | '>' | '(' | ')' | ',' | ';' | ':' | '"' | '\\' | '[' | ']'))
        && !local.starts_with('.')
        && !local.ends_with('.')
        && !local.contains("..");
    let host_ok = host.contains('.')
        && host.split('.').all(|label| {
            !label.is_empty()
                && label.len() <= 63
                && !label.starts_with('-')
                && !label.ends_with('-')
                && label.chars().all(|c| c.is_alphanumeric() || c == '-')
        });
    if local_ok && host_ok { Ok(trimmed.to_owned()) } else { Err(AccountError::Email) }
}

/// Checks a name: anything people are called, without control or hidden characters. Returns it trimmed and in NFC.
pub fn validate_name(name: &str) -> Result<String, AccountError> {
    let name: String = name.trim().nfc().collect();
    if name.is_empty() {
        Err(AccountError::NameMissing)
    } else if name.chars().count() > MAX_NAME {
        Err(AccountError::NameTooLong)
    } else if name.chars().any(char::is_control) {
        Err(AccountError::NameControl)
    } else if hidden_in(&name).is_some() {
        Err(AccountError::NameHidden)
    } else {
        Ok(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_differ_in_case_width_or_spaces_are_the_same() {
        assert_eq!(email_key(" Ada@Example.COM "), "ada@example.com");
        assert_eq!(email_key("ａda@example.com"), "ada@example.com");
    }

    #[test]
    fn mail_goes_to_the_address_that_is_compared() {
        assert_eq!(validate_email(" \u{fb01}nance@Example.com "), Ok("finance@Example.com".into()));
        assert_eq!(validate_email("ada＠example.com"), Ok("ada@example.com".into()));
        assert_eq!(validate_email("ada＜x＞@example.com"), Err(AccountError::Email), "what it becomes is checked");
    }

    #[test]
    fn addresses_need_a_local_part_and_a_domain() {
        for good in ["ada@example.com", " ada.l+ads@sub.example.co ", "o'neill@example.ie", "josé@exämple.de"] {
            assert!(validate_email(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "ada",
            "@example.com",
            "ada@",
            "ada@localhost",
            "a b@example.com",
            "a@b@c.d",
            "a@-x.com",
            "a..b@x.com",
            "a\n@x.com",
            "<a>@x.com",
            "a\u{202E}da@x.com",
            "ad\u{200B}a@x.com",
            "ad\u{200D}a@x.com",
            "\u{FEFF}ada@x.com",
        ] {
            assert_eq!(validate_email(bad), Err(AccountError::Email), "{bad:?}");
        }
        assert_eq!(validate_email(&format!("{}@example.com", "a".repeat(300))), Err(AccountError::EmailTooLong));
    }

    #[test]
    fn names_are_trimmed_and_free_of_control_characters() {
        assert_eq!(validate_name("  Ada Lovelace "), Ok("Ada Lovelace".into()));
        assert_eq!(validate_name("  "), Err(AccountError::NameMissing));
        assert_eq!(validate_name("A\u{7}da"), Err(AccountError::NameControl));
        assert_eq!(validate_name(&"x".repeat(101)), Err(AccountError::NameTooLong));
        for hostile in ["Ada\u{202E}nimdA", "\u{2066}Ada", "A\u{200B}da", "Ada\u{FEFF}", "\u{E0041}Ada"] {
            assert_eq!(validate_name(hostile), Err(AccountError::NameHidden), "{hostile:?}");
        }
    }
}
