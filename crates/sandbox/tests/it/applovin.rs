//! Tests of AppLovin over HTTP: every operation, its refusals, and numbers that match the truth.

use reqwest::Method;
use serde_json::{Value, json};

use crate::keyed::{count, sum, texts};
use crate::support::Fixture;

const DAYS: [(&str, &str); 2] = [("start", "2026-11-14"), ("end", "2026-11-20")];
const TRUTH: &str = "from=2026-11-14&to=2026-11-20";

async fn first_unit(fixture: &Fixture) -> Value {
    fixture.good(fixture.applovin(Method::GET, "/ad_units", None)).await[0].clone()
}

async fn whole_unit(fixture: &Fixture, id: &str) -> Value {
    let fields = "ad_network_settings,disabled_ad_network_settings,frequency_capping_settings,bid_floors,segments";
    fixture.good(fixture.applovin(Method::GET, &format!("/ad_unit/{id}?fields={fields}"), None)).await
}

#[tokio::test]
async fn every_operation_answers() {
    let fixture = Fixture::start().await;
    let unit = first_unit(&fixture).await;
    let id = unit["id"].as_str().unwrap();
    assert!(unit["ad_network_settings"].is_null(), "parts come when asked for");
    let whole = whole_unit(&fixture, id).await;
    assert!(whole["ad_network_settings"].as_array().unwrap().len() > 1);
    let segment = whole["segments"][0]["id"].as_str().unwrap();
    let new = json!({"name": "Shop Rewarded", "platform": "android", "package_name": "com.acmegames.puzzle", "ad_format": "REWARD"});
    let made = fixture.good(fixture.applovin(Method::POST, "/ad_unit", Some(new))).await;
    let mut changed = whole.clone();
    changed["name"] = json!("Renamed");
    changed["bid_floors"] =
        json!([{"country_group_name": "US", "cpm": "7.5", "countries": {"type": "INCLUDE", "values": ["us"]}}]);
    fixture.good(fixture.applovin(Method::POST, &format!("/ad_unit/{id}"), Some(changed))).await;
    let after = whole_unit(&fixture, id).await;
    assert_eq!((&after["name"], &after["bid_floors"][0]["cpm"]), (&json!("Renamed"), &json!("7.5")));
    assert_eq!(after["ad_network_settings"], whole["ad_network_settings"], "what was not sent stays");

    let path = format!("/ad_unit/{id}/{segment}");
    let mut waterfall = fixture.good(fixture.applovin(Method::GET, &format!("{path}?fields=bid_floors"), None)).await;
    waterfall["segment"]["device_type"] = json!("tablets");
    let waterfall = fixture.good(fixture.applovin(Method::POST, &path, Some(waterfall))).await;
    assert_eq!(waterfall["segment"]["device_type"], "tablets");

    for path in [format!("/ad_unit_experiment/{id}"), format!("/ad_unit_experiment/{id}/{segment}")] {
        let running = fixture.good(fixture.applovin(Method::GET, &path, None)).await;
        let end = json!({"id": running["id"], "promote": true});
        fixture.good(fixture.applovin(Method::POST, &path, Some(end))).await;
        assert_eq!(fixture.done(fixture.applovin(Method::GET, &path, None)).await.0, 404, "it has ended");
        let start = json!({"experiment_name": "Again", "test_group_allocation": 50});
        let started = fixture.good(fixture.applovin(Method::POST, &path, Some(start))).await;
        assert_eq!(started["test_group_allocation"], 50);
    }

    let devices = fixture.good(fixture.applovin(Method::GET, "/test_devices", None)).await;
    let device = devices[0]["id"].as_str().unwrap();
    fixture.good(fixture.applovin(Method::GET, &format!("/test_device/{device}"), None)).await;
    let off = json!({"disabled": true});
    let off = fixture.good(fixture.applovin(Method::POST, &format!("/test_device/{device}"), Some(off))).await;
    assert_eq!((&off["disabled"], &off["name"]), (&json!(true), &devices[0]["name"]));
    let new = json!({"name": "Tablet", "device_id": "11111111-2222-3333-4444-555555555555"});
    fixture.good(fixture.applovin(Method::POST, "/test_device", Some(new))).await;

    let columns = [DAYS[0], DAYS[1], ("columns", "day,impressions,ecpm")];
    fixture.good(fixture.applovin_report("/maxReport", &columns)).await;
    fixture
        .good(fixture.applovin_report(
            "/report",
            &[DAYS[0], DAYS[1], ("columns", "day,impressions,clicks,revenue"), ("report_type", "publisher")],
        ))
        .await;
    fixture
        .good(
            fixture.applovin_report("/maxCohort", &[DAYS[0], DAYS[1], ("columns", "day,installs,pub_revenue_7,rpi_0")]),
        )
        .await;
    fixture
        .good(
            fixture
                .applovin_report("/maxCohort/imp", &[DAYS[0], DAYS[1], ("columns", "day,imp_3,banner_imp_per_user_3")]),
        )
        .await;
    fixture
        .good(fixture.applovin_report(
            "/maxCohort/session",
            &[DAYS[0], DAYS[1], ("columns", "application,retention_1,user_count_1")],
        ))
        .await;
    let user = [("date", "2026-11-19"), ("platform", "android"), ("application", "com.acmegames.puzzle")];
    fixture.good(fixture.applovin_report("/max/userAdRevenueReport", &user)).await;
    let seen = fixture.operations_seen("applovin").await;
    assert_eq!(seen.len(), 20, "{seen:?}");

    let writes = fixture.writes_of("applovin").await;
    assert!(writes.iter().all(|write| write["applied"] == true && write["owner"] == "demo@sandbox.example"));
    let fixture = fixture.reopen().await;
    let kept = whole_unit(&fixture, made["id"].as_str().unwrap()).await;
    assert_eq!(kept["name"], "Shop Rewarded", "what was made survives a restart");
}

#[tokio::test]
async fn reports_are_the_truth_in_every_breakdown_and_format() {
    let fixture = Fixture::start().await;
    let truth = fixture.micros("applovin", TRUTH).await;
    for columns in [
        "estimated_revenue",
        "day,application,estimated_revenue,impressions",
        "hour,device_type,estimated_revenue",
        "package_name,store_id,platform,country,ad_format,network,max_ad_unit,max_ad_unit_id,network_placement,max_ad_unit_test,max_placement,custom_network_name,has_idfa,ad_unit_waterfall_name,attempts,responses,fill_rate,ecpm,estimated_revenue",
    ] {
        let report =
            fixture.good(fixture.applovin_report("/maxReport", &[DAYS[0], DAYS[1], ("columns", columns)])).await;
        assert_eq!(sum(&report["results"], "estimated_revenue"), truth, "{columns}");
        assert_eq!(report["count"], report["results"].as_array().unwrap().len());
    }
    let own = [DAYS[0], DAYS[1], ("columns", "day,country,revenue"), ("report_type", "publisher")];
    let own = fixture.good(fixture.applovin_report("/report", &own)).await;
    assert_eq!(sum(&own["results"], "revenue"), truth);
    let csv = [DAYS[0], DAYS[1], ("columns", "day,estimated_revenue"), ("format", "csv")];
    let csv = fixture.applovin_report("/maxReport", &csv).send().await.unwrap();
    assert!(csv.headers()["content-type"].to_str().unwrap().starts_with("text/csv"));
    let text = csv.text().await.unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("day,estimated_revenue"));
    let rows: Vec<Value> = lines.map(|line| json!({"r": line.split(',').nth(1).unwrap()})).collect();
    assert_eq!((rows.len(), sum(&rows.into(), "r")), (7, truth));
}

#[tokio::test]
async fn reports_filter_sort_and_page() {
    let fixture = Fixture::start().await;
    let columns = ("columns", "country,impressions,estimated_revenue");
    let sorted = [DAYS[0], DAYS[1], columns, ("sort_estimated_revenue", "DESC")];
    let all = fixture.good(fixture.applovin_report("/maxReport", &sorted)).await;
    let amounts: Vec<u64> =
        all["results"].as_array().unwrap().iter().map(|row| crate::keyed::micros(&row["estimated_revenue"])).collect();
    assert!(amounts.is_sorted_by(|a, b| a >= b) && amounts.len() > 20);
    let mut paged = Vec::new();
    for offset in ["0", "10", "20", "30"] {
        let page = [sorted[0], sorted[1], columns, sorted[3], ("limit", "10"), ("offset", offset)];
        let page = fixture.good(fixture.applovin_report("/maxReport", &page)).await;
        assert_eq!(page["count"], all["count"]);
        paged.extend(page["results"].as_array().unwrap().clone());
    }
    assert_eq!(Value::from(paged), all["results"]);
    let some = [DAYS[0], DAYS[1], columns, ("filter_country", "us,de"), ("filter_platform", "ios")];
    let some = fixture.good(fixture.applovin_report("/maxReport", &some)).await;
    assert_eq!(texts(&some["results"], "country"), ["us", "de"]);
    let impressions = fixture
        .get(&format!("/__sandbox/truth?network=applovin&{TRUTH}&metric=impressions&country=US,DE&platform=iOS"))
        .await;
    assert_eq!(count(&some["results"], "impressions"), impressions["value"].as_u64().unwrap());
}

#[tokio::test]
async fn a_day_per_user_or_impression_adds_up_to_the_day() {
    let fixture = Fixture::start().await;
    let truth = fixture.micros("applovin", "from=2026-11-19&to=2026-11-19&app=com.acmegames.mygame").await;
    for aggregated in ["true", "false"] {
        let ask = [
            ("date", "2026-11-19"),
            ("platform", "android"),
            ("application", "com.acmegames.mygame"),
            ("aggregated", aggregated),
        ];
        let reply = fixture.good(fixture.applovin_report("/max/userAdRevenueReport", &ask)).await;
        let url = reply["ad_revenue_report_url"].as_str().unwrap();
        let text = fixture.http.get(url).send().await.unwrap().text().await.unwrap();
        let mut lines = text.lines();
        let at = lines.next().unwrap().split(',').position(|name| name == "Revenue").unwrap();
        let rows: Vec<Value> = lines.map(|line| json!({"r": line.split(',').nth(at).unwrap()})).collect();
        assert!(rows.len() > 100, "{aggregated}");
        assert_eq!(sum(&rows.into(), "r"), truth, "{aggregated}");
        fixture.advance(3601);
        assert_eq!(fixture.http.get(url).send().await.unwrap().status(), 403, "the link has expired");
    }
}

#[tokio::test]
async fn bad_reports_are_refused_with_a_reason() {
    let fixture = Fixture::start().await;
    let columns = ("columns", "day,impressions");
    for (path, query) in [
        ("/maxReport", vec![("start", "2026-10-06"), DAYS[1], columns]),
        ("/maxReport", vec![DAYS[1], columns]),
        ("/maxReport", vec![("start", "20 Nov"), DAYS[1], columns]),
        ("/maxReport", vec![("start", "2026-11-20"), ("end", "2026-11-19"), columns]),
        ("/maxReport", vec![DAYS[0], DAYS[1]]),
        ("/maxReport", vec![DAYS[0], DAYS[1], ("columns", "day,joy")]),
        ("/maxReport", vec![DAYS[0], DAYS[1], columns, ("filter_joy", "1")]),
        ("/maxReport", vec![DAYS[0], DAYS[1], columns, ("sort_day", "UP")]),
        ("/maxReport", vec![DAYS[0], DAYS[1], columns, ("format", "xml")]),
        ("/report", vec![DAYS[0], DAYS[1], columns]),
        ("/maxCohort", vec![DAYS[0], DAYS[1], ("columns", "imp_3")]),
        ("/max/userAdRevenueReport", vec![("date", "2026-11-21"), ("platform", "ios"), ("application", "x")]),
        ("/max/userAdRevenueReport", vec![("date", "2026-11-19"), ("platform", "ios")]),
    ] {
        let (status, body) = fixture.done(fixture.applovin_report(path, &query)).await;
        assert_eq!((status, body["code"].as_u64()), (400, Some(400)), "{path} {query:?}: {body}");
        assert!(!body["message"].as_str().unwrap().is_empty());
    }
    let answer =
        fixture.applovin_report("/maxReport", &[("start", "2026-10-06"), DAYS[1], columns]).send().await.unwrap();
    assert_eq!(answer.headers()["x-al-error-message"], "The date is beyond our 45 day request window.");
}

#[tokio::test]
async fn bad_writes_change_nothing_and_are_recorded() {
    let fixture = Fixture::start().await;
    let unit = first_unit(&fixture).await;
    let id = unit["id"].as_str().unwrap();
    let own = format!("/ad_unit/{id}");
    let mut other_format = unit.clone();
    other_format["ad_format"] = json!("MREC");
    let mut price = unit.clone();
    price["bid_floors"] = json!([{"country_group_name": "US", "cpm": "much"}]);
    let mut interval = unit.clone();
    interval["banner_refresh_settings"] = json!({"interval": 7});
    let cases = [
        (400, "/ad_unit", json!({"name": "X", "platform": "ios"})),
        (400, "/ad_unit", json!({"name": "X", "platform": "web", "package_name": "a.b", "ad_format": "INTER"})),
        (
            400,
            "/ad_unit",
            json!({"name": unit["name"], "platform": unit["platform"], "package_name": unit["package_name"], "ad_format": "INTER"}),
        ),
        (400, "/ad_unit", json!([1])),
        (404, "/ad_unit/0000000000000000", unit.clone()),
        (400, own.as_str(), json!({"name": "only"})),
        (400, own.as_str(), other_format),
        (400, own.as_str(), price),
        (400, own.as_str(), interval),
        (404, "/test_device/nobody", json!({})),
        (400, "/test_device", json!({"name": "X"})),
    ];
    let tried = cases.len();
    for (expected, path, body) in cases {
        let (status, answer) = fixture.done(fixture.applovin(Method::POST, path, Some(body.clone()))).await;
        assert_eq!(status, expected, "{path} {body}: {answer}");
    }
    let (status, _) = fixture.done(fixture.applovin(Method::GET, "/ad_units?fields=secrets", None)).await;
    assert_eq!(status, 400);
    let page = fixture.good(fixture.applovin(Method::GET, "/ad_units?limit=3&offset=2", None)).await;
    assert_eq!(page.as_array().unwrap().len(), 3);
    let writes = fixture.writes_of("applovin").await;
    assert_eq!(writes.len(), tried);
    assert!(writes.iter().all(|write| write["applied"] == false));
    assert_eq!(first_unit(&fixture).await, unit);
}
