//! Decides what happens with a question: the first rule that fits counts.

use adagent_domain::Network;

use crate::history::{Kind, State};
use crate::types::{Capability, Outcome};
use crate::vocab::nouns;
use crate::vocab::verbs::Write;

/// Returns the class of a write, in the words of the catalog.
pub(crate) fn verb_class(write: Option<Write>) -> &'static str {
    match write {
        None => "read",
        Some(Write::Create | Write::Link) => "create",
        Some(Write::Delete) => "delete",
        Some(Write::Stop) => "stop",
        Some(Write::Update | Write::Activate | Write::Deactivate | Write::Archive | Write::Submit) => "update",
    }
}

/// Returns the networks that could do this, for a question that names none.
fn able(state: &State, usable: &[Network], floor: bool) -> Vec<Network> {
    let Some(noun) = state.noun else { return usable.to_vec() };
    let verb = match verb_class(state.write) {
        "update" if floor => "floor",
        other => other,
    };
    let owners = nouns::owners(noun, verb);
    usable.iter().copied().filter(|n| owners.contains(n)).collect()
}

/// Decides the outcome and the networks.
pub(crate) fn decide(
    state: &State,
    connected: &[Network],
    disabled: &[Network],
    floor: bool,
) -> (Outcome, Vec<Network>) {
    match state.kind {
        Kind::Refuse(_) => return (Outcome::Refuse, Vec::new()),
        Kind::Chat => return (Outcome::Chat, Vec::new()),
        Kind::Docs => return (Outcome::Answer, state.services.clone()),
        Kind::Task => {}
    }
    let mut services = state.services.clone();
    if services.is_empty() && state.noun.is_some_and(nouns::implies_ad_manager) {
        services.push(Network::AdManager);
    }
    // A thing that only one network has names that network.
    if services.is_empty()
        && let Some(noun) = state.noun.filter(|noun| nouns::names_its_owner(noun))
    {
        services.extend(nouns::owners(noun, "read"));
    }
    if services.is_empty() && connected.is_empty() {
        return (Outcome::Connect, Vec::new());
    }
    let missing: Vec<Network> = services.iter().copied().filter(|n| !connected.contains(n)).collect();
    if !missing.is_empty() {
        return (Outcome::Connect, missing);
    }
    let off: Vec<Network> = services.iter().copied().filter(|n| disabled.contains(n)).collect();
    if !off.is_empty() {
        return (Outcome::Enable, off);
    }
    let usable: Vec<Network> = connected.iter().copied().filter(|n| !disabled.contains(n)).collect();
    let named = !services.is_empty();
    if !named {
        services = able(state, &usable, floor);
        if services.is_empty() {
            services.clone_from(&usable);
        }
        if services.is_empty() {
            return (Outcome::Enable, disabled.to_vec());
        }
    }
    let writes = state.write.is_some() && !state.analysis;
    if writes && !named && services.len() > 1 {
        return (Outcome::Clarify, services);
    }
    if writes {
        return (Outcome::Approval, services);
    }
    let _ = Capability::Reporting;
    (Outcome::Answer, services)
}
