//! Liftoff (Vungle): one call; `aggregates` names the measures.

use adagent_domain::Network;
use serde_json::{Value as Json, json};

use super::{Ask, Desk, day, split};
use crate::planner::report::metric::{Dim, Metric};

pub(super) static DESKS: [Desk; 1] = [Desk {
    network: Network::Liftoff,
    tool: "liftoff_get_performance_report",
    label: "Liftoff",
    metrics: &[
        (Metric::Revenue, "revenue"),
        (Metric::Impressions, "impressions"),
        (Metric::Clicks, "clicks"),
        (Metric::Views, "views"),
        (Metric::Completes, "completes"),
    ],
    splits: &[
        split(Dim::Date, &["date"], "date"),
        split(Dim::App, &["application"], "app"),
        split(Dim::AdUnit, &["placement"], "placement"),
        split(Dim::Country, &["country"], "country"),
        split(Dim::Format, &["adType"], "format"),
        split(Dim::Platform, &["platform"], "platform"),
    ],
    filters: &[Dim::Country],
    formats: &[
        ("banner", "banner"),
        ("native", "native"),
        ("rewarded", "rewarded"),
        ("interstitial", "interstitial"),
        ("appopen", "app_open"),
        ("mrec", "mrec"),
    ],
    days_a_call: None,
    days_back: None,
    mediates: false,
    args,
}];

fn args(ask: &Ask<'_>) -> Json {
    let mut args = json!({
        "start": day(ask.from),
        "end": day(ask.to),
        "dimensions": ask.splits,
        "aggregates": ask.metrics,
    });
    if let Some(countries) = ask.only(Dim::Country) {
        args["country"] = countries.join(",").into();
    }
    args
}
