//! Sign up, explore, ask, approve with changes, deny: only with the public API.

use serde_json::{Value, json};

use crate::harness::{Caller, TestApp, config, of};

const CREATE: &str = "Create a mediation group for Puzzle Game on Android banner with AppLovin and Unity bidding";

async fn approval(caller: &Caller<'_>) -> Value {
    of(&caller.ask(json!({"message": CREATE})).await, "tool_approval_required").clone()
}

#[tokio::test]
async fn a_question_is_answered_with_the_sandboxs_truth_and_a_change_happens_once_as_approved() {
    for app in TestApp::both().await {
        let ada = app.explorer("ada").await;
        let yesterday = {
            let today: jiff::civil::Date =
                ada.get("/api/sandbox").await.json()["today"].as_str().unwrap().parse().unwrap();
            today.yesterday().unwrap()
        };
        let events = ada.ask(json!({"message": "What was my revenue yesterday?"})).await;
        let truth = app
            .sandbox(&format!("/__sandbox/truth?network=admob&from={yesterday}&to={yesterday}&metric=revenue"))
            .await;
        let micros = truth["micros"].as_i64().unwrap();
        let figure = adagent_domain::Money::new(adagent_domain::Currency::USD, micros).to_string();
        assert!(
            of(&events, "result")["content"].as_str().unwrap().contains(&figure),
            "{figure}: {}",
            of(&events, "result")
        );
        assert_eq!(of(&events, "done")["status"], "completed");
        let seqs: Vec<u64> = events.iter().map(|event| event["seq"].as_u64().unwrap()).collect();
        assert_eq!(seqs, (1..=seqs.len() as u64).collect::<Vec<_>>());

        // A reader that reconnects in the middle misses nothing.
        let run = events[0]["run_id"].as_str().unwrap();
        let path = format!("/api/runs/{run}/events");
        let rest = ada.stream(ada.request("GET", &path).header("last-event-id", "5")).await;
        assert_eq!(rest, events[5..]);
        assert_eq!(ada.stream(ada.request("GET", &format!("{path}?after=5"))).await, events[5..]);

        let asked = approval(&ada).await;
        assert!(app.writes().await.is_empty());
        let id = asked["approval_id"].as_str().unwrap();
        let inbox = ada.get("/api/approvals?status=pending").await.json();
        assert_eq!(inbox["items"][0]["id"], id);
        let mut edited = asked["tool_input"].clone();
        edited["body"]["displayName"] = "Edited by hand".into();
        let body = json!({"approval_id": id, "approved": true, "edited_args": edited});
        let after = ada.stream(ada.request("POST", "/chat/approve-tool").json(&body)).await;
        assert_eq!(after[0]["type"], "tool_approval_answered");
        // Title and table describe what was sent, in the event and in the inbox.
        let sent = &after[0]["sent"];
        assert!(sent["title"].as_str().unwrap().contains("Edited by hand"), "{sent}");
        assert!(sent["preview"].to_string().contains("Edited by hand"), "{sent}");
        assert_eq!(&ada.get(&format!("/api/approvals/{id}")).await.json()["sent"], sent);
        assert_eq!(of(&after, "done")["status"], "completed");
        let writes = app.writes().await;
        assert_eq!(writes.len(), 1, "{writes:?}");
        assert!(writes[0].to_string().contains("Edited by hand"));
        let again = ada.post("/chat/approve-tool", body).await;
        assert_eq!((again.status, again.code().as_str()), (409, "approval_already_answered"));

        let denied = approval(&ada).await;
        let body = json!({"approval_id": denied["approval_id"], "approved": false, "reason": "not now"});
        let after = ada.stream(ada.request("POST", "/chat/approve-tool").json(&body)).await;
        of(&after, "tool_denied");
        assert_eq!(app.writes().await.len(), 1);

        let sessions = ada.get("/api/chat/sessions").await.json();
        let session = sessions["items"].as_array().unwrap().last().unwrap()["id"].as_str().unwrap().to_owned();
        let thread = ada.get(&format!("/api/chat/sessions/{session}/messages")).await.json();
        assert_eq!(thread["items"][0]["turn"]["answered"], true);
        for path in [
            format!("/api/runs/{run}"),
            "/api/runs".into(),
            format!("/api/runs/{run}/checkpoints"),
            "/api/me".into(),
            "/api/providers".into(),
        ] {
            assert_eq!(ada.get(&path).await.status, 200, "{path}");
        }
        app.stop().await;
    }
}

#[tokio::test]
async fn of_two_answers_at_once_one_wins_and_one_gets_409() {
    for app in TestApp::both().await {
        let ada = app.explorer("ada").await;
        let asked = approval(&ada).await;
        let answer = || {
            let body = json!({"approval_id": asked["approval_id"], "approved": true});
            ada.request("POST", "/chat/approve-tool").json(&body).send()
        };
        let (one, two) = tokio::join!(answer(), answer());
        let (one, two) = (one.unwrap(), two.unwrap());
        let mut statuses = [one.status().as_u16(), two.status().as_u16()];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 409]);
        let winner = if one.status() == 200 { one } else { two };
        assert!(winner.text().await.unwrap().contains("event: done"));
        assert_eq!(app.writes().await.len(), 1);
        app.stop().await;
    }
}

#[tokio::test]
async fn a_message_beside_a_waiting_approval_is_answered_and_the_approval_stays() {
    for app in TestApp::both().await {
        let ada = app.explorer("ada").await;
        let events = ada.ask(json!({"message": CREATE})).await;
        let (session, run) = (&events[0]["session_id"], events[0]["run_id"].as_str().unwrap());
        let asked = of(&events, "tool_approval_required");
        let beside = ada.ask(json!({"message": "List my apps", "session_id": session})).await;
        assert_eq!(of(&beside, "done")["status"], "completed");
        assert_eq!(ada.get(&format!("/api/runs/{run}")).await.json()["status"], "awaiting_approval");
        assert_eq!(ada.get("/api/approvals?status=pending").await.json()["items"][0]["id"], asked["approval_id"]);
        // Asking for the same change again in the same chat adds no second card. A different change does, and its answer mentions
        // the pending card.
        let again = ada.ask(json!({"message": CREATE, "session_id": session})).await;
        assert!(!again.iter().any(|event| event["type"] == "tool_approval_required"), "{again:#?}");
        let other = "Create a mediation group for Puzzle Game on Android banner with AppLovin bidding";
        let other = ada.ask(json!({"message": other, "session_id": session})).await;
        let warnings = of(&other, "tool_approval_required")["warnings"].to_string();
        assert!(warnings.contains("was also pending approval"), "{warnings}");
        // `remember` is part of the API, but the other card still needs its own answer.
        let body = json!({"approval_id": asked["approval_id"], "approved": true, "remember": true});
        let after = ada.stream(ada.request("POST", "/chat/approve-tool").json(&body)).await;
        assert_eq!(of(&after, "done")["status"], "completed");
        assert_eq!(app.writes().await.len(), 1);
        assert_eq!(ada.get("/api/activity").await.json(), json!({"pending_approvals": 1}));
        app.stop().await;
    }
}

#[tokio::test]
async fn a_restart_while_an_approval_waits_loses_nothing() {
    let app = TestApp::sqlite().await;
    let (asked, cookie) = {
        let ada = app.explorer("ada").await;
        let asked = approval(&ada).await;
        let cookie = ada.cookie.lock().unwrap().clone();
        (asked, cookie)
    };
    let folder = app.stop().await.unwrap();
    let app = TestApp::run(config(folder.path(), None), Some(folder)).await;
    let ada = app.caller();
    *ada.cookie.lock().unwrap() = cookie;
    let body = json!({"approval_id": asked["approval_id"], "approved": true});
    let after = ada.stream(ada.request("POST", "/chat/approve-tool").json(&body)).await;
    assert_eq!(of(&after, "done")["status"], "completed");
    assert_eq!(app.writes().await.len(), 1);
}

#[tokio::test]
async fn what_a_change_leaves_out_of_the_question_stands_on_its_card() {
    let app = TestApp::sqlite().await;
    let ada = app.explorer("ada").await;
    let wish = "create banner ad unit Footer 2 for Word Quest Android in AdMob, 50 coins";
    let asked = of(&ada.ask(json!({"message": wish})).await, "tool_approval_required").clone();
    assert!(asked["warnings"].to_string().contains("Not part of this change: 50 coins"), "{asked}");
    app.stop().await;
}
