//! Workspaces, sessions, cross-site requests, limits, repeated requests.

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
        let saved = text(&ada.get(&format!("/api/runs/{run}/checkpoints")).await.json()["items"][0]["id"]);
        let bobs = text(&bob.ask(json!({"message": "Hello"})).await[0]["run_id"]);
        for path in [
            format!("/api/runs/{run}"),
            format!("/api/runs/{run}/events"),
            format!("/api/runs/{run}/checkpoints"),
            format!("/api/runs/{run}/checkpoints/{saved}"),
            // A run of the caller's own must not lead to another person's checkpoint either.
            format!("/api/runs/{bobs}/checkpoints/{saved}"),
            format!("/api/chat/sessions/{session}"),
            format!("/api/chat/sessions/{session}/messages"),
            format!("/api/approvals/{approval}"),
            format!("/api/providers/{connection}/apps"),
        ] {
            assert_eq!(bob.get(&path).await.status, 404, "{path}");
        }
        for (method, path, body) in [
            ("POST", format!("/api/runs/{run}/cancel"), json!({})),
            ("POST", format!("/api/runs/{run}/override"), json!({"args": {}})),
            ("POST", format!("/api/runs/{run}/checkpoints/{saved}/fork"), json!({})),
            ("POST", format!("/api/runs/{bobs}/checkpoints/{saved}/fork"), json!({})),
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
    let events = ada.ask(json!({"message": "Hello"})).await;
    // Each new run is a different run, however it starts.
    let run = format!("/api/runs/{}", events[0]["run_id"].as_str().unwrap());
    let saved = ada.get(&format!("{run}/checkpoints")).await.json()["items"][0]["id"].as_str().unwrap().to_owned();
    for (path, body) in [
        ("/chat/stream".to_owned(), json!({"message": "Hello"})),
        (format!("{run}/override"), json!({"args": {}})),
        (format!("{run}/checkpoints/{saved}/fork"), json!({})),
    ] {
        assert_eq!(ada.post(&path, body).await.status, 429, "{path}");
    }
}

#[tokio::test]
async fn forks_wait_in_line_like_messages_and_the_line_has_an_end() {
    let app = TestApp::sqlite().await;
    let ada = app.explorer("ada").await;
    let wish = "Create a mediation group for Puzzle Game on Android banner with AppLovin and Unity bidding";
    let events = ada.ask(json!({"message": wish})).await;
    assert_eq!(events.last().unwrap()["type"], "tool_approval_required", "{events:#?}");
    let run = format!("/api/runs/{}", events[0]["run_id"].as_str().unwrap());
    let saved = ada.get(&format!("{run}/checkpoints")).await.json()["items"][0]["id"].as_str().unwrap().to_owned();
    let fork = format!("{run}/checkpoints/{saved}/fork");
    for _ in 0..20 {
        let begun = ada.post(&fork, json!({})).await;
        assert_eq!(begun.status, 201, "{}", begun.text);
    }
    let refused = ada.post(&fork, json!({})).await;
    assert_eq!((refused.status, refused.code().as_str()), (409, "too_many_waiting"));
    app.stop().await;
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
    assert_eq!(location, "/sign-in?error=wrong_credentials");
}

#[tokio::test]
async fn a_repeated_answer_and_a_repeated_rating_are_answered_as_before() {
    for app in TestApp::both().await {
        let ada = app.explorer("ada").await;
        let wish = "Create a mediation group for Puzzle Game on Android banner with AppLovin and Unity bidding";
        let events = ada.ask(json!({"message": wish})).await;
        let approval = of(&events, "tool_approval_required")["approval_id"].clone();
        let answer = |approved: bool| {
            ada.request("POST", "/chat/approve-tool")
                .header("idempotency-key", "a1")
                .json(&json!({"approval_id": approval, "approved": approved}))
        };
        let (one, two) = (ada.stream(answer(true)).await, ada.stream(answer(true)).await);
        assert_eq!(one.first().map(|e| &e["seq"]), two.first().map(|e| &e["seq"]));
        assert_eq!(of(&two, "done")["status"], "completed");
        let other = ada.finish("POST", "/chat/approve-tool", answer(false)).await;
        assert_eq!((other.status, other.code().as_str()), (422, "idempotency_key_reused"));
        assert_eq!(app.writes().await.len(), 1);

        let path = format!("/api/messages/{}/feedback", events[0]["message_id"].as_str().unwrap());
        let rate = async |key: &str, rating: &str| {
            let request = ada.request("POST", &path).header("idempotency-key", key).json(&json!({"rating": rating}));
            ada.finish("POST", &path, request).await.status
        };
        assert_eq!((rate("f1", "up").await, rate("f2", "down").await, rate("f1", "up").await), (204, 204, 204));
        assert_eq!(rate("f1", "down").await, 422);
        let session = events[0]["session_id"].as_str().unwrap();
        let page = ada.get(&format!("/api/chat/sessions/{session}/messages")).await.json();
        assert_eq!(page["items"][0]["rating"], "down", "a repetition does not undo what came after it");
        app.stop().await;
    }
}

#[tokio::test]
async fn a_message_sent_while_another_is_worked_on_waits_for_it() {
    for app in TestApp::both().await {
        let ada = app.explorer("ada").await;
        // The first call to the network is slow, so the first run is still working when the second message comes.
        let base = &app.running.sandbox.as_ref().expect("a sandbox").base_url;
        let fault = json!({"network": "admob", "kind": "delay", "ms": 1500, "times": 1});
        assert!(
            reqwest::Client::new()
                .post(format!("{base}/__sandbox/faults"))
                .json(&fault)
                .send()
                .await
                .unwrap()
                .status()
                .is_success()
        );
        let session = ada.post("/api/chat/sessions", json!({})).await.json()["id"].clone();
        let body = |message: &str| json!({"message": message, "session_id": session});
        let slow =
            ada.request("POST", "/chat/stream").json(&body("What was my revenue yesterday?")).send().await.unwrap();
        let events = ada.ask(body("Hello")).await;
        assert_eq!(
            (&events[1]["type"], &events[1]["label"]),
            (&json!("status"), &json!("Waiting for the run before this one"))
        );
        assert_eq!(of(&events, "done")["status"], "completed");
        let first = slow.headers()["x-run-id"].to_str().unwrap().to_owned();
        assert_eq!(ada.get(&format!("/api/runs/{first}")).await.json()["status"], "completed", "it was over before");
        app.stop().await;
    }
}

#[tokio::test]
async fn the_context_of_a_request_narrows_its_run_and_leaves_the_settings_alone() {
    let app = TestApp::sqlite().await;
    let ada = app.explorer("ada").await;
    let wish = "Create a mediation group for Puzzle Game on Android banner with AppLovin and Unity bidding";
    let events = ada.ask(json!({"message": wish, "context": {"safe_mode": true}})).await;
    assert_eq!(events.last().unwrap()["type"], "done", "nothing is asked for: {events:#?}");
    assert_eq!(ada.get("/api/settings/context").await.json()["safe_mode"], false);
    let stored = json!({"safe_mode": true});
    assert_eq!(ada.send("PUT", "/api/settings/context", Some(stored)).await.status, 200);
    let events = ada.ask(json!({"message": wish, "context": {"safe_mode": false, "mode": "soft"}})).await;
    assert_eq!(events.last().unwrap()["type"], "done", "what is stored is not widened: {events:#?}");
    assert!(app.writes().await.is_empty());
}

#[tokio::test]
async fn a_conversation_that_is_chat_only_asks_no_network_and_says_so() {
    let app = TestApp::sqlite().await;
    let ada = app.explorer("ada").await;
    let session = ada.post("/api/chat/sessions", json!({"chat_only": true})).await.json();
    assert_eq!(session["chat_only"], true);
    let body = json!({"message": "What was my revenue yesterday?", "session_id": session["id"]});
    let events = ada.ask(body.clone()).await;
    assert!(events.iter().all(|event| event["type"] != "tool"), "{events:#?}");
    assert!(of(&events, "result")["content"].as_str().unwrap().contains("chat only"), "{events:#?}");
    let path = format!("/api/chat/sessions/{}", session["id"].as_str().unwrap());
    assert_eq!(ada.send("PATCH", &path, Some(json!({"chat_only": false}))).await.status, 200);
    assert!(ada.ask(body).await.iter().any(|event| event["type"] == "tool"));
}

#[tokio::test]
async fn no_text_becomes_markup_of_a_page() {
    const EVIL_MARKUP: &str = "</title></textarea><svg/onload=alert(1)>";
    let app = TestApp::sqlite().await;
    let ada = app.explorer("ada").await;
    let first = ada.ask(json!({"message": EVIL_MARKUP})).await;
    let session = first[0]["session_id"].as_str().unwrap();
    assert_eq!(
        ada.send("PATCH", &format!("/api/chat/sessions/{session}"), Some(json!({"title": EVIL_MARKUP}))).await.status,
        200
    );
    let asked = ada
        .ask(json!({"message": format!("Create a banner ad unit called \"{EVIL_MARKUP}\" in Puzzle Game on Android")}))
        .await;
    let run = asked[0]["run_id"].as_str().unwrap();
    let draft = "/chat?draft=%3C/textarea%3E%3C/title%3E%3Csvg/onload=alert(1)%3E";
    for path in [draft, &format!("/chat/{session}"), "/chat", "/approvals", "/runs", &format!("/runs/{run}")] {
        let page = ada.finish("GET", path, ada.request("GET", path).header("accept", "text/html")).await;
        assert!(!page.text.contains("<svg/onload"), "{path}: {}", page.text);
        let policy = page.headers["content-security-policy"].to_str().unwrap();
        let targets = policy.split(';').find_map(|rule| rule.trim().strip_prefix("form-action ")).unwrap();
        assert!(targets.starts_with("'self'") && !targets.contains('*'), "{path}: {targets}");
    }
}

/// Approves a change and deletes its chat or connection at the same moment: one comes first, and what was sent is reported.
#[tokio::test]
async fn an_approval_and_its_chat_or_connection_going_at_once_have_one_outcome() {
    const WISH: &str = "Create a mediation group for Puzzle Game on Android banner with AppLovin and Unity bidding";
    for app in TestApp::both().await {
        let ada = app.explorer("ada").await;
        let mut sent = 0;
        for (round, takes) in ["chat", "connection", "chat", "connection", "chat", "connection"].into_iter().enumerate()
        {
            ada.post("/api/sandbox/explore", json!({})).await;
            let wish = format!("{WISH} and call it “Race {round}”");
            let events = ada.ask(json!({"message": wish})).await;
            let (session, run) = (events[0]["session_id"].as_str().unwrap(), events[0]["run_id"].as_str().unwrap());
            let approval = &of(&events, "tool_approval_required")["approval_id"];
            let path = if takes == "chat" {
                format!("/api/chat/sessions/{session}")
            } else {
                let all = ada.get("/api/providers").await.json();
                let all = all["items"].as_array().unwrap();
                let admob = all.iter().find(|one| one["network"] == "admob").unwrap();
                format!("/api/providers/{}", admob["id"].as_str().unwrap())
            };
            let body = json!({"approval_id": approval, "approved": true});
            let approve = ada.request("POST", "/chat/approve-tool").json(&body).send();
            let (approved, gone) = futures::join!(approve, ada.send("DELETE", &path, None));
            let approved = approved.unwrap();
            let status = approved.status().as_u16();
            assert!(matches!(status, 200 | 404 | 409), "{takes}: {status}");
            assert!(matches!(gone.status, 204 | 409), "{takes}: {}", gone.text);
            let told = approved.text().await.unwrap();
            // The stream of a deleted chat ends, and its run does not continue.
            let limit = std::time::Instant::now() + std::time::Duration::from_secs(30);
            loop {
                let answer = ada.get(&format!("/api/runs/{run}")).await;
                let state = answer.json()["status"].as_str().unwrap_or("gone").to_owned();
                if !matches!(state.as_str(), "queued" | "running") {
                    break;
                }
                assert!(std::time::Instant::now() < limit, "{takes}: still {state}");
                tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            }
            let now = app.writes().await.len();
            assert!(now == sent || now == sent + 1, "{takes}: {now} after {sent}");
            if now == sent + 1 && takes == "connection" {
                assert_eq!(status, 200, "what was sent was approved");
                assert!(told.contains("Created mediation group"), "{takes}: the answer hides the change: {told}");
            }
            sent = now;
        }
        app.stop().await;
    }
}
