//! Returns the words by which a search finds documents. Both engines index exactly these words and split no text themselves, so both find
//! the same documents.

use std::collections::BTreeSet;

use adagent_domain::Cut as _;
use unicode_normalization::{UnicodeNormalization as _, char::is_combining_mark};

/// How many characters of a word count. A search finds a longer word by its beginning.
const LONGEST: usize = 40;
/// The most bytes that the words of one document may have. PostgreSQL accepts a megabyte, and a text can exceed that if its letters fold
/// into several.
const MOST_BYTES: usize = 500_000;
/// How many words of a search count.
const MOST_ASKED: usize = 12;

/// Returns the word with one form for each letter: lower case, without accents.
fn fold(word: &str) -> String {
    let bare = word.nfkd().filter(|c| !matches!(c, '\u{300}'..='\u{36F}'));
    let letters = bare.flat_map(char::to_lowercase).filter(|c| !matches!(c, '\u{300}'..='\u{36F}'));
    let mut folded = String::with_capacity(word.len());
    for letter in letters.filter(|c| is_inside(*c)) {
        match letter {
            'ß' => folded.push_str("ss"),
            'æ' => folded.push_str("ae"),
            'œ' => folded.push_str("oe"),
            'ø' => folded.push('o'),
            'đ' | 'ð' => folded.push('d'),
            'ł' => folded.push('l'),
            'ı' => folded.push('i'),
            other => folded.push(other),
        }
    }
    folded.chars().take(LONGEST).collect()
}

fn is_inside(c: char) -> bool {
    c.is_alphanumeric() || is_combining_mark(c)
}

/// Returns each word with its position in the text.
fn places(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split(|c| !is_inside(c)).filter(|word| !word.is_empty()).map(move |word| {
        // The word is a slice of the text, so its address gives its position.
        (word.as_ptr().addr() - text.as_ptr().addr(), word)
    })
}

/// Returns the words of some texts, each once. The order says nothing about the texts.
pub fn kept_words(texts: &[&str]) -> String {
    let all = texts.iter().flat_map(|text| places(text)).map(|(_, word)| fold(word));
    let all: BTreeSet<String> = all.filter(|word| !word.is_empty()).collect();
    let mut kept = String::new();
    for word in all {
        if kept.len() + word.len() >= MOST_BYTES {
            break;
        }
        if !kept.is_empty() {
            kept.push(' ');
        }
        kept.push_str(&word);
    }
    kept
}

/// Returns the words that a search asks for, in their order.
pub fn asked_words(query: &str) -> Vec<String> {
    let all = places(query).map(|(_, word)| fold(word)).filter(|word| !word.is_empty());
    all.take(MOST_ASKED).collect()
}

/// Checks whether a text has all of these words, by the same rules as a search. `false` without words.
pub fn has_words(text: &str, asked: &[String]) -> bool {
    let all: BTreeSet<String> = places(text).map(|(_, word)| fold(word)).collect();
    let Some((last, whole)) = asked.split_last() else { return false };
    whole.iter().all(|word| all.contains(word)) && all.iter().any(|word| word.starts_with(last.as_str()))
}

/// Returns a word without the Markdown marks around it. `None` if it consists only of such marks.
fn unmarked(word: &str) -> Option<&str> {
    if word.chars().all(|c| matches!(c, '#' | '-' | '|' | ':' | '>' | '*' | '+' | '=' | '_' | '~' | '`')) {
        return None;
    }
    Some(word.trim_matches(['*', '`', '#']))
}

/// Returns, in one line, the part of a text around the first of these words. If the text has none of them, returns its beginning.
pub fn snippet(text: &str, asked: &[String], length: usize) -> String {
    let last = asked.last();
    let hit = |word: &str| {
        let folded = fold(word);
        asked.contains(&folded) || last.is_some_and(|last| folded.starts_with(last.as_str()))
    };
    let found = places(text).find(|(_, word)| hit(word)).map_or(0, |(at, _)| at);
    // Begin some words earlier, at the start of a word.
    let lead = length / 4;
    let mut from = text.cut(..found).char_indices().rev().take(lead).last().map_or(found, |(at, _)| at);
    if from > 0 {
        from += text.cut(from..found).find(char::is_whitespace).unwrap_or(found - from);
    }
    let flat = text.cut(from..).split_whitespace().filter_map(unmarked).flat_map(|word| [word, " "]);
    let flat: String = flat.flat_map(str::chars).take(length + 1).collect();
    let cut = flat.chars().count() > length;
    let line = flat.trim_end();
    let line = match line.rfind(' ') {
        Some(end) if cut => line.cut(..end),
        _ => line,
    };
    let (before, after) = (if from > 0 { "…" } else { "" }, if cut { "…" } else { "" });
    format!("{before}{line}{after}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_however_their_letters_are_written() {
        assert_eq!(kept_words(&["Floor-Preise für Áfrika: $5.00", "FLOOR"]), "00 5 afrika floor fur preise");
        assert_eq!(asked_words("  Groß Łódź, naïve Ｆｕｌｌ "), ["gross", "lodz", "naive", "full"]);
        assert_eq!(asked_words("\"AND ' OR\\ :*"), ["and", "or"]);
        assert_eq!(kept_words(&["…"]), "");
        assert_eq!(fold(&"x".repeat(100)).len(), LONGEST);
        assert!(has_words("US floors, 2026", &asked_words("floors 20")), "the last may begin a word");
        assert!(!has_words("US floors", &asked_words("floor us")) && !has_words("x", &[]));
    }

    #[test]
    fn one_document_has_no_more_words_than_an_index_takes() {
        let text = (0..100_000).map(|n| format!("{n:x}ﷺ")).collect::<Vec<_>>().join(" ");
        assert!(kept_words(&[&text]).len() <= MOST_BYTES);
    }

    #[test]
    fn a_snippet_shows_where_the_words_are() {
        let text = "# Plan\n\nThe first part says nothing of it and is long enough to be cut away.\nIn the **US** the flóor is $9.00 since Monday, and after that we look again at what became of it.";
        assert_eq!(
            snippet(text, &asked_words("floor"), 60),
            "…US the flóor is $9.00 since Monday, and after that we look…"
        );
        assert_eq!(snippet(text, &asked_words("nowhere"), 20), "Plan The first part…");
        assert_eq!(snippet("Short", &asked_words("short"), 60), "Short");
        assert_eq!(snippet("", &[], 60), "");
        let _ = snippet("ééééééééééééééééé floor", &asked_words("floor"), 8);
    }
}
