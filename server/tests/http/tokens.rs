//! Access tokens over HTTP: created once, used within their scope, and refused in the same way whenever they are invalid.

use serde_json::{Value, json};

use crate::{
    harness::{Answer, Caller, TestApp, per_minute},
    sign_in::PASSWORD,
};

pub async fn token(caller: &Caller<'_>, scopes: &[&str]) -> (String, String) {
    let answer = caller.post("/api/tokens", json!({"name": "laptop", "scopes": scopes, "password": PASSWORD})).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    let text = |field: &str| answer.json()[field].as_str().unwrap().to_owned();
    (text("id"), text("token"))
}

async fn with(caller: &Caller<'_>, method: &str, path: &str, token: &str, body: Option<Value>) -> Answer {
    let request = caller.request(method, path).bearer_auth(token);
    let request = match body {
        Some(body) => request.json(&body),
        None => request,
    };
    caller.finish(method, path, request).await
}

fn without_id(answer: &Answer) -> (u16, Value) {
    let mut body = answer.json();
    body["request_id"] = Value::Null;
    (answer.status, body)
}

#[tokio::test]
async fn a_token_acts_for_its_person_until_it_is_revoked() {
    for app in TestApp::both().await {
        let (ada, nobody) = (app.person("ada").await, app.caller());
        let (id, secret) = token(&ada, &["api"]).await;
        let me = with(&nobody, "GET", "/api/me", &secret, None).await;
        assert_eq!((me.status, me.json()["user"]["name"].as_str()), (200, Some("ada")));
        let made = with(&nobody, "POST", "/api/chat/sessions", &secret, Some(json!({"title": "by a program"}))).await;
        assert_eq!(made.status, 201);
        let list = ada.get("/api/tokens").await;
        assert!(!list.text.contains(&secret), "a secret is told once");
        assert!(secret.starts_with(list.json()["items"][0]["hint"].as_str().unwrap()));
        assert!(list.json()["items"][0]["last_used_at"].is_string());
        // Another signed-in person cannot revoke it, and no token creates or revokes tokens.
        let bob = app.person("bob").await;
        assert_eq!(bob.send("DELETE", &format!("/api/tokens/{id}"), None).await.status, 404);
        for (method, path) in [("GET", "/api/tokens".to_owned()), ("DELETE", format!("/api/tokens/{id}"))] {
            assert_eq!(with(&nobody, method, &path, &secret, None).await.status, 403, "{method} {path}");
        }
        assert_eq!(ada.send("DELETE", &format!("/api/tokens/{id}"), None).await.status, 204);
        assert_eq!(with(&nobody, "GET", "/api/me", &secret, None).await.status, 401);
        assert_eq!(ada.send("DELETE", &format!("/api/tokens/{id}"), None).await.status, 404);
        app.stop().await;
    }
}

#[tokio::test]
async fn what_is_not_valid_is_refused_with_the_same_words() {
    let app = TestApp::sqlite().await;
    let (ada, nobody) = (app.person("ada").await, app.caller());
    let (id, revoked) = token(&ada, &["api"]).await;
    ada.send("DELETE", &format!("/api/tokens/{id}"), None).await;
    let unknown = format!("adat_{}", "A".repeat(43));
    let first = with(&nobody, "GET", "/api/me", &revoked, None).await;
    assert_eq!((first.status, first.code().as_str()), (401, "invalid_token"));
    assert!(first.headers["www-authenticate"].to_str().unwrap().contains("invalid_token"));
    for other in [unknown.as_str(), "x", &format!("{unknown}A"), "adat_", "' or 1=1 --"] {
        assert_eq!(without_id(&with(&nobody, "GET", "/api/me", other, None).await), without_id(&first), "{other}");
    }
    // A browser session sent along does not make up for a wrong token.
    let request = ada.request("GET", "/api/me").bearer_auth(&unknown);
    assert_eq!(ada.finish("GET", "/api/me", request).await.status, 401);
    assert_eq!(ada.get("/api/me").await.status, 200);
}

#[tokio::test]
async fn a_token_is_for_its_scope_and_its_workspace_only() {
    let app = TestApp::sqlite().await;
    let (ada, bob, nobody) = (app.person("ada").await, app.person("bob").await, app.caller());
    let (_, tools) = token(&ada, &["mcp"]).await;
    let refused = with(&nobody, "GET", "/api/me", &tools, None).await;
    assert_eq!((refused.status, refused.code().as_str()), (403, "insufficient_scope"));
    let (_, secret) = token(&ada, &["api"]).await;
    let workspace = |me: &Answer| me.json()["user"]["personal_workspace_id"].as_str().unwrap().to_owned();
    let (adas, bobs) = (workspace(&ada.get("/api/me").await), workspace(&bob.get("/api/me").await));
    for (named, status) in [(adas, 200), (bobs, 404)] {
        let request = nobody.request("GET", "/api/runs").bearer_auth(&secret).header("x-organization-id", named);
        assert_eq!(nobody.finish("GET", "/api/runs", request).await.status, status);
    }
    // Pages ignore tokens.
    let page = nobody.request("GET", "/settings/tokens").bearer_auth(&secret).send().await.unwrap();
    assert!(!page.text().await.unwrap().contains("Your tokens"), "a token signs nobody in");
}

#[tokio::test]
async fn bad_tokens_to_make_are_refused_by_field() {
    let app = TestApp::sqlite().await;
    let ada = app.person("ada").await;
    for (body, pointer) in [
        (json!({"name": " ", "scopes": ["api"]}), "/name"),
        (json!({"name": "a\u{202e}b", "scopes": ["api"]}), "/name"),
        (json!({"name": "x".repeat(101), "scopes": ["api"]}), "/name"),
        (json!({"name": "x", "scopes": []}), "/scopes"),
        (json!({"name": "x", "scopes": ["api"], "expires_at": "2001-01-01T00:00:00Z"}), "/expires_at"),
    ] {
        let mut body = body;
        body["password"] = json!(PASSWORD);
        let answer = ada.post("/api/tokens", body).await;
        assert_eq!((answer.status, answer.pointer().as_str()), (422, pointer), "{}", answer.text);
    }
    let answer = ada.post("/api/tokens", json!({"name": "x", "scopes": ["root"], "password": PASSWORD})).await;
    assert!((400..500).contains(&answer.status), "{}", answer.text);
}

/// A token outlives the session that creates it, so a person who finds an open session must not be able to create one.
#[tokio::test]
async fn a_token_is_made_by_who_shows_their_password() {
    for app in TestApp::both().await {
        let ada = app.person("ada").await;
        for scopes in [["api"], ["mcp"]] {
            for password in [json!(null), json!(""), json!("a guess")] {
                let body = json!({"name": "x", "scopes": scopes, "password": password});
                let answer = ada.post("/api/tokens", body).await;
                assert_eq!((answer.status, answer.pointer().as_str()), (422, "/password"), "{}", answer.text);
            }
            let form =
                ada.request("POST", "/desk/create-token").form(&[("name", "x"), (scopes[0], "on"), ("days", "")]);
            let answer = form.send().await.unwrap();
            assert_eq!(answer.status(), 422, "{}", answer.text().await.unwrap());
        }
        assert_eq!(ada.get("/api/tokens").await.json()["items"], json!([]));
        token(&ada, &["mcp"]).await;
        app.stop().await;
    }
}

#[tokio::test]
async fn who_guesses_tokens_is_slowed_and_good_ones_still_work() {
    let app = TestApp::with(|config| {
        config.rate_limits = adagent_config::RateLimits::Standard;
        config.limits.sign_in_per_address = per_minute(3);
    })
    .await;
    let (ada, nobody) = (app.person("ada").await, app.caller());
    let (_, secret) = token(&ada, &["api"]).await;
    let guess = format!("adat_{}", "B".repeat(43));
    for _ in 0..3 {
        assert_eq!(with(&nobody, "GET", "/api/me", &guess, None).await.status, 401);
    }
    assert_eq!(with(&nobody, "GET", "/api/me", &guess, None).await.status, 429);
    assert_eq!(with(&nobody, "GET", "/api/me", &secret, None).await.status, 200);
}

#[tokio::test]
async fn the_page_shows_a_secret_once_without_script() {
    let app = TestApp::sqlite().await;
    let ada = app.person("ada").await;
    let form = [("name", "My <laptop>"), ("mcp", "on"), ("days", "30"), ("password", PASSWORD)];
    let request = ada.request("POST", "/settings/tokens").form(&form);
    let answer = request.send().await.unwrap();
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.headers()["cache-control"], "no-store");
    let page = answer.text().await.unwrap();
    let at = page.find("adat_").expect("the secret is on the page");
    let secret = &page[at..at + 48];
    assert!(page.contains("/mcp") && page.contains("My &lt;laptop&gt;") && !page.contains("My <laptop>"));
    let list = ada.get("/api/tokens").await.json();
    assert_eq!(list["items"].as_array().unwrap().len(), 1);
    assert_eq!(list["items"][0]["scopes"], json!(["mcp"]));
    assert!(list["items"][0]["expires_at"].is_string());
    let again = ada.request("GET", "/settings/tokens").send().await.unwrap().text().await.unwrap();
    assert!(!again.contains(secret) && again.contains("My &lt;laptop&gt;"));
    // The page shows the error, and no token is created.
    let wrong = ada.request("POST", "/settings/tokens").form(&[("name", ""), ("days", "30")]).send().await.unwrap();
    assert!(wrong.text().await.unwrap().contains("role=\"alert\""));
    // The form keeps what was filled in, except the password.
    let guess = [("name", "A <program>"), ("api", "on"), ("days", "365"), ("password", "a-wrong-guess")];
    let wrong = ada.request("POST", "/settings/tokens").form(&guess).send().await.unwrap().text().await.unwrap();
    assert!(wrong.contains("id=\"password-wrong\"") && wrong.contains("Incorrect password."), "{wrong}");
    assert!(wrong.contains("value=\"A &lt;program&gt;\"") && !wrong.contains("a-wrong-guess"), "{wrong}");
    let other = ada.request("POST", "/settings/tokens").header("origin", crate::harness::EVIL).form(&form);
    assert_eq!(other.send().await.unwrap().status(), 403);
    assert_eq!(ada.get("/api/tokens").await.json()["items"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_stream_opened_with_a_token_ends_with_it() {
    for app in TestApp::both().await {
        let ada = app.explorer("ada").await;
        let (id, secret) = token(&ada, &["api"]).await;
        let wish = "Create a mediation group for Puzzle Game on Android banner with AppLovin and Unity bidding";
        let events = ada.ask(json!({"message": wish})).await;
        let asked = events.last().unwrap();
        let (run, after) = (asked["run_id"].as_str().unwrap(), &asked["seq"]);
        let path = format!("/api/runs/{run}/events?after={after}");
        let mut open = ada.request("GET", &path).bearer_auth(&secret).send().await.unwrap();
        assert_eq!(open.status(), 200);
        assert_eq!(ada.send("DELETE", &format!("/api/tokens/{id}"), None).await.status, 204);
        let denied = json!({"approval_id": asked["approval_id"], "approved": false});
        ada.stream(ada.request("POST", "/chat/approve-tool").json(&denied)).await;
        let limit = std::time::Duration::from_secs(30);
        let mut told = String::new();
        while let Some(chunk) = tokio::time::timeout(limit, open.chunk()).await.expect("it ends").unwrap() {
            told.push_str(&String::from_utf8_lossy(&chunk));
        }
        assert!(!told.contains("tool_approval_answered") && !told.contains("\"done\""), "{told}");
        app.stop().await;
    }
}

#[tokio::test]
async fn an_empty_form_is_told_at_every_field_by_the_page_itself() {
    let app = TestApp::sqlite().await;
    let ada = app.person("ada").await;
    let empty = crate::workspaces::page(&ada, "/settings/tokens", None).await;
    assert!(empty.text.contains("novalidate"), "the browser says nothing of its own");
    let refused =
        crate::workspaces::form(&ada, "/settings/tokens", &[("name", ""), ("days", "90"), ("password", "")]).await;
    for id in ["name-wrong", "scopes-wrong"] {
        assert!(refused.text.contains(&format!("id=\"{id}\"")), "{id}: {}", refused.text);
    }
}
