//! Recognizes messages about the to-dos of the workspace. They go to no network, and no other question goes on from them.

use std::borrow::Cow;

use adagent_contract::HistoryEntry;
use jiff::civil::Date;

use crate::{chosen, delegation, planner, servers, types::Question};

/// Checks whether a text is about to-dos. A to-do may name any network without asking it.
pub(crate) fn are_meant(text: &str, today: &str) -> bool {
    let today: Date = today.parse().unwrap_or(Date::constant(1970, 1, 1));
    planner::is_of_todos(chosen::plain(text), today)
}

/// Leaves out of the history what a question never goes on from: to-dos, documents, calls of tool servers and tasks of other agents, with
/// the answers to them.
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
