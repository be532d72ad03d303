//! Invisible characters that change how a text looks: with them, one name can pass for another. This module is pure.

use std::{borrow::Cow, fmt::Write as _};

/// Checks whether a character reverses the order of the text after it, or shows nothing. The joiners U+200C and U+200D are not included,
/// because Persian, Indian scripts and emoji need them.
pub const fn is_deceptive(c: char) -> bool {
    matches!(c,
        // Soft hyphen, Arabic letter mark, Hangul and Khmer fillers, Mongolian separator.
        '\u{AD}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' | '\u{180E}' | '\u{3164}' | '\u{FFA0}'
        // Zero-width space, direction marks, line separators, embeddings, overrides, isolates, invisible operators.
        | '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
        // Byte order mark, interlinear marks, musical marks, tags.
        | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E007F}')
}

/// Returns the first character that a name must not have, written as `U+202E`.
pub fn hidden_in(text: &str) -> Option<String> {
    text.chars().find(|c| is_deceptive(*c)).map(code)
}

/// Returns a text that somebody else wrote, with every invisible character spelled out: `[U+202E]`.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| is_deceptive(c) || c.is_control()) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_deceptive(c) || c.is_control() {
            let _ = write!(out, "[{}]", code(c));
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Returns a pasted text without its invisible characters.
pub fn without_hidden(text: &str) -> Cow<'_, str> {
    if text.chars().any(is_deceptive) {
        Cow::Owned(text.chars().filter(|c| !is_deceptive(*c)).collect())
    } else {
        Cow::Borrowed(text)
    }
}

fn code(c: char) -> String {
    format!("U+{:04X}", u32::from(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_sees_is_found_shown_and_taken_out() {
        let app = "Puzzle\u{202E}emaG\u{2066}\u{200B}";
        assert_eq!(hidden_in(app).as_deref(), Some("U+202E"));
        assert_eq!(visible(app), "Puzzle[U+202E]emaG[U+2066][U+200B]");
        assert_eq!(without_hidden(app), "PuzzleemaG");
        assert_eq!(visible("two\nlines\u{7}"), "two[U+000A]lines[U+0007]");
    }

    #[test]
    fn what_people_write_stays() {
        for text in ["می\u{200C}خواهم", "👩\u{200D}👩\u{200D}👧", "Größe, 日本語, e\u{301}", "שלום", "❤\u{FE0F}"]
        {
            assert_eq!((hidden_in(text), visible(text)), (None, Cow::Borrowed(text)));
        }
    }
}
