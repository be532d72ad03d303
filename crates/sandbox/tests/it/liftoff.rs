//! Tests of Liftoff over HTTP: every operation, the token exchange, fixed headers, numbers.

use adagent_sandbox::Standing;
use reqwest::Method;
use serde_json::{Value, json};

use crate::keyed::{count, key, sum, texts};
use crate::support::Fixture;

const DAYS: [(&str, &str); 2] = [("start", "2026-11-14"), ("end", "2026-11-20")];

async fn get(fixture: &Fixture, path: &str) -> Value {
    fixture.good(fixture.liftoff(Method::GET, path, None).await).await
}

#[tokio::test]
async fn every_operation_answers() {
    let fixture = Fixture::start().await;
    assert_eq!(get(&fixture, "/accounts/me").await["id"].as_str().unwrap().len(), 24);
    let apps = get(&fixture, "/applications?platform=ios").await;
    assert!(apps.as_array().unwrap().iter().all(|app| app["platform"] == "ios"));
    let new = json!({"name": "New Game", "platform": "android", "isCoppa": false, "store": {"id": "com.new", "category": "Word"}});
    let app = fixture.good(fixture.liftoff(Method::POST, "/applications", Some(new)).await).await;
    let id = app["id"].as_str().unwrap();
    assert_eq!(get(&fixture, &format!("/applications/{id}")).await, app);
    let change =
        json!({"name": "New Game", "isCoppa": true, "tagFilters": {"blacklist": ["casino"]}, "status": "active"});
    let changed =
        fixture.good(fixture.liftoff(Method::PATCH, &format!("/applications/{id}"), Some(change)).await).await;
    assert_eq!((&changed["isCoppa"], &changed["platform"]), (&json!(true), &json!("android")));
    let new = json!({"application": id, "name": "Level End", "type": "rewarded", "isHBParticipation": true, "cpmFloor": {"default": 1.5, "geo": {"US": 9}}});
    let placement = fixture.good(fixture.liftoff(Method::POST, "/placements", Some(new)).await).await;
    let placement_id = placement["id"].as_str().unwrap();
    assert_eq!(get(&fixture, &format!("/placements/{placement_id}")).await, placement);
    let change = json!({"name": "Level End", "status": "inactive"});
    let path = format!("/placements/{placement_id}");
    let changed = fixture.good(fixture.liftoff(Method::PATCH, &path, Some(change)).await).await;
    assert_eq!((&changed["status"], &changed["cpmFloor"]["geo"]["US"]), (&json!("inactive"), &json!(9)));
    let listed = get(&fixture, &format!("/placements?application={id}&search=level")).await;
    assert_eq!(listed, json!([changed]));
    fixture.good(fixture.liftoff_report(&[DAYS[0], DAYS[1], ("aggregates", "revenue")])).await;
    let seen = fixture.operations_seen("liftoff").await;
    assert_eq!(seen.len(), 11, "ten operations and the sign-in: {seen:?}");
    let fixture = fixture.reopen().await;
    assert_eq!(get(&fixture, &path).await, changed, "it survives a restart");
}

#[tokio::test]
async fn reports_are_the_truth_in_every_breakdown_and_format() {
    let fixture = Fixture::start().await;
    let truth = fixture.micros("liftoff", "from=2026-11-14&to=2026-11-20").await;
    for dimensions in ["", "date,country", "platform,application,placement", "incentivized,adType,adSize"] {
        let query = [
            DAYS[0],
            DAYS[1],
            ("dimensions", dimensions),
            ("aggregates", "impressions,views,completes,clicks,revenue,ecpm"),
        ];
        let rows = fixture.good(fixture.liftoff_report(&query)).await;
        assert_eq!(sum(&rows, "revenue"), truth, "{dimensions}");
    }
    let query = [
        DAYS[0],
        DAYS[1],
        ("dimensions", "application"),
        ("aggregates", "impressions"),
        ("country", "US"),
        ("incentivized", "true"),
    ];
    let rows = fixture.good(fixture.liftoff_report(&query)).await;
    assert!(texts(&rows, "application name").contains(&"Puzzle Game".to_owned()));
    let path =
        "/__sandbox/truth?network=liftoff&from=2026-11-14&to=2026-11-20&metric=impressions&country=US&format=rewarded";
    assert_eq!(count(&rows, "impressions"), fixture.get(path).await["value"].as_u64().unwrap());
    let csv = fixture.liftoff_report(&[DAYS[0], DAYS[1], ("dimensions", "date"), ("aggregates", "revenue")]);
    let mut csv = csv.build().unwrap();
    csv.headers_mut().insert("accept", "text/csv".parse().unwrap());
    let text = fixture.http.execute(csv).await.unwrap().text().await.unwrap();
    assert!(text.starts_with("date,revenue\n2026-11-14,"), "{text}");
    let nothing = [DAYS[0], DAYS[1], ("aggregates", "views"), ("country", "ZZ")];
    let answer = fixture.liftoff_report(&nothing).send().await.unwrap();
    assert_eq!(
        (answer.status().as_u16(), answer.text().await.unwrap().as_str()),
        (200, ""),
        "no data is an empty answer"
    );
}

#[tokio::test]
async fn tokens_expire_and_keys_do_not_stand_in_for_each_other() {
    let fixture = Fixture::start().await;
    let (_, token) = fixture.liftoff_token(Standing::Valid).await;
    let token = token["token"].as_str().unwrap().to_owned();
    let status = async |token: &str| {
        let request = fixture.request(Method::GET, "/liftoff/api/v1/applications").bearer_auth(token);
        fixture.done(request).await.0
    };
    assert_eq!(status(&token).await, 200);
    assert_eq!(status(key("liftoff", Standing::Valid, "reporting_api_key")).await, 401);
    assert_eq!(status(&token.replace('.', "x")).await, 401);
    fixture.advance(3601);
    assert_eq!(status(&token).await, 401, "an hour is over");
    let (_, fresh) = fixture.liftoff_token(Standing::Valid).await;
    fixture.control("oauth", json!({"network": "liftoff", "expire_access": true})).await;
    assert_eq!(status(fresh["token"].as_str().unwrap()).await, 401, "expired by hand");
    let old = fixture.request(Method::GET, "/liftoff/@auth-api.vungle.com/auth");
    let old = old.header("x-api-key", key("liftoff", Standing::Valid, "secret_token"));
    assert_eq!(status(fixture.good(old).await["token"].as_str().unwrap()).await, 200, "the older address answers too");
    let plain = fixture.request(Method::GET, "/liftoff/@report.api.vungle.com/ext/pub/reports/performance");
    let plain = plain.bearer_auth(key("liftoff", Standing::Valid, "reporting_api_key"));
    let (status, body) = fixture.done(plain.query(&DAYS).query(&[("aggregates", "views")])).await;
    assert_eq!((status, body["message"].as_str()), (400, Some("The header Vungle-Version: 1 is required.")));
}

#[tokio::test]
async fn lists_are_paged_with_the_counts_in_headers() {
    let fixture = Fixture::start().await;
    let all = get(&fixture, "/placements?per_page=500").await.as_array().unwrap().clone();
    let mut found = Vec::new();
    for page in 1..=all.len().div_ceil(7) {
        let answer = fixture
            .liftoff(Method::GET, &format!("/placements?per_page=7&page={page}"), None)
            .await
            .send()
            .await
            .unwrap();
        assert_eq!(answer.headers()["vungle-pagination-total-count"], all.len().to_string().as_str());
        found.extend(answer.json::<Vec<Value>>().await.unwrap());
    }
    assert_eq!(found, all);
    let (first, second) = (all[0]["id"].as_str().unwrap(), all[1]["id"].as_str().unwrap());
    let two = get(&fixture, &format!("/placements?id={first}&id={second}")).await;
    assert_eq!(two.as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn bad_requests_are_refused_and_change_nothing() {
    let fixture = Fixture::start().await;
    let apps = get(&fixture, "/applications").await;
    let app = apps[0]["id"].as_str().unwrap();
    let unknown = "0123456789abcdef01234567";
    let cases = [
        (400, Method::POST, "/applications".to_owned(), json!({"name": "X", "platform": "android"})),
        (
            409,
            Method::POST,
            "/applications".to_owned(),
            json!({"name": apps[0]["name"], "platform": apps[0]["platform"], "isCoppa": false}),
        ),
        (400, Method::PATCH, format!("/applications/{app}"), json!({"name": "X", "isCoppa": false})),
        (
            400,
            Method::PATCH,
            format!("/applications/{app}"),
            json!({"name": "X", "isCoppa": false, "tagFilters": {}, "maxVideoLength": 90}),
        ),
        (
            404,
            Method::PATCH,
            format!("/applications/{unknown}"),
            json!({"name": "X", "isCoppa": false, "tagFilters": {}}),
        ),
        (404, Method::POST, "/placements".to_owned(), json!({"application": unknown, "name": "X", "type": "banner"})),
        (400, Method::POST, "/placements".to_owned(), json!({"application": app, "name": "X", "type": "popup"})),
        (
            400,
            Method::POST,
            "/placements".to_owned(),
            json!({"application": app, "name": "X", "type": "banner", "flatCPM": {"default": 2}}),
        ),
        (
            400,
            Method::POST,
            "/placements".to_owned(),
            json!({"application": app, "name": "X", "type": "rewarded", "banner": {"isRefreshEnabled": true}}),
        ),
        (404, Method::PATCH, format!("/placements/{unknown}"), json!({"name": "X"})),
    ];
    for (expected, method, path, body) in cases {
        let (status, answer) = fixture.done(fixture.liftoff(method, &path, Some(body.clone())).await).await;
        assert_eq!(
            (status, answer["statusCode"].as_u64()),
            (expected, Some(u64::from(expected))),
            "{path} {body}: {answer}"
        );
    }
    assert_eq!(get(&fixture, "/applications").await, apps);
    assert_eq!(fixture.done(fixture.liftoff(Method::GET, &format!("/placements/{unknown}"), None).await).await.0, 404);
    for query in [
        vec![DAYS[0], ("aggregates", "views")],
        vec![DAYS[0], DAYS[1]],
        vec![DAYS[0], DAYS[1], ("aggregates", "joy")],
        vec![DAYS[0], DAYS[1], ("aggregates", "views"), ("dimensions", "mood")],
        vec![("start", "2026-05-01"), DAYS[1], ("aggregates", "views")],
        vec![DAYS[0], DAYS[1], ("aggregates", "views"), ("incentivized", "maybe")],
    ] {
        assert_eq!(fixture.done(fixture.liftoff_report(&query)).await.0, 400, "{query:?}");
    }
}
