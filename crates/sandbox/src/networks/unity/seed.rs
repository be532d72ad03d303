//! The apps, ad units, groups, instances, placements and projects that every sandbox starts with. This file holds no traffic or revenue.

use serde_json::{Map, Value, json};

use super::{BOOK, app_key, unit_id};
use crate::networks::{Seeded, Seeds, names};
use crate::world::apps::APPS;
use crate::world::sources::SOURCES;

/// Returns `LevelPlay`'s word for a format.
pub fn ad_format(format: &str) -> &'static str {
    match format {
        "BANNER" => "banner",
        "NATIVE" => "native",
        "REWARDED" | "REWARDED_INTERSTITIAL" => "rewarded",
        _ => "interstitial",
    }
}

/// Returns the older word for a format, which placements and instances still use.
pub fn old_format(format: &str) -> &str {
    if format == "rewarded" { "rewardedVideo" } else { format }
}

/// Returns the Unity Ads game of an app.
pub fn game_id(app: usize) -> String {
    names::number_id(&[1204, app as u64], 7).to_string()
}

/// Returns the Unity Ads placement of an ad unit; in reality, people choose this name.
pub fn placement_name(format: &str, platform: &str, bidding: bool) -> String {
    let word = match ad_format(format) {
        "banner" => "Banner",
        "rewarded" => "Rewarded",
        _ => "Interstitial",
    };
    let system = if platform == "IOS" { "iOS" } else { "Android" };
    if bidding { format!("{word}_{system}_Bidding") } else { format!("{word}_{system}") }
}

/// Returns the project of an app. Both platforms of a game share one project.
pub fn project_id(app: usize) -> String {
    let first = APPS.iter().position(|it| it.name == APPS[app].name && it.account == APPS[app].account).unwrap_or(app);
    let hex = names::hex_id(&[1205, first as u64], 32);
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

pub fn instance_id(unit: usize, source: usize) -> u64 {
    names::number_id(&[1206, unit as u64, source as u64], 7)
}

pub fn group_id(unit: usize) -> u64 {
    names::number_id(&[1207, unit as u64], 7)
}

/// The index of `AppLovin` (bidding) in `SOURCES`. Every app has an instance of it in addition to Unity's own.
const APPLOVIN: usize = 2;

fn instance(unit: usize, source: usize, format: &str, app: usize) -> Value {
    let it = &SOURCES[source];
    let own = source != APPLOVIN;
    let network = if own { "UnityAds" } else { "AppLovin" };
    let kind = if it.bidding { "Bidding" } else { "Waterfall" };
    let mut object = json!({
        "instanceId": instance_id(unit, source),
        "instanceName": format!("{network} {kind}"),
        "adUnit": old_format(ad_format(format)),
        "adFormat": ad_format(format),
        "networkName": network,
        "isBidder": it.bidding,
        "appConfig1": if own { game_id(app) } else { names::hex_id(&[1208, app as u64], 12) },
        "instanceConfig1": if own { placement_name(format, APPS[app].platform, it.bidding) } else { crate::networks::applovin::zone_id(source, unit) },
        "groups": [group_id(unit)],
        "isLive": true,
    });
    if !it.bidding {
        object["rate"] = json!(2.5);
    }
    object
}

fn reward(name: &str, format: &str) -> Option<Value> {
    (ad_format(format) == "rewarded")
        .then(|| json!({ "rewardItemName": if name.contains("Coins") { "Coins" } else { "Life" }, "rewardAmount": 1 }))
}

pub fn objects(seeds: &Seeds) -> Vec<Seeded> {
    let mut seeded: Vec<Seeded> = Vec::new();
    for (index, app) in names::apps(BOOK.sources, seeds.units, seeds.leaves) {
        let key = app_key(index);
        let mut object = json!({
            "appKey": key,
            "appName": app.name,
            "appStatus": "active",
            "bundleId": names::package(app),
            "platform": if app.platform == "IOS" { "iOS" } else { "Android" },
            "taxonomy": "Puzzle",
            "creationDate": "2024-01-08",
            "coppa": false,
            "ccpa": "false",
            "adUnits": { "rewardedVideo": "Live", "interstitial": "Live", "banner": "Live" },
        });
        if let Some(url) = names::store_url(app) {
            object["storeUrl"] = json!(url);
        }
        seeded.push(("app", key.clone(), object));
        let defaults = [
            ("rewardedVideo", "DefaultRewardedVideo"),
            ("interstitial", "DefaultInterstitial"),
            ("banner", "DefaultBanner"),
        ];
        for (number, (format, name)) in defaults.into_iter().enumerate() {
            let id = names::number_id(&[1210, index as u64, number as u64], 6);
            let mut placement = json!({
                "id": id,
                "adUnit": format,
                "name": name,
                "adDelivery": 1,
                "capping": { "enabled": 0 },
                "pacing": { "enabled": 0 },
            });
            if number == 0 {
                placement["itemName"] = json!("Life");
                placement["rewardAmount"] = json!(1);
            }
            seeded.push(("placement", format!("{key}/{id}"), placement));
        }
    }
    units(seeds, &mut seeded);
    projects(seeds, &mut seeded);
    seeded
}

fn units(seeds: &Seeds, seeded: &mut Vec<Seeded>) {
    let pairs = BOOK.pairs(seeds.leaves);
    let mut units: Vec<usize> = pairs.iter().map(|(unit, _)| *unit).collect();
    units.dedup();
    for unit in units {
        let seed = &seeds.units[unit];
        let (key, format) = (app_key(seed.app), ad_format(seed.format));
        let mut object = json!({
            "mediationAdUnitId": unit_id(unit),
            "mediationAdUnitName": seed.wire.display_name,
            "adFormat": format,
            "isPaused": false,
            "settings": [{ "testGroup": "A", "cappingEnabled": false, "pacingEnabled": false }],
        });
        if let Some(reward) = reward(&seed.wire.display_name, seed.format) {
            object["reward"] = reward;
        }
        if format == "banner" {
            object["settings"][0]["bannerRefreshRate"] = json!(30);
        }
        let mut served = Vec::new();
        let sources = pairs.iter().filter(|(it, _)| *it == unit).map(|(_, source)| *source).chain([APPLOVIN]);
        for source in sources {
            let instance = instance(unit, source, seed.format, seed.app);
            let mut entry = json!({
                "id": instance["instanceId"],
                "name": instance["instanceName"],
                "networkName": instance["networkName"],
                "isBidder": instance["isBidder"],
            });
            if !SOURCES[source].bidding {
                entry["groupRate"] = instance["rate"].clone();
            }
            served.push(entry);
            seeded.push(("instance", format!("{key}/{}", instance["instanceId"]), instance));
        }
        let group = group_id(unit);
        let object_of_group = json!({
            "groupId": group,
            "groupName": "All Countries",
            "mediationAdUnitId": unit_id(unit),
            "mediationAdUnitName": seed.wire.display_name,
            "adFormat": format,
            "abTest": "N/A",
            "position": 1,
            "countries": [],
            "segments": [],
            "instances": served,
        });
        seeded.push(("ad_unit", format!("{key}/{}", unit_id(unit)), object));
        seeded.push(("group", format!("{key}/{group}"), object_of_group));
    }
}

/// Adds the projects, with the Unity Ads units of both stores.
fn projects(seeds: &Seeds, seeded: &mut Vec<Seeded>) {
    let apps = names::apps(BOOK.sources, seeds.units, seeds.leaves);
    for (index, app) in &apps {
        let id = project_id(*index);
        let store = if app.platform == "IOS" { "apple" } else { "google" };
        let known = seeded.iter().position(|(shelf, it, _)| *shelf == "project" && *it == id);
        let at = known.unwrap_or_else(|| {
            let project = json!({ "id": id, "name": app.name, "organizationId": "1048210377", "stores": {} });
            seeded.push(("project", id.clone(), project));
            seeded.len() - 1
        });
        seeded[at].2["stores"][store] = json!({ "gameId": game_id(*index), "storeId": app.store });
        let mut units = Map::new();
        for (unit, source) in BOOK.pairs(seeds.leaves) {
            let seed = &seeds.units[unit];
            if seed.app == *index {
                let name = placement_name(seed.format, app.platform, SOURCES[source].bidding);
                let placement = json!({
                    "id": name,
                    "name": name,
                    "placementType": if SOURCES[source].bidding { "bidding" } else { "waterfall" },
                });
                let unit =
                    json!({ "id": name, "name": name, "adFormat": ad_format(seed.format), "placements": [placement] });
                units.insert(name, unit);
            }
        }
        seeded.push(("project_units", format!("{id}/{store}"), Value::Object(units)));
    }
}
