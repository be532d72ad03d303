//! Limits on guessing.

use serde_json::json;

use super::{PASSWORD, code, enrol, is_in, mails, sign_in};
use crate::harness::{TestApp, per_minute};

#[tokio::test]
async fn five_wrong_codes_make_every_further_one_wait_in_every_session() {
    for app in TestApp::both().await {
        let ada = app.person("ada").await;
        let (secret, recovery) = enrol(&ada).await;
        // Make each guess in a new session, as an attacker would do if the limit were per session.
        for wrong in ["000000", "999999", "AAAA-AAAA-AAAA-AAAA", "1", "000001"] {
            let (caller, _) = sign_in(&app, "ada@example.com", PASSWORD).await;
            assert_eq!(
                caller.post("/api/auth/second-factor", json!({"code": wrong})).await.code(),
                "wrong_code",
                "{wrong}"
            );
        }
        for right in [&code(&secret, 0), &recovery[0]] {
            let (caller, _) = sign_in(&app, "ada@example.com", PASSWORD).await;
            let answer = caller.post("/api/auth/second-factor", json!({"code": right})).await;
            assert_eq!((answer.status, answer.code().as_str()), (429, "rate_limited"));
            let wait: u64 = answer.headers["retry-after"].to_str().unwrap().parse().unwrap();
            assert!((600..=900).contains(&wait), "{wait}");
            assert!(!is_in(&caller).await);
        }
        // The form that turns it off does not accept more guesses either.
        let body = json!({"password": PASSWORD, "code": code(&secret, 0)});
        assert_eq!(ada.post("/api/account/second-factor/off", body).await.status, 429);
        let told = mails(&app, "ada@example.com", 3).await;
        assert!(
            told.iter().any(|mail| mail["subject"].as_str().unwrap().contains("Failed sign-in attempts")),
            "{told:?}"
        );
        app.stop().await;
    }
}

#[tokio::test]
async fn many_codes_at_once_are_no_more_than_five_guesses() {
    for app in TestApp::both().await {
        let ada = app.person("ada").await;
        enrol(&ada).await;
        let (caller, _) = sign_in(&app, "ada@example.com", PASSWORD).await;
        let tries = (0..20).map(|number| {
            let request =
                caller.request("POST", "/api/auth/second-factor").json(&json!({"code": format!("{number:06}")}));
            async move { request.send().await.unwrap().status().as_u16() }
        });
        let answers = futures::future::join_all(tries).await;
        assert_eq!(answers.iter().filter(|status| **status != 429).count(), 5, "{answers:?}");
        app.stop().await;
    }
}

#[tokio::test]
async fn a_stolen_session_guesses_passwords_no_faster() {
    let app = TestApp::with(|config| {
        config.rate_limits = adagent_config::RateLimits::Standard;
        config.limits.sign_in_per_account = per_minute(3);
    })
    .await;
    let ada = app.person("ada").await;
    let guess = async |path: &str, body| ada.post(path, body).await.status;
    let email = json!({"email": "new@example.com", "password": "guess"});
    let password = json!({"current_password": "guess", "new_password": "another horse"});
    assert_eq!(guess("/api/account/email", email.clone()).await, 422);
    assert_eq!(guess("/api/account/password", password.clone()).await, 422);
    assert_eq!(guess("/api/account/second-factor", json!({"password": "guess"})).await, 422);
    for (path, body) in [
        ("/api/account/email", email),
        ("/api/account/password", password),
        ("/api/account/second-factor", json!({"password": PASSWORD})),
    ] {
        assert_eq!(guess(path, body).await, 429, "{path}");
    }
}

#[tokio::test]
async fn nobodys_mailbox_is_filled_and_a_refusal_tells_nothing() {
    let app = TestApp::with(|config| {
        config.rate_limits = adagent_config::RateLimits::Standard;
        config.limits.mail_per_address = per_minute(3);
    })
    .await;
    app.person("ada").await;
    let stranger = app.caller();
    for _ in 0..6 {
        for email in ["ada@example.com", "nobody@example.com"] {
            assert_eq!(stranger.post("/api/auth/forgot-password", json!({"email": email})).await.status, 202);
        }
    }
    // The last mail goes to somebody else, so all earlier ones have been sent.
    app.person("bob").await;
    mails(&app, "bob@example.com", 1).await;
    let resets = mails(&app, "ada@example.com", 1).await;
    let resets = resets.iter().filter(|mail| mail["subject"].as_str().unwrap().contains("Reset your password")).count();
    assert_eq!(resets, 3);
}

#[tokio::test]
async fn where_addresses_are_confirmed_first_signing_up_tells_nobody_who_has_an_account() {
    for app in [
        TestApp::with(|config| config.confirm_sign_up = true).await,
        TestApp::with_postgres(|config| config.confirm_sign_up = true).await,
    ] {
        let stranger = app.caller();
        let body = |password: &str| json!({"email": "ada@example.com", "password": password, "name": "Ada"});
        let sign_up = async |password: &str| {
            let answer = stranger.post("/api/auth/sign-up", body(password)).await;
            (answer.status, answer.text, answer.headers.contains_key("set-cookie"))
        };
        let new = sign_up(PASSWORD).await;
        let known = sign_up("another horse").await;
        assert_eq!((new.0, &new), (202, &known));
        // Signing in does not reveal it either, with the password of either person.
        for password in [PASSWORD, "another horse", "wrong"] {
            let (_, answer) = sign_in(&app, "ada@example.com", password).await;
            assert_eq!((answer.status, answer.code().as_str()), (401, "wrong_credentials"), "{password}");
        }
        let told = mails(&app, "ada@example.com", 2).await;
        assert!(told[0]["subject"].as_str().unwrap().contains("have an account"), "{told:?}");
        let token = super::link(&app, &told[1], "/verify-email");
        let body = json!({"token": token, "password": PASSWORD});
        assert_eq!(stranger.post("/api/auth/verify-email", body).await.status, 204);
        assert_eq!(sign_in(&app, "ada@example.com", PASSWORD).await.1.status, 200);
        assert_eq!(sign_in(&app, "ada@example.com", "another horse").await.1.status, 401);
        app.stop().await;
    }
}
