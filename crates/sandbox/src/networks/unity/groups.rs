//! Mediation groups of `LevelPlay`: which instances serve where, in which order, at which price.

use serde_json::{Value, json};

use super::{ID, app, bad, checks, gone, of_app, put, refusal};
use crate::networks::body::{Fields, merge};
use crate::networks::{Answer, Done, names};
use crate::state::Store;

/// The fields that a change may set; instances are resolved separately.
const PARTS: [&str; 7] =
    ["groupName", "position", "mediationAdUnitId", "abTest", "floorPrice", "countries", "segments"];

fn check(entry: &Fields) -> Result<(), String> {
    entry.text("groupName")?;
    entry.integer("position", 1, 1000)?;
    entry.text("mediationAdUnitId")?;
    entry.choice("abTest", &["A", "B"])?;
    entry.number("floorPrice", 0.0, 3000.0)?;
    checks::countries(entry, "countries")?;
    entry.texts("segments")?;
    Ok(())
}

/// Returns the instances of a group as the group shows them. Each must exist in the app and have the group's format.
fn instances(store: &Store, key: &str, entry: &Fields, format: &str) -> Result<Option<Value>, Answer> {
    let Some(list) = entry.list("instances").map_err(bad)? else { return Ok(None) };
    let mut shown = Vec::new();
    for (path, item) in list {
        let wanted = Fields::of(item, &path).map_err(bad)?;
        let id = wanted.need_integer("id", 1, i64::MAX).map_err(bad)?;
        let found = store.objects.shelves.get(ID, "instance", &format!("{key}/{id}"));
        let found = found.ok_or_else(|| refusal(404, format!("{path}: instance {id} was not found.")))?;
        if found["adFormat"] != format {
            return Err(bad(format!("{path}: instance {id} is {}, the group is {format}.", found["adFormat"])));
        }
        let rate = wanted.number("groupRate", 0.01, 3000.0).map_err(bad)?;
        if rate.is_some() && found["isBidder"] == true {
            return Err(bad(format!("{path}.groupRate: instance {id} bids; it has no rate.")));
        }
        for (path, item) in wanted.list("countriesRate").map_err(bad)?.unwrap_or_default() {
            let price = Fields::of(item, &path).map_err(bad)?;
            price.need_text("countryCode").map_err(bad)?;
            price.need("rate").map_err(bad)?;
            price.number("rate", 0.01, 3000.0).map_err(bad)?;
        }
        let mut one = json!({
            "id": id,
            "name": found["instanceName"],
            "networkName": found["networkName"],
            "isBidder": found["isBidder"],
        });
        merge(&mut one, &wanted, &["groupRate", "countriesRate"]);
        shown.push(one);
    }
    Ok(Some(shown.into()))
}

fn unit_name(store: &Store, key: &str, entry: &Fields, format: &str) -> Result<Option<Value>, Answer> {
    let Some(id) = entry.text("mediationAdUnitId").map_err(bad)? else { return Ok(None) };
    let unit = store.objects.shelves.get(ID, "ad_unit", &format!("{key}/{id}"));
    let unit = unit.ok_or_else(|| refusal(404, format!("Ad unit {id} was not found.")))?;
    if unit["adFormat"] != format {
        return Err(bad(format!("Ad unit {id} is {}, the group is {format}.", unit["adFormat"])));
    }
    Ok(Some(unit["mediationAdUnitName"].clone()))
}

pub fn create(store: &Store, key: &str, body: &Value) -> Done {
    app(store, key)?;
    let known = of_app(store, "group", key);
    let mut made: Vec<Value> = Vec::new();
    for (index, (path, item)) in checks::entries(body).map_err(bad)?.into_iter().enumerate() {
        let entry = Fields::of(item, &path).map_err(bad)?;
        let name = entry.need_text("groupName").map_err(bad)?;
        let format = entry.need_choice("adFormat", &checks::FORMATS).map_err(bad)?;
        entry.need_integer("position", 1, 1000).map_err(bad)?;
        check(&entry).map_err(bad)?;
        let twin = |group: &Value| {
            group["groupName"] == name
                && group["adFormat"] == format
                && Some(&group["mediationAdUnitId"]) == entry.raw("mediationAdUnitId")
        };
        if known.iter().copied().chain(&made).any(twin) {
            return Err(bad(format!("{path}: a group named \"{name}\" already exists.")));
        }
        let id = names::number_id(&[1213, store.next_seq(), index as u64], 7);
        let mut group = json!({
            "groupId": id,
            "adFormat": format,
            "abTest": "N/A",
            "countries": [],
            "segments": [],
            "instances": [],
        });
        merge(&mut group, &entry, &PARTS);
        if let Some(name) = unit_name(store, key, &entry, format)? {
            group["mediationAdUnitName"] = name;
        }
        if let Some(list) = instances(store, key, &entry, format)? {
            group["instances"] = list;
        }
        made.push(group);
    }
    let effects = made.iter().map(|group| put("group", &format!("{key}/{}", group["groupId"]), group)).collect();
    Ok((Answer::ok(made.into()), effects))
}

pub fn update(store: &Store, key: &str, body: &Value) -> Done {
    app(store, key)?;
    let (mut changed, mut effects) = (Vec::new(), Vec::new());
    for (path, item) in checks::entries(body).map_err(bad)? {
        let entry = Fields::of(item, &path).map_err(bad)?;
        let id = entry.need_integer("groupId", 1, i64::MAX).map_err(bad)?;
        let shelf_id = format!("{key}/{id}");
        let old = store.objects.shelves.get(ID, "group", &shelf_id);
        let old = old.ok_or_else(|| refusal(404, format!("{path}: group {id} was not found.")))?;
        check(&entry).map_err(bad)?;
        let format = old["adFormat"].as_str().unwrap_or_default();
        let mut new = old.clone();
        merge(&mut new, &entry, &PARTS);
        if let Some(name) = unit_name(store, key, &entry, format)? {
            new["mediationAdUnitName"] = name;
        }
        if let Some(list) = instances(store, key, &entry, format)? {
            new["instances"] = list;
        }
        effects.push(put("group", &shelf_id, &new));
        changed.push(new);
    }
    Ok((Answer::ok(changed.into()), effects))
}

pub fn delete(store: &Store, key: &str, body: &Value) -> Done {
    app(store, key)?;
    let ids = checks::ids(body).map_err(bad)?;
    for id in &ids {
        if store.objects.shelves.get(ID, "group", &format!("{key}/{id}")).is_none() {
            return Err(refusal(404, format!("Group {id} was not found.")));
        }
    }
    let effects = ids.iter().map(|id| gone("group", &format!("{key}/{id}"))).collect();
    Ok((Answer::ok(json!({ "message": "success", "ids": ids })), effects))
}
