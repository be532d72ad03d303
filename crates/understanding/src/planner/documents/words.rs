//! Splits a message into words with their places, so that titles, folders and texts stay as the person wrote them.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization as _;

/// A word, without the punctuation around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    /// The word in lower case, without accents: "öffne" becomes "offne".
    pub text: String,
    pub at: Range<usize>,
    /// Whether a colon or a dash follows.
    pub leads: bool,
    /// Whether the word is a path: "/floors/2026".
    pub path: bool,
}

impl Word {
    pub fn is(&self, any: &[&str]) -> bool {
        any.contains(&self.text.as_str())
    }
}

fn fold(word: &str) -> String {
    let letters = word.nfkd().filter(|c| !matches!(c, '\u{300}'..='\u{36F}')).flat_map(char::to_lowercase);
    letters.collect::<String>().replace('’', "'")
}

pub(super) fn words(text: &str) -> Vec<Word> {
    let mut all: Vec<Word> = Vec::new();
    let mut end = 0;
    for piece in text.split_whitespace() {
        let start = text.get(end..).and_then(|rest| rest.find(piece)).map_or(end, |found| end + found);
        end = start + piece.len();
        let outside = |c: char| !c.is_alphanumeric();
        let core = piece.trim_matches(outside);
        if core.is_empty() {
            if let Some(last) = all.last_mut().filter(|_| matches!(piece, ":" | "-" | "–" | "—")) {
                last.leads = true;
            }
            continue;
        }
        let from = piece.find(core).unwrap_or_default();
        let path = piece.get(..from).is_some_and(|before| before.ends_with('/'));
        let begin = start + from - usize::from(path);
        all.push(Word {
            text: fold(core),
            at: begin..start + from + core.len(),
            leads: piece.ends_with([':', '–', '—']),
            path,
        });
    }
    all
}

/// Polite words that ask for nothing.
const POLITE: [&str; 26] = [
    "please", "pls", "can", "could", "would", "you", "hey", "hi", "ok", "okay", "and", "also", "now", "then", "just",
    "kindly", "i'd", "like", "want", "let's", "bitte", "kannst", "du", "por", "favor", "puedes",
];

/// Returns where the sentence begins after its polite words.
pub(super) fn start(words: &[Word]) -> usize {
    let polite =
        |at: usize| words[at].is(&POLITE) || words[at].is(&["to"]) && at > 0 && words[at - 1].is(&["like", "want"]);
    (0..words.len()).find(|at| !polite(*at)).unwrap_or(words.len())
}

/// Returns the original text of these words, without quotes around it and without the end of the sentence.
pub(super) fn written(text: &str, words: &[Word]) -> String {
    let (Some(first), Some(last)) = (words.first(), words.last()) else { return String::new() };
    let inside = text.get(first.at.start..last.at.end).unwrap_or_default();
    let mut end = last.at.end;
    let next = text.get(end..).and_then(|rest| rest.chars().next());
    // A bracket that opens inside the text also closes inside it.
    if let Some(close @ (')' | ']' | '%')) = next
        && (close == '%' || inside.contains(if close == ')' { '(' } else { '[' }))
    {
        end += close.len_utf8();
    }
    let before = text.get(..first.at.start).and_then(|before| before.chars().next_back());
    let from =
        first.at.start - before.filter(|sign| matches!(sign, '$' | '€' | '£' | '@' | '#')).map_or(0, char::len_utf8);
    text.get(from..end).unwrap_or_default().trim().to_owned()
}

/// Returns the text in quotes and the position after it. `None` if nothing is in quotes.
pub(super) fn quoted(text: &str) -> Option<(&str, usize)> {
    for (open, close) in [('“', '”'), ('„', '“'), ('"', '"'), ('«', '»'), ('‘', '’')] {
        if let Some((before, rest)) = text.split_once(open)
            && let Some((inside, _)) = rest.split_once(close)
            && !inside.trim().is_empty()
        {
            return Some((inside.trim(), before.len() + open.len_utf8() + inside.len() + close.len_utf8()));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_lose_accents_and_keep_their_places() {
        let text = "Öffne bitte das Dokument „US-Floors“: /floors/2026, $5 (US).";
        let all = words(text);
        let texts: Vec<&str> = all.iter().map(|word| word.text.as_str()).collect();
        assert_eq!(texts, ["offne", "bitte", "das", "dokument", "us-floors", "floors/2026", "5", "us"]);
        assert!(all[4].leads && all[5].path && !all[0].path);
        assert_eq!(written(text, &all[5..6]), "/floors/2026");
        assert_eq!(written(text, &all[6..8]), "$5 (US)");
        assert_eq!(quoted(text).map(|(inside, _)| inside), Some("US-Floors"));
        assert_eq!(start(&words("could you please open it")), 3);
        assert_eq!(start(&words("I'd like to open it")), 3);
    }
}
