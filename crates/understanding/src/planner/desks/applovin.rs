//! AppLovin: the MAX report covers everything that MAX mediates. The network's own report covers its demand, wherever it is sold.

use adagent_domain::Network;
use serde_json::{Map, Value as Json, json};

use super::{Ask, Desk, day, split};
use crate::planner::report::metric::{Dim, Metric};

const FORMATS: &[(&str, &str)] =
    &[("INTER", "interstitial"), ("BANNER", "banner"), ("REWARD", "rewarded"), ("MREC", "mrec"), ("NATIVE", "native")];

pub(super) static DESKS: [Desk; 2] = [
    Desk {
        network: Network::AppLovin,
        tool: "applovin_get_max_report",
        label: "AppLovin MAX",
        metrics: &[
            (Metric::Revenue, "estimated_revenue"),
            (Metric::Impressions, "impressions"),
            (Metric::Requests, "attempts"),
            (Metric::Fills, "responses"),
        ],
        splits: &[
            split(Dim::Date, &["day"], "date"),
            split(Dim::App, &["application"], "app"),
            split(Dim::AdUnit, &["max_ad_unit_id", "max_ad_unit"], "ad_unit"),
            split(Dim::AdSource, &["network"], "ad_source"),
            split(Dim::Country, &["country"], "country"),
            split(Dim::Format, &["ad_format"], "format"),
            split(Dim::Platform, &["platform"], "platform"),
        ],
        filters: &[Dim::Country, Dim::Format, Dim::Platform],
        formats: FORMATS,
        days_a_call: None,
        days_back: Some(45),
        mediates: true,
        args: max,
    },
    Desk {
        network: Network::AppLovin,
        tool: "applovin_get_report",
        label: "AppLovin",
        metrics: &[(Metric::Revenue, "revenue"), (Metric::Impressions, "impressions"), (Metric::Clicks, "clicks")],
        splits: &[
            split(Dim::Date, &["day"], "date"),
            split(Dim::App, &["application"], "app"),
            split(Dim::Country, &["country"], "country"),
            split(Dim::Format, &["size"], "size"),
            split(Dim::Platform, &["platform"], "platform"),
        ],
        filters: &[Dim::Country, Dim::Format, Dim::Platform],
        formats: FORMATS,
        days_a_call: None,
        days_back: Some(45),
        mediates: false,
        args: own,
    },
];

fn columns(ask: &Ask<'_>, format: &str, tool: &Desk) -> Json {
    let columns: Vec<&str> = ask.splits.iter().chain(&ask.metrics).copied().collect();
    let mut filters = Map::new();
    if let Some(countries) = ask.only(Dim::Country) {
        filters.insert("country".into(), countries.iter().map(|code| code.to_lowercase()).collect());
    }
    if let Some(formats) = ask.only(Dim::Format) {
        let wires: Vec<&str> = formats.iter().flat_map(|ours| tool.format_wires(ours)).collect();
        filters.insert(format.into(), wires.into());
    }
    if let Some(platforms) = ask.only(Dim::Platform) {
        filters.insert("platform".into(), platforms.into());
    }
    let mut args = json!({"start": day(ask.from), "end": day(ask.to), "columns": columns, "format": "json"});
    if !filters.is_empty() {
        args["filters"] = filters.into();
    }
    args
}

fn max(ask: &Ask<'_>) -> Json {
    columns(ask, "ad_format", &DESKS[0])
}

fn own(ask: &Ask<'_>) -> Json {
    let mut args = columns(ask, "size", &DESKS[1]);
    args["report_type"] = "publisher".into();
    args
}
