//! Names and addresses that imitate others: with invisible characters, with characters that reverse the text, or far too long.

use serde_json::{Value, json};

use super::PASSWORD;
use crate::harness::TestApp;

const HOSTILE: [&str; 6] =
    ["Ada\u{202E}nimdA", "\u{2066}Ada\u{2069}", "A\u{200B}da", "Ada\u{FEFF}", "Ada\u{0}", "Ada\u{E0041}"];

#[tokio::test]
async fn no_name_has_what_nobody_sees_or_no_end() {
    for app in TestApp::both().await {
        let ada = app.person("ada").await;
        let acme =
            ada.post("/api/organizations", json!({"name": "Acme"})).await.json()["id"].as_str().unwrap().to_owned();
        let long = "x".repeat(101);
        for name in HOSTILE.iter().copied().chain([long.as_str(), " ", "\u{2028}"]) {
            let named = |body: Value| {
                let mut body = body;
                body["name"] = json!(name);
                body
            };
            let sign_up = named(json!({"email": "eve@example.com", "password": PASSWORD}));
            assert_eq!(app.caller().post("/api/auth/sign-up", sign_up).await.pointer(), "/name", "{name:?}");
            let token = named(json!({"scopes": ["api"], "password": PASSWORD}));
            assert_eq!(ada.post("/api/tokens", token).await.pointer(), "/name", "{name:?}");
            for (method, path) in [
                ("PATCH", "/api/account/profile".to_owned()),
                ("POST", "/api/organizations".to_owned()),
                ("PATCH", format!("/api/organizations/{acme}")),
            ] {
                let answer = ada.send(method, &path, Some(named(json!({})))).await;
                assert_eq!((answer.status, answer.pointer().as_str()), (422, "/name"), "{path} {name:?}");
            }
            // If a form sends the name, the answer is its page again, which shows the error at the field.
            let form = [("name", name), ("email", "eve@example.com"), ("password", PASSWORD)];
            let answer = app.caller().request("POST", "/api/auth/sign-up").form(&form).send().await.unwrap();
            assert!(answer.url().query().unwrap().contains("field=name"), "{}", answer.url());
            assert!(answer.text().await.unwrap().contains("id=\"nm-error\""), "{name:?}");
        }
        app.stop().await;
    }
}

#[tokio::test]
async fn no_address_looks_like_another_or_has_no_end() {
    for app in TestApp::both().await {
        let ada = app.person("ada").await;
        let acme =
            ada.post("/api/organizations", json!({"name": "Acme"})).await.json()["id"].as_str().unwrap().to_owned();
        let long = format!("{}@example.com", "x".repeat(300));
        for email in [
            "a\u{200B}da@example.com",
            "\u{202E}ada@example.com",
            "ad\u{200D}a@example.com",
            "ada\u{AD}@example.com",
            long.as_str(),
        ] {
            let sign_up = json!({"email": email, "password": PASSWORD, "name": "Eve"});
            assert_eq!(app.caller().post("/api/auth/sign-up", sign_up).await.pointer(), "/email", "{email:?}");
            let change = json!({"email": email, "password": PASSWORD});
            assert_eq!(ada.post("/api/account/email", change).await.pointer(), "/email", "{email:?}");
            let invite = json!({"email": email, "role": "member"});
            let path = format!("/api/organizations/{acme}/invitations");
            assert_eq!(ada.post(&path, invite).await.pointer(), "/email", "{email:?}");
        }
        let sign_in = json!({"email": long, "password": "x".repeat(1001)});
        let answer = app.caller().post("/api/auth/sign-in", sign_in).await;
        assert_eq!(
            (answer.status, answer.json()["errors"].as_array().map(Vec::len)),
            (422, Some(2)),
            "{}",
            answer.text
        );
        app.stop().await;
    }
}

/// An allowed name is shown exactly as typed: nothing in it is markup, on a page, in a mail or in the log.
#[tokio::test]
async fn a_name_is_never_markup() {
    const NAME: &str = "<b>Ada</b> \"&amp; שלום";
    let app = TestApp::sqlite().await;
    let ada = app.caller();
    let body = json!({"email": "ada@example.com", "password": PASSWORD, "name": NAME});
    assert_eq!(ada.post("/api/auth/sign-up", body).await.status, 201);
    let acme =
        ada.post("/api/organizations", json!({"name": "<i>Acme</i>"})).await.json()["id"].as_str().unwrap().to_owned();
    let invite = json!({"email": "bob@example.com", "role": "member"});
    assert_eq!(ada.post(&format!("/api/organizations/{acme}/invitations"), invite).await.status, 201);
    for path in [format!("/settings/team?workspace={acme}"), "/chat".to_owned(), "/settings/account".to_owned()] {
        let page = ada.request("GET", &path).send().await.unwrap().text().await.unwrap();
        // The JSON for scripts contains no start of a tag.
        assert!(!page.contains("<b>Ada") && !page.contains("<i>Acme"), "{path}: {page}");
    }
    let team =
        ada.request("GET", &format!("/settings/team?workspace={acme}")).send().await.unwrap().text().await.unwrap();
    assert!(team.contains("&lt;b&gt;Ada&lt;/b&gt;") && team.contains("&lt;i&gt;Acme&lt;/i&gt;"), "{team}");
    let mail = super::mails(&app, "bob@example.com", 1).await;
    let outbox = app.caller().request("GET", "/dev/outbox").send().await.unwrap().text().await.unwrap();
    assert!(!outbox.contains("<b>Ada") && !outbox.contains("<i>Acme"), "{mail:?} {outbox}");
}
