//! Chooses the connection for a call if a network has several. This must never choose one for a change that could mean another: we ask
//! then.

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

/// Which connections of a network we ask. It holds only networks with several, and those that the question names by a connection.
pub(super) type Ways = BTreeMap<Network, Vec<String>>;

/// Returns the connections that the question names. If it names none, returns those that hold something it names by ID, or the selected
/// ones, or all. `text` is the question in full.
pub(super) fn of(context: &PlannerContext, named: &Named, text: &str) -> Ways {
    let mut ways = accounts::several(&context.connections);
    // A connection that the person names counts even if it is turned off. It then says why it doesn't answer, and no other connection
    // answers in its place.
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
        // With a flexible scope, the selection is only a preference. If the question names something by its ID, it means the connection
        // that has it.
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

/// Returns the connections of a network that have something whose ID is in the text.
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

/// Shorter IDs look like the numbers in any question.
const SHORTEST_ID: usize = 6;

/// Checks for things that are the same in every account.
fn shared(item: &EntityItem) -> bool {
    matches!(item.kind, EntityKind::AdSource | EntityKind::AdSourceAdapter)
}

/// Which connection a call belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Owner {
    /// There is only one.
    Only,
    One(String),
    /// Several have what the call names.
    Several(Vec<String>),
    /// Nothing that the call names tells us.
    Unsaid,
}

impl Turn<'_> {
    /// Returns the connections of a network that we ask, if it has several.
    pub fn ways(&self, network: Network) -> &[String] {
        self.ways.get(&network).map_or(&[], Vec::as_slice)
    }

    /// Returns which connection a call with these arguments belongs to. For a change, only fields that take IDs count, because a name or an
    /// amount may equal an ID by chance.
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

    /// Adds the connection to a call, if what it names decides that. If several connections reach the same account, a read may use any of
    /// them.
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

    /// Returns a read once for each connection that we ask.
    pub fn spread(&self, call: &Call) -> Vec<Call> {
        let Some(network) = things::network_of(&call.name) else { return vec![call.clone()] };
        match self.owner(call, network) {
            Owner::Unsaid if self.reads(&call.name) => {
                self.ways(network).iter().map(|label| through(call, label)).collect()
            }
            _ => vec![self.settled(call)],
        }
    }

    /// The planner may read with any operation that it knows, but it changes something only with a bound operation.
    fn reads(&self, name: &str) -> bool {
        self.request.tools.iter().find(|tool| tool.name == name).is_none_or(|tool| tool.read_only)
    }

    /// Returns the connections that we should ask but can't, because we don't know their accounts, and why. It covers only networks that
    /// list their accounts; we ask the others in any case.
    fn unread(&self, network: Network) -> Vec<(String, String)> {
        let context = &self.request.planner;
        let of = |items: &[EntityItem], label: &str| {
            items.iter().any(|item| {
                item.network == network && item.kind == EntityKind::Account && item.connection.as_deref() == Some(label)
            })
        };
        // Accounts that a strict selection leaves out are known too.
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

    /// Returns the network's other connections that we can't look at now.
    fn unseen(&self, network: Network, own: &str) -> Vec<String> {
        let refused = |label: &String| {
            let mut all = self.request.planner.connections.iter();
            all.any(|one| one.network == network && one.label == *label && one.state == NetworkState::AuthFailed)
        };
        let unread = self.unread(network);
        let unseen = |label: &String| refused(label) || unread.iter().any(|(unread, _)| unread == label);
        self.ways(network).iter().filter(|label| *label != own && unseen(label)).cloned().collect()
    }

    /// Says which connections an answer lacks, unless it already says so.
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

    /// Returns the calls of a step, each once and with its connection, and no more reads than the engine takes at a time. If a change could
    /// belong to several connections, asks which one.
    pub fn directed(&self, step: Step) -> Step {
        let Step::Calls { say, calls } = step else { return step };
        let mut out: Vec<Call> = Vec::with_capacity(calls.len());
        for call in &calls {
            if let Some(network) = things::network_of(&call.name)
                && !self.reads(&call.name)
            {
                let asked = match self.owner(call, network) {
                    // One connection has what the call names, but we couldn't look at some others.
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
                // If we asked several connections, some may have answered already.
                let known = self.reads(&one.name)
                    && self.done.iter().any(|done| done.name == one.name && same(done.args, &one.args));
                if !known && !out.iter().any(|other| is(other, &one)) {
                    out.push(one);
                }
            }
        }
        // Without new calls there would be no step. We return the old ones, and the engine says why it doesn't make a call twice.
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

/// Returns the arguments without the name of the connection.
pub(super) fn bare(args: &Json) -> Json {
    let mut args = args.clone();
    if let Some(fields) = args.as_object_mut() {
        fields.remove(CONNECTION);
    }
    args
}

/// Returns "AppLovin · Games EU".
pub(super) fn called(network: Network, way: Option<&str>) -> String {
    let name = network.display_name();
    way.map_or_else(|| name.to_owned(), |label| format!("{name} · {}", plain(label)))
}

/// Collects everything that may be an ID: every value in a field for IDs, and with `all` also every other text. A number elsewhere is a
/// page or an amount.
fn values(at: &Json, all: bool, out: &mut Vec<String>) {
    leaves(at, all, false, out);
}

fn leaves(at: &Json, all: bool, named: bool, out: &mut Vec<String>) {
    match at {
        Json::String(text) if all || named => out.push(text.clone()),
        Json::Number(number) if named => out.push(number.to_string()),
        Json::Array(items) => {
            for item in items {
                // The field name applies to each entry of a list. An object has its own fields.
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

/// Checks whether a field takes IDs: `ad_unit_id`, `adUnitIds`, but not `paid` or `bid`. Unity's apps have a key, Liftoff's are in
/// `application`, and Ad Manager's networks have a code.
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
