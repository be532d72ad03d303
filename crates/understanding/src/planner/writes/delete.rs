//! Deletions that AdMob's API does not offer: we say so, and say what it offers instead. This must never turn into another change.

use adagent_contract::{EntityItem, EntityKind};

use crate::planner::{
    Answer, clarify,
    format::plain,
    names,
    read::{Turn, contains_word},
};
use crate::route::implied::source_words;

const DELETE: [&str; 12] = [
    "delete",
    "remove",
    "erase",
    "destroy",
    "get rid of",
    "wipe",
    "trash",
    "purge",
    "discard",
    "throw away",
    "archive",
    "drop",
];

/// Says why a whole thing can't be deleted. `None` if the message means something else, such as a line of a group.
pub(super) fn impossible(turn: &Turn<'_>) -> Option<Answer> {
    let lower = turn.lower.trim_start().trim_start_matches("please ");
    let asked = turn.understood.verb == "delete" || DELETE.iter().any(|word| lower.starts_with(word));
    if !asked || !turn.says(&DELETE) {
        return None;
    }
    let named = |kind| names::mentioned(turn, kind, &turn.text);
    let (groups, units, apps) = (named(EntityKind::MediationGroup), named(EntityKind::AdUnit), named(EntityKind::App));
    // Words inside names don't count.
    let mut rest = lower.to_owned();
    for item in groups.iter().chain(&units).chain(&apps).filter(|item| !item.name.is_empty()) {
        rest = rest.replace(&item.name.to_lowercase(), " ");
    }
    let says = |words: &[&str]| words.iter().any(|word| contains_word(&rest, word));
    let of_a_group = (!groups.is_empty() || says(&["group", "groups", "waterfall"]))
        && says(&["from", "out of", "off", "in", "of"])
        && (!units.is_empty() || says(&["ad unit", "ad units", "unit", "units"]));
    if says(&["line", "lines", "bidder", "bidders", "floor", "experiment", "a/b", "test"])
        || of_a_group
        || !names::mentioned(turn, EntityKind::AdSource, &rest).is_empty()
        || !source_words(&rest).is_empty()
    {
        return None;
    }
    let (what, item): (&str, Option<&EntityItem>) = if says(&["mapping", "mappings"]) {
        ("ad unit mappings", None)
    } else if says(&["mediation group", "mediation groups", "group", "groups", "waterfall", "waterfalls"]) {
        ("mediation groups", groups.first().copied())
    } else if says(&["ad unit", "ad units", "unit", "units", "placement", "placements"]) {
        ("ad units", units.first().copied())
    } else if says(&["app", "apps", "game", "games", "application", "applications"]) {
        ("apps", apps.first().copied())
    } else if says(&["account", "accounts", "publisher"]) {
        ("accounts", None)
    } else {
        match (groups.as_slice(), units.as_slice(), apps.as_slice()) {
            ([group, ..], _, _) => ("mediation groups", Some(*group)),
            (_, [unit, ..], _) => ("ad units", Some(*unit)),
            (_, _, [app, ..]) => ("apps", Some(*app)),
            _ => return None,
        }
    };
    let unchanged = item.map_or_else(String::new, |item| format!(" **{}** stays as it is.", plain(&item.name)));
    let group =
        groups.first().map_or_else(|| "a mediation group".to_owned(), |group| format!("**{}**", plain(&group.name)));
    let next = match groups.first() {
        Some(group) => format!("Disable all lines of {}", group.name),
        None => "List my mediation groups".to_owned(),
    };
    Some(clarify::impossible(
        &format!(
            "AdMob's API can't delete {what}, so I can't prepare that.{unchanged} I can disable or remove lines of \
             {group}, or remove its ad units. Delete {what} on AdMob's website."
        ),
        &[&next, "Show my AdMob apps", "List my AdMob ad units"],
    ))
}
