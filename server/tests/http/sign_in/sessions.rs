//! Where somebody is signed in.

use serde_json::json;

use super::{PASSWORD, is_in, sign_in};
use crate::harness::TestApp;

#[tokio::test]
async fn sessions_are_listed_and_ended_by_their_person_alone() {
    for app in TestApp::both().await {
        let (ada, bob) = (app.person("ada").await, app.person("bob").await);
        let phone = app.caller();
        let request = phone
            .request("POST", "/api/auth/sign-in")
            .header("user-agent", "Phone/1.0 \u{9}<b>")
            .json(&json!({"email": "ada@example.com", "password": PASSWORD}));
        assert_eq!(phone.finish("POST", "/api/auth/sign-in", request).await.status, 200);
        let list = ada.get("/api/account/sessions").await.json()["items"].clone();
        let items = list.as_array().unwrap();
        assert_eq!(items.len(), 2, "{list}");
        let current: Vec<&str> =
            items.iter().filter(|item| item["current"] == true).filter_map(|item| item["id"].as_str()).collect();
        let other = items.iter().find(|item| item["current"] == false).unwrap();
        assert_eq!((current.len(), other["agent"].as_str()), (1, Some("Phone/1.0 \u{9}<b>")));
        assert_eq!(other["address"], "127.0.0.1");
        // What is listed opens nothing.
        let cookie = ada.cookie.lock().unwrap().clone().unwrap();
        assert!(!list.to_string().contains(cookie.split('=').nth(1).unwrap()));
        let end = format!("/api/account/sessions/{}/end", other["id"].as_str().unwrap());
        assert_eq!(bob.post(&end, json!({})).await.status, 404);
        assert!(is_in(&phone).await);
        assert_eq!(ada.post(&end, json!({})).await.status, 204);
        assert!(!is_in(&phone).await && is_in(&ada).await && is_in(&bob).await);
        assert_eq!(ada.post(&end, json!({})).await.status, 404);
        let (tablet, _) = sign_in(&app, "ada@example.com", PASSWORD).await;
        assert_eq!(ada.post("/api/account/sessions/end-others", json!({})).await.json()["ended"], 1);
        assert!(!is_in(&tablet).await && is_in(&ada).await && is_in(&bob).await);
        // A program with a token sees none of it.
        let (_, secret) = crate::tokens::token(&ada, &["api"]).await;
        for (method, path) in [
            ("GET", "/api/account"),
            ("GET", "/api/account/sessions"),
            ("POST", "/api/account/sessions/end-others"),
            ("POST", "/api/account/password"),
            ("POST", "/api/account/second-factor"),
            ("POST", "/api/account/google"),
        ] {
            let nobody = app.caller();
            let request = nobody.request(method, path).bearer_auth(&secret).json(&json!({"new_password": "x"}));
            assert_eq!(nobody.finish(method, path, request).await.status, 403, "{method} {path}");
        }
        app.stop().await;
    }
}

#[tokio::test]
async fn a_changed_password_ends_every_other_session() {
    for app in TestApp::both().await {
        let ada = app.person("ada").await;
        let (phone, _) = sign_in(&app, "ada@example.com", PASSWORD).await;
        let change = async |old: &str, new: &str| {
            ada.post("/api/account/password", json!({"current_password": old, "new_password": new})).await
        };
        assert_eq!(change("wrong", "another horse").await.pointer(), "/current_password");
        assert_eq!(change("", "another horse").await.pointer(), "/current_password");
        assert_eq!(change(PASSWORD, "short").await.pointer(), "/new_password");
        assert!(is_in(&phone).await);
        assert_eq!(change(PASSWORD, "another horse").await.status, 204);
        assert!(!is_in(&phone).await && is_in(&ada).await);
        assert_eq!(sign_in(&app, "ada@example.com", PASSWORD).await.1.status, 401);
        assert_eq!(sign_in(&app, "ada@example.com", "another horse").await.1.status, 200);
        app.stop().await;
    }
}

/// Somebody plants their own session in another one's browser, and waits.
#[tokio::test]
async fn a_planted_session_is_left_behind_at_both_steps() {
    let app = TestApp::sqlite().await;
    let (eve, ada) = (app.person("eve").await, app.person("ada").await);
    super::enrol(&ada).await;
    let planted = eve.cookie.lock().unwrap().clone();
    let victim = app.caller();
    victim.cookie.lock().unwrap().clone_from(&planted);
    let body = json!({"email": "ada@example.com", "password": PASSWORD});
    assert_eq!(victim.post("/api/auth/sign-in", body).await.code(), "second_factor_required");
    assert_ne!(*victim.cookie.lock().unwrap(), planted);
    assert!(!is_in(&eve).await, "the planted session is gone");
    assert_eq!(eve.post("/api/auth/second-factor", json!({"code": "000000"})).await.code(), "unauthenticated");
}
