//! What credentials may do: the server shows it, and says so before anybody tries. Finding out changes nothing at the network.

use serde_json::{Value, json};

use crate::{
    harness::{Caller, TestApp, of},
    networks::{provider, signed_in_with},
};

async fn lesser(app: &TestApp, network: &str, standing: &str) -> Value {
    let base = &app.running.sandbox.as_ref().unwrap().base_url;
    let request = reqwest::Client::new().post(format!("{base}/__sandbox/grant"));
    let answer = request.json(&json!({"network": network, "standing": standing})).send().await.unwrap();
    answer.json::<Value>().await.unwrap()["fields"].clone()
}

fn abilities(view: &Value) -> [&str; 3] {
    ["read", "report", "write"]
        .map(|what| view["abilities"][what]["ability"].as_str().unwrap_or_else(|| panic!("{view}")))
}

async fn connect(caller: &Caller<'_>, network: &str, fields: Value) -> Value {
    let answer = caller.post(&format!("/api/networks/{network}"), fields).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()
}

#[tokio::test]
async fn keys_that_open_less_are_told_and_nothing_is_written_to_find_out() {
    for app in TestApp::both().await {
        let ada = app.person("ada").await;
        let whole = connect(&ada, "mintegral", lesser(&app, "mintegral", "valid").await).await;
        assert_eq!(abilities(&whole), ["yes", "yes", "not_known"]);
        let none = connect(&ada, "mintegral", lesser(&app, "mintegral", "no_reports").await).await;
        assert_eq!(abilities(&none), ["yes", "no", "not_known"]);
        assert!(none["abilities"]["report"]["why"].as_str().unwrap().contains("No Access"), "{none}");
        let events = ada.ask(json!({"message": "Mintegral revenue yesterday"})).await;
        let told = of(&events, "result")["content"].as_str().unwrap();
        assert!(told.contains("can't read reports"), "{told}");
        let seen = app.sandbox("/__sandbox/requests?network=mintegral").await;
        let reports = seen.to_string().matches("mintegral_get_report").count();
        assert!(reports <= 2, "asked when connecting, and not again: {seen}");
        assert!(app.sandbox("/__sandbox/writes?network=mintegral").await["items"].as_array().unwrap().is_empty());
        app.stop().await;
    }
}

#[tokio::test]
async fn a_sign_in_that_grants_less_is_told_before_a_change_is_tried() {
    for app in TestApp::both().await {
        let ada = app.person("ada").await;
        let scopes = ["https://www.googleapis.com/auth/admob.readonly", "https://www.googleapis.com/auth/admob.report"];
        signed_in_with(&ada, "admob", "demo@sandbox.example", Some(&scopes)).await;
        let mut view = provider(&ada, "admob").await;
        if view["state"] == "choose_account" {
            let id = view["id"].as_str().unwrap().to_owned();
            let accounts: Vec<Value> = view["accounts"].as_array().unwrap().iter().map(|it| it["id"].clone()).collect();
            let body = json!({"account_ids": accounts});
            assert_eq!(ada.send("PUT", &format!("/api/providers/{id}/accounts"), Some(body)).await.status, 200);
            view = provider(&ada, "admob").await;
        }
        assert_eq!(abilities(&view), ["yes", "yes", "no"]);
        let wish = "Create a mediation group for Puzzle Game on Android banner with AppLovin and Unity bidding";
        let events = ada.ask(json!({"message": wish})).await;
        assert_eq!(events.last().unwrap()["type"], "done", "nobody is asked to approve it: {events:#?}");
        let told = of(&events, "result")["content"].as_str().unwrap();
        assert!(
            told.contains("can only read") && told.contains("/settings/networks?connect=admob&connection="),
            "{told}"
        );
        assert!(app.writes().await.is_empty());
        let answer = ada.ask(json!({"message": "What was my revenue yesterday?"})).await;
        assert!(of(&answer, "result")["content"].as_str().unwrap().contains('$'), "{answer:#?}");
        app.stop().await;
    }
}

#[tokio::test]
async fn a_refused_change_is_remembered_warned_of_and_forgotten_by_a_test() {
    let app = TestApp::sqlite().await;
    let ada = app.person("ada").await;
    connect(&ada, "applovin", lesser(&app, "applovin", "read_only").await).await;
    let wish = json!({"message": "Create a banner ad unit called \"Menu\" on AppLovin for the Android package com.acme.puzzle"});
    let events = ada.ask(wish.clone()).await;
    let asked = of(&events, "tool_approval_required").clone();
    assert_eq!(asked["warnings"], json!([]), "{asked}");
    let body = json!({"approval_id": asked["approval_id"], "approved": true});
    let after = ada.stream(ada.request("POST", "/chat/approve-tool").json(&body)).await;
    assert_eq!(after.iter().find(|event| event["type"] == "tool_result").unwrap()["ok"], false, "{after:#?}");
    let view = provider(&ada, "applovin").await;
    assert_eq!(abilities(&view), ["yes", "yes", "refused"], "{view}");
    let again = ada.ask(wish).await;
    let warned = of(&again, "tool_approval_required")["warnings"].to_string();
    assert!(warned.contains("rejected the last change through this connection"), "{warned}");
    let tested = ada.post("/api/networks/applovin/test", json!({})).await;
    assert_eq!(tested.status, 200, "{}", tested.text);
    assert_eq!(abilities(&tested.json()), ["yes", "yes", "not_known"]);
}

#[tokio::test]
async fn removing_a_connection_takes_back_what_waits_for_it() {
    for app in TestApp::both().await {
        let ada = app.explorer("ada").await;
        let wish = "Create a mediation group for Puzzle Game on Android banner with AppLovin and Unity bidding";
        let events = ada.ask(json!({"message": wish})).await;
        let asked = of(&events, "tool_approval_required").clone();
        let (run, approval) = (events[0]["run_id"].as_str().unwrap(), asked["approval_id"].as_str().unwrap());
        let id = provider(&ada, "admob").await["id"].as_str().unwrap().to_owned();
        assert_eq!(ada.send("DELETE", &format!("/api/providers/{id}"), None).await.status, 204);
        let kept = ada.get(&format!("/api/approvals/{approval}")).await.json();
        assert_eq!(kept["status"], "cancelled", "{kept}");
        assert_eq!(kept["reason"], "ada disconnected AdMob, so this can no longer be sent.");
        let body = json!({"approval_id": approval, "approved": true});
        assert_eq!(ada.post("/chat/approve-tool", body).await.status, 409);
        let request = ada.request("GET", &format!("/api/runs/{run}/events"));
        let told = ada.stream(request).await;
        assert!(told.iter().any(|event| event["type"] == "tool_approval_required"), "{told:#?}");
        let request = ada.request("GET", &format!("/api/runs/{run}/events?after={}", asked["seq"]));
        let after = ada.stream(request).await;
        assert_eq!(
            after.iter().find(|event| event["type"] == "tool_approval_answered").unwrap()["status"],
            "cancelled"
        );
        assert!(app.writes().await.is_empty());
        app.stop().await;
    }
}

#[tokio::test]
async fn an_approved_change_does_not_leave_through_keys_given_since() {
    let app = TestApp::sqlite().await;
    let ada = app.person("ada").await;
    connect(&ada, "applovin", lesser(&app, "applovin", "valid").await).await;
    let wish = json!({"message": "Create a banner ad unit called \"Menu\" on AppLovin for the Android package com.acme.puzzle"});
    let events = ada.ask(wish).await;
    let asked = of(&events, "tool_approval_required").clone();
    connect(&ada, "applovin", lesser(&app, "applovin", "read_only").await).await;
    let body = json!({"approval_id": asked["approval_id"], "approved": true});
    let after = ada.stream(ada.request("POST", "/chat/approve-tool").json(&body)).await;
    let last = after.last().unwrap();
    assert_eq!(last["type"], "tool_approval_required", "it is asked anew, with where it goes now: {after:#?}");
    assert!(app.sandbox("/__sandbox/writes?network=applovin").await["items"].as_array().unwrap().is_empty());
}
