//! Tests of InMobi over HTTP: every operation, sessions and their limit, numbers.

use adagent_sandbox::Standing;
use reqwest::Method;
use serde_json::{Value, json};

use crate::keyed::{count, sum};
use crate::support::Fixture;

async fn get(fixture: &Fixture, path: &str) -> Value {
    let answer = fixture.good(fixture.inmobi(Method::GET, path, None)).await;
    assert_eq!(answer["success"], true, "{path}");
    answer["data"].clone()
}

async fn send(fixture: &Fixture, method: Method, path: &str, body: Value) -> Value {
    fixture.good(fixture.inmobi(method, path, Some(body))).await["data"].clone()
}

#[tokio::test]
async fn every_operation_answers() {
    let fixture = Fixture::start().await;
    let apps = get(&fixture, "/v2/apps?status=ACTIVE").await;
    assert!(apps["totalRecords"].as_u64().unwrap() > 3);
    let new = json!({"storeUrl": "https://play.google.com/store/apps/details?id=com.new.game", "childDirected": 1, "locationAccess": false});
    let app = send(&fixture, Method::POST, "/v2/apps", new).await;
    let path = format!("/v2/apps/{}", app["appId"]);
    assert_eq!(get(&fixture, &path).await, app);
    let changed = send(&fixture, Method::PATCH, &path, json!({"appName": "New Game"})).await;
    assert_eq!((&changed["appName"], &changed["bundleId"]), (&json!("New Game"), &json!("com.new.game")));
    let new = json!({"appId": app["appId"], "placementType": "REWARDED_VIDEO", "placementName": "Shop", "isAudienceBiddingEnabled": true, "audienceBiddingPartner": "GOOGLE_SDK_BIDDING", "cpmFloor": 1.5});
    let placement = send(&fixture, Method::POST, "/v1/placements", new).await;
    let path = format!("/v1/placements/{}", placement["placementId"]);
    assert_eq!(get(&fixture, &path).await, placement);
    let changed = send(&fixture, Method::PATCH, &path, json!({"cpmFloor": 2})).await;
    assert_eq!((&changed["cpmFloor"], &changed["placementName"]), (&json!(2), &json!("Shop")));
    let listed = get(&fixture, &format!("/v1/placements?appId={}", app["appId"])).await;
    assert_eq!(listed["records"], json!([changed]));
    let session = fixture.inmobi_session(Standing::Valid).await;
    let asked = json!({"metrics": ["earnings"], "timeFrame": "2026-11-14:2026-11-20"});
    fixture.good(fixture.inmobi_report(&session, &asked)).await;
    let seen = fixture.operations_seen("inmobi").await;
    assert_eq!(seen.len(), 10, "nine operations and the sign-in: {seen:?}");
    let fixture = fixture.reopen().await;
    assert_eq!(get(&fixture, &path).await, changed, "it survives a restart");
    assert_eq!(fixture.good(fixture.inmobi_report(&session, &asked)).await["error"], false, "so does a session");
}

#[tokio::test]
async fn reports_are_the_truth_filtered_sorted_and_paged() {
    let fixture = Fixture::start().await;
    let session = fixture.inmobi_session(Standing::Valid).await;
    let ask = async |asked: Value| {
        let answer = fixture.good(fixture.inmobi_report(&session, &asked)).await;
        assert_eq!(answer["error"], false, "{answer}");
        answer["respList"].clone()
    };
    let truth = fixture.micros("inmobi", "from=2026-11-14&to=2026-11-20").await;
    for group_by in [
        json!([]),
        json!(["date", "country"]),
        json!(["inmobiAppId", "placement", "platform"]),
        json!(["account", "adUnitType", "requestSlot", "integrationDirect", "requestBundleId"]),
    ] {
        let metrics =
            ["adRequests", "adImpressions", "servedImpressions", "clicks", "earnings", "costPerMille", "fillRate"];
        let rows = ask(json!({"metrics": metrics, "timeFrame": "2026-11-14:2026-11-20", "groupBy": group_by})).await;
        assert_eq!(sum(&rows, "earnings"), truth, "{group_by}");
    }
    let filters = json!([
        {"filterName": "country", "filterValue": "US,DE", "comparator": "in"},
        {"filterName": "platform", "filterValue": "iOS", "comparator": "="},
    ]);
    let rows = ask(json!({"metrics": ["adImpressions"], "timeFrame": "2026-11-20:2026-11-20", "groupBy": ["country"], "filterBy": filters})).await;
    let wanted =
        "/__sandbox/truth?network=inmobi&from=2026-11-20&to=2026-11-20&metric=impressions&country=US,DE&platform=iOS";
    assert_eq!(count(&rows, "adImpressions"), fixture.get(wanted).await["value"].as_u64().unwrap());
    let sorted = |offset: u64, length: u64| {
        json!({"metrics": ["earnings"], "timeFrame": "2026-11-14:2026-11-20", "groupBy": ["date", "country"],
            "orderBy": ["earnings"], "orderType": "desc", "offset": offset, "length": length})
    };
    let all = ask(sorted(0, 5000)).await;
    let amounts: Vec<f64> = all.as_array().unwrap().iter().map(|row| row["earnings"].as_f64().unwrap()).collect();
    assert!(amounts.is_sorted_by(|a, b| a >= b));
    let (first, rest) = (ask(sorted(0, 50)).await, ask(sorted(50, 5000)).await);
    let joined: Vec<Value> = [first, rest].iter().flat_map(|page| page.as_array().unwrap().clone()).collect();
    assert_eq!(Value::from(joined), all);
    let condition = json!([{"filterName": "earnings", "filterValue": "5", "comparator": ">"}]);
    let rich = ask(json!({"metrics": ["earnings"], "timeFrame": "2026-11-20:2026-11-20", "groupBy": ["country"], "filterBy": condition})).await;
    assert!(rich.as_array().unwrap().iter().all(|row| row["earnings"].as_f64().unwrap() > 5.0));
}

#[tokio::test]
async fn sessions_live_eight_hours_and_are_few() {
    let fixture = Fixture::start().await;
    let session = fixture.inmobi_session(Standing::Valid).await;
    let asked = json!({"metrics": ["earnings"], "timeFrame": "2026-11-20:2026-11-20"});
    let code = async |session: &Value| {
        let answer = fixture.good(fixture.inmobi_report(session, &asked)).await;
        answer["errorList"][0]["code"].as_u64()
    };
    assert_eq!(code(&session).await, None);
    assert_eq!(code(&json!({"respList": [{"sessionId": "made-up", "accountId": "x"}]})).await, Some(5001));
    for _ in 1..15 {
        assert_eq!(fixture.inmobi_session(Standing::Valid).await["error"], false);
    }
    let one_more = fixture.inmobi_session(Standing::Valid).await;
    assert_eq!((one_more["error"].as_bool(), one_more["errorList"][0]["code"].as_u64()), (Some(true), Some(5004)));
    fixture.advance(8 * 3600 + 1);
    assert_eq!(code(&session).await, Some(5001), "it has expired");
    let fresh = fixture.inmobi_session(Standing::Valid).await;
    assert_eq!(code(&fresh).await, None);
    fixture.control("oauth", json!({"network": "inmobi", "expire_access": true})).await;
    assert_eq!(code(&fresh).await, Some(5001), "expired by hand");
}

#[tokio::test]
async fn bad_requests_are_refused_and_change_nothing() {
    let fixture = Fixture::start().await;
    let apps = get(&fixture, "/v2/apps?pageLength=500").await;
    let app = &apps["records"][0]["appId"];
    let url = &apps["records"][0]["storeUrl"];
    let cases = [
        (
            400,
            Method::POST,
            "/v2/apps".to_owned(),
            json!({"storeUrl": "https://example.com", "childDirected": 1, "locationAccess": true}),
        ),
        (
            400,
            Method::POST,
            "/v2/apps".to_owned(),
            json!({"storeUrl": url, "childDirected": 1, "locationAccess": true}),
        ),
        (
            400,
            Method::POST,
            "/v2/apps".to_owned(),
            json!({"storeUrl": url, "childDirected": 4, "locationAccess": true}),
        ),
        (404, Method::PATCH, "/v2/apps/1".to_owned(), json!({"appName": "X"})),
        (
            404,
            Method::POST,
            "/v1/placements".to_owned(),
            json!({"appId": 1, "placementType": "BANNER", "placementName": "X", "isAudienceBiddingEnabled": false}),
        ),
        (
            400,
            Method::POST,
            "/v1/placements".to_owned(),
            json!({"appId": app, "placementType": "POPUP", "placementName": "X", "isAudienceBiddingEnabled": false}),
        ),
        (
            400,
            Method::POST,
            "/v1/placements".to_owned(),
            json!({"appId": app, "placementType": "BANNER", "placementName": "X", "isAudienceBiddingEnabled": false, "audienceBiddingPartner": "MAX"}),
        ),
        (404, Method::PATCH, "/v1/placements/1".to_owned(), json!({"cpmFloor": 1})),
    ];
    for (expected, method, path, body) in cases {
        let (status, answer) = fixture.done(fixture.inmobi(method, &path, Some(body.clone()))).await;
        assert_eq!((status, &answer["success"]), (expected, &json!(false)), "{path} {body}: {answer}");
    }
    assert_eq!(fixture.done(fixture.inmobi(Method::GET, "/v1/placements", None)).await.0, 400);
    assert_eq!(get(&fixture, "/v2/apps?pageLength=500").await, apps);
    let two = get(&fixture, "/v2/apps?pageLength=2&pageNum=2").await;
    assert_eq!((two["records"].as_array().unwrap().len(), &two["records"][0]), (2, &apps["records"][2]));
    let session = fixture.inmobi_session(Standing::Valid).await;
    for asked in [
        json!({"timeFrame": "2026-11-20:2026-11-20"}),
        json!({"metrics": ["joy"], "timeFrame": "2026-11-20:2026-11-20"}),
        json!({"metrics": ["clicks"], "timeFrame": "2026-11-20"}),
        json!({"metrics": ["clicks"], "timeFrame": "2026-11-20:2026-11-19"}),
        json!({"metrics": ["clicks"], "timeFrame": "2026-11-20:2026-11-20", "groupBy": ["mood"]}),
        json!({"metrics": ["clicks"], "timeFrame": "2026-11-20:2026-11-20", "orderBy": ["earnings"]}),
        json!({"metrics": ["clicks"], "timeFrame": "2026-11-20:2026-11-20", "length": 5001}),
        json!({"metrics": ["clicks"], "timeFrame": "2026-11-20:2026-11-20", "filterBy": [{"filterName": "mood", "filterValue": "x", "comparator": "="}]}),
    ] {
        let answer = fixture.good(fixture.inmobi_report(&session, &asked)).await;
        assert_eq!(answer["errorList"][0]["code"], 5010, "{asked}: {answer}");
    }
}
