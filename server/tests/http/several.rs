//! Two accounts of one network in a workspace, only with the public API: add, name, ask, approve, remove.

use adagent_sandbox::credentials::PARTS;
use serde_json::{Value, json};

use crate::{
    harness::{Answer, Caller, TestApp, of},
    networks::provider,
};

/// Returns keys of the sandbox that open one publisher's part of AppLovin.
fn keys(part: &str) -> Value {
    let (_, _, set) = PARTS.iter().find(|(name, ..)| *name == part).unwrap();
    set.fields.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect::<serde_json::Map<_, _>>().into()
}

async fn give(caller: &Caller<'_>, part: &str, target: Value) -> Answer {
    let mut body = keys(part);
    for (name, value) in target.as_object().unwrap() {
        body[name] = value.clone();
    }
    caller.post("/api/networks/applovin", body).await
}

async fn two(caller: &Caller<'_>) -> [String; 2] {
    let first = give(caller, "acme", json!({"label": "Games EU"})).await;
    assert_eq!(first.status, 200, "{}", first.text);
    let second = give(caller, "lexicon", json!({"add": true, "label": "Words"})).await;
    assert_eq!(second.status, 200, "{}", second.text);
    [first, second].map(|answer| answer.json()["id"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn each_is_listed_renamed_replaced_and_removed_by_its_id() {
    for app in TestApp::both().await {
        let (ada, eve) = (app.person("ada").await, app.person("eve").await);
        let [games, words] = two(&ada).await;
        for path in ["/api/providers", "/api/networks"] {
            let all = ada.get(path).await.json();
            let all = all["items"].as_array().unwrap().clone();
            let applovin = all.iter().find(|item| item["network"] == "applovin").unwrap();
            assert_eq!(applovin["id"], games.as_str(), "the first one stands in the fields there were before");
            let each: Vec<_> =
                applovin["connections"].as_array().unwrap().iter().map(|one| (&one["id"], &one["label"])).collect();
            assert_eq!(each, [(&json!(games), &json!("Games EU")), (&json!(words), &json!("Words"))], "{path}");
        }
        let refused = [
            (give(&ada, "lexicon", json!({})).await, 422, "/connection_id"),
            (give(&ada, "lexicon", json!({"add": true, "label": "GAMES eu"})).await, 422, "/label"),
            (give(&ada, "lexicon", json!({"add": true, "connection_id": words})).await, 422, "/add"),
            (give(&ada, "lexicon", json!({"add": "yes"})).await, 422, "/add"),
            (give(&ada, "lexicon", json!({"connection_id": "words"})).await, 422, "/connection_id"),
            (
                ada.send("PATCH", &format!("/api/providers/{words}"), Some(json!({"label": " games EU"}))).await,
                422,
                "/label",
            ),
            (ada.send("PATCH", &format!("/api/providers/{words}"), Some(json!({"label": " "}))).await, 422, "/label"),
        ];
        for (answer, status, pointer) in refused {
            assert_eq!((answer.status, answer.pointer().as_str()), (status, pointer), "{}", answer.text);
        }
        // The same keys are refused a second time, because their numbers would count twice.
        let twice = give(&ada, "acme", json!({"add": true, "label": "Again"})).await;
        assert_eq!(twice.status, 409, "{}", twice.text);
        assert!(twice.text.contains("Games EU"), "{}", twice.text);
        // Another workspace's connection does not exist.
        let foreign = [
            eve.send("PATCH", &format!("/api/providers/{words}"), Some(json!({"label": "Mine"}))).await,
            give(&eve, "lexicon", json!({"connection_id": words})).await,
        ];
        for answer in foreign {
            assert_eq!(answer.status, 404, "{}", answer.text);
        }
        let renamed =
            ada.send("PATCH", &format!("/api/providers/{words}"), Some(json!({"label": "Words & more"}))).await;
        assert_eq!((renamed.status, &renamed.json()["label"]), (200, &json!("Words & more")), "{}", renamed.text);
        let unsaid = ada.post("/api/networks/applovin/test", json!({})).await;
        assert_eq!(unsaid.status, 409, "{}", unsaid.text);
        assert_eq!(ada.post(&format!("/api/providers/{words}/test"), json!({})).await.status, 200);
        let units = |id: &str| format!("/api/providers/{id}/ad-units");
        let (own, other) = (ada.get(&units(&games)).await.json(), ada.get(&units(&words)).await.json());
        let ids = |page: &Value| -> Vec<String> {
            page["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect()
        };
        assert!(!ids(&own).is_empty() && ids(&own).iter().all(|id| !ids(&other).contains(id)));
        // A selection can name only connections of this workspace.
        let context = |id: &str| json!({"mode": "strict", "enabled_connections": {"applovin": [id]}});
        let put = ada.send("PUT", "/api/settings/context", Some(context(&words))).await;
        assert_eq!((put.status, &put.json()["enabled_connections"]["applovin"][0]), (200, &json!(words)));
        let foreign = eve.send("PUT", "/api/settings/context", Some(context(&words))).await;
        assert_eq!((foreign.status, foreign.pointer().as_str()), (422, "/enabled_connections/applovin/0"));
        assert_eq!(ada.send("DELETE", &format!("/api/providers/{games}"), None).await.status, 204);
        let left = provider(&ada, "applovin").await;
        assert_eq!(
            (&left["id"], &left["label"], &left["state"]),
            (&json!(words), &json!("Words & more"), &json!("connected"))
        );
        assert_eq!(ada.post("/api/networks/applovin/test", json!({})).await.status, 200);
        app.stop().await;
    }
}

#[tokio::test]
async fn a_question_reads_both_and_a_change_goes_to_the_one_it_was_approved_for() {
    for app in TestApp::both().await {
        let ada = app.person("ada").await;
        let [games, words] = two(&ada).await;
        let events = ada.ask(json!({"message": "AppLovin revenue last 7 days"})).await;
        let answer = events.iter().rfind(|event| event["type"] == "result").unwrap_or_else(|| panic!("{events:#?}"));
        let told = answer.to_string();
        assert!(told.contains("AppLovin · Games EU") && told.contains("AppLovin · Words"), "{answer:#}");
        let wish = |name: &str, label: &str| {
            json!({"message": format!(
                "Create a banner ad unit called \"{name}\" on AppLovin in {label} for the Android package com.acme.puzzle"
            )})
        };
        let asked = |events: &[Value]| of(events, "tool_approval_required").clone();
        let first = asked(&ada.ask(wish("One", "Games EU")).await);
        let second = asked(&ada.ask(wish("Two", "Words")).await);
        for (approval, label, id) in [(&first, "Games EU", &games), (&second, "Words", &words)] {
            let goes = approval["preview"]["changes"].as_array().unwrap();
            let goes = goes.iter().find(|row| row["before"].is_string() && row["before"] == row["after"]).unwrap();
            assert!(goes["after"].as_str().unwrap().starts_with(&format!("AppLovin · {label} (sandbox)")), "{goes}");
            assert_eq!(approval["ui_hints"]["goes_to"], id.as_str());
        }
        // Removing a connection cancels the approvals that would have used it, and nothing else.
        assert_eq!(ada.send("DELETE", &format!("/api/providers/{games}"), None).await.status, 204);
        let status = async |approval: &Value| {
            let id = approval["approval_id"].as_str().unwrap();
            ada.get(&format!("/api/approvals/{id}")).await.json()
        };
        let withdrawn = status(&first).await;
        assert_eq!(withdrawn["status"], "cancelled", "{withdrawn}");
        assert_eq!(withdrawn["reason"], "ada disconnected AppLovin · Games EU, so this can no longer be sent.");
        assert_eq!(status(&second).await["status"], "pending");
        // The text of the card changed too, so it asks again; then the change goes to its original connection.
        let body = |approval: &Value| json!({"approval_id": approval["approval_id"], "approved": true});
        let mut after = ada.stream(ada.request("POST", "/chat/approve-tool").json(&body(&second))).await;
        if let Some(anew) = after.iter().rfind(|event| event["type"] == "tool_approval_required").cloned() {
            after = ada.stream(ada.request("POST", "/chat/approve-tool").json(&body(&anew))).await;
        }
        let writes = app.sandbox("/__sandbox/writes?network=applovin").await;
        assert_eq!(writes["items"].as_array().unwrap().len(), 1, "{after:#?}");
        assert_eq!(writes["items"][0]["body"]["name"], "Two", "{writes}");
        app.stop().await;
    }
}

#[tokio::test]
async fn a_change_nothing_places_is_asked_about() {
    let app = TestApp::sqlite().await;
    let ada = app.person("ada").await;
    two(&ada).await;
    let wish = "Create a banner ad unit called \"Menu\" on AppLovin for the Android package com.acme.puzzle";
    let events = ada.ask(json!({"message": wish})).await;
    assert!(events.iter().all(|event| event["type"] != "tool_approval_required"), "{events:#?}");
    let answer = events.iter().rfind(|event| event["type"] == "result").unwrap();
    assert!(answer.to_string().contains("**Games EU** or **Words**"), "{answer:#}");
    let session = events[0]["session_id"].as_str().unwrap();
    let events = ada.ask(json!({"message": "In Words", "session_id": session})).await;
    let asked = of(&events, "tool_approval_required");
    assert_eq!(asked["tool_input"]["connection"], "Words", "{asked:#}");
}
