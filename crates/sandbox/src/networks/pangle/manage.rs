//! Apps and ad slots.

use serde_json::{Value, json};

use super::{Code, ID, bad, ok, put, refusal};
use crate::networks::body::{Fields, merge};
use crate::networks::{Answer, Done, Request, names};
use crate::state::Store;

fn wrong(message: impl AsRef<str>) -> Answer {
    bad(format!("parameter error: {}", message.as_ref()))
}

fn find<'a>(store: &'a Store, shelf: &str, id: i64) -> Result<&'a Value, Answer> {
    let found = store.objects.shelves.get(ID, shelf, &id.to_string());
    found.ok_or_else(|| refusal(Code::NotFound, format!("{shelf} {id} was not found")))
}

/// Lists the items that have, for every filter, one of the wanted values.
fn query(store: &Store, request: &Request, shelf: &str, list: &str, filters: &[&str]) -> Result<Answer, Answer> {
    let body = request.json().map_err(|error| wrong(error.to_string()))?;
    let body = Fields::of(&body, "").map_err(wrong)?;
    let page = usize::try_from(body.need_integer("page", 1, i64::MAX).map_err(wrong)?).unwrap_or(1);
    let size = usize::try_from(body.need_integer("page_size", 1, 500).map_err(wrong)?).unwrap_or(1);
    let mut wanted = Vec::new();
    for name in filters {
        if let Some(values) = body.list(name).map_err(wrong)? {
            wanted.push((*name, values.into_iter().map(|(_, value)| value).collect::<Vec<_>>()));
        }
    }
    let fits = |item: &&Value| wanted.iter().all(|(name, values)| values.is_empty() || values.contains(&&item[*name]));
    let items: Vec<&Value> = store.objects.shelves.list(ID, shelf).map(|(_, item)| item).filter(fits).collect();
    let shown: Vec<&Value> = items.iter().copied().skip((page - 1).saturating_mul(size)).take(size).collect();
    let info = json!({
        "page": page,
        "page_size": size,
        "total_number": items.len(),
        "total_page": items.len().div_ceil(size),
    });
    let mut data = json!({ "page_info": info });
    data[list] = json!(shown);
    Ok(ok(&data))
}

pub fn query_apps(store: &Store, request: &Request) -> Result<Answer, Answer> {
    query(store, request, "app", "app_list", &["app_id", "app_name", "os_type", "status"])
}

pub fn query_slots(store: &Store, request: &Request) -> Result<Answer, Answer> {
    let filters = ["ad_slot_id", "ad_slot_name", "app_id", "app_name", "ad_slot_type", "status"];
    query(store, request, "slot", "ad_slot_list", &filters)
}

const APP: [&str; 7] =
    ["app_name", "download_url", "app_category_code", "status", "mask_rule_id", "mask_rule_ids", "coppa_value"];

fn app_fields(body: &Fields) -> Result<(), String> {
    body.text("app_name")?;
    body.text("download_url")?;
    body.integer("app_category_code", 1, i64::MAX)?;
    body.integer("mask_rule_id", 0, i64::MAX)?;
    body.integers("mask_rule_ids")?;
    body.integer("coppa_value", -1, 1)?;
    Ok(())
}

pub fn create_app(store: &Store, body: &Value) -> Done {
    let body = Fields::of(body, "").map_err(wrong)?;
    let check = || -> Result<i64, String> {
        body.need_text("app_name")?;
        body.need_integer("app_category_code", 1, i64::MAX)?;
        app_fields(&body)?;
        let status = body.need_integer("status", 1, 10)?;
        match status {
            2 => body.need_text("download_url").map(|_| status),
            6 => Ok(status),
            _ => Err(format!("status: {status} is not one of 2, 6")),
        }
    };
    let status = check().map_err(wrong)?;
    if store.objects.shelves.list(ID, "app").any(|(_, app)| {
        Some(&app["app_name"]) == body.raw("app_name") && Some(&app["download_url"]) == body.raw("download_url")
    }) {
        return Err(wrong("app_name already exists"));
    }
    let id = names::number_id(&[1604, store.next_seq()], 7);
    let ios = body.text("download_url").map_err(wrong)?.is_some_and(|url| url.contains("apple.com"));
    let mut app = json!({ "app_id": id, "os_type": if ios { "ios" } else { "android" }, "coppa_value": -1 });
    merge(&mut app, &body, &APP);
    if status == 2 {
        // A live app must be reviewed first.
        app["status"] = json!(1);
    }
    Ok((ok(&app), vec![put("app", id, &app)]))
}

pub fn update_app(store: &Store, body: &Value) -> Done {
    let body = Fields::of(body, "").map_err(wrong)?;
    let id = body.need_integer("app_id", 1, i64::MAX).map_err(wrong)?;
    let mut app = find(store, "app", id)?.clone();
    app_fields(&body).map_err(wrong)?;
    let status = body.integer("status", -1, 10).map_err(wrong)?;
    merge(&mut app, &body, &APP);
    if status == Some(-1) {
        app["status"] = json!(2);
    }
    Ok((ok(&app), vec![put("app", id.unsigned_abs(), &app)]))
}

const SLOT: [&str; 15] = [
    "ad_slot_name",
    "cpm",
    "currency",
    "cpm_for_region",
    "render_type",
    "ad_categories",
    "slide_banner",
    "width",
    "height",
    "orientation",
    "reward_name",
    "reward_count",
    "reward_is_callback",
    "reward_callback_url",
    "accept_material_type",
];

fn slot_fields(body: &Fields, kind: i64, bidding: i64) -> Result<(), String> {
    body.text("ad_slot_name")?;
    let price = body.number("cpm", 0.0, 10_000.0)?;
    if (price.is_some() || body.raw("cpm_for_region").is_some()) && bidding != 0 {
        return Err("cpm goes with bidding_type 0 only".to_owned());
    }
    body.choice("currency", &["usd", "cny"])?;
    for name in ["render_type", "slide_banner", "orientation"] {
        body.integer(name, 1, 2)?;
    }
    if let Some(width) = body.integer("width", 1, 10_000)?
        && ![600, 640].contains(&width)
    {
        return Err(format!("width: {width} is not one of 600, 640"));
    }
    if let Some(height) = body.integer("height", 1, 10_000)?
        && ![100, 500].contains(&height)
    {
        return Err(format!("height: {height} is not one of 100, 500"));
    }
    body.text("reward_name")?;
    body.integer("reward_count", 0, 1_000_000)?;
    body.integer("reward_is_callback", 0, 1)?;
    if body.raw("reward_name").is_some() && kind != 5 {
        return Err("reward_name goes with ad_slot_type 5 only".to_owned());
    }
    body.text("reward_callback_url")?;
    body.integer("accept_material_type", 1, 3)?;
    body.integers("ad_categories")?;
    Ok(())
}

pub fn create_slot(store: &Store, body: &Value) -> Done {
    let body = Fields::of(body, "").map_err(wrong)?;
    let check = || -> Result<(i64, i64, i64), String> {
        let app = body.need_integer("app_id", 1, i64::MAX)?;
        body.need_text("ad_slot_name")?;
        let kind = body.need_integer("ad_slot_type", 1, 6)?;
        if kind == 4 {
            return Err("ad_slot_type: 4 is not one of 1, 2, 3, 5, 6".to_owned());
        }
        let bidding = body.integer("bidding_type", 0, 2)?.unwrap_or(0);
        slot_fields(&body, kind, bidding)?;
        Ok((app, kind, bidding))
    };
    let (app_id, kind, bidding) = check().map_err(wrong)?;
    let app = find(store, "app", app_id)?;
    if app["status"] == 1 {
        return Err(refusal(Code::Review, "the app is waiting for review"));
    }
    let twin = |slot: &Value| slot["app_id"] == app_id && Some(&slot["ad_slot_name"]) == body.raw("ad_slot_name");
    if store.objects.shelves.list(ID, "slot").any(|(_, slot)| twin(slot)) {
        return Err(wrong("ad_slot_name already exists in the app"));
    }
    let id = names::number_id(&[1605, store.next_seq()], 9);
    let mut slot = json!({
        "ad_slot_id": id,
        "app_id": app_id,
        "app_name": app["app_name"],
        "ad_slot_type": kind,
        "bidding_type": bidding,
        "status": 2,
    });
    merge(&mut slot, &body, &SLOT);
    Ok((ok(&slot), vec![put("slot", id, &slot)]))
}

pub fn update_slot(store: &Store, body: &Value) -> Done {
    let body = Fields::of(body, "").map_err(wrong)?;
    let id = body.need_integer("ad_slot_id", 1, i64::MAX).map_err(wrong)?;
    let mut slot = find(store, "slot", id)?.clone();
    let number = |name: &str| slot[name].as_i64().unwrap_or(0);
    slot_fields(&body, number("ad_slot_type"), number("bidding_type")).map_err(wrong)?;
    body.flag("update_security_key").map_err(wrong)?;
    match body.integer("status", -1, 10).map_err(wrong)? {
        Some(-1) => slot["status"] = json!(2),
        Some(3) => slot["status"] = json!(3),
        None => {}
        Some(other) => return Err(wrong(format!("status: {other} is not one of -1, 3"))),
    }
    merge(&mut slot, &body, &SLOT);
    Ok((ok(&slot), vec![put("slot", id.unsigned_abs(), &slot)]))
}

pub fn expected_cpm(store: &Store, body: &Value) -> Done {
    let body = Fields::of(body, "").map_err(wrong)?;
    let id = body.need_integer("ad_slot_id", 1, i64::MAX).map_err(wrong)?;
    let site = body.need_integer("site_id", 1, i64::MAX).map_err(wrong)?;
    let mut slot = find(store, "slot", id)?.clone();
    if slot["app_id"] != site {
        return Err(refusal(Code::NotFound, format!("slot {id} was not found in app {site}")));
    }
    let price = body.number("cpm", 0.0, 10_000.0).map_err(wrong)?;
    let remove = body.flag("delete_cpm").map_err(wrong)?.unwrap_or(false);
    body.choice("currency", &["usd", "cny"]).map_err(wrong)?;
    if price.is_some() == remove {
        return Err(wrong("either cpm or delete_cpm is expected"));
    }
    if remove {
        slot["expected_cpm"] = Value::Null;
    } else {
        slot["expected_cpm"] = body.raw("cpm").cloned().unwrap_or(Value::Null);
        slot["expected_cpm_currency"] = body.raw("currency").cloned().unwrap_or_else(|| json!("usd"));
    }
    Ok((ok(&Value::Null), vec![put("slot", id.unsigned_abs(), &slot)]))
}
