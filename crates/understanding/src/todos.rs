//! Messages about the to-dos of the workspace: they lead to no network, and no other question goes on from them.

use std::borrow::Cow;

use adagent_contract::HistoryEntry;
use jiff::civil::Date;

use crate::{chosen, delegation, planner, servers, types::Question};

/// What is to be done may name any network and asks none of them.
pub(crate) fn are_meant(text: &str, today: &str) -> bool {
    let today: Date = today.parse().unwrap_or(Date::constant(1970, 1, 1));
    planner::is_of_todos(chosen::plain(text), today)
}

/// A question goes on from the one before it, and never from a to-do, a document, a tool of a tool server or another agent's task, or what was
/// told of it.
pub(crate) fn left_out(question: Cow<'_, Question>) -> Cow<'_, Question> {
    let is_one = |entry: &HistoryEntry| {
        let meant = |text: &str| {
            are_meant(text, &question.today)
                || planner::is_of_documents(chosen::plain(text))
                || servers::are_meant(text, &question.own_tools)
                || delegation::meant(text, &question.colleagues).is_some()
        };
        entry.role == "user" && meant(entry.content.as_str())
    };
    if !question.history.iter().any(is_one) {
        return question;
    }
    let mut inside = false;
    let history = question.history.iter().filter(|entry| {
        if entry.role == "user" {
            inside = is_one(entry);
        }
        !inside
    });
    let history = history.cloned().collect();
    Cow::Owned(Question { history, ..question.into_owned() })
}
