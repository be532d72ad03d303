//! The apps, placements and instances that every sandbox starts with. This file holds no traffic or revenue.

use serde_json::json;

use super::{BOOK, ID, app_id, placement_id};
use crate::credentials::{self, Standing};
use crate::networks::{Seeded, Seeds, names};
use crate::world::apps::APPS;

/// Returns DT Exchange's word for a format.
pub fn placement_type(format: &str) -> &'static str {
    match format {
        "BANNER" => "Banner",
        "REWARDED" | "REWARDED_INTERSTITIAL" => "Rewarded",
        _ => "Interstitial",
    }
}

pub fn publisher() -> &'static str {
    credentials::of(ID, Standing::Valid).and_then(|set| set.field("publisher_id")).unwrap_or_default()
}

pub fn objects(seeds: &Seeds) -> Vec<Seeded> {
    let mut seeded: Vec<Seeded> = Vec::new();
    for (index, app) in names::apps(BOOK.sources, seeds.units, seeds.leaves) {
        let object = json!({
            "appId": app_id(index),
            "publisherId": publisher(),
            "name": app.name,
            "bundle": app.store.map_or_else(|| names::package(app), str::to_owned),
            "platform": names::platform(app),
            "category1": "Games",
            "category2": "Puzzle",
            "coppa": false,
            "storeURL": names::store_url(app).unwrap_or_default(),
            "status": "active",
        });
        seeded.push(("app", app_id(index), object));
    }
    let mut units: Vec<usize> = BOOK.pairs(seeds.leaves).into_iter().map(|(unit, _)| unit).collect();
    units.dedup();
    for unit in units {
        let seed = &seeds.units[unit];
        let mut object = json!({
            "placementId": placement_id(unit),
            "appId": app_id(seed.app),
            "name": seed.wire.display_name,
            "placementType": placement_type(seed.format),
            "coppa": false,
            "floorPrices": [{ "country": "WW", "price": 0.3 }, { "country": "US", "price": 3.5 }],
            "capping": { "enabled": false },
            "pacing": { "enabled": false },
            "status": "active",
        });
        if seed.format == "BANNER" {
            object["bannerRefresh"] = json!(30);
        }
        seeded.push(("placement", placement_id(unit), object));
        let instance = names::number_id(&[1704, unit as u64], 8).to_string();
        let object = json!({
            "instanceInternalId": instance,
            "placementId": placement_id(unit),
            "name": format!("AppLovin {}", APPS[seed.app].platform),
            "mediatedNetworkName": "AppLovin",
            "instanceId": crate::networks::applovin::zone_id(1, unit),
            "status": "active",
            "cpmPriceMethod": "MANUAL",
            "cpmManualPrices": [{ "country": "WW", "price": 2.5 }],
        });
        seeded.push(("instance", instance, object));
    }
    seeded
}
