//! Reads what a list or lookup returned, in our words: ID, name, parent, platform, format, state. This must hold nothing that the network
//! did not send.

use adagent_contract::{CONNECTION, EntityItem, EntityKind, SharedJson};
use adagent_domain::Network;
use serde_json::Value as Json;

use super::tool::{kind_of_param, network_of, noun_of};
use crate::planner::{desks, held::Item, read::Done};

/// A thing of any network.
#[derive(Debug, Clone)]
pub(in crate::planner) struct Thing {
    pub network: Network,
    pub noun: String,
    pub id: String,
    pub name: String,
    pub parent: Option<String>,
    pub account: Option<String>,
    pub platform: Option<String>,
    pub format: Option<String>,
    pub status: Option<String>,
    /// The connection that it was read through, if the network has several.
    pub connection: Option<String>,
    pub raw: SharedJson,
}

impl Thing {
    /// Converts the thing for the search for what a question names.
    pub fn item(&self) -> Item<'_> {
        Item {
            network: self.network,
            id: &self.id,
            name: &self.name,
            parent: self.parent.as_deref(),
            account: self.account.as_deref(),
            raw: &self.raw,
        }
    }

    /// Converts the thing to an entity. `None` if it is of no known kind.
    pub fn entity(&self) -> Option<EntityItem> {
        Some(EntityItem {
            network: self.network,
            kind: EntityKind::parse(&self.noun)?,
            id: self.id.clone(),
            name: self.name.clone(),
            parent: self.parent.clone(),
            account: self.account.clone(),
            platform: self.platform.clone(),
            format: self.format.clone(),
            status: self.status.clone(),
            connection: self.connection.clone(),
            raw: self.raw.clone(),
        })
    }
}

/// Returns the things in a result.
pub(in crate::planner) fn things_of(done: &Done<'_>) -> Vec<Thing> {
    let Some(network) = network_of(done.name) else { return Vec::new() };
    let said = done.content.get("entity").and_then(Json::as_str).map(str::to_owned);
    let noun = said.unwrap_or_else(|| noun_of(done.name));
    let raw: Vec<&Json> = match (done.content.get("items"), done.content.get("item")) {
        (Some(Json::Array(items)), _) => items.iter().collect(),
        (_, Some(item)) if item.is_object() => vec![item],
        _ => Vec::new(),
    };
    raw.into_iter().filter_map(|raw| thing(network, &noun, raw, done.args)).collect()
}

fn thing(network: Network, noun: &str, raw: &Json, args: &Json) -> Option<Thing> {
    let last = |text: String| text.rsplit('/').next().unwrap_or_default().to_owned();
    let id = match network {
        Network::AdManager => first(raw, &["name"]).map(last).or_else(|| first(raw, id_fields(noun))),
        _ => first(raw, id_fields(noun)).or_else(|| first(raw, &["id"])),
    };
    let id = id.filter(|id| !id.is_empty())?;
    let name =
        first(raw, name_fields(noun)).filter(|name| network != Network::AdManager || !name.starts_with("networks/"));
    let of_args = |kind: EntityKind| {
        args.as_object()?.iter().find(|(key, _)| kind_of_param(key) == Some(kind)).and_then(|(_, value)| plain(value))
    };
    let parent = match noun {
        "app" | "account" => None,
        "line_item" => first(raw, &["order"]).map(last),
        "instance" if network == Network::DtExchange => of_args(EntityKind::AdUnit),
        _ => first(raw, &["appKey", "appId", "app_id", "application.id", "application", "parentAdUnit"])
            .map(last)
            .or_else(|| of_args(EntityKind::App)),
    };
    let desk_format = |wire: String| desks::format_word(network, &wire);
    Some(Thing {
        network,
        noun: noun.to_owned(),
        name: name.unwrap_or_else(|| id.clone()),
        account: of_args(EntityKind::Account),
        parent,
        platform: first(raw, &["platform", "os", "os_type", "osType"]).map(|text| text.to_lowercase()),
        format: first(raw, &["adFormat", "ad_format", "placementType", "ad_type", "ad_slot_type"])
            .or_else(|| first(raw, &["type"]).filter(|_| network == Network::Liftoff))
            .map(desk_format),
        status: status(raw).and_then(|word| in_words(network, noun, word)),
        connection: args.get(CONNECTION).and_then(Json::as_str).map(str::to_owned),
        raw: raw.clone().into(),
        id,
    })
}

const fn id_fields(noun: &str) -> &'static [&'static str] {
    match noun.as_bytes() {
        b"app" => &["appKey", "appId", "app_id", "site_id"],
        b"ad_unit" => {
            &["mediationAdUnitId", "adUnitId", "unit_id", "ad_slot_id", "placementId", "placement_id", "adUnit.id"]
        }
        b"placement" => &["placementId", "placement_id"],
        b"mediation_group" => &["groupId", "mediationGroupId"],
        b"instance" => &["instanceInternalId", "instanceId"],
        b"account" => &["publisherId", "networkCode"],
        b"ad_source" => &["adSourceId"],
        _ => &[],
    }
}

const fn name_fields(noun: &str) -> &'static [&'static str] {
    match noun.as_bytes() {
        b"app" => {
            &["appName", "app_name", "displayName", "manualAppInfo.displayName", "linkedAppInfo.displayName", "name"]
        }
        b"ad_unit" | b"placement" => &[
            "mediationAdUnitName",
            "placementName",
            "placement_name",
            "unit_name",
            "ad_slot_name",
            "displayName",
            "name",
        ],
        b"mediation_group" => &["groupName", "displayName", "name"],
        b"instance" => &["instanceName", "displayName", "name"],
        _ => &["displayName", "title", "url", "name", "email"],
    }
}

/// Returns the state of a thing as its network gives it.
fn status(raw: &Json) -> Option<String> {
    let flag = |key: &str| raw.get(key).and_then(Json::as_bool);
    if let Some(text) = first(raw, &["status", "state", "appApprovalState"]) {
        return Some(text.to_lowercase());
    }
    match (flag("isPaused"), flag("disabled"), flag("isLive").or_else(|| flag("isActive"))) {
        (Some(paused), _, _) => Some(if paused { "paused" } else { "active" }.to_owned()),
        (_, Some(disabled), _) => Some(if disabled { "disabled" } else { "active" }.to_owned()),
        (_, _, Some(live)) => Some(if live { "active" } else { "paused" }.to_owned()),
        _ => raw.get("archived").and_then(Json::as_bool).filter(|archived| *archived).map(|_| "archived".to_owned()),
    }
}

/// Returns a state in words. Some networks send a number: we use the word in their documents, and leave out a number that those don't
/// explain, because it tells people nothing.
fn in_words(network: Network, noun: &str, state: String) -> Option<String> {
    if !state.bytes().all(|b| b.is_ascii_digit() || b == b'-') {
        return Some(state);
    }
    let word = match (network, noun, state.as_str()) {
        (Network::Pangle, "app", "2") => "live",
        (Network::Pangle, "app", "6") => "sandbox",
        (Network::Pangle, "ad_unit", "3") => "paused",
        _ => return None,
    };
    Some(word.to_owned())
}

/// Returns the first of these fields (with dots) that holds a text or a number.
fn first(raw: &Json, fields: &[&str]) -> Option<String> {
    fields.iter().find_map(|field| plain(field.split('.').try_fold(raw, |at, key| at.get(key))?))
}

pub(super) fn plain(value: &Json) -> Option<String> {
    match value {
        Json::String(text) if !text.is_empty() => Some(text.clone()),
        Json::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_a_word_and_never_the_number_of_one() {
        let of = |network, noun: &str, state: &str| in_words(network, noun, state.to_owned());
        assert_eq!(of(Network::Pangle, "app", "2").as_deref(), Some("live"));
        assert_eq!(of(Network::Pangle, "app", "6").as_deref(), Some("sandbox"));
        assert_eq!(of(Network::Pangle, "ad_unit", "2"), None, "the documents do not say what it means");
        assert_eq!(of(Network::Liftoff, "app", "active").as_deref(), Some("active"));
    }
}
