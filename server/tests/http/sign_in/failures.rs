//! Wrong passwords: reported to the owner of the account, and to nobody else.

use std::time::Duration;

use serde_json::{Value, json};

use super::{PASSWORD, sign_in};
use crate::harness::{Caller, TestApp};

/// Returns what the person sees after this many attempts in all. Attempts are recorded after their answer.
async fn told(caller: &Caller<'_>, attempts: u64) -> Value {
    let read = async {
        loop {
            let failed = caller.get("/api/account").await.json()["failed_sign_ins"].clone();
            let sum: u64 = failed.as_array().unwrap().iter().map(|from| from["attempts"].as_u64().unwrap()).sum();
            if sum >= attempts {
                assert_eq!(sum, attempts, "{failed}");
                return failed;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), read).await.expect("they are counted")
}

async fn noted(caller: &Caller<'_>) -> Vec<Value> {
    let home = caller.get("/api/me").await.json()["user"]["personal_workspace_id"].as_str().unwrap().to_owned();
    let log = caller.get(&format!("/api/organizations/{home}/audit-log?action=account.sign_in_failed")).await;
    log.json()["items"].as_array().unwrap().clone()
}

#[tokio::test]
async fn wrong_passwords_are_told_to_their_person_and_fill_nothing() {
    for app in TestApp::both().await {
        let (ada, bob) = (app.person("ada").await, app.person("bob").await);
        for _ in 0..4 {
            let (_, answer) = sign_in(&app, "ada@example.com", "a guess").await;
            assert_eq!((answer.status, answer.code().as_str()), (401, "wrong_credentials"));
        }
        // Attempts from a session that was left open count too.
        for (path, body) in [
            ("/api/account/email", json!({"email": "new@example.com", "password": "a guess"})),
            ("/api/account/delete", json!({"email": "ada@example.com", "password": "a guess"})),
            ("/api/tokens", json!({"name": "x", "scopes": ["api"], "password": "a guess"})),
        ] {
            assert_eq!(ada.post(path, body).await.pointer(), "/password", "{path}");
        }
        let failed = told(&ada, 7).await;
        assert_eq!((failed.as_array().unwrap().len(), failed[0]["address"].as_str()), (1, Some("127.0.0.1")));
        let lines = noted(&ada).await;
        assert_eq!(lines.len(), 1, "one an hour: {lines:?}");
        assert_eq!((&lines[0]["detail"]["from"], &lines[0]["detail"]["attempts"]), (&json!("127.0.0.1"), &json!(1)));
        let page = ada.request("GET", "/settings/account").send().await.unwrap().text().await.unwrap();
        assert!(page.contains("7 wrong passwords from 127.0.0.1"), "{page}");
        // An hour later, the log gets another entry, with the number of attempts.
        assert_eq!(app.database.execute("update failed_sign_ins set noted_at = noted_at - 3600000000").await, Ok(1));
        sign_in(&app, "ada@example.com", "a guess").await;
        told(&ada, 8).await;
        let lines = noted(&ada).await;
        assert_eq!((lines.len(), &lines[0]["detail"]["attempts"]), (2, &json!(8)));
        // Nobody else sees any of it, and nothing is stored about an address without an account.
        let (_, unknown) = sign_in(&app, "nobody@example.com", "a guess").await;
        assert_eq!(unknown.code(), "wrong_credentials");
        assert_eq!((told(&bob, 0).await, noted(&bob).await), (json!([]), Vec::new()));
        assert_eq!(sign_in(&app, "ada@example.com", PASSWORD).await.1.status, 200);
        let held = ada.get("/api/account/export").await.json();
        assert_eq!(held["person"]["sign_in"]["failed_sign_ins"][0]["attempts"], 8, "{}", held["person"]["sign_in"]);
        let database = app.database.clone();
        let folder = app.stop().await;
        // The work after the answer ended with the server: an unknown address is in no table.
        assert!(!database.dump().await.contains("nobody@example.com"));
        drop(folder);
    }
}
