//! Cards that are answered too late or twice, and a denial's reason, which the assistant reads.

use serde_json::{Value, json};

use crate::harness::{Caller, TestApp, of};

const CREATE: &str = "Create a mediation group for Puzzle Game on Android banner with AppLovin and Unity bidding";
const TURN_OFF: &str = "Turn off AppLovin in the Puzzle Game banner mediation group";

async fn answered(caller: &Caller<'_>, body: Value) -> Vec<Value> {
    caller.stream(caller.request("POST", "/chat/approve-tool").json(&body)).await
}

async fn approved(caller: &Caller<'_>, asked: &Value) -> Vec<Value> {
    answered(caller, json!({"approval_id": asked["approval_id"], "approved": true})).await
}

fn asks(events: &[Value]) -> usize {
    events.iter().filter(|event| event["type"] == "tool_approval_required").count()
}

#[tokio::test]
async fn a_card_that_comes_too_late_ends_as_nothing_sent() {
    for app in TestApp::both().await {
        let (ada, eve) = (app.explorer("ada").await, app.explorer("eve").await);
        approved(&ada, of(&ada.ask(json!({"message": CREATE})).await, "tool_approval_required")).await;
        let late = ada.ask(json!({"message": TURN_OFF})).await;
        let late = of(&late, "tool_approval_required").clone();
        // Another person with the same AdMob account is faster.
        approved(&eve, of(&eve.ask(json!({"message": TURN_OFF})).await, "tool_approval_required")).await;
        let writes = app.writes().await.len();

        let after = approved(&ada, &late).await;
        assert_eq!(app.writes().await.len(), writes, "nothing is sent");
        assert_eq!(of(&after, "done")["status"], "completed", "{after:#?}");
        let told = of(&after, "result")["content"].as_str().unwrap();
        assert!(told.starts_with("AdMob already has these values, so nothing was sent"), "{told}");
        let id = late["approval_id"].as_str().unwrap();
        let kept = ada.get(&format!("/api/approvals/{id}")).await.json();
        assert_eq!(
            (&kept["status"], &kept["reason"]),
            (&json!("cancelled"), &json!("Nothing sent: the values are already there."))
        );
        app.stop().await;
    }
}

#[tokio::test]
async fn the_same_change_waits_on_one_card_and_the_answer_leads_to_it() {
    for app in TestApp::both().await {
        let ada = app.explorer("ada").await;
        let first = ada.ask(json!({"message": CREATE})).await;
        let first = of(&first, "tool_approval_required").clone();
        let again = ada.ask(json!({"message": CREATE})).await;
        assert_eq!(asks(&again), 0, "{again:#?}");
        let told = of(&again, "result")["content"].as_str().unwrap();
        assert!(told.starts_with("This change is already waiting for your approval: ["), "{told}");
        assert!(told.contains(first["approval_id"].as_str().unwrap()), "{told}");
        let waiting = ada.get("/api/approvals?status=pending").await.json();
        assert_eq!(waiting["items"].as_array().unwrap().len(), 1);
        app.stop().await;
    }
}

#[tokio::test]
async fn a_denial_says_what_should_be_different_and_gets_it() {
    for app in TestApp::both().await {
        let ada = app.explorer("ada").await;
        let wish = "Create a mediation group for Puzzle Game on Android banner with AppLovin bidding and a $5 floor for InMobi";
        let card = ada.ask(json!({"message": wish})).await;
        let card = of(&card, "tool_approval_required").clone();
        let reason = "too much, make it $4";
        let after =
            answered(&ada, json!({"approval_id": card["approval_id"], "approved": false, "reason": reason})).await;
        let next = of(&after, "tool_approval_required");
        assert!(next["tool_input"].to_string().contains("\"4000000\""), "{next:#}");
        assert!(!next["tool_input"].to_string().contains("\"5000000\""), "{next:#}");
        let id = card["approval_id"].as_str().unwrap();
        let kept = ada.get(&format!("/api/approvals/{id}")).await.json();
        assert_eq!((&kept["status"], &kept["reason"]), (&json!("denied"), &json!(reason)));
        // If the reason names no value, the next answer repeats the reason.
        let body = json!({"approval_id": next["approval_id"], "approved": false, "reason": "the boss looks first"});
        let after = answered(&ada, body).await;
        let told = of(&after, "result")["content"].as_str().unwrap();
        assert!(told.contains("Your reason: “the boss looks first”"), "{told}");
        app.stop().await;
    }
}
