//! The browsers in which a person is signed in.

use serde_json::json;

use super::{PASSWORD, google::Browser, is_in, sign_in};
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
        // Nothing in the list can be used to sign in.
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

/// Somebody plants their own session in another person's browser, and waits.
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

/// Even a session that is used every day ends.
#[tokio::test]
async fn a_session_ends_some_day_however_much_it_is_used() {
    for app in TestApp::both().await {
        let (ada, bob) = (app.person("ada").await, app.person("bob").await);
        let begun_earlier = async |days: u32| {
            let seconds = days * 24 * 60 * 60;
            let earlier = format!(
                "update http_sessions set created_at = created_at - {seconds}000000, \
                 data = replace(data, '\"since\":' || (created_at / 1000000), '\"since\":' || (created_at / 1000000 - {seconds}))"
            );
            assert_eq!(app.database.execute(&earlier).await, Ok(2));
        };
        begun_earlier(29).await;
        assert!(is_in(&ada).await);
        begun_earlier(2).await;
        assert!(!is_in(&ada).await, "begun 31 days ago");
        let (again, _) = sign_in(&app, "ada@example.com", PASSWORD).await;
        assert_eq!(
            again.get("/api/account/sessions").await.json()["items"].as_array().unwrap().len(),
            1,
            "the old one is gone"
        );
        assert!(is_in(&again).await && !is_in(&bob).await);
        app.stop().await;
    }
    // With the administrator's limit, the expiry is in the row from the start, so an abandoned session is removed by then.
    let app = TestApp::with(|config| config.sessions.longest_days = crate::harness::per_minute(1)).await;
    app.person("ada").await;
    let in_a_day = "update http_sessions set agent = agent where expires_at = created_at + 86400000000";
    assert_eq!(app.database.execute(in_a_day).await, Ok(1));
}

#[tokio::test]
async fn one_browser_too_many_signs_out_the_one_used_longest_ago() {
    for app in TestApp::both().await {
        let (ada, bob) = (app.person("ada").await, app.person("bob").await);
        app.database.execute("update http_sessions set seen_at = 1").await.unwrap();
        for _ in 0..49 {
            assert_eq!(sign_in(&app, "ada@example.com", PASSWORD).await.1.status, 200);
        }
        let count = async |caller: &crate::harness::Caller<'_>| {
            caller.get("/api/account/sessions").await.json()["items"].as_array().unwrap().len()
        };
        assert!(is_in(&ada).await);
        assert_eq!(count(&ada).await, 50);
        let (last, _) = sign_in(&app, "ada@example.com", PASSWORD).await;
        assert!(!is_in(&ada).await && is_in(&last).await && is_in(&bob).await);
        assert_eq!(count(&last).await, 50);
        app.stop().await;
    }
}

#[tokio::test]
async fn who_leaves_leaves_nothing_in_the_browser() {
    let app = TestApp::sqlite().await;
    let told = |answer: &crate::harness::Answer| {
        answer.headers.get("clear-site-data").map(|value| value.to_str().unwrap().to_owned())
    };
    let storage = Some("\"storage\"".to_owned());
    let ada = app.person("ada").await;
    assert_eq!(told(&ada.get("/api/me").await), None);
    assert_eq!(told(&ada.post("/api/auth/sign-out", json!({})).await), storage);
    let (form, _) = sign_in(&app, "ada@example.com", PASSWORD).await;
    let mut browser = Browser::new(&app);
    let cookie = form.cookie.lock().unwrap().clone().unwrap();
    let (name, value) = cookie.split_once('=').unwrap();
    browser.cookies.insert(name.to_owned(), value.to_owned());
    let left = browser.post("/api/auth/sign-out", &[]).await;
    assert_eq!(
        (left.status().as_u16(), &left.headers()["location"], &left.headers()["clear-site-data"]),
        (303, &"/sign-in".parse().unwrap(), &"\"storage\"".parse().unwrap())
    );
    let (gone, _) = sign_in(&app, "ada@example.com", PASSWORD).await;
    let wrong = json!({"email": "ada@example.com", "password": "a guess"});
    assert_eq!(told(&gone.post("/api/account/delete", wrong).await), None);
    let right = json!({"email": "ada@example.com", "password": PASSWORD});
    assert_eq!(told(&gone.post("/api/account/delete", right).await), storage);
}

/// Over TLS, neither a neighbor under the same domain nor a page without TLS can plant one of these cookies.
#[tokio::test]
async fn behind_tls_every_cookie_is_of_this_host_alone() {
    let app = TestApp::with(|config| config.public_url = Some("https://desk.example.com".parse().unwrap())).await;
    let ada = app.person("ada").await;
    let acme = ada.post("/api/organizations", json!({"name": "Acme"})).await.json()["id"].as_str().unwrap().to_owned();
    let mut cookies = Vec::new();
    let (again, answer) = sign_in(&app, "ada@example.com", PASSWORD).await;
    cookies.push(answer.headers["set-cookie"].to_str().unwrap().to_owned());
    let chosen = again.request("POST", "/desk/switch-workspace").form(&[("to", acme.as_str())]).send().await.unwrap();
    let later = again.request("POST", "/desk/confirm-later").form(&[("x", "")]).send().await.unwrap();
    for response in [chosen, later] {
        cookies.push(response.headers()["set-cookie"].to_str().unwrap().to_owned());
    }
    for cookie in &cookies {
        let parts: Vec<&str> = cookie.split("; ").collect();
        assert!(cookie.starts_with("__Host-"), "{cookie}");
        for wanted in ["Secure", "HttpOnly", "Path=/", "SameSite=Lax"] {
            assert!(parts.contains(&wanted), "{cookie} has no {wanted}");
        }
        assert!(!cookie.contains("Domain"), "{cookie}");
    }
    // A TLS server does not read the cookie name of a server without TLS, because a neighbor could have set it.
    let held = again.cookie.lock().unwrap().clone().unwrap();
    assert!(is_in(&again).await);
    *again.cookie.lock().unwrap() = Some(held.trim_start_matches("__Host-").to_owned());
    assert!(!is_in(&again).await);
}
