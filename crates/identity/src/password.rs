//! Decides which passwords we accept. Length counts most; rules about composition only annoy people. We refuse what attackers guess first:
//! common passwords, and those made of the person's name or address or of words about this service.

use unicode_normalization::UnicodeNormalization as _;
use zeroize::Zeroizing;

use crate::{
    AccountError,
    common::{OF_THIS_SERVICE, is_common},
    email_key,
};

const MIN: usize = 8;
const MAX: usize = 256;
/// Shorter parts of a name occur in many words by chance.
const SHORTEST_PART: usize = 3;
/// If a password has this many letters and digits besides a known word, we accept it. Fewer are only a year or a number added to the word.
const ENOUGH: usize = 5;

/// The person who sets the password.
#[derive(Debug, Clone, Copy, Default)]
pub struct Whose<'a> {
    pub email: &'a str,
    pub name: &'a str,
}

/// Returns the password in NFC, the form that we hash, so that two keyboards produce the same text.
pub fn normalize(password: &str) -> Zeroizing<String> {
    Zeroizing::new(password.nfc().collect())
}

/// Checks a new password.
pub fn validate_password(password: &str, whose: Whose<'_>) -> Result<(), AccountError> {
    let normal = normalize(password);
    let length = normal.chars().count();
    if length < MIN {
        return Err(AccountError::PasswordTooShort);
    }
    if length > MAX {
        return Err(AccountError::PasswordTooLong);
    }
    let lower = Zeroizing::new(normal.to_lowercase());
    if is_common(&lower) || all_the_same(&lower) || is_common_with_a_number(&lower) {
        return Err(AccountError::PasswordCommon);
    }
    if *lower == email_key(whose.email) || is_made_of(&lower, &words_of(whose)) {
        return Err(AccountError::PasswordPersonal);
    }
    if is_made_of(&lower, &OF_THIS_SERVICE.map(str::to_owned)) {
        return Err(AccountError::PasswordOfService);
    }
    Ok(())
}

fn all_the_same(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|first| chars.all(|c| c == first))
}

/// Checks whether this is a common password with a year or an exclamation mark around it.
fn is_common_with_a_number(lower: &str) -> bool {
    let core = lower.trim_matches(|c: char| !c.is_alphabetic());
    let counted = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
    core.len() < lower.len() && is_common(core) && counted(lower) - counted(core) < ENOUGH
}

/// Returns the parts of an address and a name, and the local part, the address and the name each as one word. The longest come first, so
/// that no part hides a longer one.
fn words_of(Whose { email, name }: Whose<'_>) -> Vec<String> {
    let (email, name) = (email_key(email), name.to_lowercase());
    let is_break = |c: char| !c.is_alphanumeric();
    let together = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    let (local, host) = email.rsplit_once('@').unwrap_or((&email, ""));
    // The last label of the host says nothing about a person.
    let host = host.rsplit_once('.').map_or(host, |(host, _)| host);
    let parts = [local, host, &name].into_iter().flat_map(|text| text.split(is_break));
    let mut words: Vec<String> = parts.map(str::to_owned).collect();
    words.extend([together(&name), together(local), together(&email)]);
    words.retain(|word| word.chars().count() >= SHORTEST_PART);
    words.sort_by_key(|word| std::cmp::Reverse(word.chars().count()));
    words.dedup();
    words
}

/// Checks whether almost nothing is left after the words are removed.
fn is_made_of(lower: &str, words: &[String]) -> bool {
    let plain: Zeroizing<String> = Zeroizing::new(lower.chars().filter(|c| c.is_alphanumeric()).collect());
    let mut rest = plain.clone();
    for word in words {
        rest = Zeroizing::new(rest.replace(word.as_str(), "\n"));
    }
    let left = rest.chars().filter(|c| *c != '\n').count();
    left < plain.chars().count() && left < ENOUGH
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADA: Whose<'_> = Whose { email: "ada@example.com", name: "Ada Lovelace" };

    #[test]
    fn length_and_the_obvious_are_checked() {
        assert_eq!(validate_password("short", ADA), Err(AccountError::PasswordTooShort));
        assert_eq!(validate_password(&"x1".repeat(129), ADA), Err(AccountError::PasswordTooLong));
        for common in ["PassWord123", "ääääääääää", "Sunshine2026!", "1qaz2wsx", "(football)", "99chocolate99"]
        {
            assert_eq!(validate_password(common, ADA), Err(AccountError::PasswordCommon), "{common}");
        }
        assert_eq!(validate_password("correct horse battery", ADA), Ok(()));
        assert_eq!(validate_password("sunshine-81723-oslo", ADA), Ok(()));
    }

    #[test]
    fn a_password_is_not_made_of_the_person_or_the_service() {
        for own in
            ["Ada@Example.com", "lovelace1815", "AdaLovelace!!", "a.d.a.example", "ada@example.com1", "Lovelace, Ada"]
        {
            assert_eq!(validate_password(own, ADA), Err(AccountError::PasswordPersonal), "{own}");
        }
        for of_service in ["AdAgentAI", "adagent2026", "admob-admob", "Unity/Pangle 24"] {
            assert_eq!(validate_password(of_service, ADA), Err(AccountError::PasswordOfService), "{of_service}");
        }
        // A known word among other words is fine, and so is a name too short to tell.
        for fine in ["lovelace drinks green tea", "the admob of my dreams", "community-garden"] {
            assert_eq!(validate_password(fine, ADA), Ok(()), "{fine}");
        }
        assert_eq!(validate_password("jo-jo-jo-jo", Whose { email: "jo@x.io", name: "Jo" }), Ok(()));
        assert_eq!(validate_password("größe größe", Whose { email: "", name: "" }), Ok(()));
        let greek = Whose { email: "s@example.org", name: "Σωκράτης" };
        assert_eq!(validate_password("σωκράτης 399", greek), Err(AccountError::PasswordPersonal));
    }

    #[test]
    fn composed_and_decomposed_letters_are_one_password() {
        assert_eq!(*normalize("caf\u{e9}-table"), *normalize("cafe\u{301}-table"));
    }
}
