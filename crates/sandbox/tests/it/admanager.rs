//! Tests of Google Ad Manager: every operation, lists, writes and their refusals, sign-in, a restart.

use adagent_sandbox::{DEFAULT_CLIENT_ID, DEFAULT_CLIENT_SECRET, Standing};
use reqwest::Method;
use serde_json::{Value, json};

use crate::keyed::key;
use crate::support::Fixture;

/// One call of each operation: method, path, query, body, and what the answer must contain.
const CALLS: &str = include_str!("../fixtures/admanager.json");
pub const NETWORK: &str = "/v1/networks/21700000001";

impl Fixture {
    /// Calls Ad Manager as the official client would.
    pub async fn gam(&self, method: Method, path: &str, body: Option<Value>) -> (u16, Value) {
        let token = key("admanager", Standing::Valid, "access_token");
        let answer = self.send(method, &format!("/admanager{path}"), token, body).await;
        (answer.status().as_u16(), answer.json().await.unwrap())
    }

    pub async fn gam_get(&self, path: &str) -> Value {
        let (status, answer) = self.gam(Method::GET, &format!("{NETWORK}{path}"), None).await;
        assert_eq!(status, 200, "{path}: {answer}");
        answer
    }

    pub async fn gam_post(&self, path: &str, body: Value) -> Value {
        let (status, answer) = self.gam(Method::POST, &format!("{NETWORK}{path}"), Some(body)).await;
        assert_eq!(status, 200, "{path}: {answer}");
        answer
    }

    /// Returns the status, the code and the field of a refusal.
    async fn gam_refused(&self, method: Method, path: &str, body: Value) -> (u16, String, String) {
        let body = (method != Method::GET).then_some(body);
        let (status, answer) = self.gam(method, &format!("{NETWORK}{path}"), body).await;
        let error = &answer["error"];
        assert_eq!(error["code"], status, "{answer}");
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        (status, text(&error["status"]), text(&error["details"][0]["fieldViolations"][0]["field"]))
    }
}

fn encoded(call: &Value) -> String {
    let mut address = reqwest::Url::parse("http://host").unwrap();
    for (name, value) in call["query"].as_object().into_iter().flatten() {
        address.query_pairs_mut().append_pair(name, value.as_str().unwrap());
    }
    address.query().map(|query| format!("?{query}")).unwrap_or_default()
}

#[tokio::test]
async fn every_operation_answers_its_example() {
    let fixture = Fixture::start().await;
    let calls: Vec<Value> = serde_json::from_str(CALLS).unwrap();
    assert_eq!(calls.len(), 201);
    for call in &calls {
        fixture.control("reset", json!({})).await;
        let name = call["operation"].as_str().unwrap();
        let method: Method = call["method"].as_str().unwrap().parse().unwrap();
        let path = format!("{}{}", call["path"].as_str().unwrap(), encoded(call));
        let (status, answer) = fixture.gam(method, &path, call.get("body").cloned()).await;
        assert_eq!(status, 200, "{name}: {answer}");
        if let Some(items) = call["items"].as_str() {
            let found = answer[items].as_array().map_or_else(|| usize::from(answer[items].is_object()), Vec::len);
            assert!(found > 0, "{name}: {answer}");
        }
        if let Some(id) = call["id"].as_str() {
            assert!(answer[id].as_str().is_some_and(|id| !id.is_empty()), "{name}: {answer}");
        }
        if call["kind"] == "operation" {
            assert!(answer["name"].is_string() && answer["done"].is_boolean(), "{name}: {answer}");
        }
        let writes = fixture.writes_of("admanager").await;
        let seen = fixture.get("/__sandbox/requests?network=admanager").await;
        assert_eq!(seen["items"][0]["operation"], name);
        let listed = fixture.get("/__sandbox/networks").await;
        let networks = listed["items"].as_array().unwrap();
        let own = networks.iter().find(|network| network["id"] == "admanager").unwrap();
        let row = own["operations"].as_array().unwrap().iter().find(|it| it["name"] == name).unwrap();
        assert_eq!(writes.len(), usize::from(row["kind"] == "write"), "{name}");
        if let Some(write) = writes.first() {
            assert_eq!((write["applied"].as_bool(), write["status"].as_u64()), (Some(true), Some(200)), "{name}");
        }
    }
    let listed = fixture.get("/__sandbox/networks").await;
    let own = listed["items"].as_array().unwrap().iter().find(|network| network["id"] == "admanager").unwrap();
    let rows = own["operations"].as_array().unwrap();
    assert_eq!(rows.iter().filter(|row| row["kind"] != "token").count(), calls.len());
}

#[tokio::test]
async fn lists_are_filtered_ordered_and_paged() {
    let fixture = Fixture::start().await;
    let all = fixture.gam_get("/adUnits?pageSize=1000").await;
    let total = all["totalSize"].as_u64().unwrap();
    assert_eq!(all["adUnits"].as_array().unwrap().len() as u64, total);
    let (mut token, mut seen) = (String::new(), Vec::new());
    loop {
        let page = fixture.gam_get(&format!("/adUnits?pageSize=17&orderBy=displayName%20desc&pageToken={token}")).await;
        assert_eq!(page["totalSize"], total);
        seen.extend(
            page["adUnits"].as_array().unwrap().iter().map(|it| it["displayName"].as_str().unwrap().to_owned()),
        );
        match page["nextPageToken"].as_str() {
            Some(next) => token = next.to_owned(),
            None => break,
        }
    }
    assert_eq!(seen.len() as u64, total);
    assert!(seen.windows(2).all(|pair| pair[0] >= pair[1]));
    let skipped = fixture.gam_get("/adUnits?pageSize=2&skip=3&orderBy=displayName%20desc").await;
    assert_eq!(skipped["adUnits"][0]["displayName"], seen[3].as_str());
    let query = "filter=displayName%20%3D%20%22*Rewarded*%22%20AND%20status%20%3D%20ACTIVE";
    let found = fixture.gam_get(&format!("/adUnits?{query}")).await;
    let names = found["adUnits"].as_array().unwrap();
    assert!(!names.is_empty() && names.iter().all(|it| it["displayName"].as_str().unwrap().contains("Rewarded")));
    let lines = fixture.gam_get("/lineItems?filter=order%20%3D%20%22networks/21700000001/orders/3200000002%22").await;
    assert_eq!(lines["totalSize"], 2);
    assert!(fixture.gam_get("/lineItems?filter=status%20%3D%20PAUSED").await.get("lineItems").is_none());
    for (query, field) in [
        ("filter=surprise%20%3D%201", "filter"),
        ("filter=status%20%3D%20GONE", "filter"),
        ("orderBy=surprise", "orderBy"),
        ("pageSize=-1", "pageSize"),
        ("skip=x", "skip"),
        ("pageToken=nonsense", "pageToken"),
    ] {
        let refused = fixture.gam_refused(Method::GET, &format!("/orders?{query}"), json!({})).await;
        assert_eq!(refused, (400, "INVALID_ARGUMENT".to_owned(), field.to_owned()), "{query}");
    }
    let values = fixture.gam_get("/customTargetingKeys/13500002/customTargetingValues").await;
    assert_eq!(values["totalSize"], 2);
    let ads = format!("{NETWORK}/webProperties/ca-pub-3940256099942544/adReviewCenterAds:search?status=UNREVIEWED");
    let (_, ads) = fixture.gam(Method::GET, &ads, None).await;
    assert_eq!(ads["adReviewCenterAds"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn orders_and_line_items_are_booked_changed_and_closed() {
    let fixture = Fixture::start().await;
    let order = json!({"requests": [{"order": {
        "displayName": "Winter", "trafficker": "networks/21700000001/users/245000001",
        "advertiser": "networks/21700000001/companies/4600000102"}}]});
    let order = fixture.gam_post("/orders:batchCreate", order).await["orders"][0].clone();
    assert_eq!((order["status"].as_str(), order["orderId"].as_str()), (Some("DRAFT"), Some("3200000101")));
    let line = json!({
        "order": order["name"], "displayName": "Winter rewarded", "startTime": "2026-12-01T05:00:00Z",
        "targetEndTime": "2026-12-31T23:59:00Z", "creativeRotationType": "OPTIMIZED", "lineItemType": "STANDARD",
        "rate": {"currencyCode": "USD", "units": "8", "nanos": 500_000_000}, "costType": "CPM",
        "creativePlaceholders": [{"size": {"width": 320, "height": 480, "sizeType": "PIXEL"}}],
        "goal": {"goalType": "LIFETIME", "unitType": "IMPRESSIONS", "units": "250000"},
        "targeting": {"geoTargeting": {"targetedGeos": ["networks/21700000001/geoTargets/2840"]}}});
    let made = fixture.gam_post("/lineItems", line.clone()).await;
    assert_eq!(made["budget"], json!({"currencyCode": "USD", "units": "2125", "nanos": 0}));
    assert_eq!(made["orderDisplayName"], "Winter");
    let path = made["name"].as_str().unwrap().strip_prefix("networks/21700000001").unwrap().to_owned();
    let change =
        json!({"rate": {"currencyCode": "USD", "units": "9"}, "priority": 6, "displayName": "not in the mask"});
    let (status, changed) =
        fixture.gam(Method::PATCH, &format!("{NETWORK}{path}?updateMask=rate,priority"), Some(change)).await;
    assert_eq!((status, changed["displayName"].as_str()), (200, Some("Winter rewarded")));
    assert_eq!((changed["rate"]["units"].as_str(), changed["priority"].as_i64()), (Some("9"), Some(6)));
    let names = json!({"names": [order["name"]]});
    for (verb, status) in [
        ("batchSubmitForApproval", "PENDING_APPROVAL"),
        ("batchApprove", "APPROVED"),
        ("batchPause", "PAUSED"),
        ("batchResume", "APPROVED"),
        ("batchArchive", "APPROVED"),
    ] {
        fixture.gam_post(&format!("/orders:{verb}"), names.clone()).await;
        assert_eq!(fixture.gam_get("/orders/3200000101").await["status"], status, "{verb}");
    }
    let (status, refused) =
        fixture.gam(Method::POST, &format!("{NETWORK}/orders:batchPause"), Some(names.clone())).await;
    assert_eq!((status, refused["error"]["status"].as_str()), (400, Some("FAILED_PRECONDITION")));
    assert_eq!(refused["error"]["details"][0]["errorCode"], "ORDER_ACTION_ERROR_IS_ARCHIVED");
    assert_eq!(fixture.gam_refused(Method::POST, "/lineItems", line).await.2, "order");
    fixture.gam_post("/orders:batchUnarchive", names).await;
    let before = fixture.gam_get("/lineItems").await["totalSize"].as_u64();
    let names = json!({"names": [made["name"]]});
    fixture.gam_post("/lineItems:batchDelete", names).await;
    assert_eq!(fixture.gam_get("/lineItems").await["totalSize"].as_u64(), before.map(|count| count - 1));
}

#[tokio::test]
async fn wrong_bodies_change_nothing_and_name_the_field() {
    let fixture = Fixture::start().await;
    let user = "networks/21700000001/users/245000001";
    let company = "networks/21700000001/companies/4600000101";
    let patch = Method::PATCH;
    let post = Method::POST;
    for (method, path, body, field) in [
        (&post, "/companies", json!({"type": "ADVERTISER"}), "displayName"),
        (&post, "/companies", json!({"displayName": "x", "type": "FRIEND"}), "type"),
        (&post, "/companies", json!({"displayName": "x", "type": "ADVERTISER", "colour": "red"}), "colour"),
        (&post, "/companies", json!({"displayName": 7, "type": "ADVERTISER"}), "displayName"),
        (&post, "/orders:batchCreate", json!({"requests": []}), "requests"),
        (
            &post,
            "/orders:batchCreate",
            json!({"requests": [{"order": {"displayName": "x", "trafficker": user}}]}),
            "requests[0].order.advertiser",
        ),
        (
            &post,
            "/orders:batchCreate",
            json!({"requests": [{"order": {"displayName": "x", "trafficker": user, "advertiser": "networks/21700000001/companies/1"}}]}),
            "requests[0].order.advertiser",
        ),
        (
            &post,
            "/orders:batchCreate",
            json!({"requests": [{"parent": "networks/5", "order": {}}]}),
            "requests[0].parent",
        ),
        (&patch, "/companies/4600000101", json!({"displayName": "x"}), "updateMask"),
        (&patch, "/companies/4600000101?updateMask=surprise", json!({}), "updateMask"),
        (&patch, "/companies/4600000101?updateMask=companyId", json!({}), "companyId"),
        (&patch, "/companies/4600000101?updateMask=displayName", json!({"displayName": " "}), "displayName"),
        (
            &patch,
            "/contacts/4600000201?updateMask=company",
            json!({"company": "networks/21700000001/companies/4600000102"}),
            "company",
        ),
        (&patch, "/companies/4600000101?updateMask=email", json!({"name": "networks/21700000001/companies/9"}), "name"),
        (
            &post,
            "/privateAuctionDeals",
            json!({"privateAuctionId": "1", "buyerAccountId": "860001", "floorPrice": {"units": "1"}}),
            "privateAuctionId",
        ),
        (&post, "/orders:batchPause", json!({"names": [company]}), "names[0]"),
        (&post, "/orders:batchPause", json!({"ids": [1]}), "ids"),
        (
            &post,
            "/reports",
            json!({"reportDefinition": {"dimensions": ["DATE"], "metrics": ["SURPRISE"], "dateRange": {"relative": "TODAY"}, "reportType": "HISTORICAL"}}),
            "reportDefinition.metrics[0]",
        ),
    ] {
        let refused = fixture.gam_refused(method.clone(), path, body.clone()).await;
        assert_eq!((refused.0, refused.1.as_str()), (400, "INVALID_ARGUMENT"), "{path} {body}");
        assert_eq!(refused.2, field, "{path} {body}");
    }
    for (method, path) in [
        (Method::GET, "/orders/1"),
        (Method::GET, "/lineItems/1/creatives"),
        (Method::GET, "/liveStreamEvents/1/adBreaks"),
        (Method::GET, "/operations/reports/runs/1"),
        (Method::GET, "/reports/5900000001/results/1:fetchRows"),
        (Method::PATCH, "/teams/1?updateMask=displayName"),
        (Method::GET, "/nothing"),
    ] {
        let (status, code, _) = fixture.gam_refused(method, path, json!({})).await;
        assert_eq!((status, code.as_str()), (404, "NOT_FOUND"), "{path}");
    }
    let taken = json!({"adTagName": "genre", "type": "FREEFORM", "reportableType": "ON"});
    assert_eq!(fixture.gam_refused(post.clone(), "/customTargetingKeys", taken).await.0, 409);
    let broken = fixture.http.post(format!("{}/admanager{NETWORK}/companies", fixture.base)).body("{\"displayName\"");
    let broken = broken.bearer_auth(key("admanager", Standing::Valid, "access_token")).send().await.unwrap();
    assert_eq!(broken.status(), 400);
    let (status, foreign) = fixture.gam(Method::GET, "/v1/networks/21700000002/orders", None).await;
    assert_eq!((status, foreign["error"]["status"].as_str()), (403, Some("PERMISSION_DENIED")));
    let writes = fixture.writes_of("admanager").await;
    assert!(!writes.is_empty() && writes.iter().all(|write| write["applied"] == false));
}

#[tokio::test]
async fn a_batch_changes_all_or_nothing_and_survives_a_restart() {
    let fixture = Fixture::start().await;
    let name = |id: u64| format!("networks/21700000001/placements/{id}");
    let update = |id: u64, title: &str| json!({"placement": {"name": name(id), "displayName": title}, "updateMask": "displayName"});
    let bad = json!({"requests": [update(31_900_001, "A"), update(1, "B")]});
    let (status, _) = fixture.gam(Method::POST, &format!("{NETWORK}/placements:batchUpdate"), Some(bad)).await;
    assert_eq!(status, 404);
    assert_eq!(fixture.gam_get("/placements/31900001").await["displayName"], "All banners");
    fixture
        .gam_post("/placements:batchUpdate", json!({"requests": [update(31_900_001, "A"), update(31_900_002, "B")]}))
        .await;
    let extra = json!({"adBreakId": "extra", "duration": "15s", "expectedStartTime": "2026-12-06T20:00:00Z"});
    fixture.gam_post("/liveStreamEventsByCustomAssetKey/esports-final/adBreaks", extra).await;
    let fixture = fixture.reopen().await;
    assert_eq!(fixture.gam_get("/placements/31900002").await["displayName"], "B");
    let breaks = fixture.gam_get("/liveStreamEventsByAssetKey/kX3bqT8rQm2ZsYh1/adBreaks").await;
    assert_eq!(
        breaks["adBreaks"][0]["name"],
        "networks/21700000001/liveStreamEventsByAssetKey/kX3bqT8rQm2ZsYh1/adBreaks/extra"
    );
    let (status, _) = fixture
        .gam(Method::DELETE, &format!("{NETWORK}/liveStreamEventsByAssetKey/90000001/adBreaks/break-0"), None)
        .await;
    assert_eq!(status, 400, "an ad break that is over stays");
}

#[tokio::test]
async fn the_review_centre_answers_with_an_operation_that_gets_done() {
    let fixture = Fixture::start().await;
    let property = "/webProperties/ca-pub-3940256099942544";
    let ad = format!("networks/21700000001{property}/adReviewCenterAds/arc-1001");
    let operation = fixture.gam_post(&format!("{property}/adReviewCenterAds:batchBlock"), json!({"names": [ad]})).await;
    assert_eq!(operation["done"], false);
    let (_, listed) = fixture.gam(Method::GET, "/v1/operations", None).await;
    let found = listed["operations"].as_array().unwrap().iter().find(|it| it["name"] == operation["name"]).unwrap();
    assert_eq!(found["done"], true);
    let search = format!("{property}/adReviewCenterAds:search?adReviewCenterAdId=arc-1001");
    assert_eq!(fixture.gam_get(&search).await["adReviewCenterAds"][0]["status"], "BLOCKED");
}

async fn status_of(fixture: &Fixture, token: &str) -> u16 {
    fixture.send(Method::GET, &format!("/admanager{NETWORK}/orders"), token, None).await.status().as_u16()
}

async fn refreshed(fixture: &Fixture, refresh: &str) -> (u16, Value) {
    let form = [
        ("client_id", DEFAULT_CLIENT_ID),
        ("client_secret", DEFAULT_CLIENT_SECRET),
        ("grant_type", "refresh_token"),
        ("refresh_token", refresh),
    ];
    let answer = fixture.http.post(format!("{}/admanager/token", fixture.base)).form(&form).send().await.unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap())
}

#[tokio::test]
async fn keys_tokens_scopes_and_revocation_are_googles() {
    let fixture = Fixture::start().await;
    for (standing, status) in
        [(Standing::Valid, 200), (Standing::Revoked, 401), (Standing::Expired, 401), (Standing::NotAllowed, 403)]
    {
        assert_eq!(status_of(&fixture, key("admanager", standing, "access_token")).await, status, "{standing:?}");
        let (code, tokens) = refreshed(&fixture, key("admanager", standing, "refresh_token")).await;
        match standing {
            Standing::Revoked | Standing::Expired => {
                assert_eq!((code, tokens["error"].as_str()), (400, Some("invalid_grant")));
            }
            _ => {
                assert_eq!(status_of(&fixture, tokens["access_token"].as_str().unwrap()).await, status, "{standing:?}");
            }
        }
    }
    let admob = fixture.control("grant", json!({"network": "admob"})).await;
    assert_eq!(
        status_of(&fixture, admob["access_token"].as_str().unwrap()).await,
        403,
        "AdMob's scopes do not reach here"
    );
    let granted = fixture.control("grant", json!({"network": "admanager", "identity": "empty@sandbox.example"})).await;
    let token = granted["access_token"].as_str().unwrap();
    assert_eq!(status_of(&fixture, token).await, 403);
    let networks = fixture.send(Method::GET, "/admanager/v1/networks", token, None).await;
    assert_eq!(networks.status(), 200);
    let granted = fixture.control("grant", json!({"network": "admanager"})).await;
    let token = granted["access_token"].as_str().unwrap();
    assert_eq!(status_of(&fixture, token).await, 200);
    fixture.control("oauth", json!({"network": "admanager", "expire_access": true})).await;
    assert_eq!(status_of(&fixture, token).await, 401);
    assert_eq!(status_of(&fixture, key("admanager", Standing::Valid, "access_token")).await, 401);
    let (_, again) = refreshed(&fixture, granted["refresh_token"].as_str().unwrap()).await;
    let again = again["access_token"].as_str().unwrap().to_owned();
    assert_eq!(status_of(&fixture, &again).await, 200);
    fixture.control("oauth", json!({"network": "admanager", "revoke_all": true})).await;
    assert_eq!(status_of(&fixture, &again).await, 401);
    assert_eq!(refreshed(&fixture, granted["refresh_token"].as_str().unwrap()).await.0, 400);
    assert_eq!(refreshed(&fixture, key("admanager", Standing::Valid, "refresh_token")).await.0, 400);
    let accounts = fixture.send(Method::GET, "/admob/v1/accounts", admob["access_token"].as_str().unwrap(), None).await;
    assert_eq!(accounts.status(), 200, "AdMob's consent is another one");
}

#[tokio::test]
async fn limits_and_faults_speak_as_google_does() {
    let fixture = Fixture::start().await;
    let fault = json!({"network": "admanager", "operation": "admanager_list_orders", "kind": "status", "status": 503});
    fixture.control("faults", fault).await;
    let (status, answer) = fixture.gam(Method::GET, &format!("{NETWORK}/orders"), None).await;
    assert_eq!((status, answer["error"]["status"].as_str()), (503, Some("UNAVAILABLE")));
    fixture.control("quota", json!({"network": "admanager", "burst": 1, "per_minute": 6})).await;
    fixture.gam_get("/orders").await;
    let token = key("admanager", Standing::Valid, "access_token");
    let answer = fixture.send(Method::GET, &format!("/admanager{NETWORK}/orders"), token, None).await;
    assert_eq!((answer.status().as_u16(), answer.headers()["retry-after"].to_str().unwrap()), (429, "10"));
    let body: Value = answer.json().await.unwrap();
    assert!(body["error"]["message"].as_str().unwrap().contains("admanager.googleapis.com"), "{body}");
}

#[tokio::test]
async fn examples_in_a_row_are_refused_only_where_an_earlier_one_deleted_what_they_name() {
    let fixture = Fixture::start().await;
    let calls: Vec<Value> = serde_json::from_str(CALLS).unwrap();
    let mut refused = Vec::new();
    for call in &calls {
        let method: Method = call["method"].as_str().unwrap().parse().unwrap();
        let path = format!("{}{}", call["path"].as_str().unwrap(), encoded(call));
        let (status, answer) = fixture.gam(method, &path, call.get("body").cloned()).await;
        if status != 200 {
            assert!(answer["error"]["message"].is_string(), "{answer}");
            refused.push((call["operation"].as_str().unwrap().trim_start_matches("admanager_"), status));
        }
    }
    assert_eq!(
        refused,
        [
            // An earlier call deleted the break by its asset key.
            ("get_ad_break_by_custom_asset_key", 404),
            ("get_ad_break", 404),
            ("cancel_operation", 404),
            // The order was retracted, and deleted at the end.
            ("batch_pause_orders", 400),
            ("batch_resume_orders", 400),
            ("batch_resume_and_overbook_orders", 400),
            ("create_line_item", 400),
            ("update_line_item", 400),
            ("batch_create_line_items", 400),
            ("batch_update_line_items", 400),
            // The line item was also deleted.
            ("list_line_item_creative_associations", 404),
            ("run_availability_forecast", 400),
            ("run_delivery_forecast", 400),
        ]
    );
}

#[tokio::test]
async fn consent_gives_what_was_asked_for_and_reading_alone_cannot_write() {
    let fixture = Fixture::start().await;
    let back = "http://127.0.0.1:3000/callback";
    for (scope, may_write) in [("admanager", true), ("admanager.readonly", false)] {
        let form = [
            ("client_id", DEFAULT_CLIENT_ID),
            ("redirect_uri", back),
            ("response_type", "code"),
            ("scope", &format!("https://www.googleapis.com/auth/{scope}")),
            ("access_type", "offline"),
            // The S256 of the verifier below, from RFC 7636.
            ("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"),
            ("code_challenge_method", "S256"),
            ("decision", "allow"),
        ];
        let page = fixture.http.get(format!("{}/admanager/o/oauth2/v2/auth", fixture.base)).query(&form).send();
        assert!(page.await.unwrap().text().await.unwrap().contains("Google Ad Manager data"));
        let answer = fixture.http.post(format!("{}/admanager/o/oauth2/v2/auth", fixture.base)).form(&form).send();
        let to: reqwest::Url = answer.await.unwrap().headers()["location"].to_str().unwrap().parse().unwrap();
        let code = to.query_pairs().find(|(name, _)| name == "code").unwrap().1.into_owned();
        let form = [
            ("client_id", DEFAULT_CLIENT_ID),
            ("client_secret", DEFAULT_CLIENT_SECRET),
            ("redirect_uri", back),
            ("grant_type", "authorization_code"),
            ("code", &code),
            ("code_verifier", "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"),
        ];
        let tokens = fixture.http.post(format!("{}/admanager/token", fixture.base)).form(&form).send().await.unwrap();
        let tokens: Value = tokens.json().await.unwrap();
        let token = tokens["access_token"].as_str().unwrap();
        assert_eq!(status_of(&fixture, token).await, 200, "{scope}");
        let team = Some(json!({"displayName": "New"}));
        let made = fixture.send(Method::POST, &format!("/admanager{NETWORK}/teams"), token, team).await;
        assert_eq!(made.status().as_u16(), if may_write { 200 } else { 403 }, "{scope}");
        let form = [("token", tokens["refresh_token"].as_str().unwrap())];
        let gone = fixture.http.post(format!("{}/admanager/revoke", fixture.base)).form(&form).send().await.unwrap();
        assert_eq!((gone.status().as_u16(), status_of(&fixture, token).await), (200, 401), "{scope}");
    }
}
