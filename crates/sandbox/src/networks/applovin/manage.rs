//! Ad units, waterfalls of segments, test devices. It only decides; the dispatcher stores.

use serde_json::{Value, json};

use super::{ID, bad, part, refusal, shown};
use crate::journal::Effect;
use crate::networks::body::{Fields, merge};
use crate::networks::{Answer, Done, Exchange, Request, names};
use crate::state::Store;

const PLATFORMS: [&str; 2] = ["ios", "android"];
const FORMATS: [&str; 5] = ["INTER", "BANNER", "REWARD", "MREC", "NATIVE"];
const REFRESH: [i64; 8] = [0, 10, 15, 20, 30, 45, 60, 300];

pub fn put(shelf: &str, id: &str, object: &Value) -> Effect {
    Effect::Put { network: ID.to_owned(), shelf: shelf.to_owned(), id: id.to_owned(), object: object.clone() }
}

/// Returns the ad unit with this ID.
pub fn ad_unit<'a>(store: &'a Store, id: &str) -> Result<&'a Value, Answer> {
    let found = store.objects.shelves.get(ID, "ad_unit", id);
    found.ok_or_else(|| refusal(404, &format!("Ad unit {id} was not found.")))
}

fn page(exchange: &Exchange, name: &str, default: usize, low: usize) -> Result<usize, Answer> {
    match exchange.request.query(name) {
        None => Ok(default),
        Some(text) => text
            .parse()
            .ok()
            .filter(|number| *number >= low)
            .ok_or_else(|| bad(format!("{name}: \"{text}\" is no number of {low} or more."))),
    }
}

pub fn read(store: &Store, exchange: &Exchange) -> Result<Answer, Answer> {
    let ids = &exchange.call.ids;
    let shelves = &store.objects.shelves;
    match exchange.call.operation.name {
        "applovin_list_ad_units" => {
            let (skip, limit) = (page(exchange, "offset", 0, 0)?, page(exchange, "limit", usize::MAX, 1)?);
            let account = part::of(&exchange.request);
            let own = shelves.list(ID, "ad_unit").filter(|(_, unit)| part::has(account, unit));
            let units = own.skip(skip).take(limit);
            let units = units.map(|(_, unit)| shown(unit, &exchange.request)).collect::<Result<Vec<_>, _>>()?;
            Ok(Answer::ok(units.into()))
        }
        "applovin_get_ad_unit" => shown(ad_unit(store, &ids[0])?, &exchange.request).map(Answer::ok),
        "applovin_get_waterfall" => shown(waterfall(store, &ids[0], &ids[1])?, &exchange.request).map(Answer::ok),
        "applovin_list_test_devices" => {
            let account = part::of(&exchange.request);
            let own = shelves.list(ID, "test_device").filter(|(_, device)| part::has(account, device));
            Ok(Answer::ok(own.map(|(_, device)| plain(device)).collect()))
        }
        _ => test_device(store, &ids[0]).map(plain).map(Answer::ok),
    }
}

fn waterfall<'a>(store: &'a Store, unit: &str, segment: &str) -> Result<&'a Value, Answer> {
    ad_unit(store, unit)?;
    let found = store.objects.shelves.get(ID, "waterfall", &format!("{unit}/{segment}"));
    found.ok_or_else(|| refusal(404, &format!("Ad unit {unit} has no segment {segment}.")))
}

fn test_device<'a>(store: &'a Store, id: &str) -> Result<&'a Value, Answer> {
    let found = store.objects.shelves.get(ID, "test_device", id);
    found.ok_or_else(|| refusal(404, &format!("Test device {id} was not found.")))
}

pub fn write(store: &Store, exchange: &Exchange, body: &Value) -> Done {
    let ids = &exchange.call.ids;
    let body = Fields::of(body, "").map_err(bad)?;
    match exchange.call.operation.name {
        "applovin_create_ad_unit" => create(store, &body, &exchange.request),
        "applovin_update_ad_unit" => {
            let old = ad_unit(store, &ids[0])?;
            let new = changed(old, &body, &ids[0])?;
            Ok((Answer::ok(plain(&new)), vec![put("ad_unit", &ids[0], &new)]))
        }
        "applovin_update_waterfall" => {
            let old = waterfall(store, &ids[0], &ids[1])?;
            let mut new = changed(old, &body, &ids[1])?;
            if let Some(segment) = segment(&body).map_err(bad)? {
                new["segment"] = segment;
            }
            Ok((Answer::ok(new.clone()), vec![put("waterfall", &format!("{}/{}", ids[0], ids[1]), &new)]))
        }
        "applovin_create_test_device" => {
            let device = device(&body, None).map_err(bad)?;
            let known = |it: &Value| it["device_id"] == device["device_id"];
            if store.objects.shelves.list(ID, "test_device").any(|(_, it)| known(it)) {
                return Err(bad("A test device with this device_id already exists."));
            }
            let id = names::hex_id(&[1106, store.next_seq()], 8);
            let mut device = device;
            device["id"] = json!(id);
            let kept = part::marked(&exchange.request, device.clone());
            Ok((Answer::ok(device), vec![put("test_device", &id, &kept)]))
        }
        _ => {
            let old = test_device(store, &ids[0])?;
            if body.text("id").map_err(bad)?.is_some_and(|id| id != ids[0]) {
                return Err(bad("id must be the one of the path."));
            }
            let device = device(&body, Some(old)).map_err(bad)?;
            Ok((Answer::ok(plain(&device)), vec![put("test_device", &ids[0], &device)]))
        }
    }
}

fn device(body: &Fields, old: Option<&Value>) -> Result<Value, String> {
    if old.is_none() {
        body.need_text("name")?;
        body.need_text("device_id")?;
    }
    for name in ["name", "device_id", "network"] {
        body.text(name)?;
    }
    body.flag("disabled")?;
    let mut device =
        old.cloned().unwrap_or_else(|| json!({ "id": "", "name": "", "device_id": "", "disabled": false }));
    merge(&mut device, body, &["name", "device_id", "disabled", "network"]);
    Ok(device)
}

fn create(store: &Store, body: &Fields, request: &Request) -> Done {
    let check = || -> Result<(), String> {
        body.need_text("name")?;
        body.need_choice("platform", &PLATFORMS)?;
        body.need_text("package_name")?;
        let format = body.need_choice("ad_format", &FORMATS)?;
        match body.text("template_size")? {
            Some(_) if format != "NATIVE" => Err("template_size goes with ad_format NATIVE only".to_owned()),
            _ => Ok(()),
        }
    };
    check().map_err(bad)?;
    let same = |unit: &Value| {
        Some(&unit["name"]) == body.raw("name")
            && Some(&unit["package_name"]) == body.raw("package_name")
            && Some(&unit["platform"]) == body.raw("platform")
    };
    if store.objects.shelves.list(ID, "ad_unit").any(|(_, unit)| same(unit)) {
        return Err(bad("An ad unit with this name already exists in this app."));
    }
    let id = names::hex_id(&[1107, store.next_seq()], 16);
    let mut unit = json!({ "id": id });
    merge(&mut unit, body, &["name", "platform", "ad_format", "package_name", "template_size"]);
    for (name, value) in [("has_active_experiment", json!(false)), ("disabled", json!(false))] {
        unit[name] = value;
    }
    for part in
        ["ad_network_settings", "disabled_ad_network_settings", "frequency_capping_settings", "bid_floors", "segments"]
    {
        unit[part] = json!([]);
    }
    let kept = part::marked(request, unit.clone());
    Ok((Answer::ok(unit), vec![put("ad_unit", &id, &kept)]))
}

/// Returns the object without the field that is never shown.
fn plain(object: &Value) -> Value {
    let mut object = object.clone();
    if let Some(fields) = object.as_object_mut() {
        fields.remove(part::OWNER);
    }
    object
}

/// Returns an ad unit or waterfall with the changes of a full body; lists replace the current ones. Its ID is that of the ad unit, or
/// `own`.
pub fn changed(old: &Value, body: &Fields, own: &str) -> Result<Value, Answer> {
    let check = || -> Result<(), String> {
        for name in ["id", "name", "platform", "package_name", "ad_format"] {
            body.need_text(name)?;
        }
        for name in ["id", "platform", "package_name", "ad_format"] {
            let given = body.raw(name);
            if given != Some(&old[name]) && !(name == "id" && given.is_some_and(|id| id == own)) {
                return Err(format!("{name} cannot be changed; it is {}", old[name]));
            }
        }
        body.flag("disabled")?;
        settings(body)
    };
    check().map_err(bad)?;
    let mut new = old.clone();
    merge(&mut new, body, &["name", "disabled"]);
    merge(&mut new, body, &PARTS);
    Ok(new)
}

/// The parts that a body may carry.
pub const PARTS: [&str; 5] = [
    "ad_network_settings",
    "frequency_capping_settings",
    "bid_floors",
    "banner_refresh_settings",
    "mrec_refresh_settings",
];

/// Checks the parts of a waterfall.
pub fn settings(body: &Fields) -> Result<(), String> {
    for (path, item) in body.list("ad_network_settings")?.unwrap_or_default() {
        let map = item.as_object().filter(|map| map.len() == 1);
        let map = map.ok_or_else(|| format!("{path} must be an object with the name of one network"))?;
        for (network, setting) in map {
            let setting = Fields::of(setting, &format!("{path}.{network}"))?;
            setting.flag("disabled")?;
            for (path, unit) in setting.list("ad_network_ad_units")?.unwrap_or_default() {
                let unit = Fields::of(unit, &path)?;
                unit.need_text("ad_network_ad_unit_id")?;
                unit.flag("disabled")?;
                price(&unit, "cpm", &path)?;
                countries(&unit)?;
            }
        }
    }
    for (path, item) in body.list("bid_floors")?.unwrap_or_default() {
        let floor = Fields::of(item, &path)?;
        floor.need_text("country_group_name")?;
        floor.need("cpm")?;
        price(&floor, "cpm", &path)?;
        countries(&floor)?;
    }
    for (path, item) in body.list("frequency_capping_settings")?.unwrap_or_default() {
        let cap = Fields::of(item, &path)?;
        cap.need_choice("type", &["time", "session"])?;
        countries(&cap)?;
    }
    for name in ["banner_refresh_settings", "mrec_refresh_settings"] {
        if let Some(refresh) = body.object(name)? {
            let interval = refresh.need_integer("interval", 0, 300)?;
            if !REFRESH.contains(&interval) {
                return Err(format!("{name}.interval: {interval} is not one of 0, 10, 15, 20, 30, 45, 60, 300"));
            }
        }
    }
    Ok(())
}

fn price(body: &Fields, name: &str, path: &str) -> Result<(), String> {
    match body.text(name)? {
        Some(text) if text.parse::<f64>().is_ok_and(|price| (0.0..=10_000.0).contains(&price)) => Ok(()),
        Some(text) => Err(format!("{path}.{name}: \"{text}\" is no amount in US dollars")),
        None => Ok(()),
    }
}

fn countries(body: &Fields) -> Result<(), String> {
    let Some(rule) = body.object("countries")? else { return Ok(()) };
    rule.need_choice("type", &["INCLUDE", "EXCLUDE"])?;
    let codes = rule.texts("values")?.unwrap_or_default();
    match codes.iter().find(|code| code.len() != 2) {
        Some(code) => Err(format!("countries.values: \"{code}\" is no two-letter country code")),
        None => Ok(()),
    }
}

/// Reads the segment that a waterfall applies to.
pub fn segment(body: &Fields) -> Result<Option<Value>, String> {
    let Some(segment) = body.object("segment")? else { return Ok(None) };
    segment.text("name")?;
    segment.choice("id_type", &["all", "id_only", "no_id"])?;
    segment.choice("device_type", &["all", "phones", "tablets"])?;
    segment.text("segment_keys")?;
    Ok(body.raw("segment").cloned())
}
