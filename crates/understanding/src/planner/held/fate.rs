//! Decides how a list treats each thing that a question names: the list follows it, has nothing of it, or can't tell.

use std::collections::BTreeMap;

use adagent_contract::{EntityItem, EntityKind};
use adagent_domain::Network;
use serde_json::Value as Json;

use super::{Held, in_words, name_holds, same_kind};
use crate::planner::{
    format::{count, plain},
    read::Turn,
    things::{kind_of_param, snake},
};

/// How many levels of parents we search above a thing.
const STEPS: usize = 3;

/// The fields of a listed thing that this module needs.
#[derive(Debug, Clone, Copy)]
pub(in crate::planner) struct Item<'i> {
    pub network: Network,
    pub id: &'i str,
    pub name: &'i str,
    pub parent: Option<&'i str>,
    pub account: Option<&'i str>,
    pub raw: &'i Json,
}

/// How a sentence names the networks that made the list, in two forms.
#[derive(Debug, Clone)]
pub(in crate::planner) struct Lister {
    /// "Unity lists", "Your networks list".
    lists: String,
    /// "Unity's list", "The list of your networks".
    list: String,
}

impl Lister {
    pub fn of(networks: &[Network]) -> Self {
        match networks {
            [one] => {
                Self { lists: format!("{} lists", one.display_name()), list: format!("{}'s list", one.display_name()) }
            }
            _ => Self { lists: "Your networks list".to_owned(), list: "The list of your networks".to_owned() },
        }
    }
}

/// The result for one named thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::planner) enum Fate {
    /// The positions of the items that stay, and the sentence that says so.
    Kept(Vec<usize>, String),
    /// Nothing is listed; the sentence says why.
    Nothing(String),
}

/// Known things by their IDs and by the last parts of their IDs.
type Index<'t> = BTreeMap<(Network, &'t str), &'t EntityItem>;

fn index<'t>(turn: &'t Turn<'_>) -> Index<'t> {
    let mut out = Index::new();
    for item in turn.entities.iter().chain(&turn.request.planner.entities) {
        let tail = item.id.rsplit(['/', '~']).next().unwrap_or(&item.id);
        out.entry((item.network, item.id.as_str())).or_insert(item);
        if tail.len() > 5 {
            out.entry((item.network, tail)).or_insert(item);
        }
    }
    out
}

/// Decides the fate of one named thing or condition. `about` is the kind of the listed things, in the singular.
pub(in crate::planner) fn fate(turn: &Turn<'_>, held: &Held, about: &str, whose: &Lister, items: &[Item<'_>]) -> Fate {
    let plural = if let Some(kind) = EntityKind::parse(about) {
        kind.plural().to_owned()
    } else {
        format!("{}s", about.replace('_', " "))
    };
    let all = format!("{} {} in all.", whose.lists, count(items.len(), &about.replace('_', " "), &plural));
    match held {
        Held::Condition { said, words, wanted } => condition(items, words, *wanted).map_or_else(
            || {
                Fate::Nothing(format!(
                    "{} of {plural} doesn't include “{}”, so I can't filter by it. {all}",
                    whose.list,
                    plain(said)
                ))
            },
            |kept| match kept.as_slice() {
                [] => Fate::Nothing(format!("None of the {plural} match “{}”. {all}", plain(said))),
                _ => Fate::Kept(kept, plain(said)),
            },
        ),
        Held::Thing { noun, said, id } => {
            let index = index(turn);
            let fits = |item: &Item<'_>| touches(&index, item, *noun, about, said, *id);
            let kept: Vec<usize> = (0..items.len()).filter(|at| fits(&items[*at])).collect();
            let own = noun.is_none_or(|noun| same_kind(about, noun));
            if !kept.is_empty() {
                let word = if own { format!("“{}”", plain(said)) } else { format!("of {}", in_words(*noun, said)) };
                return Fate::Kept(kept, word);
            }
            Fate::Nothing(nothing(turn, &index, *noun, (about, &plural), (said, *id), whose, items))
        }
    }
}

fn nothing(
    turn: &Turn<'_>,
    index: &Index<'_>,
    noun: Option<&'static str>,
    (about, plural): (&str, &str),
    (said, id): (&str, bool),
    whose: &Lister,
    items: &[Item<'_>],
) -> String {
    let all = format!("{} {} in all.", whose.lists, count(items.len(), &about.replace('_', " "), plural));
    let known = |noun: &str| {
        let is = |item: &&EntityItem| {
            same_kind(item.kind.as_str(), noun) && turn.view.contains(&item.network) && is_it(item, said, id)
        };
        turn.entities.iter().find(is)
    };
    match noun {
        Some(noun) if !same_kind(about, noun) => {
            let called = in_words(Some(noun), said);
            let label = noun.replace('_', " ");
            if let Some(item) = known(noun) {
                return format!("**{}** has no {plural}. {all}", plain(&item.name));
            }
            let listed = turn
                .entities
                .iter()
                .any(|item| same_kind(item.kind.as_str(), noun) && turn.view.contains(&item.network));
            if listed || items.iter().any(|item| field_of(item.raw, noun)) {
                return format!("No {plural} in {called}: {} no such {label}. {all}", whose.lists);
            }
            format!(
                "{} of {plural} doesn't say which {label} each belongs to, so I can't narrow it down to {called}. {all}",
                whose.list
            )
        }
        _ if id => format!("{} no {} with the id `{}`. {all}", whose.lists, about.replace('_', " "), plain(said)),
        _ => {
            // Either an app that we know has none of these, or nothing has this name.
            let of = index.values().find(|item| turn.view.contains(&item.network) && name_holds(&item.name, said));
            match of {
                Some(item) if !same_kind(item.kind.as_str(), about) => {
                    format!("The {} **{}** has no {plural}. {all}", item.kind.label(), plain(&item.name))
                }
                _ => format!(
                    "I can't find any {plural} called “{0}”, or anything called “{0}” that they belong to. {all}",
                    plain(said)
                ),
            }
        }
    }
}

fn is_it(item: &EntityItem, said: &str, id: bool) -> bool {
    same_id(&item.id, said) || !id && name_holds(&item.name, said)
}

fn same_id(id: &str, said: &str) -> bool {
    id.eq_ignore_ascii_case(said) || id.rsplit(['/', '~']).next().is_some_and(|tail| tail.eq_ignore_ascii_case(said))
}

/// Checks whether an item is the named thing, lies in it, or has a field that says it belongs to it.
fn touches(index: &Index<'_>, item: &Item<'_>, noun: Option<&str>, about: &str, said: &str, id: bool) -> bool {
    let own = noun.is_none_or(|noun| same_kind(about, noun));
    if own && (same_id(item.id, said) || !id && name_holds(item.name, said)) {
        return true;
    }
    if own && noun.is_some() && !id {
        return false;
    }
    let mut leaves = Vec::new();
    walk(item.raw, "", &mut leaves);
    let of_kind = |kind: &str| noun.is_none_or(|noun| same_kind(kind, noun));
    // Look at the known things that the item names, and at their parents.
    let mut at: Vec<&str> = item.parent.into_iter().chain(item.account).collect();
    at.extend(leaves.iter().map(|(_, value)| value.as_str()));
    for _ in 0..STEPS {
        let found: Vec<&EntityItem> = at
            .iter()
            .filter_map(|id| {
                index.get(&(item.network, *id)).or_else(|| index.get(&(item.network, id.rsplit('/').next()?)))
            })
            .copied()
            .filter(|found| found.id != item.id)
            .collect();
        if found.iter().any(|found| of_kind(found.kind.as_str()) && is_it(found, said, id)) {
            return true;
        }
        at = found
            .iter()
            .flat_map(|found| found.parent.as_deref().into_iter().chain(found.account.as_deref()))
            .collect();
    }
    // Also look at the network's own fields: "order": "networks/1/orders/5", "orderDisplayName": "Winter".
    leaves.iter().any(|(key, value)| match noun {
        Some(noun) => field_is(key, noun) && (same_id(value, said) || !id && name_holds(value, said)),
        None => same_id(value, said) || !id && key.ends_with("name") && name_holds(value, said),
    })
}

/// Collects every text and number with its key.
pub(in crate::planner) fn walk(at: &Json, key: &str, out: &mut Vec<(String, String)>) {
    match at {
        Json::String(text) => out.push((key.to_owned(), text.clone())),
        Json::Number(number) => out.push((key.to_owned(), number.to_string())),
        Json::Array(items) => items.iter().for_each(|item| walk(item, key, out)),
        Json::Object(fields) => fields.iter().for_each(|(name, value)| walk(value, &snake(name), out)),
        _ => {}
    }
}

/// Checks whether a key is a field about an order (or another noun): `order`, `orderId`, `order_ids`, `orderDisplayName`.
fn field_is(key: &str, noun: &str) -> bool {
    let stem =
        ["_display_name", "_name", "_ids", "_id", "s"].iter().find_map(|end| key.strip_suffix(end)).unwrap_or(key);
    same_kind(stem, noun)
        || same_kind(key, noun)
        || kind_of_param(key).is_some_and(|kind| same_kind(kind.as_str(), noun))
}

fn field_of(raw: &Json, noun: &str) -> bool {
    let mut leaves = Vec::new();
    walk(raw, "", &mut leaves);
    leaves.iter().any(|(key, _)| field_is(key, noun))
}

/// Returns the positions of the items that meet a condition. `None` if no item has a field for it.
fn condition(items: &[Item<'_>], words: &[String], wanted: bool) -> Option<Vec<usize>> {
    fn flag(at: &Json, key: &str, words: &[String]) -> Option<bool> {
        match at {
            Json::Bool(value) => {
                let own: Vec<&str> = key.split('_').collect();
                words.iter().all(|word| own.iter().any(|part| part == word)).then_some(*value)
            }
            Json::Object(fields) => fields.iter().find_map(|(name, value)| flag(value, &snake(name), words)),
            _ => None,
        }
    }
    let said: Vec<Option<bool>> = items.iter().map(|item| flag(item.raw, "", words)).collect();
    said.iter().any(Option::is_some).then(|| (0..items.len()).filter(|at| said[*at] == Some(wanted)).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_field_says_what_a_thing_belongs_to() {
        for (key, noun) in [("order", "order"), ("order_id", "order"), ("app_key", "app"), ("advertiser", "company")] {
            assert!(field_is(key, noun), "{key}");
        }
        assert!(!field_is("reorder_limit", "order"));
        assert!(field_of(&json!({"order": "networks/1/orders/5"}), "order"));
    }

    #[test]
    fn a_condition_needs_a_field_that_says_it() {
        let raws = [json!({"testMode": true}), json!({"testMode": false}), json!({})];
        let items: Vec<Item<'_>> = raws
            .iter()
            .map(|raw| Item { network: Network::AppLovin, id: "1", name: "One", parent: None, account: None, raw })
            .collect();
        let words = ["test".to_owned(), "mode".to_owned()];
        assert_eq!(condition(&items, &words, true), Some(vec![0]));
        assert_eq!(condition(&items, &words, false), Some(vec![1]));
        assert_eq!(condition(&items, &["capping".to_owned()], true), None);
    }
}
