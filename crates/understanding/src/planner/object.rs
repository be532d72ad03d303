//! Reads what a person calls the one thing that a change is about. This must never return a value that the thing should get as its name.

use adagent_domain::Network;

use super::{
    Answer, clarify,
    format::{or, plain},
    held::name_holds,
    names,
    read::Turn,
};
use crate::route::reading::Reading;
use crate::text::Kind;

/// Words that end a name in lower case.
const ENDS: [&str; 19] = [
    "in", "on", "from", "of", "for", "to", "with", "and", "or", "at", "by", "that", "which", "please", "now", "again",
    "too", "there", "it",
];

/// Returns the name after the word for the thing, or in quotes: "delete the ad unit level up bonus".
pub(super) fn called(turn: &Turn<'_>) -> Option<String> {
    if let Some(quoted) = names::quoted(&turn.text).into_iter().next() {
        return Some(quoted);
    }
    let reading = Reading::new(&turn.text, turn.today, &turn.entities);
    let noun = reading.noun.filter(|noun| !noun.plural)?;
    let from = noun.end + reading.tokens.get(noun.end..)?.iter().take_while(|t| t.any(&["called", "named"])).count();
    let own = |token: &&crate::text::Token| !matches!(token.kind, Kind::Punct(_)) && !token.any(&ENDS);
    let end = from + reading.tokens.get(from..)?.iter().take_while(own).count();
    let (first, last) = (reading.tokens.get(from)?, reading.tokens.get(end.checked_sub(1)?)?);
    (end > from).then(|| reading.text.get(first.start..last.end)).flatten().map(str::to_owned)
}

/// Checks whether something in these networks has this name or one that overlaps with it.
fn is_known(turn: &Turn<'_>, networks: &[Network], name: &str) -> bool {
    let fits = |own: &str| name_holds(own, name) || own.len() > 3 && name_holds(name, own);
    let mut known = turn.entities.iter().chain(&turn.request.planner.entities);
    known.any(|item| networks.contains(&item.network) && (item.id == name || fits(&item.name)))
}

/// Asks for the name if a message deletes something that doesn't exist. We must not offer another thing instead.
pub(super) fn missing(turn: &Turn<'_>, networks: &[Network]) -> Option<Answer> {
    let gone = turn.understood.verb == "delete" && !turn.goes_on;
    // A platform or a format says which one of several it is, and is no name.
    let names_none = |name: &str| names::platform_in(&name.to_lowercase()).is_some() && !name.contains(' ');
    let name = called(turn).filter(|name| gone && !names_none(name) && !is_known(turn, networks, name))?;
    let places: Vec<String> = networks.iter().map(|network| network.display_name().to_owned()).collect();
    Some(clarify::missing(
        &format!("I can't find “{}” in {}. What is it called there?", plain(&name), or(&places)),
        &[],
    ))
}
