//! Tests of Pangle over HTTP: every operation, its three signatures, its codes, its days and its yuan.

use adagent_sandbox::Standing;
use reqwest::Method;
use serde_json::{Value, json};

use crate::keyed::{count, micros, pangle_body, pangle_query, sum};
use crate::support::Fixture;

async fn call(fixture: &Fixture, path: &str, body: Value) -> Value {
    let answer = fixture.good(fixture.pangle(path, &body)).await;
    assert_eq!(answer["code"], 0, "{path} {body}: {answer}");
    answer["data"].clone()
}

const SITE: &str = "/union/media/open_api/site";
const SLOT: &str = "/union/media/open_api/code";

#[tokio::test]
async fn every_operation_answers() {
    let fixture = Fixture::start().await;
    let apps = call(&fixture, &format!("{SITE}/query"), json!({"page": 1, "page_size": 500, "os_type": ["ios"]})).await;
    assert!(apps["app_list"].as_array().unwrap().iter().all(|app| app["os_type"] == "ios"));
    let app = call(
        &fixture,
        &format!("{SITE}/create"),
        json!({"app_name": "New", "app_category_code": 121_320, "status": 6}),
    )
    .await;
    let id = &app["app_id"];
    let changed = call(&fixture, &format!("{SITE}/update"), json!({"app_id": id, "app_name": "Newer"})).await;
    assert_eq!((&changed["app_name"], &changed["status"]), (&json!("Newer"), &json!(6)));
    let new = json!({"app_id": id, "ad_slot_type": 5, "ad_slot_name": "Shop", "reward_name": "Coins", "reward_count": 5, "cpm": 2.5, "currency": "usd"});
    let slot = call(&fixture, &format!("{SLOT}/create"), new).await;
    let slot_id = &slot["ad_slot_id"];
    let paused = call(&fixture, &format!("{SLOT}/update"), json!({"ad_slot_id": slot_id, "status": 3})).await;
    assert_eq!((&paused["status"], &paused["reward_name"]), (&json!(3), &json!("Coins")));
    let price = json!({"ad_slot_id": slot_id, "site_id": id, "cpm": 4, "currency": "usd"});
    call(&fixture, "/union_pangle/open/api/code/cpm", price).await;
    let listed = call(&fixture, &format!("{SLOT}/query"), json!({"page": 1, "page_size": 10, "app_id": [id]})).await;
    assert_eq!(listed["ad_slot_list"][0]["expected_cpm"], 4);
    call(
        &fixture,
        "/union_pangle/open/api/code/cpm",
        json!({"ad_slot_id": slot_id, "site_id": id, "delete_cpm": true}),
    )
    .await;
    assert_eq!(fixture.good(fixture.pangle_report(&[("date", "2026-11-20")])).await["Code"], "100");
    for which in ["user", "app", "slot"] {
        let report = fixture.pangle_older(which, &[("start_date", "2026-11-14"), ("end_date", "2026-11-20")]);
        assert_eq!(fixture.good(report).await["code"], 0);
    }
    let seen = fixture.operations_seen("pangle").await;
    assert_eq!(seen.len(), 11, "{seen:?}");
    let writes = fixture.writes_of("pangle").await;
    assert!(writes.iter().all(|write| write["body"]["sign"].is_null() && write["body"]["user_id"].is_null()));
    let fixture = fixture.reopen().await;
    let kept = call(&fixture, &format!("{SITE}/query"), json!({"page": 1, "page_size": 10, "app_id": [id]})).await;
    assert_eq!(kept["app_list"][0]["app_name"], "Newer", "it survives a restart");
}

#[tokio::test]
async fn reports_are_the_truth_in_dollars_and_in_the_networks_own_terms() {
    let fixture = Fixture::start().await;
    for (zone, dimensions) in [("0", ""), ("8", "region"), ("0", "user_id,ad_slot_type,bidding_type,region")] {
        let query = [("date", "2026-11-20"), ("time_zone", zone), ("currency", "usd"), ("dimensions", dimensions)];
        let query: Vec<(&str, &str)> = query.into_iter().filter(|(_, value)| !value.is_empty()).collect();
        let report = fixture.good(fixture.pangle_report(&query)).await;
        let truth = fixture.micros("pangle", &format!("from=2026-11-20&to=2026-11-20&timezone={zone}")).await;
        assert_eq!(sum(&report["Data"]["2026-11-20"], "revenue"), truth, "{zone} {dimensions}");
    }
    let own = fixture.good(fixture.pangle_report(&[("date", "2026-11-20")])).await;
    let rows = &own["Data"]["2026-11-20"];
    assert_eq!((&rows[0]["currency"], &rows[0]["time_zone"]), (&json!("cny"), &json!(8)), "its own defaults");
    let dollars = fixture.good(fixture.pangle_report(&[("date", "2026-11-20"), ("currency", "usd")])).await;
    assert_eq!(micros(&rows[0]["revenue"]), micros(&dollars["Data"]["2026-11-20"][0]["revenue"]) * 710 / 100);
    let german =
        fixture.good(fixture.pangle_report(&[("date", "2026-11-20"), ("time_zone", "0"), ("region", "de")])).await;
    let wanted = "/__sandbox/truth?network=pangle&from=2026-11-20&to=2026-11-20&metric=impressions&country=DE";
    assert_eq!(count(&german["Data"]["2026-11-20"], "show"), fixture.get(wanted).await["value"].as_u64().unwrap());
    for which in ["user", "app", "slot"] {
        let report = fixture.pangle_older(which, &[("start_date", "2026-11-14"), ("end_date", "2026-11-20")]);
        let truth = fixture.micros("pangle", "from=2026-11-14&to=2026-11-20&timezone=8").await;
        assert_eq!(sum(&fixture.good(report).await["data"], "cost"), truth, "{which}");
    }
    let nothing = fixture.good(fixture.pangle_report(&[("date", "2027-01-01")])).await;
    assert_eq!(nothing["Code"], "PD0004");
}

#[tokio::test]
async fn a_wrong_signature_or_a_clock_that_is_off_is_refused() {
    let fixture = Fixture::start().await;
    let now = fixture.seconds();
    let ask = json!({"page": 1, "page_size": 10});
    let managed = async |body: &Value| {
        let request = fixture.request(Method::POST, "/pangle/union/media/open_api/site/query").json(body);
        fixture.good(request).await["code"].as_i64().unwrap()
    };
    let reported = async |query: &[(String, String)]| {
        let request = fixture.request(Method::GET, "/pangle/union_pangle/open/api/rt/income").query(query);
        fixture.good(request).await["Code"].as_str().unwrap().to_owned()
    };
    for (at, code, report) in
        [(now, 0, "100"), (now - 599, 0, "100"), (now - 601, 21002, "PD0002"), (now + 601, 21002, "PD0002")]
    {
        assert_eq!(managed(&pangle_body(Standing::Valid, at, &ask)).await, code, "{}", at - now);
        assert_eq!(
            reported(&pangle_query(Standing::Valid, at, &[("date", "2026-11-20")])).await,
            report,
            "{}",
            at - now
        );
    }
    let mut forged = pangle_body(Standing::Valid, now, &ask);
    forged["nonce"] = json!(7);
    assert_eq!(managed(&forged).await, 21001);
    let mut other_role = pangle_body(Standing::Valid, now, &ask);
    other_role["role_id"] = json!(1);
    assert_eq!(managed(&other_role).await, 21004);
    let mut other_day = pangle_query(Standing::Valid, now, &[("date", "2026-11-20")]);
    "2026-11-19".clone_into(&mut other_day[0].1);
    assert_eq!(reported(&other_day).await, "PD0001", "the date is signed too");
}

#[tokio::test]
async fn what_it_refuses_is_a_code_and_changes_nothing() {
    let fixture = Fixture::start().await;
    let all = json!({"page": 1, "page_size": 500});
    let (apps, slots) = (
        call(&fixture, &format!("{SITE}/query"), all.clone()).await,
        call(&fixture, &format!("{SLOT}/query"), all.clone()).await,
    );
    let app = &apps["app_list"][0]["app_id"];
    let cases = [
        (50001, format!("{SITE}/query"), json!({"page": 1})),
        (50001, format!("{SITE}/query"), json!({"page": 1, "page_size": 501})),
        (50001, format!("{SITE}/create"), json!({"app_name": "X", "app_category_code": 1, "status": 3})),
        (50001, format!("{SITE}/create"), json!({"app_name": "X", "app_category_code": 1, "status": 2})),
        (50002, format!("{SITE}/update"), json!({"app_id": 1})),
        (50001, format!("{SLOT}/create"), json!({"app_id": app, "ad_slot_type": 4, "ad_slot_name": "X"})),
        (
            50001,
            format!("{SLOT}/create"),
            json!({"app_id": app, "ad_slot_type": 2, "ad_slot_name": "X", "bidding_type": 1, "cpm": 2}),
        ),
        (
            50001,
            format!("{SLOT}/create"),
            json!({"app_id": app, "ad_slot_type": 2, "ad_slot_name": "X", "reward_name": "Coins"}),
        ),
        (50002, format!("{SLOT}/create"), json!({"app_id": 1, "ad_slot_type": 2, "ad_slot_name": "X"})),
        (50002, format!("{SLOT}/update"), json!({"ad_slot_id": 1})),
        (
            50002,
            "/union_pangle/open/api/code/cpm".to_owned(),
            json!({"ad_slot_id": slots["ad_slot_list"][0]["ad_slot_id"], "site_id": 1, "cpm": 1}),
        ),
    ];
    for (code, path, body) in cases {
        let answer = fixture.good(fixture.pangle(&path, &body)).await;
        assert_eq!(answer["code"], code, "{path} {body}: {answer}");
    }
    for query in [
        vec![("date", "20 Nov")],
        vec![("date", "2026-11-20"), ("time_zone", "3")],
        vec![("date", "2026-11-20"), ("currency", "eur")],
        vec![("date", "2026-11-20"), ("dimensions", "mood")],
    ] {
        assert_eq!(fixture.good(fixture.pangle_report(&query)).await["Code"], "PD0002", "{query:?}");
    }
    assert_eq!(call(&fixture, &format!("{SITE}/query"), all.clone()).await, apps);
    assert_eq!(call(&fixture, &format!("{SLOT}/query"), all).await, slots);
    let live = json!({"app_name": "Live", "app_category_code": 1, "status": 2, "download_url": "https://play.google.com/store/apps/details?id=com.live"});
    let live = call(&fixture, &format!("{SITE}/create"), live).await;
    let slot = json!({"app_id": live["app_id"], "ad_slot_type": 2, "ad_slot_name": "X"});
    assert_eq!(
        fixture.good(fixture.pangle(&format!("{SLOT}/create"), &slot)).await["code"],
        50007,
        "the app waits for review"
    );
    let page = call(&fixture, &format!("{SLOT}/query"), json!({"page": 2, "page_size": 5})).await;
    assert_eq!(page["ad_slot_list"][0], slots["ad_slot_list"][5]);
}
