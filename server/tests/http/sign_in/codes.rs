//! Two-factor authentication.

use serde_json::{Value, json};

use super::{PASSWORD, code, enrol, enrol_with, is_in, mails, sign_in};
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
        // A person who has entered only the password is not signed in.
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
        // The waiting session and the code no longer work.
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
    // Nor does one person's code sign in another, even after a correct password.
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
        // Only the browser that started the setup sees the secret again.
        let (phone, _) = sign_in(&app, "ada@example.com", PASSWORD).await;
        for (caller, shown) in [(&ada, true), (&phone, false)] {
            let page = caller.request("GET", "/settings/account?enrol=1").header("accept", "text/html").send().await;
            assert_eq!(page.unwrap().text().await.unwrap().contains(secret), shown);
        }
        // A started setup is not active yet.
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

#[tokio::test]
async fn recovery_codes_are_renewed_with_both_while_the_factor_stays_on() {
    for app in TestApp::both().await {
        let ada = app.person("ada").await;
        let path = "/api/account/second-factor/recovery-codes";
        let off = ada.post(path, json!({"password": PASSWORD, "code": "000000"})).await;
        assert_eq!(off.status, 409, "there is nothing to recover");
        let (secret, old) = enrol(&ada).await;
        let ask = async |password: &str, code: &str| ada.post(path, json!({"password": password, "code": code})).await;
        assert_eq!(ask("wrong", &code(&secret, 0)).await.pointer(), "/password");
        assert_eq!(ask(PASSWORD, "000000").await.pointer(), "/code");
        assert_eq!(ask(PASSWORD, "").await.pointer(), "/code");
        let made = ask(PASSWORD, &code(&secret, 0)).await;
        assert_eq!(made.status, 201, "{}", made.text);
        let new: Vec<String> = serde_json::from_value(made.json()["recovery_codes"].clone()).unwrap();
        assert!(new.len() == 10 && new.iter().all(|code| !old.contains(code)));
        let use_code = async |code: &str| {
            let (caller, half) = sign_in(&app, "ada@example.com", PASSWORD).await;
            assert_eq!(half.code(), "second_factor_required", "it is on all the while");
            caller.post("/api/auth/second-factor", json!({"code": code})).await.status
        };
        assert_eq!((use_code(&old[0]).await, use_code(&new[0]).await), (401, 200));
        let told = mails(&app, "ada@example.com", 3).await;
        let subjects: Vec<&str> = told.iter().filter_map(|mail| mail["subject"].as_str()).collect();
        assert!(subjects.contains(&"You have new recovery codes"), "{subjects:?}");
        // Use the page's form, which shows the codes once. One of them also proves the person's identity.
        let post = async |password: &str, code: &str| {
            let form = [("password", password), ("code", code)];
            let answer = ada.request("POST", "/settings/account").form(&form).send().await.unwrap();
            assert_eq!(
                (answer.status().as_u16(), answer.headers()["cache-control"].to_str().unwrap()),
                (200, "no-store")
            );
            answer.text().await.unwrap()
        };
        let wrong = post("a-wrong-guess", &new[1]).await;
        assert!(wrong.contains("id=\"renew-password-error\"") && !wrong.contains("a-wrong-guess"), "{wrong}");
        let page = post(PASSWORD, &new[1]).await;
        assert!(page.contains("id=\"new-codes\"") && page.contains("Recovery codes left: 10."), "{page}");
        let again = ada.request("GET", "/settings/account").send().await.unwrap().text().await.unwrap();
        assert!(!again.contains("id=\"new-codes\""));
        assert_eq!(use_code(&new[2]).await, 401, "renewed again");
        let home = ada.get("/api/me").await.json()["user"]["personal_workspace_id"].as_str().unwrap().to_owned();
        let log = format!("/api/organizations/{home}/audit-log?action=account.recovery_codes_renewed");
        let lines = ada.get(&log).await;
        assert_eq!(lines.json()["items"].as_array().unwrap().len(), 2, "{}", lines.text);
        assert!(new.iter().all(|code| !lines.text.contains(code)));
        app.stop().await;
    }
}
