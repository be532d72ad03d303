//! Demand sources that a message names as lines of a group: "pause AppLovin in the banner group" is about AppLovin's line there.
//!
//! This must never accept a change that names none of the sources' lines.

use std::collections::HashSet;

use adagent_contract::{EntityItem, EntityKind};
use adagent_domain::Network;
use serde_json::Value as Json;

use super::{
    Answer, clarify,
    format::{or, plain},
    held::{name_holds, walk},
    names,
    read::Turn,
};
use crate::Outcome;
use crate::route::{mediated::mediates, reading::Reading};
use crate::vocab::networks::NETWORKS;

/// Asks in which mediation a demand source should change, if none of the asked networks mediates: the message does not mean the network's
/// own things.
pub(super) fn misplaced(turn: &Turn<'_>) -> Option<Answer> {
    if !turn.goes_on && !matches!(turn.understood.outcome, Outcome::Approval | Outcome::Clarify) {
        return None;
    }
    let found = Reading::new(&turn.text, turn.today, &turn.entities).mediated?;
    let asked = turn.asked();
    if asked.iter().any(|network| mediates(*network)) {
        return None;
    }
    let source = in_words(&turn.text, found.at, found.end)?;
    let usable = &turn.request.planner.connected;
    let places: Vec<String> =
        usable.iter().filter(|network| mediates(**network)).map(|network| network.display_name().to_owned()).collect();
    let nowhere = match found.place {
        Some(place) => {
            format!("{} doesn't mediate other networks, so {source} isn't a source there.", place.display_name())
        }
        None => format!("I can't turn {source} itself on or off; I can only change it as a source in a mediation."),
    };
    Some(if places.is_empty() {
        clarify::impossible(&nowhere, &[])
    } else {
        let ask = format!("{nowhere} Where do you mean: {}?", or(&places));
        clarify::missing(&ask, &[]).choosing(places.iter().map(|name| format!("In {name}")))
    })
}

/// Returns the source's name in its network's own spelling. If no network matches, returns it as typed.
fn in_words(text: &str, at: usize, end: usize) -> Option<String> {
    let tokens = crate::text::tokens(text);
    match NETWORKS.at(&tokens, at) {
        Some((network, _)) => Some(network.display_name().to_owned()),
        None => text.get(tokens.get(at)?.start..tokens.get(end.checked_sub(1)?)?.end).map(plain),
    }
}

/// Returns a network's own spelling for any spelling of it.
pub(super) fn written(source: &str) -> String {
    in_words(source, 0, 0).unwrap_or_else(|| plain(source))
}

/// Checks whether the arguments name a line of every demand source that the message names.
pub(super) fn carried(turn: &Turn<'_>, network: Network, args: &Json) -> bool {
    let reading = Reading::new(&turn.text, turn.today, &turn.entities);
    let mut ids = HashSet::new();
    named(args, &mut ids);
    reading.sources.iter().all(|source| {
        let lines = lines_of(turn, network, source);
        let spelled = names::simple(source);
        // The arguments hold the source's name, one of its IDs, or the key of a line with such an ID in a group that they name.
        ids.iter().any(|value| names::simple(value).contains(&spelled))
            || lines.iter().any(|id| ids.contains(*id))
            || turn.entities.iter().any(|group| {
                group.network == network
                    && ids.contains(group.id.as_str())
                    && ids.iter().any(|key| under(&group.raw, key).is_some_and(|line| holds(line, &lines)))
            })
    })
}

/// Returns the IDs under which a network knows a demand source: those of its ad source or of its instances.
fn lines_of<'t>(turn: &'t Turn<'_>, network: Network, source: &str) -> Vec<&'t str> {
    let spelled = names::simple(source);
    let owner = Network::ALL.into_iter().find(|network| network.id() == source).map(Network::display_name);
    let is = |item: &&EntityItem| {
        let own = names::simple(&item.name);
        item.network == network
            && !matches!(
                item.kind,
                EntityKind::Account | EntityKind::App | EntityKind::AdUnit | EntityKind::MediationGroup
            )
            && (own.contains(&spelled) || owner.is_some_and(|owner| name_holds(&item.name, owner)))
    };
    turn.entities.iter().filter(is).map(|item| item.id.as_str()).collect()
}

/// Collects the values and keys of the arguments.
fn named(at: &Json, out: &mut HashSet<String>) {
    match at {
        Json::Object(fields) => {
            for (key, value) in fields {
                out.insert(key.clone());
                named(value, out);
            }
        }
        Json::Array(items) => items.iter().for_each(|item| named(item, out)),
        Json::String(text) => {
            out.insert(text.clone());
        }
        Json::Number(number) => {
            out.insert(number.to_string());
        }
        _ => {}
    }
}

/// Returns the value under a key, at any depth.
fn under<'j>(at: &'j Json, key: &str) -> Option<&'j Json> {
    match at {
        Json::Object(fields) => fields.get(key).or_else(|| fields.values().find_map(|value| under(value, key))),
        Json::Array(items) => items.iter().find_map(|item| under(item, key)),
        _ => None,
    }
}

fn holds(line: &Json, ids: &[&str]) -> bool {
    let mut leaves = Vec::new();
    walk(line, "", &mut leaves);
    leaves.iter().any(|(_, value)| ids.contains(&value.as_str()))
}
