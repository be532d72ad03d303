//! Two hundred hostile sentences, asked of a running desk: each is answered in time, nothing breaks, and the server keeps
//! running. `sentences/hostile.json` holds them; the long ones are built here. Run it with
//! `cargo test --release -p server --test http sentences -- --ignored`.

use std::time::{Duration, Instant};

use futures::{StreamExt as _, stream};
use serde_json::{Value, json};

use crate::harness::{Caller, TestApp};

const HOSTILE: &str = include_str!("sentences/hostile.json");
/// How many are asked at once, as by a few people.
const AT_ONCE: usize = 3;
/// How long an answer may take with other tests running. The run's own limit of five minutes is far higher.
const PATIENCE: Duration = Duration::from_mins(2);
/// How many characters of a message are read.
const LONGEST: usize = 6_000;

fn all() -> Vec<String> {
    let mut all: Vec<String> = serde_json::from_str(HOSTILE).expect("a list of texts");
    for piece in ["“", "é", "a ", "pause ad unit ", "€5 ", "1e309 ", "(", "and AppLovin ", "👨‍👩‍👧‍👦", "x"]
    {
        all.push(piece.chars().cycle().take(LONGEST).collect());
    }
    all.push("x".repeat(LONGEST + 1));
    all
}

/// Returns how long the answer took, or what was wrong with it.
async fn asked(desk: &Caller<'_>, sentence: &str) -> Result<Duration, String> {
    let told: String = sentence.chars().take(60).collect();
    let begun = Instant::now();
    let events = tokio::time::timeout(PATIENCE, desk.ask(json!({"message": sentence}))).await;
    let events = events.map_err(|_| format!("{told:?} hangs"))?;
    let end = events.last().and_then(|event| event["type"].as_str()).unwrap_or_default();
    let failed = events.iter().any(|event| event["status"] == "failed");
    if failed || !matches!(end, "done" | "tool_approval_required") {
        return Err(format!("{told:?} ended with {end:?}: {:?}", events.last()));
    }
    Ok(begun.elapsed())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "ten minutes in a debug build"]
async fn hostile_sentences_are_answered_and_the_server_goes_on() {
    let app = TestApp::sqlite().await;
    let desk = app.explorer("hostile").await;
    let all = all();
    assert!(all.len() >= 200, "{}", all.len());
    let ended: Vec<Result<Duration, String>> =
        stream::iter(&all).map(|sentence| asked(&desk, sentence)).buffer_unordered(AT_ONCE).collect().await;
    let wrong: Vec<&String> = ended.iter().filter_map(|end| end.as_ref().err()).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let slowest = ended.iter().flatten().max().expect("some");
    println!("sentences: {} asked, the slowest took {slowest:?}", all.len());

    // A step that broke reports it and is retried once, so a run may succeed in spite of it.
    let runs = desk.get("/api/runs?limit=100").await.json();
    let items = runs["items"].as_array().expect("runs");
    assert!(items.iter().all(|run| run["status"] != "failed"), "{items:#?}");
    assert_eq!(desk.get("/healthz").await.status, 200);
    let after = desk.ask(json!({"message": "What was my revenue yesterday?"})).await;
    assert_eq!(after.last().map(|event| &event["type"]), Some(&Value::from("done")));
    app.stop().await;
}
