//! Through which connection a call goes, where a network has several. Must never choose one for a change that could be meant for
//! another: that is asked.

use std::collections::BTreeMap;

use adagent_contract::{CONNECTION, EntityItem, EntityKind};
use adagent_domain::Network;
use adagent_llm::PlannerContext;
use serde_json::Value as Json;

use super::{
    Answer, Call, Step,
    clarify::UNCHANGED,
    format::{or, plain},
    read::Turn,
    things,
};
use crate::accounts::{self, Named};

/// Which connections of a network are asked; only networks that have several stand here.
pub(super) type Ways = BTreeMap<Network, Vec<String>>;

/// What the question names, else what is selected, else all of them.
pub(super) fn of(context: &PlannerContext, named: &Named) -> Ways {
    let mut ways = accounts::several(&context.connections);
    for (network, labels) in &mut ways {
        let chosen = |label: &String| {
            context.connections.iter().any(|one| one.network == *network && one.label == *label && one.selected)
        };
        let wanted: Vec<String> = match named.get(network) {
            Some(named) => labels.iter().filter(|label| named.contains(label)).cloned().collect(),
            None => labels.iter().filter(|label| chosen(label)).cloned().collect(),
        };
        if !wanted.is_empty() {
            *labels = wanted;
        }
    }
    ways
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

    /// Whose a call with these arguments is.
    fn owner(&self, network: Network, args: &Json) -> Owner {
        let ways = self.ways(network);
        match ways {
            _ if args.get(CONNECTION).is_some() => return Owner::Only,
            [] => return Owner::Only,
            [one] => return Owner::One(one.clone()),
            _ => {}
        }
        let mut leaves = Vec::new();
        values(args, &mut leaves);
        let shared = |item: &EntityItem| matches!(item.kind, EntityKind::AdSource | EntityKind::AdSourceAdapter);
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
        match self.owner(network, &call.args) {
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
        match self.owner(network, &call.args) {
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

    /// The calls of a step, each with its connection; or the question which one is meant.
    pub fn directed(&self, step: Step) -> Step {
        let Step::Calls { say, calls } = step else { return step };
        if self.ways.is_empty() {
            return Step::Calls { say, calls };
        }
        let mut out: Vec<Call> = Vec::with_capacity(calls.len());
        for call in &calls {
            if let Some(network) = things::network_of(&call.name)
                && !self.reads(&call.name)
            {
                let asked = match self.owner(network, &call.args) {
                    Owner::Unsaid => Some(self.ways(network).to_vec()),
                    Owner::Several(labels) if labels.is_empty() => Some(self.ways(network).to_vec()),
                    Owner::Several(labels) => Some(labels),
                    Owner::Only | Owner::One(_) => None,
                };
                if let Some(labels) = asked {
                    return which(network, &labels).into();
                }
            }
            for one in self.spread(call) {
                if !out.contains(&one) {
                    out.push(one);
                }
            }
        }
        Step::Calls { say, calls: out }
    }
}

fn which(network: Network, labels: &[String]) -> Answer {
    let name = network.display_name();
    let names: Vec<String> = labels.iter().map(|label| format!("**{}**", plain(label))).collect();
    Answer::text(format!(
        "{name} is connected with several accounts: {}. In which one should I do it? {UNCHANGED}",
        or(&names)
    ))
    .following(labels.iter().take(3).map(|label| format!("In {label}")))
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

fn values(at: &Json, out: &mut Vec<String>) {
    match at {
        Json::String(text) => out.push(text.clone()),
        Json::Number(number) => out.push(number.to_string()),
        Json::Array(items) => items.iter().for_each(|item| values(item, out)),
        Json::Object(fields) => fields.values().for_each(|value| values(value, out)),
        Json::Bool(_) | Json::Null => {}
    }
}
