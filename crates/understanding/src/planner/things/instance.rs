//! Adds the instance of a network to a new thing: "a group … with AppLovin at $10". We find it in the app, by network and format.
//!
//! This must never use another network's instance, and give no price to an instance that bids.

use adagent_contract::{EntityItem, EntityKind};
use adagent_domain::Network;
use serde_json::{Map, Value as Json, json};

use super::{
    amount::amount,
    list::{Stuck, id_value, parent_param},
    said::{Said, named},
    tool::{lister, snake},
};
use crate::planner::{
    Call, clarify, demand, desks,
    format::{or, plain},
    names,
    read::Turn,
};

/// Checks whether a field takes instances by their IDs.
pub(super) fn fits(schema: &Json) -> bool {
    schema["items"]["properties"]["id"].is_object()
}

fn bids(item: &EntityItem) -> bool {
    item.raw["isBidder"].as_bool() == Some(true)
}

/// Returns the instances of the named source in the named app. `priced`: whether the price in the message belongs to them.
pub(super) fn of_source(
    turn: &Turn<'_>,
    network: Network,
    said: &Said,
    priced: bool,
    items: &Json,
) -> Result<Option<Json>, Stuck> {
    let Some(source) = said.source.as_deref() else { return Ok(None) };
    let on = |item: &&EntityItem| {
        let own = item.platform.as_deref().map(str::to_lowercase);
        said.platform.is_none_or(|platform| own.is_none_or(|own| own.contains(platform)))
    };
    let apps: Vec<&EntityItem> = named(turn, network, EntityKind::App).into_iter().filter(on).collect();
    // Without one app we add none here; the question for the missing fields also asks for the app.
    let ([app], Some((param, _)), Some(tool)) =
        (apps.as_slice(), parent_param(network, EntityKind::Instance), lister(network, EntityKind::Instance))
    else {
        return Ok(None);
    };
    let list = Call { name: tool, args: json!({ param: app.id }) };
    if turn.find(&list).is_none() {
        return Err(Stuck::First(vec![list]));
    }
    let joined = |text: &str| names::simple(text).replace(' ', "");
    let is = |item: &&EntityItem| {
        let format = item.format.as_deref().map(|own| desks::format_word(network, own));
        item.network == network
            && item.kind == EntityKind::Instance
            && item.parent.as_deref() == Some(app.id.as_str())
            && said.format.as_deref().is_none_or(|wanted| format.as_deref().is_none_or(|own| own == wanted))
            && (joined(&item.name).contains(&joined(source))
                || item.raw["networkName"].as_str().is_some_and(|own| joined(own).contains(&joined(source))))
    };
    let found: Vec<&EntityItem> = turn.entities.iter().filter(is).collect();
    let (source, place) = (demand::written(source), plain(&app.name));
    let found: Vec<&EntityItem> = match said.bidding {
        Some(bidding) if !priced => found.into_iter().filter(|item| bids(item) == bidding).collect(),
        _ => found,
    };
    if found.is_empty() {
        let text = format!("{} has no instance of {source} for that in **{place}**.", network.display_name());
        return Err(Stuck::from(clarify::impossible(&text, &[])));
    }
    let able: Vec<&EntityItem> =
        found.iter().copied().filter(|item| !priced || said.micros.is_none() || !bids(item)).collect();
    match able.as_slice() {
        [one] => {
            let mut entry = Map::new();
            entry.insert("id".to_owned(), id_value(&one.id, &items["properties"]["id"]));
            let rate =
                items["properties"].as_object().into_iter().flatten().find(|(name, _)| snake(name) == "group_rate");
            if let (Some(micros), Some((name, schema)), true) = (said.micros, rate, priced) {
                entry.insert(name.clone(), amount(micros, schema));
            }
            Ok(Some(json!([entry])))
        }
        [] => {
            let text = format!(
                "{source} bids in **{place}**, so it takes no price of its own there. Is the price the floor of the whole {}?",
                turn.understood.noun.as_deref().unwrap_or("group").replace('_', " ")
            );
            Err(Stuck::from(clarify::missing(&text, &[]).choosing(["As the floor of the whole group"])))
        }
        several => {
            let ask = format!("Which instance of {source} do you mean: {}?", or(&clarify::labels(turn, several)));
            Err(Stuck::from(clarify::which(turn, &ask, several)))
        }
    }
}
