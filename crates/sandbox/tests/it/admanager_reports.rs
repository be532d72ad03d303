//! Tests of Google Ad Manager: reports from the definition to the rows, compared with the truth, and forecasts.

use reqwest::Method;
use serde_json::{Value, json};

use crate::admanager::NETWORK;
use crate::keyed::micros;
use crate::support::Fixture;

fn definition(dimensions: &[&str], metrics: &[&str]) -> Value {
    let day = |day: u32| json!({"year": 2026, "month": 11, "day": day});
    json!({
        "dimensions": dimensions, "metrics": metrics, "reportType": "HISTORICAL",
        "dateRange": {"fixed": {"startDate": day(14), "endDate": day(20)}},
    })
}

impl Fixture {
    /// Saves, runs and polls a report; returns the name of the result without the network.
    async fn gam_result(&self, definition: Value) -> String {
        let report = json!({"displayName": "Test", "reportDefinition": definition});
        let report = self.gam_post("/reports", report).await;
        let path = report["name"].as_str().unwrap().strip_prefix("networks/21700000001").unwrap().to_owned();
        let run = self.gam_post(&format!("{path}:run"), json!({})).await;
        let name = run["name"].as_str().unwrap().strip_prefix("networks/21700000001").unwrap().to_owned();
        assert_eq!(run["done"], false);
        let mut looks = Vec::new();
        for _ in 0..5 {
            let look = self.gam_get(&name).await;
            looks.push(look["metadata"]["percentComplete"].as_u64().unwrap());
            if look["done"] == true {
                assert_eq!(looks, [40, 80, 100]);
                let result = look["response"]["reportResult"].as_str().unwrap();
                return result.strip_prefix("networks/21700000001").unwrap().to_owned();
            }
        }
        panic!("the run is never done: {looks:?}");
    }

    async fn gam_rows(&self, definition: Value) -> Vec<Value> {
        let result = self.gam_result(definition).await;
        let mut rows = Vec::new();
        let mut token = String::new();
        loop {
            let page = self.gam_get(&format!("{result}:fetchRows?pageSize=40&pageToken={token}")).await;
            rows.extend(page["rows"].as_array().cloned().unwrap_or_default());
            let Some(next) = page["nextPageToken"].as_str() else {
                assert_eq!(page["totalRowCount"].as_u64().unwrap(), rows.len() as u64);
                return rows;
            };
            next.clone_into(&mut token);
        }
    }

    async fn gam_truth(&self, metric: &str, by: &str) -> Value {
        self.get(&format!("/__sandbox/truth?network=admanager&metric={metric}&by={by}&from=2026-11-14&to=2026-11-20"))
            .await
    }
}

fn value(row: &Value, metric: usize) -> &Value {
    &row["metricValueGroups"][0]["primaryValues"][metric]
}

fn int(value: &Value) -> u64 {
    value["intValue"].as_str().unwrap().parse().unwrap()
}

#[tokio::test]
async fn rows_agree_with_the_truth_in_every_breakdown() {
    let fixture = Fixture::start().await;
    let metrics = ["AD_SERVER_IMPRESSIONS", "CLICKS", "REVENUE"];
    for (dimensions, by) in [
        (&["AD_UNIT_ID", "AD_UNIT_NAME"][..], "ad_unit"),
        (&["COUNTRY_CODE"], "country"),
        (&["INVENTORY_FORMAT"], "format"),
        (&["MOBILE_APP_ID"], "app"),
        (&["OPERATING_SYSTEM_CATEGORY_NAME"], "platform"),
    ] {
        let rows = fixture.gam_rows(definition(dimensions, &metrics)).await;
        let truth = fixture.gam_truth("revenue", by).await;
        let items = truth["items"].as_array().unwrap();
        assert_eq!(rows.len(), items.len(), "{by}");
        for row in &rows {
            let key = row["dimensionValues"][0].as_object().unwrap().values().next().unwrap();
            let fits = |item: &&Value| {
                item["key"] == *key
                    || (by == "platform" && key.as_str().unwrap().ends_with(item["key"].as_str().unwrap()))
            };
            let item = items.iter().find(fits).unwrap_or_else(|| panic!("{by} {key}"));
            assert_eq!(micros(&value(row, 2)["doubleValue"]), item["micros"].as_u64().unwrap(), "{by} {key}");
        }
    }
    for (metric, name) in [(0, "impressions"), (1, "clicks")] {
        let rows = fixture.gam_rows(definition(&["DATE"], &metrics)).await;
        let truth = fixture.gam_truth(name, "date").await;
        let days: Vec<(String, u64)> = rows
            .iter()
            .map(|row| (row["dimensionValues"][0]["intValue"].as_str().unwrap().to_owned(), int(value(row, metric))))
            .collect();
        let wanted: Vec<(String, u64)> = truth["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|item| (item["key"].as_str().unwrap().replace('-', ""), item["value"].as_u64().unwrap()))
            .collect();
        assert_eq!(days, wanted);
    }
    let lines = fixture.gam_rows(definition(&["ORDER_NAME", "LINE_ITEM_ID", "LINE_ITEM_NAME"], &metrics)).await;
    assert_eq!(lines.len(), 6);
    let all: u64 = lines.iter().map(|row| int(value(row, 0))).sum();
    let total =
        fixture.get("/__sandbox/truth?network=admanager&metric=impressions&from=2026-11-14&to=2026-11-20").await;
    assert_eq!(total["value"].as_u64(), Some(all));
}

#[tokio::test]
async fn what_line_items_and_orders_have_delivered_is_what_a_report_over_everything_says() {
    let fixture = Fixture::start().await;
    let mut asked = definition(&["LINE_ITEM_ID"], &["AD_SERVER_IMPRESSIONS"]);
    asked["dateRange"] = json!({"relative": "ALL_AVAILABLE"});
    let rows = fixture.gam_rows(asked).await;
    let mut sums = [0, 0, 0];
    for row in &rows {
        let id: usize = row["dimensionValues"][0]["intValue"].as_str().unwrap().parse().unwrap();
        let line = fixture.gam_get(&format!("/lineItems/{id}")).await;
        assert_eq!(line["stats"]["impressionsDelivered"], value(row, 0)["intValue"]);
        sums[(id - 6_500_000_001) / 2] += int(value(row, 0));
    }
    let orders = fixture.gam_get("/orders?orderBy=orderId").await;
    let delivered: Vec<&str> =
        orders["orders"].as_array().unwrap().iter().map(|it| it["impressionsDelivered"].as_str().unwrap()).collect();
    assert_eq!(delivered, sums.map(|sum| sum.to_string()));
}

#[tokio::test]
async fn filters_sorts_currencies_and_comparisons_are_kept() {
    let fixture = Fixture::start().await;
    let mut asked = definition(&["AD_UNIT_NAME", "BROWSER_NAME"], &["REVENUE", "CTR", "AD_EXCHANGE_IMPRESSIONS"]);
    asked["filters"] = json!([
        {"fieldFilter": {"field": {"dimension": "COUNTRY_CODE"}, "operation": "IN", "values": [{"stringValue": "US"}]}},
        {"notFilter": {"fieldFilter": {"field": {"dimension": "INVENTORY_FORMAT"}, "operation": "IN", "values": [{"stringValue": "BANNER"}]}}},
        {"fieldFilter": {"field": {"metric": "REVENUE"}, "operation": "GREATER_THAN", "values": [{"doubleValue": 1.0}]}},
    ]);
    asked["sorts"] = json!([{"field": {"metric": "REVENUE"}, "descending": true}]);
    let rows = fixture.gam_rows(asked.clone()).await;
    let amounts: Vec<f64> = rows.iter().map(|row| value(row, 0)["doubleValue"].as_f64().unwrap()).collect();
    assert!(
        !amounts.is_empty() && amounts.windows(2).all(|pair| pair[0] >= pair[1]) && amounts.iter().all(|it| *it > 1.0)
    );
    assert!(rows.iter().all(|row| !row["dimensionValues"][0]["stringValue"].as_str().unwrap().contains("Banner")));
    assert!(rows.iter().all(|row| row["dimensionValues"][1]["stringValue"] == "(Not applicable)"));
    assert!(rows.iter().all(|row| value(row, 2)["intValue"] == "0"), "Ad Exchange serves nothing here");
    asked["currencyCode"] = json!("EUR");
    let euros = fixture.gam_rows(asked).await;
    let first = value(&euros[0], 0)["doubleValue"].as_f64().unwrap();
    assert!((first / amounts[0] - 0.92).abs() < 0.001);
    let mut asked = definition(&["COUNTRY_NAME"], &["IMPRESSIONS"]);
    asked["comparisonDateRange"] = json!({"relative": "PREVIOUS_PERIOD"});
    let rows = fixture.gam_rows(asked).await;
    let before: u64 = rows.iter().map(|row| int(&row["metricValueGroups"][0]["comparisonValues"][0])).sum();
    let truth = "/__sandbox/truth?network=admanager&metric=impressions&from=2026-11-07&to=2026-11-13";
    assert_eq!(fixture.get(truth).await["value"].as_u64(), Some(before));
}

#[tokio::test]
async fn a_run_outlives_a_restart_and_can_be_cancelled_and_forgotten() {
    let fixture = Fixture::start().await;
    let run = fixture.gam_post("/reports/5900000001:run", json!({})).await;
    let id = run["name"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    let path = format!("/operations/reports/runs/{id}");
    assert_eq!(fixture.gam_get(&path).await["metadata"]["percentComplete"], 40);
    let fixture = fixture.reopen().await;
    assert_eq!(fixture.gam_get(&path).await["metadata"]["percentComplete"], 80);
    assert!(fixture.writes_of("admanager").await.is_empty(), "a report is no write");
    let (status, _) = fixture.gam(Method::POST, &format!("/v1/operations/{id}:cancel"), Some(json!({}))).await;
    assert_eq!(status, 200);
    let cancelled = fixture.gam_get(&path).await;
    assert_eq!((cancelled["done"].as_bool(), cancelled["error"]["code"].as_u64()), (Some(true), Some(1)));
    let (status, _) = fixture.gam(Method::DELETE, &format!("/v1/operations/{id}"), None).await;
    assert_eq!(status, 200);
    assert_eq!(fixture.gam(Method::GET, &format!("{NETWORK}{path}"), None).await.0, 404);
    let next = fixture.gam_post("/reports/5900000001:run", json!({})).await;
    assert_ne!(next["name"], run["name"], "no number is given out twice");
}

#[tokio::test]
async fn definitions_that_cannot_be_answered_are_refused_when_saved() {
    let fixture = Fixture::start().await;
    let fits = definition(&["DATE"], &["IMPRESSIONS"]);
    let with = |name: &str, value: Value| {
        let mut changed = fits.clone();
        changed[name] = value;
        changed
    };
    for (wrong, field) in [
        (with("dimensions", json!(["DATE", "DATE"])), "reportDefinition.dimensions"),
        (with("reportType", json!("REACH")), "reportDefinition.metrics[0]"),
        (with("currencyCode", json!("XYZ")), "reportDefinition.currencyCode"),
        (with("dateRange", json!({"relative": "PREVIOUS_PERIOD"})), "reportDefinition.dateRange"),
        (
            with(
                "dateRange",
                json!({"fixed": {"startDate": {"year": 2026, "month": 2, "day": 30}, "endDate": {"year": 2026, "month": 3, "day": 1}}}),
            ),
            "reportDefinition.dateRange.fixed.startDate",
        ),
        (with("comparisonDateRange", json!({"relative": "PREVIOUS_PERIOD"})), "reportDefinition.comparisonDateRange"),
        (with("sorts", json!([{"field": {"metric": "CLICKS"}}])), "reportDefinition.sorts[0].field"),
        (with("filters", json!([{}])), "reportDefinition.filters[0]"),
    ] {
        let body = json!({"displayName": "x", "reportDefinition": wrong});
        let (status, answer) = fixture.gam(Method::POST, &format!("{NETWORK}/reports"), Some(body)).await;
        assert_eq!(status, 400, "{answer}");
        assert_eq!(answer["error"]["details"][0]["fieldViolations"][0]["field"], field, "{answer}");
    }
}

#[tokio::test]
async fn forecasts_carry_the_last_weeks_forward() {
    let fixture = Fixture::start().await;
    let line = "networks/21700000001/lineItems/6500000004";
    let asked = json!({"existingLineItem": line, "availabilityForecastOptions": {"contendingLineItemsIncluded": true}});
    let found = fixture.gam_post(":runAvailabilityForecast", asked).await["availabilityForecastResult"].clone();
    let number = |name: &str| found[name].as_str().unwrap().parse::<u64>().unwrap();
    let truth = "/__sandbox/truth?network=admanager&metric=impressions&from=2026-10-24&to=2026-11-20";
    assert_eq!(fixture.get(truth).await["value"].as_u64(), Some(number("matchedUnits")));
    assert_eq!(number("availableUnits") + number("reservedUnits"), number("matchedUnits"));
    assert_eq!(found["contendingLineItems"].as_array().unwrap().len(), 3);
    let us = json!({
        "targeting": {"geoTargeting": {"targetedGeos": ["networks/21700000001/geoTargets/2840"]}},
        "requestedDateRange": {"startDate": {"year": 2026, "month": 11, "day": 19}, "endDate": {"year": 2026, "month": 11, "day": 23}},
    });
    let traffic = fixture.gam_post(":runTrafficData", us).await;
    let past = traffic["historicalTimeSeries"]["values"].as_array().unwrap();
    assert_eq!((past.len(), traffic["forecastedTimeSeries"]["values"].as_array().unwrap().len()), (2, 3));
    let truth = "/__sandbox/truth?network=admanager&metric=impressions&country=US&from=2026-11-19&to=2026-11-19";
    assert_eq!(past[0].as_str().unwrap(), fixture.get(truth).await["value"].to_string());
}
