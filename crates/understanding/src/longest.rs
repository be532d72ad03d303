//! How much of a message is read: reading costs time for every character, and eight long messages must not hold up everybody else.

use std::borrow::Cow;

use adagent_domain::Cut as _;

use crate::types::Question;

/// Characters of a message that are read. Longer ones are declined where nobody else reads them ([`crate::planner`]); the route is
/// taken from their beginning.
pub const MOST_READ: usize = 6_000;

/// Whether there is more than is read.
pub fn is_too_long(text: &str) -> bool {
    // A character has a byte at least.
    text.len() > MOST_READ && text.chars().nth(MOST_READ).is_some()
}

/// The part that is read.
pub fn readable(text: &str) -> &str {
    match text.char_indices().nth(MOST_READ) {
        Some((end, _)) => text.cut(..end),
        None => text,
    }
}

/// The question with every text as long as it is read.
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
