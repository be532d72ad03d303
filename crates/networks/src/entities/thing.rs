//! Reads the JSON of any network as entities, as the catalog describes them: ID, name, parent, platform, format, status. This module is
//! pure.
//!
//! A network whose JSON no path can describe has its own file in this folder.

use adagent_contract::{EntityItem, EntityKind};
use adagent_domain::{Network, text::visible};
use serde_json::Value as Json;

use super::admob;
use crate::{
    catalogue::{EntityFacts, IdTransform, NetworkFacts},
    pipeline::dotted,
};

/// Where an entity was found.
#[derive(Debug, Clone, Copy)]
pub struct Found<'a> {
    pub account: Option<&'a str>,
    /// The parent it was listed for: the ad source of an adapter, the ad unit of a mapping, the app of most entities.
    pub parent: Option<&'a str>,
}

/// Reads one entity; `None` if it has no ID, because no operation could name it.
pub fn item(network: &NetworkFacts, kind: EntityKind, raw: &Json, found: Found<'_>) -> Option<EntityItem> {
    if network.network == Network::AdMob {
        return admob::item(kind, raw, found);
    }
    let facts = network.of_kind(kind)?;
    let id = id(facts, raw)?;
    let fields = &facts.fields;
    let at = |path: Option<&String>| path.and_then(|path| dotted::get(raw, path));
    let above = facts.parent.as_deref().and_then(|parent| network.entity(parent)).and_then(EntityFacts::kind);
    let parent = match above {
        None => None,
        Some(EntityKind::Account) => found.account.map(str::to_owned),
        Some(_) => at(fields.parent.as_ref())
            .and_then(text)
            .map(|parent| last(&parent).to_owned())
            .or_else(|| found.parent.map(str::to_owned)),
    };
    let word = |path: Option<&String>| at(path).and_then(|value| word(value, path.map_or("", String::as_str), facts));
    let name = dotted::get(raw, &facts.display_field)
        .and_then(text)
        // A resource name says no more than the ID.
        .filter(|name| facts.display_field != "name" || facts.resource_name.is_none() || !name.contains('/'));
    Some(EntityItem {
        network: network.network,
        kind,
        // A name may contain invisible characters that make it look like another name. Approvals, lists and answers must show them.
        name: name.map_or_else(|| id.clone(), |name| visible(&name).into_owned()),
        account: if kind == EntityKind::Account { Some(id.clone()) } else { found.account.map(str::to_owned) },
        parent,
        platform: word(fields.platform.as_ref()),
        format: word(fields.format.as_ref()),
        status: word(fields.status.as_ref()),
        id,
        connection: None,
        raw: raw.clone().into(),
    })
}

fn id(facts: &EntityFacts, raw: &Json) -> Option<String> {
    let whole = dotted::get(raw, &facts.id_field).and_then(text)?;
    let id = match facts.id_transform {
        Some(IdTransform::LastSegment) => last(&whole).to_owned(),
        // Paths take the last part of a resource name, even if the operation's result holds the whole name.
        None if facts.resource_name.is_some() => last(&whole).to_owned(),
        None => whole,
    };
    (!id.is_empty()).then_some(id)
}

fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Returns an ID as text; some networks write IDs as numbers.
fn text(value: &Json) -> Option<String> {
    match value {
        Json::String(text) if !text.is_empty() => Some(text.clone()),
        Json::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Returns the value in lower case (`iOS` and `IOS` are the same); a flag that is set becomes its own name (`isPaused` → `paused`).
fn word(value: &Json, path: &str, facts: &EntityFacts) -> Option<String> {
    match value {
        Json::Bool(true) => Some(path.trim_start_matches("is").to_lowercase()),
        Json::Bool(false) => None,
        other => {
            let text = text(other)?;
            Some(facts.words.get(&text).cloned().unwrap_or(text).to_lowercase())
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::catalogue::Catalogue;

    fn of(network: Network, kind: EntityKind, raw: &Json, found: Found<'_>) -> Option<EntityItem> {
        let catalogue = Catalogue::built_in().expect("loads");
        item(catalogue.network(network).expect("described"), kind, raw, found)
    }

    const HERE: Found<'static> = Found { account: Some("21700000001"), parent: None };

    #[test]
    fn resource_names_become_ids_and_parents() {
        let raw = json!({"name": "networks/21700000001/lineItems/65", "displayName": "Spring", "status": "DELIVERING",
            "order": "networks/21700000001/orders/31"});
        let line = of(Network::AdManager, EntityKind::LineItem, &raw, HERE).expect("an id");
        assert_eq!((line.id.as_str(), line.name.as_str(), line.parent.as_deref()), ("65", "Spring", Some("31")));
        assert_eq!((line.status.as_deref(), line.account.as_deref()), (Some("delivering"), Some("21700000001")));
    }

    #[test]
    fn numbers_are_ids_and_codes_are_words() {
        let raw =
            json!({"ad_slot_id": 980_250_011, "ad_slot_name": "Level end", "ad_slot_type": 5, "app_id": 8_025_001});
        let slot = of(Network::Pangle, EntityKind::AdUnit, &raw, Found { account: Some("459"), parent: None });
        let slot = slot.expect("an id");
        assert_eq!((slot.id.as_str(), slot.parent.as_deref()), ("980250011", Some("8025001")));
        assert_eq!((slot.name.as_str(), slot.format.as_deref()), ("Level end", Some("rewarded")));
    }

    #[test]
    fn what_lies_in_an_app_without_saying_so_belongs_to_the_app_it_was_listed_for() {
        let raw = json!({"mediationAdUnitId": "q3w8", "mediationAdUnitName": "Level end", "adFormat": "rewarded", "isPaused": true});
        let found = Found { account: Some("unity"), parent: Some("1e2f") };
        let unit = of(Network::Unity, EntityKind::AdUnit, &raw, found).expect("an id");
        assert_eq!((unit.parent.as_deref(), unit.status.as_deref()), (Some("1e2f"), Some("paused")));
    }

    #[test]
    fn a_name_cannot_hide_what_it_is_made_of_and_an_object_without_id_is_left_out() {
        let raw = json!({"id": "a1", "name": "Puzzle\u{202E}emaG"});
        let app = of(Network::Liftoff, EntityKind::App, &raw, HERE).expect("an id");
        assert_eq!(app.name, "Puzzle[U+202E]emaG");
        assert_eq!(of(Network::Liftoff, EntityKind::App, &json!({"name": "x"}), HERE), None);
    }
}
