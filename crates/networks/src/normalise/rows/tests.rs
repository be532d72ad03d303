use serde_json::json;

use super::*;

fn read(tool: &str, items_path: &str, args: &Json, body: &Json) -> Result<ReportData, Unreadable> {
    let shape = shapes::of(tool).unwrap_or_else(|| panic!("{tool} has a shape"));
    let context = ReportContext { args, account: None, max_rows: 100, notes: Vec::new() };
    report(body, shape, Some(items_path), false, &context)
}

fn keys(data: &ReportData) -> Vec<&str> {
    data.columns.iter().map(|column| column.key.as_str()).collect()
}

fn usd(micros: i64) -> Value {
    Value::Money { money: Money::new(Currency::USD, micros) }
}

fn date(value: &str) -> Value {
    Value::Date { value: value.into() }
}

#[test]
fn applovins_numbers_that_come_as_text_become_numbers() {
    let args = json!({"start": "2026-11-19", "end": "2026-11-20", "columns": ["day", "country", "impressions", "estimated_revenue", "ecpm", "fill_rate"]});
    let body = json!({"code": 200, "count": 1, "results": [{"day": "2026-11-20", "country": "us", "impressions": "1200", "estimated_revenue": "3.4567891", "ecpm": "2.88", "fill_rate": "0.83"}]});
    let data = read("applovin_get_max_report", "results", &args, &body).expect("readable");
    assert_eq!(keys(&data), ["date", "country", "impressions", "revenue", "ecpm", "fill_rate"]);
    assert_eq!(
        data.rows[0],
        vec![
            date("2026-11-20"),
            Value::Entity { id: "us".into(), name: "United States".into() },
            Value::Count { value: 1200 },
            usd(3_456_789),
            usd(2_880_000),
            Value::Percent { value: 83.0 },
        ]
    );
    assert_eq!((data.date_from.as_str(), data.date_to.as_str()), ("2026-11-19", "2026-11-20"));
    assert_eq!((data.currency.as_deref(), data.time_zone.as_deref()), (Some("USD"), Some("Etc/UTC")));
}

#[test]
fn mintegrals_compact_dates_and_hours_from_utc_are_understood() {
    let args = json!({"start": "20261119", "end": "20261120", "group_by": ["date", "app_id"]});
    let row = json!({"date": 20_261_120, "app_id": 77, "app_name": "Puzzle Game", "request": 10, "filled": 8, "impression": 7, "click": 1, "est_revenue": 0.0123, "ecpm": 1.757});
    let data = read("mintegral_get_report", "data.lists", &args, &json!({"code": "ok", "data": {"lists": [row]}}))
        .expect("readable");
    assert_eq!(&data.rows[0][..2], [date("2026-11-20"), Value::Entity { id: "77".into(), name: "Puzzle Game".into() }]);
    assert!(data.rows[0].contains(&usd(12_300)), "{:?}", data.rows[0]);
    assert_eq!((data.date_from.as_str(), data.time_zone.as_deref()), ("2026-11-19", Some("UTC+8")));
    let data = read(
        "mintegral_get_report",
        "data.lists",
        &json!({"start": "20261119", "end": "20261119", "timezone": 0}),
        &json!({"data": {"lists": []}}),
    )
    .expect("readable");
    assert_eq!((data.rows.len(), data.time_zone.as_deref()), (0, Some("Etc/UTC")));
}

#[test]
fn pangles_rows_lie_under_the_day_and_no_data_is_no_mistake() {
    let args = json!({"date": "2026-11-20", "currency": "usd", "time_zone": 0});
    let row = json!({"app_id": "5001", "media_name": "Word Quest", "ad_slot_id": "98", "show": 12, "click": 1, "revenue": "0.05", "ecpm": "4.16"});
    let data = read("pangle_get_report", "Data.{date}", &args, &json!({"Code": "100", "Data": {"2026-11-20": [row]}}))
        .expect("readable");
    assert!(data.rows[0].contains(&usd(50_000)));
    assert_eq!((data.currency.as_deref(), data.date_to.as_str()), (Some("USD"), "2026-11-20"));
    let none = read("pangle_get_report", "Data.{date}", &args, &json!({"Code": "PD0004", "Message": "no data"}))
        .expect("nothing");
    assert!(none.rows.is_empty());
    assert!(
        read("pangle_get_report", "Data.{date}", &args, &json!({"Code": "100", "Data": {}})).is_err(),
        "rows are missing"
    );
    let yuan =
        read("pangle_get_report", "Data.{date}", &json!({"date": "2026-11-20"}), &json!({"Data": {"2026-11-20": []}}))
            .expect("readable");
    assert_eq!(
        (yuan.currency.as_deref(), yuan.time_zone.as_deref()),
        (Some("CNY"), Some("UTC+8")),
        "the network's own defaults"
    );
}

#[test]
fn inmobis_frame_gives_both_days() {
    let args = json!({"body": {"reportRequest": {"metrics": ["earnings", "adImpressions"], "groupBy": ["date"], "timeFrame": "2026-11-01:2026-11-07"}}});
    let body =
        json!({"error": false, "respList": [{"date": "2026-11-01 00:00:00", "earnings": 1.25, "adImpressions": 900}]});
    let data = read("inmobi_get_report", "respList", &args, &body).expect("readable");
    assert_eq!(data.rows[0], vec![date("2026-11-01"), usd(1_250_000), Value::Count { value: 900 }]);
    assert_eq!((data.date_from.as_str(), data.date_to.as_str()), ("2026-11-01", "2026-11-07"));
}

#[test]
fn rows_between_commas_have_the_same_columns_as_json() {
    let args = json!({"body": {"source": "mediation", "dateRange": {"start": "2026-11-20", "end": "2026-11-20"}, "metrics": ["Impressions", "Revenue (USD)"], "splits": ["Date", "Country"]}});
    let text = "Date,Country,Impressions,Revenue (USD)\n2026-11-20,DE,\"1,204\",0.123456\n";
    let (rows, _) = super::super::csv::table(text, 10, &|name| name == "Date").expect("csv");
    let data = read("dtexchange_create_report", "", &args, &Json::Array(rows)).expect("readable");
    assert_eq!(keys(&data), ["date", "country", "impressions", "revenue"]);
    assert_eq!(&data.rows[0][2..], [Value::Count { value: 1204 }, usd(123_456)]);
}

#[test]
fn ad_managers_values_by_position_get_their_names_from_the_definition() {
    let row = json!({"dimensionValues": [{"stringValue": "2026-11-20"}, {"intValue": "42"}, {"stringValue": "Homepage"}],
        "metricValueGroups": [{"primaryValues": [{"intValue": "1000"}, {"doubleValue": 12.5}, {"doubleValue": 0.031}]}]});
    let definition = json!({"reportDefinition": {"dimensions": ["DATE", "AD_UNIT_ID", "AD_UNIT_NAME"], "metrics": ["AD_SERVER_IMPRESSIONS", "AD_SERVER_REVENUE", "AD_SERVER_CTR"], "currencyCode": "USD"}});
    let data =
        read("admanager_run_report", "rows", &json!({}), &json!({"rows": [row.clone()], "definition": definition}))
            .expect("readable");
    assert_eq!(
        data.rows[0],
        vec![
            date("2026-11-20"),
            Value::Entity { id: "42".into(), name: "Homepage".into() },
            Value::Count { value: 1000 },
            usd(12_500_000),
            Value::Percent { value: 3.1 },
        ]
    );
    assert_eq!((data.date_from.as_str(), data.date_to.as_str()), ("2026-11-20", "2026-11-20"));
    let without = json!({"reportDefinition": {"dimensions": ["DATE", "AD_UNIT_ID", "AD_UNIT_NAME"], "metrics": ["AD_SERVER_IMPRESSIONS", "AD_SERVER_REVENUE", "AD_SERVER_CTR"]}});
    let error =
        read("admanager_run_report", "rows", &json!({}), &json!({"rows": [row.clone()], "definition": without}))
            .expect_err("no currency");
    assert!(error.to_string().contains("currency"), "{error}");
    let short = json!({"reportDefinition": {"dimensions": ["DATE"], "metrics": ["AD_SERVER_IMPRESSIONS"]}});
    assert!(read("admanager_run_report", "rows", &json!({}), &json!({"rows": [row], "definition": short})).is_err());
}

#[test]
fn what_is_no_number_is_an_error_and_never_a_zero() {
    let args = json!({"start": "2026-11-19", "end": "2026-11-20", "columns": ["estimated_revenue"]});
    let body = |revenue: Json| json!({"results": [{"estimated_revenue": revenue}]});
    for bad in ["n/a", "1.2.3", "--", "0x10"] {
        let error = read("applovin_get_max_report", "results", &args, &body(json!(bad))).expect_err(bad);
        assert!(error.to_string().contains("estimated_revenue"), "{error}");
    }
    let data = read("applovin_get_max_report", "results", &args, &body(json!(""))).expect("readable");
    assert_eq!(data.rows[0], vec![Value::Missing]);
    assert!(read("applovin_get_max_report", "results", &args, &json!({"code": 200})).is_err());
    assert!(read("applovin_get_max_report", "results", &args, &json!({"results": [[1]]})).is_err());
}

#[test]
fn decimals_become_millionths_exactly() {
    let micros = |text: &str| decimal(text).and_then(|decimal| decimal.micros());
    for (text, expected) in [
        ("12", 12_000_000),
        ("1,234.5", 1_234_500_000),
        ("$0.002", 2000),
        ("-3.25", -3_250_000),
        ("0.0000005", 1),
        ("0.00000049", 0),
        ("1e-7", 0),
        ("2.5E3", 2_500_000_000),
        ("0.1234565", 123_457),
        ("1,234,567", 1_234_567_000_000),
        ("-$1.5", -1_500_000),
        ("$-1.5", -1_500_000),
        ("12.5 %", 12_500_000),
    ] {
        assert_eq!(micros(text), Some(expected), "{text}");
    }
    for text in [
        "1,5",
        "12,34",
        "1,2345",
        ",123",
        "1234,567",
        "1,23.4",
        "1.5,000",
        "--1",
        "-$-1",
        "$",
        "1 000",
        "99999999999999999999",
    ] {
        assert_eq!(micros(text), None, "{text}");
    }
    assert_eq!((whole("12.0"), whole("12.5"), whole("1,204")), (Some(12), None, Some(1204)));
}

#[test]
fn an_amount_that_shows_another_currency_is_refused() {
    let args = json!({"start": "2026-11-19", "end": "2026-11-20", "columns": ["estimated_revenue"]});
    let read = |revenue: &str| {
        read("applovin_get_max_report", "results", &args, &json!({"results": [{"estimated_revenue": revenue}]}))
    };
    assert_eq!(read("$1.5").expect("dollars").rows[0], vec![usd(1_500_000)]);
    for other in ["€1.5", "1.5 €", "£1", "1%"] {
        let error = read(other).expect_err(other);
        assert!(error.to_string().contains("USD"), "{error}");
    }
    assert!(read("1,5").is_err(), "nobody knows whether that is one and a half");
}

#[test]
fn unknown_columns_are_kept_under_a_plain_key() {
    let args = json!({"start": "2026-11-19", "end": "2026-11-20", "columns": ["day"]});
    let body =
        json!({"results": [{"day": "2026-11-20", "LINE_ITEM_NAME": "Spring", "newMetric (beta)": 1.5, "odd": "x"}]});
    let data = read("applovin_get_max_report", "results", &args, &body).expect("readable");
    let mut known = keys(&data);
    known.sort_unstable();
    assert_eq!(known, ["date", "line_item_name", "new_metric_beta", "odd"]);
    for value in
        [Value::Number { value: 1.5 }, Value::Text { value: "x".into() }, Value::Text { value: "Spring".into() }]
    {
        assert!(data.rows[0].contains(&value), "{:?}", data.rows);
    }
}

/// Tests that a name shows the characters in it that reverse the text direction.
#[test]
fn what_turns_a_text_around_is_written_out() {
    let args = json!({"start": "2026-11-19", "end": "2026-11-20", "columns": ["day"]});
    let body = json!({"results": [{"day": "2026-11-20", "odd": "Game\u{202e}exe"}]});
    let data = read("applovin_get_max_report", "results", &args, &body).expect("readable");
    let Value::Text { value } = &data.rows[0][1] else { panic!("{:?}", data.rows) };
    assert!(!value.contains('\u{202e}') && value.contains("202E"), "{value}");
}
