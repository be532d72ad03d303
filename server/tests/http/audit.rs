//! The audit log over HTTP: who may see it, what it contains, that it is one chain, and that tampering shows.

use adagent_domain::Network;
use adagent_service::RetentionPolicy;
use adagent_testkit::RawDatabase;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::harness::{Caller, TestApp};

async fn personal(caller: &Caller<'_>) -> String {
    caller.get("/api/me").await.json()["user"]["personal_workspace_id"].as_str().unwrap().to_owned()
}

fn actions(page: &Value) -> Vec<String> {
    page["items"].as_array().unwrap().iter().map(|item| item["action"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn what_was_done_is_listed_filtered_paged_and_held_together() {
    for app in TestApp::both().await {
        let (ada, bob) = (app.person("ada").await, app.person("bob").await);
        let log = format!("/api/organizations/{}/audit-log", personal(&ada).await);
        ada.post("/api/sandbox/explore", json!({"networks": [Network::AdMob.id(), Network::Unity.id()]})).await;
        let token = ada
            .post("/api/tokens", json!({"name": "=HYPERLINK(\"x\")", "scopes": ["api"], "password": "correct horse"}))
            .await
            .json();
        ada.send("PUT", "/api/settings/context", Some(json!({"safe_mode": true}))).await;
        let all = ada.get(&log).await;
        assert_eq!(all.status, 200, "{}", all.text);
        let seen = actions(&all.json());
        for action in ["context.changed", "token.created", "connection.connected"] {
            assert!(seen.iter().any(|seen| seen == action), "{action} in {seen:?}");
        }
        let numbers: Vec<u64> =
            all.json()["items"].as_array().unwrap().iter().map(|i| i["number"].as_u64().unwrap()).collect();
        let newest_first: Vec<u64> = (1..=numbers.len() as u64).rev().collect();
        assert_eq!(numbers, newest_first, "no number is missing and none is there twice");
        assert_eq!(all.json()["items"][0]["person"]["name"], "ada");
        assert!(!all.text.contains(token["token"].as_str().unwrap()), "a secret is in no log");

        let of = async |query: &str| ada.get(&format!("{log}?{query}")).await;
        assert_eq!(actions(&of("action=connection").await.json()).len(), 2);
        assert_eq!(actions(&of("action=token.created").await.json()), ["token.created"]);
        assert!(actions(&of("to=2000-01-01T00:00:00Z").await.json()).is_empty());
        let me = all.json()["items"][0]["person"]["id"].as_str().unwrap().to_owned();
        assert_eq!(actions(&of(&format!("person={me}")).await.json()), seen);
        let first = of("limit=2").await.json();
        let cursor = first["next_cursor"].as_str().unwrap();
        let rest = of(&format!("cursor={cursor}")).await.json();
        assert_eq!([actions(&first), actions(&rest)].concat(), seen);
        for (query, pointer) in [
            ("action=X%20y", "/action"),
            ("from=today", "/from"),
            ("person=me", "/person"),
            ("format=xml", "/format"),
            ("cursor=%F0", "/cursor"),
        ] {
            let refused = of(query).await;
            assert_eq!((refused.status, refused.pointer().as_str()), (422, pointer), "{query}: {}", refused.text);
        }

        let file = of("format=csv").await;
        assert!(file.headers["content-type"].to_str().unwrap().starts_with("text/csv"));
        assert_eq!(
            file.text.lines().count(),
            seen.len() + 2,
            "a head, every line, and that the file was taken:\n{}",
            file.text
        );
        assert!(!file.text.contains(",=") && file.text.starts_with("number,at,action"), "{}", file.text);
        let asked = ada.request("GET", &log).header("accept", "text/csv");
        assert!(ada.finish("GET", &log, asked).await.text.starts_with("number,at,action"));
        assert_eq!(actions(&of("action=audit_log").await.json()).len(), 2);
        let verdict = ada.get(&format!("{log}/verification")).await;
        assert_eq!((verdict.status, &verdict.json()["holds"]), (200, &json!(true)), "{}", verdict.text);

        // The page checks only new entries; with `whole`, all of them.
        for (asked, followed) in [("", 0), ("&whole=true", 1)] {
            let page = ada.request("GET", &format!("/desk/audit-log?action=&from=&to={asked}")).send().await.unwrap();
            let verdict = page.json::<Value>().await.unwrap()["verdict"].clone();
            assert_eq!(verdict["holds"], true, "{verdict}");
            assert!(verdict["looked_at"].as_u64() >= Some(followed), "{verdict}");
            assert!(asked.is_empty() || verdict["looked_at"] == verdict["rows"], "{verdict}");
        }

        // Another organization's log looks like one that never existed.
        let unknown = "/api/organizations/019aa5c4-9a3e-7000-8000-000000000000/audit-log";
        for path in [log.as_str(), unknown, &format!("{log}/verification")] {
            assert_eq!(bob.get(path).await.status, 404, "{path}");
        }
        assert_eq!(app.caller().get(&log).await.status, 401);
        app.stop().await;
    }
}

#[tokio::test]
async fn in_an_organisation_admins_see_it_and_members_do_not() {
    for app in TestApp::both().await {
        let (ada, bob) = (app.person("ada").await, app.person("bob").await);
        let made = ada.post("/api/organizations", json!({"name": "Acme"})).await;
        assert_eq!(made.status, 201, "{}", made.text);
        let id = made.json()["id"].as_str().unwrap().to_owned();
        let invited = ada
            .post(
                &format!("/api/organizations/{id}/invitations"),
                json!({"email": "bob@example.com", "role": "member"}),
            )
            .await;
        assert!(invited.status < 300, "{}", invited.text);
        let invitation = bob.get("/api/me").await.json()["invitations"][0]["id"].as_str().unwrap().to_owned();
        let came = bob.post(&format!("/api/invitations/{invitation}/accept"), json!({})).await;
        assert!(came.status < 300, "{}", came.text);
        let log = format!("/api/organizations/{id}/audit-log");
        let refused = bob.get(&log).await;
        assert_eq!((refused.status, refused.code().as_str()), (403, "forbidden"), "{}", refused.text);
        assert!(refused.text.contains("Only admins and the owner"), "{}", refused.text);
        assert_eq!(ada.get(&log).await.status, 200);
        let settings = json!({"audit_days": 120});
        for (caller, status) in [(&bob, 403), (&ada, 200)] {
            let request =
                caller.request("PUT", "/api/settings/retention").header("x-organization-id", &id).json(&settings);
            assert_eq!(caller.finish("PUT", "/api/settings/retention", request).await.status, status);
        }
        let request = ada
            .request("PUT", "/api/settings/retention")
            .header("x-organization-id", &id)
            .json(&json!({"audit_days": 3}));
        let refused = ada.finish("PUT", "/api/settings/retention", request).await;
        assert_eq!((refused.status, refused.pointer().as_str()), (422, "/audit_days"), "{}", refused.text);
        assert!(actions(&ada.get(&log).await.json()).contains(&"retention.changed".to_owned()));
        app.stop().await;
    }
}

#[tokio::test]
async fn the_database_refuses_changes_and_a_change_it_could_not_refuse_is_seen() {
    for app in TestApp::both().await {
        let ada = app.explorer("ada").await;
        ada.post("/api/tokens", json!({"name": "one", "scopes": ["api"], "password": "correct horse"})).await;
        for statement in [
            "update audit_log set action = 'nothing.happened'",
            "update audit_log set target = 'x'",
            "update audit_log set detail = '{}'",
            "update audit_log set hash = ''",
            "delete from audit_log",
        ] {
            let refused = app.database.execute(statement).await;
            assert!(refused.as_ref().is_err_and(|told| told.contains("append-only")), "{statement}: {refused:?}");
        }
        let log = format!("/api/organizations/{}/audit-log", personal(&ada).await);
        let verdict = async || ada.get(&format!("{log}/verification")).await.json();
        assert_eq!(verdict().await["holds"], true);
        // The owner of the database can remove the guard; the chain still shows the change.
        let guards = match &app.database {
            adagent_testkit::RawDatabase::Sqlite(_) => "drop trigger audit_log_not_changed",
            adagent_testkit::RawDatabase::Postgres(_) => "drop trigger audit_log_append_only on audit_log",
        };
        app.database.execute(guards).await.unwrap();
        assert!(app.database.execute("update audit_log set detail = replace(detail, 'one', 'two')").await.unwrap() > 0);
        let told = verdict().await;
        assert_eq!(told["holds"], false, "{told}");
        assert!(told["broken"].as_str().unwrap().contains("was changed"), "{told}");
        // A log without its stored end has no valid chain.
        app.database.execute("delete from audit_heads").await.unwrap();
        let told = verdict().await;
        assert!(
            told["holds"] == false && told["broken"].as_str().unwrap().contains("end of the chain is missing"),
            "{told}"
        );
        app.stop().await;
    }
}

/// A log that began before the chain existed: its oldest lines are pruned a few at a time when their retention ends, and the rest
/// stays intact.
#[tokio::test]
async fn lines_from_before_the_chain_are_let_go_too() {
    for app in TestApp::both().await {
        let ada = app.person("ada").await;
        let home = personal(&ada).await;
        let id = match &app.database {
            RawDatabase::Sqlite(_) => format!("X'{}'", home.replace('-', "")),
            RawDatabase::Postgres(_) => format!("'{home}'"),
        };
        let nobody = id.chars().map(|c| if c.is_ascii_hexdigit() { '0' } else { c }).collect::<String>();
        let now = adagent_domain::Clock::now(&adagent_server::SystemClock).as_micros();
        let day = 24 * 3_600_000_000_i64;
        // The state after the migration that began the chain: three lines, two of them old. The lines from signing up look pruned
        // by retention.
        for statement in [
            format!("update audit_heads set pruned = 1000 where workspace_id = {id}"),
            format!("delete from audit_log where workspace_id = {id}"),
            format!(
                "update audit_heads set number = 0, hash = '', unchained = 3, pruned = -1 where workspace_id = {id}"
            ),
        ] {
            assert!(app.database.execute(&statement).await.unwrap() > 0, "{statement}");
        }
        for (target, days) in [("oldest", 400), ("old", 399), ("young", 2)] {
            let at = now - days * day;
            app.database
                .execute(&format!(
                    "insert into audit_log (workspace_id, user_id, action, target, detail, at)
                     values ({id}, {nobody}, 'connection.connected', '{target}', '{{}}', {at})"
                ))
                .await
                .unwrap();
        }
        ada.post("/api/tokens", json!({"name": "one", "scopes": ["api"], "password": "correct horse"})).await;
        let log = format!("/api/organizations/{home}/audit-log");
        let seen = async || {
            let verdict = ada.get(&format!("{log}/verification")).await.json();
            assert_eq!(verdict["holds"], true, "{verdict}");
            verdict["unchained"].as_u64().unwrap()
        };
        assert_eq!(seen().await, 3);
        let sweep = async |days| {
            let policy = RetentionPolicy { audit_days: days, ..RetentionPolicy::default() };
            app.running.service.forget_old(&policy, &CancellationToken::new()).await.unwrap().audit_lines
        };
        assert_eq!((sweep(365).await, seen().await), (2, 1));
        assert_eq!((sweep(365).await, seen().await), (0, 1));
        assert_eq!((sweep(1).await, seen().await), (1, 0));
        let left = actions(&ada.get(&log).await.json());
        assert!(
            left.contains(&"token.created".to_owned()) && !left.contains(&"connection.connected".to_owned()),
            "{left:?}"
        );
        // A line that is missing without having been pruned is noticed.
        app.database
            .execute(&format!("update audit_heads set unchained_gone = 2 where workspace_id = {id}"))
            .await
            .unwrap();
        assert_eq!(ada.get(&format!("{log}/verification")).await.json()["holds"], false);
        app.stop().await;
    }
}

/// The log names people, and after the deletion nobody can read it. One line stays: that the organization was deleted, and by
/// whom.
#[tokio::test]
async fn of_a_deleted_organisation_one_line_stays() {
    for app in TestApp::both().await {
        let ada = app.person("ada").await;
        let acme =
            ada.post("/api/organizations", json!({"name": "Acme"})).await.json()["id"].as_str().unwrap().to_owned();
        let invite = json!({"email": "carol@example.com", "role": "member"});
        assert!(ada.post(&format!("/api/organizations/{acme}/invitations"), invite).await.status < 300);
        let gone = ada.send("DELETE", &format!("/api/organizations/{acme}"), Some(json!({"name": "Acme"}))).await;
        assert_eq!(gone.status, 204, "{}", gone.text);
        let lines = async || {
            let dump = app.database.dump().await;
            let of_acme = dump.lines().filter(|line| line.starts_with("audit_log") && line.contains(&acme));
            of_acme.map(str::to_owned).collect::<Vec<_>>()
        };
        assert!(lines().await.len() > 1);
        let swept = async || {
            let (policy, stop) = (RetentionPolicy::default(), CancellationToken::new());
            app.running.service.forget_old(&policy, &stop).await.unwrap().audit_lines
        };
        assert!(swept().await > 0);
        let left = lines().await;
        assert!(left.len() == 1 && left[0].contains("organization.deleted"), "{left:#?}");
        assert_eq!(swept().await, 0);
        app.stop().await;
    }
}
