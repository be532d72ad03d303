//! A server that is cut off from the database or the networks: it says so clearly, recovers without a restart, and loses nothing.

use std::{
    net::SocketAddr,
    sync::Arc,
    time::{Duration, Instant},
};

use adagent_testkit::{FaultProxy, HeldSqlite, Mode};
use futures::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::{sync::oneshot, time::timeout};

use crate::{
    chance::Chance,
    judge,
    person::{PATIENCE, Person},
    process::{Node, tail},
    story::Story,
    world::{Engine, World},
};

/// The longest wait for an answer, whatever is down: a little more than the server's own limit.
const DEADLINE: Duration = Duration::from_secs(50);
const AGAIN: Duration = Duration::from_millis(50);

/// Asks `/readyz` until it returns the expected status.
async fn readiness(node: &Node, expected: u16) {
    let http = reqwest::Client::builder().pool_max_idle_per_host(0).timeout(DEADLINE).build().unwrap();
    let started = Instant::now();
    loop {
        let answer = http.get(format!("{}/readyz", node.base_url())).send().await.expect("the process answers");
        let status = answer.status().as_u16();
        if status == expected {
            let body: Value = answer.json().await.unwrap();
            assert_eq!(body["checks"]["database"], if expected == 200 { "ok" } else { "down" }, "{body}");
            return;
        }
        assert!(started.elapsed() < PATIENCE, "/readyz stays at {status}:\n{}", tail(&node.log()));
        tokio::time::sleep(AGAIN).await;
    }
}

/// Sends a request during the outage. The answer must come in time, and a refusal must be readable for programs and people.
async fn clear(person: &Person, method: Method, path: &str, body: Option<&Value>) -> u16 {
    let asked = person.once_with(method.clone(), path, body);
    let answer = timeout(DEADLINE, asked).await.expect("never a hang").expect("an answer");
    if answer.status >= 500 {
        assert_eq!(answer.status, 503, "{method} {path}: {answer:?}");
        assert_eq!(answer.body["code"], "unavailable", "{answer:?}");
        assert!(answer.retry_after.is_some_and(|seconds| seconds > 0), "{answer:?}");
        let text = answer.body.to_string();
        assert!(!text.contains("127.0.0.1") && !text.contains("sqlx"), "internals are told: {text}");
    }
    answer.status
}

/// Runs one outage: asks before and during it, and checks everything afterwards.
async fn through(
    world: &World,
    node: &Node,
    person: &Person,
    name: &str,
    ended: Option<oneshot::Sender<()>>,
    trouble: impl Future<Output = ()>,
) {
    let networks = world.networks.clone();
    let mut chance = Chance::new(7);
    let mut before = Story::ask_for(&networks, person, format!("{name}-before"), Story::UNIT, Story::LATER).await;
    let during = async {
        let mut stories = Vec::new();
        for n in 0..3 {
            let name = format!("{name}-during-{n}");
            stories.push(Story::live(&networks, person, name, chance.fork()).await);
        }
        stories
    };
    // A stream must not stay open in silence: it ends, and the page says that it tries again.
    let watching = async {
        if let Some(ended) = ended {
            let mut seen = before.events.clone();
            let reading = person.read_on(&before.run, &mut seen, |_| false);
            timeout(DEADLINE, reading).await.expect("the stream ends");
            ended.send(()).unwrap();
        }
    };
    let ((), (), mut stories) = tokio::join!(watching, trouble, during);
    readiness(node, 200).await;
    judge::waiting(person, std::slice::from_ref(&before)).await;
    before.finish(&networks, person).await;
    for story in &mut stories {
        story.finish(&networks, person).await;
    }
    stories.push(before);
    // It works as before, without a restart.
    let after = Story::ask_for(&networks, person, format!("{name}-after"), Story::UNIT, Story::APPROVE).await;
    assert_eq!(after.events.last().unwrap()["status"], "completed", "{:?}", after.events.last());
    stories.push(after);
    judge::all(&networks, person, &stories).await;
    judge::nothing_unasked(&networks, &stories.iter().collect::<Vec<_>>()).await;
}

async fn cut_from_postgres(modes: &[(&str, Mode, bool)]) {
    join_all(modes.iter().map(|(name, mode, notices)| async move {
        let world = World::new(Engine::Postgres).await;
        let url = world.database_url.clone().unwrap();
        let proxy = FaultProxy::start(address_of(&url)).await.unwrap();
        let mut node = world.node_at(name, Some(proxy.through(&url)));
        node.start(&world.shared_sandbox()).await;
        let person = Person::arrive("ada", &Arc::new(vec![node.base_url()]), Chance::new(1)).await;
        let (ended, has_ended) = oneshot::channel();
        let watched = *mode == Mode::Reset;
        let trouble = async {
            if watched {
                // The stream is usually open by then. If it is not, it must be refused clearly.
                tokio::time::sleep(Duration::from_millis(300)).await;
            }
            proxy.set(*mode);
            if watched {
                has_ended.await.unwrap();
            }
            if *notices {
                readiness(&node, 503).await;
            }
            for (method, path) in
                [(Method::GET, "/api/me"), (Method::GET, "/api/runs"), (Method::POST, "/api/chat/sessions")]
            {
                let body = (method == Method::POST).then(|| json!({}));
                let status = clear(&person, method, path, body.as_ref()).await;
                assert!(!notices || status == 503, "{name}: {path} was answered {status}");
            }
            if *notices {
                let page = person.open("/chat").await;
                assert_eq!((page.status, page.kind.as_str()), (503, "text/html; charset=utf-8"), "{page:?}");
            }
            proxy.set(Mode::Pass);
        };
        through(&world, &node, &person, name, watched.then_some(ended), trouble).await;
        node.kill().await;
    }))
    .await;
}

fn address_of(url: &str) -> SocketAddr {
    url.split('@').nth(1).and_then(|rest| rest.split('/').next()).unwrap().parse().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_cut_from_postgres_says_so_and_comes_back() {
    cut_from_postgres(&[
        ("latency", Mode::Latency(Duration::from_millis(8)), false),
        ("reset", Mode::Reset, true),
        ("silence", Mode::Silence, true),
        ("half-open", Mode::HalfOpen, true),
        ("cut", Mode::CutAfter(60), false),
    ])
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_cut_from_the_networks_ends_its_runs_and_writes_nothing_twice() {
    let modes = [
        ("net-latency", Mode::Latency(Duration::from_millis(60))),
        ("net-reset", Mode::Reset),
        ("net-silence", Mode::Silence),
        ("net-cut", Mode::CutAfter(120)),
    ];
    join_all(modes.map(|(name, mode)| cut_from_networks(name, mode, Duration::from_secs(3)))).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "waits for the longest bounds, a minute"]
async fn soak_cut_from_the_networks() {
    let modes =
        [("net-half-open", Mode::HalfOpen), ("net-long-silence", Mode::Silence), ("net-long-reset", Mode::Reset)];
    join_all(modes.map(|(name, mode)| cut_from_networks(name, mode, Duration::from_secs(12)))).await;
}

async fn cut_from_networks(name: &str, mode: Mode, lasts: Duration) {
    let world = World::new(Engine::Sqlite).await;
    let upstream = SocketAddr::from(([127, 0, 0, 1], world.networks.port));
    let proxy = FaultProxy::start(upstream).await.unwrap();
    let mut node = world.node(name);
    node.start(&[("ADAGENT_SANDBOX__URL", format!("http://{}", proxy.address()))]).await;
    let networks = world.networks.clone();
    let servers = Arc::new(vec![node.base_url()]);
    let people = join_all((0..3).map(|n| {
        let servers = Arc::clone(&servers);
        async move { Person::arrive(&format!("p{n}"), &servers, Chance::new(n)).await }
    }))
    .await;
    let living = people.iter().enumerate().map(|(n, person)| {
        let networks = &networks;
        async move {
            let mut chance = Chance::new(n as u64 + 11);
            let mut stories = Vec::new();
            for round in 0..4 {
                stories.push(Story::live(networks, person, format!("{name}-{n}-{round}"), chance.fork()).await);
            }
            stories
        }
    });
    let trouble = async {
        tokio::time::sleep(Duration::from_millis(400)).await;
        proxy.set(mode);
        // Only the networks are down; the desk still answers.
        for person in &people {
            assert_eq!(clear(person, Method::GET, "/api/me", None).await, 200, "{}", tail(&node.log()));
        }
        readiness(&node, 200).await;
        tokio::time::sleep(lasts).await;
        proxy.set(Mode::Pass);
    };
    let (mut stories, ()) = tokio::join!(join_all(living), trouble);
    for (person, stories) in people.iter().zip(&mut stories) {
        judge::waiting(person, stories).await;
        for story in stories.iter_mut() {
            story.finish(&networks, person).await;
        }
        judge::all(&networks, person, stories).await;
    }
    judge::nothing_unasked(&networks, &stories.iter().flatten().collect::<Vec<_>>()).await;
    // We pause a network after repeated failures, and then use it again.
    let started = Instant::now();
    for n in 0.. {
        let story =
            Story::ask_for(&networks, &people[0], format!("{name}-well-{n}"), Story::READ, Story::APPROVE).await;
        if story.events.last().unwrap()["status"] == "completed" {
            break;
        }
        assert!(started.elapsed() < PATIENCE, "the network is not used again: {:#?}", story.events);
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    node.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_file_locked_by_somebody_else_is_told_and_waited_for() {
    let world = World::new(Engine::Sqlite).await;
    let mut node = world.node("locked");
    node.start(&world.shared_sandbox()).await;
    let person = Person::arrive("ada", &Arc::new(vec![node.base_url()]), Chance::new(1)).await;
    let trouble = async {
        let held = HeldSqlite::hold(&node.folder.join("adagent.db")).await;
        readiness(&node, 503).await;
        // Reading continues while the writer is blocked.
        assert_eq!(clear(&person, Method::GET, "/api/runs", None).await, 200);
        assert_eq!(clear(&person, Method::POST, "/api/chat/sessions", Some(&json!({}))).await, 503);
        held.let_go().await;
    };
    through(&world, &node, &person, "locked", None, trouble).await;
    node.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_is_told_and_nothing_is_lost_when_there_is_room_again() {
    let world = World::new(Engine::Sqlite).await;
    let mut node = world.node("full").on_a_bounded_disk();
    node.start(&world.shared_sandbox()).await;
    let person = Person::arrive("ada", &Arc::new(vec![node.base_url()]), Chance::new(1)).await;
    let trouble = async {
        // There is room for no more byte, not even for the program's log.
        node.room("0").await;
        readiness(&node, 503).await;
        assert_eq!(clear(&person, Method::GET, "/api/runs", None).await, 200);
        assert_eq!(clear(&person, Method::POST, "/api/chat/sessions", Some(&json!({}))).await, 503);
        node.room("unlimited").await;
    };
    through(&world, &node, &person, "full", None, trouble).await;
    node.kill().await;
}
