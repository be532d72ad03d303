//! Finds what the person asked for but the change doesn't contain. The card shows it, no matter which model prepared the change.
//!
//! This must stay silent about words that only steer: a verb, a kind of thing, a platform or a format is not a value.

use adagent_contract::{EntityItem, EntityKind};
use adagent_domain::Network;
use serde_json::Value as Json;

use super::{
    held::{self, Held, name_holds},
    names,
    read::Turn,
    spelled,
    things::network_of,
    writes::wish::step,
};
use crate::route::reading::Reading;
use crate::text::{Kind, Token};
use crate::vocab::networks::OTHER_SOURCES;

/// A value in the arguments with its field. If a key itself names something, the field is empty.
type Leaf = (String, String);

/// What the message says and the call lacks, as the person wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Left {
    /// A name, an ID, a country or a platform. Without it, the change is a different one.
    Narrows(String),
    /// A demand source. Without it, the change is to the whole thing and not to the source's part of it.
    Source(String),
    /// A number with its word.
    Amount(String),
}

impl Left {
    pub fn said(&self) -> &str {
        match self {
            Self::Narrows(said) | Self::Source(said) | Self::Amount(said) => said,
        }
    }
}

/// Returns the names, IDs, numbers, countries, platforms and networks of the message that the call lacks, as the person wrote them.
pub(super) fn of(turn: &Turn<'_>, tool: &str, args: &Json) -> Vec<String> {
    all(turn, tool, args).iter().map(|left| left.said().to_owned()).collect()
}

/// Like [`of`], but without numbers: we must not draft a change that lacks one of these.
pub(super) fn narrowing(turn: &Turn<'_>, tool: &str, args: &Json) -> Vec<Left> {
    all(turn, tool, args).into_iter().filter(|left| !matches!(left, Left::Amount(_))).collect()
}

fn all(turn: &Turn<'_>, tool: &str, args: &Json) -> Vec<Left> {
    let mut leaves = Vec::new();
    held::walk(args, "", &mut leaves);
    keys(args, &mut leaves);
    let things = reached(turn, network_of(tool), &leaves);
    let called = called(turn, &leaves);
    let carried = |said: &str, id: bool| {
        let in_call = leaves.iter().any(|(_, value)| {
            same(value, said) || !id && (name_holds(value, said) || value.len() > 3 && name_holds(said, value))
        });
        in_call || things.iter().any(|item| is(item, said, id)) || called.iter().any(|name| name_holds(name, said))
    };
    let reading = Reading::new(&turn.text, turn.today, &turn.entities);
    let mut out: Vec<Left> = Vec::new();
    for held in held::held(turn) {
        match held {
            Held::Thing { said, id, .. } if !carried(&said, id) && !number_in(&said, &leaves) => {
                out.push(Left::Narrows(said));
            }
            _ => {}
        }
    }
    let amounts =
        amounts(&reading, &leaves).into_iter().filter(|said| !out.iter().any(|own| own.said().contains(said)));
    let amounts: Vec<Left> = amounts.map(Left::Amount).collect();
    out.extend(amounts);
    let narrows = places(turn, &leaves, &things).into_iter().chain(platform(turn, &leaves, &things));
    out.extend(narrows.map(Left::Narrows));
    let sources = networks(&reading, network_of(tool), &leaves, &carried);
    out.extend(sources.into_iter().chain(other_sources(&reading, &leaves, &things)).map(Left::Source));
    let without = without(&turn.text);
    let mut seen: Vec<Left> = Vec::new();
    for left in out {
        let known = seen.iter().any(|own| own.said() == left.said());
        if !known && !without.iter().any(|text| names::holds(text, &names::simple(left.said()))) {
            seen.push(left);
        }
    }
    seen
}

/// Returns what the person wants left out of the change: "without Germany".
fn without(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let ends = [", i mean ", "; ", ". "];
    let of = |(at, word): (usize, &str)| {
        let rest = lower.get(at + word.len()..)?;
        let end = ends.iter().filter_map(|end| rest.find(end)).min().unwrap_or(rest.len());
        rest.get(..end).map(names::simple)
    };
    lower.match_indices("without ").filter_map(of).collect()
}

/// Returns the platform in the message if the things that the call names are on another platform.
fn platform(turn: &Turn<'_>, leaves: &[Leaf], things: &[&EntityItem]) -> Option<String> {
    let said = names::platform_in(&turn.lower)?;
    let kinds = [EntityKind::App, EntityKind::AdUnit, EntityKind::Placement, EntityKind::MediationGroup];
    let own = things.iter().filter(|item| kinds.contains(&item.kind)).filter_map(|item| item.platform.as_deref());
    let own: Vec<String> = own.map(str::to_uppercase).collect();
    let on = |own: &String| own.contains(said);
    let written = leaves.iter().any(|(_, value)| names::platform_in(&value.to_lowercase()) == Some(said));
    (!own.is_empty() && !written && !own.iter().any(on)).then(|| names::platform_label(said).to_owned())
}

/// Returns the names that results give to IDs in the call. The segments of an ad unit, for example, are in no list of things.
fn called(turn: &Turn<'_>, leaves: &[Leaf]) -> Vec<String> {
    fn walk(at: &Json, leaves: &[Leaf], out: &mut Vec<String>) {
        match at {
            Json::Object(fields) => {
                let id = fields.get("id").map(|id| id.as_str().map_or_else(|| id.to_string(), str::to_owned));
                let name = fields.get("name").and_then(Json::as_str);
                if let (Some(id), Some(name)) = (id, name)
                    && leaves.iter().any(|(_, value)| *value == id)
                {
                    out.push(name.to_owned());
                }
                fields.values().for_each(|value| walk(value, leaves, out));
            }
            Json::Array(items) => items.iter().for_each(|item| walk(item, leaves, out)),
            _ => {}
        }
    }
    let mut out = Vec::new();
    for done in turn.done.iter().filter(|done| done.ok) {
        walk(done.content, leaves, &mut out);
    }
    out
}

fn same(value: &str, said: &str) -> bool {
    value.eq_ignore_ascii_case(said)
        || value.rsplit(['/', '~']).next().is_some_and(|tail| tail.eq_ignore_ascii_case(said))
}

fn is(item: &EntityItem, said: &str, id: bool) -> bool {
    same(&item.id, said)
        || !id
            && (name_holds(&item.name, said)
                || item.name.len() > 3 && name_holds(said, &item.name)
                || said_by(&item.raw, said))
}

/// Checks a thing's own fields: the names of its lines, its package, the network of an instance.
fn said_by(raw: &Json, said: &str) -> bool {
    let mut leaves = Vec::new();
    held::walk(raw, "", &mut leaves);
    leaves.iter().any(|(_, value)| same(value, said) || name_holds(value, said))
}

/// Collects keys that name things or countries: lines by their IDs, prices by country.
fn keys(at: &Json, out: &mut Vec<Leaf>) {
    match at {
        Json::Object(fields) => {
            for (key, value) in fields {
                let names = key.chars().any(|c| c.is_ascii_digit())
                    // "INMOBI_NETWORK", "US".
                    || key.len() > 1 && key.chars().all(|c| c.is_ascii_uppercase() || c == '_');
                if names {
                    out.push((String::new(), key.clone()));
                }
                keys(value, out);
            }
        }
        Json::Array(items) => items.iter().for_each(|item| keys(item, out)),
        _ => {}
    }
}

/// Returns the known things that the call names, their parents, and what they hold.
fn reached<'t>(turn: &'t Turn<'_>, network: Option<Network>, leaves: &[Leaf]) -> Vec<&'t EntityItem> {
    const STEPS: usize = 3;
    let of = |id: &str| -> Vec<&'t EntityItem> {
        let is = |item: &&EntityItem| {
            Some(item.network) == network && (item.id == id || item.id.rsplit(['/', '~']).next() == Some(id))
        };
        turn.entities.iter().filter(is).collect()
    };
    let mut out: Vec<&EntityItem> = Vec::new();
    let mut at: Vec<&str> = leaves.iter().map(|(_, value)| value.rsplit('/').next().unwrap_or(value)).collect();
    at.extend(leaves.iter().map(|(_, value)| value.as_str()));
    for _ in 0..STEPS {
        let found: Vec<&EntityItem> = at.iter().filter(|id| id.len() > 1).flat_map(|id| of(id)).collect();
        at = found.iter().flat_map(|item| item.parent.as_deref().into_iter().chain(item.account.as_deref())).collect();
        out.extend(found);
    }
    // A package name means its app, whichever network lists that app.
    let packages: Vec<&str> =
        leaves.iter().map(|(_, value)| value.as_str()).filter(|value| value.matches('.').count() > 1).collect();
    if !packages.is_empty() {
        let is = |item: &&EntityItem| {
            let mut own = Vec::new();
            held::walk(&item.raw, "", &mut own);
            own.iter().any(|(_, value)| packages.contains(&value.as_str()))
        };
        let kinds = [EntityKind::App, EntityKind::AdUnit];
        out.extend(turn.entities.iter().filter(|item| kinds.contains(&item.kind)).filter(is));
    }
    // A group holds lines of ad sources and serves ad units. If the message names one of those, it fits the group.
    let mut inside = Vec::new();
    for item in &out {
        held::walk(&item.raw, "", &mut inside);
    }
    for (_, id) in &inside {
        if id.len() > 5 {
            let found = of(id);
            // An ad unit that a group serves belongs to an app.
            out.extend(found.iter().filter_map(|item| item.parent.as_deref()).flat_map(of));
            out.extend(found);
        }
    }
    out
}

fn number(text: &str) -> Option<f64> {
    adagent_domain::plain_number(text.trim_start_matches(['$', '€', '£']))?.parse().ok()
}

/// Checks whether the call contains a number, in any unit that a network uses.
fn number_in(said: &str, leaves: &[Leaf]) -> bool {
    let Some(said) = number(said) else { return false };
    let near = |own: f64| {
        [1.0, 1e6, 1e9, 100.0, 0.01, 60.0, 1000.0]
            .iter()
            .any(|unit| (said * unit - own).abs() < 1e-6 * own.abs().max(1.0))
    };
    leaves.iter().any(|(_, value)| number(value).is_some_and(near))
}

/// Returns numbers with their word: "50 coins", "priority 8". Leaves out a step or an old price, because the new price already reflects it.
fn amounts(reading: &Reading, leaves: &[Leaf]) -> Vec<String> {
    let tokens = &reading.tokens;
    let in_name = |at: usize| reading.named.iter().any(|(from, to)| (*from..*to).contains(&at));
    let mut out = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let Kind::Number(_) = token.kind else { continue };
        let before = at.checked_sub(1).map(|i| &tokens[i]);
        let before = before
            .filter(|t| !matches!(t.kind, Kind::Punct('$' | '€' | '£' | '¥')))
            .or_else(|| tokens.get(at.checked_sub(2)?));
        let led = before.is_some_and(|t| t.any(&["by", "from", "than", "top", "first", "last"]) || t.capital);
        let after = tokens.get(at + 1);
        let name = after.is_some_and(|t| t.capital);
        // A share by which a price moves is in the price.
        let share = after.is_some_and(|t| t.is_punct('%') || t.is("percent"));
        let moves = share && step(&reading.text.to_lowercase()).is_some();
        if led
            || moves
            || name
            || in_name(at)
            || number_in(&token.norm, leaves)
            || leaves.iter().any(|(_, value)| word_in(value, &token.norm))
        {
            continue;
        }
        let unit = after.filter(|t| t.kind == Kind::Word || t.is_punct('%'));
        let from = before.filter(|t| matches!(t.kind, Kind::Punct('$' | '€' | '£'))).map_or(token.start, |t| t.start);
        let end = unit.map_or(token.end, |t| t.end);
        out.extend(reading.text.get(from..end).map(str::to_owned));
    }
    out
}

fn word_in(value: &str, word: &str) -> bool {
    names::simple(value).split(' ').any(|own| own == word)
}

/// Returns the countries that are neither in the call nor in the names of the things that it changes.
fn places(turn: &Turn<'_>, leaves: &[Leaf], things: &[&EntityItem]) -> Vec<String> {
    let mut text = turn.text.clone();
    for item in things.iter().filter(|item| item.name.len() > 2) {
        text = text.replace(item.name.as_str(), " ");
    }
    for quoted in names::quoted(&turn.text) {
        text = text.replace(&quoted, " ");
    }
    let codes = names::countries_in(&text);
    let carried = |code: &String| {
        leaves.iter().any(|(_, value)| {
            value.eq_ignore_ascii_case(code) || value.split([',', ' ']).any(|own| own.eq_ignore_ascii_case(code))
        }) || leaves.iter().any(|(_, value)| names::countries_in(value).contains(code))
            || things.iter().any(|item| names::countries_in(&item.name).contains(code) || said_by(&item.raw, code))
    };
    codes.into_iter().filter(|code| !carried(code)).map(|code| names::country_label(&code)).collect()
}

/// Returns the networks that the message names as demand sources and the call lacks.
fn networks(
    reading: &Reading,
    own: Option<Network>,
    leaves: &[Leaf],
    carried: &dyn Fn(&str, bool) -> bool,
) -> Vec<String> {
    // The key `FYBER_NETWORK` means DT Exchange.
    let keyed = |network: Network| {
        leaves.iter().any(|(field, key)| field.is_empty() && spelled::network_in(key) == Some(network))
    };
    let asked = |mention: &crate::route::reading::Mention| {
        Some(mention.network) == own || reading.services.contains(&mention.network)
    };
    let written = |mention: &crate::route::reading::Mention| {
        let from: &Token = &reading.tokens[mention.at];
        reading.text.get(from.start..reading.tokens[mention.end - 1].end).unwrap_or_default().to_owned()
    };
    reading
        .mentions
        .iter()
        .filter(|mention| !asked(mention) && !keyed(mention.network))
        .filter(|mention| !carried(mention.network.display_name(), false) && !carried(mention.network.id(), false))
        .map(written)
        .filter(|said| !carried(said, false))
        .collect()
}

/// Returns the demand sources outside the nine networks that the message names and the call lacks: neither its keys and values nor the
/// things that it names have them.
fn other_sources(reading: &Reading, leaves: &[Leaf], things: &[&EntityItem]) -> Vec<String> {
    let named = |at: usize| reading.named.iter().any(|(from, to)| (*from..*to).contains(&at));
    let has = |said: &str| {
        leaves.iter().any(|(_, value)| spelled::names(value, said))
            || things.iter().any(|item| {
                let mut own = Vec::new();
                held::walk(&item.raw, "", &mut own);
                spelled::names(&item.name, said) || own.iter().any(|(_, value)| spelled::names(value, said))
            })
    };
    let found = OTHER_SOURCES.all(&reading.tokens).into_iter().filter(|found| !named(found.at));
    let written = found.filter_map(|found| {
        let (from, to) = (&reading.tokens[found.at], &reading.tokens[found.end() - 1]);
        reading.text.get(from.start..to.end).map(str::to_owned)
    });
    written.filter(|said| !has(said)).collect()
}
