//! Tests that reports and truth agree in every breakdown.

use serde_json::{Value, json};
use std::time::Instant;

use crate::support::{A1, Fixture, account};

fn spec(from: (i32, u8, u8), to: (i32, u8, u8), dimensions: &[&str], metrics: &[&str]) -> Value {
    let day = |(year, month, day): (i32, u8, u8)| json!({"year": year, "month": month, "day": day});
    json!({"reportSpec": {
        "dateRange": {"startDate": day(from), "endDate": day(to)}, "dimensions": dimensions, "metrics": metrics,
    }})
}

fn total(report: &Value, metric: &str) -> u64 {
    let rows = report.as_array().unwrap().iter().filter_map(|chunk| chunk.get("row"));
    let value = |row: &Value| {
        let value = &row["metricValues"][metric];
        value.get("microsValue").or(value.get("integerValue")).unwrap().as_str().unwrap().parse::<u64>().unwrap()
    };
    rows.map(value).sum()
}

#[tokio::test]
async fn a_day_over_all_accounts_earns_a_believable_sum() {
    let fixture = Fixture::start().await;
    let range = "from=2026-11-20&to=2026-11-20";
    let micros = fixture.truth(&format!("{range}&metric=revenue")).await["micros"].as_u64().unwrap();
    assert!((3_000_000_000..6_000_000_000).contains(&micros), "{micros}");
    for (metric, low, high) in [("match_rate", 0.6, 0.98), ("show_rate", 0.5, 1.0), ("ctr", 0.005, 0.06)] {
        let value = fixture.truth(&format!("{range}&metric={metric}")).await["value"].as_f64().unwrap();
        assert!((low..high).contains(&value), "{metric} {value}");
    }
}

#[tokio::test]
async fn every_breakdown_adds_up_to_the_total() {
    let fixture = Fixture::start().await;
    let range = "from=2026-11-14&to=2026-11-21";
    for (metric, field) in [("revenue", "micros"), ("impressions", "value"), ("clicks", "value"), ("requests", "value")]
    {
        let all = fixture.truth(&format!("{range}&metric={metric}")).await[field].as_u64().unwrap();
        for by in ["date", "week", "month", "app", "ad_unit", "country", "format", "ad_source", "platform"] {
            let answer = fixture.truth(&format!("{range}&metric={metric}&by={by}")).await;
            let sum: u64 = answer["items"].as_array().unwrap().iter().map(|item| item[field].as_u64().unwrap()).sum();
            assert_eq!(sum, all, "{metric} by {by}");
        }
    }
}

#[tokio::test]
async fn versions_split_the_mediation_report_without_loss() {
    let fixture = Fixture::start().await;
    let path = account("/mediationReport:generate");
    let (from, to) = ((2026, 11, 19), (2026, 11, 20));
    let metrics = ["ESTIMATED_EARNINGS", "IMPRESSIONS", "CLICKS", "AD_REQUESTS"];
    let whole = fixture.post(&path, spec(from, to, &[], &metrics)).await;
    let splits: [&[&str]; 5] = [
        &["APP_VERSION_NAME"],
        &["MOBILE_OS_VERSION", "COUNTRY"],
        &["GMA_SDK_VERSION", "DATE"],
        &["SERVING_RESTRICTION", "MEDIATION_GROUP"],
        &["AD_SOURCE_INSTANCE", "AD_UNIT"],
    ];
    for dimensions in splits {
        let report = fixture.post(&path, spec(from, to, dimensions, &metrics)).await;
        for metric in metrics {
            assert_eq!(total(&report, metric), total(&whole, metric), "{metric} by {dimensions:?}");
        }
    }
}

#[tokio::test]
async fn the_network_report_is_the_admob_part_of_the_mediation_report() {
    let fixture = Fixture::start().await;
    let day = (2026, 11, 20);
    let network = fixture.post(&account("/networkReport:generate"), spec(day, day, &[], &["ESTIMATED_EARNINGS"])).await;
    let mut body = spec(day, day, &["AD_SOURCE"], &["ESTIMATED_EARNINGS", "OBSERVED_ECPM"]);
    body["reportSpec"]["dimensionFilters"] =
        json!([{"dimension": "AD_SOURCE", "matchesAny": {"values": ["5450213213286189855"]}}]);
    let mediation = fixture.post(&account("/mediationReport:generate"), body).await;
    assert_eq!(total(&network, "ESTIMATED_EARNINGS"), total(&mediation, "ESTIMATED_EARNINGS"));
    assert_eq!(mediation[1]["row"]["dimensionValues"]["AD_SOURCE"]["displayLabel"], "AdMob Network");
    let old = fixture
        .post(&format!("/v1/accounts/{A1}/networkReport:generate"), spec(day, day, &[], &["ESTIMATED_EARNINGS"]))
        .await;
    assert_eq!(old, network);
}

#[tokio::test]
async fn yesterday_stays_and_today_grows_with_the_clock() {
    let fixture = Fixture::start().await;
    let yesterday = fixture.truth("from=2026-11-20&to=2026-11-20").await;
    let noon = fixture.truth("from=2026-11-21&to=2026-11-21").await["micros"].as_u64().unwrap();
    fixture.advance(6 * 3600);
    let evening = fixture.truth("from=2026-11-21&to=2026-11-21").await["micros"].as_u64().unwrap();
    fixture.advance(24 * 3600);
    let over = fixture.truth("from=2026-11-21&to=2026-11-21").await["micros"].as_u64().unwrap();
    assert!(0 < noon && noon < evening && evening < over, "{noon} {evening} {over}");
    assert_eq!(fixture.truth("from=2026-11-20&to=2026-11-20").await, yesterday);
    assert_eq!(fixture.truth("from=2027-01-01&to=2027-01-02").await["micros"], 0);
}

#[tokio::test]
async fn a_year_by_month_is_quick_and_sorted_as_asked() {
    let fixture = Fixture::start().await;
    let mut body = spec((2025, 11, 1), (2026, 10, 31), &["MONTH"], &["ESTIMATED_EARNINGS"]);
    body["reportSpec"]["sortConditions"] = json!([{"metric": "ESTIMATED_EARNINGS", "order": "DESCENDING"}]);
    body["reportSpec"]["maxReportRows"] = json!(5);
    let started = Instant::now();
    let report = fixture.post(&account("/mediationReport:generate"), body).await;
    assert!(started.elapsed().as_secs() < 8, "{:?}", started.elapsed());
    let rows = report.as_array().unwrap();
    assert_eq!(rows.len(), 7);
    assert_eq!(rows[6]["footer"]["matchingRowCount"], "12");
    let earned = |row: &Value| {
        row["row"]["metricValues"]["ESTIMATED_EARNINGS"]["microsValue"].as_str().unwrap().parse::<u64>().unwrap()
    };
    assert!(rows[1..6].windows(2).all(|pair| earned(&pair[0]) >= earned(&pair[1])));
}

#[tokio::test]
async fn a_wrong_specification_says_which_field() {
    let fixture = Fixture::start().await;
    let day = (2026, 11, 20);
    let network = account("/networkReport:generate");
    let cases = [
        (spec(day, day, &["AD_SOURCE"], &["CLICKS"]), "reportSpec.dimensions[0]"),
        (spec(day, day, &["DATE", "MONTH"], &["CLICKS"]), "reportSpec.dimensions"),
        (spec(day, day, &["AD_TYPE"], &["AD_REQUESTS"]), "reportSpec.dimensions"),
        (spec(day, day, &[], &["OBSERVED_ECPM"]), "reportSpec.metrics[0]"),
        (spec(day, day, &[], &[]), "reportSpec.metrics"),
        (spec(day, (2026, 11, 1), &[], &["CLICKS"]), "reportSpec.dateRange.startDate"),
        (spec((2020, 1, 1), day, &[], &["CLICKS"]), "reportSpec.dateRange"),
        (spec((2026, 2, 30), day, &[], &["CLICKS"]), "reportSpec.dateRange.startDate"),
        (json!({"reportSpec": {"nonsense": 1}}), "reportSpec.nonsense"),
    ];
    for (body, field) in cases {
        let (status, answer) = fixture.status(reqwest::Method::POST, &network, body).await;
        assert_eq!((status, &answer["error"]["status"]), (400, &json!("INVALID_ARGUMENT")), "{field}");
        assert_eq!(answer["error"]["details"][0]["fieldViolations"][0]["field"], field);
    }
}

#[tokio::test]
async fn the_campaign_report_is_a_plain_object() {
    let fixture = Fixture::start().await;
    let path = account("/campaignReport:generate");
    let metrics = ["IMPRESSIONS", "INSTALLS", "ESTIMATED_COST", "AVERAGE_CPI"];
    let report = fixture.post(&path, spec((2026, 11, 1), (2026, 11, 20), &["CAMPAIGN_NAME"], &metrics)).await;
    assert_eq!(report["rows"].as_array().unwrap().len(), 2);
    let (status, _) =
        fixture.status(reqwest::Method::POST, &path, spec((2026, 9, 1), (2026, 11, 1), &[], &metrics)).await;
    assert_eq!(status, 400);
}
