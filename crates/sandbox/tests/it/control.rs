//! Tests of faults, quota, reset and persistence.

use std::fs::OpenOptions;
use std::io::Write as _;

use adagent_sandbox::OFFICIAL_CLIENT_TOKEN;
use reqwest::Method;
use serde_json::json;

use crate::support::{Fixture, account, group};

#[tokio::test]
async fn a_status_fault_is_counted_down_and_keeps_the_write_from_happening() {
    let fixture = Fixture::start().await;
    let path = account("/mediationGroups");
    fixture
        .control("faults", json!({"network": "admob", "operation": "admob_create_mediation_group", "kind": "status", "status": 429, "times": 1}))
        .await;
    let refused = fixture.send(Method::POST, &path, OFFICIAL_CLIENT_TOKEN, Some(group("A"))).await;
    assert_eq!(refused.status(), 429);
    assert!(refused.headers().contains_key("retry-after"));
    fixture.post(&path, group("A")).await;
    let writes = fixture.writes().await;
    assert_eq!((writes[0]["status"].as_u64(), writes[0]["applied"].as_bool()), (Some(429), Some(false)));
    assert_eq!((writes[1]["status"].as_u64(), writes[1]["applied"].as_bool()), (Some(200), Some(true)));
    assert_eq!(writes[1]["operation"], "admob_create_mediation_group");
    assert_eq!(writes[1]["owner"], "demo@sandbox.example");
    assert_eq!(writes[1]["body"]["displayName"], "A");
}

#[tokio::test]
async fn an_applied_status_fault_lies_about_a_write_that_happened() {
    let fixture = Fixture::start().await;
    fixture.control("faults", json!({"kind": "status", "status": 503, "times": 1, "apply": true})).await;
    let (status, _) = fixture.status(Method::POST, &account("/mediationGroups"), group("Ghost")).await;
    assert_eq!(status, 503);
    let found = fixture.get(&account("/mediationGroups?filter=IN(DISPLAY_NAME,%22Ghost%22)")).await;
    assert_eq!(found["mediationGroups"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn broken_answers_break_the_reader_only() {
    let fixture = Fixture::start().await;
    for kind in ["truncate", "malformed"] {
        fixture.control("faults", json!({"operation": "admob_list_apps", "kind": kind, "times": 1})).await;
        let answer = fixture.send(Method::GET, &account("/apps"), OFFICIAL_CLIENT_TOKEN, None).await;
        assert!(answer.json::<serde_json::Value>().await.is_err(), "{kind}");
    }
    fixture.control("faults", json!({"operation": "admob_list_apps", "kind": "stall", "times": 1})).await;
    let stalled = fixture.send(Method::GET, &account("/apps"), OFFICIAL_CLIENT_TOKEN, None).await;
    let waited = tokio::time::timeout(std::time::Duration::from_millis(300), stalled.bytes()).await;
    assert!(waited.is_err(), "a stalled answer does not end");
    assert!(fixture.get(&account("/apps")).await["apps"].is_array());
}

#[tokio::test]
async fn a_fault_that_makes_no_sense_is_refused() {
    let fixture = Fixture::start().await;
    for fault in [
        json!({"kind": "status", "times": 1}),
        json!({"kind": "delay"}),
        json!({"kind": "stall", "operation": "nonsense"}),
        json!({"kind": "stall", "times": 0}),
        json!({"kind": "explode"}),
    ] {
        let (status, _) = fixture.status(Method::POST, "/__sandbox/faults", fault.clone()).await;
        assert_eq!(status, 400, "{fault}");
    }
}

#[tokio::test]
async fn an_empty_quota_answers_429_and_fills_with_the_clock() {
    let fixture = Fixture::start().await;
    fixture.control("quota", json!({"burst": 1, "per_minute": 6})).await;
    fixture.get(&account("/apps")).await;
    let refused = fixture.send(Method::GET, &account("/apps"), OFFICIAL_CLIENT_TOKEN, None).await;
    assert_eq!(refused.status(), 429);
    let wait: i64 = refused.headers()["retry-after"].to_str().unwrap().parse().unwrap();
    assert_eq!(refused.json::<serde_json::Value>().await.unwrap()["error"]["status"], "RESOURCE_EXHAUSTED");
    fixture.advance(wait);
    fixture.get(&account("/apps")).await;
}

#[tokio::test]
async fn what_was_written_survives_a_restart_and_a_torn_line() {
    let fixture = Fixture::start().await;
    let tokens = fixture.control("grant", json!({"network": "admob"})).await;
    let made = fixture.post(&account("/mediationGroups"), group("Kept")).await;
    let log = fixture.folder.path().join("sandbox.jsonl");
    let mut file = OpenOptions::new().append(true).open(log).unwrap();
    file.write_all(b"{\"kind\":\"write\",\"rec").unwrap();
    let fixture = fixture.reopen().await;
    assert_eq!(fixture.writes().await.len(), 1);
    let path = account("/mediationGroups?filter=IN(DISPLAY_NAME,%22Kept%22)");
    let answer = fixture.send(Method::GET, &path, tokens["access_token"].as_str().unwrap(), None).await;
    assert_eq!(answer.json::<serde_json::Value>().await.unwrap()["mediationGroups"][0], made);
    fixture.post(&account("/mediationGroups"), group("After")).await;
    let fixture = fixture.reopen().await;
    assert_eq!(fixture.writes().await.len(), 2);
    fixture.control("reset", json!({})).await;
    let fixture = fixture.reopen().await;
    assert!(fixture.writes().await.is_empty());
    let answer = fixture.send(Method::GET, &path, tokens["access_token"].as_str().unwrap(), None).await;
    assert_eq!(answer.json::<serde_json::Value>().await.unwrap(), json!({}), "the group is gone, the consent is not");
}

#[tokio::test]
async fn a_delayed_write_has_happened_before_its_answer_and_does_not_hold_the_stop() {
    let fixture = Fixture::start().await;
    let fault = json!({"operation": "admob_create_mediation_group", "kind": "delay", "ms": 60_000});
    fixture.control("faults", fault).await;
    let path = account("/mediationGroups");
    let waiting = fixture.send(Method::POST, &path, OFFICIAL_CLIENT_TOKEN, Some(group("Late")));
    let waited = tokio::time::timeout(std::time::Duration::from_millis(300), waiting).await;
    assert!(waited.is_err(), "the answer is late");
    assert_eq!(fixture.writes().await[0]["applied"], true);
    let fixture = tokio::time::timeout(std::time::Duration::from_secs(5), fixture.reopen()).await.unwrap();
    assert_eq!(fixture.writes().await.len(), 1);
}
