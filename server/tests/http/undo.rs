//! Undoing a change: proposed from what the network said before, and approved like any other change.

use adagent_domain::Network;
use serde_json::{Value, json};

use crate::harness::{Caller, TestApp, of};

const CREATE: &str = "Create a mediation group for Puzzle Game on Android banner with AppLovin and Unity bidding";
const TURN_OFF: &str = "Turn off AppLovin in the Puzzle Game banner mediation group";

async fn answered(caller: &Caller<'_>, asked: &Value, approved: bool) -> Vec<Value> {
    let body = json!({"approval_id": asked["approval_id"], "approved": approved});
    caller.stream(caller.request("POST", "/chat/approve-tool").json(&body)).await
}

/// Returns the approval of a run once it is pending.
async fn asked_by(caller: &Caller<'_>, run: &str) -> Value {
    let events = caller.stream(caller.request("GET", &format!("/api/runs/{run}/events"))).await;
    of(&events, "tool_approval_required").clone()
}

fn undo_of(asked: &Value) -> String {
    format!("/api/approvals/{}/undo", asked["approval_id"].as_str().unwrap())
}

/// Returns the states of the mediation group's lines that a change names.
fn states(change: &Value) -> Vec<&Value> {
    let lines = change["body"]["mediationGroupLines"].as_object();
    lines.into_iter().flatten().map(|(_, line)| &line["state"]).collect()
}

#[tokio::test]
async fn a_change_is_put_back_by_another_one_that_is_approved() {
    for app in TestApp::both().await {
        let ada = app.explorer("ada").await;
        let group = ada.ask(json!({"message": CREATE})).await;
        let created = of(&group, "tool_approval_required").clone();
        assert!(created["preview"].get("back").is_none(), "a creation has no way back: {created}");
        answered(&ada, &created, true).await;
        let no = ada.post(&undo_of(&created), json!({})).await;
        assert_eq!(no.status, 409, "{}", no.text);
        assert!(no.text.contains("was there before"), "{}", no.text);

        let change = ada.ask(json!({"message": TURN_OFF})).await;
        let asked = of(&change, "tool_approval_required").clone();
        let back = &asked["preview"]["back"];
        assert_eq!((states(&asked["tool_input"]), states(back)), (vec![&json!("DISABLED")], vec![&json!("ENABLED")]));
        let early = ada.post(&undo_of(&asked), json!({})).await;
        assert_eq!(early.status, 409, "nothing was sent yet: {}", early.text);
        answered(&ada, &asked, true).await;
        let before = app.writes().await.len();

        let other = app.explorer("eve").await;
        assert_eq!(other.post(&undo_of(&asked), json!({})).await.status, 404, "another person's");

        let first = ada.post(&undo_of(&asked), json!({})).await;
        assert_eq!(first.status, 202, "{}", first.text);
        let run = first.json()["run_id"].as_str().unwrap().to_owned();
        let proposed = asked_by(&ada, &run).await;
        assert_eq!(proposed["tool_name"], "admob_update_mediation_group");
        assert_eq!(states(&proposed["tool_input"]), [&json!("ENABLED")]);
        assert!(!proposed["warnings"].to_string().contains("Not part of this change"), "{proposed}");
        assert_eq!(app.writes().await.len(), before, "nothing is sent unasked");
        let second = ada.post(&undo_of(&asked), json!({})).await;
        assert_eq!(second.status, 409, "one waits already: {}", second.text);
        let keyed = ada.request("POST", &undo_of(&asked)).header("idempotency-key", "other").send().await.unwrap();
        assert_eq!(keyed.status(), 409, "also with a key");

        let after = answered(&ada, &proposed, true).await;
        assert_eq!(of(&after, "done")["status"], "completed", "{after:#?}");
        let writes = app.writes().await;
        assert_eq!(writes.len(), before + 1);
        let told = of(&after, "result")["content"].as_str().unwrap();
        assert!(!told.is_empty() && !told.contains("Undo"), "{told}");

        let again = ada.post(&undo_of(&asked), json!({})).await;
        assert_eq!(again.status, 409, "{}", again.text);
        assert!(again.text.contains("already undone"), "{}", again.text);
        // The undo itself can be undone. After that, the first change holds and can be undone again.
        let back = ada.post(&undo_of(&proposed), json!({})).await;
        assert_eq!(back.status, 202, "{}", back.text);
        let redone = asked_by(&ada, back.json()["run_id"].as_str().unwrap()).await;
        answered(&ada, &redone, true).await;
        let once_more = ada.post(&undo_of(&asked), json!({})).await;
        assert_eq!(once_more.status, 202, "{}", once_more.text);
        app.stop().await;
    }
}

#[tokio::test]
async fn a_denied_change_has_nothing_to_undo_and_a_key_is_answered_once() {
    let app = TestApp::sqlite().await;
    let ada = app.explorer("ada").await;
    let group = ada.ask(json!({"message": CREATE})).await;
    answered(&ada, of(&group, "tool_approval_required"), true).await;
    let change = ada.ask(json!({"message": TURN_OFF})).await;
    let denied = of(&change, "tool_approval_required").clone();
    answered(&ada, &denied, false).await;
    let no = ada.post(&undo_of(&denied), json!({})).await;
    assert_eq!(no.status, 409, "{}", no.text);

    let change = ada.ask(json!({"message": TURN_OFF})).await;
    let made = of(&change, "tool_approval_required").clone();
    answered(&ada, &made, true).await;
    let undo = || ada.request("POST", &undo_of(&made)).header("idempotency-key", "once").send();
    let (one, two) = tokio::join!(undo(), undo());
    let (one, two): (Value, Value) = (one.unwrap().json().await.unwrap(), two.unwrap().json().await.unwrap());
    assert_eq!(one["run_id"], two["run_id"]);
    assert!(one["run_id"].is_string(), "{one}");
}

#[tokio::test]
async fn what_was_created_is_taken_away_where_the_network_has_a_way() {
    let app = TestApp::sqlite().await;
    let ada = app.person("ada").await;
    let all: Vec<&str> = Network::ALL.map(Network::id).to_vec();
    assert_eq!(ada.post("/api/sandbox/explore", json!({"networks": all})).await.status, 200);
    let made = ada.ask(json!({"message": "Create an Ad Manager placement called \"Home screens\""})).await;
    let created = of(&made, "tool_approval_required").clone();
    assert_eq!(created["preview"]["unmade_by"], "admanager_batch_archive_placements", "{created}");
    let asked = format!("/desk/change-state?id={}", created["approval_id"].as_str().unwrap());
    let state = async || ada.request("GET", &asked).send().await.unwrap().json::<Value>().await.unwrap();
    assert_eq!(state().await, "not_made");
    answered(&ada, &created, true).await;
    assert_eq!(state().await, "made");

    let first = ada.post(&undo_of(&created), json!({})).await;
    assert_eq!(first.status, 202, "{}", first.text);
    let proposed = asked_by(&ada, first.json()["run_id"].as_str().unwrap()).await;
    assert_eq!(proposed["tool_name"], "admanager_batch_archive_placements");
    assert!(proposed["title"].as_str().unwrap().contains("Home screens"), "{proposed}");
    assert_eq!(state().await, "made", "nothing is sent before somebody approves it");
    let after = answered(&ada, &proposed, true).await;
    assert_eq!(of(&after, "done")["status"], "completed", "{after:#?}");
    assert_eq!(state().await, "undone");
    assert_eq!(ada.post(&undo_of(&created), json!({})).await.status, 409);
    app.stop().await;
}
