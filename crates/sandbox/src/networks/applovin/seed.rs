//! The ad units, waterfalls, experiments and test devices that every sandbox starts with. This file holds no traffic or revenue.

use serde_json::{Value, json};

use super::{BOOK, unit_id, zone_id};
use crate::networks::{Seeded, Seeds, listing_of, names};
use crate::world::apps::APPS;
use crate::world::mix;
use crate::world::sources::SOURCES;

/// Returns MAX's word for a format.
pub fn ad_format(format: &str) -> &'static str {
    match format {
        "BANNER" => "BANNER",
        "NATIVE" => "NATIVE",
        "REWARDED" | "REWARDED_INTERSTITIAL" => "REWARD",
        _ => "INTER",
    }
}

/// Returns MAX's key for an ad source.
fn network_key(title: &str) -> String {
    let (name, bidding) = title.strip_suffix(" (bidding)").map_or((title, false), |name| (name, true));
    let base = match name.trim_end_matches(" (SDK)") {
        "AdMob Network" => return "ADMOB_BIDDING".to_owned(),
        "Meta Audience Network" => "FACEBOOK",
        "Liftoff Monetize" => "VUNGLE",
        "Pangle" => "TIKTOK",
        "DT Exchange" => "FYBER",
        "Unity Ads" => "UNITY",
        "ironSource Ads" => "IRONSOURCE",
        other => return format!("{}_{}", other.to_uppercase().replace([' ', '-'], "_"), kind(bidding)),
    };
    format!("{base}_{}", kind(bidding))
}

fn kind(bidding: bool) -> &'static str {
    if bidding { "BIDDING" } else { "NETWORK" }
}

/// Returns the settings of the ad networks in an ad unit's waterfall.
fn settings(seeds: &Seeds, unit: usize) -> Value {
    let mut sources: Vec<usize> =
        seeds.leaves.iter().filter(|leaf| leaf.unit == unit).map(|leaf| leaf.source).collect();
    sources.sort_unstable();
    sources.dedup();
    let setting = |source: usize| {
        let it = &SOURCES[source];
        let seed = &seeds.units[unit];
        // A network that is also simulated shows the same IDs that are set here.
        let (app, placement) = match listing_of(source) {
            _ if source == 0 => (seed.wire.app_id.clone(), seed.wire.ad_unit_id.clone()),
            Some(listing) if !BOOK.sources.contains(&source) => ((listing.app)(seed.app), (listing.unit)(unit)),
            _ => (names::hex_id(&[1103, source as u64, seed.app as u64], 12), zone_id(source, unit)),
        };
        let cents = 40 + mix(&[1105, source as u64, unit as u64]) % 1400;
        let cpm = if it.bidding { "0".to_owned() } else { format!("{}.{:02}", cents / 100, cents % 100) };
        json!({ network_key(it.title): {
            "disabled": false,
            "ad_network_app_id": app,
            "ad_network_ad_units": [{ "ad_network_ad_unit_id": placement, "disabled": false, "cpm": cpm }],
        } })
    };
    sources.into_iter().map(setting).collect::<Vec<_>>().into()
}

fn ad_unit(seeds: &Seeds, unit: usize) -> Value {
    let seed = &seeds.units[unit];
    let app = &APPS[seed.app];
    let format = ad_format(seed.format);
    let mut object = json!({
        "id": unit_id(unit),
        "name": format!("{} {} {}", app.name, if app.platform == "IOS" { "iOS" } else { "Android" }, seed.wire.display_name),
        "platform": names::platform(app),
        "ad_format": format,
        "package_name": names::package(app),
        "has_active_experiment": false,
        "disabled": false,
        "ad_network_settings": settings(seeds, unit),
        "disabled_ad_network_settings": [],
        "frequency_capping_settings": [],
        "bid_floors": [{
            "country_group_name": "Tier 1",
            "cpm": "1.50",
            "countries": { "type": "INCLUDE", "values": ["us", "gb", "de"] },
        }],
        "segments": [],
    });
    if format == "BANNER" {
        object["banner_refresh_settings"] = json!({ "interval": 30 });
    }
    object
}

/// Returns the objects. The first ad unit has a segment, an experiment on its default waterfall and one on the waterfall of its segment.
pub fn objects(seeds: &Seeds) -> Vec<Seeded> {
    let mut units: Vec<usize> = BOOK.pairs(seeds.leaves).into_iter().map(|(unit, _)| unit).collect();
    units.dedup();
    let mut seeded: Vec<Seeded> = Vec::new();
    for (index, unit) in units.into_iter().enumerate() {
        let mut object = ad_unit(seeds, unit);
        let id = unit_id(unit);
        if index == 0 {
            object["segments"] = json!([{ "id": "100201", "name": "Payers" }]);
            object["has_active_experiment"] = json!(true);
            let segment =
                json!({ "name": "Payers", "id_type": "all", "device_type": "all", "segment_keys": "payer==1" });
            let mut waterfall = object.clone();
            waterfall["segment"] = segment.clone();
            seeded.push(("waterfall", format!("{id}/100201"), waterfall.clone()));
            let mut experiment = object.clone();
            experiment["ad_unit_id"] = json!(id);
            experiment["id"] = json!("30071");
            experiment["experiment_name"] = json!("Higher floors");
            experiment["test_group_allocation"] = json!(25);
            seeded.push(("experiment", id.clone(), experiment.clone()));
            experiment["id"] = json!("30072");
            experiment["experiment_name"] = json!("Payers without waterfall");
            experiment["segment"] = segment;
            seeded.push(("experiment", format!("{id}/100201"), experiment));
        }
        seeded.push(("ad_unit", id, object));
    }
    for (id, name, device) in [
        ("5a1c0e01", "QA Pixel 9", "38400000-8cf0-11bd-b23e-10b96e40000d"),
        ("5a1c0e02", "QA iPhone 17", "A6B1F0C2-90D3-4C7E-9E65-2B1F5D0C7A11"),
    ] {
        let device = json!({ "id": id, "name": name, "device_id": device, "disabled": false });
        seeded.push(("test_device", id.to_owned(), device));
    }
    seeded
}
