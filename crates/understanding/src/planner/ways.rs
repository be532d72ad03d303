//! Through which connection a call goes, where a network has several. Must never choose one for a change that could be meant for
//! another: that is asked.

use std::collections::BTreeMap;

use adagent_contract::{CONNECTION, ConnectionName, ContextMode, EntityItem, EntityKind, NetworkState};
use adagent_domain::Network;
use adagent_llm::PlannerContext;
use serde_json::Value as Json;

use super::{
    Answer, Call, MOST_READS, Step,
    clarify::{MOST, UNCHANGED},
    format::{or, plain},
    read::{Turn, contains_word, same},
    things,
};
use crate::accounts::{self, Named};

/// Which connections of a network are asked; only networks that have several stand here.
pub(super) type Ways = BTreeMap<Network, Vec<String>>;

/// What the question names, else those that have what it names by id, else what is selected, else all of them. `text`: the
/// question written out.
pub(super) fn of(context: &PlannerContext, named: &Named, text: &str) -> Ways {
    let mut ways = accounts::several(&context.connections);
    // Also one that is switched off: asked all the same, it says why it does not answer, and no other answers in its place.
    for (network, known) in accounts::known(&context.connections) {
        let said: Vec<String> =
            named.get(&network).into_iter().flatten().filter(|own| known.contains(own)).cloned().collect();
        if !said.is_empty() {
            ways.insert(network, said);
        }
    }
    for (network, labels) in ways.iter_mut().filter(|(network, _)| !named.contains_key(network)) {
        let chosen = |label: &String| {
            context.connections.iter().any(|one| one.network == *network && one.label == *label && one.selected)
        };
        let mut wanted: Vec<String> = labels.iter().filter(|label| chosen(label)).cloned().collect();
        // A soft selection is a preference: what the question names by id is meant wherever it lives.
        if context.settings.mode == ContextMode::Soft && wanted.len() < labels.len() {
            let having = having(context, *network, labels, text);
            if !having.is_empty() && !having.iter().any(|label| wanted.contains(label)) {
                wanted = having;
            }
        }
        if !wanted.is_empty() {
            *labels = wanted;
        }
    }
    ways
}

/// The connections of a network that have something whose id stands in the text.
fn having(context: &PlannerContext, network: Network, labels: &[String], text: &str) -> Vec<String> {
    let stands = |id: &str| id.len() >= SHORTEST_ID && contains_word(text, id);
    let named: Vec<&str> = context
        .entities
        .iter()
        .filter(|item| item.network == network && !shared(item))
        .filter(|item| stands(&item.id) || item.id.rsplit('/').next().is_some_and(stands))
        .filter_map(|item| item.connection.as_deref())
        .collect();
    labels.iter().filter(|label| named.contains(&label.as_str())).cloned().collect()
}

/// Shorter ones are numbers of every question.
const SHORTEST_ID: usize = 6;

/// The same in every account.
fn shared(item: &EntityItem) -> bool {
    matches!(item.kind, EntityKind::AdSource | EntityKind::AdSourceAdapter)
}

/// Whose a call is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Owner {
    /// There is nothing to tell apart.
    Only,
    One(String),
    /// What it names is in several.
    Several(Vec<String>),
    /// It names nothing that says it.
    Unsaid,
}

impl Turn<'_> {
    /// The connections of a network that are asked, where it has several.
    pub fn ways(&self, network: Network) -> &[String] {
        self.ways.get(&network).map_or(&[], Vec::as_slice)
    }

    /// Whose a call with these arguments is. Of a change only what names things by its key says it: a name or an amount may be
    /// equal to an id by chance.
    fn owner(&self, call: &Call, network: Network) -> Owner {
        let (args, ways) = (&call.args, self.ways(network));
        match ways {
            _ if args.get(CONNECTION).is_some() => return Owner::Only,
            [] => return Owner::Only,
            [one] => return Owner::One(one.clone()),
            _ => {}
        }
        let mut leaves = Vec::new();
        values(args, self.reads(&call.name), &mut leaves);
        let mut left: Option<Vec<String>> = None;
        for leaf in &leaves {
            let is = |item: &&EntityItem| {
                item.network == network
                    && !shared(item)
                    && (item.id == *leaf || leaf.ends_with(&format!("/{}", item.id)))
            };
            let owners: Vec<String> =
                self.entities.iter().filter(is).filter_map(|item| item.connection.clone()).collect();
            if owners.is_empty() {
                continue;
            }
            left = Some(match left {
                None => owners,
                Some(left) => left.into_iter().filter(|label| owners.contains(label)).collect(),
            });
        }
        let Some(left) = left else { return Owner::Unsaid };
        let mut each: Vec<String> = Vec::new();
        for label in left {
            if !each.contains(&label) {
                each.push(label);
            }
        }
        match each.as_slice() {
            [one] => Owner::One(one.clone()),
            _ => Owner::Several(each),
        }
    }

    /// The call with the connection it goes through, as far as what it names says it. The same account read through either is the
    /// same answer.
    pub fn settled(&self, call: &Call) -> Call {
        let Some(network) = things::network_of(&call.name) else { return call.clone() };
        match self.owner(call, network) {
            Owner::One(label) => through(call, &label),
            Owner::Several(labels) if self.reads(&call.name) => {
                labels.first().map_or_else(|| call.clone(), |own| through(call, own))
            }
            _ => call.clone(),
        }
    }

    /// A read once for every connection it is asked of.
    pub fn spread(&self, call: &Call) -> Vec<Call> {
        let Some(network) = things::network_of(&call.name) else { return vec![call.clone()] };
        match self.owner(call, network) {
            Owner::Unsaid if self.reads(&call.name) => {
                self.ways(network).iter().map(|label| through(call, label)).collect()
            }
            _ => vec![self.settled(call)],
        }
    }

    /// The planner looks things up with whatever operation it knows; it changes something only with what is bound.
    fn reads(&self, name: &str) -> bool {
        self.request.tools.iter().find(|tool| tool.name == name).is_none_or(|tool| tool.read_only)
    }

    /// The connections that are asked and of which nothing could be asked, because what accounts they have is not known; with why.
    /// Only of networks that list their accounts: the others are asked all the same.
    fn unread(&self, network: Network) -> Vec<(String, String)> {
        let context = &self.request.planner;
        let of = |items: &[EntityItem], label: &str| {
            items.iter().any(|item| {
                item.network == network && item.kind == EntityKind::Account && item.connection.as_deref() == Some(label)
            })
        };
        // What a strict selection leaves out is known too.
        let known = |label: &String| of(&self.entities, label) || of(&context.outside, label);
        let ways = self.ways(network);
        if !network.uses_oauth() || !ways.iter().any(known) {
            return Vec::new();
        }
        let why = |label: &String| {
            let mut of_it = self.done.iter().filter(|done| things::network_of(done.name) == Some(network));
            if let Some(done) = of_it.find(|done| !done.ok && done.args.get(CONNECTION) == Some(&label.as_str().into()))
            {
                return done.problem();
            }
            let of_it = |one: &&ConnectionName| one.network == network && one.label == *label;
            match context.connections.iter().find(of_it).map(|one| one.state) {
                Some(NetworkState::AuthFailed) => "it no longer accepts our sign-in".to_owned(),
                _ => "I couldn't read its accounts".to_owned(),
            }
        };
        ways.iter().filter(|label| !known(label)).map(|label| (label.clone(), why(label))).collect()
    }

    /// The others of a network's connections that cannot be looked at now.
    fn unseen(&self, network: Network, own: &str) -> Vec<String> {
        let refused = |label: &String| {
            let mut all = self.request.planner.connections.iter();
            all.any(|one| one.network == network && one.label == *label && one.state == NetworkState::AuthFailed)
        };
        let unread = self.unread(network);
        let unseen = |label: &String| refused(label) || unread.iter().any(|(unread, _)| unread == label);
        self.ways(network).iter().filter(|label| *label != own && unseen(label)).cloned().collect()
    }

    /// What is to be said of the connections that an answer is without, as far as it does not say so itself.
    pub fn without(&self, answer: &str) -> Option<String> {
        let of = |network: Network| self.done.iter().filter(move |done| things::network_of(done.name) == Some(network));
        let read = self
            .ways
            .keys()
            .copied()
            .filter(|network| of(*network).any(|done| done.ok) && of(*network).all(|done| self.reads(done.name)));
        let said: Vec<String> = read
            .flat_map(|network| self.unread(network).into_iter().map(move |(label, why)| (network, label, why)))
            .map(|(network, label, why)| (network, label, plain(&why)))
            .filter(|(.., why)| !answer.contains(why))
            .map(|(network, label, why)| format!("**{} isn't included**: {why}.", called(network, Some(&label))))
            .collect();
        (!said.is_empty()).then(|| said.join(" "))
    }

    /// The calls of a step, each with its connection, each once, and no more at once than the engine takes; or the question which
    /// connection is meant.
    pub fn directed(&self, step: Step) -> Step {
        let Step::Calls { say, calls } = step else { return step };
        let mut out: Vec<Call> = Vec::with_capacity(calls.len());
        for call in &calls {
            if let Some(network) = things::network_of(&call.name)
                && !self.reads(&call.name)
            {
                let asked = match self.owner(call, network) {
                    // What it names is in one, as far as anybody could look.
                    Owner::One(own) if !self.unseen(network, &own).is_empty() => {
                        Some([vec![own.clone()], self.unseen(network, &own)].concat())
                    }
                    Owner::Unsaid => Some(self.ways(network).to_vec()),
                    Owner::Several(labels) if labels.is_empty() => Some(self.ways(network).to_vec()),
                    Owner::Several(labels) => Some(labels),
                    Owner::Only | Owner::One(_) => None,
                };
                if let Some(labels) = asked {
                    return which(network, &labels).into();
                }
            }
            let is = |other: &Call, one: &Call| other.name == one.name && same(&other.args, &one.args);
            for one in self.spread(call) {
                // Asked of several connections, some of them may have answered already.
                let known = self.reads(&one.name)
                    && self.done.iter().any(|done| done.name == one.name && same(done.args, &one.args));
                if !known && !out.iter().any(|other| is(other, &one)) {
                    out.push(one);
                }
            }
        }
        // Nothing new would be no step at all; the engine says why a call is not made twice.
        if out.is_empty() {
            out.extend(calls);
        }
        if out.iter().all(|call| self.reads(&call.name)) {
            out.truncate(MOST_READS);
        }
        Step::Calls { say, calls: out }
    }
}

fn which(network: Network, labels: &[String]) -> Answer {
    let name = network.display_name();
    let names: Vec<String> = labels.iter().map(|label| format!("**{}**", plain(label))).collect();
    Answer::text(format!(
        "{name} is connected with several accounts: {}. Which account should I use? {UNCHANGED}",
        or(&names)
    ))
    .choosing(labels.iter().take(MOST).map(|label| format!("In {label}")))
}

pub(super) fn through(call: &Call, label: &str) -> Call {
    let mut call = call.clone();
    if let Some(args) = call.args.as_object_mut() {
        args.insert(CONNECTION.to_owned(), label.into());
    }
    call
}

/// The arguments without the name of the connection.
pub(super) fn bare(args: &Json) -> Json {
    let mut args = args.clone();
    if let Some(fields) = args.as_object_mut() {
        fields.remove(CONNECTION);
    }
    args
}

/// "AppLovin · Games EU".
pub(super) fn called(network: Network, way: Option<&str>) -> String {
    let name = network.display_name();
    way.map_or_else(|| name.to_owned(), |label| format!("{name} · {}", plain(label)))
}

/// What may be an id: under a key that names things by their ids whatever stands there, and of `all` every text besides. A number
/// elsewhere is a page or an amount.
fn values(at: &Json, all: bool, out: &mut Vec<String>) {
    leaves(at, all, false, out);
}

fn leaves(at: &Json, all: bool, named: bool, out: &mut Vec<String>) {
    match at {
        Json::String(text) if all || named => out.push(text.clone()),
        Json::Number(number) if named => out.push(number.to_string()),
        Json::Array(items) => {
            for item in items {
                // A key says it of each of a list; what is inside an object has keys of its own.
                leaves(item, all, named && !item.is_object(), out);
            }
        }
        Json::Object(fields) => {
            for (key, value) in fields {
                leaves(value, all, names_ids(key), out);
            }
        }
        _ => {}
    }
}

/// `ad_unit_id`, `adUnitIds`; not `paid` or `bid`. Unity's apps go by a key, Liftoff's by `application`, Ad Manager's networks by a code.
fn names_ids(key: &str) -> bool {
    let mut words = String::with_capacity(key.len() + 4);
    for letter in key.chars() {
        if letter.is_uppercase() && words.ends_with(char::is_lowercase) {
            words.push('_');
        }
        words.extend(letter.to_lowercase());
    }
    matches!(words.rsplit('_').next(), Some("id" | "ids"))
        || matches!(words.as_str(), "app_key" | "application" | "network_code")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn of_a_change_only_keys_of_ids_decide() {
        let args = json!({
            "ad_unit_id": "a", "app_key": "k", "bid": "x1", "paid": 7, "name": "x2", "valid": "x3",
            "body": {"adUnitIds": ["b", "c"], "displayName": "x4", "cpm": 5, "lines": {"1": {"adSourceId": "d", "title": "x5"}}},
            "placement_ids": [{"name": "x6", "id": 9}],
        });
        let (mut own, mut all) = (Vec::new(), Vec::new());
        values(&args, false, &mut own);
        own.sort();
        assert_eq!(own, ["9", "a", "b", "c", "d", "k"]);
        values(&args, true, &mut all);
        assert_eq!(all.len(), 12, "neither 7 nor 5: {all:?}");
    }
}
