//! Tests of Unity over HTTP: every operation, the three kinds of credentials, numbers, and files.

use std::io::Read as _;

use adagent_sandbox::Standing;
use flate2::read::GzDecoder;
use reqwest::Method;
use serde_json::{Value, json};

use crate::keyed::{count, key, sum};
use crate::support::Fixture;

async fn call(fixture: &Fixture, method: Method, path: &str, body: Value) -> (u16, Value) {
    fixture.done(fixture.levelplay(method, path, Some(body)).await).await
}

async fn good(fixture: &Fixture, method: Method, path: &str, body: Value) -> Value {
    let (status, answer) = call(fixture, method, path, body).await;
    assert_eq!(status, 200, "{path}: {answer}");
    answer
}

async fn get(fixture: &Fixture, path: &str) -> Value {
    fixture.good(fixture.levelplay(Method::GET, path, None).await).await
}

async fn first_app(fixture: &Fixture) -> String {
    get(fixture, "/partners/publisher/applications/v6").await[0]["appKey"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn every_levelplay_operation_answers() {
    let fixture = Fixture::start().await;
    let ios = get(&fixture, "/partners/publisher/applications/v6?platform=iOS&appStatus=active").await;
    assert!(ios.as_array().unwrap().iter().all(|app| app["platform"] == "iOS"));
    let app = good(
        &fixture,
        Method::POST,
        "/partners/publisher/applications/v6",
        json!({"appName": "New Game", "platform": "Android"}),
    )
    .await;
    let app = app["appKey"].as_str().unwrap().to_owned();

    let units = format!("/levelPlay/adUnits/v1/{app}");
    let made = good(&fixture, Method::POST, &units, json!([{"mediationAdUnitName": "End", "adFormat": "rewarded", "reward": {"rewardItemName": "Life", "rewardAmount": 2}}])).await;
    let unit = made[0]["mediationAdUnitId"].as_str().unwrap().to_owned();
    let changed = good(&fixture, Method::PUT, &units, json!([{"mediationAdUnitId": unit, "isPaused": true}])).await;
    assert_eq!(get(&fixture, &units).await, changed);

    let groups = format!("/levelPlay/groups/v4/{app}");
    let group = good(&fixture, Method::POST, &groups, json!([{"groupName": "US", "adFormat": "rewarded", "position": 1, "countries": ["US"], "mediationAdUnitId": unit}])).await;
    let group = group[0]["groupId"].as_i64().unwrap();

    let instances = format!("/levelPlay/network/instances/v4/{app}");
    let body = json!([
        {"instanceName": "Ten", "networkName": "UnityAds", "adFormat": "rewarded", "isBidder": false, "rate": 10, "groups": [group]},
        {"instanceName": "Bid", "networkName": "AppLovin", "adFormat": "rewarded", "isBidder": true},
    ]);
    let made = good(&fixture, Method::POST, &instances, body).await;
    let (ten, bid) = (made[0]["instanceId"].as_i64().unwrap(), made[1]["instanceId"].as_i64().unwrap());
    assert_eq!(get(&fixture, &groups).await[0]["instances"][0]["id"], ten, "a group lists who joined it");
    good(&fixture, Method::PUT, &instances, json!([{"instanceId": ten, "isLive": false, "rate": 12.5}])).await;
    let body = json!([{"groupId": group, "floorPrice": 1.5, "instances": [{"id": bid}, {"id": ten, "groupRate": 11, "countriesRate": [{"countryCode": "US", "rate": 14}]}]}]);
    let changed = good(&fixture, Method::PUT, &groups, body).await;
    assert_eq!((changed[0]["instances"].as_array().unwrap().len(), &changed[0]["floorPrice"]), (2, &json!(1.5)));
    good(&fixture, Method::DELETE, &instances, json!({"ids": [bid]})).await;
    assert_eq!(get(&fixture, &groups).await[0]["instances"].as_array().unwrap().len(), 1);
    assert_eq!(get(&fixture, &instances).await[0]["rate"], 12.5);
    good(&fixture, Method::DELETE, &groups, json!({"ids": [group]})).await;
    assert_eq!(get(&fixture, &groups).await, json!([]));

    let placements = "/partners/publisher/placements/v1";
    let body = json!({"appKey": app, "placements": [{"adUnit": "rewardedVideo", "name": "Shop", "itemName": "Coins", "rewardAmount": 5}]});
    let made = good(&fixture, Method::POST, placements, body).await;
    let id = made["placements"][0]["id"].as_i64().unwrap();
    let body = json!({"appKey": app, "placements": [{"id": id, "adUnit": "rewardedVideo", "adDelivery": 0}]});
    good(&fixture, Method::PUT, placements, body).await;
    let listed = get(&fixture, &format!("{placements}?appKey={app}")).await;
    assert_eq!((&listed[0]["adDelivery"], &listed[0]["itemName"]), (&json!(0), &json!("Coins")));
    good(&fixture, Method::DELETE, placements, json!({"appKey": app, "adUnit": "rewardedVideo", "id": id})).await;
    assert_eq!(get(&fixture, &format!("{placements}?appKey={app}")).await, json!([]));

    get(&fixture, "/levelPlay/reporting/v1?startDate=2026-11-14&endDate=2026-11-20").await;
    for path in ["/partners/adRevenueMeasurements/v4", "/partners/userAdRevenue/v3"] {
        get(&fixture, &format!("{path}?date=2026-11-19&appKey={app}")).await;
    }
    fixture
        .good(fixture.unity_stats(&[
            ("fields", "view_count"),
            ("scale", "day"),
            ("start", "2026-11-20"),
            ("end", "2026-11-20"),
        ]))
        .await;
    let organization = key("unity", Standing::Valid, "organization_id");
    let projects =
        fixture.good(fixture.unity_services(Method::GET, &format!("/organizations/{organization}/projects"))).await;
    let project = projects[0]["id"].as_str().unwrap();
    let body = json!([{"name": "Store Rewarded", "adFormat": "rewarded", "addPlacements": [{"name": "Store Rewarded", "placementType": "bidding"}]}]);
    let made = fixture
        .good(fixture.unity_services(Method::POST, &format!("/projects/{project}/stores/google/adunits")).json(&body))
        .await;
    let units = fixture.good(fixture.unity_services(Method::GET, &format!("/projects/{project}/adunits"))).await;
    assert_eq!(units["google"]["Store_Rewarded"], made[0]);
    let seen = fixture.operations_seen("unity").await;
    assert_eq!(seen.len(), 25, "24 operations and the sign-in: {seen:?}");
    let fixture = fixture.reopen().await;
    assert_eq!(
        get(&fixture, &format!("/levelPlay/adUnits/v1/{app}")).await[0]["isPaused"],
        true,
        "it survives a restart"
    );
}

#[tokio::test]
async fn the_levelplay_report_is_the_truth_in_every_breakdown() {
    let fixture = Fixture::start().await;
    let truth = fixture.micros("unity", "from=2026-11-14&to=2026-11-20").await;
    let path = "/levelPlay/reporting/v1?startDate=2026-11-14&endDate=2026-11-20";
    for breakdowns in
        ["", "date,app", "platform,country,adFormat", "adNetwork,isBidder,instance,mediationGroup,mediationAdUnitId"]
    {
        let report = get(&fixture, &format!("{path}&breakdowns={breakdowns}")).await;
        assert_eq!(sum(&report["data"], "revenue"), truth, "{breakdowns}");
    }
    let report = get(&fixture, &format!("{path}&breakdowns=app&metrics=revenue,appFillRate")).await;
    let row = &report["data"][0];
    assert!(row["appKey"].is_string() && row["appName"].is_string() && row["impressions"].is_null());
    assert!(row["appFillRate"].as_f64().unwrap() > 1.0, "rates are per cent");
    let report =
        get(&fixture, &format!("{path}&metrics=impressions&country=US,DE&platform=iOS&adFormat=rewarded")).await;
    let wanted = "from=2026-11-14&to=2026-11-20&metric=impressions&country=US,DE&platform=iOS&format=rewarded";
    let wanted = fixture.get(&format!("/__sandbox/truth?network=unity&{wanted}")).await;
    assert_eq!(count(&report["data"], "impressions"), wanted["value"].as_u64().unwrap());
}

#[tokio::test]
async fn the_levelplay_report_comes_in_pages() {
    let fixture = Fixture::start().await;
    let path =
        "/levelPlay/reporting/v1?startDate=2026-11-14&endDate=2026-11-20&breakdowns=date,country&metrics=revenue";
    let all = get(&fixture, path).await;
    let mut rows = Vec::new();
    for page in 1..=all["paging"]["totalResults"].as_u64().unwrap().div_ceil(50) {
        let page = get(&fixture, &format!("{path}&resultsPerPage=50&page={page}")).await;
        rows.extend(page["data"].as_array().unwrap().clone());
    }
    assert_eq!(Value::from(rows), all["data"]);
}

#[tokio::test]
async fn statistics_are_the_truth_as_json_and_csv() {
    let fixture = Fixture::start().await;
    let truth = fixture.micros("unity", "from=2026-11-14&to=2026-11-20").await;
    for (scale, group_by) in
        [("day", ""), ("hour", ""), ("all", "country"), ("week", "game,platform"), ("month", "placement")]
    {
        for end in ["2026-11-20", "2026-11-21T00:00:00Z"] {
            let query = [
                ("fields", "revenue_sum,start_count"),
                ("scale", scale),
                ("groupBy", group_by),
                ("start", "2026-11-14"),
                ("end", end),
            ];
            let rows = fixture.good(fixture.unity_stats(&query).header("accept", "application/json")).await;
            assert_eq!(sum(&rows, "revenue_sum"), truth, "{scale} {group_by} {end}");
        }
    }
    let query = [("fields", "revenue_sum"), ("scale", "day"), ("start", "2026-11-14"), ("end", "2026-11-20")];
    let text = fixture.unity_stats(&query).send().await.unwrap().text().await.unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("timestamp,revenue_sum"));
    let rows: Vec<Value> = lines.map(|line| json!({"r": line.split(',').nth(1).unwrap()})).collect();
    assert_eq!((rows.len(), sum(&rows.into(), "r")), (7, truth));
    let halves = [("2026-11-20T00:00:00Z", "2026-11-20T12:00:00Z"), ("2026-11-20T12:00:00Z", "2026-11-21T00:00:00Z")];
    let mut parts = 0;
    for (start, end) in halves {
        let query = [("fields", "revenue_sum"), ("scale", "all"), ("start", start), ("end", end)];
        parts +=
            sum(&fixture.good(fixture.unity_stats(&query).header("accept", "application/json")).await, "revenue_sum");
    }
    assert_eq!(parts, fixture.micros("unity", "from=2026-11-20&to=2026-11-20").await);
    for query in [
        vec![("scale", "day"), ("start", "2026-11-14"), ("end", "2026-11-20")],
        vec![("fields", "joy"), ("scale", "day"), ("start", "2026-11-14"), ("end", "2026-11-20")],
        vec![("fields", "view_count"), ("scale", "decade"), ("start", "2026-11-14"), ("end", "2026-11-20")],
        vec![("fields", "view_count"), ("scale", "day"), ("start", "soon"), ("end", "2026-11-20")],
        vec![("fields", "view_count"), ("scale", "day"), ("start", "2026-11-20"), ("end", "2026-11-19")],
    ] {
        let (status, body) = fixture.done(fixture.unity_stats(&query)).await;
        assert_eq!((status, body["status"].as_u64()), (400, Some(400)), "{query:?}");
    }
}

#[tokio::test]
async fn files_of_a_day_are_gzipped_and_add_up_to_it() {
    let fixture = Fixture::start().await;
    let app = first_app(&fixture).await;
    let truth = fixture.micros("unity", &format!("from=2026-11-19&to=2026-11-19&app={app}")).await;
    for path in ["/partners/adRevenueMeasurements/v4", "/partners/userAdRevenue/v3"] {
        let reply = get(&fixture, &format!("{path}?date=2026-11-19&appKey={app}")).await;
        let url = reply["urls"][0].as_str().unwrap();
        let bytes = fixture.http.get(url).send().await.unwrap().bytes().await.unwrap();
        let mut text = String::new();
        GzDecoder::new(bytes.as_ref()).read_to_string(&mut text).unwrap();
        let mut lines = text.lines();
        let at = lines.next().unwrap().split(',').position(|name| name == "revenue").unwrap();
        let rows: Vec<Value> = lines.map(|line| json!({"r": line.split(',').nth(at).unwrap()})).collect();
        assert_eq!(sum(&rows.into(), "r"), truth, "{path}");
        assert_eq!(fixture.http.get(format!("{url}0")).send().await.unwrap().status(), 403, "a forged link");
        for date in ["2026-11-21", "2026-11-06", "yesterday"] {
            let (status, _) = fixture
                .done(fixture.levelplay(Method::GET, &format!("{path}?date={date}&appKey={app}"), None).await)
                .await;
            assert_eq!(status, 400, "{date}");
        }
    }
}

#[tokio::test]
async fn tokens_carry_their_end_and_hold_no_longer() {
    let fixture = Fixture::start().await;
    let (status, token) = fixture.levelplay_token(Standing::Valid).await;
    let token = token.as_str().unwrap().to_owned();
    assert_eq!((status, token.split('.').count()), (200, 3));
    let status = async |token: &str| {
        let request = fixture.request(Method::GET, "/unity/partners/publisher/applications/v6").bearer_auth(token);
        fixture.done(request).await.0
    };
    assert_eq!(status(&token).await, 200);
    assert_eq!(status("made.up.token").await, 401);
    fixture.advance(3601);
    assert_eq!(status(&token).await, 401);
    let (_, fresh) = fixture.levelplay_token(Standing::Valid).await;
    fixture.control("oauth", json!({"network": "unity", "expire_access": true})).await;
    assert_eq!(status(fresh.as_str().unwrap()).await, 401);
    let mixed = fixture.request(Method::GET, "/unity/partners/publisher/auth");
    let mixed = mixed.header("secretkey", key("unity", Standing::Valid, "secret_key"));
    let mixed = mixed.header("refreshToken", key("unity", Standing::Expired, "refresh_token"));
    assert_eq!(fixture.done(mixed).await.0, 401, "halves of two sets");
    let other = fixture.unity_services(Method::GET, "/organizations/1/projects");
    assert_eq!(fixture.done(other).await.0, 403, "another organization");
    let retired = fixture.request(Method::GET, "/unity/partners/publisher/instances/v3");
    assert_eq!(fixture.done(retired).await.0, 410, "a retired version");
}

#[tokio::test]
async fn one_bad_entry_rejects_the_list_and_changes_nothing() {
    let fixture = Fixture::start().await;
    let app = first_app(&fixture).await;
    let (units, groups) = (format!("/levelPlay/adUnits/v1/{app}"), format!("/levelPlay/groups/v4/{app}"));
    let instances = format!("/levelPlay/network/instances/v4/{app}");
    let before = (get(&fixture, &units).await, get(&fixture, &groups).await, get(&fixture, &instances).await);
    let bidder = before.2.as_array().unwrap().iter().find(|it| it["isBidder"] == true).unwrap()["instanceId"].clone();
    let fine = json!({"instanceName": "A", "networkName": "UnityAds", "adFormat": "banner", "isBidder": false});
    let cases = [
        (400, Method::POST, "/partners/publisher/applications/v6".to_owned(), json!({"appName": "X"})),
        (
            400,
            Method::POST,
            "/partners/publisher/applications/v6".to_owned(),
            json!({"storeUrl": "https://example.com", "taxonomy": "Word"}),
        ),
        (
            404,
            Method::POST,
            "/levelPlay/adUnits/v1/nobody".to_owned(),
            json!([{"mediationAdUnitName": "X", "adFormat": "banner"}]),
        ),
        (400, Method::POST, units.clone(), json!([])),
        (400, Method::POST, units.clone(), json!({"mediationAdUnitName": "X"})),
        (400, Method::POST, units.clone(), json!([{"mediationAdUnitName": "X", "adFormat": "popup"}])),
        (
            400,
            Method::POST,
            units.clone(),
            json!([{"mediationAdUnitName": "X", "adFormat": "banner", "reward": {"rewardAmount": 1}}]),
        ),
        (404, Method::PUT, units.clone(), json!([{"mediationAdUnitId": "nobody"}])),
        (400, Method::POST, groups.clone(), json!([{"groupName": "X", "adFormat": "banner"}])),
        (
            400,
            Method::POST,
            groups.clone(),
            json!([{"groupName": "X", "adFormat": "banner", "position": 1, "countries": ["USA"]}]),
        ),
        (
            404,
            Method::POST,
            groups.clone(),
            json!([{"groupName": "X", "adFormat": "banner", "position": 1, "instances": [{"id": 1}]}]),
        ),
        (404, Method::PUT, groups.clone(), json!([{"groupId": 1}])),
        (404, Method::DELETE, groups.clone(), json!({"ids": [1]})),
        (400, Method::DELETE, groups.clone(), json!({"ids": []})),
        (
            400,
            Method::POST,
            instances.clone(),
            json!([fine, {"instanceName": "B", "networkName": "UnityAds", "adFormat": "banner"}]),
        ),
        (400, Method::PUT, instances.clone(), json!([{"instanceId": bidder, "rate": 5}])),
        (404, Method::DELETE, instances.clone(), json!({"ids": [1]})),
        (
            400,
            Method::POST,
            "/partners/publisher/placements/v1".to_owned(),
            json!({"appKey": app, "placements": [{"adUnit": "banner"}]}),
        ),
        (
            404,
            Method::DELETE,
            "/partners/publisher/placements/v1".to_owned(),
            json!({"appKey": app, "adUnit": "banner", "id": 1}),
        ),
    ];
    for (expected, method, path, body) in cases {
        let (status, answer) = call(&fixture, method, &path, body.clone()).await;
        assert_eq!((status, answer["code"].as_u64()), (expected, Some(u64::from(expected))), "{path} {body}: {answer}");
    }
    assert_eq!((get(&fixture, &units).await, get(&fixture, &groups).await, get(&fixture, &instances).await), before);
    let bad = fixture.unity_services(Method::GET, "/projects/nobody/adunits");
    assert_eq!(fixture.done(bad).await.0, 404);
    for query in [
        "startDate=2026-11-20",
        "startDate=x&endDate=2026-11-20",
        "startDate=2026-11-20&endDate=2026-11-20&metrics=joy",
        "startDate=2026-11-20&endDate=2026-11-20&breakdowns=mood",
        "startDate=2026-11-20&endDate=2026-11-20&resultsPerPage=5001",
    ] {
        let request = fixture.levelplay(Method::GET, &format!("/levelPlay/reporting/v1?{query}"), None).await;
        assert_eq!(fixture.done(request).await.0, 400, "{query}");
    }
}
