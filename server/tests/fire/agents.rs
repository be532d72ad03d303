//! Kills servers while a run asks two agents: one reads, the other one changes something.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    chance::{Chance, moments, seed},
    judge,
    person::Person,
    story::Story,
    world::{Engine, Networks, World},
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_server_asks_no_agent_twice_and_loses_none_on_sqlite() {
    kills(Engine::Sqlite, seed("agents on SQLite", 4), moments(8)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_server_asks_no_agent_twice_and_loses_none_on_postgres() {
    kills(Engine::Postgres, seed("agents on PostgreSQL", 5), moments(8)).await;
}

/// A run that asked two agents, and the change of one of them.
struct Asked {
    run: String,
    /// The run of each agent, in the order in which they were asked.
    below: Vec<String>,
    change: Story,
}

async fn make(person: &Person, handle: &str, may: &[&str]) {
    let grants = [json!({"on": "admob", "may": may}), json!({"on": "native", "may": may})];
    let body = json!({"handle": handle, "name": handle, "grants": grants});
    let made = person.call(Method::POST, "/api/agents", Some(&body), None).await;
    assert_eq!(made.status, 201, "{made:?}");
}

fn below(events: &[Value]) -> Vec<String> {
    let asked = events.iter().filter(|event| event["type"] == "delegated");
    asked.map(|event| event["task_run_id"].as_str().unwrap().to_owned()).collect()
}

/// Asks both agents, and approves what the keeper wants to change.
async fn live(networks: &Networks, person: &Person, name: String) -> Asked {
    let question = format!(
        "Ask @reporter for yesterday's revenue, and ask @keeper to create a rewarded ad unit called {name} in Puzzle Game on Android"
    );
    let run = person.ask(&question, &name).await;
    let mut events = Vec::new();
    person.follow(&run, &mut events, |events| below(events).len() == 2 || Story::is_over(events)).await;
    let below = below(&events);
    assert_eq!(below.len(), 2, "both were asked: {events:#?}");
    let mut change = Story { name, wish: Story::UNIT, run: below[1].clone(), events: Vec::new(), asked: Vec::new() };
    change.finish(networks, person).await;
    person.follow(&run, &mut events, Story::is_over).await;
    Asked { run, below, change }
}

async fn kills(engine: Engine, seed: u64, moments: u64) {
    let mut chance = Chance::new(seed);
    let world = World::new(engine).await;
    let mut node = world.node("one");
    let settings = world.shared_sandbox();
    node.start(&settings).await;
    let person = Person::arrive("ada", &Arc::new(vec![node.base_url()]), chance.fork()).await;
    make(&person, "reporter", &["read", "list"]).await;
    make(&person, "keeper", &["read", "list", "create", "update", "delete"]).await;

    let networks = world.networks.clone();
    let enough = AtomicBool::new(false);
    let killing = async {
        for _ in 0..moments {
            if chance.one_in(3) {
                // The network has made the write, but its answer is still on its way when the server dies.
                let slow = json!({"network": "admob", "operation": "admob_create_ad_unit", "kind": "delay", "ms": 400, "times": 1});
                networks.fault(slow).await;
            }
            tokio::time::sleep(chance.millis(50, 1500)).await;
            node.kill().await;
            node.start(&settings).await;
        }
        enough.store(true, Ordering::Relaxed);
    };
    let living = async {
        let mut all = Vec::new();
        while !enough.load(Ordering::Relaxed) {
            all.push(live(&networks, &person, format!("Team-{}", all.len())).await);
        }
        all
    };
    let ((), all) = tokio::join!(killing, living);

    let mut stories = Vec::new();
    for Asked { run, below: asked, change } in all {
        let mut events = Vec::new();
        person.follow(&run, &mut events, Story::is_over).await;
        assert_eq!(events.last().unwrap()["status"], "completed", "{events:#?}");
        assert_eq!(below(&events), asked, "each agent was asked once");
        assert_eq!(asked.iter().collect::<BTreeSet<_>>().len(), 2);
        let answered = |event: &&Value| event["type"] == "tool_result" && event["name"] == "ask_agent";
        assert_eq!(events.iter().filter(answered).count(), 2, "each answered once: {events:#?}");
        let said = events.iter().rev().find(|event| event["type"] == "result").unwrap()["content"].to_string();
        assert!(said.contains("@reporter") && said.contains("@keeper") && said.contains('$'), "{said}");
        for run in &asked {
            let mut own = Vec::new();
            person.follow(run, &mut own, Story::is_over).await;
            assert_eq!(own.iter().filter(|event| event["type"] == "done").count(), 1, "{own:#?}");
        }
        stories.push(change);
    }
    let verdict = judge::all(&networks, &person, &stories).await;
    judge::nothing_unasked(&networks, &stories.iter().collect::<Vec<_>>()).await;
    assert!(verdict.writes > 0, "no agent changed anything, so nothing was proven: {verdict:?}");
    let chats = person.get("/api/chat/sessions?limit=100").await.body;
    assert_eq!(chats["items"].as_array().unwrap().len(), stories.len(), "one chat for each question");
    node.kill().await;
}
