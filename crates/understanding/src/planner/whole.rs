//! We draft a change whole or not at all: if the call lacks something that the message says, we ask about it before we show a card.
//!
//! This must never treat a missing restriction as "everything": a country, an app or a network that is not on the card was lost.

use adagent_llm::ModelRequest;

use super::{
    Answer, Call, Step, clarify,
    format::{and, plain},
    leftover::{self, Left},
    read::Turn,
    things::network_of,
};

/// Returns the step, or a question about what its change lacks.
pub(super) fn checked(turn: &Turn<'_>, step: Step) -> Step {
    let Step::Calls { calls, .. } = &step else { return step };
    let Some(write) = calls.iter().find(|call| is_write(turn, &call.name)) else { return step };
    let left = left(turn, write);
    if left.is_empty() { step } else { ask(turn, &left).into() }
}

pub(super) fn is_write(turn: &Turn<'_>, name: &str) -> bool {
    writes(turn.request, name)
}

/// Checks whether a bound tool changes something.
pub(super) fn writes(request: &ModelRequest, name: &str) -> bool {
    request.tools.iter().any(|tool| tool.name == name && !tool.read_only)
}

/// Returns what narrows the message but is not in the call.
fn left(turn: &Turn<'_>, call: &Call) -> Vec<Left> {
    match network_of(&call.name) {
        Some(network) => leftover::narrowing(&turn.only(network), &call.name, &call.args),
        None => Vec::new(),
    }
}

fn ask(turn: &Turn<'_>, left: &[Left]) -> Answer {
    let left_out: Vec<String> = left.iter().map(|left| left.said().to_owned()).collect();
    let named: Vec<String> = left_out.iter().map(|said| format!("**{}**", plain(said))).collect();
    let source = left.iter().find(|left| matches!(left, Left::Source(_)));
    // Without the source, a change of something that exists would be wider than the message. So we don't offer that.
    if let Some(source) = source.filter(|_| turn.understood.verb != "create") {
        let text = format!(
            "I can't limit this change to **{}** there, and I won't change more than you asked, so I didn't draft it.",
            plain(source.said())
        );
        return clarify::impossible(&text, &[]);
    }
    let them = if left.len() == 1 { "it" } else { "them" };
    let text = format!(
        "This change has no place for {}, so I didn't draft it. Should I draft it without {them}?",
        and(&named)
    );
    clarify::missing(&text, &[]).choosing([format!("Without {}", and(&left_out))])
}
