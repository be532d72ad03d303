//! Splits a message into its parts: "raise the floor of A on Pangle and pause B on InMobi, then show me the revenue of yesterday". We read
//! each part alone, in order.
//!
//! This module must never cut one order in two. A part that changes something begins with its verb or gives a thing a value, and it names
//! its own thing. A part that reads begins after a stop or a "then", or asks right after a change. It points at no other part, except at
//! the things of the change right before it.

mod reads;

use adagent_contract::EntityItem;
use adagent_domain::Network;
use jiff::civil::Date;

use crate::route::reading::Reading;
use crate::text::{Kind, Token};
use crate::vocab::languages;
use crate::vocab::verbs::{READS, WRITES, Write};
use crate::wish::Orders;

/// Words between two orders.
const JOINTS: [&str; 6] = ["and", "then", "also", "plus", "please", "afterwards"];

const POLITE: [&str; 8] = ["please", "pls", "can", "could", "you", "hey", "hi", "now"];

/// Words that point at something another part names.
const POINTERS: [&str; 15] = [
    "it", "its", "itself", "them", "their", "they", "there", "this", "that", "these", "those", "both", "same", "one",
    "ones",
];

pub(crate) use reads::several as reads;

/// The kind of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    Changes,
    /// Changes something without a verb: "the floor of A to 0.7".
    Sets,
    Reads,
    /// A to-do, an undo or a call of a tool server. All the text after it belongs to it.
    Other,
}

/// The kind of a part, and where it begins.
#[derive(Debug, Clone, Copy)]
struct Part {
    at: usize,
    what: What,
}

impl Part {
    fn reads(self) -> bool {
        self.what == What::Reads
    }
}

/// Returns the orders of a message that has more than one. `other` checks whether a text is a to-do, an undo or a call of a tool server,
/// and so no question about networks.
pub(crate) fn several(text: &str, entities: &[EntityItem], other: &dyn Fn(&str) -> bool) -> Option<Orders> {
    let lower = text.to_lowercase();
    if !["and ", "then ", ", ", "; ", ". ", "plus ", "und ", "y ", "et ", "e "]
        .iter()
        .any(|joint| lower.contains(joint))
    {
        return None;
    }
    // Most messages order nothing, and we can see that without any names.
    let words = crate::text::tokens(&languages::to_english(text));
    if !(0..words.len()).any(|at| WRITES.at(&words, at).is_some()) {
        return None;
    }
    let reading = Reading::new(text, Date::constant(2026, 1, 1), entities);
    if !names_stay(text, &reading, entities) || reading.supposed.is_some() {
        return None;
    }
    let rest = |at: usize| reading.text.get(reading.tokens[at].start..).unwrap_or_default();
    let mut parts = vec![Part { at: 0, what: first(&reading)? }];
    for at in 1..reading.tokens.len() {
        let from = *parts.last()?;
        let ended = is_whole(&reading, from, at);
        let put = joined(&reading.tokens, at, false) && ended;
        if put && other(rest(after_courtesy(&reading.tokens, at).min(reading.tokens.len() - 1))) {
            parts.push(Part { at, what: What::Other });
            break;
        }
        if begins(&reading, at) && joined(&reading.tokens, at, from.reads()) && ended {
            parts.push(Part { at, what: What::Changes });
        } else if put && begins_setting(&reading, at) && is_complete(&reading, from, at) {
            parts.push(Part { at, what: What::Sets });
        } else if begins_reading(&reading, at)
            && (joined(&reading.tokens, at, true) || asks_on(&reading, from, at))
            && ended
        {
            parts.push(Part { at, what: What::Reads });
        }
    }
    // If the last part is not whole, it belongs to the part before it.
    while let Some(&last) = parts.last().filter(|_| parts.len() > 1)
        && !is_whole(&reading, last, reading.tokens.len())
        && (!last.reads() || pointed_at(&reading, &parts, parts.len() - 1).is_none())
    {
        parts.pop();
    }
    (parts.len() > 1 && parts.iter().any(|part| !part.reads())).then(|| {
        let mut texts = written(&reading, &parts, entities);
        let first = texts.remove(0);
        Orders { first, later: texts }
    })
}

/// Checks whether the English translation of a text still has every name of the original.
fn names_stay(text: &str, reading: &Reading, entities: &[EntityItem]) -> bool {
    if reading.text == text {
        return true;
    }
    let tokens = crate::text::tokens(text);
    let linked = crate::link::link_tokens(text, &tokens, entities);
    let said = |link: &crate::link::Linked| text.get(tokens[link.first].start..tokens[link.last - 1].end);
    linked.iter().filter_map(said).all(|name| reading.text.contains(name))
}

/// Returns the kind of the part that a message begins with.
fn first(reading: &Reading) -> Option<What> {
    let undoes = |token: &Token| token.any(&["undo", "revert"]);
    let opens = after_courtesy(&reading.tokens, 0);
    match reading.tokens.get(opens) {
        Some(token) if undoes(token) => Some(What::Other),
        _ if begins(reading, 0) => Some(What::Changes),
        _ if begins_setting(reading, 0) => Some(What::Sets),
        _ => begins_reading(reading, 0).then_some(What::Reads),
    }
}

/// Values that things have.
const FIELDS: [&str; 8] = ["floor", "floors", "price", "cpm", "ecpm", "bid", "refresh", "budget"];

/// Checks whether a part gives a thing a value without a verb: "the floor of A to 0.7", "A floor to 0.7".
fn begins_setting(reading: &Reading, at: usize) -> bool {
    let tokens = &reading.tokens;
    let named = |at: usize| reading.named.iter().find(|(from, _)| *from == at).map(|(_, to)| *to);
    let mention = |at: usize| reading.mentions.iter().find(|m| m.at == at).map(|m| m.end);
    let mut from = after_courtesy(tokens, at);
    while tokens.get(from).is_some_and(|t| t.any(&["the", "its", "their"])) {
        from += 1;
    }
    if in_name(reading, at) && named(at).is_none() {
        return false;
    }
    let lead = named(from).or_else(|| mention(from)).unwrap_or(from);
    if !tokens.get(lead).is_some_and(|t| t.any(&FIELDS)) {
        return false;
    }
    // The value comes before the next joint.
    let end = (lead + 1..tokens.len()).find(|at| joined(tokens, *at, false) && !in_name(reading, *at));
    let own = &tokens[lead..end.unwrap_or(tokens.len())];
    own.windows(2).any(|pair| {
        (pair[0].any(&["to", "at", "on"]) || pair[0].is_punct('=') || pair[0].is_punct('→'))
            && (pair[1].number().is_some() || matches!(pair[1].kind, Kind::Punct('$' | '€' | '£')))
    })
}

/// Checks whether the part says all that its change needs: a value, unless its verb sets a state.
fn is_complete(reading: &Reading, part: Part, to: usize) -> bool {
    let tokens = &reading.tokens[part.at..to];
    let states = (0..tokens.len()).any(|at| {
        let write = WRITES.at(tokens, at).map(|found| found.0);
        matches!(write, Some(Write::Activate | Write::Deactivate | Write::Stop | Write::Archive | Write::Delete))
            || tokens[at].any(&["pause", "resume", "unpause", "stop"])
    });
    let named = |at: usize| reading.named.iter().any(|(from, to)| (*from..*to).contains(&at));
    let value = (part.at..to).any(|at| reading.tokens[at].number().is_some() && !named(at));
    states || value || part.what == What::Other
}

fn in_name(reading: &Reading, at: usize) -> bool {
    reading.tokens[at].kind == Kind::Literal || reading.named.iter().any(|(from, to)| (*from..*to).contains(&at))
}

/// Returns the first token after polite words.
fn after_courtesy(tokens: &[Token], at: usize) -> usize {
    at + tokens[at..].iter().take_while(|token| token.any(&POLITE) || token.is_punct(',')).count()
}

/// Checks whether an order begins here: with its verb, after polite words.
fn begins(reading: &Reading, at: usize) -> bool {
    let tokens = &reading.tokens;
    let verb = after_courtesy(tokens, at);
    // "new" describes a thing and orders nothing; the verb of an order has something after it.
    verb < tokens.len()
        && !in_name(reading, verb)
        && !tokens[verb].is("new")
        && WRITES.at(tokens, verb).is_some_and(|(_, len)| verb + len < tokens.len())
}

/// Checks whether a question begins here, after polite words.
fn begins_reading(reading: &Reading, at: usize) -> bool {
    const ASKS: [&str; 4] = ["what", "how", "which", "list"];
    let tokens = &reading.tokens;
    let verb = after_courtesy(tokens, at);
    let reads = |token: &Token| token.any(&ASKS) || READS.at(tokens, verb).is_some();
    tokens.get(verb).is_some_and(|token| !in_name(reading, verb) && reads(token))
}

/// Checks whether a joining word or a stop comes right before. If `clearly`, only those count that join nothing smaller than sentences.
fn joined(tokens: &[Token], at: usize, clearly: bool) -> bool {
    const CLEAR: [&str; 2] = ["then", "afterwards"];
    let Some(before) = at.checked_sub(1).map(|at| &tokens[at]) else { return false };
    if clearly {
        return before.any(&CLEAR) || matches!(before.kind, Kind::Punct('.' | '?' | '!' | ';'));
    }
    before.any(&JOINTS) || before.is_punct(',') || before.is_stop()
}

/// Checks whether a question about a change follows it: "pause …, and what did it earn?". Such a question is a part of its own.
fn asks_on(reading: &Reading, from: Part, at: usize) -> bool {
    let asks = reading.tokens[at].any(&["what", "how", "which"]);
    asks && !from.reads() && joined(&reading.tokens, at, false)
}

/// Returns what a part with one pointer means: the things of the change right before it, from the first name to the last.
fn pointed_at<'r>(reading: &'r Reading, parts: &[Part], at: usize) -> Option<&'r str> {
    let (part, before) = (parts[at], parts[at.checked_sub(1)?]);
    let end = parts.get(at + 1).map_or(reading.tokens.len(), |next| next.at);
    let points = (part.at..end).filter(|at| points(reading, *at)).count();
    let inside = |(from, to): &&(usize, usize)| before.at <= *from && *to <= part.at;
    let first = reading.named.iter().filter(inside).map(|(from, _)| *from).min()?;
    let last = reading.named.iter().filter(inside).map(|(_, to)| *to).max()?;
    let text = reading.text.get(reading.tokens[first].start..reading.tokens[last - 1].end)?;
    (points == 1 && !before.reads()).then_some(text)
}

fn points(reading: &Reading, at: usize) -> bool {
    !in_name(reading, at) && reading.tokens[at].any(&POINTERS)
}

/// Checks whether a part is complete: it points at no other part, and if it changes something, it names that thing.
fn is_whole(reading: &Reading, part: Part, to: usize) -> bool {
    let from = part.at;
    let tokens = &reading.tokens[from..to];
    let named = reading.named.iter().any(|(at, end)| from <= *at && *end <= to);
    let thing = named || tokens.iter().any(|token| token.kind == Kind::Literal || crate::text::is_id(token));
    part.what == What::Other || (thing || part.reads()) && !(from..to).any(|at| points(reading, at))
}

/// Returns the parts as the person wrote them. A part that names no network gets the network of the others. A network that a part names as
/// a source, as in "set Pangle in Android Banner Global to $1", is not asked there, so no other part gets it.
fn written(reading: &Reading, parts: &[Part], entities: &[EntityItem]) -> Vec<String> {
    let tokens = &reading.tokens;
    let ends: Vec<usize> = parts.iter().skip(1).map(|part| part.at).chain([tokens.len()]).collect();
    let of = |from: usize, to: usize| -> Option<Network> {
        let text = reading.text.get(tokens[from].start..tokens[to - 1].end)?;
        let own = Reading::new(text, Date::constant(2026, 1, 1), entities);
        own.mentions.iter().map(|mention| mention.network).find(|network| own.services.contains(network))
    };
    let mut last = parts.iter().zip(&ends).find_map(|(part, to)| of(part.at, *to));
    parts
        .iter()
        .zip(&ends)
        .enumerate()
        .map(|(nth, (&Part { at: from, what }, &to))| {
            let mut end = to;
            while end > from + 1
                && to < tokens.len()
                && (tokens[end - 1].any(&JOINTS) || matches!(tokens[end - 1].kind, Kind::Punct(',' | ';' | '.')))
            {
                end -= 1;
            }
            let written = reading.text.get(tokens[from].start..tokens[end - 1].end).unwrap_or_default();
            let asks = matches!(what, What::Reads | What::Other);
            let named = if asks { pointed_at(reading, parts, nth) } else { None };
            let pointer = (from..end).find(|at| points(reading, *at));
            let replaced = named.zip(pointer).and_then(|(name, at)| {
                let (before, after) = (tokens[from].start..tokens[at].start, tokens[at].end..tokens[end - 1].end);
                Some(format!("{}{name}{}", reading.text.get(before)?, reading.text.get(after)?))
            });
            let own = of(from, to);
            let inherits = own.is_none() && what != What::Other && (what != What::Reads || replaced.is_some());
            let inherited = last.filter(|_| inherits).map(|network| format!(" in {}", network.display_name()));
            let text = replaced.as_deref().unwrap_or(written).trim();
            last = own.or(last);
            let text = text.trim_end_matches(['.', ',', ';', '?']);
            let text = if what == What::Sets { format!("set {text}") } else { text.to_owned() };
            format!("{}{}", adagent_contract::capital(&text), inherited.unwrap_or_default())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use adagent_contract::EntityKind;

    use super::*;

    fn thing(network: Network, kind: EntityKind, name: &str) -> EntityItem {
        EntityItem {
            network,
            kind,
            id: name.to_lowercase().replace(' ', "-"),
            name: name.to_owned(),
            parent: None,
            account: None,
            platform: None,
            format: None,
            status: None,
            connection: None,
            raw: serde_json::Value::Null.into(),
        }
    }

    fn known() -> Vec<EntityItem> {
        vec![
            thing(Network::Pangle, EntityKind::AdUnit, "Extra Life Rewarded"),
            thing(Network::Pangle, EntityKind::App, "Puzzle Game"),
            thing(Network::InMobi, EntityKind::AdUnit, "Main Menu Banner"),
            thing(Network::InMobi, EntityKind::App, "Space Runner"),
            thing(Network::AdMob, EntityKind::App, "Pause and Set It All"),
        ]
    }

    #[test]
    fn each_order_stands_for_itself() {
        for (text, first, later) in [
            (
                "Raise the floor of Extra Life Rewarded on Pangle to $9.00 and pause the Main Menu Banner on InMobi.",
                "Raise the floor of Extra Life Rewarded on Pangle to $9.00",
                vec!["Pause the Main Menu Banner on InMobi"],
            ),
            (
                "please pause Main Menu Banner, then resume Extra Life Rewarded in Pangle",
                "Please pause Main Menu Banner in Pangle",
                vec!["Resume Extra Life Rewarded in Pangle"],
            ),
            (
                "Pause \"A\" on Unity; archive order \"B\" and set the floor of Main Menu Banner to $3",
                "Pause \"A\" on Unity",
                vec!["Archive order \"B\" in Unity", "Set the floor of Main Menu Banner to $3 in Unity"],
            ),
            (
                "Pause Main Menu Banner on InMobi, then show me revenue by network for yesterday",
                "Pause Main Menu Banner on InMobi",
                vec!["Show me revenue by network for yesterday"],
            ),
            (
                "Pause Main Menu Banner on InMobi, and what did it earn last week?",
                "Pause Main Menu Banner on InMobi",
                vec!["What did Main Menu Banner earn last week in InMobi"],
            ),
            (
                "Show me yesterday's revenue by app; pause Main Menu Banner on InMobi.",
                "Show me yesterday's revenue by app",
                vec!["Pause Main Menu Banner on InMobi"],
            ),
        ] {
            let orders = several(text, &known(), &|_| false).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(
                (orders.first.as_str(), orders.later),
                (first, later.iter().map(|s| (*s).to_owned()).collect()),
                "{text}"
            );
        }
    }

    #[test]
    fn one_order_is_never_cut() {
        for text in [
            "Create a banner ad unit called \"Footer\" for Puzzle Game and set its floor to $5",
            "Create a mediation group for Puzzle Game with AppLovin and Unity bidding",
            "Pause Main Menu Banner and Extra Life Rewarded on Pangle",
            "Create a mediation group for Puzzle Game and add AppLovin bidding",
            "List the ad units of Pause and Set It All",
            "Create an ad unit called \"Pause and set menu\" in Pause and Set It All",
            "Show Main Menu Banner and pause Extra Life Rewarded",
            "Set the floor of Main Menu Banner to $3",
            "Show revenue yesterday, then show it by country",
            "What was my revenue yesterday? Show me the countries.",
        ] {
            assert!(several(text, &known(), &|_| false).is_none(), "{text}");
        }
    }
}
