//! Finds what a chat is about, for a change that names no thing: "set its refresh to 60", "the rewarded one up to two dollars".
//!
//! This module must never look past the last turns, and never take a thing of another format or platform than the message names.

use adagent_contract::{EntityItem, EntityKind};
use adagent_domain::Network;

use super::said::Said;
use crate::link::SHORTEST_ID;
use crate::planner::{
    desks, names,
    read::{Turn, contains_word},
};

/// How many turns back a thing may have been named.
const TURNS: usize = 3;

/// One question and its answer.
struct Spoken<'t> {
    asked: &'t str,
    answered: &'t str,
}

/// Returns the last turns, the newest first. An answer that only asks which thing is meant says nothing about one.
fn last_turns<'t>(turn: &'t Turn<'_>) -> Vec<Spoken<'t>> {
    let history = &turn.request.planner.history;
    let turns = history.iter().enumerate().rev().filter(|(_, entry)| entry.role == "user").take(TURNS);
    turns
        .map(|(at, entry)| {
            let answered = history.get(at + 1).filter(|next| next.role != "user").map_or("", |next| &next.content);
            let asks = answered.contains("do you mean?");
            Spoken { asked: &entry.content, answered: if asks { "" } else { answered } }
        })
        .collect()
}

/// Returns the apps of a network that one of the last questions names.
fn apps<'t>(turn: &'t Turn<'_>, network: Network, spoken: &[Spoken<'_>]) -> Vec<&'t EntityItem> {
    let of = |spoken: &Spoken<'_>| -> Vec<&'t EntityItem> {
        let named = names::mentioned(turn, EntityKind::App, spoken.asked);
        named.into_iter().filter(|item| item.network == network).collect()
    };
    spoken.iter().map(of).find(|found| !found.is_empty()).unwrap_or_default()
}

/// Checks whether a thing belongs to one of these apps.
pub(super) fn lies_in(item: &EntityItem, apps: &[&EntityItem]) -> bool {
    apps.iter().any(|app| match item.parent.as_deref() {
        Some(parent) => parent == app.id,
        None => item.name.contains(&app.name),
    })
}

/// Keeps what passes a test, or everything if nothing does.
fn kept(things: Vec<&EntityItem>, test: impl Fn(&EntityItem) -> bool) -> Vec<&EntityItem> {
    let left: Vec<&EntityItem> = things.iter().copied().filter(|item| test(item)).collect();
    if left.is_empty() { things } else { left }
}

/// Returns what a message without a name means: what its words find, else what the chat is about ("set its refresh to 60"). A thing that goes
/// must be pointed at and the only one.
pub(super) fn meant<'t>(
    turn: &'t Turn<'_>,
    network: Network,
    things: &[&'t EntityItem],
    said: &Said,
    removes: bool,
) -> Vec<&'t EntityItem> {
    if !removes {
        let worded = by_words(turn, things);
        if !worded.is_empty() {
            return worded;
        }
    }
    let narrows = said.format.is_some() || said.platform.is_some();
    if !(points(turn) || narrows && !removes) {
        return Vec::new();
    }
    let found = of(turn, network, things, said);
    if removes {
        return if found.len() == 1 { found } else { Vec::new() };
    }
    // "the gameplay one" picks one of them.
    let picked = picked(turn, &found);
    if picked.is_empty() { found } else { picked }
}

/// Checks whether a message points at something that was named before.
fn points(turn: &Turn<'_>) -> bool {
    turn.says(&["it", "its", "that", "this", "one", "ones", "them", "those", "these", "there", "him", "again"])
}

/// Returns the things that the last turns are about. Empty if they are about none, or about another kind than the message names.
fn of<'t>(turn: &'t Turn<'_>, network: Network, things: &[&'t EntityItem], said: &Said) -> Vec<&'t EntityItem> {
    let spoken = last_turns(turn);
    let apps = apps(turn, network, &spoken);
    let format_fits = |item: &EntityItem, format: &str| {
        item.format.as_deref().is_none_or(|own| desks::format_word(network, own) == format)
    };
    for one in &spoken {
        let text = format!("{}\n{}", one.asked, one.answered);
        let simple = names::simple(&text);
        let by_id = |item: &&&EntityItem| item.id.len() >= SHORTEST_ID && contains_word(&text, &item.id);
        let by_name =
            |item: &&&EntityItem| item.name.contains(' ') && names::holds(&simple, &names::simple(&item.name));
        let mut found: Vec<&EntityItem> = things.iter().filter(by_id).copied().collect();
        if found.is_empty() {
            found = things.iter().filter(by_name).copied().collect();
            found = kept(found, |item| apps.is_empty() || lies_in(item, &apps));
        }
        let asked = one.asked.to_lowercase();
        if found.is_empty() && !apps.is_empty() {
            // "impressions of the banner": an app and a format name a thing, too.
            let format = names::format_in(&asked).map(str::to_lowercase);
            let of_app = things.iter().copied().filter(|item| lies_in(item, &apps));
            found = match &format {
                Some(format) => of_app.filter(|item| format_fits(item, format)).collect(),
                None => Vec::new(),
            };
        }
        if let Some(platform) = names::platform_in(&asked) {
            found = kept(found, |item| item.platform.as_deref().is_none_or(|own| own.eq_ignore_ascii_case(platform)));
        }
        if let Some(format) = said.format.as_deref() {
            found.retain(|item| format_fits(item, format));
        }
        if let Some(platform) = said.platform {
            found.retain(|item| item.platform.as_deref().is_none_or(|own| own.to_lowercase().contains(platform)));
        }
        if !found.is_empty() {
            return found;
        }
    }
    Vec::new()
}

/// Returns the things for which the message contains most words of the name: "the rewarded ad unit of Puzzle Game" means "Puzzle Game
/// Android Rewarded".
pub(super) fn by_words<'t>(turn: &Turn<'_>, things: &[&'t EntityItem]) -> Vec<&'t EntityItem> {
    with_words(turn, things, 2)
}

/// Returns the one of a few things that a word of the message picks: "the gameplay one".
pub(super) fn picked<'t>(turn: &Turn<'_>, things: &[&'t EntityItem]) -> Vec<&'t EntityItem> {
    let found = with_words(turn, things, 1);
    if found.len() == 1 { found } else { Vec::new() }
}

fn with_words<'t>(turn: &Turn<'_>, things: &[&'t EntityItem], least: usize) -> Vec<&'t EntityItem> {
    // Words that occur in many names don't identify one.
    const COMMON: [&str; 12] = [
        "android",
        "ios",
        "banner",
        "interstitial",
        "rewarded",
        "native",
        "video",
        "placement",
        "unit",
        "app",
        "for",
        "the",
    ];
    let text = names::simple(&turn.text);
    let said = |item: &EntityItem| {
        let name = names::simple(&item.name);
        let own = |word: &&str| word.len() > 2 && !COMMON.contains(word);
        name.split(' ').filter(own).filter(|word| text.split(' ').any(|own| own == *word)).count()
    };
    let best = things.iter().map(|item| said(item)).max().unwrap_or(0);
    if best < least { Vec::new() } else { things.iter().copied().filter(|item| said(item) == best).collect() }
}
