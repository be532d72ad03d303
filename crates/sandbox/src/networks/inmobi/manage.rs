//! Apps and placements.

use serde_json::{Value, json};

use super::{ID, bad, ok, put, refusal};
use crate::networks::body::{Fields, merge};
use crate::networks::{Answer, Done, Request, names};
use crate::state::Store;

const PAGE: usize = 10;
const LARGEST_PAGE: usize = 500;
const STATUSES: [&str; 4] = ["ACTIVE", "DRAFT", "ARCHIVE", "FLAGGED"];
const TYPES: [&str; 4] = ["INTERSTITIAL", "BANNER", "REWARDED_VIDEO", "NATIVE"];
const PARTNERS: [&str; 13] = [
    "MAX",
    "AMAZON_TAM",
    "GOOGLE_OPEN_BIDDING",
    "CUSTOM_MEDIATION",
    "IRONSOURCE",
    "SPRINGSERVE",
    "PREBID",
    "FYBER",
    "ADMOST",
    "AEQUUS",
    "GAMEANALYTICS_HYPERBID",
    "CHARTBOOST",
    "GOOGLE_SDK_BIDDING",
];

fn number(request: &Request, name: &str, default: usize, most: usize) -> Result<usize, Answer> {
    match request.query(name) {
        None => Ok(default),
        Some(text) => {
            let number = text.parse().ok().filter(|number| (1..=most).contains(number));
            number.ok_or_else(|| bad(format!("{name} must be a number from 1 to {most}")))
        }
    }
}

fn list(store: &Store, request: &Request, shelf: &str, fits: impl Fn(&Value) -> bool) -> Result<Answer, Answer> {
    let (page, size) = (number(request, "pageNum", 1, usize::MAX)?, number(request, "pageLength", PAGE, LARGEST_PAGE)?);
    if let Some(status) = request.query("status").filter(|status| !STATUSES.contains(status)) {
        return Err(bad(format!("status: \"{status}\" is not one of {}", STATUSES.join(", "))));
    }
    let items: Vec<&Value> = store
        .objects
        .shelves
        .list(ID, shelf)
        .map(|(_, item)| item)
        .filter(|item| request.query("status").is_none_or(|status| item["status"] == status) && fits(item))
        .collect();
    let records: Vec<&Value> = items.iter().copied().skip((page - 1).saturating_mul(size)).take(size).collect();
    let data = json!({ "records": records, "totalRecords": items.len(), "pageNum": page, "pageLength": size });
    Ok(ok(200, &data))
}

pub fn list_apps(store: &Store, request: &Request) -> Result<Answer, Answer> {
    list(store, request, "app", |_| true)
}

pub fn list_placements(store: &Store, request: &Request) -> Result<Answer, Answer> {
    let app = request.query("appId").ok_or_else(|| bad("appId is required"))?;
    let id = find(store, "app", app)?["appId"].clone();
    list(store, request, "placement", |placement| placement["appId"] == id)
}

fn find<'a>(store: &'a Store, shelf: &str, id: &str) -> Result<&'a Value, Answer> {
    let found = store.objects.shelves.get(ID, shelf, id);
    found.ok_or_else(|| refusal(404, format!("The {shelf} {id} was not found.")))
}

pub fn get(store: &Store, shelf: &str, id: &str) -> Result<Answer, Answer> {
    find(store, shelf, id).map(|object| ok(200, object))
}

fn app_fields(body: &Fields) -> Result<(), String> {
    body.text("appName")?;
    body.integer("childDirected", 1, 3)?;
    body.flag("locationAccess")?;
    Ok(())
}

pub fn create_app(store: &Store, body: &Value) -> Done {
    let body = Fields::of(body, "").map_err(bad)?;
    let check = || -> Result<(&str, String), String> {
        let url = body.need_text("storeUrl")?;
        body.need("childDirected")?;
        body.need("locationAccess")?;
        app_fields(&body)?;
        if let Some((_, id)) = url.split_once("play.google.com/store/apps/details?id=") {
            Ok(("Android", id.split('&').next().unwrap_or_default().to_owned()))
        } else if url.contains("apps.apple.com/") {
            let id = url.rsplit('/').next().unwrap_or_default().split('?').next().unwrap_or_default();
            Ok(("iOS", id.trim_start_matches("id").to_owned()))
        } else {
            Err(format!("storeUrl: \"{url}\" is no address of Google Play or the App Store"))
        }
    };
    let (platform, bundle) = check().map_err(bad)?;
    if store.objects.shelves.list(ID, "app").any(|(_, app)| Some(&app["storeUrl"]) == body.raw("storeUrl")) {
        return Err(bad("An app with this storeUrl already exists."));
    }
    let id = names::number_id(&[1504, store.next_seq()], 13);
    let mut app = json!({
        "appId": id,
        "appName": bundle.rsplit('.').next().unwrap_or(&bundle),
        "platform": platform,
        "bundleId": bundle,
        "status": "ACTIVE",
    });
    merge(&mut app, &body, &["storeUrl", "appName", "childDirected", "locationAccess"]);
    Ok((ok(201, &app), vec![put("app", &id.to_string(), &app)]))
}

pub fn update_app(store: &Store, id: &str, body: &Value) -> Done {
    let mut app = find(store, "app", id)?.clone();
    let body = Fields::of(body, "").map_err(bad)?;
    app_fields(&body).map_err(bad)?;
    merge(&mut app, &body, &["appName", "childDirected", "locationAccess"]);
    Ok((ok(200, &app), vec![put("app", id, &app)]))
}

const PLACEMENT: [&str; 7] = [
    "placementName",
    "isAudienceBiddingEnabled",
    "audienceBiddingPartner",
    "a9TagId",
    "a9AppId",
    "cpmFloor",
    "isFallbackPlacement",
];

fn placement_fields(body: &Fields) -> Result<(), String> {
    body.text("placementName")?;
    let bids = body.flag("isAudienceBiddingEnabled")?;
    let partner = body.choice("audienceBiddingPartner", &PARTNERS)?;
    if partner.is_some() && bids == Some(false) {
        return Err("audienceBiddingPartner needs isAudienceBiddingEnabled".to_owned());
    }
    for name in ["a9TagId", "a9AppId"] {
        if body.text(name)?.is_some() && partner.is_some_and(|partner| partner != "AMAZON_TAM") {
            return Err(format!("{name} goes with audienceBiddingPartner AMAZON_TAM only"));
        }
    }
    body.number("cpmFloor", 0.0, 10_000.0)?;
    body.flag("isFallbackPlacement")?;
    Ok(())
}

pub fn create_placement(store: &Store, body: &Value) -> Done {
    let body = Fields::of(body, "").map_err(bad)?;
    let check = || -> Result<i64, String> {
        let app = body.need_integer("appId", 1, i64::MAX)?;
        body.need_choice("placementType", &TYPES)?;
        body.need_text("placementName")?;
        body.need("isAudienceBiddingEnabled")?;
        placement_fields(&body)?;
        Ok(app)
    };
    let app = check().map_err(bad)?;
    find(store, "app", &app.to_string())?;
    let twin = |it: &Value| it["appId"] == json!(app) && Some(&it["placementName"]) == body.raw("placementName");
    if store.objects.shelves.list(ID, "placement").any(|(_, it)| twin(it)) {
        return Err(bad("A placement with this placementName already exists in the app."));
    }
    let id = names::number_id(&[1505, store.next_seq()], 13);
    let mut placement = json!({ "placementId": id, "appId": app, "status": "ACTIVE" });
    merge(&mut placement, &body, &["placementType"]);
    merge(&mut placement, &body, &PLACEMENT);
    Ok((ok(201, &placement), vec![put("placement", &id.to_string(), &placement)]))
}

pub fn update_placement(store: &Store, id: &str, body: &Value) -> Done {
    let mut placement = find(store, "placement", id)?.clone();
    let body = Fields::of(body, "").map_err(bad)?;
    placement_fields(&body).map_err(bad)?;
    merge(&mut placement, &body, &PLACEMENT);
    Ok((ok(200, &placement), vec![put("placement", id, &placement)]))
}
