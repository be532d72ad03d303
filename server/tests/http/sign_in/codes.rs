//! The second factor.

use serde_json::{Value, json};

use super::{PASSWORD, code, enrol, enrol_with, is_in, sign_in};
use crate::harness::TestApp;

#[tokio::test]
async fn a_code_is_asked_for_at_every_sign_in_and_counts_once() {
    for app in TestApp::both().await {
        let ada = app.person("ada").await;
        let (phone, _) = sign_in(&app, "ada@example.com", PASSWORD).await;
        let (secret, _, confirmed) = enrol_with(&ada).await;
        assert!(is_in(&ada).await && !is_in(&phone).await, "others had been let in without a code");
        let (caller, half) = sign_in(&app, "ada@example.com", PASSWORD).await;
        assert_eq!((half.status, half.code().as_str()), (401, "second_factor_required"));
        let waiting = caller.cookie.lock().unwrap().clone();
        // Half signed in is not signed in.
        for (method, path) in [
            ("GET", "/api/me"),
            ("GET", "/api/account"),
            ("GET", "/api/runs"),
            ("GET", "/api/tokens"),
            ("POST", "/api/account/second-factor/off"),
            ("POST", "/api/chat/sessions"),
            ("POST", "/chat/stream"),
        ] {
            let body = (method == "POST").then(|| json!({"message": "Hello", "code": "1", "password": PASSWORD}));
            assert_eq!(caller.send(method, path, body).await.status, 401, "{method} {path}");
        }
        let give = async |code: &str| caller.post("/api/auth/second-factor", json!({"code": code})).await;
        let used = give(&confirmed).await;
        assert_eq!((used.status, used.code().as_str()), (401, "wrong_code"), "it confirmed the app");
        let good = code(&secret, 0);
        let answer = give(&good).await;
        assert_eq!((answer.status, answer.json()["user"]["name"].as_str()), (200, Some("ada")));
        assert!(is_in(&caller).await);
        assert_ne!(*caller.cookie.lock().unwrap(), waiting, "a new session");
        // Neither the session that waited nor the code is good for anything any more.
        let thief = app.caller();
        *thief.cookie.lock().unwrap() = waiting;
        assert!(!is_in(&thief).await);
        assert_eq!(thief.post("/api/auth/second-factor", json!({"code": code(&secret, 1)})).await.status, 401);
        let (again, _) = sign_in(&app, "ada@example.com", PASSWORD).await;
        let answer = again.post("/api/auth/second-factor", json!({"code": good})).await;
        assert_eq!(answer.code(), "wrong_code", "used");
        app.stop().await;
    }
}

#[tokio::test]
async fn a_code_without_a_password_is_nothing() {
    let app = TestApp::sqlite().await;
    let ada = app.person("ada").await;
    let (secret, _) = enrol(&ada).await;
    let stranger = app.caller();
    let answer = stranger.post("/api/auth/second-factor", json!({"code": code(&secret, 0)})).await;
    assert_eq!((answer.status, answer.code().as_str()), (401, "unauthenticated"));
    // Nor does one sign in somebody else, whose password was right.
    let bob = app.person("bob").await;
    let (bobs, _) = enrol(&bob).await;
    let (half, _) = sign_in(&app, "ada@example.com", PASSWORD).await;
    assert_eq!(half.post("/api/auth/second-factor", json!({"code": code(&bobs, 0)})).await.code(), "wrong_code");
}

#[tokio::test]
async fn a_recovery_code_signs_in_once() {
    for app in TestApp::both().await {
        let ada = app.person("ada").await;
        let (_, codes) = enrol(&ada).await;
        assert_eq!(codes.len(), 10);
        let use_code = async |code: &str| {
            let (caller, _) = sign_in(&app, "ada@example.com", PASSWORD).await;
            caller.post("/api/auth/second-factor", json!({"code": code})).await.status
        };
        assert_eq!(use_code(&codes[0].to_lowercase().replace('-', " ")).await, 200);
        assert_eq!(use_code(&codes[0]).await, 401);
        assert_eq!(use_code(&codes[1]).await, 200);
        assert_eq!(ada.get("/api/account").await.json()["second_factor"]["recovery_codes_left"], 8);
        app.stop().await;
    }
}

#[tokio::test]
async fn switching_on_asks_for_the_password_and_a_code_and_off_for_both() {
    for app in TestApp::both().await {
        let ada = app.person("ada").await;
        let ask = async |password: &str| ada.post("/api/account/second-factor", json!({"password": password})).await;
        assert_eq!(ask("wrong").await.pointer(), "/password");
        let begun = ask(PASSWORD).await.json();
        let secret = begun["secret"].as_str().unwrap();
        assert!(begun["uri"].as_str().unwrap().contains(&format!("secret={secret}")));
        assert!(begun["qr"]["path"].as_str().unwrap().starts_with('M'));
        // Only the browser it was begun in is shown it again.
        let (phone, _) = sign_in(&app, "ada@example.com", PASSWORD).await;
        for (caller, shown) in [(&ada, true), (&phone, false)] {
            let page = caller.request("GET", "/settings/account?enrol=1").header("accept", "text/html").send().await;
            assert_eq!(page.unwrap().text().await.unwrap().contains(secret), shown);
        }
        // Begun is not on.
        assert_eq!(sign_in(&app, "ada@example.com", PASSWORD).await.1.status, 200);
        let confirm = async |code: &str| ada.post("/api/account/second-factor/confirm", json!({"code": code})).await;
        assert_eq!(confirm("000000").await.pointer(), "/code");
        assert_eq!(confirm(&code(secret, -1)).await.status, 204);
        assert_eq!(confirm(&code(secret, 0)).await.pointer(), "/code", "nothing waits any more");
        assert_eq!(ask(PASSWORD).await.status, 409);
        assert_eq!(ada.get("/api/account").await.json()["second_factor"]["recovery_codes_left"], 10);
        let off = async |password: &str, code: &str| {
            ada.post("/api/account/second-factor/off", json!({"password": password, "code": code})).await
        };
        assert_eq!(off("wrong", &code(secret, 0)).await.pointer(), "/password");
        assert_eq!(off(PASSWORD, "000000").await.pointer(), "/code");
        assert_eq!(off(PASSWORD, &code(secret, 0)).await.status, 204);
        assert_eq!(ada.get("/api/account").await.json()["second_factor"], Value::Null);
        assert_eq!(off(PASSWORD, &code(secret, 1)).await.status, 409);
        assert_eq!(sign_in(&app, "ada@example.com", PASSWORD).await.1.status, 200);
        app.stop().await;
    }
}
