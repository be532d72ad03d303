//! Rules for objects beyond their types: defaults, derived fields, states, uniqueness. It decides, and stores nothing.

use std::sync::LazyLock;

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::objects::{self, Call};
use super::report::runs;
use crate::journal::Effect;
use crate::networks::admob::errors::ApiError;

static DEFAULTS: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("data/defaults.json")).expect("the shipped defaults are JSON"));

/// Returns the fields that a new object of the collection starts with.
pub fn defaults(collection: &str) -> Map<String, Value> {
    DEFAULTS[collection].as_object().cloned().unwrap_or_default()
}

fn text<'a>(object: &'a Map<String, Value>, name: &str) -> &'a str {
    object.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn path_of(path: &str, field: &str) -> String {
    if path.is_empty() { field.to_owned() } else { format!("{path}.{field}") }
}

/// Returns the budget: the rate times the goal, where a CPM rate is per thousand impressions.
fn budget(object: &Map<String, Value>) -> Option<Value> {
    let rate = object.get("rate")?;
    let units: i128 = object.get("goal")?["units"].as_str()?.parse().ok()?;
    let whole: i128 = rate["units"].as_str().unwrap_or("0").parse().ok()?;
    let nanos = whole * 1_000_000_000 + i128::from(rate["nanos"].as_i64().unwrap_or(0));
    let all = if object.get("costType")? == "CPM" { nanos * units / 1000 } else { nanos * units };
    let (units, rest) = (all / 1_000_000_000, i64::try_from(all % 1_000_000_000).ok()?);
    Some(json!({ "currencyCode": rate["currencyCode"], "units": units.to_string(), "nanos": rest }))
}

/// Fills in the fields that the service derives when an object is created.
pub fn complete(call: &Call<'_>, collection: &str, object: &mut Map<String, Value>, taken: u64) {
    let known = |name: &str| objects::named(call.store, name).ok().map(|(_, _, object)| object.clone());
    let number = super::tables::collection(collection).map_or(0, |it| objects::next_id(call.store, it, taken));
    match collection {
        "adUnits" => {
            if let Some(parent) = known(text(object, "parentAdUnit")) {
                let mut path = parent["parentPath"].as_array().cloned().unwrap_or_default();
                path.push(json!({
                    "parentAdUnit": parent["name"], "displayName": parent["displayName"], "adUnitCode": parent["adUnitCode"],
                }));
                object.insert("parentPath".to_owned(), path.into());
            }
            object.entry("adUnitCode").or_insert_with(|| json!(format!("ad_unit_{number}")));
        }
        "placements" => {
            object.insert("placementCode".to_owned(), json!(format!("placement-{number}")));
        }
        "lineItems" => {
            if let Some(order) = known(text(object, "order")) {
                object.insert("orderDisplayName".to_owned(), order["displayName"].clone());
            }
            if let Some(end) = object.get("targetEndTime").cloned() {
                object.insert("endTime".to_owned(), end);
            }
            if let Some(budget) = budget(object) {
                object.insert("budget".to_owned(), budget);
            }
        }
        "privateAuctionDeals" => {
            let auction = format!("{}/privateAuctions/{}", objects::network_name(), text(object, "privateAuctionId"));
            if let Some(auction) = known(&auction) {
                object.insert("privateAuctionDisplayName".to_owned(), auction["displayName"].clone());
            }
            object.insert("externalDealId".to_owned(), json!((5_500_000_000 + number).to_string()));
        }
        "reports" => {
            if let Some(definition) = object.get_mut("reportDefinition").and_then(Value::as_object_mut) {
                definition.entry("currencyCode").or_insert_with(|| json!("USD"));
                definition.entry("timeZoneSource").or_insert_with(|| json!("PUBLISHER"));
            }
            object.entry("displayName").or_insert_with(|| json!(format!("Report {number}")));
        }
        "customTargetingKeys" => {
            object.entry("adTagName").or_insert_with(|| json!(format!("key_{number}")));
        }
        _ => {}
    }
}

/// Refuses an object that contradicts itself or other objects. `before` is the object before a change; `None` for a new one.
pub fn check(
    call: &Call<'_>,
    collection: &str,
    object: &Map<String, Value>,
    before: Option<&Value>,
    path: &str,
) -> Result<(), ApiError> {
    let wrong = |field: &str, message: &str| Err(ApiError::invalid(path_of(path, field), message));
    if before.is_some_and(|before| before["archived"] == true || before["status"] == "DELETED") {
        return Err(ApiError::precondition("The resource is archived or deleted and cannot be changed."));
    }
    match collection {
        "lineItems" => line_item(call, object, before, path),
        "reports" => match object.get("reportDefinition") {
            Some(definition) => runs::check(call, definition),
            None => Ok(()),
        },
        "privateAuctionDeals" => {
            let auction = format!("{}/privateAuctions/{}", objects::network_name(), text(object, "privateAuctionId"));
            if objects::named(call.store, &auction).is_err() {
                return wrong("privateAuctionId", "The private auction was not found.");
            }
            let buyer = text(object, "buyerAccountId");
            if !objects::all(call.store, "programmaticBuyers").any(|(_, it)| it["buyerAccountId"] == buyer) {
                return wrong("buyerAccountId", "The buyer was not found.");
            }
            Ok(())
        }
        "orders" => {
            let name = text(object, "advertiser");
            let kind = objects::named(call.store, name).ok().map(|(_, _, company)| company["type"].clone());
            if kind.is_some_and(|kind| kind == "AGENCY" || kind == "HOUSE_AGENCY") {
                return wrong("advertiser", "An agency cannot be the advertiser of an order.");
            }
            Ok(())
        }
        "adUnits" => unique(call, collection, object, before, path, "adUnitCode"),
        "customTargetingKeys" => unique(call, collection, object, before, path, "adTagName"),
        "adBreaks" if before.is_some_and(|before| before["breakState"] == "COMPLETE") => {
            Err(ApiError::precondition("The ad break is over and cannot be changed."))
        }
        _ => Ok(()),
    }
}

fn line_item(call: &Call<'_>, object: &Map<String, Value>, before: Option<&Value>, path: &str) -> Result<(), ApiError> {
    let wrong = |field: &str, message: &str| Err(ApiError::invalid(path_of(path, field), message));
    if let Ok((_, _, order)) = objects::named(call.store, text(object, "order"))
        && (order["archived"] == true || order["status"] == "DELETED")
    {
        return wrong("order", "The order is archived or deleted.");
    }
    let time = |name: &str| text(object, name).parse::<Timestamp>().ok();
    let endless = object.get("endTimeUnlimited") == Some(&json!(true));
    if endless && ["STANDARD", "BULK"].contains(&text(object, "lineItemType")) && before.is_none() {
        return wrong("endTimeUnlimited", "A line item of this type must have an end.");
    }
    if !endless && time("targetEndTime").is_none() {
        return wrong("targetEndTime", "Required unless endTimeUnlimited is true.");
    }
    if !endless && time("targetEndTime") <= time("startTime") {
        return wrong("targetEndTime", "must be after startTime");
    }
    if before.is_none() && time("startTime").is_some_and(|start| start < call.inner.now()) {
        return wrong("startTime", "must be in the future");
    }
    if object.get("priority").and_then(Value::as_i64).is_some_and(|priority| !(1..=16).contains(&priority)) {
        return wrong("priority", "a number from 1 to 16 is expected");
    }
    if object.get("rate").is_some_and(|rate| rate["units"].as_str().is_some_and(|units| units.starts_with('-'))) {
        return wrong("rate", "must not be negative");
    }
    Ok(())
}

/// Refuses a value that another object of the collection already has in this field.
fn unique(
    call: &Call<'_>,
    collection: &str,
    object: &Map<String, Value>,
    before: Option<&Value>,
    path: &str,
    field: &str,
) -> Result<(), ApiError> {
    let value = text(object, field);
    let own = before.map(|before| before["name"].clone());
    let same = |it: &Value| it[field] == value && Some(&it["name"]) != own.as_ref();
    if !value.is_empty() && objects::all(call.store, collection).any(|(_, it)| same(it)) {
        return Err(ApiError::exists(format!("{}: {value} is taken already.", path_of(path, field))));
    }
    Ok(())
}

/// Checks that no two objects of one batch share a field that must be unique: the code of an ad unit or the ad tag name of a targeting key.
pub fn distinct(collection: &str, made: &[Value]) -> Result<(), ApiError> {
    let field = match collection {
        "adUnits" => "adUnitCode",
        "customTargetingKeys" => "adTagName",
        _ => return Ok(()),
    };
    for (index, object) in made.iter().enumerate() {
        if made[..index].iter().any(|earlier| earlier[field] == object[field]) {
            return Err(ApiError::exists(format!(
                "requests[{index}]: {field} {} is in the batch twice.",
                object[field]
            )));
        }
    }
    Ok(())
}

/// Returns what a new object changes in others: its parent ad unit gets children.
pub fn also(call: &Call<'_>, collection: &str, object: &Value) -> Vec<Effect> {
    if collection != "adUnits" {
        return Vec::new();
    }
    let parent = object["parentAdUnit"].as_str().unwrap_or_default();
    let Ok((shelf, id, parent)) = objects::named(call.store, parent) else { return Vec::new() };
    if parent["hasChildren"] == true {
        return Vec::new();
    }
    let mut parent = parent.clone();
    parent["hasChildren"] = json!(true);
    vec![objects::put(shelf, &id, parent)]
}
