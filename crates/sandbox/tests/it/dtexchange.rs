//! Tests of DT Exchange over HTTP: every operation, two tokens, OAuth 1, and files that take time.

use adagent_sandbox::Standing;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::Method;
use serde_json::{Value, json};
use sha1::{Digest as _, Sha1};

use crate::keyed::{key, sum};
use crate::support::Fixture;

async fn get(fixture: &Fixture, path: &str) -> Value {
    fixture.good(fixture.dtexchange(Method::GET, path, None).await).await
}

async fn send(fixture: &Fixture, method: Method, path: &str, body: Value) -> Value {
    fixture.good(fixture.dtexchange(method, path, Some(body)).await).await
}

/// Returns the HMAC-SHA1 of RFC 2104.
fn hmac(secret: &str, text: &str) -> Vec<u8> {
    let mut block = [0_u8; 64];
    block[..secret.len()].copy_from_slice(secret.as_bytes());
    let pad = |with: u8| block.map(|byte| byte ^ with).to_vec();
    let inside = Sha1::digest([pad(0x36), text.as_bytes().to_vec()].concat()).to_vec();
    Sha1::digest([pad(0x5c), inside].concat()).to_vec()
}

/// Requests the older report of a week, signed at that moment.
fn older(fixture: &Fixture, at: i64, standing: Standing) -> reqwest::RequestBuilder {
    let publisher = key("dtexchange", Standing::Valid, "publisher_id");
    let path = format!("/iamp/services/performance/{publisher}/vamp/1794614400/1795219200");
    let (consumer, secret) =
        (key("dtexchange", standing, "consumer_key"), key("dtexchange", standing, "consumer_secret"));
    let at = at.to_string();
    let pairs = [
        ("oauth_consumer_key", consumer),
        ("oauth_nonce", "7"),
        ("oauth_signature_method", "HMAC-SHA1"),
        ("oauth_timestamp", at.as_str()),
        ("oauth_version", "1.0"),
    ];
    let joined: Vec<String> = pairs.iter().map(|(name, value)| format!("{name}%3D{value}")).collect();
    let address = format!("https%3A%2F%2Frevenuedesk.fyber.com{}", path.replace('/', "%2F"));
    let base = format!("GET&{address}&{}", joined.join("%26"));
    let sign = STANDARD.encode(hmac(&format!("{secret}&"), &base));
    let request = fixture.request(Method::GET, &format!("/dtexchange/@revenuedesk.fyber.com{path}"));
    request.query(&pairs).query(&[("oauth_signature", sign)])
}

/// Returns the file behind a link, after the answers that it is not ready.
async fn file(fixture: &Fixture, url: &str) -> String {
    for _ in 0..2 {
        assert_eq!(fixture.http.get(url).send().await.unwrap().status(), 404, "not ready");
    }
    let answer = fixture.http.get(url).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    answer.text().await.unwrap()
}

#[tokio::test]
async fn every_operation_answers() {
    let fixture = Fixture::start().await;
    let publisher = key("dtexchange", Standing::Valid, "publisher_id");
    let apps = get(&fixture, &format!("/app?publisherId={publisher}")).await;
    assert!(apps.as_array().unwrap().len() > 3);
    let new = json!({"name": "New", "category1": "Games", "coppa": false, "bundle": "com.new", "platform": "android"});
    let app = send(&fixture, Method::POST, "/app", new).await;
    let id = app["appId"].as_str().unwrap();
    assert_eq!(get(&fixture, &format!("/app?appId={id}")).await, app);
    let changed = send(&fixture, Method::PUT, &format!("/app?appId={id}"), json!({"status": "inactive"})).await;
    assert_eq!((&changed["status"], &changed["bundle"]), (&json!("inactive"), &json!("com.new")));
    let new = json!({"appId": id, "placementType": "Rewarded", "name": "Shop", "coppa": false, "floorPrices": [{"country": "US", "price": 4.5}]});
    let placement = send(&fixture, Method::POST, "/placement", new).await;
    let placement_id = placement["placementId"].as_str().unwrap();
    let path = format!("/placement?placementId={placement_id}");
    send(&fixture, Method::PUT, &path, json!({"capping": {"enabled": true, "value": 3, "unit": "day"}})).await;
    assert_eq!(get(&fixture, &path).await["capping"]["value"], 3);
    assert_eq!(get(&fixture, &format!("/placement?appId={id}")).await.as_array().unwrap().len(), 1);
    let new = json!({"placementId": placement_id, "name": "AppLovin US", "mediatedNetworkName": "AppLovin", "status": "active", "cpmPriceMethod": "MANUAL"});
    let instance = send(&fixture, Method::POST, "/instance", new).await;
    let instance_path = format!("/instance?instanceInternalId={}", instance["instanceInternalId"].as_str().unwrap());
    send(&fixture, Method::PUT, &instance_path, json!({"cpmManualPrices": [{"country": "WW", "price": 2}]})).await;
    assert_eq!(get(&fixture, &instance_path).await["cpmManualPrices"][0]["price"], 2);
    assert_eq!(get(&fixture, &format!("/instance?placementId={placement_id}")).await.as_array().unwrap().len(), 1);
    let fixture = fixture.reopen().await;
    assert_eq!(get(&fixture, &path).await["capping"]["value"], 3, "it survives a restart");
    send(&fixture, Method::DELETE, &instance_path, json!({})).await;
    send(&fixture, Method::DELETE, &path, json!({})).await;
    send(&fixture, Method::DELETE, &format!("/app?appId={id}"), json!({})).await;
    assert_eq!(get(&fixture, &format!("/app?publisherId={publisher}")).await, apps);
    let ask = json!({"source": "mediation", "dateRange": {"start": "2026-11-20", "end": "2026-11-20"}, "metrics": ["Clicks"]});
    fixture.good(fixture.dtexchange_report(&ask).await).await;
    fixture.good(older(&fixture, fixture.seconds(), Standing::Valid)).await;
    let writes = fixture.writes_of("dtexchange").await;
    let mut names: Vec<&str> = writes.iter().map(|write| write["operation"].as_str().unwrap()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 9, "{names:?}");
}

#[tokio::test]
async fn reports_are_the_truth_once_their_file_is_ready() {
    let fixture = Fixture::start().await;
    let truth = fixture.micros("dtexchange", "from=2026-11-14&to=2026-11-20").await;
    for splits in [
        json!([]),
        json!(["Date", "Country"]),
        json!(["Fyber App ID", "App Name", "Device OS", "Placement Type", "Placement ID", "Placement Name"]),
        json!(["Demand Source Type Name", "Demand Source Name"]),
    ] {
        let ask = json!({"source": "mediation", "dateRange": {"start": "2026-11-14", "end": "2026-11-20"}, "metrics": ["Impressions", "Revenue (USD)"], "splits": splits});
        let link = fixture.good(fixture.dtexchange_report(&ask).await).await;
        let text = file(&fixture, link["url"].as_str().unwrap()).await;
        let mut lines = text.lines();
        let width = lines.next().unwrap().split(',').count();
        // Names may contain commas in quotes; the amount comes last.
        let rows: Vec<Value> = lines.map(|line| json!({"r": line.rsplit(',').next().unwrap()})).collect();
        assert_eq!((width, sum(&rows.into(), "r")), (splits.as_array().unwrap().len() + 2, truth), "{splits}");
    }
    let answer = fixture.good(older(&fixture, fixture.seconds(), Standing::Valid)).await;
    let units = answer["apps"].as_array().unwrap().iter().flat_map(|app| app["units"].as_array().unwrap());
    let earned: u64 = units.map(|unit| sum(&unit["data"], "revenue")).sum();
    assert_eq!(earned, fixture.micros("dtexchange", "from=2026-11-14&to=2026-11-20").await);
}

#[tokio::test]
async fn tokens_do_not_stand_in_for_each_other_and_signatures_are_checked() {
    let fixture = Fixture::start().await;
    let (_, reporting) = fixture.dtexchange_token(Standing::Valid, "reporting_").await;
    let (_, management) = fixture.dtexchange_token(Standing::Valid, "").await;
    let publisher = key("dtexchange", Standing::Valid, "publisher_id");
    let status = async |token: &Value, publisher: &str| {
        let request =
            fixture.request(Method::GET, &format!("/dtexchange/api/management/v1/app?publisherId={publisher}"));
        fixture.done(request.bearer_auth(token["accessToken"].as_str().unwrap())).await.0
    };
    assert_eq!(status(&management, publisher).await, 200);
    assert_eq!(status(&management, "1").await, 403);
    assert_eq!(status(&reporting, publisher).await, 401);
    fixture.advance(3601);
    assert_eq!(status(&management, publisher).await, 401);
    let now = fixture.seconds();
    assert_eq!(fixture.done(older(&fixture, now, Standing::Valid)).await.0, 200);
    assert_eq!(fixture.done(older(&fixture, now - 400, Standing::Valid)).await.0, 401, "the clock is off");
    assert_eq!(fixture.done(older(&fixture, now, Standing::Expired)).await.0, 401);
    assert_eq!(fixture.done(older(&fixture, now, Standing::NotAllowed)).await.0, 403);
    let tampered = older(&fixture, now, Standing::Valid).query(&[("more", "1")]);
    assert_eq!(fixture.done(tampered).await.0, 401, "all of the query is signed");
}

#[tokio::test]
async fn bad_requests_are_refused_and_change_nothing() {
    let fixture = Fixture::start().await;
    let publisher = key("dtexchange", Standing::Valid, "publisher_id");
    let apps = get(&fixture, &format!("/app?publisherId={publisher}")).await;
    let app = &apps[0];
    let cases = [
        (400, Method::POST, "/app", json!({"name": "X"})),
        (
            409,
            Method::POST,
            "/app",
            json!({"name": "X", "category1": "Games", "coppa": false, "bundle": app["bundle"], "platform": app["platform"]}),
        ),
        (404, Method::PUT, "/app?appId=1", json!({"name": "X"})),
        (400, Method::PUT, "/app", json!({"name": "X"})),
        (404, Method::DELETE, "/app?appId=1", json!({})),
        (
            404,
            Method::POST,
            "/placement",
            json!({"appId": "1", "placementType": "Banner", "name": "X", "coppa": false}),
        ),
        (
            400,
            Method::POST,
            "/placement",
            json!({"appId": app["appId"], "placementType": "Popup", "name": "X", "coppa": false}),
        ),
        (
            400,
            Method::POST,
            "/placement",
            json!({"appId": app["appId"], "placementType": "Rewarded", "name": "X", "coppa": false, "bannerRefresh": 30}),
        ),
        (
            404,
            Method::POST,
            "/instance",
            json!({"placementId": "1", "name": "X", "mediatedNetworkName": "AppLovin", "status": "active"}),
        ),
        (404, Method::DELETE, "/instance?instanceInternalId=1", json!({})),
    ];
    for (expected, method, path, body) in cases {
        let (status, answer) = fixture.done(fixture.dtexchange(method, path, Some(body.clone())).await).await;
        assert_eq!(
            (status, answer["status"].as_u64()),
            (expected, Some(u64::from(expected))),
            "{path} {body}: {answer}"
        );
    }
    assert_eq!(get(&fixture, &format!("/app?publisherId={publisher}")).await, apps);
    let range = json!({"start": "2026-11-20", "end": "2026-11-20"});
    for ask in [
        json!({"source": "mediation", "dateRange": range}),
        json!({"source": "users", "dateRange": range, "metrics": ["Clicks"]}),
        json!({"source": "mediation", "dateRange": {"start": "2026-11-20"}, "metrics": ["Clicks"]}),
        json!({"source": "mediation", "dateRange": range, "metrics": ["Joy"]}),
        json!({"source": "mediation", "dateRange": range, "metrics": ["Clicks"], "splits": ["Mood"]}),
    ] {
        assert_eq!(fixture.done(fixture.dtexchange_report(&ask).await).await.0, 400, "{ask}");
    }
}
