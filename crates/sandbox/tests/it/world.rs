//! Tests that the reports of the networks agree with AdMob's mediation report, within realistic deviations.

use adagent_sandbox::Standing;
use serde_json::Value;

use crate::keyed::NETWORKS;
use crate::support::Fixture;

/// Returns the title of AdMob's ad sources for this network.
fn title(network: &str) -> &'static str {
    match network {
        "applovin" => "AppLovin",
        "unity" => "Unity Ads",
        "mintegral" => "Mintegral",
        "pangle" => "Pangle",
        "inmobi" => "InMobi",
        "dtexchange" => "DT Exchange",
        _ => "Liftoff Monetize",
    }
}

fn field(metric: &str) -> &'static str {
    if metric == "revenue" { "micros" } else { "value" }
}

/// Returns what AdMob's mediation report says about the sources of this network.
fn mediated(sources: &Value, network: &str, metric: &str) -> u64 {
    let ours = |label: &str| {
        // The title of InMobi's second source ends with "(SDK)".
        label.trim_end_matches(" (bidding)").trim_end_matches(" (SDK)") == title(network)
    };
    let items = sources["items"].as_array().unwrap().iter().filter(|item| ours(item["label"].as_str().unwrap()));
    items.map(|item| item[field(metric)].as_u64().unwrap()).sum()
}

#[tokio::test]
async fn networks_and_mediation_agree_within_the_stated_gaps() {
    let fixture = Fixture::start().await;
    for days in [
        "from=2026-11-20&to=2026-11-20",
        "from=2026-10-05&to=2026-10-18",
        "from=2025-02-01&to=2025-02-03",
        "from=2026-11-01&to=2026-11-07&country=US&platform=iOS",
    ] {
        for (metric, thousandths) in [("impressions", 20), ("revenue", 30)] {
            let sources = fixture.truth(&format!("by=ad_source&metric={metric}&{days}")).await;
            for network in NETWORKS {
                let path = format!("/__sandbox/truth?network={network}&metric={metric}&{days}");
                let own = fixture.get(&path).await[field(metric)].as_u64().unwrap();
                let theirs = mediated(&sources, network, metric);
                assert_ne!(own, theirs, "{network} {days}: nobody counts quite the same");
                let gap = own.abs_diff(theirs) * 1000;
                assert!(gap <= theirs * thousandths, "{network} {days}: {own} and {theirs} {metric}");
            }
        }
    }
}

#[tokio::test]
async fn every_breakdown_adds_up_and_yesterday_stays_what_it_was() {
    let fixture = Fixture::start().await;
    for network in NETWORKS {
        let days = "from=2026-10-30&to=2026-11-02";
        let whole = fixture.micros(network, days).await;
        assert!(whole > 0, "{network}");
        for by in ["date", "week", "month", "app", "ad_unit", "country", "format", "ad_source", "platform"] {
            let truth = fixture.get(&format!("/__sandbox/truth?network={network}&{days}&by={by}")).await;
            let items = truth["items"].as_array().unwrap();
            assert_eq!(items.iter().map(|item| item["micros"].as_u64().unwrap()).sum::<u64>(), whole, "{network} {by}");
            assert!(items.iter().all(|item| !item["label"].as_str().unwrap().is_empty()), "{network} {by}");
        }
        fixture.advance(86_400 * 3);
        assert_eq!(fixture.micros(network, days).await, whole, "{network}: later the same");
        fixture.advance(-86_400 * 3);
        let old = fixture.micros(network, "from=2024-11-25&to=2024-11-25").await;
        assert!(old > 0, "{network} has figures of two years ago");
    }
}

#[tokio::test]
async fn the_same_apps_earn_on_every_network_and_filters_take_names() {
    let fixture = Fixture::start().await;
    for network in NETWORKS {
        let days = "from=2026-11-20&to=2026-11-20";
        let truth = fixture.get(&format!("/__sandbox/truth?network={network}&{days}&by=app")).await;
        let labels: Vec<&str> =
            truth["items"].as_array().unwrap().iter().map(|item| item["label"].as_str().unwrap()).collect();
        for app in ["Puzzle Game", "My Game", "Word Quest"] {
            assert!(labels.contains(&app), "{network} lacks {app}");
        }
        let named = fixture.micros(network, &format!("{days}&app=puzzle%20game")).await;
        let items = truth["items"].as_array().unwrap().iter().filter(|item| item["label"] == "Puzzle Game");
        let keys: Vec<&Value> = items.clone().map(|item| &item["key"]).collect();
        assert_eq!(named, items.map(|item| item["micros"].as_u64().unwrap()).sum::<u64>(), "{network}");
        let one = fixture.micros(network, &format!("{days}&app={}", keys[0].as_str().unwrap())).await;
        assert!(one > 0 && one <= named, "{network}");
    }
}

#[tokio::test]
async fn a_question_to_the_truth_that_makes_no_sense_is_refused() {
    let fixture = Fixture::start().await;
    for query in [
        "network=nobody&from=2026-11-20&to=2026-11-20",
        "network=unity&from=2026-11-20",
        "network=unity&from=2026-11-20&to=2026-11-19",
        "network=unity&from=2026-11-20&to=2026-11-20&metric=joy",
        "network=unity&from=2026-11-20&to=2026-11-20&by=mood",
        "network=unity&from=2026-11-20&to=2026-11-20&timezone=99",
    ] {
        let answer = fixture.http.get(format!("{}/__sandbox/truth?{query}", fixture.base)).send().await.unwrap();
        assert_eq!(answer.status(), 400, "{query}");
    }
}

#[tokio::test]
async fn days_move_with_the_time_zone_and_lose_nothing() {
    let fixture = Fixture::start().await;
    let utc = fixture.micros("mintegral", "from=2026-11-20&to=2026-11-20").await;
    let east = fixture.micros("mintegral", "from=2026-11-20&to=2026-11-20&timezone=8").await;
    assert_ne!(utc, east);
    let mut hours = 0;
    for zone in ["from=2026-11-18&to=2026-11-18&timezone=8", "from=2026-11-19&to=2026-11-19&timezone=8"] {
        hours += fixture.micros("mintegral", zone).await;
    }
    assert_eq!(fixture.micros("mintegral", "from=2026-11-18&to=2026-11-19&timezone=8").await, hours);
}

#[tokio::test]
async fn keys_that_do_not_hold_are_refused_in_every_way_in() {
    let fixture = Fixture::start().await;
    for network in NETWORKS {
        for (standing, statuses) in [
            (Standing::Valid, [200]),
            (Standing::Revoked, [401]),
            (Standing::Expired, [401]),
            (Standing::NotAllowed, [403]),
        ] {
            for (status, body) in fixture.with_standing(network, standing).await {
                assert!(statuses.contains(&status), "{network} {standing:?}: {status} {body}");
            }
        }
        let grant = fixture.control("grant", serde_json::json!({"network": network, "standing": "expired"})).await;
        let (name, value) = grant["fields"].as_object().unwrap().iter().next().unwrap();
        assert_eq!(value, crate::keyed::key(network, Standing::Expired, name));
    }
}

#[tokio::test]
async fn keys_can_be_revoked_and_tokens_expired_until_a_reset() {
    let fixture = Fixture::start().await;
    for network in NETWORKS {
        fixture.control("oauth", serde_json::json!({"network": network, "revoke_all": true})).await;
        for (status, body) in fixture.with_standing(network, Standing::Valid).await {
            assert_eq!(status, 401, "{network}: {body}");
        }
    }
    let fixture = fixture.reopen().await;
    assert_eq!(fixture.levelplay_token(Standing::Valid).await.0, 401, "a restart forgets no revocation");
    fixture.control("reset", serde_json::json!({})).await;
    for network in NETWORKS {
        for (status, body) in fixture.with_standing(network, Standing::Valid).await {
            assert_eq!(status, 200, "{network}: {body}");
        }
    }
}

#[tokio::test]
async fn faults_are_told_apart_by_network_and_answer_in_its_form() {
    let fixture = Fixture::start().await;
    for network in NETWORKS {
        let fault = serde_json::json!({"network": network, "kind": "status", "status": 503, "times": 20});
        fixture.control("faults", fault).await;
    }
    let (status, body) = fixture.done(fixture.applovin(reqwest::Method::GET, "/ad_units", None)).await;
    assert_eq!((status, &body["code"]), (503, &serde_json::json!(503)));
    let (status, body) = fixture.done(fixture.mintegral_get("/v2/app/open_api_list", &[])).await;
    assert_eq!((status, body["msg"].is_string()), (503, true));
    let (status, body) = fixture.done(fixture.liftoff_report(&[])).await;
    assert_eq!((status, &body["error"]), (503, &serde_json::json!("Service Unavailable")));
    let request = fixture.levelplay(reqwest::Method::GET, "/partners/publisher/applications/v6", None).await;
    let (status, body) = fixture.done(request).await;
    assert_eq!((status, body["message"].is_string()), (503, true), "the sign-in was spared");
    assert!(fixture.get(&crate::support::account("/apps")).await["apps"].is_array(), "AdMob is not hit");
}

#[tokio::test]
async fn a_429_says_when_to_come_back_or_not_as_the_fault_asks() {
    let fixture = Fixture::start().await;
    for (retry_after, expected) in [(7, Some("7")), (0, None)] {
        let fault = serde_json::json!({"network": "applovin", "operation": "applovin_list_ad_units", "kind": "status", "status": 429, "retry_after": retry_after});
        fixture.control("faults", fault).await;
        let answer = fixture.applovin(reqwest::Method::GET, "/ad_units", None).send().await.unwrap();
        assert_eq!(answer.status(), 429);
        assert_eq!(answer.headers().get("retry-after").map(|it| it.to_str().unwrap()), expected);
    }
}

#[tokio::test]
async fn a_web_page_and_a_huge_answer_come_instead_of_the_reply() {
    let fixture = Fixture::start().await;
    fixture.control("faults", serde_json::json!({"network": "applovin", "kind": "html"})).await;
    let (status, body) = fixture.done(fixture.applovin(reqwest::Method::GET, "/ad_units", None)).await;
    assert!(status == 200 && body.as_str().unwrap().starts_with("<!doctype html>"));
    fixture.control("faults", serde_json::json!({"network": "applovin", "kind": "huge", "bytes": 3_000_001})).await;
    let answer = fixture.applovin(reqwest::Method::GET, "/ad_units", None).send().await.unwrap();
    assert_eq!(answer.bytes().await.unwrap().len(), 3_000_001);
}

#[tokio::test]
async fn an_unknown_path_is_refused_in_the_networks_form() {
    let fixture = Fixture::start().await;
    for path in ["/applovin/nothing", "/unity/nothing", "/mintegral/nothing", "/liftoff/@report.api.vungle.com/nothing"]
    {
        let (status, body) = fixture.done(fixture.request(reqwest::Method::GET, path)).await;
        assert_eq!(status, 404, "{path}");
        assert!(body["message"].is_string() || body["msg"].is_string(), "{path}: {body}");
    }
    // A path may also name the first host.
    let named = fixture.request(reqwest::Method::GET, "/applovin/@o.applovin.com/mediation/v1/ad_units");
    let key = crate::keyed::key("applovin", Standing::Valid, "management_key");
    assert_eq!(fixture.done(named.header("Api-Key", key)).await.0, 200);
}

#[tokio::test]
async fn a_limit_holds_for_its_network_only() {
    let fixture = Fixture::start().await;
    fixture.control("quota", serde_json::json!({"network": "mintegral", "burst": 1, "per_minute": 6})).await;
    assert_eq!(fixture.good(fixture.mintegral_get("/v2/app/open_api_list", &[])).await["code"], 200);
    let refused = fixture.good(fixture.mintegral_get("/v2/app/open_api_list", &[])).await;
    assert_eq!(refused["code"], -2008, "its limit is a code in a body of status 200");
    for _ in 0..3 {
        fixture.good(fixture.applovin(reqwest::Method::GET, "/ad_units", None)).await;
    }
    fixture.advance(10);
    assert_eq!(fixture.good(fixture.mintegral_get("/v2/app/open_api_list", &[])).await["code"], 200);
    fixture.control("quota", serde_json::json!({"network": "unity", "burst": 1, "per_minute": 1})).await;
    let path = "/partners/publisher/applications/v6";
    fixture.good(fixture.levelplay(reqwest::Method::GET, path, None).await).await;
    let (status, body) = fixture.done(fixture.levelplay(reqwest::Method::GET, path, None).await).await;
    assert_eq!((status, &body["code"]), (429, &serde_json::json!(429)));
}

#[tokio::test]
async fn the_list_of_networks_names_every_operation() {
    let fixture = Fixture::start().await;
    let list = fixture.get("/__sandbox/networks").await;
    let items = list["items"].as_array().unwrap();
    let ids: Vec<&str> = items.iter().map(|item| item["id"].as_str().unwrap()).collect();
    assert_eq!(ids, adagent_sandbox::network_ids().collect::<Vec<_>>());
    let count = |id: &str| {
        let item = items.iter().find(|item| item["id"] == id).unwrap();
        let calls = item["operations"].as_array().unwrap().iter().filter(|operation| operation["kind"] != "token");
        calls.count()
    };
    let counts = [
        ("admob", 19),
        ("applovin", 20),
        ("unity", 24),
        ("mintegral", 12),
        ("liftoff", 10),
        ("inmobi", 9),
        ("pangle", 11),
        ("dtexchange", 17),
        ("admanager", 201),
    ];
    for (id, expected) in counts {
        assert_eq!(count(id), expected, "{id}");
    }
}
