//! Signing in to a tool server with OAuth, over the API and on the page: the way there and back, whose a state is, and what happens
//! when a sign-in ends.

#[path = "../../../crates/sources/tests/issuer/mod.rs"]
mod issuer;

use std::sync::atomic::Ordering;

use issuer::Issuer;
use serde_json::{Value, json};

use crate::harness::{Caller, TestApp, of};

async fn apps() -> [TestApp; 2] {
    let allowed = |config: &mut adagent_config::Config| {
        config.tool_servers.allow = adagent_config::Hosts(vec!["127.0.0.1".into()]);
    };
    [TestApp::with(allowed).await, TestApp::with_postgres(allowed).await]
}

async fn connect(caller: &Caller<'_>, issuer: &Issuer) -> Value {
    let new = json!({"name": "Docs", "url": issuer.url(), "sign_in": {"kind": "oauth"}});
    let made = caller.post("/api/mcp-servers", new).await;
    assert_eq!(made.status, 201, "{}", made.text);
    made.json()
}

fn path_of(server: &Value) -> String {
    format!("/api/mcp-servers/{}", server["id"].as_str().unwrap())
}

fn browser() -> reqwest::Client {
    reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap()
}

/// Begins a sign-in and consents to it. Returns the address that the browser is sent back to.
async fn consented(caller: &Caller<'_>, server: &Value) -> url::Url {
    let begun = caller.post(&format!("{}/sign-in", path_of(server)), json!({})).await;
    assert_eq!(begun.status, 200, "{}", begun.text);
    consent(begun.json()["authorization_url"].as_str().unwrap()).await
}

async fn consent(address: &str) -> url::Url {
    let answer = browser().get(address).send().await.unwrap();
    answer.headers()["location"].to_str().unwrap().parse().unwrap()
}

/// Brings a browser back. Returns the page that it is sent to.
async fn back(caller: &Caller<'_>, to: &url::Url) -> String {
    let cookie = caller.cookie.lock().unwrap().clone().unwrap_or_default();
    let path = format!("{}{}?{}", caller.base(), to.path(), to.query().unwrap_or_default());
    let answer = browser().get(path).header("cookie", cookie).send().await.unwrap();
    assert_eq!(answer.status(), 303);
    answer.headers()["location"].to_str().unwrap().to_owned()
}

async fn signed_in(caller: &Caller<'_>, issuer: &Issuer) -> Value {
    let server = connect(caller, issuer).await;
    let to = consented(caller, &server).await;
    assert_eq!(back(caller, &to).await, "/settings/tool-servers?signed_in=true");
    let version = caller.get(&path_of(&server)).await.json()["version"].clone();
    let reading = json!({"version": version, "tools": {"echo": {"reading": true}}});
    let marked = caller.send("PATCH", &path_of(&server), Some(reading)).await;
    assert_eq!(marked.status, 200, "{}", marked.text);
    marked.json()
}

async fn told(caller: &Caller<'_>, message: &str) -> String {
    let events = caller.ask(json!({"message": message})).await;
    of(&events, "result")["content"].as_str().unwrap_or_default().to_owned()
}

const ASK: &str = "Use the echo tool of Docs with message hello";

#[tokio::test]
async fn a_person_signs_in_and_uses_a_tool_and_no_token_is_seen_anywhere() {
    for app in apps().await {
        let ada = app.person("ada").await;
        let issuer = Issuer::default();
        let server = connect(&ada, &issuer).await;
        assert_eq!((&server["access"]["state"], &server["tools"]), (&json!("signed_out"), &json!([])));
        let host = issuer.host();
        assert!(server["callback_url"].as_str().unwrap().ends_with(&format!("/api/mcp-servers/callback/{host}")));
        let untested = ada.post(&format!("{}/test", path_of(&server)), json!({})).await;
        assert_eq!((untested.status, &untested.json()["detail"]), (409, &json!("Sign in to Docs first.")));

        let to = consented(&ada, &server).await;
        assert_eq!(back(&ada, &to).await, "/settings/tool-servers?signed_in=true");
        // A state works once.
        assert_eq!(back(&ada, &to).await, "/settings/tool-servers?error=validation_failed");
        assert_eq!(issuer.exchanges.lock().unwrap().len(), 1);
        let server = ada.get(&path_of(&server)).await.json();
        assert_eq!((&server["access"]["state"], &server["tools"][0]["name"]), (&json!("signed_in"), &json!("echo")));
        let tested = ada.post(&format!("{}/test", path_of(&server)), json!({})).await.json();
        assert_eq!((&tested["problem"], &tested["tools"][0]["change"]), (&Value::Null, &Value::Null));
        let version = tested["version"].clone();
        let reading = json!({"version": version, "tools": {"echo": {"reading": true}}});
        assert_eq!(ada.send("PATCH", &path_of(&server), Some(reading)).await.status, 200);
        assert_eq!(told(&ada, ASK).await, "Docs answered:\n\n> Echo\\: hello");

        let me = ada.get("/api/me").await.json();
        let home = me["user"]["personal_workspace_id"].as_str().unwrap();
        let log = ada.get(&format!("/api/organizations/{home}/audit-log")).await.text;
        assert!(log.contains("tool_server.signed_in") && log.contains(&issuer.origin()), "{log}");
        let exported = ada.get("/api/account/export").await.text;
        let kept = app.database.dump().await;
        for secret in [format!("access-{}", issuer.url().split(['/', ':']).nth(4).unwrap()), "refresh-".into()] {
            assert!(!kept.contains(&secret) && !exported.contains(&secret) && !log.contains(&secret), "{secret}");
        }
        assert!(exported.contains("\"sign_in_expired\":false"), "{exported}");
        assert_eq!(ada.send("DELETE", &path_of(&server), None).await.status, 204);
        app.stop().await;
    }
}

#[tokio::test]
async fn a_state_belongs_to_its_session_and_its_server() {
    for app in apps().await {
        let (ada, eve) = (app.person("ada").await, app.person("eve").await);
        let issuer = Issuer::default();
        let server = connect(&ada, &issuer).await;
        let to = consented(&ada, &server).await;
        // Somebody else's browser, and the same person's other one.
        assert_eq!(back(&eve, &to).await, "/settings/tool-servers?error=validation_failed");
        let other = app.caller();
        let sign_in = json!({"email": "ada@example.com", "password": "correct horse"});
        assert_eq!(other.post("/api/auth/sign-in", sign_in).await.status, 200);
        assert_eq!(back(&other, &to).await, "/settings/tool-servers?error=validation_failed");
        assert_eq!(back(&app.caller(), &to).await, "/sign-in?return=%2Fsettings%2Ftool-servers");
        let mut networks = to.clone();
        networks.set_path("/api/providers/oauth/callback");
        assert_eq!(back(&ada, &networks).await, "/settings/networks?error=validation_failed");
        assert!(issuer.exchanges.lock().unwrap().is_empty());
        // None of this used it up.
        assert_eq!(back(&ada, &to).await, "/settings/tool-servers?signed_in=true");
        let declined = consented(&ada, &server).await;
        let state = declined.query_pairs().find(|(name, _)| name == "state").unwrap().1.into_owned();
        let mut no = declined.clone();
        no.set_query(Some(&format!("state={state}&error=access_denied")));
        assert_eq!(back(&ada, &no).await, "/settings/tool-servers?error=access_denied");
        // The earlier sign-in still holds.
        assert_eq!(ada.get(&path_of(&server)).await.json()["access"]["state"], "signed_in");
        app.stop().await;
    }
}

/// A hostile server mixes up sign-ins: it wants the code of an honest one.
#[tokio::test]
async fn the_answer_of_one_sign_in_ends_at_no_other() {
    for app in apps().await {
        let ada = app.person("ada").await;
        let (honest, hostile) = (Issuer::default(), Issuer::default());
        let server = connect(&ada, &honest).await;
        let theirs = ada
            .post("/api/mcp-servers", json!({"name": "Free", "url": hostile.url(), "sign_in": {"kind": "oauth"}}))
            .await
            .json();
        // Its state comes back with the code of the honest one, to the address of the honest one.
        let code = consented(&ada, &server).await;
        let trap = consented(&ada, &theirs).await;
        let state = trap.query_pairs().find(|(name, _)| name == "state").unwrap().1.into_owned();
        let value = code.query_pairs().find(|(name, _)| name == "code").unwrap().1.into_owned();
        let mut mixed = code.clone();
        mixed.set_query(Some(&format!("code={value}&state={state}")));
        assert_eq!(back(&ada, &mixed).await, "/settings/tool-servers?error=conflict");
        assert!(hostile.exchanges.lock().unwrap().is_empty(), "no code went there");

        // A sign-in that says it is another one, and one that promised to name itself and does not.
        honest.set(|it| it.says = Some(hostile.origin()));
        let to = consented(&ada, &server).await;
        assert_eq!(back(&ada, &to).await, "/settings/tool-servers?error=conflict");
        honest.set(|it| {
            it.says = None;
            it.metadata = json!({"authorization_response_iss_parameter_supported": true});
        });
        let to = consented(&ada, &server).await;
        assert_eq!(back(&ada, &to).await, "/settings/tool-servers?error=conflict");
        assert!(honest.exchanges.lock().unwrap().is_empty());
        let problem = ada.get(&path_of(&server)).await.json()["problem"].as_str().unwrap_or_default().to_owned();
        assert!(problem.starts_with("The answer came from another sign-in than the one of Docs"), "{problem}");
        honest.set(|it| it.says = Some(honest.origin()));
        let to = consented(&ada, &server).await;
        assert_eq!(back(&ada, &to).await, "/settings/tool-servers?signed_in=true");
        app.stop().await;
    }
}

#[tokio::test]
async fn tokens_are_refreshed_once_for_many_and_a_refusal_says_sign_in_again() {
    for app in apps().await {
        let ada = app.person("ada").await;
        let issuer = Issuer::default();
        issuer.set(|it| {
            it.lifetime = Some(1);
            it.rotates = true;
            it.slow_refresh = 300;
        });
        let server = signed_in(&ada, &issuer).await;
        tokio::time::sleep(std::time::Duration::from_millis(1_100)).await;
        issuer.set(|it| it.lifetime = Some(3_600));
        let asked = futures::future::join_all((0..6).map(|_| told(&ada, ASK))).await;
        assert!(asked.iter().all(|answer| answer == "Docs answered:\n\n> Echo\\: hello"), "{asked:?}");
        assert_eq!((issuer.refreshes.load(Ordering::Relaxed), issuer.theft.load(Ordering::Relaxed)), (1, 0));

        // The server forgets a token before its time: another one is asked for, and the call goes on.
        issuer.forget_tokens();
        assert_eq!(told(&ada, ASK).await, "Docs answered:\n\n> Echo\\: hello");
        assert_eq!(issuer.refreshes.load(Ordering::Relaxed), 2);

        // A sign-in that does not work right now ends nothing.
        issuer.forget_tokens();
        issuer.set(|it| it.no_refresh = Some((503, "temporarily_unavailable")));
        let answer = told(&ada, ASK).await;
        assert!(answer.contains("doesn't work right now"), "{answer}");
        assert_eq!(ada.get(&path_of(&server)).await.json()["access"]["state"], "signed_in");

        issuer.set(|it| it.no_refresh = Some((400, "invalid_grant")));
        let seen = issuer.calls.lock().unwrap().len();
        let answer = told(&ada, ASK).await;
        assert!(answer.contains("The sign-in to Docs has expired. Sign in again."), "{answer}");
        let refreshes = issuer.refreshes.load(Ordering::Relaxed);
        let answer = told(&ada, ASK).await;
        assert!(answer.contains("Sign in again"), "{answer}");
        assert_eq!(issuer.refreshes.load(Ordering::Relaxed), refreshes, "nobody is asked again");
        assert_eq!(issuer.calls.lock().unwrap().len(), seen);
        let expired = ada.get(&path_of(&server)).await.json();
        assert_eq!(expired["access"]["state"], "expired");
        let page = ada.get("/settings/tool-servers").await.text;
        assert!(page.contains("The sign-in to Docs has expired"), "{page}");

        // Signing in again brings back the tools as they were accepted.
        issuer.set(|it| it.no_refresh = None);
        let to = consented(&ada, &server).await;
        assert_eq!(back(&ada, &to).await, "/settings/tool-servers?signed_in=true");
        assert_eq!(told(&ada, ASK).await, "Docs answered:\n\n> Echo\\: hello");
        app.stop().await;
    }
}

/// Two servers share a database, and a refresh token that comes twice is a theft.
#[tokio::test]
async fn of_two_servers_one_refreshes() {
    let url = adagent_testkit::postgres_url().await;
    let start = async || {
        let folder = tempfile::tempdir().unwrap();
        let mut config = crate::harness::config(folder.path(), Some(url.clone()));
        config.tool_servers.allow = adagent_config::Hosts(vec!["127.0.0.1".into()]);
        TestApp::run(config, Some(folder)).await
    };
    let (app, other) = (start().await, start().await);
    let ada = app.person("ada").await;
    let there = other.caller();
    there.cookie.lock().unwrap().clone_from(&ada.cookie.lock().unwrap());
    let issuer = Issuer::default();
    issuer.set(|it| {
        it.lifetime = Some(1);
        it.rotates = true;
        it.slow_refresh = 500;
    });
    let server = signed_in(&ada, &issuer).await;
    tokio::time::sleep(std::time::Duration::from_millis(1_100)).await;
    issuer.set(|it| it.lifetime = Some(3_600));
    let test = format!("{}/test", path_of(&server));
    let asked = (0..3).flat_map(|_| [&ada, &there]).map(|caller| caller.post(&test, json!({})));
    for answer in futures::future::join_all(asked).await {
        // Of tests at the same time, one is stored.
        assert!(matches!(answer.status, 200 | 409), "{}", answer.text);
        assert_eq!(answer.json()["problem"], Value::Null, "{}", answer.text);
    }
    assert_eq!((issuer.refreshes.load(Ordering::Relaxed), issuer.theft.load(Ordering::Relaxed)), (1, 0));
    app.stop().await;
    other.stop().await;
}

/// A server that wants more for a call says so; the next sign-in asks for it.
#[tokio::test]
async fn further_permissions_are_asked_for_at_the_next_sign_in() {
    for app in apps().await {
        let ada = app.person("ada").await;
        let issuer = Issuer::default();
        issuer.set(|it| {
            it.scope = Some("read");
            it.call_scope = Some("write");
        });
        let server = signed_in(&ada, &issuer).await;
        let answer = told(&ada, ASK).await;
        assert!(answer.contains("Docs wants further permissions for this (write). Sign in again"), "{answer}");
        let said = ada.get(&path_of(&server)).await.json();
        assert_eq!(said["access"]["state"], "signed_in");
        assert!(said["problem"].as_str().unwrap().contains("(write)"), "{said}");
        let to = consented(&ada, &server).await;
        assert_eq!(back(&ada, &to).await, "/settings/tool-servers?signed_in=true");
        assert_eq!(told(&ada, ASK).await, "Docs answered:\n\n> Echo\\: hello");
        assert_eq!(ada.get(&path_of(&server)).await.json()["problem"], Value::Null);
        app.stop().await;
    }
}

/// A card that waits when the sign-in ends is not sent, and says why.
#[tokio::test]
async fn a_card_that_waits_says_sign_in_again() {
    for app in apps().await {
        let ada = app.person("ada").await;
        let issuer = Issuer::default();
        let server = connect(&ada, &issuer).await;
        let to = consented(&ada, &server).await;
        back(&ada, &to).await;
        let events = ada.ask(json!({"message": ASK})).await;
        let card = of(&events, "tool_approval_required").clone();
        issuer.forget_tokens();
        issuer.set(|it| it.no_refresh = Some((400, "invalid_grant")));
        let body = json!({"approval_id": card["approval_id"], "approved": true});
        let after = ada.stream(ada.request("POST", "/chat/approve-tool").json(&body)).await;
        let all = Value::from(after).to_string();
        assert!(all.contains("The sign-in to Docs has expired. Sign in again."), "{all}");
        assert!(issuer.calls.lock().unwrap().is_empty());
        app.stop().await;
    }
}

#[tokio::test]
async fn a_client_that_an_admin_registered_is_used_and_its_secret_is_not_shown() {
    for app in apps().await {
        let ada = app.person("ada").await;
        let issuer = Issuer::default();
        issuer.set(|it| {
            it.metadata = json!({
                "registration_endpoint": null, "token_endpoint_auth_methods_supported": ["client_secret_basic"],
            });
            it.secret = Some("very-secret");
        });
        let new = |sign_in: Value, secret: Value| json!({"name": "Docs", "url": issuer.url(), "sign_in": sign_in, "secret": secret});
        let unknown = ada.post("/api/mcp-servers", new(json!({"kind": "oauth"}), Value::Null)).await;
        assert_eq!((unknown.status, unknown.pointer().as_str()), (422, "/sign_in/client_id"), "{}", unknown.text);
        assert!(unknown.text.contains("/api/mcp-servers/callback/127.0.0.1:"), "{}", unknown.text);
        let alone = ada.post("/api/mcp-servers", new(json!({"kind": "oauth"}), json!("very-secret"))).await;
        assert_eq!((alone.status, alone.pointer().as_str()), (422, "/secret"), "{}", alone.text);
        let client =
            json!({"kind": "oauth", "client_id": format!("client-{}", issuer.host().split(':').nth(1).unwrap())});
        let made = ada.post("/api/mcp-servers", new(client.clone(), json!("very-secret"))).await;
        assert_eq!((made.status, &made.json()["sign_in"]), (201, &client), "{}", made.text);
        let to = consented(&ada, &made.json()).await;
        assert_eq!(back(&ada, &to).await, "/settings/tool-servers?signed_in=true");
        let kept = app.database.dump().await;
        assert!(!kept.contains("very-secret"), "sealed");
        assert!(!ada.get(&path_of(&made.json())).await.text.contains("very-secret"));
        app.stop().await;
    }
}

/// Over HTTPS, a sign-in that reads documents learns from one who we are, and registers nobody.
#[tokio::test]
async fn our_client_is_a_document_where_the_sign_in_reads_those() {
    let app = TestApp::with(|config| {
        config.tool_servers.allow = adagent_config::Hosts(vec!["127.0.0.1".into()]);
        config.public_url = Some("https://desk.example.com".parse().unwrap());
    })
    .await;
    let ada = app.person("ada").await;
    let issuer = Issuer::default();
    issuer.set(|it| {
        it.metadata = json!({"client_id_metadata_document_supported": true, "registration_endpoint": null});
    });
    let server = connect(&ada, &issuer).await;
    let begun = ada.post(&format!("{}/sign-in", path_of(&server)), json!({})).await.json();
    let address: url::Url = begun["authorization_url"].as_str().unwrap().parse().unwrap();
    let asked = |name: &str| address.query_pairs().find(|(key, _)| key == name).unwrap().1.into_owned();
    let host = issuer.host();
    assert_eq!(asked("client_id"), format!("https://desk.example.com/api/mcp-servers/client/{host}"));
    let document = app.caller().get(&format!("/api/mcp-servers/client/{host}")).await.json();
    assert_eq!(document["client_id"], asked("client_id"));
    assert_eq!(document["redirect_uris"], json!([asked("redirect_uri")]));
    assert_eq!(app.caller().get("/api/mcp-servers/client/a%2Fb").await.status, 404);
    app.stop().await;
}

/// The page's form works without JavaScript: its answer names the host and leads there.
#[tokio::test]
async fn the_page_shows_where_a_person_goes() {
    for app in apps().await {
        let ada = app.person("ada").await;
        let issuer = Issuer::default();
        let server = connect(&ada, &issuer).await;
        let id = server["id"].as_str().unwrap();
        let posted = ada.request("POST", "/settings/tool-servers").form(&[("id", id)]).send().await.unwrap();
        assert_eq!(posted.status(), 200);
        let page = posted.text().await.unwrap();
        let address = page.split("href=\"").find(|part| part.starts_with(&issuer.origin())).expect("a link");
        let address = address.split('"').next().unwrap().replace("&amp;", "&");
        assert!(page.contains(&format!("Continue at <strong>{}<", issuer.host())), "{page}");
        let to = consent(&address).await;
        assert_eq!(back(&ada, &to).await, "/settings/tool-servers?signed_in=true");
        // What the sign-in refuses is told in its place.
        issuer.set(|it| it.metadata = json!({"issuer": "https://accounts.example.com"}));
        let posted = ada.request("POST", "/settings/tool-servers").form(&[("id", id)]).send().await.unwrap();
        let page = posted.text().await.unwrap();
        assert!(page.contains("gives itself another name"), "{page}");
        app.stop().await;
    }
}
