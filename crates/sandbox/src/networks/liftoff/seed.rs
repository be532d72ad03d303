//! The applications and placements that every sandbox starts with. This file holds no traffic or revenue.

use serde_json::json;

use super::{BOOK, application_id, placement_id};
use crate::networks::{Seeded, Seeds, names};
use crate::world::sources::SOURCES;

/// Returns Liftoff's word for a format.
pub fn placement_type(format: &str) -> &'static str {
    match format {
        "BANNER" => "banner",
        "NATIVE" => "native",
        "REWARDED" | "REWARDED_INTERSTITIAL" => "rewarded",
        "APP_OPEN" => "appopen",
        _ => "interstitial",
    }
}

/// Returns the reference ID by which people and mediators know a placement.
pub fn reference(name: &str, unit: usize) -> String {
    let word: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    format!("{}-{:07}", word.to_uppercase(), names::number_id(&[1404, unit as u64], 7))
}

pub fn objects(seeds: &Seeds) -> Vec<Seeded> {
    let mut seeded: Vec<Seeded> = Vec::new();
    for (index, app) in names::apps(BOOK.sources, seeds.units, seeds.leaves) {
        let id = application_id(index);
        let mut object = json!({
            "id": id,
            "name": app.name,
            "platform": names::platform(app),
            "status": "active",
            "isCoppa": false,
            "orientation": "both",
            "forceView": { "rewarded": true, "nonRewarded": false },
            "minOs": 0,
            "maxVideoLength": 60,
            "connection": "all",
            "tagFilters": { "blacklist": [] },
            "testDevices": [],
            "created": "2024-01-08T09:00:00.000Z",
            "updated": "2024-01-08T09:00:00.000Z",
        });
        if let (Some(store), Some(url)) = (app.store, names::store_url(app)) {
            object["store"] =
                json!({ "id": store, "category": "Puzzle: Other", "isPaid": false, "isManual": false, "url": url });
        }
        seeded.push(("application", id, object));
    }
    let pairs = BOOK.pairs(seeds.leaves);
    let mut units: Vec<usize> = pairs.iter().map(|(unit, _)| *unit).collect();
    units.dedup();
    for unit in units {
        let seed = &seeds.units[unit];
        let kind = placement_type(seed.format);
        let bids = pairs.iter().any(|(it, source)| *it == unit && SOURCES[*source].bidding);
        let mut object = json!({
            "id": placement_id(unit),
            "application": application_id(seed.app),
            "name": seed.wire.display_name,
            "referenceID": reference(&seed.wire.display_name, unit),
            "type": kind,
            "status": "active",
            "isHBParticipation": bids,
            "allowEndCards": true,
            "isSkippable": kind != "rewarded",
            "isFlatCPMEnabled": false,
            "cpmFloor": { "default": 0.5, "geo": { "US": 4.0 } },
            "created": "2024-01-08T09:00:00.000Z",
            "updated": "2024-01-08T09:00:00.000Z",
        });
        if kind == "banner" {
            object["banner"] = json!({ "adRefreshDuration": 30, "isRefreshEnabled": true });
        }
        seeded.push(("placement", placement_id(unit), object));
    }
    seeded
}
