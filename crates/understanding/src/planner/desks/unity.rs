//! Unity: the LevelPlay report covers everything that LevelPlay mediates.

use adagent_domain::Network;
use serde_json::{Value as Json, json};

use super::{Ask, Desk, day, split};
use crate::planner::report::metric::{Dim, Metric};

pub(super) static DESKS: [Desk; 1] = [Desk {
    network: Network::Unity,
    tool: "unity_get_levelplay_report",
    label: "Unity LevelPlay",
    metrics: &[
        (Metric::Revenue, "revenue"),
        (Metric::Impressions, "impressions"),
        (Metric::Clicks, "clicks"),
        (Metric::Requests, "appRequests"),
        (Metric::Fills, "appFills"),
        (Metric::Completes, "completions"),
    ],
    splits: &[
        split(Dim::Date, &["date"], "date"),
        split(Dim::App, &["app"], "app"),
        split(Dim::AdUnit, &["mediationAdUnit"], "ad_unit"),
        split(Dim::AdSource, &["adNetwork"], "ad_source"),
        split(Dim::Instance, &["instance"], "instance"),
        split(Dim::MediationGroup, &["mediationGroup"], "mediation_group"),
        split(Dim::Country, &["country"], "country"),
        split(Dim::Format, &["adFormat"], "format"),
        split(Dim::Platform, &["platform"], "platform"),
        split(Dim::AppVersion, &["appVersion"], "app_version"),
        split(Dim::OsVersion, &["osVersion"], "os_version"),
        split(Dim::SdkVersion, &["sdkVersion"], "sdk_version"),
    ],
    filters: &[Dim::Country],
    formats: &[
        ("rewarded", "rewarded"),
        ("rewardedVideo", "rewarded"),
        ("interstitial", "interstitial"),
        ("banner", "banner"),
        ("native", "native"),
    ],
    days_a_call: None,
    days_back: None,
    mediates: true,
    args,
}];

fn args(ask: &Ask<'_>) -> Json {
    let mut args = json!({
        "startDate": day(ask.from),
        "endDate": day(ask.to),
        "metrics": ask.metrics,
        "breakdowns": ask.splits,
    });
    if let Some(countries) = ask.only(Dim::Country) {
        args["country"] = countries.into();
    }
    args
}
