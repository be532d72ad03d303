//! Tenants, sessions, cross-site requests, limits, repeated requests.

use serde_json::json;

use crate::harness::{EVIL, TestApp, of, per_minute};

#[tokio::test]
async fn somebody_elses_things_do_not_exist() {
    for app in TestApp::both().await {
        let (ada, bob) = (app.explorer("ada").await, app.person("bob").await);
        let events = ada.ask(json!({"message": "Create a mediation group for Puzzle Game on Android banner with AppLovin and Unity bidding"})).await;
        let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
        let (run, session, message) =
            (text(&events[0]["run_id"]), text(&events[0]["session_id"]), text(&events[0]["message_id"]));
        let approval = text(&of(&events, "tool_approval_required")["approval_id"]);
        let connection = text(&ada.get("/api/providers").await.json()["items"][0]["id"]);
        for path in [
            format!("/api/runs/{run}"),
            format!("/api/runs/{run}/events"),
            format!("/api/runs/{run}/checkpoints"),
            format!("/api/chat/sessions/{session}"),
            format!("/api/chat/sessions/{session}/messages"),
            format!("/api/approvals/{approval}"),
            format!("/api/providers/{connection}/apps"),
        ] {
            assert_eq!(bob.get(&path).await.status, 404, "{path}");
        }
        for (method, path, body) in [
            ("POST", format!("/api/runs/{run}/cancel"), json!({})),
            ("POST", "/chat/approve-tool".into(), json!({"approval_id": approval, "approved": true})),
            ("POST", "/chat/stream".into(), json!({"message": "x", "session_id": session})),
            ("POST", format!("/api/messages/{message}/feedback"), json!({"rating": "up"})),
            ("PATCH", format!("/api/chat/sessions/{session}"), json!({"title": "mine"})),
            ("DELETE", format!("/api/chat/sessions/{session}"), json!({})),
            ("DELETE", format!("/api/providers/{connection}"), json!({})),
        ] {
            assert_eq!(bob.send(method, &path, Some(body)).await.status, 404, "{method} {path}");
        }
        let workspace = text(&ada.get("/api/me").await.json()["user"]["personal_workspace_id"]);
        let request = bob.request("GET", "/api/runs").header("x-organization-id", workspace);
        assert_eq!(bob.finish("GET", "/api/runs", request).await.status, 404);
        assert!(app.writes().await.is_empty());
        app.stop().await;
    }
}

#[tokio::test]
async fn signing_in_makes_a_new_session_and_signing_out_ends_it() {
    let app = TestApp::sqlite().await;
    let ada = app.person("ada").await;
    let first = ada.cookie.lock().unwrap().clone();
    let credentials = json!({"email": " ADA@example.com", "password": "correct horse"});
    let answer = ada.post("/api/auth/sign-in", credentials).await;
    assert_eq!(answer.status, 200);
    let cookie = answer.headers["set-cookie"].to_str().unwrap();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax") && !cookie.contains("Secure"), "{cookie}");
    let second = ada.cookie.lock().unwrap().clone();
    assert_ne!(first, second);
    *ada.cookie.lock().unwrap() = first;
    assert_eq!(ada.get("/api/me").await.status, 401);
    ada.cookie.lock().unwrap().clone_from(&second);
    assert_eq!(ada.get("/api/me").await.status, 200);
    assert_eq!(ada.send("POST", "/api/auth/sign-out", None).await.status, 204);
    *ada.cookie.lock().unwrap() = second;
    assert_eq!(ada.get("/api/me").await.status, 401);
}

#[tokio::test]
async fn unknown_address_and_wrong_password_look_the_same() {
    let app = TestApp::sqlite().await;
    app.person("ada").await;
    let caller = app.caller();
    let wrong = caller.post("/api/auth/sign-in", json!({"email": "ada@example.com", "password": "wrong"})).await;
    let unknown = caller.post("/api/auth/sign-in", json!({"email": "eve@example.com", "password": "wrong"})).await;
    let without_id = |answer: &crate::harness::Answer| {
        let mut body = answer.json();
        body["request_id"] = json!(null);
        (answer.status, body)
    };
    assert_eq!(without_id(&wrong), without_id(&unknown));
    assert_eq!(wrong.status, 401);
}

#[tokio::test]
async fn other_sites_cannot_write_with_a_persons_browser() {
    let app = TestApp::sqlite().await;
    let ada = app.person("ada").await;
    for (name, value) in [("origin", EVIL), ("origin", "null"), ("sec-fetch-site", "cross-site")] {
        let request = ada.request("POST", "/api/chat/sessions").header(name, value).json(&json!({}));
        let answer = ada.finish("POST", "/api/chat/sessions", request).await;
        assert_eq!((answer.status, answer.code().as_str()), (403, "cross_origin"));
    }
    let own = app.running.base_url();
    let request = ada.request("POST", "/api/chat/sessions").header("origin", own).json(&json!({}));
    assert_eq!(ada.finish("POST", "/api/chat/sessions", request).await.status, 201);
}

#[tokio::test]
async fn who_asks_too_often_is_told_how_long_to_wait() {
    let app = TestApp::with(|config| {
        config.rate_limits = adagent_config::RateLimits::Standard;
        config.limits.sign_in_per_account = per_minute(2);
        config.limits.chat_per_user = per_minute(1);
    })
    .await;
    let ada = app.person("ada").await;
    let wrong = || ada.post("/api/auth/sign-in", json!({"email": "ada@example.com", "password": "wrong"}));
    assert_eq!((wrong().await.status, wrong().await.status), (401, 401));
    let limited = wrong().await;
    assert_eq!((limited.status, limited.code().as_str()), (429, "rate_limited"));
    assert!(limited.headers["retry-after"].to_str().unwrap().parse::<u64>().unwrap() >= 1);
    ada.ask(json!({"message": "Hello"})).await;
    assert_eq!(ada.post("/chat/stream", json!({"message": "Hello"})).await.status, 429);
}

#[tokio::test]
async fn the_same_key_answers_the_same_and_another_body_is_refused() {
    for app in TestApp::both().await {
        let ada = app.person("ada").await;
        let keyed = |message: &str| {
            ada.request("POST", "/chat/stream").header("idempotency-key", "k1").json(&json!({"message": message}))
        };
        let (one, two) = (ada.stream(keyed("Hello")).await, ada.stream(keyed("Hello")).await);
        assert_eq!(one[0]["run_id"], two[0]["run_id"]);
        assert_eq!(ada.get("/api/runs").await.json()["items"].as_array().unwrap().len(), 1);
        let other = ada.finish("POST", "/chat/stream", keyed("Bye")).await;
        assert_eq!((other.status, other.code().as_str()), (422, "idempotency_key_reused"));
        app.stop().await;
    }
}

#[tokio::test]
async fn forms_without_scripts_are_sent_on() {
    let app = TestApp::sqlite().await;
    let plain = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let url = |path: &str| format!("{}{path}", app.running.base_url());
    let form = [("email", "ada@example.com"), ("password", "correct horse"), ("name", "Ada"), ("return", "/approvals")];
    let answer = plain.post(url("/api/auth/sign-up")).form(&form).send().await.unwrap();
    assert_eq!((answer.status().as_u16(), &answer.headers()["location"]), (303, &"/approvals".parse().unwrap()));
    let cookie = answer.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
    let asked = plain
        .post(url("/chat/stream"))
        .header("cookie", cookie)
        .form(&[("message", "Hello"), ("session_id", "")])
        .send()
        .await
        .unwrap();
    assert!(asked.headers()["location"].to_str().unwrap().starts_with("/chat/"), "{asked:?}");
    let form = [("email", "ada@example.com"), ("password", "wrong"), ("return", EVIL)];
    let refused = plain.post(url("/api/auth/sign-in")).form(&form).send().await.unwrap();
    let location = refused.headers()["location"].to_str().unwrap();
    assert_eq!(location, "/sign-in?error=wrong_credentials&email=ada%40example.com");
}
