//! Apps, placements and `FairBid` instances. IDs come in the query, as text.

use serde_json::{Value, json};

use super::{ID, bad, gone, put, refusal, seed};
use crate::journal::Effect;
use crate::networks::body::{Fields, merge};
use crate::networks::{Answer, Done, Request, names};
use crate::state::Store;

/// A kind of object: its shelf, the name of its ID field, its parent and the field with the parent's ID.
struct Kind {
    shelf: &'static str,
    id: &'static str,
    parent: Option<(&'static str, &'static str)>,
    fields: &'static [&'static str],
}

const KINDS: [Kind; 3] = [
    Kind {
        shelf: "app",
        id: "appId",
        parent: None,
        fields: &["name", "category1", "category2", "coppa", "storeURL", "rewardedAdUrl", "status"],
    },
    Kind {
        shelf: "placement",
        id: "placementId",
        parent: Some(("app", "appId")),
        fields: &[
            "name",
            "coppa",
            "creativeTypes",
            "bannerRefresh",
            "floorPrices",
            "targetingEnabled",
            "geo",
            "connectivity",
            "capping",
            "pacing",
            "skipability",
            "ssrConfig",
            "status",
        ],
    },
    Kind {
        shelf: "instance",
        id: "instanceInternalId",
        parent: Some(("placement", "placementId")),
        fields: &[
            "name",
            "status",
            "instanceId",
            "userTrackingStatus",
            "targetedCountries",
            "cpmPriceMethod",
            "cpmManualPrices",
            "capping",
            "pacing",
        ],
    },
];

/// Returns the kind that an operation is about.
fn kind(operation: &str) -> &'static Kind {
    KINDS.iter().find(|kind| operation.contains(&format!("_{}", kind.shelf))).unwrap_or(&KINDS[0])
}

fn find<'a>(store: &'a Store, shelf: &str, id: &str) -> Result<&'a Value, Answer> {
    let found = store.objects.shelves.get(ID, shelf, id);
    found.ok_or_else(|| refusal(404, format!("The {shelf} {id} was not found.")))
}

/// Returns the objects whose field has this value.
fn children<'a>(store: &'a Store, shelf: &str, field: &str, value: &str) -> Vec<(&'a str, &'a Value)> {
    let fits = |item: &Value| item[field] == value;
    store.objects.shelves.list(ID, shelf).filter(|(_, item)| fits(item)).collect()
}

fn need<'a>(request: &'a Request, name: &str) -> Result<&'a str, Answer> {
    request.query(name).ok_or_else(|| bad(format!("The parameter {name} is required.")))
}

pub fn read(store: &Store, operation: &str, request: &Request) -> Result<Answer, Answer> {
    let kind = kind(operation);
    if operation.contains("_get_") {
        return find(store, kind.shelf, need(request, kind.id)?).cloned().map(Answer::ok);
    }
    let (field, value) = match kind.parent {
        None => {
            let publisher = need(request, "publisherId")?;
            if publisher != seed::publisher() {
                return Err(refusal(403, format!("The client has no permission for publisher {publisher}.")));
            }
            ("publisherId", publisher)
        }
        Some((parent, field)) => {
            let id = need(request, field)?;
            find(store, parent, id)?;
            (field, id)
        }
    };
    Ok(Answer::ok(children(store, kind.shelf, field, value).into_iter().map(|(_, item)| item.clone()).collect()))
}

pub fn write(store: &Store, operation: &str, request: &Request, body: &Value) -> Done {
    let kind = kind(operation);
    if operation.contains("_create_") {
        return create(store, kind, &Fields::of(body, "").map_err(bad)?);
    }
    let id = need(request, kind.id)?;
    let old = find(store, kind.shelf, id)?;
    if operation.contains("_delete_") {
        return Ok((Answer::bytes(204, "application/json", Vec::new()), removed(store, kind.shelf, id)));
    }
    let body = Fields::of(body, "").map_err(bad)?;
    check(kind, &body, old["placementType"].as_str().unwrap_or_default()).map_err(bad)?;
    let mut new = old.clone();
    merge(&mut new, &body, kind.fields);
    Ok((Answer::ok(new.clone()), vec![put(kind.shelf, id, &new)]))
}

/// Removes an object together with everything below it.
fn removed(store: &Store, shelf: &str, id: &str) -> Vec<Effect> {
    let mut effects = vec![gone(shelf, id)];
    for kind in KINDS.iter().filter(|kind| kind.parent.is_some_and(|(parent, _)| parent == shelf)) {
        let field = kind.parent.map_or("", |(_, field)| field);
        for (child, _) in children(store, kind.shelf, field, id) {
            effects.extend(removed(store, kind.shelf, child));
        }
    }
    effects
}

fn create(store: &Store, kind: &'static Kind, body: &Fields) -> Done {
    let mut object = json!({ "status": "active" });
    let format = match kind.shelf {
        "app" => {
            for name in ["name", "category1", "bundle"] {
                body.need_text(name).map_err(bad)?;
            }
            body.need("coppa").map_err(bad)?;
            body.need_choice("platform", &["android", "ios"]).map_err(bad)?;
            object["publisherId"] = json!(seed::publisher());
            merge(&mut object, body, &["bundle", "platform"]);
            ""
        }
        "placement" => {
            body.need_text("name").map_err(bad)?;
            body.need("coppa").map_err(bad)?;
            let types = ["Banner", "Rewarded", "Interstitial", "MREC"];
            let format = body.need_choice("placementType", &types).map_err(bad)?;
            merge(&mut object, body, &["appId", "placementType"]);
            format
        }
        _ => {
            for name in ["name", "mediatedNetworkName", "status"] {
                body.need_text(name).map_err(bad)?;
            }
            merge(&mut object, body, &["placementId", "mediatedNetworkName"]);
            ""
        }
    };
    check(kind, body, format).map_err(bad)?;
    let parent = match kind.parent {
        None => ("publisherId", seed::publisher()),
        Some((shelf, field)) => {
            let id = body.need_text(field).map_err(bad)?;
            find(store, shelf, id)?;
            (field, id)
        }
    };
    let same = |item: &Value| match kind.shelf {
        "app" => Some(&item["bundle"]) == body.raw("bundle") && Some(&item["platform"]) == body.raw("platform"),
        _ => Some(&item["name"]) == body.raw("name"),
    };
    if children(store, kind.shelf, parent.0, parent.1).iter().any(|(_, item)| same(item)) {
        return Err(refusal(409, format!("The {} already exists.", kind.shelf)));
    }
    let digits = match kind.shelf {
        "app" => 6,
        "placement" => 7,
        _ => 8,
    };
    let id = names::number_id(&[1705, store.next_seq()], digits).to_string();
    object[kind.id] = json!(id);
    merge(&mut object, body, kind.fields);
    Ok((Answer::json(201, object.clone()), vec![put(kind.shelf, &id, &object)]))
}

fn check(kind: &Kind, body: &Fields, format: &str) -> Result<(), String> {
    for name in ["name", "category1", "category2", "storeURL", "rewardedAdUrl", "skipability", "instanceId"] {
        body.text(name)?;
    }
    body.flag("coppa")?;
    body.flag("targetingEnabled")?;
    body.choice("status", &["active", "inactive"])?;
    body.choice("cpmPriceMethod", &["MANUAL", "AUTO"])?;
    body.integer("bannerRefresh", 0, 3600)?;
    if kind.shelf == "placement" {
        if body.raw("bannerRefresh").is_some() && !["Banner", "MREC"].contains(&format) {
            return Err(format!("bannerRefresh goes with banners only, this placement is {format}"));
        }
        for kind in body.texts("creativeTypes")?.unwrap_or_default() {
            if format != "Interstitial" || !["video", "display"].contains(&kind.as_str()) {
                return Err("creativeTypes goes with interstitials, and takes video and display".to_owned());
            }
        }
    }
    for name in ["floorPrices", "cpmManualPrices"] {
        for (path, item) in body.list(name)?.unwrap_or_default() {
            let price = Fields::of(item, &path)?;
            let country = price.need_text("country")?;
            if country.len() != 2 {
                return Err(format!("{path}.country: \"{country}\" is no two-letter country code or WW"));
            }
            price.need("price")?;
            price.number("price", 0.0, 10_000.0)?;
        }
    }
    for name in ["geo", "targetedCountries"] {
        if let Some(rule) = body.object(name)? {
            rule.flag("include")?;
            let codes = rule.texts("countries")?.unwrap_or_default();
            if let Some(code) = codes.iter().find(|code| code.len() != 2) {
                return Err(format!("{name}.countries: \"{code}\" is no two-letter country code"));
            }
        }
    }
    for name in ["capping", "pacing"] {
        if let Some(limit) = body.object(name)? {
            limit.flag("enabled")?;
            limit.integer("value", 1, 1_000_000)?;
            limit.choice("unit", &["second", "minute", "hour", "day"])?;
        }
    }
    Ok(())
}
