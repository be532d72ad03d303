//! Answers about what the agent has no grant for: we use the words of the check that refused it, which say what to turn on.

use serde_json::Value as Json;

use super::{Answer, read::Turn, talk};

const CODE: &str = "NOT_GRANTED";

/// Refuses a change that the agent may not make, before we ask the person anything about it.
pub(super) fn withheld(turn: &Turn<'_>, tool: &str) -> Option<Answer> {
    let why = turn.request.planner.not_granted.get(tool)?;
    Some(Answer::text(why.clone()).following(talk::EXAMPLES))
}

pub(super) fn refused(turn: &Turn<'_>) -> Option<Answer> {
    let error = turn.done.iter().rev().find_map(|done| {
        let error = done.content.get("error").unwrap_or(done.content);
        (!done.ok && error.get("code").and_then(Json::as_str) == Some(CODE)).then_some(error)
    })?;
    let why = error.get("message").and_then(Json::as_str)?;
    Some(Answer::text(why).following(talk::EXAMPLES))
}
