//! The apps and placements that every sandbox starts with. This file holds no traffic or revenue.

use serde_json::json;

use super::{BOOK, app_id, placement_id};
use crate::networks::{Seeded, Seeds, names};
use crate::world::sources::SOURCES;

/// Returns `InMobi`'s word for a format.
pub fn placement_type(format: &str) -> &'static str {
    match format {
        "BANNER" => "BANNER",
        "NATIVE" => "NATIVE",
        "REWARDED" | "REWARDED_INTERSTITIAL" => "REWARDED_VIDEO",
        _ => "INTERSTITIAL",
    }
}

pub fn objects(seeds: &Seeds) -> Vec<Seeded> {
    let mut seeded: Vec<Seeded> = Vec::new();
    for (index, app) in names::apps(BOOK.sources, seeds.units, seeds.leaves) {
        let object = json!({
            "appId": app_id(index),
            "appName": app.name,
            "platform": if app.platform == "IOS" { "iOS" } else { "Android" },
            "bundleId": names::package(app),
            "storeUrl": names::store_url(app),
            "status": if app.store.is_some() { "ACTIVE" } else { "DRAFT" },
            "childDirected": 1,
            "locationAccess": false,
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
            "placementId": placement_id(unit),
            "appId": app_id(seed.app),
            "placementName": seed.wire.display_name,
            "placementType": placement_type(seed.format),
            "status": "ACTIVE",
            "isAudienceBiddingEnabled": bids,
            "cpmFloor": 0.4,
        });
        if bids {
            object["audienceBiddingPartner"] = json!("GOOGLE_SDK_BIDDING");
        }
        seeded.push(("placement", placement_id(unit).to_string(), object));
    }
    seeded
}
