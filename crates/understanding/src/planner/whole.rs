//! A change is drafted whole or not at all: what a wish says and the call does not carry is asked about before there is a card.
//!
//! Must never let silence stand for everything: a country, an app, a network that goes unsaid on a card is one that was lost.

use super::{
    Answer, Call, Step, clarify,
    format::{and, plain},
    leftover,
    read::Turn,
    things::network_of,
};

/// The step, or the question about what its change does not carry.
pub(super) fn checked(turn: &Turn<'_>, step: Step) -> Step {
    let Step::Calls { calls, .. } = &step else { return step };
    let Some(write) = calls.iter().find(|call| is_write(turn, &call.name)) else { return step };
    let left = left(turn, write);
    if left.is_empty() { step } else { ask(&left).into() }
}

pub(super) fn is_write(turn: &Turn<'_>, name: &str) -> bool {
    turn.request.tools.iter().any(|tool| tool.name == name && !tool.read_only)
}

/// What narrows the wish and is nowhere in the call.
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

/// What is said of the orders that come after this one.
pub(super) fn with_later(turn: &Turn<'_>, mut step: Step) -> Step {
    let Some(next) = turn.understood.later.first() else { return step };
    let all: Vec<String> = turn.understood.later.iter().map(|order| format!("“{}”", plain(order))).collect();
    match &mut step {
        Step::Calls { calls, .. } if !calls.iter().any(|call| is_write(turn, &call.name)) => {}
        Step::Calls { say, .. } => {
            say.push_str(" One change at a time: after this one, ask for ");
            say.push_str(&and(&all));
            say.push('.');
        }
        Step::Answer(answer) if answer.text.ends_with(clarify::UNCHANGED) && answer.text.contains('?') => {
            answer.text = format!("One change at a time: {} comes after this one. {}", and(&all), answer.text);
        }
        Step::Answer(answer) => {
            answer.say(format!("You also asked for {}. Send it, and I draft it next.", and(&all)));
            answer.follow_ups.insert(0, next.clone());
        }
    }
    step
}
