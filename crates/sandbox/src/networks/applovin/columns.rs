//! The columns of the reports: which ones split the rows, which ones are measures, and how each is written. All numbers are text.

use super::{ID, seed, unit_id, zone_id};
use crate::networks::names;
use crate::networks::table::{Codes, Column, decimal, ecpm, share};
use crate::state::Inner;
use crate::world::apps::APPS;
use crate::world::books::{Axis, day_of};
use crate::world::countries::COUNTRIES;
use crate::world::figures::Totals;
use crate::world::sources::SOURCES;

const fn column(name: &'static str, axes: &'static [Axis], text: fn(&Inner, &Codes) -> String) -> Column {
    Column { name, axes, text }
}

fn application(_: &Inner, codes: &Codes) -> String {
    APPS[codes.at(Axis::App)].name.to_owned()
}

fn package(_: &Inner, codes: &Codes) -> String {
    names::package(&APPS[codes.at(Axis::App)])
}

fn store_id(_: &Inner, codes: &Codes) -> String {
    APPS[codes.at(Axis::App)].store.unwrap_or_default().to_owned()
}

fn format(inner: &Inner, codes: &Codes) -> String {
    seed::ad_format(inner.units[codes.at(Axis::Unit)].format).to_owned()
}

fn unit_name(inner: &Inner, codes: &Codes) -> String {
    let id = unit_id(codes.at(Axis::Unit));
    let store = inner.store();
    let name = store.objects.shelves.get(ID, "ad_unit", &id).and_then(|unit| unit["name"].as_str());
    name.unwrap_or_default().to_owned()
}

fn bidding(codes: &Codes) -> bool {
    SOURCES[codes.at(Axis::Source)].bidding
}

fn platform(_: &Inner, codes: &Codes) -> String {
    if codes.at(Axis::Platform) == 1 { "ios" } else { "android" }.to_owned()
}

fn placement(_: &Inner, codes: &Codes) -> String {
    zone_id(codes.at(Axis::Source), codes.at(Axis::Unit))
}

const NONE: fn(&Inner, &Codes) -> String = |_, _| String::new();
const COUNTRY: fn(&Inner, &Codes) -> String = |_, codes| COUNTRIES[codes.at(Axis::Country)].code.to_lowercase();
const DAY: fn(&Inner, &Codes) -> String = |_, codes| day_of(codes.code(Axis::Date)).to_string();
const HOUR: fn(&Inner, &Codes) -> String = |_, codes| format!("{:02}:00", codes.at(Axis::Hour));
const DEVICE: fn(&Inner, &Codes) -> String =
    |_, codes| if codes.at(Axis::Device) == 1 { "TABLET" } else { "PHONE" }.to_owned();

/// The columns that split the MAX report.
pub static MAX: [Column; 18] = [
    column("day", &[Axis::Date], DAY),
    column("hour", &[Axis::Hour], HOUR),
    column("application", &[Axis::App], application),
    column("package_name", &[Axis::App], package),
    column("store_id", &[Axis::App], store_id),
    column("platform", &[Axis::Platform], platform),
    column("ad_format", &[Axis::Unit], format),
    column("max_ad_unit", &[Axis::Unit], unit_name),
    column("max_ad_unit_id", &[Axis::Unit], |_, codes| unit_id(codes.at(Axis::Unit))),
    column("ad_unit_waterfall_name", &[], |_, _| "Default Waterfall".to_owned()),
    column("max_ad_unit_test", &[], NONE),
    column("max_placement", &[], NONE),
    column("custom_network_name", &[], NONE),
    column("country", &[Axis::Country], COUNTRY),
    column("device_type", &[Axis::Device], DEVICE),
    // MAX writes 1 if there was an advertising ID. The sandbox does not model that.
    column("has_idfa", &[], |_, _| "1".to_owned()),
    column("network", &[Axis::Source], |_, codes| {
        if bidding(codes) { "APPLOVIN_EXCHANGE" } else { "APPLOVIN_NETWORK" }.to_owned()
    }),
    column("network_placement", &[Axis::Source, Axis::Unit], placement),
];

/// The columns that split the network's own report.
pub static NETWORK: [Column; 14] = [
    column("day", &[Axis::Date], DAY),
    column("hour", &[Axis::Hour], HOUR),
    column("application", &[Axis::App], application),
    column("package_name", &[Axis::App], package),
    column("store_id", &[Axis::App], store_id),
    column("platform", &[Axis::Platform], platform),
    column("country", &[Axis::Country], COUNTRY),
    column("device_type", &[Axis::Device], DEVICE),
    column("has_idfa", &[], |_, _| "1".to_owned()),
    column("size", &[Axis::Unit], format),
    column("ad_type", &[Axis::Unit], |inner, codes| {
        if inner.units[codes.at(Axis::Unit)].format.starts_with("REWARDED") { "REWARD" } else { "GRAPHIC" }.to_owned()
    }),
    column("zone", &[Axis::Unit], unit_name),
    column("zone_id", &[Axis::Source, Axis::Unit], placement),
    column("bidding_integration", &[Axis::Source], |_, codes| if bidding(codes) { "true" } else { "false" }.to_owned()),
];

/// The columns that split the cohort reports; `day` is the day of the install.
pub static COHORT: [Column; 5] = [
    column("day", &[Axis::Date], DAY),
    column("application", &[Axis::App], application),
    column("package_name", &[Axis::App], package),
    column("platform", &[Axis::Platform], platform),
    column("country", &[Axis::Country], COUNTRY),
];

/// A function that returns a measure of a row, as text.
pub type Measure = fn(&Totals) -> String;

fn per_cent(part: u64, whole: u64) -> String {
    format!("{:.4}", share(part, whole))
}

/// The measures of the MAX report.
pub static MAX_MEASURES: [(&str, Measure); 6] = [
    ("impressions", |totals| totals.impressions.to_string()),
    ("attempts", |totals| totals.requests.to_string()),
    ("responses", |totals| totals.matched.to_string()),
    ("fill_rate", |totals| per_cent(totals.matched, totals.requests)),
    ("ecpm", |totals| decimal(ecpm(totals))),
    ("estimated_revenue", |totals| decimal(totals.micros)),
];

/// The measures of the network's own report.
pub static NETWORK_MEASURES: [(&str, Measure); 5] = [
    ("impressions", |totals| totals.impressions.to_string()),
    ("clicks", |totals| totals.clicks.to_string()),
    ("ctr", |totals| per_cent(totals.clicks, totals.impressions)),
    ("ecpm", |totals| decimal(ecpm(totals))),
    ("revenue", |totals| decimal(totals.micros)),
];
