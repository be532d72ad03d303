//! Replaces words of other languages with English ones, so that one set of rules serves all languages.
//!
//! We never translate quoted text, and English text comes back as it is.

use std::collections::HashMap;
use std::sync::LazyLock;

use adagent_domain::Cut as _;
use unicode_normalization::UnicodeNormalization;

use super::phrases::Words;
use super::{spelling, times};
use crate::text::{Kind, Token, fold, tokens};
use adagent_scorer::tables::dictionary::{ENGLISH, SPACED, UNSPACED};
use adagent_scorer::tables::trade;

struct Language {
    phrases: HashMap<&'static str, Meanings, Words>,
}

/// What a word means, for each sequence of words that may follow it.
type Meanings = Vec<(Vec<&'static str>, &'static str)>;

/// The most letters of an ending: "uygulamalarını", "Werbebuchungen", "заказов".
const ENDING: usize = 5;

/// Returns a longer Russian or Ukrainian word without the vowels of its ending: "позици" for "позиция".
fn cyrillic_stem(word: &'static str) -> Option<&'static str> {
    let stem = word.trim_end_matches(['а', 'е', 'ё', 'и', 'о', 'у', 'ы', 'э', 'ю', 'я', 'й', 'ь', 'і', 'ї', 'є']);
    let cyrillic = stem.starts_with(|c: char| ('\u{400}'..='\u{4ff}').contains(&c));
    (cyrillic && stem.len() < word.len() && stem.chars().count() >= 5).then_some(stem)
}

/// Checks whether a word is English too. Such a word, like "placements", says nothing about the language of a text.
fn is_english(word: &str) -> bool {
    spelling::is_common(word) || spelling::is_common(&crate::text::stem(word))
}

impl Language {
    /// Finds a word in the table, as it is or without an ending.
    fn find(&self, word: &str) -> Option<&Meanings> {
        if let Some(found) = self.phrases.get(word) {
            return Some(found);
        }
        let shortest = if word.is_ascii() { 6 } else { 4 };
        if is_english(word) {
            return None;
        }
        let ends: Vec<usize> = word.char_indices().map(|(at, _)| at).skip(shortest).collect();
        ends.iter()
            .rev()
            .take(ENDING)
            .filter_map(|end| self.phrases.get(word.cut(..*end)))
            .find(|found| found.iter().any(|(rest, _)| rest.is_empty()))
    }
}

static LANGUAGES: LazyLock<Vec<Language>> = LazyLock::new(|| {
    SPACED
        .iter()
        .zip(trade::SPACED)
        .map(|(common, trade)| {
            let mut phrases: HashMap<&'static str, Meanings, Words> = HashMap::default();
            for row in common.split('|').chain(trade.split('|')) {
                if let Some((foreign, english)) = row.trim().split_once('=') {
                    for spelling in foreign.split('/') {
                        let words: Vec<&str> = spelling.split_whitespace().collect();
                        // A word that is the same in English says nothing about the language.
                        if let Some((first, rest)) = words.split_first().filter(|_| spelling.trim() != english) {
                            phrases.entry(first).or_default().push((rest.to_vec(), english));
                            if let Some(stem) = cyrillic_stem(first).filter(|_| rest.is_empty()) {
                                phrases.entry(stem).or_default().push((Vec::new(), english));
                            }
                        }
                    }
                }
            }
            for list in phrases.values_mut() {
                list.sort_by_key(|(rest, _)| std::cmp::Reverse(rest.len()));
            }
            Language { phrases }
        })
        .collect()
});

static SCRIPT: LazyLock<HashMap<char, Vec<(&'static str, &'static str)>>> = LazyLock::new(|| {
    let mut map: HashMap<char, Vec<(&'static str, &'static str)>> = HashMap::new();
    for row in UNSPACED.split('|').chain(trade::UNSPACED.split('|')) {
        if let Some((foreign, english)) = row.trim().split_once('=') {
            for spelling in foreign.split('/') {
                if let Some(first) = spelling.chars().next() {
                    map.entry(first).or_default().push((spelling, english));
                }
            }
        }
    }
    for list in map.values_mut() {
        list.sort_by_key(|(s, _)| std::cmp::Reverse(s.len()));
    }
    map
});

/// Returns a word without accents on Latin letters. Other scripts stay as they are.
pub(crate) fn plain(word: &str) -> String {
    let folded = fold(word);
    if folded.is_ascii() {
        return folded;
    }
    let mut out = String::with_capacity(folded.len());
    for c in folded.chars() {
        match c {
            'ß' => out.push_str("ss"),
            'ı' => out.push('i'),
            'ł' => out.push('l'),
            'ø' => out.push('o'),
            'đ' => out.push('d'),
            _ => {
                let base = std::iter::once(c).nfd().next().unwrap_or(c);
                out.push(if base.is_ascii_alphabetic() { base } else { c });
            }
        }
    }
    out.nfc().filter(|c| !('\u{300}'..='\u{36f}').contains(c)).collect()
}

fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{0e00}'..='\u{0e7f}')
}

/// Replaces the words that the tables know in a text written without spaces.
fn unspaced(raw: &str, out: &mut String) {
    let mut at = 0;
    while let Some(c) = raw.cut(at..).chars().next() {
        let hit = SCRIPT.get(&c).and_then(|list| list.iter().find(|(s, _)| raw.cut(at..).starts_with(s)));
        if let Some((spelling, english)) = hit {
            out.push(' ');
            out.push_str(english);
            out.push(' ');
            at += spelling.len();
        } else {
            let width = c.len_utf8();
            let next = raw.cut(at + width..).chars().next();
            out.push(c);
            if next.is_some_and(|n| is_unspaced(n) != is_unspaced(c)) {
                out.push(' ');
            }
            at += width;
        }
    }
}

/// Returns where the rest of a phrase ends. Skips the hyphens of "donne-moi" and the comma of "was passiert, wenn".
fn follows(cut: &[Token], words: &[Option<String>], mut at: usize, rest: &[&str]) -> Option<usize> {
    for word in rest {
        while cut.get(at).is_some_and(|t| t.is_punct('-') || t.is_punct(',')) {
            at += 1;
        }
        words.get(at)?.as_deref().filter(|w| w == word)?;
        at += 1;
    }
    Some(at)
}

/// Words before the value that something is set to: "auf 3,5", "a 0,7".
const VALUE_LEADS: [&str; 7] = ["auf", "a", "para", "em", "naar", "op", "na"];

/// Words before the amount by which something changes: "um 10%", "un 10%".
const STEP_LEADS: [&str; 6] = ["um", "un", "em", "del", "met", "o"];

fn share_at(cut: &[Token], at: usize) -> bool {
    let percent = |t: &Token| t.is_punct('%') || t.any(&["prozent", "percent", "porcent", "procent"]);
    cut.get(at).is_some_and(|t| t.number().is_some()) && cut.get(at + 1).is_some_and(percent)
}

/// Checks whether an amount begins here, and not a number of things or days.
fn value_at(cut: &[Token], at: usize) -> bool {
    let sign = cut.get(at).is_some_and(|t| matches!(t.kind, Kind::Punct('$' | '€' | '£')));
    let at = at + usize::from(sign);
    let counts = cut.get(at + 1).is_some_and(|t| t.kind == Kind::Word && currency_free(&t.norm));
    cut.get(at).is_some_and(|t| t.number().is_some()) && (sign || !counts)
}

/// Checks whether the word after a number says what the number counts. A currency or a small word does not.
fn currency_free(word: &str) -> bool {
    const MONEY: [&str; 8] = ["usd", "eur", "euro", "euros", "dollar", "dollars", "dolares", "cent"];
    const GOES_ON: [&str; 16] =
        ["und", "in", "im", "fur", "y", "en", "e", "et", "pour", "para", "por", "bei", "bitte", "i", "il", "con"];
    let word = plain(word);
    !MONEY.contains(&word.as_str()) && !GOES_ON.contains(&word.as_str())
}

fn words_of(cut: &[Token]) -> Vec<Option<String>> {
    cut.iter().map(|t| (t.kind == Kind::Word).then(|| plain(&t.norm))).collect()
}

/// Returns a text with its foreign words replaced by English ones. English text comes back as it is.
pub fn to_english(text: &str) -> String {
    if let Some(english) = adagent_scorer::foreign::to_english(text) {
        return english;
    }
    let apart = text.replace("qu'est-ce", "c est").replace("Qu'est-ce", "C est").replace("qu’est-ce", "c est");
    let text = apart.as_str();
    if text.chars().any(is_unspaced) {
        let mut out = String::with_capacity(text.len() * 2);
        let mut last = 0;
        for quoted in tokens(text).iter().filter(|t| t.kind == Kind::Literal) {
            unspaced(text.cut(last..quoted.start), &mut out);
            out.push(' ');
            out.push_str(text.cut(quoted.start..quoted.end));
            out.push(' ');
            last = quoted.end;
        }
        unspaced(text.cut(last..), &mut out);
        return out;
    }
    // The language shows in the words as they were written.
    let words: Vec<Option<String>> = words_of(&tokens(text));
    let english = words.iter().flatten().filter(|w| ENGLISH.contains(&w.as_str())).count();
    // A single letter is a word in too many languages: "I" need not be an Italian article.
    let known = |l: &Language, foreign: bool| {
        let words = words.iter().flatten().filter(|w| w.chars().count() > 1 && !(foreign && is_english(w)));
        words.filter(|w| l.find(w).is_some()).count()
    };
    let best = LANGUAGES.iter().map(|l| (known(l, false), l)).max_by_key(|(n, _)| *n);
    let Some((hits, language)) = best else { return text.to_owned() };
    // A single foreign word may be a name, unless an order begins with it: "pausiere Main Menu Banner".
    let first =
        words.iter().flatten().next().is_some_and(|w| w.len() > 4 && !is_english(w) && language.find(w).is_some());
    let few = hits == 1 && text.is_ascii() && words.iter().flatten().count() > 3 && !first;
    let timed = times::in_english(text);
    if hits == 0 || hits <= english || few || known(language, true) == 0 {
        return timed.into_owned();
    }
    let text = &*timed;
    let cut = tokens(text);
    let words = words_of(&cut);
    let mut out = String::with_capacity(text.len() + 16);
    let mut last = 0;
    let mut at = 0;
    while at < cut.len() {
        out.push_str(text.cut(last..cut[at].start));
        let hit = words[at].as_deref().and_then(|w| language.find(w)).and_then(|list| {
            list.iter().find_map(|(rest, english)| Some((follows(&cut, &words, at + 1, rest)?, *english)))
        });
        if words[at].as_deref().is_some_and(|w| STEP_LEADS.contains(&w)) && share_at(&cut, at + 1) {
            out.push_str("by");
            at += 1;
        } else if words[at].as_deref().is_some_and(|w| VALUE_LEADS.contains(&w)) && value_at(&cut, at + 1) {
            out.push_str("to");
            at += 1;
        } else if let Some((next, english)) = hit {
            out.push_str(english);
            at = next;
        } else {
            out.push_str(text.cut(cut[at].start..cut[at].end));
            at += 1;
        }
        last = cut[at - 1].end;
        // The tokenizer cut off an elided article ("l'app"), so add a space after it.
        if at < cut.len() && cut[at].start == last && cut[at - 1].kind == Kind::Word {
            out.push(' ');
        }
    }
    out.push_str(text.cut(last..));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn english_stays_and_foreign_words_are_replaced() {
        assert_eq!(to_english("show my revenue by country"), "show my revenue by country");
        assert_eq!(to_english("ingresos de ayer por país"), "revenue of yesterday by country");
        assert!(to_english("昨日のAdMobの収益").contains("yesterday"));
    }

    #[test]
    fn a_word_is_known_with_an_ending_too() {
        for (text, word) in [
            ("Fyber uygulamalarını listele", "app"),
            ("Zeige die Werbebuchungen von Auftrag 12", "line item"),
            ("приостанови позицию 6611223344", "line item"),
            ("donne-moi les commandes", "order"),
            ("Unity 앱의 광고 단위 목록", "ad unit"),
        ] {
            assert!(to_english(text).contains(word), "{text}: {}", to_english(text));
        }
    }

    #[test]
    fn words_shared_with_other_languages_leave_english_alone() {
        for text in ["rename GAM placements 1, 2 in a single call", "clicks so far", "active audience segments"] {
            assert_eq!(to_english(text), text);
        }
    }

    #[test]
    fn what_something_is_set_to_stands_behind_to() {
        for (text, english) in [
            ("setze den Preis von X auf 3,5", "to 3,5"),
            ("pon el precio de X a 0,7 en el waterfall", "to 0,7"),
            ("Floor von X auf $2 bitte", "to $2"),
        ] {
            assert!(to_english(text).contains(english), "{text}: {}", to_english(text));
        }
        assert!(!to_english("ingresos de ayer comparados a 7 días antes").contains("to 7"));
    }

    #[test]
    fn quoted_names_are_not_translated() {
        assert!(to_english("ingresos de la app 'ayer'").contains("'ayer'"));
    }
}
