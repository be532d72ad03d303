//! Questions to the person: which network, which of several things, what is missing. This must name only candidates that exist.

use std::fmt::Write as _;

use adagent_contract::{EntityItem, EntityKind};
use adagent_domain::Network;

use super::{
    Answer,
    format::{or, plain},
    read::Turn,
};
use crate::wish::CHOSEN;

pub(super) use crate::wish::UNCHANGED;

/// How many candidates a question lists, each with a chip.
pub(super) const MOST: usize = 8;

pub(super) fn which_network(turn: &Turn<'_>) -> Answer {
    let usable: Vec<Network> = if turn.understood.services.is_empty() {
        turn.request.planner.connected.iter().copied().filter(|n| !turn.request.planner.disabled.contains(n)).collect()
    } else {
        turn.understood.services.clone()
    };
    which_of(&usable)
}

/// Asks which network, if several could make the whole change.
pub(super) fn which_of(networks: &[Network]) -> Answer {
    let names: Vec<String> = networks.iter().map(|n| n.display_name().to_owned()).collect();
    Answer::text(format!("Which network: {}? {UNCHANGED}", or(&names)))
        .choosing(networks.iter().map(|network| format!("In {}", network.display_name())))
}

/// Asks which one, if several things match the name.
pub(super) fn several(turn: &Turn<'_>, what: &str, wanted: &str, candidates: &[&EntityItem]) -> Answer {
    let names = labels(turn, candidates);
    Answer::text(format!(
        "{} {what} match “{}”: {}. Which one do you mean? {UNCHANGED}",
        if candidates.len() == 2 { "Two".to_owned() } else { candidates.len().to_string() },
        plain(wanted),
        or(&names)
    ))
    .choosing(choices(turn, candidates))
}

/// Asks which of these things the person means. Each of the first ones gets a chip that names it.
pub(super) fn which(turn: &Turn<'_>, ask: &str, candidates: &[&EntityItem]) -> Answer {
    Answer::text(format!("{ask} {UNCHANGED}")).choosing(choices(turn, candidates))
}

/// Returns texts such as "I mean Main Menu Banner (Puzzle Game, Android, banner, 4c9cb4a9)": the name, the details that distinguish it, and
/// its ID.
fn choices(turn: &Turn<'_>, candidates: &[&EntityItem]) -> Vec<String> {
    let chip = |item: &&EntityItem| {
        if item.name == item.id {
            return format!("{CHOSEN}{}", item.id);
        }
        let mut details = details(turn, item);
        details.push(item.id.clone());
        format!("{CHOSEN}{} ({})", item.name, details.join(", "))
    };
    candidates.iter().take(MOST).map(chip).collect()
}

/// Says that nothing matches the name, and lists similar names.
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

/// Asks for one thing that is missing from an otherwise clear message.
pub(super) fn missing(ask: &str, examples: &[&str]) -> Answer {
    Answer::text(format!("{ask} {UNCHANGED}")).following(examples.iter().copied())
}

/// Says that we can't do this, and why. The answer asks no question.
pub(super) fn impossible(why: &str, examples: &[&str]) -> Answer {
    missing(why, examples)
}

/// Returns the names, each with its app, platform, format and account, so that they can be told apart, and with its ID.
pub(super) fn labels(turn: &Turn<'_>, items: &[&EntityItem]) -> Vec<String> {
    let mut out: Vec<String> = items.iter().take(MOST).map(|item| label(turn, item)).collect();
    if items.len() > MOST {
        out.push(format!("{} more", items.len() - MOST));
    }
    out
}

/// Returns the details that distinguish a thing from others of the same name.
fn details(turn: &Turn<'_>, item: &EntityItem) -> Vec<String> {
    let mut details = Vec::new();
    let app = app_of(turn, item);
    if let Some(app) = app.filter(|app| !super::names::simple(&item.name).contains(&super::names::simple(&app.name))) {
        details.push(app.name.clone());
    }
    if let Some(platform) = item.platform.as_ref().or_else(|| app.and_then(|app| app.platform.as_ref())) {
        details.push(super::names::platform_label(platform).to_owned());
    }
    if let Some(format) = &item.format {
        details.push(super::names::format_label(format));
    }
    let account = item.account.as_deref().or_else(|| app.and_then(|app| app.account.as_deref()));
    let account = account.and_then(|id| turn.entity(EntityKind::Account, id));
    let account = account.filter(|_| item.kind != EntityKind::Account);
    if let Some(account) = account.filter(|account| turn.accounts_of(account.network).len() > 1) {
        details.push(account.name.clone());
    }
    if let Some(connection) = &item.connection {
        details.push(connection.clone());
    }
    details
}

/// Finds the app that a thing belongs to, directly or through its parents.
fn app_of<'t>(turn: &'t Turn<'_>, item: &EntityItem) -> Option<&'t EntityItem> {
    let above = |id: &str| turn.entities.iter().find(|other| other.network == item.network && other.id == id);
    let mut at = above(item.parent.as_deref()?)?;
    while at.kind != EntityKind::App {
        at = above(at.parent.as_deref()?).filter(|next| next.id != at.id)?;
    }
    Some(at)
}

fn label(turn: &Turn<'_>, item: &EntityItem) -> String {
    let mut details: Vec<String> = details(turn, item).iter().map(|detail| plain(detail)).collect();
    // We call a publisher account without a name by its ID.
    if item.name == item.id && details.is_empty() {
        return format!("`{}`", item.id.replace('`', ""));
    }
    details.push(format!("`{}`", item.id.replace('`', "")));
    format!("**{}** ({})", plain(&item.name), details.join(", "))
}
