//! Kills servers (SIGKILL) at moments that a seed chooses, while people read, write and answer.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use futures::future::join_all;
use serde_json::json;

use crate::{
    chance::{Chance, Clock, any, moments, seed},
    judge::{self, Verdict},
    person::Person,
    story::Story,
    world::{Engine, World},
};

/// How many people work at the same time: one kill hits each of them at a different point.
const PEOPLE: u64 = 5;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_server_loses_nothing_and_does_nothing_twice_on_sqlite() {
    rounds(Engine::Sqlite, seed("kills on SQLite", 1), moments(10)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_server_loses_nothing_and_does_nothing_twice_on_postgres() {
    rounds(Engine::Postgres, seed("kills on PostgreSQL", 2), moments(10)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "the long version, some minutes"]
async fn soak_kills_on_sqlite() {
    rounds(Engine::Sqlite, seed("kills on SQLite", any()), moments(300)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "the long version, some minutes"]
async fn soak_kills_on_postgres() {
    rounds(Engine::Postgres, seed("kills on PostgreSQL", any()), moments(300)).await;
}

/// Plays worlds of about thirty kills each, so that a failure leaves a log of readable length and can be replayed alone.
async fn rounds(engine: Engine, seed: u64, moments: u64) {
    const AT_ONCE: u64 = 30;
    let clock = Clock::start();
    let (mut played, mut total) = (0, Verdict::default());
    for world in seed.. {
        let now = (moments - played).min(AT_ONCE);
        println!("{engine:?}: FIRE_SEED={world} FIRE_MOMENTS={now}");
        total.add(&kills(engine, Chance::new(world), now).await);
        played += now;
        if played >= moments || clock.is_over() {
            break;
        }
    }
    total.tell(&format!("kills, {engine:?}"), seed, played);
    assert!(total.runs > 0 && total.writes > 0, "nobody changed anything, so nothing was proven: {total:?}");
}

async fn kills(engine: Engine, mut chance: Chance, moments: u64) -> Verdict {
    let mut world = World::new(engine).await;
    let mut node = world.node("one");
    node.start(&world.shared_sandbox()).await;
    let servers = Arc::new(vec![node.base_url()]);
    let arriving = (0..PEOPLE).map(|n| {
        let (servers, chance) = (Arc::clone(&servers), chance.fork());
        async move { Person::arrive(&format!("person{n}"), &servers, chance).await }
    });
    let people = join_all(arriving).await;

    let enough = AtomicBool::new(false);
    let number = AtomicU64::new(0);
    let books = chance.fork();
    let networks = world.networks.clone();
    let killing = async {
        for _ in 0..moments {
            if chance.one_in(3) {
                // The network has made the write, but its answer is still on its way when the server dies.
                let operation = *chance.pick(&["admob_create_mediation_group", "admob_create_ad_unit"]);
                let ms = chance.below(400) + 100;
                networks
                    .fault(json!({"network": "admob", "operation": operation, "kind": "delay", "ms": ms, "times": 2}))
                    .await;
            }
            tokio::time::sleep(chance.millis(50, 2200)).await;
            node.kill().await;
            if chance.one_in(4) {
                tokio::time::sleep(chance.millis(0, 300)).await;
            }
            let settings = if chance.one_in(4) {
                // This server and the networks will die together.
                world.close_sandbox().await;
                world.own_sandbox(&node)
            } else {
                world.open_sandbox().await;
                world.shared_sandbox()
            };
            node.start(&settings).await;
        }
        enough.store(true, Ordering::Relaxed);
    };
    let living = people.iter().enumerate().map(|(n, person)| {
        let (networks, enough, number) = (&networks, &enough, &number);
        let mut chance = Chance::new(books.clone().next() ^ n as u64);
        async move {
            let mut stories = Vec::new();
            while !enough.load(Ordering::Relaxed) {
                let name = format!("Fire-{n}-{}", number.fetch_add(1, Ordering::Relaxed));
                stories.push(Story::live(networks, person, name, chance.fork()).await);
                tokio::time::sleep(Duration::from_millis(chance.below(150))).await;
            }
            stories
        }
    });
    let ((), mut stories) = tokio::join!(killing, join_all(living));
    let mut verdict = Verdict::default();
    for (person, stories) in people.iter().zip(&mut stories) {
        judge::waiting(person, stories).await;
        for story in stories.iter_mut() {
            story.finish(&networks, person).await;
        }
        verdict.add(&judge::all(&networks, person, stories).await);
    }
    let everything: Vec<&Story> = stories.iter().flatten().collect();
    judge::nothing_unasked(&networks, &everything).await;
    node.kill().await;
    verdict
}
