//! The stream that keeps a page's lists fresh: an event for every change to the person's things, as long as the person may read
//! them.

use std::time::Duration;

use serde_json::json;

use crate::harness::{Caller, TestApp};

const CREATE: &str = "Create a mediation group for Puzzle Game on Android banner with AppLovin and Unity bidding";
const PATIENCE: Duration = Duration::from_secs(5);

async fn follow(caller: &Caller<'_>) -> reqwest::Response {
    caller.request("GET", "/api/activity").header("accept", "text/event-stream").send().await.unwrap()
}

/// Reads events until one reports this many pending approvals; returns `false` if the stream ended.
async fn says(stream: &mut reqwest::Response, pending: u64) -> bool {
    let wanted = format!("{{\"pending_approvals\":{pending}}}");
    let heard = async {
        while let Some(chunk) = stream.chunk().await.unwrap() {
            if String::from_utf8_lossy(&chunk).contains(&wanted) {
                return true;
            }
        }
        false
    };
    tokio::time::timeout(PATIENCE, heard).await.unwrap_or_else(|_| panic!("never {pending} pending"))
}

#[tokio::test]
async fn a_page_hears_what_another_one_does_within_a_moment_and_nobody_else_does() {
    for app in TestApp::both().await {
        let (ada, bob) = (app.explorer("ada").await, app.explorer("bob").await);
        let mut page = follow(&ada).await;
        let mut other = follow(&bob).await;
        assert_eq!(page.headers()["content-type"], "text/event-stream");
        assert!(says(&mut page, 0).await && says(&mut other, 0).await);
        let events = ada.ask(json!({"message": CREATE})).await;
        assert!(says(&mut page, 1).await);
        let asked = crate::harness::of(&events, "tool_approval_required")["approval_id"].clone();
        let no = json!({"approval_id": asked, "approved": false});
        ada.stream(ada.request("POST", "/chat/approve-tool").json(&no)).await;
        assert!(says(&mut page, 0).await);
        let heard = tokio::time::timeout(Duration::from_millis(300), other.chunk()).await;
        assert!(heard.is_err(), "{heard:?}");
        app.stop().await;
    }
}

#[tokio::test]
async fn who_is_signed_out_hears_nothing_more() {
    let app = TestApp::sqlite().await;
    let ada = app.explorer("ada").await;
    let mut page = follow(&ada).await;
    assert!(says(&mut page, 0).await);
    let elsewhere = app.caller();
    let who = json!({"email": "ada@example.com", "password": "correct horse"});
    let signed_in = elsewhere.post("/api/auth/sign-in", who).await;
    assert_eq!(signed_in.status, 200, "{}", signed_in.text);
    assert_eq!(elsewhere.post("/api/account/sessions/end-others", json!({})).await.status, 200);
    // When something changes, the stream of the ended session does not report it, and ends.
    elsewhere.ask(json!({"message": CREATE})).await;
    assert!(!says(&mut page, 1).await);
    app.stop().await;
}

#[tokio::test]
async fn one_person_follows_from_a_dozen_pages_and_no_more() {
    let app = TestApp::sqlite().await;
    let (ada, bob) = (app.person("ada").await, app.person("bob").await);
    let mut pages = Vec::new();
    for _ in 0..12 {
        let page = follow(&ada).await;
        assert_eq!(page.status(), 200);
        pages.push(page);
    }
    let refused = follow(&ada).await;
    assert_eq!(refused.status(), 429);
    assert!(refused.headers().contains_key("retry-after"));
    assert_eq!(follow(&bob).await.status(), 200);
    assert_eq!(
        ada.get("/api/activity").await.json(),
        json!({"pending_approvals": 0}),
        "reading it once is always possible"
    );
    app.stop().await;
}
