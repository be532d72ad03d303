//! Event streams: they end with the session that opened them, stop when nothing is left to send, and are limited in number.

use std::time::Duration;

use serde_json::{Value, json};

use crate::{
    harness::{Caller, TestApp, of},
    sign_in::{PASSWORD, sign_in},
};

const WISH: &str = "Create a mediation group for Puzzle Game on Android banner with AppLovin and Unity bidding";
const PATIENCE: Duration = Duration::from_secs(40);

/// Starts a run that waits for an approval.
async fn waiting(who: &Caller<'_>) -> (String, Value) {
    let events = who.ask(json!({"message": WISH})).await;
    let asked = of(&events, "tool_approval_required");
    (asked["run_id"].as_str().unwrap().to_owned(), asked["approval_id"].clone())
}

async fn follow(who: &Caller<'_>, run: &str) -> reqwest::Response {
    who.request("GET", &format!("/api/runs/{run}/events")).send().await.unwrap()
}

/// Reads until this text comes.
async fn until(stream: &mut reqwest::Response, told: &str) {
    let mut heard = String::new();
    while !heard.contains(told) {
        let chunk = tokio::time::timeout(PATIENCE, stream.chunk()).await.expect("it is told").unwrap();
        heard.push_str(&String::from_utf8_lossy(&chunk.expect("the stream goes on")));
    }
}

/// Reads to the end.
async fn rest(mut stream: reqwest::Response) -> String {
    let mut heard = String::new();
    while let Some(chunk) = tokio::time::timeout(PATIENCE, stream.chunk()).await.expect("the stream ends").unwrap() {
        heard.push_str(&String::from_utf8_lossy(&chunk));
    }
    heard
}

#[tokio::test]
async fn a_stream_ends_with_the_browser_session_it_was_opened_in() {
    for app in TestApp::both().await {
        let ada = app.explorer("ada").await;
        let (run, approval) = waiting(&ada).await;
        let (elsewhere, _) = sign_in(&app, "ada@example.com", PASSWORD).await;
        let mut stolen = follow(&elsewhere, &run).await;
        until(&mut stolen, "tool_approval_required").await;
        assert_eq!(ada.post("/api/account/sessions/end-others", json!({})).await.status, 200);
        let body = json!({"approval_id": approval, "approved": false});
        ada.stream(ada.request("POST", "/chat/approve-tool").json(&body)).await;
        let heard = rest(stolen).await;
        assert!(!heard.contains("event:"), "told after the end of the session: {heard}");
        // The owner's stream continues to the end.
        assert!(rest(follow(&ada, &run).await).await.contains("event: done"));
        app.stop().await;
    }
}

#[tokio::test]
async fn a_stream_ends_when_the_password_is_changed_elsewhere() {
    let app = TestApp::sqlite().await;
    let ada = app.explorer("ada").await;
    let (run, _) = waiting(&ada).await;
    let (elsewhere, _) = sign_in(&app, "ada@example.com", PASSWORD).await;
    let mut stolen = follow(&elsewhere, &run).await;
    until(&mut stolen, "tool_approval_required").await;
    let body = json!({"current_password": PASSWORD, "new_password": "another horse"});
    assert_eq!(ada.post("/api/account/password", body).await.status, 204);
    // Even if nothing happens in the run, the stream ends at the next check of the session.
    assert!(!rest(stolen).await.contains("event:"));
}

#[tokio::test]
async fn there_is_nothing_to_come_back_for_when_everything_was_told() {
    let app = TestApp::sqlite().await;
    let ada = app.explorer("ada").await;
    let events = ada.ask(json!({"message": "What was my revenue yesterday?"})).await;
    let (run, last) = (events[0]["run_id"].as_str().unwrap(), of(&events, "done")["seq"].as_u64().unwrap());
    let path = format!("/api/runs/{run}/events");
    let with = |id: u64| ada.request("GET", &path).header("last-event-id", id).send();
    // A browser takes 204 as the end; after an empty stream, it would reconnect every few seconds.
    assert_eq!(with(last).await.unwrap().status(), 204);
    assert_eq!(ada.request("GET", &format!("{path}?after={last}")).send().await.unwrap().status(), 204);
    let before = with(last - 1).await.unwrap();
    assert_eq!(before.status(), 200);
    let text = before.text().await.unwrap();
    assert!(text.contains("retry: ") && text.contains("event: done"), "{text}");
    assert_eq!(text.matches("retry: ").count(), 1);
}

#[tokio::test]
async fn a_person_reads_so_many_streams_at_a_time() {
    let app = TestApp::sqlite().await;
    let ada = app.explorer("ada").await;
    let (run, _) = waiting(&ada).await;
    let mut open = Vec::new();
    for _ in 0..100 {
        let stream = follow(&ada, &run).await;
        assert_eq!(stream.status(), 200);
        open.push(stream);
    }
    let path = format!("/api/runs/{run}/events");
    let refused = ada.get(&path).await;
    assert_eq!((refused.status, refused.code().as_str()), (429, "rate_limited"), "{}", refused.text);
    assert!(refused.headers.contains_key("retry-after") && refused.text.contains("too many runs"));
    // No run starts if its events could not be sent.
    let before = app.writes().await.len();
    let runs = ada.get("/api/runs").await.json()["items"].as_array().unwrap().len();
    assert_eq!(ada.post("/chat/stream", json!({"message": WISH})).await.status, 429);
    assert_eq!(ada.get("/api/runs").await.json()["items"].as_array().unwrap().len(), runs);
    assert_eq!(app.writes().await.len(), before);
    assert_eq!(app.explorer("bob").await.get("/api/runs").await.status, 200, "others are not held up");
    drop(open);
    let limit = std::time::Instant::now() + PATIENCE;
    while follow(&ada, &run).await.status() != 200 {
        assert!(std::time::Instant::now() < limit, "who leaves makes room");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}
