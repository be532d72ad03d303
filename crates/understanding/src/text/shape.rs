//! Recognizes what a run of characters is (a number, a date, an ID), and returns the plain form of a word.
//!
//! This module must never look at the words around it.

use adagent_domain::Cut as _;
use unicode_normalization::UnicodeNormalization;

pub fn number_word(word: &str) -> Option<f64> {
    Some(match word {
        "one" => 1.0,
        "two" | "couple" => 2.0,
        "three" => 3.0,
        "four" => 4.0,
        "five" => 5.0,
        "six" => 6.0,
        "seven" => 7.0,
        "eight" => 8.0,
        "nine" => 9.0,
        "ten" => 10.0,
        "eleven" => 11.0,
        "twelve" | "dozen" => 12.0,
        "fourteen" | "fortnight" => 14.0,
        "fifteen" => 15.0,
        "twenty" => 20.0,
        "thirty" => 30.0,
        "sixty" => 60.0,
        "ninety" => 90.0,
        "hundred" => 100.0,
        _ => return None,
    })
}

/// Returns a text in lower case, with compatibility forms folded. Accents stay.
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        text.to_ascii_lowercase()
    } else {
        text.nfkc().flat_map(char::to_lowercase).filter(|c| *c != '\u{307}').collect()
    }
}

/// Returns the singular of a regular English plural.
pub fn stem(word: &str) -> String {
    if word == "ids" || word == "ads" {
        return word.cut(..2).to_owned();
    }
    if !word.is_ascii() || word.len() < 4 {
        return word.to_owned();
    }
    if let Some(base) = word.strip_suffix("ies") {
        return if base.len() > 1 { format!("{base}y") } else { word.to_owned() };
    }
    for suffix in ["sses", "xes", "ches", "shes"] {
        if word.ends_with(suffix) {
            return word.cut(..word.len() - 2).to_owned();
        }
    }
    if word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("us") && !word.ends_with("is") {
        return word.cut(..word.len() - 1).to_owned();
    }
    word.to_owned()
}

/// Checks whether a whole text looks like an ID, an address or a package name.
pub(super) fn is_identifier(raw: &str) -> bool {
    let lower = raw.to_ascii_lowercase();
    if lower.contains("://")
        || lower.starts_with("www.")
        || lower.starts_with("ca-app-pub-")
        || lower.starts_with("pub-")
    {
        return true;
    }
    if raw.contains('@') && raw.contains('.') {
        return true;
    }
    if !raw.is_ascii() || raw.contains([',', '\'', ';', ':', '(', ')', '=', '+', '/']) {
        return false;
    }
    let pieces: Vec<&str> = raw.split('.').collect();
    if pieces.len() >= 2
        && pieces.iter().all(|p| !p.is_empty())
        && pieces[0].starts_with(|c: char| c.is_ascii_alphabetic())
    {
        return true;
    }
    if raw.contains('_') {
        return true;
    }
    let digits = raw.chars().filter(char::is_ascii_digit).count();
    let letters = raw.chars().filter(char::is_ascii_alphabetic).count();
    if digits == 0 || letters == 0 {
        return false;
    }
    if raw.contains('-') {
        let first = raw.split('-').next().unwrap_or("");
        let last = raw.rsplit('-').next().unwrap_or("");
        // "30-day" and "10-Nov" are words about periods.
        let number_then_word = first.bytes().all(|b| b.is_ascii_digit())
            && last.bytes().all(|b| b.is_ascii_alphabetic())
            && first.len() <= 2
            && last.len() >= 3;
        let ordinal = |s: &str| {
            ["st", "nd", "rd", "th"].iter().any(|x| s.to_ascii_lowercase().ends_with(x))
                && s.starts_with(|c: char| c.is_ascii_digit())
        };
        let word_then_number = last.len() <= 2
            && last.bytes().all(|b| b.is_ascii_digit())
            && crate::dates::month_of(&first.to_ascii_lowercase()).is_some();
        return !(number_then_word
            || word_then_number
            || ordinal(first)
            || ordinal(last)
            || first.eq_ignore_ascii_case("d1")
            || first.eq_ignore_ascii_case("top")
            || first.eq_ignore_ascii_case("tier"));
    }
    // A longer mix of letters and digits is a hexadecimal key or something like it.
    raw.len() >= 6 && digits >= 2 && letters >= 2 && parse_number(raw).is_none()
}

/// Checks for digits separated like a date: `2026-11-05`, `11/12`, `09.11.2026`.
pub(super) fn is_date(raw: &str) -> bool {
    for sep in ['-', '/', '.'] {
        let parts: Vec<&str> = raw.split(sep).collect();
        if (2..=3).contains(&parts.len())
            && parts.iter().all(|p| (1..=4).contains(&p.len()) && p.bytes().all(|b| b.is_ascii_digit()))
        {
            if parts.len() == 3 {
                return parts[0].len() == 4 || parts[2].len() == 4 || (parts[2].len() == 2 && sep != '-');
            }
            let small = parts.iter().all(|p| p.len() <= 2);
            let month = parts[0].len() == 4
                && sep == '-'
                && parts[1].len() == 2
                && parts[1] <= "12"
                && parts[0].starts_with("20");
            return (small && sep == '/') || month;
        }
    }
    false
}

/// Reads a number: `1,234.5`, `1.234,5`, `100k`, `1.2M`, `7.50`.
pub fn parse_number(raw: &str) -> Option<f64> {
    let lower = raw.to_ascii_lowercase();
    let (body, factor) = match lower.strip_suffix('k') {
        Some(b) => (b, 1e3),
        None => match lower.strip_suffix("mio").or_else(|| lower.strip_suffix('m')) {
            Some(b) => (b, 1e6),
            None => (lower.as_str(), 1.0),
        },
    };
    if body.is_empty()
        || !body.bytes().all(|b| b.is_ascii_digit() || b == b'.' || b == b',')
        || !body.starts_with(|c: char| c.is_ascii_digit())
    {
        return None;
    }
    adagent_domain::plain_number(body)?.parse::<f64>().ok().map(|n| n * factor)
}
