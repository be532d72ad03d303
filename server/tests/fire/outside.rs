//! Kills a server during work that happens outside a transaction after its commit, and during long transactions. Nothing is lost,
//! done twice or left half done.

use std::{sync::Arc, time::Duration};

use adagent_testkit::RawDatabase;
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    chance::Chance,
    person::{PATIENCE, Person},
    process::Node,
    world::{Engine, World},
};

const AGAIN: Duration = Duration::from_millis(30);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_consent_is_taken_back_once_although_the_server_died_after_the_commit_on_sqlite() {
    taken_back(Engine::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_consent_is_taken_back_once_although_the_server_died_after_the_commit_on_postgres() {
    taken_back(Engine::Postgres).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_erasure_that_was_killed_begins_anew_and_is_never_half_on_sqlite() {
    erased(Engine::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_erasure_that_was_killed_begins_anew_and_is_never_half_on_postgres() {
    erased(Engine::Postgres).await;
}

fn raw(world: &World, node: &Node) -> RawDatabase {
    match &world.database_url {
        Some(url) => RawDatabase::Postgres(url.clone()),
        None => RawDatabase::Sqlite(node.folder.join("adagent.db")),
    }
}

async fn person(name: &str, node: &Node) -> Person {
    Person::arrive(name, &Arc::new(vec![node.base_url()]), Chance::new(7)).await
}

async fn get(person: &Person, path: &str) -> Value {
    let answer = person.call(Method::GET, path, None, None).await;
    assert_eq!(answer.status, 200, "{path}: {answer:?}");
    answer.body
}

/// Waits for a state that comes about by itself: calls `look` until it returns a value.
async fn until<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let asking = async {
        loop {
            if let Some(found) = look().await {
                return found;
            }
            tokio::time::sleep(AGAIN).await;
        }
    };
    tokio::time::timeout(PATIENCE, asking).await.unwrap_or_else(|_| panic!("{what} never happened"))
}

/// The network cannot be reached when a person disconnects, and the server is killed right after it answered. Only the queued job
/// can still revoke the access.
async fn taken_back(engine: Engine) {
    let mut world = World::new(engine).await;
    let mut node = world.node("one");
    node.start(&world.shared_sandbox()).await;
    let ada = person("ada", &node).await;
    let providers = get(&ada, "/api/providers").await;
    let admob = providers["items"].as_array().unwrap().iter().find(|item| item["network"] == "admob").unwrap();
    let connection = format!("/api/providers/{}", admob["id"].as_str().unwrap());
    world.close_sandbox().await;
    assert_eq!(ada.call(Method::DELETE, &connection, None, None).await.status, 204);
    node.kill().await;
    world.open_sandbox().await;
    // End the waiting time after the first attempt, whatever its result.
    let database = raw(&world, &node);
    assert_eq!(database.execute("update revocations set next_at = 0").await.unwrap(), 1);
    node.start(&world.shared_sandbox()).await;
    let home = get(&ada, "/api/me").await["user"]["personal_workspace_id"].as_str().unwrap().to_owned();
    let log = format!("/api/organizations/{home}/audit-log?action=connection.consent_taken_back");
    let lines = until("the consent", async || {
        let page = get(&ada, &log).await;
        page["items"].as_array().filter(|lines| !lines.is_empty()).cloned()
    })
    .await;
    assert_eq!((lines.len(), &lines[0]["person"]), (1, &Value::Null), "by nobody, and once: {lines:?}");
    node.kill().await;
    node.start(&world.shared_sandbox()).await;
    assert_eq!(get(&ada, "/api/revocations").await["items"], json!([]));
    assert_eq!(world.networks.revoked().await, 1);
    let dump = database.dump().await;
    let jobs: Vec<&str> = dump.lines().filter(|line| line.starts_with("revocations")).collect();
    assert!(jobs.len() == 1 && !jobs[0].contains("eyJ"), "no token is left: {jobs:?}");
    node.kill().await;
}

/// Makes every transaction that deletes the person slow.
async fn slow_down(database: &RawDatabase) {
    let statement = match database {
        RawDatabase::Sqlite(_) => {
            // This joins a table with itself many times, which takes long enough to kill the server in the meantime.
            "create trigger slow before delete on users begin
             select count(*) from sqlite_master a, sqlite_master b, sqlite_master c, sqlite_master d, sqlite_master e,
             sqlite_master f, sqlite_master g, sqlite_master h, sqlite_master i; end"
        }
        RawDatabase::Postgres(_) => {
            "create function slow() returns trigger language plpgsql as $$ begin perform pg_sleep(600); return old; end $$;
             create trigger slow before delete on users for each row execute function slow()"
        }
    };
    database.execute(statement).await.unwrap();
}

async fn be_quick_again(database: &RawDatabase) {
    match database {
        RawDatabase::Sqlite(_) => database.execute("drop trigger slow").await.unwrap(),
        RawDatabase::Postgres(_) => {
            // End the dead server's connection, which still sleeps; the trigger is in use until then.
            let ended = "select pg_terminate_backend(pid) from pg_stat_activity
                         where wait_event = 'PgSleep' and datname = current_database() and query not like '%pg_stat_activity%'";
            database.execute(ended).await.unwrap();
            database.execute("drop trigger slow on users").await.unwrap()
        }
    };
}

/// Waits until a deletion is in progress: no other writer gets in, or PostgreSQL shows the connection asleep.
async fn in_the_middle(database: &RawDatabase) {
    until("the erasure", async || match database {
        RawDatabase::Sqlite(_) => {
            // Stay locked out for longer than any other transaction of an idle server takes.
            for _ in 0..5 {
                database.execute("pragma busy_timeout = 0; begin immediate; rollback").await.err()?;
                tokio::time::sleep(AGAIN).await;
            }
            Some(())
        }
        RawDatabase::Postgres(_) => {
            let asleep = "do $$ begin if not exists (select 1 from pg_stat_activity where wait_event = 'PgSleep'
                          and query like '%delete from users%') then raise exception 'not yet'; end if; end $$";
            database.execute(asleep).await.ok().map(drop)
        }
    })
    .await;
}

/// Returns the rows that an erasure changes. Leaves out what changes in normal use: sessions, and the record of the export.
async fn held(database: &RawDatabase) -> Vec<String> {
    const TABLES: [&str; 12] = [
        "users:",
        "workspaces:",
        "memberships:",
        "connections:",
        "chat_sessions:",
        "messages:",
        "runs:",
        "audit_log:",
        "audit_heads:",
        "invitations:",
        "revocations:",
        "deleted_users:",
    ];
    let dump = database.dump().await;
    let mut lines: Vec<String> =
        dump.lines().filter(|line| TABLES.iter().any(|table| line.starts_with(table))).map(str::to_owned).collect();
    lines.sort();
    lines
}

/// Two people and three workspaces: her personal one, one that she shares with him, and one of which she is the only member.
async fn erased(engine: Engine) {
    let world = World::new(engine).await;
    let mut node = world.node("one");
    node.start(&world.shared_sandbox()).await;
    let (bob, zoe) = (person("bob", &node).await, person("zoequirk", &node).await);
    let post = async |who: &Person, path: &str, body: Value| {
        let answer = who.call(Method::POST, path, Some(&body), None).await;
        assert!(answer.status < 300, "{path}: {answer:?}");
        answer.body
    };
    let acme = post(&bob, "/api/organizations", json!({"name": "Acme"})).await["id"].as_str().unwrap().to_owned();
    let invite = json!({"email": "zoequirk@example.com", "role": "admin"});
    let invitation = post(&bob, &format!("/api/organizations/{acme}/invitations"), invite).await;
    post(&zoe, &format!("/api/invitations/{}/accept", invitation["id"].as_str().unwrap()), json!({})).await;
    post(&zoe, "/api/organizations", json!({"name": "Zoequirk alone"})).await;
    let question = json!({"message": "How many apps do I have? zoequirk"});
    let run = zoe.call(Method::POST, "/chat/stream", Some(&question), None).await.run.expect("a run");
    until("the answer", async || {
        let run = get(&zoe, &format!("/api/runs/{run}")).await;
        (run["status"] == "completed").then_some(())
    })
    .await;
    let id = get(&zoe, "/api/me").await["user"]["id"].as_str().unwrap().to_owned();
    let file = get(&zoe, "/api/account/export").await;
    assert_eq!(file["memberships"].as_array().map(Vec::len), Some(3), "{file}");
    assert!(!file["messages"].as_array().unwrap().is_empty() && !file["audit_log"].as_array().unwrap().is_empty());

    let providers = get(&zoe, "/api/providers").await;
    let signed_in = |item: &&Value| item["kind"] == "oauth" && item["id"].is_string();
    let consents = providers["items"].as_array().unwrap().iter().filter(signed_in).count();
    assert!(consents > 0, "{providers}");

    let database = raw(&world, &node);
    slow_down(&database).await;
    let before = held(&database).await;
    let zoe = Arc::new(zoe);
    let asking = tokio::spawn({
        let zoe = Arc::clone(&zoe);
        async move {
            // The remaining member answers this.
            let body = json!({"email": "zoequirk@example.com", "password": "correct horse"});
            zoe.call(Method::POST, "/api/account/delete", Some(&body), None).await
        }
    });
    in_the_middle(&database).await;
    node.kill().await;
    be_quick_again(&database).await;
    assert_eq!(held(&database).await, before, "what was begun left nothing");
    node.start(&world.shared_sandbox()).await;
    let answer = asking.await.unwrap();
    assert_eq!(answer.status, 204, "{answer:?}");
    let dump = database.dump().await.to_lowercase();
    for trace in ["zoequirk", id.as_str()] {
        let lines: Vec<&str> = dump.lines().filter(|line| line.contains(trace)).collect();
        assert!(lines.is_empty(), "{trace}: {lines:#?}");
    }
    assert_eq!(dump.lines().filter(|line| line.starts_with("deleted_users")).count(), 1);
    let members = get(&bob, &format!("/api/organizations/{acme}/members")).await;
    assert_eq!(members["items"].as_array().map(Vec::len), Some(1));
    let verdict = get(&bob, &format!("/api/organizations/{acme}/audit-log/verification")).await;
    assert_eq!(verdict["holds"], true, "{verdict}");
    // Each of her connections was revoked exactly once, and no other was.
    until("her consents", async || (world.networks.revoked().await >= consents).then_some(())).await;
    node.kill().await;
    node.start(&world.shared_sandbox()).await;
    assert_eq!(world.networks.revoked().await, consents);
    node.kill().await;
}
