//! Demand sources that a wish names as lines of a group: "pause AppLovin in the banner group" is about AppLovin's line there.
//!
//! Must never take a change for theirs that names none of their lines.

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

/// A source that is to change where nothing mediates: asked where it is, because the network's own things are not meant.
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

/// A source as its network writes itself, else as it was typed.
fn in_words(text: &str, at: usize, end: usize) -> Option<String> {
    let tokens = crate::text::tokens(text);
    match NETWORKS.at(&tokens, at) {
        Some((network, _)) => Some(network.display_name().to_owned()),
        None => text.get(tokens.get(at)?.start..tokens.get(end.checked_sub(1)?)?.end).map(plain),
    }
}

/// Any spelling of a network as it writes itself.
pub(super) fn written(source: &str) -> String {
    in_words(source, 0, 0).unwrap_or_else(|| plain(source))
}

/// Whether the arguments name a line of every demand source the wish names.
pub(super) fn carried(turn: &Turn<'_>, network: Network, args: &Json) -> bool {
    let reading = Reading::new(&turn.text, turn.today, &turn.entities);
    let mut ids = HashSet::new();
    named(args, &mut ids);
    reading.sources.iter().all(|source| {
        let lines = lines_of(turn, network, source);
        let spelled = names::simple(source);
        // Its name, an id of the source itself, or the key of a line that holds one, in a group that the arguments name.
        ids.iter().any(|value| names::simple(value).contains(&spelled))
            || lines.iter().any(|id| ids.contains(*id))
            || turn.entities.iter().any(|group| {
                group.network == network
                    && ids.contains(group.id.as_str())
                    && ids.iter().any(|key| under(&group.raw, key).is_some_and(|line| holds(line, &lines)))
            })
    })
}

/// Ids under which a network knows a demand source: its ad source, or its instances.
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

/// Values and keys of the arguments.
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

/// What stands under a key, however deep.
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
