//! Finds turns without a result: a run failed, or nobody understood the question, or no network could answer it.
//!
//! This module must leave out every such turn, so that no later question goes on from it, unless the question points back at it.

use std::borrow::Cow;

use adagent_contract::{HistoryEntry, UNANSWERED};

use crate::text::tokens;
use crate::wish::UNCHANGED;

/// Phrases of an answer that read nothing and changed nothing.
const NOTHING: [&str; 7] = [
    "I can't find any ",
    "so I read nothing and changed nothing",
    "so I didn't pull anything",
    "so I didn't read anything",
    "so I didn't do anything",
    "I have no numbers to show",
    "I didn't do anything.",
];

/// Checks whether an answer has no result. An answer that asks for something missing is still open and does not count.
pub(crate) fn came_to_nothing(answer: &str) -> bool {
    let answer = adagent_contract::without_method(answer).trim();
    let refused = answer.ends_with(UNCHANGED) && !answer.contains('?');
    answer.starts_with(UNANSWERED) || refused || NOTHING.iter().any(|words| answer.contains(words))
}

/// Checks whether a text points at the turn before, whatever its result: "try again", "pause it instead".
fn points_back(text: &str) -> bool {
    tokens(text).iter().any(|token| {
        token.any(&["again", "retry", "instead", "it", "its", "that", "those", "them", "these", "other", "one", "ones"])
    })
}

/// Returns the conversation without the turns that had no result. `fresh`: whether the question has its own numbers and its own period; then
/// it points at nothing: "which app earned the most last week, and which one the least".
pub(crate) fn left_out<'h>(
    history: &'h [HistoryEntry],
    question: &str,
    fresh: impl Fn() -> bool,
) -> Cow<'h, [HistoryEntry]> {
    let nothing = |at: usize| {
        let [asked, said] = history.get(at..at + 2).unwrap_or_default() else { return false };
        let last = at + 2 == history.len();
        asked.role == "user"
            && said.role == "assistant"
            && came_to_nothing(&said.content)
            && !(last && points_back(question) && !fresh())
    };
    if !(0..history.len()).any(nothing) {
        return Cow::Borrowed(history);
    }
    let kept = (0..history.len()).filter(|at| !nothing(*at) && !at.checked_sub(1).is_some_and(nothing));
    Cow::Owned(kept.filter_map(|at| history.get(at).cloned()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(answer: &str, question: &str) -> usize {
        let entry = |role: &str, content: &str| HistoryEntry { role: role.into(), content: content.into() };
        let history = [
            entry("user", "revenue yesterday"),
            entry("assistant", "It was $12."),
            entry("user", "eCPM by ad source and hour"),
            entry("assistant", answer),
        ];
        left_out(&history, question, || question.starts_with("which app")).len()
    }

    #[test]
    fn what_came_to_nothing_is_left_out_unless_it_is_pointed_at() {
        for nothing in [
            "AdMob doesn't report by hour, so I didn't pull anything.",
            "I'm not sure what you mean, so I read nothing and changed nothing. Do you mean the apps?",
            UNANSWERED,
            "AdMob's API can't delete apps. Nothing has been changed.",
            "I can't find any ad units called “Floor-Regeln Q4”, or anything called that they belong to.",
        ] {
            assert_eq!(left(nothing, "Ad Manager revenue last week"), 2, "{nothing}");
            assert_eq!(left(nothing, "try again"), 4, "{nothing}");
            assert_eq!(left(nothing, "which app earned the most last week, and which one the least"), 2, "{nothing}");
        }
        for something in ["It was $3 on average.", "Which app is it for? Nothing has been changed."] {
            assert_eq!(left(something, "and by country?"), 4, "{something}");
        }
    }
}
