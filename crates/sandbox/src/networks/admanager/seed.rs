//! The objects that every sandbox starts with: apps and ad units from `crate::world`, orders that sell them, and fixed lookup tables. This
//! file holds no traffic or revenue.

use serde_json::{Value, json};

use super::objects::{NETWORK, network_name};
use super::unit_id;
use crate::networks::{Seeded, Seeds, names};
use crate::world::apps::{APPS, SeedUnit, format_label};
use crate::world::countries::COUNTRIES;

/// All objects that do not come from `crate::world`.
const FIXED: &str = include_str!("data/seed.json");

/// Google's criteria IDs of the countries, in the order of `COUNTRIES`.
pub const GEO: [u32; 25] = [
    2840, 2356, 2076, 2360, 2276, 2826, 2392, 2484, 2250, 2792, 2704, 2608, 2124, 2380, 2724, 2410, 2616, 2036, 2764,
    2032, 2528, 2682, 2752, 2756, 2578,
];

/// The advertiser of each order: company ID and name.
pub const ADVERTISERS: [(u64, &str); 3] =
    [(4_600_000_101, "Brand Example Inc."), (4_600_000_102, "Nordic Sneakers"), (4_600_000_103, "Acme Games House")];

pub const ORDERS: [(u64, &str); 3] = [
    (3_200_000_001, "Brand Example always on"),
    (3_200_000_002, "Nordic Sneakers 2026"),
    (3_200_000_003, "House campaigns"),
];

/// A line item that has always served.
pub struct Line {
    pub id: u64,
    pub name: &'static str,
    pub order: usize,
    pub kind: &'static str,
    pub kind_name: &'static str,
    /// The price for a thousand impressions: dollars, and thousandths of a dollar.
    rate: (u32, u32),
    priority: u32,
}

const fn line(
    id: u64,
    name: &'static str,
    order: usize,
    kind: (&'static str, &'static str),
    rate: (u32, u32),
    priority: u32,
) -> Line {
    Line { id, name, order, kind: kind.0, kind_name: kind.1, rate, priority }
}

pub const LINES: [Line; 6] = [
    line(6_500_000_001, "Brand banners, run of apps", 0, ("STANDARD", "Standard"), (2, 400), 8),
    line(6_500_000_002, "Brand interstitials, sponsorship", 0, ("SPONSORSHIP", "Sponsorship"), (11, 0), 4),
    line(6_500_000_003, "Sneakers rewarded video", 1, ("STANDARD", "Standard"), (14, 500), 8),
    line(6_500_000_004, "Sneakers retargeting", 1, ("PRICE_PRIORITY", "Price priority"), (3, 250), 12),
    line(6_500_000_005, "Network fill", 2, ("NETWORK", "Network"), (1, 100), 12),
    line(6_500_000_006, "Cross promotion", 2, ("HOUSE", "House"), (0, 0), 16),
];

/// Returns the line item that serves a format in an app.
pub fn line_of(app: usize, format: usize) -> usize {
    (app * 5 + format) % LINES.len()
}

/// The root ad unit, the parent of all others.
pub const ROOT: &str = "22800000001";

pub fn application_id(app: usize) -> u64 {
    22_900_000_021 + app as u64
}

/// Returns a name such as `Puzzle Game Android Main Menu Banner`.
pub fn unit_name(unit: &SeedUnit) -> String {
    let app = &APPS[unit.app];
    let system = if app.platform == "IOS" { "iOS" } else { "Android" };
    format!("{} {system} {}", app.name, unit.wire.display_name)
}

/// Returns the code of an ad tag: letters, digits and underscores.
pub fn unit_code(unit: &SeedUnit) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
    let code: String = unit_name(unit).chars().map(plain).collect();
    format!("{code}_{}", unit.app)
}

fn fixed() -> Vec<Seeded> {
    let list: Vec<(String, String, Value)> = serde_json::from_str(FIXED).expect("the shipped objects are JSON");
    list.into_iter().filter_map(|(shelf, id, object)| Some((known(&shelf)?, id, object))).collect()
}

/// Returns the static name of a shelf: one of three that are not API collections, or an API collection. `None` if the shelf is unknown.
fn known(shelf: &str) -> Option<&'static str> {
    let inner = ["liveStreamEvents", "operations", "results"];
    let own = inner.into_iter().find(|it| *it == shelf);
    own.or_else(|| super::tables::collection(shelf).map(|it| it.name))
}

fn units(seeds: &Seeds, seeded: &mut Vec<Seeded>) {
    let network = network_name();
    let root = ROOT;
    let top = json!({ "parentAdUnit": format!("{network}/adUnits/{root}"), "displayName": "Acme Games", "adUnitCode": "acme-games" });
    seeded.push((
        "adUnits",
        root.to_owned(),
        json!({
            "name": format!("{network}/adUnits/{root}"), "adUnitId": root, "displayName": "Acme Games",
            "adUnitCode": "acme-games", "status": "ACTIVE", "hasChildren": true, "explicitlyTargeted": false,
            "updateTime": "2024-01-08T00:00:00Z",
        }),
    ));
    for (index, unit) in seeds.units.iter().enumerate() {
        let id = unit_id(index);
        let (width, height) = if unit.format == "BANNER" { (320, 50) } else { (320, 480) };
        seeded.push(("adUnits", id.clone(), json!({
            "name": format!("{network}/adUnits/{id}"), "adUnitId": id, "displayName": unit_name(unit),
            "parentAdUnit": format!("{network}/adUnits/{root}"), "parentPath": [top], "adUnitCode": unit_code(unit),
            "status": "ACTIVE", "hasChildren": false, "explicitlyTargeted": false, "description": format_label(unit.format),
            "appliedTargetWindow": "BLANK", "effectiveTargetWindow": "BLANK", "smartSizeMode": "NONE",
            "adUnitSizes": [{ "size": { "width": width, "height": height, "sizeType": "PIXEL" }, "environmentType": "BROWSER" }],
            "updateTime": "2026-03-02T00:00:00Z",
        })));
    }
    let of = |format: &str| -> Vec<String> {
        let fits = seeds.units.iter().enumerate().filter(|(_, unit)| unit.format == format);
        fits.map(|(index, _)| format!("{network}/adUnits/{}", unit_id(index))).collect()
    };
    for (at, (name, format)) in
        [("All banners", "BANNER"), ("All interstitials", "INTERSTITIAL"), ("All rewarded", "REWARDED")]
            .into_iter()
            .enumerate()
    {
        let id = (31_900_001 + at).to_string();
        seeded.push(("placements", id.clone(), json!({
            "name": format!("{network}/placements/{id}"), "placementId": id, "displayName": name, "description": name,
            "placementCode": format!("placement-{id}"), "status": "ACTIVE", "targetedAdUnits": of(format),
            "updateTime": "2026-03-02T00:00:00Z",
        })));
    }
}

fn applications(seeded: &mut Vec<Seeded>) {
    for (index, app) in APPS.iter().enumerate() {
        let id = application_id(index).to_string();
        let ios = app.platform == "IOS";
        let mut object = json!({
            "name": format!("{}/applications/{id}", network_name()), "displayName": app.name, "archived": false,
            "platform": app.platform, "applicationCode": names::package(app), "free": true,
            "approvalStatus": if app.store.is_some() { "APPROVED" } else { "DRAFT" },
        });
        if let (Some(store), Some(url)) = (app.store, names::store_url(app)) {
            object["appStoreId"] = json!(store);
            object["appStoreDisplayName"] = json!(app.name);
            object["appStores"] = json!([if ios { "APPLE_APP_STORE" } else { "GOOGLE_PLAY_STORE" }]);
            object["downloadUrl"] = json!(url);
        }
        seeded.push(("applications", id, object));
    }
}

fn geo(seeded: &mut Vec<Seeded>) {
    for (country, id) in COUNTRIES.iter().zip(GEO) {
        seeded.push(("geoTargets", id.to_string(), json!({
            "name": format!("{}/geoTargets/{id}", network_name()), "displayName": country.name, "regionCode": country.code,
            "type": "COUNTRY", "targetable": true, "parentNames": [],
        })));
    }
}

fn orders(seeded: &mut Vec<Seeded>) {
    let network = network_name();
    for (at, (id, name)) in ORDERS.iter().enumerate() {
        seeded.push(("orders", id.to_string(), json!({
            "name": format!("{network}/orders/{id}"), "orderId": id.to_string(), "displayName": name, "programmatic": false,
            "trafficker": format!("{network}/users/245000001"), "creator": format!("{network}/users/245000001"),
            "salesperson": format!("{network}/users/245000002"), "advertiser": format!("{network}/companies/{}", ADVERTISERS[at].0),
            "currencyCode": "USD", "startTime": "2024-01-01T00:00:00Z", "unlimitedEndTime": true, "archived": false,
            "status": "APPROVED", "poNumber": format!("PO-10{at}1"), "updateTime": "2026-10-01T00:00:00Z",
        })));
    }
    for (at, it) in LINES.iter().enumerate() {
        let size = if at % 2 == 0 { (320, 50) } else { (320, 480) };
        let size = json!({ "width": size.0, "height": size.1, "sizeType": "PIXEL" });
        seeded.push(("lineItems", it.id.to_string(), json!({
            "name": format!("{network}/lineItems/{}", it.id), "order": format!("{network}/orders/{}", ORDERS[it.order].0),
            "displayName": it.name, "orderDisplayName": ORDERS[it.order].1, "startTime": "2024-01-01T00:00:00Z",
            "endTimeUnlimited": true, "creativeRotationType": "OPTIMIZED", "deliveryRateType": "EVENLY",
            "lineItemType": it.kind, "priority": it.priority, "costType": "CPM",
            "rate": { "currencyCode": "USD", "units": it.rate.0.to_string(), "nanos": it.rate.1 * 1_000_000 },
            "creativePlaceholders": [{ "size": size, "expectedCreativeCount": 1 }], "environmentType": "BROWSER",
            "stats": { "impressionsDelivered": "0", "clicksDelivered": "0" }, "status": "DELIVERING",
            "reservationStatus": if it.kind == "STANDARD" || it.kind == "SPONSORSHIP" { "RESERVED" } else { "UNRESERVED" },
            "archived": false, "missingCreatives": false, "updateSource": "UI", "createTime": "2023-12-20T00:00:00Z",
            "updateTime": "2026-10-01T00:00:00Z", "goal": { "goalType": "NONE" },
            "targeting": { "inventoryTargeting": { "targetedAdUnits": [
                { "adUnit": format!("{network}/adUnits/22800000001"), "includeDescendants": true }] } },
        })));
        let creative =
            [138_400_000_001_u64, 138_400_000_002, 138_400_000_003, 138_400_000_003, 138_400_000_004, 138_400_000_004]
                [at];
        let id = format!("{}/{creative}", it.id);
        seeded.push(("lineItemCreativeAssociations", id, json!({
            "name": format!("{network}/lineItems/{}/creatives/{creative}", it.id),
            "lineItem": format!("{network}/lineItems/{}", it.id), "creative": format!("{network}/creatives/{creative}"),
            "status": "ACTIVE", "updateTime": "2026-10-01T00:00:00Z",
            "stats": { "impressionsDelivered": "0", "clicksDelivered": "0", "viewableImpressionsDelivered": "0" },
        })));
    }
}

pub fn objects(seeds: &Seeds) -> Vec<Seeded> {
    let mut seeded = fixed();
    units(seeds, &mut seeded);
    applications(&mut seeded);
    geo(&mut seeded);
    orders(&mut seeded);
    debug_assert!(seeded.iter().any(|(shelf, id, _)| *shelf == "networks" && id == NETWORK));
    seeded
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::networks::admanager::schema::{self, Kind};
    use crate::world::{apps, figures};

    fn known(message: &str, value: &Value, path: &str) {
        for (name, value) in value.as_object().unwrap() {
            let field = schema::get(message, name).unwrap_or_else(|| panic!("{path}.{name} is no field of {message}"));
            let items = if field.repeated { value.as_array().unwrap().clone() } else { vec![value.clone()] };
            for item in items {
                match field.kind {
                    Kind::Message(inner) => known(inner, &item, &format!("{path}.{name}")),
                    Kind::Enum("ReportDefinition.Dimension" | "ReportDefinition.Metric") => {}
                    Kind::Enum(inner) => {
                        let fits = schema::members(inner).iter().any(|(member, _)| item == *member);
                        assert!(fits, "{path}.{name}: {item}");
                    }
                    Kind::Int64 => assert!(item.as_str().is_some_and(|it| it.parse::<i64>().is_ok()), "{path}.{name}"),
                    Kind::Bool => assert!(item.is_boolean(), "{path}.{name}"),
                    _ => {}
                }
            }
        }
    }

    #[test]
    fn every_seeded_object_is_of_its_message_and_every_collection_has_some() {
        let units = apps::units();
        let leaves = figures::leaves(&units);
        let seeded = objects(&Seeds { units: &units, leaves: &leaves });
        for (shelf, id, object) in &seeded {
            if let Some(collection) = super::super::tables::collection(shelf) {
                known(collection.message, object, &format!("{shelf}/{id}"));
            }
        }
        for collection in &super::super::tables::COLLECTIONS {
            assert!(seeded.iter().any(|(shelf, ..)| *shelf == collection.name), "{}", collection.name);
        }
    }
}
