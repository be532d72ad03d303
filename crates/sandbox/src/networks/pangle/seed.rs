//! The apps and ad slots that every sandbox starts with. This file holds no traffic or revenue.

use serde_json::json;

use super::{BOOK, app_id, slot_id};
use crate::networks::{Seeded, Seeds, names};
use crate::world::sources::SOURCES;

/// Returns Pangle's number for a format.
pub fn slot_type(format: &str) -> i64 {
    match format {
        "NATIVE" => 1,
        "BANNER" => 2,
        "APP_OPEN" => 3,
        "REWARDED" | "REWARDED_INTERSTITIAL" => 5,
        _ => 6,
    }
}

/// Returns the same number as text.
pub fn type_text(format: &str) -> &'static str {
    match slot_type(format) {
        1 => "1",
        2 => "2",
        3 => "3",
        5 => "5",
        _ => "6",
    }
}

pub fn objects(seeds: &Seeds) -> Vec<Seeded> {
    let mut seeded: Vec<Seeded> = Vec::new();
    for (index, app) in names::apps(BOOK.sources, seeds.units, seeds.leaves) {
        let object = json!({
            "app_id": app_id(index),
            "app_name": app.name,
            "os_type": names::platform(app),
            "package_name": names::package(app),
            "download_url": names::store_url(app).unwrap_or_default(),
            "app_category_code": 121_320,
            "status": if app.store.is_some() { 2 } else { 6 },
            "coppa_value": 0,
            "mask_rule_ids": [],
        });
        seeded.push(("app", app_id(index).to_string(), object));
    }
    let pairs = BOOK.pairs(seeds.leaves);
    let mut units: Vec<usize> = pairs.iter().map(|(unit, _)| *unit).collect();
    units.dedup();
    for unit in units {
        let seed = &seeds.units[unit];
        let bids = pairs.iter().any(|(it, source)| *it == unit && SOURCES[*source].bidding);
        let mut object = json!({
            "ad_slot_id": slot_id(unit),
            "ad_slot_name": seed.wire.display_name,
            "ad_slot_type": slot_type(seed.format),
            "app_id": app_id(seed.app),
            "app_name": crate::world::apps::APPS[seed.app].name,
            "bidding_type": u8::from(bids),
            "status": 2,
        });
        if !bids {
            object["cpm"] = json!(1.5);
            object["currency"] = json!("usd");
        }
        seeded.push(("slot", slot_id(unit).to_string(), object));
    }
    seeded
}
