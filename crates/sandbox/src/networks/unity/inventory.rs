//! Apps and ad units of `LevelPlay`, and all its lists.

use serde_json::{Value, json};

use super::{ID, app, bad, checks, of_app, put, refusal};
use crate::networks::body::{Fields, merge};
use crate::networks::{Answer, Done, Exchange, names};
use crate::state::{Inner, Store};

pub fn read(store: &Store, name: &str, exchange: &Exchange) -> Result<Answer, Answer> {
    let shelf = match name {
        "unity_list_applications" => return apps(store, exchange),
        "unity_list_placements" => {
            let key = exchange.request.query("appKey").ok_or_else(|| bad("appKey is required"))?;
            app(store, key)?;
            return Ok(Answer::ok(of_app(store, "placement", key).into_iter().cloned().collect()));
        }
        "unity_list_ad_units" => "ad_unit",
        "unity_list_mediation_groups" => "group",
        _ => "instance",
    };
    let key = &exchange.call.ids[0];
    app(store, key)?;
    Ok(Answer::ok(of_app(store, shelf, key).into_iter().cloned().collect()))
}

fn apps(store: &Store, exchange: &Exchange) -> Result<Answer, Answer> {
    let request = &exchange.request;
    for (name, choices) in [("platform", ["iOS", "Android"]), ("appStatus", ["active", "archived"])] {
        if let Some(value) =
            request.query(name).filter(|value| !choices.iter().any(|it| it.eq_ignore_ascii_case(value)))
        {
            return Err(bad(format!("{name}: \"{value}\" is not one of {}", choices.join(", "))));
        }
    }
    let fits = |it: &&Value| {
        ["platform", "appStatus", "appKey"].iter().all(|name| {
            let wanted = request.query(name);
            wanted.is_none_or(|wanted| it[*name].as_str().is_some_and(|have| have.eq_ignore_ascii_case(wanted)))
        })
    };
    let list = store.objects.shelves.list(ID, "app").map(|(_, it)| it);
    Ok(Answer::ok(list.filter(fits).cloned().collect()))
}

pub fn create_app(inner: &Inner, store: &Store, body: &Value) -> Done {
    let body = Fields::of(body, "").map_err(bad)?;
    let check = || -> Result<(String, String, Option<String>), String> {
        body.integer("coppa", 0, 1)?;
        body.integer("ccpa", 0, 1)?;
        if let Some(units) = body.raw("adUnits").and_then(Value::as_object)
            && units.values().any(|state| !["Live", "Off", "Test"].contains(&state.as_str().unwrap_or_default()))
        {
            return Err("adUnits: each value must be Live or Off".to_owned());
        }
        if body.raw("storeUrl").is_none() {
            let name = body.need_text("appName")?.to_owned();
            return Ok((name, body.need_choice("platform", &["iOS", "Android"])?.to_owned(), None));
        }
        let url = body.need_text("storeUrl")?;
        body.need_text("taxonomy")?;
        let (platform, store) = if let Some((_, id)) = url.split_once("play.google.com/store/apps/details?id=") {
            ("Android", id.split('&').next().unwrap_or_default())
        } else if url.contains("apps.apple.com/") {
            ("iOS", url.rsplit('/').next().unwrap_or_default().split('?').next().unwrap_or_default())
        } else {
            return Err(format!("storeUrl: \"{url}\" is no address of Google Play or the App Store"));
        };
        Ok((store.rsplit('.').next().unwrap_or(store).to_owned(), platform.to_owned(), Some(store.to_owned())))
    };
    let (name, platform, bundle) = check().map_err(bad)?;
    let twin = |it: &Value| {
        bundle.is_some() && Some(&it["storeUrl"]) == body.raw("storeUrl")
            || it["appName"] == json!(name) && it["platform"] == json!(platform)
    };
    if store.objects.shelves.list(ID, "app").any(|(_, it)| twin(it)) {
        return Err(bad("An app with this name or store address already exists."));
    }
    let key = names::hex_id(&[1211, store.next_seq()], 9);
    let mut object = json!({
        "appKey": key,
        "appName": name,
        "appStatus": "active",
        "bundleId": bundle,
        "platform": platform,
        "creationDate": inner.clock().0.to_string(),
        "coppa": body.raw("coppa") == Some(&json!(1)),
        "ccpa": if body.raw("ccpa") == Some(&json!(1)) { "true" } else { "false" },
        "adUnits": { "rewardedVideo": "Live", "interstitial": "Live", "banner": "Live" },
    });
    merge(&mut object, &body, &["storeUrl", "taxonomy", "adUnits"]);
    Ok((Answer::ok(json!({ "appKey": key })), vec![put("app", &key, &object)]))
}

pub fn create_ad_units(store: &Store, key: &str, body: &Value) -> Done {
    app(store, key)?;
    let known = of_app(store, "ad_unit", key);
    let mut made: Vec<Value> = Vec::new();
    for (index, (path, item)) in checks::entries(body).map_err(bad)?.into_iter().enumerate() {
        let entry = Fields::of(item, &path).map_err(bad)?;
        let name = entry.need_text("mediationAdUnitName").map_err(bad)?;
        let format = entry.need_choice("adFormat", &checks::FORMATS).map_err(bad)?;
        checks::unit_parts(&entry, format).map_err(bad)?;
        if known.iter().copied().chain(&made).any(|unit| unit["mediationAdUnitName"] == name) {
            return Err(bad(format!("{path}: an ad unit named \"{name}\" already exists.")));
        }
        let id = names::hex_id(&[1212, store.next_seq(), index as u64], 16);
        let mut unit = json!({ "mediationAdUnitId": id, "isPaused": false });
        merge(&mut unit, &entry, &["mediationAdUnitName", "adFormat", "reward", "settings"]);
        made.push(unit);
    }
    let id = |unit: &Value| format!("{key}/{}", unit["mediationAdUnitId"].as_str().unwrap_or_default());
    let effects = made.iter().map(|unit| put("ad_unit", &id(unit), unit)).collect();
    Ok((Answer::ok(made.into()), effects))
}

pub fn update_ad_units(store: &Store, key: &str, body: &Value) -> Done {
    app(store, key)?;
    let mut changed: Vec<Value> = Vec::new();
    let mut effects = Vec::new();
    for (path, item) in checks::entries(body).map_err(bad)? {
        let entry = Fields::of(item, &path).map_err(bad)?;
        let id = entry.need_text("mediationAdUnitId").map_err(bad)?;
        let shelf_id = format!("{key}/{id}");
        let old = store.objects.shelves.get(ID, "ad_unit", &shelf_id);
        let old = old.ok_or_else(|| refusal(404, format!("{path}: ad unit {id} was not found.")))?;
        entry.text("mediationAdUnitName").map_err(bad)?;
        entry.flag("isPaused").map_err(bad)?;
        checks::unit_parts(&entry, old["adFormat"].as_str().unwrap_or_default()).map_err(bad)?;
        let mut new = old.clone();
        merge(&mut new, &entry, &["mediationAdUnitName", "isPaused", "reward", "settings"]);
        effects.push(put("ad_unit", &shelf_id, &new));
        changed.push(new);
    }
    Ok((Answer::ok(changed.into()), effects))
}
