//! Limits how much of a message we read: reading takes time for each character, and eight long messages must not hold up everybody else.

use std::borrow::Cow;

use adagent_domain::Cut as _;

use crate::types::Question;

/// The most characters of a message that we read. If no model reads a longer message, we decline it ([`crate::planner`]). The route comes
/// from its beginning.
pub const MOST_READ: usize = 6_000;

/// Checks whether a message is longer than the part that we read.
pub fn is_too_long(text: &str) -> bool {
    // Each character has at least one byte.
    text.len() > MOST_READ && text.chars().nth(MOST_READ).is_some()
}

/// Returns the part that we read.
pub fn readable(text: &str) -> &str {
    match text.char_indices().nth(MOST_READ) {
        Some((end, _)) => text.cut(..end),
        None => text,
    }
}

/// Returns the question with each text cut to the part that we read.
pub(crate) fn bounded(question: &Question) -> Cow<'_, Question> {
    let user = |entry: &&mut adagent_contract::HistoryEntry| entry.role == "user";
    let long = is_too_long(&question.text) || question.history.iter().any(|entry| is_too_long(&entry.content));
    if !long {
        return Cow::Borrowed(question);
    }
    let mut short = question.clone();
    short.text = readable(&short.text).to_owned();
    for entry in short.history.iter_mut().filter(user) {
        entry.content = readable(&entry.content).to_owned();
    }
    Cow::Owned(short)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_counted_and_never_cut() {
        let (most, more) = ("€".repeat(MOST_READ), "€".repeat(MOST_READ + 1));
        assert!(!is_too_long(&most) && is_too_long(&more));
        assert_eq!((readable(&most), readable(&more)), (most.as_str(), most.as_str()));
    }
}
