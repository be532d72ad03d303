//! The apps, placements and ad units that every sandbox starts with. This file holds no traffic or revenue.

use serde_json::json;

use super::{BOOK, app_id, placement_id, unit_id};
use crate::networks::{Seeded, Seeds, names};
use crate::world::sources::SOURCES;

/// Returns Mintegral's word for a format.
pub fn ad_type(format: &str) -> &'static str {
    match format {
        "BANNER" => "banner",
        "NATIVE" => "native",
        "REWARDED" | "REWARDED_INTERSTITIAL" => "rewarded_video",
        "APP_OPEN" => "splash_ad",
        _ => "new_interstitial",
    }
}

pub fn unit_name(display_name: &str, bidding: bool) -> String {
    format!("{display_name} {}", if bidding { "HB" } else { "WF" })
}

pub fn objects(seeds: &Seeds) -> Vec<Seeded> {
    let mut seeded: Vec<Seeded> = Vec::new();
    for (index, app) in names::apps(BOOK.sources, seeds.units, seeds.leaves) {
        let id = app_id(index);
        let package = match app.store {
            Some(store) if app.platform == "IOS" => format!("id{store}"),
            _ => names::package(app),
        };
        let object = json!({
            "app_id": id,
            "app_name": app.name,
            "os": app.platform,
            "package": package,
            "is_live_in_store": u8::from(app.store.is_some()),
            "store_url": names::store_url(app).unwrap_or_default(),
            "coppa": 0,
            "campaign_black_rule": 2,
            "black_category": "",
            "black_packagename": "",
            "mediation_platform": "14",
            "video_orientation": "both",
        });
        seeded.push(("app", id.to_string(), object));
    }
    let mut last = None;
    for (unit, source) in BOOK.pairs(seeds.leaves) {
        let seed = &seeds.units[unit];
        let name = &seed.wire.display_name;
        if last != Some(unit) {
            last = Some(unit);
            let object = json!({
                "placement_id": placement_id(unit),
                "placement_name": name,
                "app_id": app_id(seed.app),
                "ad_type": ad_type(seed.format),
                "integrate_type": "sdk",
                "content_type": "both",
            });
            seeded.push(("placement", placement_id(unit).to_string(), object));
        }
        let bidding = SOURCES[source].bidding;
        let mut object = json!({
            "unit_id": unit_id(unit, source),
            "unit_name": unit_name(name, bidding),
            "app_id": app_id(seed.app),
            "placement_id": placement_id(unit),
            "ad_type": ad_type(seed.format),
            "bidding_type": u8::from(bidding),
            "target_ecpm": {},
        });
        if !bidding {
            object["target_ecpm"] = json!({ "ALL": 1.2, "US": 6.5 });
        }
        seeded.push(("unit", unit_id(unit, source).to_string(), object));
    }
    seeded
}
