//! Questions back: which network, which of several things, what is missing. Must name only candidates that exist.

use std::fmt::Write as _;

use adagent_contract::{EntityItem, EntityKind};
use adagent_domain::Network;

use super::{
    Answer,
    format::{or, plain},
    read::Turn,
};

/// Ends every question back about a change, so that the answer to it is known as one.
pub(super) const UNCHANGED: &str = "Nothing has been changed.";

/// How many candidates a question back lists.
const MOST: usize = 6;

pub(super) fn which_network(turn: &Turn<'_>) -> Answer {
    let usable: Vec<Network> = if turn.understood.services.is_empty() {
        turn.request.planner.connected.iter().copied().filter(|n| !turn.request.planner.disabled.contains(n)).collect()
    } else {
        turn.understood.services.clone()
    };
    which_of(&usable)
}

/// Which of several networks that could all do it.
pub(super) fn which_of(networks: &[Network]) -> Answer {
    let names: Vec<String> = networks.iter().map(|n| n.display_name().to_owned()).collect();
    Answer::text(format!("Which network: {}? {UNCHANGED}", or(&names)))
        .following(names.iter().take(3).map(|name| format!("In {name}")))
}

/// Several things fit what was named.
pub(super) fn several(turn: &Turn<'_>, what: &str, wanted: &str, candidates: &[&EntityItem]) -> Answer {
    let names = labels(turn, candidates);
    Answer::text(format!(
        "{} {what} match “{}”: {}. Which one do you mean? Nothing has been changed.",
        if candidates.len() == 2 { "Two".to_owned() } else { candidates.len().to_string() },
        plain(wanted),
        or(&names)
    ))
    .following(choices(candidates))
}

/// A question which of these it is; each of the first is a chip that says so.
pub(super) fn which(ask: &str, candidates: &[&EntityItem]) -> Answer {
    Answer::text(format!("{ask} {UNCHANGED}")).following(choices(candidates))
}

fn choices(candidates: &[&EntityItem]) -> Vec<String> {
    candidates.iter().take(3).map(|item| format!("I mean {} ({})", item.name, item.id)).collect()
}

/// Nothing fits what was named; close names help.
pub(super) fn unknown(turn: &Turn<'_>, what: &str, wanted: &str, close: &[&EntityItem]) -> Answer {
    let mut text = format!(
        "I can't find {what} called “{}” in your connected {} accounts, so I didn't do anything.",
        plain(wanted),
        turn.network_words()
    );
    if !close.is_empty() {
        let _ = write!(text, " Similar names: {}.", or(&labels(turn, close)));
    }
    let list = match close.first().map(|c| c.kind) {
        Some(EntityKind::MediationGroup) => "List my mediation groups",
        Some(EntityKind::AdUnit) => "List my AdMob ad units",
        Some(EntityKind::AdSource) => "List the AdMob ad sources",
        _ => "Show my AdMob apps",
    };
    Answer::text(text).following([list])
}

/// One thing is missing from an otherwise clear wish.
pub(super) fn missing(ask: &str, examples: &[&str]) -> Answer {
    Answer::text(format!("{ask} Nothing has been changed.")).following(examples.iter().copied())
}

/// What nobody can do here; no question is asked back.
pub(super) fn impossible(why: &str, examples: &[&str]) -> Answer {
    missing(why, examples)
}

/// Names with what tells them apart: platform, format, account, and the id.
pub(super) fn labels(turn: &Turn<'_>, items: &[&EntityItem]) -> Vec<String> {
    let mut out: Vec<String> = items.iter().take(MOST).map(|item| label(turn, item)).collect();
    if items.len() > MOST {
        out.push(format!("{} more", items.len() - MOST));
    }
    out
}

fn label(turn: &Turn<'_>, item: &EntityItem) -> String {
    let mut details = Vec::new();
    if let Some(platform) = &item.platform {
        details.push(super::names::platform_label(platform).to_owned());
    }
    if let Some(format) = &item.format {
        details.push(super::names::format_label(format));
    }
    let account = item.account.as_deref().and_then(|id| turn.entity(EntityKind::Account, id));
    let account = account.filter(|_| item.kind != EntityKind::Account);
    if let Some(account) = account.filter(|_| turn.accounts().len() > 1) {
        details.push(plain(&account.name));
    }
    if let Some(connection) = &item.connection {
        details.push(plain(connection));
    }
    // A publisher account without a name is called by its id.
    if item.name == item.id && details.is_empty() {
        return format!("`{}`", item.id.replace('`', ""));
    }
    details.push(format!("`{}`", item.id.replace('`', "")));
    format!("**{}** ({})", plain(&item.name), details.join(", "))
}
