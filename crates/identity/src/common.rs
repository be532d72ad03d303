//! The passwords that attackers try first, and words about this service. This module is pure and knows no account.

use std::cmp::Ordering;

/// The list holds passwords of eight characters or more, in lower-case ASCII, sorted. `data/README.md` names its sources.
const COMMON: &str = include_str!("../data/common-passwords.txt");

/// Words about this service and its field. An attacker who knows where a password is used would try passwords made of these words.
/// `docs/security.md` lists them for people.
pub(crate) const OF_THIS_SERVICE: [&str; 21] = [
    "adagentai",
    "adagent",
    "agent",
    "admanager",
    "admob",
    "adsense",
    "advert",
    "applovin",
    "digitalturbine",
    "dtexchange",
    "google",
    "inmobi",
    "ironsource",
    "liftoff",
    "mediation",
    "mintegral",
    "moloco",
    "pangle",
    "publisher",
    "revenue",
    "unity",
];

/// Checks whether the list holds this password; `lower` is in lower case.
pub(crate) fn is_common(lower: &str) -> bool {
    holds(COMMON, lower)
}

/// Checks whether the sorted text holds the word, by halving it until the word is found or nothing is left. Every line ends with a line
/// break.
fn holds(sorted: &str, word: &str) -> bool {
    if word.is_empty() || word.contains('\n') {
        return false;
    }
    let (mut from, mut to) = (0, sorted.len());
    while from < to {
        let middle = from + (to - from) / 2;
        let start = sorted[from..middle].rfind('\n').map_or(from, |at| from + at + 1);
        let end = sorted[start..to].find('\n').map_or(to, |at| start + at);
        match sorted[start..end].cmp(word) {
            Ordering::Equal => return true,
            Ordering::Less => from = end + 1,
            Ordering::Greater => to = start,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_long_sorted_and_what_it_says_it_is() {
        let lines: Vec<&str> = COMMON.lines().collect();
        assert!(lines.len() >= 3_000, "{}", lines.len());
        assert!(lines.is_sorted_by(|one, next| one < next), "sorted, without anything twice");
        for line in &lines {
            let plain = line.is_ascii() && line.len() >= 8 && !line.chars().any(|c| c.is_ascii_uppercase());
            assert!(plain, "{line:?}");
        }
        assert!(COMMON.ends_with('\n') && !COMMON.contains('\r'));
    }

    #[test]
    fn every_word_is_found_and_no_other() {
        for word in COMMON.lines() {
            assert!(is_common(word), "{word}");
        }
        for other in ["", "passwor", "password\n", "passwordq", "zzzzzzzzzzzzz", "\u{10FFFF}", "!", "correct horse"] {
            assert!(!is_common(other), "{other:?}");
        }
        for (text, word, is) in [("", "a", false), ("a\n", "a", true), ("a\nb\n", "b", true), ("a\nc\n", "b", false)] {
            assert_eq!(holds(text, word), is, "{text:?} {word}");
        }
    }

    #[test]
    fn the_words_of_this_service_are_written_as_they_are_compared() {
        for word in OF_THIS_SERVICE {
            assert!(word.len() >= 5 && word.chars().all(|c| c.is_ascii_lowercase()), "{word}");
        }
    }
}
