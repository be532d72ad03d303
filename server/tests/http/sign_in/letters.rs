//! What comes by mail: links to confirm an address, to change it, and to set a new password.

use serde_json::{Value, json};

use super::{PASSWORD, code, enrol, is_in, link, mails, sign_in};
use crate::harness::{EVIL, TestApp};

#[tokio::test]
async fn an_address_is_proven_by_its_link_once() {
    for app in TestApp::both().await {
        let ada = app.person("ada").await;
        let account = ada.get("/api/account").await.json();
        assert_eq!(
            (&account["email_verified"], &account["awaiting_email"]),
            (&json!(false), &json!("ada@example.com"))
        );
        let first = link(&app, &mails(&app, "ada@example.com", 1).await[0], "/verify-email");
        assert_eq!(ada.post("/api/account/verify-email", json!({})).await.status, 202);
        let second = link(&app, &mails(&app, "ada@example.com", 2).await[0], "/verify-email");
        // Opening the page confirms nothing, because mail programs open every link.
        let page = app.caller().request("GET", &format!("/verify-email/{second}")).send().await.unwrap();
        assert_eq!(page.status(), 200);
        assert_eq!(ada.get("/api/account").await.json()["email_verified"], false);
        let old = ada.post("/api/auth/verify-email", json!({"token": first})).await;
        assert_eq!((old.status, old.pointer().as_str()), (422, "/token"), "a newer link was sent");
        // A person who reads the mail but did not create the account confirms nothing for its creator.
        let (anybody, bob) = (app.caller(), app.person("bob").await);
        for (caller, body) in [
            (&anybody, json!({"token": second})),
            (&anybody, json!({"token": second, "password": "wrong"})),
            (&bob, json!({"token": second})),
        ] {
            assert_eq!(caller.post("/api/auth/verify-email", body).await.pointer(), "/password");
        }
        assert_eq!(ada.get("/api/account").await.json()["email_verified"], false);
        let body = json!({"token": second, "password": PASSWORD});
        assert_eq!(anybody.post("/api/auth/verify-email", body.clone()).await.status, 204);
        assert_eq!(anybody.post("/api/auth/verify-email", body).await.status, 422, "used");
        assert_eq!(ada.get("/api/account").await.json()["email_verified"], true);
        assert_eq!(ada.post("/api/account/verify-email", json!({})).await.status, 409);
        app.stop().await;
    }
}

#[tokio::test]
async fn a_new_address_counts_once_its_link_was_followed() {
    for app in TestApp::both().await {
        let (ada, _bob) = (app.person("ada").await, app.person("bob").await);
        let ask = async |email: &str, password: &str| {
            ada.post("/api/account/email", json!({"email": email, "password": password})).await
        };
        assert_eq!(ask("new@example.com", "wrong").await.pointer(), "/password");
        assert_eq!(ask("new@", PASSWORD).await.pointer(), "/email");
        assert_eq!(ask("ADA@example.com", PASSWORD).await.pointer(), "/email");
        // Somebody else's address gets the same answer; its owner is told.
        assert_eq!(ask("free@example.com", PASSWORD).await.status, 202);
        let mut free = ada.get("/api/account").await.json();
        assert_eq!(free["awaiting_email"], "free@example.com");
        assert_eq!(ask("bob@example.com", PASSWORD).await.status, 202);
        free["awaiting_email"] = json!("bob@example.com");
        assert_eq!(ada.get("/api/account").await.json(), free, "nor does the account look different");
        assert!(mails(&app, "bob@example.com", 2).await[0]["subject"].as_str().unwrap().contains("have an account"));
        assert_eq!(ask("new@example.com", PASSWORD).await.status, 202);
        let secret = link(&app, &mails(&app, "new@example.com", 1).await[0], "/verify-email");
        let email = async || ada.get("/api/me").await.json()["user"]["email"].clone();
        assert_eq!(email().await, "ada@example.com");
        assert_eq!(ada.post("/api/auth/verify-email", json!({"token": secret})).await.status, 204);
        assert_eq!(email().await, "new@example.com");
        assert!(mails(&app, "ada@example.com", 2).await[0]["subject"].as_str().unwrap().contains("was changed"));
        assert_eq!(sign_in(&app, "ada@example.com", PASSWORD).await.1.status, 401);
        assert_eq!(sign_in(&app, "new@example.com", PASSWORD).await.1.status, 200);
        app.stop().await;
    }
}

#[tokio::test]
async fn a_forgotten_password_is_set_anew_once_and_everybody_is_signed_out() {
    for app in TestApp::both().await {
        let ada = app.person("ada").await;
        let (phone, _) = sign_in(&app, "ada@example.com", PASSWORD).await;
        let stranger = app.caller();
        let forgot = async |email: &str| stranger.post("/api/auth/forgot-password", json!({"email": email})).await;
        let (known, unknown) = (forgot(" ADA@example.com").await, forgot("nobody@example.com").await);
        assert_eq!((known.status, known.text), (unknown.status, unknown.text));
        let first = link(&app, &mails(&app, "ada@example.com", 2).await[0], "/reset-password");
        assert_eq!(forgot("ada@example.com").await.status, 202);
        let token = link(&app, &mails(&app, "ada@example.com", 3).await[0], "/reset-password");
        let reset = async |token: &str, password: &str| {
            stranger.post("/api/auth/reset-password", json!({"token": token, "password": password})).await
        };
        assert_eq!(reset(&first, "another horse").await.pointer(), "/token", "one live link");
        assert_eq!(reset(&token, "short").await.pointer(), "/password");
        // A link for another purpose does not work.
        assert_eq!(stranger.post("/api/auth/verify-email", json!({"token": token})).await.pointer(), "/token");
        assert_eq!(reset(&token, "another horse").await.status, 204);
        assert_eq!(reset(&token, "a third horse").await.pointer(), "/token", "stolen and used again");
        assert!(!is_in(&ada).await && !is_in(&phone).await && !is_in(&stranger).await);
        assert_eq!(sign_in(&app, "ada@example.com", PASSWORD).await.1.status, 401);
        assert_eq!(sign_in(&app, "ada@example.com", "another horse").await.1.status, 200);
        assert!(
            mails(&app, "ada@example.com", 4).await[0]["subject"].as_str().unwrap().contains("password was changed")
        );
        app.stop().await;
    }
}

#[tokio::test]
async fn many_who_use_a_stolen_link_at_once_set_one_password() {
    for app in TestApp::both().await {
        app.person("ada").await;
        let stranger = app.caller();
        stranger.post("/api/auth/forgot-password", json!({"email": "ada@example.com"})).await;
        let token = link(&app, &mails(&app, "ada@example.com", 2).await[0], "/reset-password");
        let tries = (0..6).map(|number| {
            let body = json!({"token": token, "password": format!("horse number {number}")});
            let request = stranger.request("POST", "/api/auth/reset-password").json(&body);
            async move { request.send().await.unwrap().status().as_u16() }
        });
        let mut answers = futures::future::join_all(tries).await;
        answers.sort_unstable();
        assert_eq!(answers, [204, 422, 422, 422, 422, 422]);
        app.stop().await;
    }
}

#[tokio::test]
async fn a_new_password_leaves_the_second_factor_on() {
    let app = TestApp::sqlite().await;
    let ada = app.person("ada").await;
    let token = link(&app, &mails(&app, "ada@example.com", 1).await[0], "/verify-email");
    assert_eq!(ada.post("/api/auth/verify-email", json!({"token": token})).await.status, 204);
    let (secret, _) = enrol(&ada).await;
    ada.post("/api/auth/forgot-password", json!({"email": "ada@example.com"})).await;
    let token = link(&app, &mails(&app, "ada@example.com", 3).await[0], "/reset-password");
    let body = json!({"token": token, "password": "another horse"});
    assert_eq!(ada.post("/api/auth/reset-password", body).await.status, 204);
    let (caller, answer) = sign_in(&app, "ada@example.com", "another horse").await;
    assert_eq!((answer.status, answer.code().as_str()), (401, "second_factor_required"));
    assert!(!is_in(&caller).await);
    assert_eq!(caller.post("/api/auth/second-factor", json!({"code": code(&secret, 0)})).await.status, 200);
    assert!(is_in(&caller).await);
}

/// Somebody creates an account with another person's address and waits for its owner to come.
#[tokio::test]
async fn what_was_left_in_an_account_before_its_address_was_proven_opens_nothing() {
    for app in TestApp::both().await {
        let early = app.person("ada").await;
        let (_, secret) = crate::tokens::token(&early, &["api"]).await;
        enrol(&early).await;
        early.post("/api/auth/forgot-password", json!({"email": "ada@example.com"})).await;
        let token = link(&app, &mails(&app, "ada@example.com", 3).await[0], "/reset-password");
        let body = json!({"token": token, "password": "another horse"});
        assert_eq!(app.caller().post("/api/auth/reset-password", body).await.status, 204);
        assert!(!is_in(&early).await);
        let nobody = app.caller();
        let request = nobody.request("GET", "/api/me").bearer_auth(&secret);
        assert_eq!(nobody.finish("GET", "/api/me", request).await.status, 401);
        let (owner, answer) = sign_in(&app, "ada@example.com", "another horse").await;
        assert_eq!(answer.status, 200, "a code of somebody else's telephone would lock the owner out");
        assert_eq!(owner.get("/api/account").await.json()["email_verified"], true);
        app.stop().await;
    }
}

/// Somebody had the session and the password for a while, and requested another address.
#[tokio::test]
async fn a_change_of_address_that_waits_does_not_outlive_the_password() {
    for app in TestApp::both().await {
        let ada = app.person("ada").await;
        let ask = async |email: &str, password: &str| {
            let body = json!({"email": email, "password": password});
            assert_eq!(ada.post("/api/account/email", body).await.status, 202);
            link(&app, &mails(&app, email, 1).await[0], "/verify-email")
        };
        let follow = async |token: &str, password: &str| {
            let body = json!({"token": token, "password": password});
            app.caller().post("/api/auth/verify-email", body).await.pointer()
        };
        let waiting = ask("eve@example.com", PASSWORD).await;
        let change = json!({"current_password": PASSWORD, "new_password": "another horse"});
        assert_eq!(ada.post("/api/account/password", change).await.status, 204);
        assert_eq!(follow(&waiting, "another horse").await, "/token", "changed");
        let waiting = ask("eva@example.com", "another horse").await;
        ada.post("/api/auth/forgot-password", json!({"email": "ada@example.com"})).await;
        let token = link(&app, &mails(&app, "ada@example.com", 3).await[0], "/reset-password");
        let body = json!({"token": token, "password": "a third horse"});
        assert_eq!(ada.post("/api/auth/reset-password", body).await.status, 204);
        assert_eq!(follow(&waiting, "a third horse").await, "/token", "set anew");
        app.stop().await;
    }
}

#[tokio::test]
async fn many_who_forgot_at_once_are_answered_alike() {
    for app in TestApp::both().await {
        app.person("ada").await;
        let stranger = app.caller();
        for email in ["ada@example.com", "nobody@example.com"] {
            let tries = (0..8).map(|_| {
                let request = stranger.request("POST", "/api/auth/forgot-password").json(&json!({"email": email}));
                async move { request.send().await.unwrap().status().as_u16() }
            });
            assert_eq!(futures::future::join_all(tries).await, [202; 8], "{email}");
        }
        let newest = mails(&app, "ada@example.com", 9).await;
        let body = |mail: &Value| json!({"token": link(&app, mail, "/reset-password"), "password": "another horse"});
        let mut worked = 0;
        for mail in &newest[..8] {
            worked += u32::from(stranger.post("/api/auth/reset-password", body(mail)).await.status == 204);
        }
        assert_eq!(worked, 1, "one link is live");
        app.stop().await;
    }
}

#[tokio::test]
async fn links_lead_to_this_server_whatever_a_request_calls_it() {
    let app = TestApp::sqlite().await;
    let ada = app.person("ada").await;
    for (name, value) in
        [("x-forwarded-host", "evil.example"), ("forwarded", "host=evil.example"), ("x-forwarded-proto", "gopher")]
    {
        let request = app.caller().request("POST", "/api/auth/forgot-password").header(name, value);
        let answer = request.json(&json!({"email": "ada@example.com"})).send().await.unwrap();
        assert_eq!(answer.status(), 202, "{name}");
    }
    // With another host name, the server does not answer at all.
    let request = app.caller().request("POST", "/api/auth/forgot-password").header("host", "evil.example");
    assert_eq!(request.json(&json!({"email": "ada@example.com"})).send().await.unwrap().status(), 421);
    for mail in mails(&app, "ada@example.com", 4).await {
        assert!(!mail.to_string().contains("evil"), "{mail}");
        let url = mail["url"].as_str().unwrap();
        assert!(url.starts_with(&format!("{}/", app.running.base_url())), "{url}");
    }
    drop(ada);
}

#[tokio::test]
async fn forms_without_script_lead_on_and_back_with_what_is_wrong_where() {
    let app = TestApp::sqlite().await;
    let ada = app.person("ada").await;
    let plain = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let cookie = ada.cookie.lock().unwrap().clone().unwrap();
    let post = async |path: &str, form: &[(&str, &str)]| {
        let request = plain.post(format!("{}{path}", app.running.base_url())).header("cookie", &cookie).form(form);
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status(), 303, "{path}");
        answer.headers()["location"].to_str().unwrap().to_owned()
    };
    assert_eq!(post("/api/auth/forgot-password", &[("email", "x@example.com")]).await, "/forgot-password?sent=1");
    assert_eq!(
        post("/api/auth/forgot-password", &[("email", "")]).await,
        "/forgot-password?error=validation_failed&field=email"
    );
    assert_eq!(
        post("/api/account/password", &[("current_password", "wrong"), ("new_password", "another horse")]).await,
        "/settings/account?form=password&error=validation_failed&field=current_password"
    );
    assert_eq!(
        post("/api/account/email", &[("email", "new@"), ("password", PASSWORD)]).await,
        "/settings/account?form=email&error=validation_failed&field=email"
    );
    assert_eq!(post("/api/account/verify-email", &[]).await, "/settings/account?done=sent");
    let back =
        post("/api/auth/reset-password", &[("token", "AAAA"), ("password", "another horse"), ("return", EVIL)]).await;
    assert_eq!(back, "/reset-password/AAAA?error=validation_failed&field=token");
    let done =
        post("/api/account/password", &[("current_password", PASSWORD), ("new_password", "another horse")]).await;
    assert_eq!(done, "/settings/account?done=password");
    assert!(is_in(&ada).await, "who changes their password stays signed in");
}

#[tokio::test]
async fn a_refused_sign_up_marks_every_wrong_field_and_keeps_what_was_typed_out_of_the_address() {
    let app = TestApp::sqlite().await;
    let plain = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let url = |path: &str| format!("{}{path}", app.running.base_url());
    let form = [("name", "Dana “D” Reyes"), ("email", "dana@studio"), ("password", "short")];
    let refused = plain.post(url("/api/auth/sign-up")).form(&form).send().await.unwrap();
    let location = refused.headers()["location"].to_str().unwrap().to_owned();
    assert_eq!(location, "/sign-up?error=validation_failed&field=email&field=password");
    let cookie = refused.headers()["set-cookie"].to_str().unwrap().to_owned();
    assert!(cookie.contains("HttpOnly") && cookie.contains("Max-Age=120"), "{cookie}");
    let cookie = cookie.split(';').next().unwrap();
    let shown = plain.get(url(&location)).header("cookie", cookie).send().await.unwrap();
    let used_up = shown.headers()["set-cookie"].to_str().unwrap().to_owned();
    assert!(used_up.starts_with("adagent_form=;") && used_up.contains("Max-Age=0"), "{used_up}");
    let page = shown.text().await.unwrap();
    assert!(page.contains("value=\"dana@studio\"") && page.contains("value=\"Dana “D” Reyes\""), "{page}");
    assert!(page.contains("id=\"em-error\"") && page.contains("id=\"pw-error\"") && !page.contains("id=\"nm-error\""));
    // The cookie has no effect on another page.
    let other = plain.get(url("/sign-in")).header("cookie", cookie).send().await.unwrap();
    assert!(other.headers().get("set-cookie").is_none());
    assert!(!other.text().await.unwrap().contains("dana@studio"));
}

#[tokio::test]
async fn what_needs_mail_says_so_where_none_is_sent() {
    let app = TestApp::with(|config| {
        // Others may reach this server, so its mails must not lie open.
        config.public_url = Some("http://desk.example.com".parse().unwrap());
    })
    .await;
    let ada = app.person("ada").await;
    assert_eq!(ada.get("/api/account").await.json()["mail"], false);
    for (path, body) in [
        ("/api/auth/forgot-password", json!({"email": "ada@example.com"})),
        ("/api/account/verify-email", json!({})),
        ("/api/account/email", json!({"email": "new@example.com", "password": PASSWORD})),
    ] {
        let answer = ada.post(path, body).await;
        assert_eq!((answer.status, answer.code().as_str()), (503, "mail_off"), "{path}");
    }
    // A notice that cannot be sent does not prevent the action.
    let body = json!({"current_password": PASSWORD, "new_password": "another horse"});
    assert_eq!(ada.post("/api/account/password", body).await.status, 204);
    assert_ne!(ada.get("/api/account").await.json(), Value::Null);
}
