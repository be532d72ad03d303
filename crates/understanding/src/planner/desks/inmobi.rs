//! InMobi: one report per session. Its comparators are not documented, so we let it filter nothing.

use adagent_domain::Network;
use serde_json::{Value as Json, json};

use super::{Ask, Desk, split};
use crate::planner::report::metric::{Dim, Metric};

pub(super) static DESKS: [Desk; 1] = [Desk {
    network: Network::InMobi,
    tool: "inmobi_get_report",
    label: "InMobi",
    metrics: &[
        (Metric::Revenue, "earnings"),
        (Metric::Impressions, "adImpressions"),
        (Metric::Clicks, "clicks"),
        (Metric::Requests, "adRequests"),
        (Metric::Fills, "servedImpressions"),
    ],
    splits: &[
        split(Dim::Date, &["date"], "date"),
        split(Dim::App, &["inmobiAppId"], "app"),
        split(Dim::AdUnit, &["placement"], "placement"),
        split(Dim::Country, &["country"], "country"),
        split(Dim::Format, &["adUnitType"], "format"),
        split(Dim::Platform, &["platform"], "platform"),
    ],
    filters: &[],
    formats: &[
        ("BANNER", "banner"),
        ("NATIVE", "native"),
        ("REWARDED_VIDEO", "rewarded"),
        ("INTERSTITIAL", "interstitial"),
    ],
    days_a_call: None,
    days_back: None,
    mediates: false,
    args,
}];

fn args(ask: &Ask<'_>) -> Json {
    let frame = format!("{}:{}", ask.from, ask.to);
    json!({"body": {"reportRequest": {
        "metrics": ask.metrics, "timeFrame": frame, "groupBy": ask.splits,
    }}})
}
