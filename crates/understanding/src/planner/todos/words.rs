//! Splits a message into words with their places, so that the text of a to-do stays as the person wrote it.

use std::ops::Range;

/// A word, without the punctuation around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    /// The word in lower case.
    pub text: String,
    pub at: Range<usize>,
    /// Whether a colon or a dash follows.
    pub leads: bool,
}

impl Word {
    pub fn is(&self, any: &[&str]) -> bool {
        any.contains(&self.text.as_str())
    }
}

/// The spellings of "to-do". A list of to-dos counts as the same word.
const NOUNS: [&str; 12] = [
    "to-do",
    "todo",
    "to-dos",
    "todos",
    "to-do's",
    "todo's",
    "task",
    "tasks",
    "reminder",
    "reminders",
    "checklist",
    "to-do-list",
];

pub(super) fn words(text: &str) -> Vec<Word> {
    let mut all: Vec<Word> = Vec::new();
    let mut end = 0;
    for piece in text.split_whitespace() {
        let start = text.get(end..).and_then(|rest| rest.find(piece)).map_or(end, |found| end + found);
        end = start + piece.len();
        let core = piece.trim_matches(|c: char| !c.is_alphanumeric());
        if core.is_empty() {
            if let Some(last) = all.last_mut().filter(|_| matches!(piece, ":" | "-" | "–" | "—")) {
                last.leads = true;
            }
            continue;
        }
        let from = start + piece.find(core).unwrap_or_default();
        let leads = piece.ends_with([':', '–', '—']);
        all.push(Word { text: core.to_lowercase().replace('’', "'"), at: from..from + core.len(), leads });
    }
    merged(all)
}

/// Makes one word of "to do list", and of "to do" before a colon.
fn merged(all: Vec<Word>) -> Vec<Word> {
    let mut out: Vec<Word> = Vec::new();
    for word in all {
        let before = out.len().checked_sub(1);
        let after_to = before.is_some_and(|at| out[at].text == "to" && !out[at].leads);
        let thing = |word: &Word| word.leads || out.len().checked_sub(2).is_none_or(|at| out[at].is(&ARTICLES));
        if word.is(&["do", "dos", "do's"]) && after_to && thing(&word) {
            if let Some(to) = out.last_mut() {
                *to = Word { text: "to-do".into(), at: to.at.start..word.at.end, leads: word.leads };
            }
            continue;
        }
        if word.is(&["list", "lists"]) && out.last().is_some_and(is_noun) {
            if let Some(noun) = out.last_mut() {
                noun.at.end = word.at.end;
                noun.leads = word.leads;
            }
            continue;
        }
        out.push(word);
    }
    out
}

const ARTICLES: [&str; 10] = ["a", "an", "the", "my", "our", "new", "another", "this", "that", "your"];

pub(super) fn is_noun(word: &Word) -> bool {
    word.is(&NOUNS)
}

pub(super) fn is_article(word: &Word) -> bool {
    word.is(&ARTICLES)
}

/// Polite words that ask for nothing.
const POLITE: [&str; 20] = [
    "please", "pls", "can", "could", "would", "you", "hey", "hi", "ok", "okay", "and", "also", "now", "then", "just",
    "kindly", "i'd", "like", "want", "let's",
];

/// Returns where the sentence begins after its polite words.
pub(super) fn start(words: &[Word]) -> usize {
    words.iter().position(|word| !word.is(&POLITE)).unwrap_or(words.len())
}

/// Returns the original text of these words, without quotes around it and without the end of the sentence.
pub(super) fn written(text: &str, words: &[Word]) -> String {
    let (Some(first), Some(last)) = (words.first(), words.last()) else { return String::new() };
    // A bracket or quote that opens inside the text also closes inside it.
    let mut end = last.at.end;
    let inside = text.get(first.at.start..end).unwrap_or_default();
    let next = text.get(end..).and_then(|rest| rest.chars().next());
    if let Some(close @ (')' | ']' | '%' | '"' | '”' | '\'')) = next {
        let open = match close {
            ')' => '(',
            ']' => '[',
            '”' => '“',
            other => other,
        };
        if close == '%' || inside.contains(open) {
            end += close.len_utf8();
        }
    }
    let begin = text.get(..first.at.start).and_then(|before| before.chars().next_back());
    let begin = begin.filter(|sign| matches!(sign, '$' | '€' | '£' | '@' | '#' | '-' | '('));
    let from = first.at.start - begin.map_or(0, char::len_utf8);
    text.get(from..end).unwrap_or_default().trim().to_owned()
}

/// Returns the text in quotes. `None` if nothing is in quotes.
pub(super) fn quoted(text: &str) -> Option<&str> {
    for (open, close) in [('“', '”'), ('"', '"'), ('«', '»'), ('‘', '’')] {
        if let Some((_, rest)) = text.split_once(open)
            && let Some((inside, _)) = rest.split_once(close)
            && !inside.trim().is_empty()
        {
            return Some(inside.trim());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        words(text).into_iter().map(|word| word.text).collect()
    }

    #[test]
    fn a_to_do_is_one_word_however_it_is_written() {
        for text in ["my to-do list", "my to do list", "my todo list", "My To-Dos!", "my to do's"] {
            assert!(words(text).iter().any(is_noun), "{text}");
        }
        assert_eq!(texts("add a to do: check"), ["add", "a", "to-do", "check"]);
        assert_eq!(texts("what do I have to do today"), ["what", "do", "i", "have", "to", "do", "today"]);
        assert!(words("To-do: check floors")[0].leads);
        assert!(words("a to-do – check")[1].leads);
    }

    #[test]
    fn what_is_written_keeps_its_signs() {
        let text = "add: raise to $5 (US) and 10%!";
        let all = words(text);
        assert_eq!(written(text, &all[1..]), "raise to $5 (US) and 10%");
        assert_eq!(written(text, &all[3..5]), "$5 (US)");
        assert_eq!(quoted("mark “Check floors” as done"), Some("Check floors"));
        assert_eq!(quoted("mark it as done"), None);
    }
}
