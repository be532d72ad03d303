//! What the agent was not granted: told in the words of the check that refused it, with what would have to be turned on.

use serde_json::Value as Json;

use super::{Answer, read::Turn, talk};

const CODE: &str = "NOT_GRANTED";

/// A change that the agent may not make, told before anything is asked about it.
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
