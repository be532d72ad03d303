//! Several servers on one PostgreSQL and one sandbox; any of them may die or be asked to stop at any time.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use futures::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::{
    chance::{Chance, Clock, any, moments, seed},
    judge::{self, Verdict},
    person::{PATIENCE, Person},
    process::tail,
    story::Story,
    world::{Engine, World},
};

const PEOPLE: u64 = 6;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_servers_share_the_work_and_any_of_them_may_go() {
    many(seed("three servers", 3), moments(6)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "the long version, some minutes"]
async fn soak_three_servers() {
    const AT_ONCE: u64 = 30;
    let (seed, moments, clock) = (seed("three servers", any()), moments(120), Clock::start());
    let (mut played, mut total) = (0, Verdict::default());
    for world in seed.. {
        let now = (moments - played).min(AT_ONCE);
        println!("three servers: FIRE_SEED={world} FIRE_MOMENTS={now}");
        total.add(&many(world, now).await);
        played += now;
        if played >= moments || clock.is_over() {
            break;
        }
    }
    total.tell("three servers", seed, played);
}

async fn many(seed: u64, moments: u64) -> Verdict {
    let mut chance = Chance::new(seed);
    let world = World::new(Engine::Postgres).await;
    let networks = world.networks.clone();
    // No server's own clock may matter, so set them hours apart.
    let mut nodes =
        [("one", "+0"), ("two", "+3h"), ("three", "-3h")].map(|(name, clock)| world.node(name).whose_clock_is(clock));
    let settings = world.shared_sandbox();
    // Start all at once on an empty database: one migrates, and the others wait for it.
    for node in &mut nodes {
        node.spawn(&settings);
    }
    for node in &mut nodes {
        node.ready().await;
    }
    let servers: Vec<String> = nodes.iter().map(crate::process::Node::base_url).collect();
    let all = Arc::new(servers.clone());
    let arriving = (0..PEOPLE).map(|n| {
        let (servers, chance) = (Arc::clone(&all), chance.fork());
        async move { Person::arrive(&format!("person{n}"), &servers, chance).await }
    });
    let people = join_all(arriving).await;

    let (enough, number) = (AtomicBool::new(false), AtomicU64::new(0));
    let books = chance.next();
    let disturbing = async {
        for _ in 0..moments {
            tokio::time::sleep(chance.millis(100, 1200)).await;
            let node = &mut nodes[usize::try_from(chance.below(3)).unwrap()];
            if chance.one_in(3) {
                node.signal("TERM").await;
                let ended = node.gone().await;
                assert!(ended.success(), "{ended}: {}", tail(&node.log()));
            } else {
                node.kill().await;
            }
            tokio::time::sleep(chance.millis(0, 600)).await;
            node.start(&settings).await;
        }
        enough.store(true, Ordering::Relaxed);
    };
    let living = people.iter().enumerate().map(|(n, person)| {
        let (networks, enough, number) = (&networks, &enough, &number);
        let mut chance = Chance::new(books ^ n as u64);
        async move {
            let mut stories = Vec::new();
            while !enough.load(Ordering::Relaxed) {
                let name = format!("Node-{n}-{}", number.fetch_add(1, Ordering::Relaxed));
                stories.push(Story::live(networks, person, name, chance.fork()).await);
                tokio::time::sleep(chance.millis(0, 200)).await;
            }
            stories
        }
    });
    let ((), mut stories) = tokio::join!(disturbing, join_all(living));
    let mut verdict = Verdict::default();
    for (person, stories) in people.iter().zip(&mut stories) {
        judge::waiting(person, stories).await;
        for story in stories.iter_mut() {
            story.finish(&networks, person).await;
        }
        verdict.add(&judge::all(&networks, person, stories).await);
        // Whichever server ran it, every server returns the same events.
        for story in stories.iter() {
            let mut told = Vec::new();
            for server in &servers {
                let mut events = Vec::new();
                person.at(server).follow(&story.run, &mut events, Story::is_over).await;
                told.push(events);
            }
            assert!(told.windows(2).all(|pair| pair[0] == pair[1]), "{} reads differently", story.name);
        }
    }
    let everything: Vec<&Story> = stories.iter().flatten().collect();
    judge::nothing_unasked(&networks, &everything).await;
    for node in &mut nodes {
        node.kill().await;
    }
    verdict
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_asked_to_stop_cuts_no_request_and_hands_its_runs_on_at_once() {
    let world = World::new(Engine::Postgres).await;
    let mut settings = world.shared_sandbox();
    // The lease is longer than anybody would wait, so the new server can continue a run only if the old one handed it over.
    settings.push(("ADAGENT_LEASE_MS", "300000".to_owned()));
    let (mut old, mut new) = (world.node("old"), world.node("new"));
    old.start(&settings).await;
    let one = Arc::new(vec![old.base_url()]);
    let person = Person::arrive("ada", &one, Chance::new(1)).await;

    // Slow down one read, and one write that is being sent.
    let slow = json!({"network": "admob", "operation": "admob_generate_network_report", "kind": "delay", "ms": 60_000, "times": 1});
    world.networks.fault(slow).await;
    let delayed =
        json!({"network": "admob", "operation": "admob_create_ad_unit", "kind": "delay", "ms": 1_500, "times": 1});
    world.networks.fault(delayed).await;
    let write = person.ask("Create a banner ad unit called Drained in Puzzle Game on Android", "write").await;
    let mut written = Vec::new();
    let has = |kind: &'static str| move |events: &[Value]| events.iter().any(|event| event["type"] == kind);
    person.follow(&write, &mut written, has("tool_approval_required")).await;
    let read = person.ask("What was my revenue yesterday?", "read").await;
    let mut seen = Vec::new();
    person.follow(&read, &mut seen, has("tool_executing")).await;
    let approval = written.last().unwrap()["approval_id"].as_str().unwrap().to_owned();
    assert_eq!(person.answer(&approval, true, None).await.status, 200);
    person.follow(&write, &mut written, has("tool_executing")).await;
    new.start(&settings).await;

    // The old server must complete every answer that it begins while it stops.
    let streaming = person.read_on(&read, &mut seen, |_| false);
    let asking = async {
        let mut answered = 0;
        loop {
            match person.at(&old.base_url()).once(Method::GET, "/api/runs").await {
                Ok(answer) => {
                    assert_eq!(answer.status, 200, "{answer:?}");
                    answered += 1;
                }
                Err(error) if error.is_connect() => return answered,
                Err(error) => panic!("a request was cut: {error:?}"),
            }
        }
    };
    let stopping = async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        old.signal("TERM").await;
    };
    let (whole, answered, ()) = timeout(PATIENCE, async { tokio::join!(streaming, asking, stopping) }).await.unwrap();
    assert!(whole, "the event stream was cut instead of ended");
    assert!(answered > 0);
    let ended = old.gone().await;
    assert!(ended.success(), "{ended}: {}", tail(&old.log()));

    let person = person.at(&new.base_url());
    person.follow(&read, &mut seen, Story::is_over).await;
    assert_eq!(seen.last().unwrap()["status"], "completed", "{:?}", seen.last());
    person.follow(&write, &mut written, Story::is_over).await;
    assert_eq!(written.last().unwrap()["status"], "completed");
    assert_eq!(world.networks.made("Drained").await, 1);
    new.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_whose_clock_is_hours_ahead_leaves_a_living_ones_write_alone() {
    let world = World::new(Engine::Postgres).await;
    let settings = world.shared_sandbox();
    let (mut living, mut ahead) = (world.node("living"), world.node("ahead").whose_clock_is("+3h"));
    living.start(&settings).await;
    let person = Person::arrive("ada", &Arc::new(vec![living.base_url()]), Chance::new(1)).await;
    let delayed =
        json!({"network": "admob", "operation": "admob_create_ad_unit", "kind": "delay", "ms": 3_500, "times": 1});
    world.networks.fault(delayed).await;
    let write = person.ask("Create a banner ad unit called Unhurried in Puzzle Game on Android", "write").await;
    let mut events = Vec::new();
    let has = |kind: &'static str| move |events: &[Value]| events.iter().any(|event| event["type"] == kind);
    person.follow(&write, &mut events, has("tool_approval_required")).await;
    let approval = events.last().unwrap()["approval_id"].as_str().unwrap().to_owned();
    assert_eq!(person.answer(&approval, true, None).await.status, 200);
    person.follow(&write, &mut events, has("tool_executing")).await;
    ahead.start(&settings).await;

    person.follow(&write, &mut events, Story::is_over).await;
    assert_eq!(events.last().unwrap()["status"], "completed", "{events:#?}");
    assert_eq!(world.networks.made("Unhurried").await, 1);
    let log = std::fs::read_to_string(ahead.log()).unwrap();
    assert!(log.contains("the database's is used"), "its clock was not shifted: {log}");
    assert!(!log.contains("taken over"), "it took over a run that was alive: {log}");
    living.kill().await;
    ahead.kill().await;
}
