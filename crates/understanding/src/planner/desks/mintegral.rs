//! Mintegral: one report with fixed measures, seven days per call. We ask for days in UTC, as most networks count them.

use adagent_domain::Network;
use serde_json::{Value as Json, json};

use super::{Ask, Desk, split};
use crate::planner::report::metric::{Dim, Metric};

pub(super) static DESKS: [Desk; 1] = [Desk {
    network: Network::Mintegral,
    tool: "mintegral_get_report",
    label: "Mintegral",
    metrics: &[
        (Metric::Revenue, "est_revenue"),
        (Metric::Impressions, "impression"),
        (Metric::Clicks, "click"),
        (Metric::Requests, "request"),
        (Metric::Fills, "filled"),
    ],
    splits: &[
        split(Dim::Date, &["date"], "date"),
        split(Dim::App, &["app_id"], "app"),
        split(Dim::AdUnit, &["unit_id"], "ad_unit"),
        split(Dim::Country, &["country"], "country"),
        split(Dim::Format, &["ad_format"], "format"),
        split(Dim::Platform, &["platform"], "platform"),
    ],
    filters: &[Dim::Country],
    formats: &[
        ("banner", "banner"),
        ("native", "native"),
        ("rewarded_video", "rewarded"),
        ("splash_ad", "app_open"),
        ("new_interstitial", "interstitial"),
        ("interstitial_video", "interstitial"),
        ("interstitial", "interstitial"),
    ],
    days_a_call: Some(7),
    days_back: Some(60),
    mediates: false,
    args,
}];

fn args(ask: &Ask<'_>) -> Json {
    let day = |date: jiff::civil::Date| date.strftime("%Y%m%d").to_string();
    // The report needs at least one breakdown.
    let splits = if ask.splits.is_empty() { vec!["date"] } else { ask.splits.clone() };
    let mut args = json!({"start": day(ask.from), "end": day(ask.to), "timezone": 0, "group_by": splits});
    if let Some(countries) = ask.only(Dim::Country) {
        args["country"] = countries.join(",").into();
    }
    args
}
