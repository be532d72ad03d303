//! Pangle: each call covers one day and always includes apps and ad slots. We ask for US dollars and UTC, which are not its defaults.

use adagent_domain::Network;
use serde_json::{Value as Json, json};

use super::{Ask, Desk, day, split};
use crate::planner::report::metric::{Dim, Metric};

pub(super) static DESKS: [Desk; 1] = [Desk {
    network: Network::Pangle,
    tool: "pangle_get_report",
    label: "Pangle",
    metrics: &[
        (Metric::Revenue, "revenue"),
        (Metric::Impressions, "show"),
        (Metric::Clicks, "click"),
        (Metric::Requests, "request"),
        (Metric::Fills, "return"),
    ],
    splits: &[
        split(Dim::Date, &[], "date"),
        split(Dim::App, &[], "app"),
        split(Dim::AdUnit, &[], "ad_unit"),
        split(Dim::Platform, &[], "platform"),
        split(Dim::Country, &["region"], "country"),
        split(Dim::Format, &["ad_slot_type"], "format"),
    ],
    filters: &[],
    formats: &[("1", "native"), ("2", "banner"), ("3", "app_open"), ("5", "rewarded"), ("6", "interstitial")],
    days_a_call: Some(1),
    days_back: None,
    mediates: false,
    args,
}];

fn args(ask: &Ask<'_>) -> Json {
    let mut args = json!({"date": day(ask.from), "time_zone": 0, "currency": "usd"});
    if !ask.splits.is_empty() {
        args["dimensions"] = ask.splits.clone().into();
    }
    args
}
