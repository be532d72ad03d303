//! Google Ad Manager: we can only run saved reports. So we look for one that covers the question, or ask for approval to save one. This
//! must never save one without approval.

use adagent_domain::Network;
use jiff::{ToSpan as _, civil::Date};
use serde_json::{Value as Json, json};

use super::{Ask, Desk, split};
use crate::planner::report::metric::{Dim, Metric};

pub(super) static DESKS: [Desk; 1] = [Desk {
    network: Network::AdManager,
    tool: "admanager_run_report",
    label: "Google Ad Manager",
    metrics: &[
        (Metric::Revenue, "REVENUE"),
        (Metric::Impressions, "IMPRESSIONS"),
        (Metric::Clicks, "CLICKS"),
        (Metric::Requests, "AD_REQUESTS"),
        (Metric::Fills, "RESPONSES_SERVED"),
    ],
    splits: &[
        split(Dim::Date, &["DATE"], "date"),
        split(Dim::App, &["MOBILE_APP_ID", "MOBILE_APP_NAME"], "mobile_app"),
        split(Dim::AdUnit, &["AD_UNIT_ID", "AD_UNIT_NAME"], "ad_unit"),
        split(Dim::Country, &["COUNTRY_CODE"], "country"),
        split(Dim::Format, &["INVENTORY_FORMAT"], "format"),
        split(Dim::Platform, &["OPERATING_SYSTEM_CATEGORY"], "platform"),
    ],
    filters: &[],
    formats: &[
        ("BANNER", "banner"),
        ("INTERSTITIAL", "interstitial"),
        ("REWARDED", "rewarded"),
        ("NATIVE", "native"),
        ("APP_OPEN", "app_open"),
    ],
    days_a_call: None,
    days_back: None,
    mediates: false,
    args: definition,
}];

/// Returns the report that we would have to save. It is hidden, because the person asked for numbers, not for a report.
pub(in crate::planner) fn definition(ask: &Ask<'_>) -> Json {
    let date = |date: Date| json!({"year": date.year(), "month": date.month(), "day": date.day()});
    json!({
        "network_code": ask.account,
        "body": {
            "displayName": format!("ADAgentAI report, {} to {}", ask.from, ask.to),
            "visibility": "HIDDEN",
            "reportDefinition": {
                "dimensions": ask.splits,
                "metrics": ask.metrics,
                "dateRange": {"fixed": {"startDate": date(ask.from), "endDate": date(ask.to)}},
                "reportType": "HISTORICAL",
            },
        },
    })
}

/// Breakdowns that put every impression into exactly one row. Key-values and audience segments, among others, do not.
const PARTS: [&str; 21] = [
    "DATE",
    "WEEK",
    "MONTH_YEAR",
    "MOBILE_APP_ID",
    "MOBILE_APP_NAME",
    "AD_UNIT_ID",
    "AD_UNIT_NAME",
    "COUNTRY_CODE",
    "COUNTRY_ID",
    "COUNTRY_NAME",
    "INVENTORY_FORMAT",
    "INVENTORY_FORMAT_NAME",
    "OPERATING_SYSTEM_CATEGORY",
    "OPERATING_SYSTEM_CATEGORY_NAME",
    "DEVICE_CATEGORY",
    "ADVERTISER_ID",
    "ADVERTISER_NAME",
    "ORDER_ID",
    "ORDER_NAME",
    "LINE_ITEM_ID",
    "LINE_ITEM_NAME",
];

/// Checks whether a saved report has at least these columns and days, counts every impression once, and has no filter.
pub(in crate::planner) fn covers(report: &Json, ask: &Ask<'_>, today: Date) -> bool {
    let definition = &report["reportDefinition"];
    let names = |field: &str| -> Vec<&str> {
        definition[field].as_array().into_iter().flatten().filter_map(Json::as_str).collect()
    };
    let (dims, metrics) = (names("dimensions"), names("metrics"));
    // If a report has only the ad server's own delivery, that counts as the whole, and the answer says so. If one report had both, they
    // would come back under the same name, and a rate of the mix would fit neither.
    let (mut whole, mut part) = (0, 0);
    for name in &ask.metrics {
        whole += usize::from(metrics.contains(name));
        part += usize::from(metrics.contains(&format!("AD_SERVER_{name}").as_str()));
    }
    let measured = matches!((whole, part), (n, 0) | (0, n) if n == ask.metrics.len());
    let given = |field: &str, plain: &[&str]| definition[field].as_str().is_some_and(|text| !plain.contains(&text));
    let unrestricted = definition["filters"].as_array().is_none_or(Vec::is_empty);
    let days = range(&definition["dateRange"], today);
    unrestricted
        && measured
        && definition["compareDateRange"].is_null()
        && definition["comparisonDateRange"].is_null()
        && !given("timePeriodColumn", &["", "TIME_PERIOD_COLUMN_UNSPECIFIED"])
        && !given("reportType", &["HISTORICAL", "REPORT_TYPE_UNSPECIFIED"])
        && dims.iter().all(|dim| PARTS.contains(dim))
        && ask.splits.iter().all(|dim| dims.contains(dim))
        && days.is_some_and(|(from, to)| {
            (from, to) == (ask.from, ask.to) || dims.contains(&"DATE") && from <= ask.from && ask.to <= to
        })
}

/// Returns the first and last day of a saved range. `None` if we can't be sure of its days.
fn range(range: &Json, today: Date) -> Option<(Date, Date)> {
    let day = |value: &Json| {
        let part = |name: &str| value[name].as_i64();
        let (year, month, day) = (part("year")?, part("month")?, part("day")?);
        Date::new(i16::try_from(year).ok()?, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
    };
    if let Some(fixed) = range.get("fixed") {
        return Some((day(&fixed["startDate"])?, day(&fixed["endDate"])?));
    }
    let yesterday = today.saturating_sub(1.day());
    let first = today.first_of_month();
    Some(match range["relative"].as_str()? {
        "TODAY" => (today, today),
        "YESTERDAY" => (yesterday, yesterday),
        "THIS_MONTH_TO_DATE" => (first, today),
        "LAST_MONTH" => (first.saturating_sub(1.month()), first.saturating_sub(1.day())),
        other => {
            let days: i32 = other.strip_prefix("LAST_")?.strip_suffix("_DAYS")?.parse().ok()?;
            (today.saturating_sub(days.days()), yesterday)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_saved_report_that_counts_otherwise_covers_nothing() {
        let today: Date = "2026-11-21".parse().unwrap();
        let ask = Ask {
            account: "217",
            from: "2026-11-14".parse().unwrap(),
            to: "2026-11-20".parse().unwrap(),
            metrics: vec!["REVENUE", "IMPRESSIONS"],
            splits: vec!["COUNTRY_CODE"],
            filters: &[],
            currency: None,
        };
        let with = |dims: Json, metrics: Json| {
            json!({"reportDefinition": {
                "dimensions": dims, "metrics": metrics, "dateRange": {"relative": "LAST_7_DAYS"}, "reportType": "HISTORICAL",
            }})
        };
        let both = || json!(["REVENUE", "IMPRESSIONS"]);
        assert!(covers(&with(json!(["COUNTRY_CODE", "DATE"]), both()), &ask, today));
        let part = json!(["AD_SERVER_REVENUE", "AD_SERVER_IMPRESSIONS"]);
        assert!(covers(&with(json!(["COUNTRY_CODE"]), part), &ask, today));
        // A mix of whole and part, under one name or as one of each, is neither.
        for mixed in [
            json!(["AD_SERVER_REVENUE", "REVENUE", "IMPRESSIONS"]),
            json!(["AD_SERVER_REVENUE", "IMPRESSIONS"]),
            json!(["REVENUE"]),
        ] {
            assert!(!covers(&with(json!(["COUNTRY_CODE"]), mixed), &ask, today));
        }
        // One impression has many key-values.
        for dims in
            [json!(["COUNTRY_CODE", "KEY_VALUES_NAME"]), json!(["COUNTRY_CODE", "AUDIENCE_SEGMENT_NAME"]), json!([])]
        {
            assert!(!covers(&with(dims, both()), &ask, today));
        }
        let mut compared = with(json!(["COUNTRY_CODE"]), both());
        compared["reportDefinition"]["timePeriodColumn"] = "TIME_PERIOD_COLUMN_WEEK".into();
        assert!(!covers(&compared, &ask, today));
        let mut compared = with(json!(["COUNTRY_CODE"]), both());
        compared["reportDefinition"]["comparisonDateRange"] = json!({"relative": "PREVIOUS_PERIOD"});
        assert!(!covers(&compared, &ask, today));
    }
}
