//! Account, applications and placements. Page counts are in headers, as Liftoff sends them.

use serde_json::{Value, json};

use super::{ID, bad, put, refusal, seed};
use crate::networks::body::{Fields, merge};
use crate::networks::{Answer, Done, Request, names};
use crate::state::{Inner, Store};

const PAGE: usize = 50;
const LARGEST_PAGE: usize = 500;
const PLATFORMS: [&str; 4] = ["ios", "android", "windows", "amazon"];
const TYPES: [&str; 8] = ["interstitial", "rewarded", "banner", "mrec", "native", "appopen", "flexfeed", "flexview"];

pub fn account() -> Answer {
    Answer::ok(json!({
        "id": names::hex_id(&[1405], 24),
        "name": "Acme Games",
        "email": crate::credentials::owner(),
        "timeZone": "UTC",
        "currency": "USD",
        "created": "2023-06-01T09:00:00.000Z",
    }))
}

fn number(request: &Request, name: &str, default: usize, most: usize) -> Result<usize, Answer> {
    match request.query(name) {
        None => Ok(default),
        Some(text) => {
            let number = text.parse().ok().filter(|number| (1..=most).contains(number));
            number.ok_or_else(|| bad(format!("\"{name}\" must be a number from 1 to {most}")))
        }
    }
}

/// Lists the objects whose ID and `filter` field have one of the repeated values, and whose name contains the search text.
pub fn list(store: &Store, request: &Request, shelf: &str, filter: &str) -> Result<Answer, Answer> {
    let page = number(request, "page", 1, usize::MAX)?;
    let size = number(request, "per_page", PAGE, LARGEST_PAGE)?;
    let wanted = |name: &str| -> Vec<String> {
        request.query.iter().filter(|(key, _)| key == name).map(|(_, value)| value.clone()).collect()
    };
    let (ids, values) = (wanted("id"), wanted(filter));
    if filter == "platform"
        && let Some(unknown) = values.iter().find(|value| !PLATFORMS.contains(&value.as_str()))
    {
        return Err(bad(format!("\"platform\": {unknown} is not one of {}", PLATFORMS.join(", "))));
    }
    let search = request.query("search").unwrap_or_default().to_lowercase();
    let has = |values: &[String], item: &Value| {
        values.is_empty() || item.as_str().is_some_and(|text| values.iter().any(|value| value == text))
    };
    let fits = |item: &&Value| {
        has(&ids, &item["id"])
            && has(&values, &item[filter])
            && item["name"].as_str().is_some_and(|name| name.to_lowercase().contains(&search))
    };
    let items: Vec<&Value> = store.objects.shelves.list(ID, shelf).map(|(_, item)| item).filter(fits).collect();
    let shown: Vec<Value> = items.iter().copied().skip((page - 1).saturating_mul(size)).take(size).cloned().collect();
    let pages = items.len().div_ceil(size);
    Ok(Answer::ok(shown.into())
        .with("vungle-pagination-page", &page.to_string())
        .with("vungle-pagination-per-page", &size.to_string())
        .with("vungle-pagination-total-pages", &pages.to_string())
        .with("vungle-pagination-total-count", &items.len().to_string()))
}

fn find<'a>(store: &'a Store, shelf: &str, id: &str) -> Result<&'a Value, Answer> {
    let found = store.objects.shelves.get(ID, shelf, id);
    found.ok_or_else(|| refusal(404, format!("The {shelf} {id} was not found.")))
}

pub fn get(store: &Store, shelf: &str, id: &str) -> Result<Answer, Answer> {
    find(store, shelf, id).cloned().map(Answer::ok)
}

fn listing(body: &Fields) -> Result<(), String> {
    let Some(listing) = body.object("store")? else { return Ok(()) };
    listing.need_text("id")?;
    listing.need_text("category")?;
    listing.flag("isPaid")?;
    listing.flag("isManual")?;
    listing.text("url")?;
    listing.text("thumbnail")?;
    Ok(())
}

/// Checks a default price, and prices by country.
fn prices(body: &Fields, name: &str) -> Result<(), String> {
    let Some(prices) = body.object(name)? else { return Ok(()) };
    prices.number("default", 0.0, 10_000.0)?;
    let Some(geo) = prices.raw("geo") else { return Ok(()) };
    let geo = geo.as_object().ok_or_else(|| format!("{name}.geo must be an object"))?;
    for (country, price) in geo {
        if country.len() != 2 || price.as_f64().is_none_or(|price| price < 0.0) {
            return Err(format!("{name}.geo.{country} must be a price for a two-letter country code"));
        }
    }
    Ok(())
}

fn stamp(inner: &Inner, object: &mut Value, made: bool) {
    let now = inner.now().strftime("%Y-%m-%dT%H:%M:%S.000Z").to_string();
    if made {
        object["created"] = json!(now);
    }
    object["updated"] = json!(now);
}

pub fn create_application(inner: &Inner, store: &Store, body: &Value) -> Done {
    let body = Fields::of(body, "").map_err(bad)?;
    let check = || -> Result<(), String> {
        body.need_text("name")?;
        body.need_choice("platform", &PLATFORMS)?;
        body.need("isCoppa")?;
        body.flag("isCoppa")?;
        listing(&body)
    };
    check().map_err(bad)?;
    let listed = |app: &Value| body.raw("store").is_some_and(|it| it["id"] == app["store"]["id"]);
    let twin = |app: &Value| {
        Some(&app["platform"]) == body.raw("platform") && (listed(app) || Some(&app["name"]) == body.raw("name"))
    };
    if store.objects.shelves.list(ID, "application").any(|(_, app)| twin(app)) {
        return Err(refusal(409, "An application with this name or store id already exists."));
    }
    let id = names::hex_id(&[1406, store.next_seq()], 24);
    let mut app = json!({
        "id": id,
        "status": "test",
        "orientation": "both",
        "forceView": { "rewarded": true, "nonRewarded": false },
        "minOs": 0,
        "maxVideoLength": 60,
        "connection": "all",
        "tagFilters": { "blacklist": [] },
        "testDevices": [],
    });
    merge(&mut app, &body, &["name", "platform", "isCoppa", "store"]);
    stamp(inner, &mut app, true);
    Ok((Answer::json(201, app.clone()), vec![put("application", &id, &app)]))
}

pub fn update_application(inner: &Inner, store: &Store, id: &str, body: &Value) -> Done {
    let mut app = find(store, "application", id)?.clone();
    let body = Fields::of(body, "").map_err(bad)?;
    let check = || -> Result<(), String> {
        body.need_text("name")?;
        body.need("isCoppa")?;
        body.flag("isCoppa")?;
        body.need("tagFilters")?;
        if let Some(filters) = body.object("tagFilters")? {
            filters.texts("blacklist")?;
        }
        listing(&body)?;
        body.choice("orientation", &["landscape", "portrait", "both"])?;
        if let Some(force) = body.object("forceView")? {
            force.flag("rewarded")?;
            force.flag("nonRewarded")?;
        }
        body.number("minOs", 0.0, 1000.0)?;
        body.integer("maxVideoLength", 15, 60)?;
        body.choice("connection", &["wifi", "all"])?;
        body.text("callbackURL")?;
        body.choice("status", &["active", "inactive", "test"])?;
        body.list("testDevices")?;
        prices(&body, "flatCPMCap")
    };
    check().map_err(bad)?;
    let names = [
        "name",
        "isCoppa",
        "tagFilters",
        "store",
        "orientation",
        "forceView",
        "minOs",
        "maxVideoLength",
        "connection",
        "callbackURL",
        "status",
        "testDevices",
        "flatCPMCap",
    ];
    merge(&mut app, &body, &names);
    stamp(inner, &mut app, false);
    Ok((Answer::ok(app.clone()), vec![put("application", id, &app)]))
}

fn placement(body: &Fields, kind: &str) -> Result<(), String> {
    for name in ["allowEndCards", "isSkippable", "isFlatCPMEnabled"] {
        body.flag(name)?;
    }
    prices(body, "cpmFloor")?;
    prices(body, "flatCPM")?;
    if body.raw("flatCPM").is_some() && body.flag("isFlatCPMEnabled")? != Some(true) {
        return Err("flatCPM needs isFlatCPMEnabled".to_owned());
    }
    if let Some(banner) = body.object("banner")? {
        if kind != "banner" && kind != "mrec" {
            return Err(format!("banner goes with a placement of type banner or mrec, this one is {kind}"));
        }
        banner.number("adRefreshDuration", 10.0, 240.0)?;
        banner.flag("isRefreshEnabled")?;
    }
    Ok(())
}

const PARTS: [&str; 7] = ["name", "allowEndCards", "isSkippable", "cpmFloor", "flatCPM", "isFlatCPMEnabled", "banner"];

pub fn create_placement(inner: &Inner, store: &Store, body: &Value) -> Done {
    let body = Fields::of(body, "").map_err(bad)?;
    let check = || -> Result<(&str, &str), String> {
        let app = body.need_text("application")?;
        body.need_text("name")?;
        let kind = body.need_choice("type", &TYPES)?;
        body.flag("isHBParticipation")?;
        placement(&body, kind)?;
        Ok((app, kind))
    };
    let (app, kind) = check().map_err(bad)?;
    find(store, "application", app)?;
    let twin = |it: &Value| it["application"] == app && Some(&it["name"]) == body.raw("name");
    if store.objects.shelves.list(ID, "placement").any(|(_, it)| twin(it)) {
        return Err(refusal(409, "A placement with this name already exists in the application."));
    }
    let id = names::hex_id(&[1407, store.next_seq()], 24);
    let name = body.text("name").map_err(bad)?.unwrap_or_default();
    let mut made = json!({
        "id": id,
        "application": app,
        "type": kind,
        "status": "active",
        "isHBParticipation": false,
        "allowEndCards": true,
        "isSkippable": kind != "rewarded",
        "isFlatCPMEnabled": false,
        "referenceID": seed::reference(name, usize::try_from(store.next_seq()).unwrap_or(0) + 1000),
    });
    merge(&mut made, &body, &PARTS);
    merge(&mut made, &body, &["isHBParticipation"]);
    stamp(inner, &mut made, true);
    Ok((Answer::json(201, made.clone()), vec![put("placement", &id, &made)]))
}

pub fn update_placement(inner: &Inner, store: &Store, id: &str, body: &Value) -> Done {
    let mut changed = find(store, "placement", id)?.clone();
    let body = Fields::of(body, "").map_err(bad)?;
    let kind = changed["type"].as_str().unwrap_or_default().to_owned();
    let check = || -> Result<(), String> {
        body.need_text("name")?;
        body.choice("videoOrientationOverride", &["none", "portrait", "landscape", "both"])?;
        body.choice("status", &["active", "inactive"])?;
        placement(&body, &kind)
    };
    check().map_err(bad)?;
    merge(&mut changed, &body, &PARTS);
    merge(&mut changed, &body, &["videoOrientationOverride", "status"]);
    stamp(inner, &mut changed, false);
    Ok((Answer::ok(changed.clone()), vec![put("placement", id, &changed)]))
}
