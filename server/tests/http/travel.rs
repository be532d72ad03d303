//! Checkpoints over the public API: list, look at, compare, fork; links in both directions.

use serde_json::{Value, json};

use crate::harness::{Caller, TestApp, of};

const CREATE: &str = "Create a mediation group for Puzzle Game on Android banner with AppLovin and Unity bidding";

/// Returns a run with an approved and sent change, and its checkpoints.
async fn written(ada: &Caller<'_>) -> (String, Vec<Value>) {
    let asked = ada.ask(json!({"message": CREATE})).await;
    let id = &of(&asked, "tool_approval_required")["approval_id"];
    let body = json!({"approval_id": id, "approved": true});
    let after = ada.stream(ada.request("POST", "/chat/approve-tool").json(&body)).await;
    assert_eq!(of(&after, "done")["status"], "completed");
    let run = asked[0]["run_id"].as_str().unwrap().to_owned();
    let saved = ada.get(&format!("/api/runs/{run}/checkpoints")).await.json()["items"].as_array().unwrap().clone();
    (run, saved)
}

/// Returns the events of a fork until it is over or waits for a person.
async fn events(ada: &Caller<'_>, run: &str) -> Vec<Value> {
    ada.stream(ada.request("GET", &format!("/api/runs/{run}/events"))).await
}

#[tokio::test]
async fn saved_states_are_compared_and_forked_and_a_fork_never_sends_again() {
    for app in TestApp::both().await {
        let ada = app.explorer("ada").await;
        let (run, saved) = written(&ada).await;
        assert_eq!(app.writes().await.len(), 1);
        let path = |state: &Value| format!("/api/runs/{run}/checkpoints/{}", state["id"].as_str().unwrap());
        let (first, last) = (&saved[0], saved.last().unwrap());

        let since = ada.get(&format!("{}/compare?from={}", path(last), first["id"].as_str().unwrap())).await.json();
        assert_eq!((&since["from"]["step"], &since["to"]["step"]), (&first["step"], &last["step"]));
        let changes = since["changes"].as_array().unwrap();
        let node = changes.iter().find(|change| change["path"] == "/node").unwrap();
        assert_eq!((&node["before"], &node["after"]), (&first["node"], &json!("end")));
        let begun = ada.get(&format!("{}/compare", path(first))).await.json();
        assert_eq!(begun["from"], Value::Null);
        assert!(begun["changes"].as_array().unwrap().iter().all(|change| change.get("before").is_none()));
        assert_eq!(ada.get(&format!("{}/compare?from=nonsense", path(last))).await.pointer(), "/from");

        let forked = ada.post(&format!("{}/fork", path(last)), json!({"message": "List my apps"})).await;
        assert_eq!(forked.status, 201);
        let fork = forked.json()["run_id"].as_str().unwrap().to_owned();
        assert_eq!(of(&events(&ada, &fork).await, "done")["status"], "completed");
        let view = ada.get(&format!("/api/runs/{fork}")).await.json();
        assert_eq!((view["question"].as_str(), view["parent"]["run_id"].as_str()), (Some("List my apps"), Some(&*run)));
        assert_eq!(view["parent"]["step"], last["step"]);
        let parent = ada.get(&format!("/api/runs/{run}")).await.json();
        assert_eq!(parent["forks"][0]["run_id"], fork.as_str());
        let kinds: Vec<&str> = parent["steps"].as_array().unwrap().iter().filter_map(|s| s["kind"].as_str()).collect();
        assert!(["node", "tool", "person"].iter().all(|kind| kinds.contains(kind)), "{kinds:?}");

        // In this checkpoint, the change is pending. With other arguments, the fork asks again, and nothing is sent without
        // approval.
        let mut waiting = None;
        for state in &saved {
            let detail = ada.get(&path(state)).await.json();
            let calls = detail["state"]["calls"].as_array().unwrap();
            if calls.iter().any(|call| call["state"]["is"] == "waiting") {
                waiting = Some(state);
            }
        }
        let waiting = waiting.expect("a state was saved before the question was put");
        let asked = of(&events(&ada, &run).await, "tool_approval_required").clone();
        let mut args = asked["tool_input"].clone();
        args["body"]["displayName"] = "From a fork".into();
        let body = json!({"tool_call_id": asked["tool_call_id"], "args": args});
        let again = ada.post(&format!("{}/fork", path(waiting)), body).await;
        assert_eq!(again.status, 201, "{}", again.json());
        let asks = events(&ada, again.json()["run_id"].as_str().unwrap()).await;
        assert_eq!(of(&asks, "tool_approval_required")["tool_input"]["body"]["displayName"], "From a fork");
        assert_eq!(app.writes().await.len(), 1);

        let both = json!({"message": "x", "args": {}});
        assert_eq!(ada.post(&format!("{}/fork", path(last)), both).await.pointer(), "/args");
        let bob = app.person("bob").await;
        assert_eq!(bob.get(&format!("{}/compare", path(last))).await.status, 404);
        app.stop().await;
    }
}

#[tokio::test]
async fn a_conversation_is_kept_and_let_go() {
    let app = TestApp::sqlite().await;
    let ada = app.explorer("ada").await;
    let session = ada.ask(json!({"message": "List my apps"})).await[0]["session_id"].as_str().unwrap().to_owned();
    let path = format!("/api/chat/sessions/{session}");
    for kept in [true, false] {
        let answer = ada.send("PATCH", &path, Some(json!({"kept": kept}))).await;
        assert_eq!((answer.status, answer.json()["kept"].as_bool()), (200, Some(kept)));
        assert_eq!(ada.get(&path).await.json()["kept"], kept);
    }
    app.stop().await;
}
