//! What people may ask about themselves: an export, another name, erasure. After an erasure, no table holds anything about them.

use adagent_testkit::RawDatabase;
use futures::StreamExt as _;
use serde_json::{Value, json};

use crate::{
    harness::{Caller, TestApp, of},
    sign_in::{PASSWORD, enrol, sign_in},
};

const QUESTION: &str = "Create a mediation group for Puzzle Game on Android banner with AppLovin and Unity bidding";

async fn me(caller: &Caller<'_>) -> Value {
    caller.get("/api/me").await.json()["user"].clone()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

/// Creates an organization of the first person with the others in it; returns its ID.
async fn organisation(owner: &Caller<'_>, name: &str, others: &[(&Caller<'_>, &str, &str)]) -> String {
    let made = owner.post("/api/organizations", json!({"name": name})).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let id = text(&made.json()["id"]);
    for (person, email, role) in others {
        let path = format!("/api/organizations/{id}/invitations");
        assert!(owner.post(&path, json!({"email": email, "role": role})).await.status < 300);
        let invitations = person.get("/api/me").await.json()["invitations"].clone();
        let mine = invitations.as_array().unwrap().iter().find(|one| one["organization"]["id"] == id.as_str()).unwrap();
        let came = person.post(&format!("/api/invitations/{}/accept", text(&mine["id"])), json!({})).await;
        assert!(came.status < 300, "{}", came.text);
    }
    id
}

/// Sends a request in a workspace.
async fn within(caller: &Caller<'_>, workspace: &str, method: &str, path: &str, body: Value) -> crate::harness::Answer {
    let request = caller.request(method, path).header("x-organization-id", workspace).json(&body);
    caller.finish(method, path, request).await
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "one journey, told in order")]
async fn everything_is_exported_and_after_erasure_nothing_is_left_in_any_table() {
    for app in TestApp::both().await {
        let (zoe, bob) = (app.explorer("zoequirk").await, app.person("bob").await);
        let acme = organisation(&bob, "Acme", &[(&zoe, "zoequirk@example.com", "admin")]).await;
        // Create data in the personal workspace and in the organization: chats, an approval, a token, settings, a connection,
        // invitations, a link.
        let events = zoe.ask(json!({"message": QUESTION})).await;
        let approval = text(&of(&events, "tool_approval_required")["approval_id"]);
        zoe.stream(
            zoe.request("POST", "/chat/approve-tool")
                .json(&json!({"approval_id": approval, "approved": false, "reason": "zoequirk says no"})),
        )
        .await;
        assert_eq!(within(&zoe, &acme, "POST", "/api/sandbox/explore", json!({})).await.status, 200);
        zoe.stream(
            zoe.request("POST", "/chat/stream")
                .header("x-organization-id", &acme)
                .json(&json!({"message": "What was my revenue yesterday? zoequirk"})),
        )
        .await;
        let mut secret = String::new();
        for place in [None, Some(acme.as_str())] {
            let workspace = place.map_or_else(String::new, str::to_owned);
            let made = within(
                &zoe,
                &workspace,
                "POST",
                "/api/tokens",
                json!({"name": "zoequirk's laptop", "scopes": ["api"], "password": "correct horse"}),
            )
            .await;
            assert_eq!(made.status, 201, "{}", made.text);
            secret = text(&made.json()["token"]);
            assert_eq!(
                within(&zoe, &workspace, "PUT", "/api/settings/context", json!({"safe_mode": true})).await.status,
                200
            );
        }
        for (place, name) in [("", "zoequirk's helper"), (acme.as_str(), "Reporter")] {
            let agent = json!({"handle": "helper", "name": name, "grants": [{"on": "admob", "may": ["read"]}]});
            assert_eq!(within(&zoe, place, "POST", "/api/agents", agent).await.status, 201);
        }
        let zoe_id = text(&me(&zoe).await["id"]);
        for (place, what) in [("", "zoequirk's payout"), (acme.as_str(), "Check floors")] {
            let todo = json!({"text": what, "due": "2026-11-27", "assignee": zoe_id});
            assert_eq!(within(&zoe, place, "POST", "/api/todos", todo).await.status, 201);
            let document = json!({"title": what, "text": if place.is_empty() { "zoequirk's secret" } else { "Text" }});
            assert_eq!(within(&zoe, place, "POST", "/api/documents", document).await.status, 201);
        }
        crate::matrix::database::tool_server(&app, &acme, "zoequirk").await;
        let invite = json!({"email": "carol@example.com", "role": "member"});
        assert!(zoe.post(&format!("/api/organizations/{acme}/invitations"), invite).await.status < 300);
        assert!(
            zoe.post(&format!("/api/organizations/{acme}/invite-links"), json!({"role": "member"})).await.status < 300
        );
        let other = bob.post("/api/organizations", json!({"name": "Other"})).await.json();
        let invite = json!({"email": "ZoeQuirk@example.com", "role": "member"});
        assert!(bob.post(&format!("/api/organizations/{}/invitations", text(&other["id"])), invite).await.status < 300);
        let alone = organisation(&zoe, "Zoequirk alone", &[]).await;
        let renamed = zoe.send("PATCH", "/api/account/profile", Some(json!({"name": "Zoequirk Newname"}))).await;
        assert_eq!(
            (renamed.status, &renamed.json()["user"]["name"]),
            (200, &json!("Zoequirk Newname")),
            "{}",
            renamed.text
        );
        assert_eq!(zoe.send("PATCH", "/api/account/profile", Some(json!({"name": " "}))).await.pointer(), "/name");

        let user = me(&zoe).await;
        let (id, home) = (text(&user["id"]), text(&user["personal_workspace_id"]));
        let file = zoe.get("/api/account/export").await;
        assert_eq!(file.status, 200, "{}", file.text);
        let held = file.json();
        assert_eq!(held["person"]["email"], "zoequirk@example.com");
        for section in [
            "memberships",
            "browser_sessions",
            "access_tokens",
            "context_settings",
            "connections",
            "chats",
            "messages",
            "runs",
            "run_events",
            "saved_states",
            "tool_calls",
            "approvals",
            "agents",
            "todos",
            "documents",
            "document_versions",
            "tool_servers",
            "audit_log",
            "invitations",
        ] {
            assert!(
                !held[section].as_array().unwrap_or_else(|| panic!("no {section}")).is_empty(),
                "{section} is empty"
            );
        }
        assert_eq!(held["chats"].as_array().unwrap().len(), 2, "of both workspaces");
        let browser = &held["browser_sessions"][0];
        assert!(
            browser["seen_at"].is_string() && browser["address"].as_str().is_some_and(|from| !from.is_empty()),
            "{browser}"
        );
        assert!(browser["agent"].is_string(), "{browser}");
        assert_eq!(held["messages"][0]["content"], QUESTION);
        assert_eq!(held["context_settings"][0]["settings"]["safe_mode"], true);
        for never in ["sealed", "secret_hash", "password_hash", secret.as_str()] {
            assert!(!file.text.contains(never), "{never}");
        }

        let delete = async |body: Value| zoe.post("/api/account/delete", body).await;
        assert_eq!(delete(json!({"email": "bob@example.com", "password": "correct horse"})).await.pointer(), "/email");
        assert_eq!(delete(json!({"email": "zoequirk@example.com", "password": "wrong"})).await.pointer(), "/password");
        let before = app.database.dump().await.to_lowercase();
        assert!(before.contains(&id) && before.contains("zoequirk"), "the scan sees what is there");
        let gone =
            delete(json!({"email": " ZoeQuirk@example.com", "password": "correct horse", "reason": "gdpr_request"}))
                .await;
        assert_eq!(gone.status, 204, "{}", gone.text);

        let after = app.database.dump().await.to_lowercase();
        for trace in ["zoequirk", "newname", id.as_str(), home.as_str(), alone.as_str()] {
            let lines: Vec<&str> = after.lines().filter(|line| line.contains(trace)).collect();
            assert!(lines.is_empty(), "{trace}: {lines:#?}");
        }
        let records: Vec<&str> = after.lines().filter(|line| line.starts_with("deleted_users")).collect();
        assert!(records.len() == 1 && records[0].contains("gdpr_request"), "{records:?}");
        assert_eq!(zoe.get("/api/me").await.status, 401);
        let sign_in = json!({"email": "zoequirk@example.com", "password": "correct horse"});
        assert_eq!(app.caller().post("/api/auth/sign-in", sign_in).await.status, 401);
        // The organization continues: its connection, its log as an intact chain, and "someone who left" in its to-do.
        let providers = within(&bob, &acme, "GET", "/api/providers", json!({})).await.json();
        assert!(providers["items"].as_array().unwrap().iter().any(|item| item["state"] == "connected"), "{providers}");
        let todos = within(&bob, &acme, "GET", "/api/todos", json!({})).await.json();
        let left = &todos["items"][0];
        assert_eq!((&left["text"], &left["by"]), (&json!("Check floors"), &json!("someone who left")), "{todos}");
        assert_eq!(left["assignee"], Value::Null, "others may take it");
        let documents = within(&bob, &acme, "GET", "/api/documents", json!({})).await.json();
        let left = &documents["items"][0];
        let someone = json!("someone who left");
        assert_eq!((&left["title"], &left["by"], &left["written"]["by"]), (&json!("Check floors"), &someone, &someone));
        let log = format!("/api/organizations/{acme}/audit-log");
        let verdict = bob.get(&format!("{log}/verification")).await.json();
        assert_eq!(verdict["holds"], true, "{verdict}");
        assert!(verdict["erased"].as_u64().unwrap() > 0, "{verdict}");
        let lines = bob.get(&log).await.json();
        assert_eq!(
            (&lines["items"][0]["action"], &lines["items"][0]["person"]),
            (&json!("member.account_erased"), &Value::Null)
        );
        assert!(
            lines["items"].as_array().unwrap().iter().any(|line| line["action"] == "connection.connected"
                && line["person"].is_null()
                && line["detail"]["network"] == "admob"),
            "what was done stays: {lines}"
        );
        app.stop().await;
    }
}

#[tokio::test]
async fn who_owns_what_others_are_in_hands_it_over_first() {
    for app in TestApp::both().await {
        let (ada, bob) = (app.person("ada").await, app.person("bob").await);
        let acme = organisation(&ada, "Acme", &[(&bob, "bob@example.com", "member")]).await;
        let ask = json!({"email": "ada@example.com", "password": "correct horse"});
        let refused = ada.post("/api/account/delete", ask.clone()).await;
        assert_eq!(refused.status, 409, "{}", refused.text);
        assert!(
            refused.text.contains("You own Acme") && refused.text.contains("Transfer ownership"),
            "{}",
            refused.text
        );
        assert_eq!(ada.get("/api/me").await.status, 200);
        let bob_id = text(&me(&bob).await["id"]);
        let handed =
            ada.post(&format!("/api/organizations/{acme}/transfer-ownership"), json!({"user_id": bob_id})).await;
        assert!(handed.status < 300, "{}", handed.text);
        assert_eq!(ada.post("/api/account/delete", ask).await.status, 204);
        assert_eq!(bob.get(&format!("/api/organizations/{acme}")).await.status, 200);
        app.stop().await;
    }
}

#[tokio::test]
async fn a_token_neither_exports_nor_erases_and_a_form_works_without_script() {
    let app = TestApp::sqlite().await;
    let ada = app.person("ada").await;
    let made =
        ada.post("/api/tokens", json!({"name": "t", "scopes": ["api"], "password": "correct horse"})).await.json();
    for (method, path) in
        [("GET", "/api/account/export"), ("PATCH", "/api/account/profile"), ("POST", "/api/account/delete")]
    {
        let request = app
            .caller()
            .request(method, path)
            .bearer_auth(text(&made["token"]))
            .json(&json!({"email": "ada@example.com", "password": "correct horse", "name": "x"}));
        assert_eq!(app.caller().finish(method, path, request).await.status, 403, "{method} {path}");
    }
    let http = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let cookie = ada.cookie.lock().unwrap().clone().unwrap();
    let post = async |password: &str| {
        let form = [("email", "ada@example.com"), ("password", password)];
        let request = http.post(format!("{}/api/account/delete", ada.base())).header("cookie", &cookie).form(&form);
        let answer = request.send().await.unwrap();
        (answer.status().as_u16(), answer.headers()["location"].to_str().unwrap().to_owned())
    };
    let (status, back) = post("wrong").await;
    assert!(
        status == 303 && back.starts_with("/settings/account?form=delete&error=") && back.contains("field=password"),
        "{status} {back}"
    );
    assert_eq!(post("correct horse").await, (303, "/sign-in?deleted=1".to_owned()));
    assert_eq!(ada.get("/api/me").await.status, 401);
    app.stop().await;
}

#[tokio::test]
async fn a_large_export_is_one_document_in_small_pieces() {
    const CHATS: usize = 3000;
    for app in TestApp::both().await {
        let ada = app.person("ada").await;
        let user = me(&ada).await;
        let (id, home) = (text(&user["id"]), text(&user["personal_workspace_id"]));
        let rows = "title, chat_only, created_at, updated_at, kept";
        let title = "a title with \"quotes\", a line\nbreak and ünïcode ".repeat(4);
        let filled = match &app.database {
            RawDatabase::Sqlite(_) => {
                let blob = |id: &str| format!("X'{}'", id.replace('-', ""));
                format!(
                    "with recursive n(i) as (select 1 union all select i + 1 from n where i < {CHATS})
                     insert into chat_sessions (id, workspace_id, user_id, {rows})
                     select randomblob(16), {}, {}, '{title}' || i, 0, i, i, 0 from n",
                    blob(&home),
                    blob(&id)
                )
            }
            RawDatabase::Postgres(_) => format!(
                "insert into chat_sessions (id, workspace_id, user_id, {rows})
                 select gen_random_uuid(), '{home}', '{id}', '{title}' || i, false, i, i, false from generate_series(1, {CHATS}) i"
            ),
        };
        app.database.execute(&filled).await.unwrap();
        let stream = app.running.service.export_account(id.parse().unwrap()).await.unwrap();
        let pieces: Vec<String> = stream.map(Result::unwrap).collect().await;
        let whole: usize = pieces.iter().map(String::len).sum();
        let longest = pieces.iter().map(String::len).max().unwrap();
        assert!(longest * 50 < whole, "the longest of {} pieces has {longest} of {whole} bytes", pieces.len());
        let document = ada.get("/api/account/export").await;
        assert_eq!(document.json()["chats"].as_array().map(Vec::len), Some(CHATS));
        let log = document.json()["audit_log"].as_array().cloned().unwrap();
        let taken = log.iter().filter(|line| line["action"] == "account.exported").count();
        assert_eq!(taken, 2, "that it was taken is noted");
        app.stop().await;
    }
}

/// A chosen name, or an address that is part of another one, removes nothing from other people's logs.
#[tokio::test]
async fn erasing_a_stranger_leaves_other_logs_as_they_were() {
    for app in TestApp::both().await {
        let (ada, bob) = (app.person("ada").await, app.person("bob").await);
        let acme = organisation(&ada, "Acme", &[(&bob, "bob@example.com", "admin")]).await;
        let path = format!("/api/organizations/{acme}/invitations");
        assert!(ada.post(&path, json!({"email": "long.ada@example.com", "role": "admin"})).await.status < 300);
        assert_eq!(within(&bob, &acme, "POST", "/api/sandbox/explore", json!({})).await.status, 200);
        let log = format!("/api/organizations/{acme}/audit-log");
        let before = ada.get(&log).await.json();
        for (name, email) in
            [("admin", "ong.ada@example.com"), ("network", "a@example.com"), ("role", "da@example.com")]
        {
            let stranger = app.caller();
            let account = json!({"email": email, "password": "correct horse", "name": name});
            assert_eq!(stranger.post("/api/auth/sign-up", account).await.status, 201);
            let gone = stranger.post("/api/account/delete", json!({"email": email, "password": "correct horse"})).await;
            assert_eq!(gone.status, 204, "{}", gone.text);
        }
        assert_eq!(ada.get(&log).await.json(), before);
        // A member can't remove records either by taking a name that occurs in them.
        bob.send("PATCH", "/api/account/profile", Some(json!({"name": "network"}))).await;
        let gone =
            bob.post("/api/account/delete", json!({"email": "bob@example.com", "password": "correct horse"})).await;
        assert_eq!(gone.status, 204, "{}", gone.text);
        let after = ada.get(&log).await.json();
        let connected = after["items"].as_array().unwrap().iter().find(|line| line["action"] == "connection.connected");
        assert_eq!(connected.unwrap()["detail"]["network"], "admob", "{after}");
        app.stop().await;
    }
}

#[tokio::test]
async fn who_withdrew_somebodys_question_is_forgotten_there_too() {
    for app in TestApp::both().await {
        let (bob, zoe, cleo) = (app.person("bob").await, app.person("zoequirk").await, app.person("cleo").await);
        let others = [(&zoe, "zoequirk@example.com", "admin"), (&cleo, "cleo@example.com", "member")];
        let acme = organisation(&bob, "Acme", &others).await;
        assert_eq!(within(&bob, &acme, "POST", "/api/sandbox/explore", json!({})).await.status, 200);
        let asked = cleo.request("POST", "/chat/stream").header("x-organization-id", &acme);
        let events = cleo.stream(asked.json(&json!({"message": QUESTION}))).await;
        assert!(of(&events, "tool_approval_required")["approval_id"].is_string());
        let removed = format!("/api/organizations/{acme}/members/{}", text(&me(&cleo).await["id"]));
        assert!(zoe.send("DELETE", &removed, None).await.status < 300);
        let id = text(&me(&zoe).await["id"]);
        let before = app.database.dump().await.to_lowercase();
        let told = |dump: &str| dump.lines().any(|line| line.starts_with("run_events") && line.contains("zoequirk"));
        assert!(told(&before), "the run says who withdrew its question");
        let gone = zoe
            .post("/api/account/delete", json!({"email": "zoequirk@example.com", "password": "correct horse"}))
            .await;
        assert_eq!(gone.status, 204, "{}", gone.text);
        let after = app.database.dump().await.to_lowercase();
        for trace in ["zoequirk", id.as_str()] {
            let lines: Vec<&str> = after.lines().filter(|line| line.contains(trace)).collect();
            assert!(lines.is_empty(), "{trace}: {lines:#?}");
        }
        // A removed person gets what they wrote, and nothing that the organization's networks said.
        let held = cleo.get("/api/account/export").await.json();
        assert_eq!(held["messages"].as_array().map(Vec::len), Some(1));
        for section in ["runs", "run_events", "saved_states", "tool_calls", "approvals"] {
            assert_eq!(held[section], json!([]), "{section}");
        }
        app.stop().await;
    }
}

/// Neither the password alone nor a stolen session can erase an account with two-factor authentication.
#[tokio::test]
async fn erasing_asks_for_the_code_of_the_second_factor() {
    for app in TestApp::both().await {
        let ada = app.person("ada").await;
        let id = text(&me(&ada).await["id"]);
        let (_, codes) = enrol(&ada).await;
        // In another browser, the password was correct and the code is pending. That data is about the person too.
        let (_half, waits) = sign_in(&app, "ada@example.com", PASSWORD).await;
        assert_eq!(waits.code(), "second_factor_required");
        let delete = async |code: &str| {
            let body = json!({"email": "ada@example.com", "password": PASSWORD, "code": code});
            ada.post("/api/account/delete", body).await
        };
        for wrong in ["", "000000"] {
            let refused = delete(wrong).await;
            assert_eq!((refused.status, refused.pointer().as_str()), (422, "/code"), "{}", refused.text);
        }
        assert_eq!(ada.get("/api/me").await.status, 200);
        let sessions = |dump: &str| dump.lines().filter(|l| l.starts_with("http_sessions") && l.contains(&id)).count();
        assert!(sessions(&app.database.dump().await.to_lowercase()) >= 2, "one of them waits");
        assert_eq!(delete(&codes[0]).await.status, 204);
        assert_eq!(sessions(&app.database.dump().await.to_lowercase()), 0);
        app.stop().await;
    }
}
