//! DT Exchange and FairBid: a file of the mediation data. Its columns have their display names.

use adagent_domain::Network;
use serde_json::{Value as Json, json};

use super::{Ask, Desk, day, split};
use crate::planner::report::metric::{Dim, Metric};

pub(super) static DESKS: [Desk; 1] = [Desk {
    network: Network::DtExchange,
    tool: "dtexchange_create_report",
    label: "DT FairBid",
    metrics: &[
        (Metric::Revenue, "Revenue (USD)"),
        (Metric::Impressions, "Impressions"),
        (Metric::Clicks, "Clicks"),
        (Metric::Requests, "Ad Requests"),
        (Metric::Fills, "Fills"),
    ],
    splits: &[
        split(Dim::Date, &["Date"], "date"),
        split(Dim::App, &["Fyber App ID", "App Name"], "app"),
        split(Dim::AdUnit, &["Placement ID", "Placement Name"], "placement"),
        split(Dim::AdSource, &["Demand Source Name"], "ad_source"),
        split(Dim::Country, &["Country"], "country"),
        split(Dim::Format, &["Placement Type"], "format"),
        split(Dim::Platform, &["Device OS"], "platform"),
    ],
    filters: &[Dim::Country],
    formats: &[("Banner", "banner"), ("Rewarded", "rewarded"), ("Interstitial", "interstitial"), ("MREC", "mrec")],
    days_a_call: None,
    days_back: None,
    mediates: true,
    args,
}];

fn args(ask: &Ask<'_>) -> Json {
    let mut body = json!({
        "source": "mediation",
        "dateRange": {"start": day(ask.from), "end": day(ask.to)},
        "metrics": ask.metrics,
        "splits": ask.splits,
    });
    if let Some(countries) = ask.only(Dim::Country) {
        body["filters"] = json!([{"dimension": "Country", "values": countries}]);
    }
    json!({"body": body})
}
