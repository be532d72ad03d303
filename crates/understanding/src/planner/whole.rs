//! We draft a change whole or not at all: if the call lacks something that the message says, we ask about it before we show a card.
//!
//! This must never treat a missing restriction as "everything": a country, an app or a network that is not on the card was lost.

use adagent_llm::ModelRequest;

use super::{
    Answer, Call, Step, clarify,
    format::{and, plain},
    leftover,
    read::Turn,
    things::network_of,
};

/// Returns the step, or a question about what its change lacks.
pub(super) fn checked(turn: &Turn<'_>, step: Step) -> Step {
    let Step::Calls { calls, .. } = &step else { return step };
    let Some(write) = calls.iter().find(|call| is_write(turn, &call.name)) else { return step };
    let left = left(turn, write);
    if left.is_empty() { step } else { ask(&left).into() }
}

pub(super) fn is_write(turn: &Turn<'_>, name: &str) -> bool {
    writes(turn.request, name)
}

/// Checks whether a bound tool changes something.
pub(super) fn writes(request: &ModelRequest, name: &str) -> bool {
    request.tools.iter().any(|tool| tool.name == name && !tool.read_only)
}

/// Returns what narrows the message but is not in the call.
fn left(turn: &Turn<'_>, call: &Call) -> Vec<String> {
    match network_of(&call.name) {
        Some(network) => leftover::narrowing(&turn.only(network), &call.name, &call.args),
        None => Vec::new(),
    }
}

fn ask(left: &[String]) -> Answer {
    let named: Vec<String> = left.iter().map(|said| format!("**{}**", plain(said))).collect();
    let them = if left.len() == 1 { "it" } else { "them" };
    let text = format!(
        "This change has no place for {}, so I didn't draft it. Should I draft it without {them}?",
        and(&named)
    );
    clarify::missing(&text, &[]).choosing([format!("Without {}", and(left))])
}
