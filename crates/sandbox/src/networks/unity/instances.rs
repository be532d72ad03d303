//! Network instances of `LevelPlay`. One bad entry rejects the whole list.

use serde_json::{Value, json};

use super::{ID, app, bad, checks, gone, of_app, put, refusal, seed};
use crate::journal::Effect;
use crate::networks::body::{Fields, merge};
use crate::networks::{Answer, Done, names};
use crate::state::Store;

const PARTS: [&str; 9] = [
    "instanceName",
    "appConfig1",
    "appConfig2",
    "instanceConfig1",
    "instanceConfig2",
    "groups",
    "isLive",
    "rate",
    "networkKey",
];

fn check(store: &Store, key: &str, entry: &Fields) -> Result<(), Answer> {
    for name in ["instanceName", "appConfig1", "appConfig2", "instanceConfig1", "instanceConfig2", "networkKey"] {
        entry.text(name).map_err(bad)?;
    }
    entry.flag("isLive").map_err(bad)?;
    entry.number("rate", 0.0, 3000.0).map_err(bad)?;
    for id in entry.integers("groups").map_err(bad)?.unwrap_or_default() {
        if store.objects.shelves.get(ID, "group", &format!("{key}/{id}")).is_none() {
            return Err(refusal(404, format!("Group {id} was not found.")));
        }
    }
    Ok(())
}

/// Returns the groups whose list of instances must change because an instance changed its groups.
fn follow(store: &Store, key: &str, instance: &Value) -> Vec<Effect> {
    let id = &instance["instanceId"];
    let member = |group: &Value| instance["groups"].as_array().is_some_and(|list| list.contains(&group["groupId"]));
    let mut effects = Vec::new();
    for group in of_app(store, "group", key) {
        let mut list = group["instances"].as_array().cloned().unwrap_or_default();
        let listed = list.iter().any(|it| it["id"] == *id);
        if member(group) == listed {
            continue;
        }
        if listed {
            list.retain(|it| it["id"] != *id);
        } else {
            list.push(json!({
                "id": id,
                "name": instance["instanceName"],
                "networkName": instance["networkName"],
                "isBidder": instance["isBidder"],
            }));
        }
        let mut group = group.clone();
        group["instances"] = list.into();
        effects.push(put("group", &format!("{key}/{}", group["groupId"]), &group));
    }
    effects
}

pub fn create(store: &Store, key: &str, body: &Value) -> Done {
    app(store, key)?;
    let (mut made, mut effects): (Vec<Value>, Vec<Effect>) = (Vec::new(), Vec::new());
    for (index, (path, item)) in checks::entries(body).map_err(bad)?.into_iter().enumerate() {
        let entry = Fields::of(item, &path).map_err(bad)?;
        let name = entry.need_text("instanceName").map_err(bad)?;
        let network = entry.need_text("networkName").map_err(bad)?;
        let format = entry.need_choice("adFormat", &checks::FORMATS).map_err(bad)?;
        entry.need("isBidder").map_err(bad)?;
        let bidder = entry.flag("isBidder").map_err(bad)?.unwrap_or(false);
        check(store, key, &entry)?;
        if bidder && entry.raw("rate").is_some() {
            return Err(bad(format!("{path}.rate: a bidding instance has no rate.")));
        }
        let twin = |it: &Value| it["instanceName"] == name && it["networkName"] == network && it["adFormat"] == format;
        if of_app(store, "instance", key).into_iter().chain(&made).any(twin) {
            return Err(bad(format!("{path}: an instance named \"{name}\" of {network} already exists.")));
        }
        let mut instance = json!({
            "instanceId": names::number_id(&[1214, store.next_seq(), index as u64], 7),
            "adUnit": seed::old_format(format),
            "adFormat": format,
            "networkName": network,
            "isBidder": bidder,
            "groups": [],
            "isLive": true,
        });
        merge(&mut instance, &entry, &PARTS);
        effects.push(put("instance", &format!("{key}/{}", instance["instanceId"]), &instance));
        effects.extend(follow(store, key, &instance));
        made.push(instance);
    }
    Ok((Answer::ok(made.into()), effects))
}

pub fn update(store: &Store, key: &str, body: &Value) -> Done {
    app(store, key)?;
    let (mut changed, mut effects) = (Vec::new(), Vec::new());
    for (path, item) in checks::entries(body).map_err(bad)? {
        let entry = Fields::of(item, &path).map_err(bad)?;
        let id = entry.need_integer("instanceId", 1, i64::MAX).map_err(bad)?;
        let shelf_id = format!("{key}/{id}");
        let old = store.objects.shelves.get(ID, "instance", &shelf_id);
        let old = old.ok_or_else(|| refusal(404, format!("{path}: instance {id} was not found.")))?;
        check(store, key, &entry)?;
        if old["isBidder"] == true && entry.raw("rate").is_some() {
            return Err(bad(format!("{path}.rate: a bidding instance has no rate.")));
        }
        let mut new = old.clone();
        merge(&mut new, &entry, &PARTS);
        effects.push(put("instance", &shelf_id, &new));
        effects.extend(follow(store, key, &new));
        changed.push(new);
    }
    Ok((Answer::ok(changed.into()), effects))
}

pub fn delete(store: &Store, key: &str, body: &Value) -> Done {
    app(store, key)?;
    let ids = checks::ids(body).map_err(bad)?;
    let mut effects = Vec::new();
    for id in &ids {
        let shelf_id = format!("{key}/{id}");
        if store.objects.shelves.get(ID, "instance", &shelf_id).is_none() {
            return Err(refusal(404, format!("Instance {id} was not found.")));
        }
        effects.push(gone("instance", &shelf_id));
    }
    for group in of_app(store, "group", key) {
        let list = group["instances"].as_array().cloned().unwrap_or_default();
        let kept: Vec<Value> =
            list.iter().filter(|it| !it["id"].as_i64().is_some_and(|id| ids.contains(&id))).cloned().collect();
        if kept.len() != list.len() {
            let mut group = group.clone();
            group["instances"] = kept.into();
            effects.push(put("group", &format!("{key}/{}", group["groupId"]), &group));
        }
    }
    Ok((Answer::ok(json!({ "message": "success", "ids": ids })), effects))
}
