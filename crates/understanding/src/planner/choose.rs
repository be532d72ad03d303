//! Drafts a change that several networks could make. If the message names networks, each gets its own card. Otherwise we look in all of
//! them, and ask only if more than one fits.
//!
//! This must never choose between two networks that can both do everything the message asks.

use adagent_domain::Network;

use super::{
    Answer, Call, Step, clarify, demand,
    format::{or, plain},
    held::{self, Held},
    leftover, object,
    read::Turn,
    things,
    whole::is_write,
    writes,
};
use crate::Capability;

/// The most lookups in one step.
const AT_ONCE: usize = 10;

/// Plans the change in one network, as if there were no others.
pub(super) fn inside(turn: &Turn<'_>, network: Network) -> Step {
    let one = turn.only(network);
    if network == Network::AdMob { writes::next(&one) } else { things::write(&one, network) }
}

/// Plans the change in every network that the message names, one card after the other.
pub(super) fn each(turn: &Turn<'_>, networks: &[Network]) -> Step {
    let mut said: Vec<Answer> = Vec::new();
    for network in networks {
        match inside(turn, *network) {
            Step::Answer(answer) => said.push(*answer),
            calls @ Step::Calls { .. } => return calls,
        }
    }
    let asked = said.iter().any(|answer| answer.text.ends_with(clarify::UNCHANGED));
    let changed = turn.done.iter().any(|done| done.ok && is_write(turn, done.name));
    let mut text: Vec<String> = Vec::new();
    for answer in &said {
        let own = answer.text.trim_end_matches(clarify::UNCHANGED).trim_end().to_owned();
        if !text.contains(&own) {
            text.push(own);
        }
    }
    if asked && !changed {
        text.push(clarify::UNCHANGED.to_owned());
    }
    let follow_ups: Vec<String> = said.iter().flat_map(|answer| answer.follow_ups.iter().take(1).cloned()).collect();
    Answer::text(text.join(" ")).following(follow_ups).into()
}

/// Plans the change in the network that has the named thing and can do everything the message asks. If several can, it asks which one.
pub(super) fn one(turn: &Turn<'_>, networks: &[Network]) -> Step {
    if turn.request.planner.settings.safe_mode {
        return networks.first().map_or_else(|| clarify::which_network(turn).into(), |network| inside(turn, *network));
    }
    if let Some(answer) = object::missing(turn, &turn.usable()) {
        return answer.into();
    }
    // A change that we already proposed continues in the same network.
    let tried = turn.done.iter().rev().find(|done| is_write(turn, done.name));
    if let Some(network) = tried.and_then(|done| things::network_of(done.name)) {
        return inside(turn, network);
    }
    let mut open: Vec<Call> = Vec::new();
    let mut ready: Vec<(usize, Network, Step)> = Vec::new();
    let mut stuck: Vec<(Network, Answer)> = Vec::new();
    for network in networks {
        match inside(turn, *network) {
            Step::Calls { say, calls } => match calls.iter().find(|call| is_write(turn, &call.name)) {
                // A change to lines does not mean another network's group of the same name if that group lacks these lines.
                Some(write) if about_lines(turn) && !demand::carried(turn, *network, &write.args) => {}
                Some(write) => {
                    let left = leftover::of(&turn.only(*network), &write.name, &write.args).len();
                    ready.push((left, *network, Step::Calls { say, calls }));
                }
                None => open.extend(calls),
            },
            Step::Answer(answer) => stuck.push((*network, *answer)),
        }
    }
    let mut calls: Vec<Call> = Vec::new();
    for call in open {
        if calls.len() < AT_ONCE && !calls.contains(&call) {
            calls.push(call);
        }
    }
    if !calls.is_empty() {
        return Step::Calls { say: "Looking up which network has it.".to_owned(), calls };
    }
    // The network whose change covers more of the message is the one the person means.
    let fewest = ready.iter().map(|(left, ..)| *left).min();
    let mut best: Vec<(Network, Step)> = ready
        .into_iter()
        .filter(|(left, ..)| Some(*left) == fewest)
        .map(|(_, network, step)| (network, step))
        .collect();
    match best.len() {
        1 => best.remove(0).1,
        0 => nowhere(turn, networks, stuck),
        _ => {
            let able: Vec<Network> = best.iter().map(|(network, _)| *network).collect();
            clarify::which_of(&able).into()
        }
    }
}

fn about_lines(turn: &Turn<'_>) -> bool {
    turn.understood.capability == Capability::Mediation && turn.understood.verb != "create"
}

/// Answers if no network can do what the message asks: the network that has the named thing says why. If no network has it, we say that.
fn nowhere(turn: &Turn<'_>, networks: &[Network], mut stuck: Vec<(Network, Answer)>) -> Step {
    let named: Vec<String> = held::held(turn)
        .into_iter()
        .filter_map(|held| match held {
            Held::Thing { said, .. } => Some(said),
            Held::Condition { .. } => None,
        })
        .collect();
    let has = |network: Network| {
        let own = |said: &String| {
            turn.entities
                .iter()
                .any(|item| item.network == network && (item.id == *said || held::name_holds(&item.name, said)))
        };
        named.iter().filter(|said| own(said)).count()
    };
    let most = networks.iter().map(|network| has(*network)).max().unwrap_or(0);
    let having: Vec<Network> = networks.iter().copied().filter(|network| has(*network) == most).collect();
    match having.as_slice() {
        [one] if most > 0 => match stuck.iter().position(|(network, _)| network == one) {
            Some(at) => stuck.swap_remove(at).1.into(),
            None => inside(turn, *one),
        },
        _ if most == 0 && !named.is_empty() => {
            let places: Vec<String> = networks.iter().map(|network| network.display_name().to_owned()).collect();
            let said: Vec<String> = named.iter().map(|said| format!("“{}”", plain(said))).collect();
            let asked = clarify::missing(
                &format!("I can't find {} in {}. What is it called there?", or(&said), or(&places)),
                &[],
            );
            asked.choosing(places.iter().map(|name| format!("In {name}"))).into()
        }
        _ => clarify::which_of(&having).into(),
    }
}
