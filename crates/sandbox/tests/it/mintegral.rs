//! Tests of Mintegral over HTTP: every operation, its signature, its codes, its days.

use adagent_sandbox::Standing;
use reqwest::Method;
use serde_json::{Value, json};

use crate::keyed::{Pairs, count, mintegral_pairs, sum};
use crate::support::Fixture;

async fn list(fixture: &Fixture, path: &str, query: &[(&str, &str)]) -> Value {
    let answer = fixture.good(fixture.mintegral_get(path, query)).await;
    assert_eq!(answer["code"], 200, "{answer}");
    answer["data"].clone()
}

async fn post(fixture: &Fixture, path: &str, form: &[(&str, &str)]) -> Value {
    let answer = fixture.good(fixture.mintegral_post(path, form)).await;
    assert_eq!(answer["code"], 200, "{path}: {answer}");
    answer["data"].clone()
}

#[tokio::test]
async fn every_operation_answers() {
    let fixture = Fixture::start().await;
    let apps = list(&fixture, "/v2/app/open_api_list", &[]).await;
    let app = apps["lists"][0]["app_id"].to_string();
    let one = list(&fixture, "/v2/app/open_api_list", &[("app_id", &app)]).await;
    assert_eq!(one["total"], 1);
    let form = [("app_name", "New"), ("os", "ANDROID"), ("package", "com.new.game"), ("is_live_in_store", "0")];
    let made = post(&fixture, "/app/open_api_create", &form).await;
    let id = made["app_id"].to_string();
    let changed = post(&fixture, "/app/open_api_edit", &[("app_id", &id), ("app_name", "Newer"), ("coppa", "1")]).await;
    assert_eq!((&changed["app_name"], &changed["coppa"]), (&json!("Newer"), &json!(1)));
    let form = [
        ("app_id", id.as_str()),
        ("placement_name", "Shop"),
        ("ad_type", "rewarded_video"),
        ("integrate_type", "sdk"),
        ("unit_names", "Low,High"),
        ("hb_unit_name", "Bid"),
    ];
    let placement = post(&fixture, "/v2/placement/open_api_create", &form).await;
    let placement_id = placement["placement_id"].to_string();
    let units = list(&fixture, "/v2/unit/open_api_list", &[("placement_id", &placement_id)]).await;
    assert_eq!(units["total"], 3);
    post(&fixture, "/v2/placement/open_api_edit", &[("placement_id", &placement_id), ("skip_time", "5")]).await;
    let form = [
        ("app_id", id.as_str()),
        ("placement_id", &placement_id),
        ("unit_name", "Middle"),
        ("target_ecpm", "{\"US\":4.5,\"ALL\":1}"),
    ];
    let unit = post(&fixture, "/v2/unit/open_api_create", &form).await;
    let unit_id = unit["unit_id"].to_string();
    assert_eq!(unit["target_ecpm"]["US"], 4.5);
    let form = [("unit_id", unit_id.as_str()), ("clear_target_ecpm", "1"), ("target_ecpm[DE]", "2.5")];
    let unit = post(&fixture, "/v2/unit/open_api_edit", &form).await;
    assert_eq!(unit["target_ecpm"], json!({"DE": 2.5}));
    post(&fixture, "/unit/open_api_delete", &[("unit_ids", &unit_id)]).await;
    post(&fixture, "/v2/placement/open_api_delete", &[("placement_ids", &placement_id)]).await;
    let left = list(&fixture, "/v2/unit/open_api_list", &[("app_id", &id)]).await;
    assert_eq!(left["total"], 0, "units go with their placement");
    assert_eq!(list(&fixture, "/v2/placement/open_api_list", &[("app_id", &id)]).await["total"], 0);
    let report =
        fixture.mintegral_get("/@api.mintegral.com/reporting/v2/data", &[("start", "20261114"), ("end", "20261120")]);
    assert_eq!(fixture.good(report).await["code"], "ok");
    let seen = fixture.operations_seen("mintegral").await;
    assert_eq!(seen.len(), 12, "{seen:?}");
    let writes = fixture.writes_of("mintegral").await;
    assert!(writes.iter().all(|write| write["body"]["sign"].is_null() && write["body"]["skey"].is_null()));
    let fixture = fixture.reopen().await;
    assert_eq!(list(&fixture, "/v2/app/open_api_list", &[("app_id", &id)]).await["lists"][0]["app_name"], "Newer");
}

#[tokio::test]
async fn a_wrong_signature_or_a_clock_that_is_off_is_refused() {
    let fixture = Fixture::start().await;
    let code = async |pairs: &[(&str, String)]| {
        let request = fixture.request(Method::GET, "/mintegral/v2/app/open_api_list").query(pairs);
        fixture.good(request).await["code"].as_i64().unwrap()
    };
    let now = fixture.seconds();
    for (at, expected) in [(now, 200), (now - 299, 200), (now + 299, 200), (now - 301, -2001), (now + 3600, -2001)] {
        assert_eq!(code(&mintegral_pairs(Standing::Valid, at)).await, expected, "{}", at - now);
    }
    let mut forged = mintegral_pairs(Standing::Valid, now);
    forged[2].1 = forged[2].1.to_uppercase();
    assert_eq!(code(&forged).await, -2002);
    let mut stranger = mintegral_pairs(Standing::Valid, now);
    "nobody".clone_into(&mut stranger[0].1);
    assert_eq!(code(&stranger).await, -2003);
    assert_eq!(code(&mintegral_pairs(Standing::Valid, now)[..2]).await, -2002);
}

#[tokio::test]
async fn reports_are_the_truth_on_the_networks_own_days() {
    let fixture = Fixture::start().await;
    let path = "/@api.mintegral.com/reporting/v2/data";
    for (timezone, group_by) in [
        ("8", "date"),
        ("0", "date,app_id,platform,country"),
        ("-5", "timestamp"),
        ("0", "placement_id,unit_id,bidding_type,ad_format"),
    ] {
        let query = [("start", "20261114"), ("end", "20261120"), ("timezone", timezone), ("group_by", group_by)];
        let report = fixture.good(fixture.mintegral_get(path, &query)).await;
        let truth = fixture.micros("mintegral", &format!("from=2026-11-14&to=2026-11-20&timezone={timezone}")).await;
        assert_eq!(sum(&report["data"]["lists"], "est_revenue"), truth, "{timezone} {group_by}");
    }
    let plain = fixture.good(fixture.mintegral_get(path, &[("start", "20261120"), ("end", "20261120")])).await;
    let row = &plain["data"]["lists"][0];
    assert_eq!(row["date"], 20_261_120);
    assert_eq!(
        sum(&plain["data"]["lists"], "est_revenue"),
        fixture.micros("mintegral", "from=2026-11-20&to=2026-11-20&timezone=8").await
    );
    let app = list(&fixture, "/v2/app/open_api_list", &[]).await["lists"][0]["app_id"].to_string();
    let query = [("start", "20261120"), ("end", "20261120"), ("timezone", "0"), ("app_id", &app), ("country", "US,DE")];
    let some = fixture.good(fixture.mintegral_get(path, &query)).await;
    let truth = format!(
        "/__sandbox/truth?network=mintegral&from=2026-11-20&to=2026-11-20&metric=impressions&app={app}&country=US,DE"
    );
    assert_eq!(count(&some["data"]["lists"], "impression"), fixture.get(&truth).await["value"].as_u64().unwrap());
}

#[tokio::test]
async fn reports_and_lists_come_in_pages() {
    let fixture = Fixture::start().await;
    let path = "/@api.mintegral.com/reporting/v2/data";
    let base = [("start", "20261114"), ("end", "20261120"), ("group_by", "date,country")];
    let all = fixture.good(fixture.mintegral_get(path, &base)).await["data"].clone();
    let mut rows = Vec::new();
    let pages = all["total"].as_u64().unwrap().div_ceil(40);
    for page in 1..=pages {
        let page = page.to_string();
        let query = [base[0], base[1], base[2], ("page", page.as_str()), ("limit", "40")];
        let data = fixture.good(fixture.mintegral_get(path, &query)).await["data"].clone();
        assert_eq!(data["total_page"], pages);
        rows.extend(data["lists"].as_array().unwrap().clone());
    }
    assert_eq!(Value::from(rows), all["lists"]);
    let units = list(&fixture, "/v2/unit/open_api_list", &[]).await;
    let (total, shown) = (units["total"].as_u64().unwrap(), units["lists"].as_array().unwrap().len());
    assert!(total > 20 && shown == 20, "{total} {shown}");
    let second = list(&fixture, "/v2/unit/open_api_list", &[("page", "2")]).await;
    assert_ne!(second["lists"][0], units["lists"][0]);
}

#[tokio::test]
async fn what_it_refuses_is_a_code_and_changes_nothing() {
    let fixture = Fixture::start().await;
    let report = "/@api.mintegral.com/reporting/v2/data";
    for query in [
        [("start", "20261113"), ("end", "20261120")],
        [("start", "20260901"), ("end", "20260905")],
        [("start", "2026-11-20"), ("end", "20261120")],
        [("start", "20261120"), ("end", "20261119")],
        [("group_by", "mood"), ("start", "20261120")],
        [("timezone", "13"), ("start", "20261120")],
        [("limit", "10001"), ("start", "20261120")],
    ] {
        let answer = fixture.good(fixture.mintegral_get(report, &query)).await;
        assert_eq!(answer["code"], -2006, "{query:?}: {answer}");
    }
    let app = list(&fixture, "/v2/app/open_api_list", &[]).await["lists"][0]["app_id"].to_string();
    let units = list(&fixture, "/v2/unit/open_api_list", &[("per_page", "1000")]).await;
    let cases: [(i64, &str, Pairs<'_>); 8] = [
        (-2006, "/app/open_api_create", &[("app_name", "X")]),
        (
            -2006,
            "/app/open_api_create",
            &[("app_name", "X"), ("os", "IOS"), ("package", "com.x"), ("is_live_in_store", "0")],
        ),
        (-2005, "/app/open_api_edit", &[("app_id", "1")]),
        (
            -2006,
            "/v2/placement/open_api_create",
            &[("app_id", &app), ("placement_name", "X"), ("ad_type", "banner"), ("integrate_type", "sdk")],
        ),
        (-2005, "/v2/placement/open_api_delete", &[("placement_ids", "1,2")]),
        (-2006, "/unit/open_api_delete", &[("unit_ids", "one")]),
        (-2005, "/v2/unit/open_api_edit", &[("unit_id", "1")]),
        (-2006, "/v2/unit/open_api_edit", &[("unit_id", "")]),
    ];
    for (code, path, form) in cases {
        let answer = fixture.good(fixture.mintegral_post(path, form)).await;
        assert_eq!(answer["code"], code, "{path} {form:?}: {answer}");
    }
    let signed = mintegral_pairs(Standing::Valid, fixture.seconds());
    let json_body = fixture.request(Method::POST, "/mintegral/app/open_api_create").query(&signed).json(&json!({}));
    assert_eq!(fixture.good(json_body).await["code"], -2006, "bodies are forms");
    assert_eq!(list(&fixture, "/v2/unit/open_api_list", &[("per_page", "1000")]).await, units);
    assert!(fixture.writes_of("mintegral").await.iter().all(|write| write["applied"] == false));
}
