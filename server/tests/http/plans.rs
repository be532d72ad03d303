//! A message that wants several things becomes a plan: approve it as a whole, leave a step out, continue after a failure.

use serde_json::{Value, json};

use crate::harness::{Caller, TestApp, of};

const TWO: &str = "Set the Liftoff floor of Extra Life Rewarded of Puzzle Game on Android to $12.50 and raise the floor of Level \
                   Complete Interstitial for Puzzle Game Android on InMobi to $9.00";

/// Returns a person whose workspace has the sandbox networks of the message.
async fn tries<'a>(app: &'a TestApp, name: &str) -> Caller<'a> {
    let caller = app.person(name).await;
    let connected = caller.post("/api/sandbox/explore", json!({"networks": ["liftoff", "inmobi"]})).await;
    assert_eq!(connected.status, 200);
    caller
}

fn chat(events: &[Value]) -> String {
    of(events, "run_started")["session_id"].as_str().unwrap().to_owned()
}

/// Returns the plan once it has this status.
async fn until(caller: &Caller<'_>, chat: &str, status: &str) -> Value {
    for _ in 0..200 {
        let plan = caller.get(&format!("/api/chat/sessions/{chat}/plan")).await.json();
        if plan["status"] == status {
            return plan;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("{status} never came: {:#}", caller.get(&format!("/api/chat/sessions/{chat}/plan")).await.json());
}

async fn writes(app: &TestApp) -> Vec<Value> {
    app.sandbox("/__sandbox/writes").await["items"].as_array().cloned().unwrap()
}

/// Makes the network refuse this operation the next time.
async fn fails_once(app: &TestApp, network: &str, tool: &Value) {
    let base = &app.running.sandbox.as_ref().unwrap().base_url;
    let fault = json!({"network": network, "operation": tool, "kind": "status", "status": 400, "times": 1});
    let set = reqwest::Client::new().post(format!("{base}/__sandbox/faults")).json(&fault).send().await.unwrap();
    assert_eq!(set.status(), 201, "{}", set.text().await.unwrap());
}

fn statuses(plan: &Value) -> Vec<&str> {
    plan["steps"].as_array().unwrap().iter().map(|step| step["status"].as_str().unwrap()).collect()
}

fn waiting(plan: &Value) -> Vec<Value> {
    let steps = plan["steps"].as_array().unwrap().iter();
    steps.filter(|step| step["status"] == "awaiting_approval").map(|step| step["approval_id"].clone()).collect()
}

#[tokio::test]
async fn a_plan_is_approved_as_it_was_read_and_done_in_its_order() {
    for app in TestApp::both().await {
        let (ada, eve) = (tries(&app, "ada").await, tries(&app, "eve").await);
        let chat =
            chat(&ada.ask(json!({"message": format!("{TWO}, then show me yesterday's revenue by network")})).await);
        let path = format!("/api/chat/sessions/{chat}/plan");
        let plan = until(&ada, &chat, "awaiting_approval").await;
        assert_eq!(statuses(&plan), ["awaiting_approval", "awaiting_approval", "pending"], "{plan:#}");
        assert_eq!((&plan["steps"][0]["network"], &plan["steps"][1]["network"]), (&json!("liftoff"), &json!("inmobi")));
        assert_eq!(writes(&app).await.len(), 0);
        let ids = waiting(&plan);

        for (method, path, body) in [
            ("GET", path.clone(), None),
            ("POST", format!("{path}/approve"), Some(json!({"approval_ids": ids}))),
            ("POST", format!("{path}/execute"), None),
            ("POST", format!("{path}/steps/1/skip"), None),
        ] {
            assert_eq!(eve.send(method, &path, body).await.status, 404, "{path} of somebody else");
        }
        let half = ada.post(&format!("{path}/approve"), json!({"approval_ids": [ids[0]]})).await;
        assert_eq!((half.status, writes(&app).await.len()), (409, 0), "what was not read is not approved");
        assert_eq!(ada.send("POST", &format!("{path}/execute"), None).await.status, 409);
        assert_eq!(ada.send("POST", &format!("{path}/steps/3/skip"), None).await.status, 409, "it asks nothing");
        assert_eq!(ada.send("POST", &format!("{path}/steps/4/skip"), None).await.status, 404);

        assert_eq!(ada.post(&format!("{path}/approve"), json!({"approval_ids": ids})).await.status, 200);
        let plan = until(&ada, &chat, "completed").await;
        assert_eq!(statuses(&plan), ["completed"; 3], "{plan:#}");
        let sent = writes(&app).await;
        assert_eq!(
            sent.iter().map(|write| write["network"].as_str().unwrap()).collect::<Vec<_>>(),
            ["liftoff", "inmobi"]
        );
        assert_eq!(ada.post(&format!("{path}/approve"), json!({"approval_ids": ids})).await.status, 409);
        app.stop().await;
    }
}

#[tokio::test]
async fn a_step_is_left_out_and_the_rest_is_done() {
    for app in TestApp::both().await {
        let ada = tries(&app, "ada").await;
        let chat = chat(&ada.ask(json!({"message": TWO})).await);
        let path = format!("/api/chat/sessions/{chat}/plan");
        until(&ada, &chat, "awaiting_approval").await;
        let plan = ada.send("POST", &format!("{path}/steps/1/skip"), None).await.json();
        assert_eq!(statuses(&plan)[1], "awaiting_approval", "{plan:#}");
        ada.post(&format!("{path}/approve"), json!({"approval_ids": waiting(&plan)})).await;
        let plan = until(&ada, &chat, "completed").await;
        assert_eq!(statuses(&plan), ["skipped", "completed"], "{plan:#}");
        assert_eq!(writes(&app).await.len(), 1);
        app.stop().await;
    }
}

#[tokio::test]
async fn a_plan_stops_at_a_failure_and_goes_on_from_there() {
    for app in TestApp::both().await {
        let ada = tries(&app, "ada").await;
        let chat = chat(&ada.ask(json!({"message": TWO})).await);
        let path = format!("/api/chat/sessions/{chat}/plan");
        let plan = until(&ada, &chat, "awaiting_approval").await;
        fails_once(&app, "liftoff", &plan["steps"][0]["tool"]).await;
        ada.post(&format!("{path}/approve"), json!({"approval_ids": waiting(&plan)})).await;
        let plan = until(&ada, &chat, "failed").await;
        assert_eq!(statuses(&plan), ["failed", "not_run"], "{plan:#}");
        let received = writes(&app).await;
        assert!(received.iter().all(|write| write["network"] == "liftoff"), "nothing after it was sent: {received:#?}");
        let before = received.len();

        let started = ada.send("POST", &format!("{path}/execute"), None).await;
        assert_eq!(started.status, 202, "{}", started.json());
        let plan = until(&ada, &chat, "awaiting_approval").await;
        assert_eq!(statuses(&plan), ["awaiting_approval"; 2], "nothing is sent unasked: {plan:#}");
        ada.post(&format!("{path}/approve"), json!({"approval_ids": waiting(&plan)})).await;
        until(&ada, &chat, "completed").await;
        assert_eq!(writes(&app).await.len(), before + 2);
        app.stop().await;
    }
}

/// The rest of a plan is proposed once and is no longer a plan: the old one is not proposed again.
#[tokio::test]
async fn what_is_left_of_a_plan_is_asked_for_once() {
    for app in TestApp::both().await {
        let ada = tries(&app, "ada").await;
        let chat = chat(&ada.ask(json!({"message": TWO})).await);
        let path = format!("/api/chat/sessions/{chat}/plan");
        let plan = until(&ada, &chat, "awaiting_approval").await;
        fails_once(&app, "inmobi", &plan["steps"][1]["tool"]).await;
        ada.post(&format!("{path}/approve"), json!({"approval_ids": waiting(&plan)})).await;
        let plan = until(&ada, &chat, "failed").await;
        assert_eq!(statuses(&plan), ["completed", "failed"], "{plan:#}");

        let execute = || async { ada.send("POST", &format!("{path}/execute"), None).await };
        let (one, two) = tokio::join!(execute(), execute());
        assert!([one.status, two.status].contains(&202), "{} {}", one.json(), two.json());
        assert_eq!(execute().await.status, 409, "the chat went on");
        let messages = ada.get(&format!("/api/chat/sessions/{chat}/messages")).await.json();
        assert_eq!(messages["items"].as_array().unwrap().len(), 2, "{messages:#}");
        app.stop().await;
    }
}

/// Undoing one step proposes nothing else of the plan.
#[tokio::test]
async fn a_step_that_is_undone_brings_no_plan_back() {
    for app in TestApp::both().await {
        let ada = tries(&app, "ada").await;
        let chat = chat(&ada.ask(json!({"message": TWO})).await);
        let path = format!("/api/chat/sessions/{chat}/plan");
        let plan = until(&ada, &chat, "awaiting_approval").await;
        ada.post(&format!("{path}/approve"), json!({"approval_ids": waiting(&plan)})).await;
        let plan = until(&ada, &chat, "completed").await;

        let step = plan["steps"][1]["approval_id"].as_str().unwrap();
        let undo = ada.send("POST", &format!("/api/approvals/{step}/undo"), None).await;
        assert_eq!(undo.status, 202, "{}", undo.json());
        let mut cards = Vec::new();
        for _ in 0..200 {
            cards = ada.get("/api/approvals?status=pending").await.json()["items"].as_array().unwrap().clone();
            if !cards.is_empty() {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        let body = json!({"approval_id": cards[0]["id"], "approved": true});
        let events = ada.stream(ada.request("POST", "/chat/approve-tool").json(&body)).await;
        assert_eq!(of(&events, "done")["status"], "completed", "{events:#?}");
        assert!(events.iter().all(|event| event["type"] != "plan"), "{events:#?}");
        assert!(ada.get("/api/approvals?status=pending").await.json()["items"].as_array().unwrap().is_empty());
        app.stop().await;
    }
}
