//! The exact numbers behind `AdMob`'s reports, for `GET /__sandbox/truth`.
//!
//! The answer describes the **mediation** report (all ad sources) over **all three accounts**, unless `report=network` or `account=` say
//! otherwise. Days and weeks look like `2026-11-20` (a week by its Sunday), months like `2026-11`. The keys of other breakdowns are the
//! values in the report (`US`, `banner`, `Android`, `ca-app-pub-…~…`).
//!
//! Metrics: `revenue` and `ecpm` (`{micros, currency}`), `impressions`, `clicks`, `requests`, `matched_requests`, `match_rate`,
//! `show_rate`, `ctr` (`{value}`). Breakdowns: `date, week, month, app, ad_unit, country, format, ad_source, platform`. Filters: `account,
//! app, ad_unit, country, platform, format, ad_source`, with several values separated by commas.

use jiff::civil::Date;
use serde_json::{Value, json};

use super::Kind;
use super::dimension::Dimension;
use super::run::{self, Groups};
use super::stream::{per_thousand, ratio};
use crate::state::Inner;
use crate::world::accounts::{ACCOUNTS, CURRENCY};
use crate::world::figures::Totals;

pub(crate) const METRICS: [&str; 9] =
    ["revenue", "impressions", "clicks", "requests", "matched_requests", "ecpm", "match_rate", "show_rate", "ctr"];
const BREAKDOWNS: [(&str, Dimension); 10] = [
    ("date", Dimension::Date),
    ("day", Dimension::Date),
    ("week", Dimension::Week),
    ("month", Dimension::Month),
    ("app", Dimension::App),
    ("ad_unit", Dimension::AdUnit),
    ("country", Dimension::Country),
    ("format", Dimension::Format),
    ("ad_source", Dimension::AdSource),
    ("platform", Dimension::Platform),
];

/// Answers one question, or says what is wrong with it.
pub(crate) fn answer(inner: &Inner, get: impl Fn(&str) -> Option<String>) -> Result<Value, String> {
    let day = |name: &str| {
        let text = get(name).ok_or_else(|| format!("{name}: a day such as 2026-11-20 is required"))?;
        text.parse::<Date>().map_err(|_| format!("{name}: \"{text}\" is no day; the form is 2026-11-20"))
    };
    let metric = get("metric").unwrap_or_else(|| "revenue".to_owned());
    if !METRICS.contains(&metric.as_str()) {
        return Err(format!("metric: \"{metric}\" does not exist; one of {} is expected", METRICS.join(", ")));
    }
    let by = match get("by").filter(|by| !by.is_empty()) {
        None => None,
        Some(by) => {
            let found = BREAKDOWNS.iter().find(|(name, _)| *name == by);
            Some(found.ok_or_else(|| format!("by: \"{by}\" does not exist; one of date, week, month, app, ad_unit, country, format, ad_source, platform is expected"))?.1)
        }
    };
    let kind = match get("report").as_deref() {
        None | Some("mediation") => Kind::Mediation,
        Some("network") => Kind::Network,
        Some(other) => return Err(format!("report: \"{other}\" does not exist; mediation or network is expected")),
    };
    let accounts = match get("account") {
        None => (0..ACCOUNTS.len()).collect(),
        Some(list) => list
            .split(',')
            .map(|id| {
                ACCOUNTS
                    .iter()
                    .position(|known| *known == id)
                    .ok_or_else(|| format!("account: \"{id}\" does not exist"))
            })
            .collect::<Result<Vec<_>, _>>()?,
    };
    let filters = BREAKDOWNS.iter().filter(|(_, dimension)| !dimension.is_time()).filter_map(|(name, dimension)| {
        let values = get(name)?.split(',').map(str::to_lowercase).collect();
        Some((*dimension, values))
    });
    let (start, end) = (day("from")?, day("to")?);
    if start > end {
        return Err(format!("from: {start} is after to {end}"));
    }
    let filters = filters.collect();
    let groups = Groups { kind, accounts, start, end, dimensions: by.into_iter().collect(), filters };
    let rows = run::sum(inner, &groups);
    let Some(by) = by else {
        let mut all = Totals::default();
        for row in &rows {
            all.add(&row.totals);
        }
        return Ok(value(&metric, &all));
    };
    let mut items: Vec<(Value, u64)> = Vec::new();
    for row in &rows {
        let (key, label) = if by.is_time() { (dashed(&row.period), None) } else { by.text(inner, row.codes[0]) };
        let mut item = value(&metric, &row.totals);
        item["label"] = json!(label.as_deref().unwrap_or(&key));
        item["key"] = json!(key);
        items.push((item, row.totals.micros));
    }
    if !by.is_time() {
        items.sort_by_key(|(_, micros)| std::cmp::Reverse(*micros));
    }
    let items: Vec<Value> = items.into_iter().map(|(item, _)| item).collect();
    Ok(json!({ "items": items }))
}

fn dashed(period: &str) -> String {
    match period.len() {
        8 => format!("{}-{}-{}", &period[..4], &period[4..6], &period[6..]),
        6 => format!("{}-{}", &period[..4], &period[4..]),
        _ => period.to_owned(),
    }
}

pub(crate) fn value(metric: &str, totals: &Totals) -> Value {
    let money = |micros: u64| json!({ "micros": micros, "currency": CURRENCY });
    let number = |value: u64| json!({ "value": value });
    let share = |value: Option<f64>| json!({ "value": value });
    match metric {
        "revenue" => money(totals.micros),
        "ecpm" => money(per_thousand(totals.micros, totals.impressions).unwrap_or(0)),
        "impressions" => number(totals.impressions),
        "clicks" => number(totals.clicks),
        "requests" => number(totals.requests),
        "matched_requests" => number(totals.matched),
        "match_rate" => share(ratio(totals.matched, totals.requests)),
        "show_rate" => share(ratio(totals.impressions, totals.matched)),
        _ => share(ratio(totals.clicks, totals.impressions)),
    }
}
