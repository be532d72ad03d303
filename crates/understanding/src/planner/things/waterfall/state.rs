//! Turns a network, or one of its placements, on or off in a waterfall.
//!
//! This must never turn off more than the message names: one placement if it names one, otherwise the network in this one waterfall.

use serde_json::Value as Json;

use super::{Line, ask, placements, placements_of, settings};
use crate::planner::{Step, demand, format::plain, read::Turn};

/// Sets the state of the named network in the settings. The amount that the message gives says which placement it means.
pub(super) fn set(
    turn: &Turn<'_>,
    (source, place): (&str, &str),
    (on, at): (bool, Option<i64>),
    own: &[Line],
    body: &mut Json,
) -> Result<(), Step> {
    let name = demand::written(source);
    let bids = turn.says(&["bidding", "bidder"]);
    let meant: Vec<&Line> = own.iter().filter(|line| !bids || line.cpm.is_none()).collect();
    if meant.is_empty() {
        return Err(ask(&format!("{name} doesn't bid in the {place}.")));
    }
    let chosen = match one(turn, &meant, at) {
        Some(one) => Some(one),
        None if at.is_some() => {
            let has = placements(&meant);
            return Err(ask(&format!("{name} has no placement at that price in the {place}. It has {has}.")));
        }
        None if turn.says(&["placement"]) && meant.len() > 1 => {
            let has = placements(&meant);
            return Err(ask(&format!("{name} has several placements in the {place}: {has}. Which one do you mean?")));
        }
        None => None,
    };
    let lines = chosen.map_or(meant, |one| vec![one]);
    if lines.iter().all(|line| line.on == on) {
        let state = if on { "on" } else { "off" };
        return Err(ask(&format!("{} is already {state} in the {place}.", plain(&name))));
    }
    let disabled = |json: &Json| json["disabled"].as_bool() == Some(true);
    let mut keys: Vec<&str> = lines.iter().map(|line| line.key.as_str()).collect();
    keys.dedup();
    for key in keys {
        for setting in settings(body, key) {
            let wholly_off = disabled(setting);
            let alone = placements_of(setting).count() == 1;
            match chosen {
                // The network's own switch counts for all of its placements.
                Some(_) if on && wholly_off && !alone => {
                    return Err(ask(&format!(
                        "{name} as a whole is off in the {place}, so none of its placements can run. Should I turn {name} on there?"
                    )));
                }
                None if !on || wholly_off => setting["disabled"] = (!on).into(),
                _ => {
                    if wholly_off {
                        setting["disabled"] = false.into();
                    }
                    let meant = |placement: &&mut Json| chosen.is_none_or(|line| line.is(placement));
                    for placement in placements_of(setting).filter(meant) {
                        placement["disabled"] = (!on).into();
                    }
                }
            }
        }
    }
    Ok(())
}

/// Returns the one placement that the message names, by its ID or its price. A network's only placement is meant if the message says
/// "placement".
fn one<'l>(turn: &Turn<'_>, lines: &[&'l Line], at: Option<i64>) -> Option<&'l Line> {
    if let Some(named) = lines.iter().find(|line| !line.placement.is_empty() && turn.text.contains(&line.placement)) {
        return Some(named);
    }
    let priced: Vec<&&Line> =
        lines.iter().filter(|line| at.is_some() && line.cpm.map(|money| money.micros) == at).collect();
    match (priced.as_slice(), lines) {
        ([one], _) => Some(one),
        (_, [one]) if at.is_none() && turn.says(&["placement"]) => Some(one),
        _ => None,
    }
}
