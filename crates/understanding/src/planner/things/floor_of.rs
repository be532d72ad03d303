//! Returns a thing's floor as its network states it: one price, or one per country. This must show no price that the network did not send.

use adagent_contract::{EntityItem, EntityKind};
use adagent_domain::{Currency, Money, Network, ToolCallId};
use serde_json::{Value as Json, json};

use super::{thing::Thing, tool::snake};
use crate::{
    planner::{Call, held::name_holds, names, read::Turn},
    route::reading::Reading,
    slots::{self, FloorLimit},
};

/// Checks whether the question asks for floors together with the things.
pub(super) fn asked(turn: &Turn<'_>) -> bool {
    turn.says(&["floor", "floors", "floor price", "floor prices", "bid floor", "bid floors", "cpm floor", "cpm floors"])
}

/// The most ad units whose floors we read, one call each. If there are more, we read none, because that would be too many calls for one
/// question.
const MOST: usize = 40;

/// The network whose lists leave out the floors of its ad units.
const APART: Network = Network::AppLovin;

fn read(id: &str) -> Call {
    Call { name: "applovin_get_ad_unit".into(), args: json!({"ad_unit_id": id, "fields": ["bid_floors"]}) }
}

/// Returns the calls for floors that the lists leave out: of the ad units of a named app, or of all ad units.
pub(super) fn apart(turn: &Turn<'_>, networks: &[Network]) -> Vec<Call> {
    let lists = turn.done.iter().any(|done| done.ok && done.name == "applovin_list_ad_units");
    if !asked(turn) || !networks.contains(&APART) || !lists {
        return Vec::new();
    }
    let apps = names::mentioned(turn, EntityKind::App, &turn.text);
    let units = turn.entities.iter().filter(|item| item.network == APART && item.kind == EntityKind::AdUnit);
    let of_app = |item: &&EntityItem| apps.is_empty() || apps.iter().any(|app| name_holds(&item.name, &app.name));
    let units: Vec<&EntityItem> = units.filter(of_app).collect();
    if units.len() > MOST { Vec::new() } else { units.into_iter().map(|item| read(&item.id)).collect() }
}

/// Adds to the thing the floors that we read separately. Returns the call that they came from.
pub(super) fn adopt(turn: &Turn<'_>, thing: &mut Thing) -> Option<ToolCallId> {
    if thing.network != APART || !asked(turn) {
        return None;
    }
    let done = turn.find(&read(&thing.id)).filter(|done| done.ok)?;
    let floors = done.content.pointer("/item/bid_floors")?;
    thing.raw["bid_floors"] = floors.clone();
    Some(done.id)
}

/// Returns "$0.50; US $4.00".
pub(super) fn of(thing: &Thing) -> Option<String> {
    let parts = parts(thing);
    (!parts.is_empty()).then(|| parts.join("; "))
}

fn parts(thing: &Thing) -> Vec<String> {
    let named = |key: &str| matches!(key, "target_ecpm") || key.contains("floor");
    let fields = thing.raw.as_object().into_iter().flatten();
    fields.filter(|(key, _)| named(&snake(key))).flat_map(|(_, value)| said(value)).collect()
}

/// Returns the limit on floors that the question sets, and its words.
pub(super) fn limit(turn: &Turn<'_>) -> Option<(FloorLimit, String)> {
    let reading = Reading::new(&turn.text, turn.today, &[]);
    let limit = slots::floor_limit(&reading.tokens)?;
    let text = reading.text.get(reading.tokens[limit.at].start..reading.tokens[limit.end - 1].end)?.to_owned();
    Some((limit, text))
}

/// Checks whether the thing has more than one price.
pub(super) fn several(thing: &Thing) -> bool {
    parts(thing).len() > 1
}

/// Checks whether the thing has a floor within the limit, in any country.
pub(super) fn within(thing: &Thing, limit: FloorLimit) -> bool {
    let price = |part: &String| part.rsplit('$').next()?.replace(',', "").parse::<f64>().ok();
    parts(thing).iter().filter_map(price).any(|price| match (limit.above, limit.inclusive) {
        (true, false) => price > limit.limit,
        (true, true) => price >= limit.limit,
        (false, false) => price < limit.limit,
        (false, true) => price <= limit.limit,
    })
}

/// Returns every price in a value, with the place where it applies.
fn said(value: &Json) -> Vec<String> {
    match value {
        Json::Number(_) | Json::String(_) => price(value).into_iter().collect(),
        Json::Array(entries) => entries.iter().filter_map(entry).collect(),
        Json::Object(fields) => {
            let of = |(key, value): (&String, &Json)| match value {
                Json::Object(inner) => {
                    inner.iter().filter_map(|(place, own)| Some(format!("{place} {}", price(own)?))).collect()
                }
                own if everywhere(key) => price(own).into_iter().collect::<Vec<String>>(),
                own => price(own).map(|price| format!("{key} {price}")).into_iter().collect(),
            };
            fields.iter().flat_map(of).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns one entry of a list: a price with its country, or with the countries of a group.
fn entry(entry: &Json) -> Option<String> {
    let fields = entry.as_object()?;
    let of =
        |names: &[&str]| fields.iter().find(|(key, _)| names.contains(&snake(key).as_str())).map(|(_, value)| value);
    let price = of(&["price", "cpm", "floor", "rate"]).and_then(price)?;
    let place = of(&["country_group_name", "country", "country_code", "name"]).and_then(Json::as_str);
    let countries = entry.pointer("/countries/values").and_then(Json::as_array);
    let countries: Vec<String> =
        countries.into_iter().flatten().filter_map(Json::as_str).map(str::to_uppercase).collect();
    let place = match (place, countries.is_empty()) {
        (Some(place), true) => place.to_owned(),
        (Some(place), false) => format!("{place} ({})", countries.join(", ")),
        (None, _) => countries.join(", "),
    };
    Some(if place.is_empty() || everywhere(&place) { price } else { format!("{place} {price}") })
}

fn everywhere(place: &str) -> bool {
    ["ww", "all", "default"].iter().any(|own| place.eq_ignore_ascii_case(own))
}

fn price(value: &Json) -> Option<String> {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    Money::parse_amount(Currency::USD, &text).ok().map(|money| money.display(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_floor_reads_as_its_network_says_it() {
        for (value, text) in [
            (json!(0.4), "$0.40"),
            (json!({"default": 0.5, "geo": {"US": 4.0}}), "$0.50; US $4.00"),
            (json!([{"country": "WW", "price": 0.3}, {"country": "US", "price": 3.5}]), "$0.30; US $3.50"),
            (json!({"ALL": 1.2, "US": 6.5}), "$1.20; US $6.50"),
            (
                json!([{"country_group_name": "Tier 1", "cpm": "1.50", "countries": {"type": "INCLUDE", "values": ["us", "gb"]}}]),
                "Tier 1 (US, GB) $1.50",
            ),
        ] {
            assert_eq!(said(&value).join("; "), text, "{value}");
        }
        assert!(said(&json!(true)).is_empty());
    }
}
