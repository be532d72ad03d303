//! AdMob's mediation report, for questions that also cover other networks. `report::calls` handles questions about AdMob alone.

use adagent_domain::Network;
use serde_json::{Value as Json, json};

use super::{Ask, Desk, split};
use crate::planner::report::metric::{Dim, Metric};

pub(super) static DESKS: [Desk; 1] = [Desk {
    network: Network::AdMob,
    tool: "admob_generate_mediation_report",
    label: "AdMob",
    metrics: &[
        (Metric::Revenue, "ESTIMATED_EARNINGS"),
        (Metric::Impressions, "IMPRESSIONS"),
        (Metric::Clicks, "CLICKS"),
        (Metric::Requests, "AD_REQUESTS"),
        (Metric::Fills, "MATCHED_REQUESTS"),
    ],
    splits: &[
        split(Dim::Date, &["DATE"], "date"),
        split(Dim::App, &["APP"], "app"),
        split(Dim::AdUnit, &["AD_UNIT"], "ad_unit"),
        split(Dim::AdSource, &["AD_SOURCE"], "ad_source"),
        split(Dim::Instance, &["AD_SOURCE_INSTANCE"], "instance"),
        split(Dim::MediationGroup, &["MEDIATION_GROUP"], "mediation_group"),
        split(Dim::Country, &["COUNTRY"], "country"),
        split(Dim::Format, &["FORMAT"], "format"),
        split(Dim::Platform, &["PLATFORM"], "platform"),
        split(Dim::AppVersion, &["APP_VERSION_NAME"], "app_version"),
    ],
    filters: &[Dim::Country, Dim::Format, Dim::Platform],
    formats: &[
        ("BANNER", "banner"),
        ("INTERSTITIAL", "interstitial"),
        ("REWARDED", "rewarded"),
        ("REWARDED_INTERSTITIAL", "rewarded_interstitial"),
        ("NATIVE", "native"),
        ("APP_OPEN", "app_open"),
    ],
    days_a_call: None,
    days_back: None,
    mediates: true,
    args,
}];

fn args(ask: &Ask<'_>) -> Json {
    let date = |date: jiff::civil::Date| json!({"year": date.year(), "month": date.month(), "day": date.day()});
    let mut spec = json!({
        "dateRange": {"startDate": date(ask.from), "endDate": date(ask.to)},
        "dimensions": ask.splits,
        "metrics": ask.metrics,
        "maxReportRows": 100_000,
    });
    let filters: Vec<Json> = [(Dim::Country, "COUNTRY"), (Dim::Format, "FORMAT"), (Dim::Platform, "PLATFORM")]
        .into_iter()
        .filter_map(|(dim, wire)| {
            let own = |value: &String| match dim {
                Dim::Format => DESKS[0].format_wires(value).into_iter().map(str::to_owned).collect(),
                _ => vec![value.to_uppercase()],
            };
            let values: Vec<String> = ask.only(dim)?.iter().flat_map(own).collect();
            Some(json!({"dimension": wire, "matchesAny": {"values": values}}))
        })
        .collect();
    if !filters.is_empty() {
        spec["dimensionFilters"] = filters.into();
    }
    if let Some(currency) = ask.currency {
        spec["localizationSettings"] = json!({"currencyCode": currency});
    }
    json!({"account_id": ask.account, "body": {"reportSpec": spec}})
}
