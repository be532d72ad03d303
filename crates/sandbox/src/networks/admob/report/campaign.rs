//! The campaign report: what the publisher's own install campaigns cost, as one plain object.

use std::collections::BTreeMap;

use jiff::civil::Date;
use serde_json::{Map, Value, json};

use super::spec::{names, range};
use super::stream::{double, integer, micros, ratio};
use crate::networks::admob::Context;
use crate::networks::admob::errors::ApiError;
use crate::networks::admob::fields::Fields;
use crate::state::Inner;
use crate::world::accounts::ACCOUNTS;
use crate::world::apps::{APPS, format_label};
use crate::world::countries::COUNTRIES;
use crate::world::mix;

const LONGEST_DAYS: i32 = 30;
const DIMENSIONS: [&str; 10] = [
    "DATE",
    "CAMPAIGN_ID",
    "CAMPAIGN_NAME",
    "AD_ID",
    "AD_NAME",
    "PLACEMENT_ID",
    "PLACEMENT_NAME",
    "PLACEMENT_PLATFORM",
    "COUNTRY",
    "FORMAT",
];
const METRICS: [&str; 7] =
    ["IMPRESSIONS", "CLICKS", "CLICK_THROUGH_RATE", "INSTALLS", "ESTIMATED_COST", "AVERAGE_CPI", "INTERACTIONS"];

/// Account, ID, name, and the apps that show its ads.
const CAMPAIGNS: [(usize, &str, &str, &[usize]); 3] = [
    (0, "640011201", "Puzzle Game – autumn installs", &[2, 3]),
    (0, "640011202", "My Game – retention", &[0, 1]),
    (1, "640022301", "Tower Blast – launch", &[4, 5]),
];
const FORMATS: [&str; 2] = ["BANNER", "INTERSTITIAL"];

#[derive(Default, Clone, Copy)]
struct Sums {
    impressions: u64,
    clicks: u64,
    installs: u64,
    micros: u64,
}

pub fn campaign(inner: &Inner, context: &Context) -> Result<Value, ApiError> {
    let root = Fields::root(&context.body)?;
    root.known(&["reportSpec"])?;
    let spec = root.need_object("reportSpec")?;
    spec.known(&["dateRange", "dimensions", "metrics", "languageCode"])?;
    let (start, end) = range(&spec, LONGEST_DAYS)?;
    let find = |known: &'static [&'static str], name: &str| known.iter().copied().find(|it| *it == name);
    let dimensions = names(&spec, "dimensions", "campaign dimension", |name| find(&DIMENSIONS, name))?;
    let metrics = names(&spec, "metrics", "campaign metric", |name| find(&METRICS, name))?;
    if metrics.is_empty() {
        return Err(spec.invalid("metrics", "at least one metric is required"));
    }
    let mut groups: BTreeMap<Vec<(String, String)>, Sums> = BTreeMap::new();
    let (today, _) = inner.clock();
    let mut date = start;
    // The costs of today are not known before the day is over.
    while date <= end && date < today {
        for (index, campaign) in CAMPAIGNS.iter().enumerate().filter(|(_, it)| ACCOUNTS[it.0] == context.call.account) {
            for (app, country, format) in places(campaign.3) {
                let key = dimensions.iter().map(|name| value(name, date, index, app, country, format)).collect();
                let sums = groups.entry(key).or_default();
                let hash = mix(&[
                    51,
                    index as u64,
                    app as u64,
                    country as u64,
                    format as u64,
                    date.day_of_year().unsigned_abs().into(),
                ]);
                let impressions = 400 + hash % 900;
                let clicks = impressions * (12 + (hash >> 12) % 20) / 1000;
                let installs = clicks * (90 + (hash >> 24) % 120) / 1000;
                sums.impressions += impressions;
                sums.clicks += clicks;
                sums.installs += installs;
                sums.micros += installs * (900_000 + (hash >> 36) % 900_000);
            }
        }
        date = date.saturating_add(jiff::Span::new().days(1));
    }
    let rows: Vec<Value> = groups.iter().map(|(key, sums)| row(&dimensions, key, &metrics, sums)).collect();
    Ok(if rows.is_empty() { json!({}) } else { json!({ "rows": rows }) })
}

fn places(apps: &[usize]) -> impl Iterator<Item = (usize, usize, usize)> {
    apps.iter()
        .copied()
        .flat_map(|app| (0..6).flat_map(move |country| (0..FORMATS.len()).map(move |format| (app, country, format))))
}

fn value(dimension: &str, date: Date, index: usize, app: usize, country: usize, format: usize) -> (String, String) {
    let plain = |text: &str| (text.to_owned(), String::new());
    let campaign = &CAMPAIGNS[index];
    match dimension {
        "DATE" => plain(&format!("{:04}{:02}{:02}", date.year(), date.month(), date.day())),
        "CAMPAIGN_ID" => plain(campaign.1),
        "CAMPAIGN_NAME" => plain(campaign.2),
        "AD_ID" => plain(&format!("{}{format}", campaign.1)),
        "AD_NAME" => plain(&format!("{} {}", campaign.2, format_label(FORMATS[format]).to_lowercase())),
        "PLACEMENT_ID" => plain(&APPS[app].id()),
        "PLACEMENT_NAME" => plain(APPS[app].name),
        "PLACEMENT_PLATFORM" => plain(if APPS[app].platform == "IOS" { "iOS" } else { "Android" }),
        "COUNTRY" => (COUNTRIES[country].code.to_owned(), COUNTRIES[country].name.to_owned()),
        _ => (FORMATS[format].to_lowercase(), format_label(FORMATS[format]).to_owned()),
    }
}

fn row(dimensions: &[&str], key: &[(String, String)], metrics: &[&str], sums: &Sums) -> Value {
    let mut row = Map::new();
    let values = dimensions.iter().zip(key).map(|(name, (value, label))| {
        let entry =
            if label.is_empty() { json!({ "value": value }) } else { json!({ "value": value, "displayLabel": label }) };
        ((*name).to_owned(), entry)
    });
    if !dimensions.is_empty() {
        row.insert("dimensionValues".to_owned(), Value::Object(values.collect()));
    }
    let metric = |name: &str| match name {
        "IMPRESSIONS" => Some(integer(sums.impressions)),
        "CLICKS" => Some(integer(sums.clicks)),
        "CLICK_THROUGH_RATE" => ratio(sums.clicks, sums.impressions).map(double),
        "INSTALLS" => Some(integer(sums.installs)),
        "ESTIMATED_COST" => Some(micros(sums.micros)),
        "AVERAGE_CPI" => sums.micros.checked_div(sums.installs).map(micros),
        _ => Some(integer(sums.clicks + sums.clicks / 5)),
    };
    let values = metrics.iter().filter_map(|name| Some(((*name).to_owned(), metric(name)?)));
    row.insert("metricValues".to_owned(), Value::Object(values.collect()));
    Value::Object(row)
}
