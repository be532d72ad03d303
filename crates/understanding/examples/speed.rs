//! How long understanding and retrieval take: `cargo run --release -p adagent-understanding --example speed`.
//!
//! The targets are 200 µs for a question and 500 µs for the tools; the figures are printed, nothing is asserted.

use std::hint::black_box;
use std::time::{Duration, Instant};

use adagent_contract::{EntityItem, EntityKind};
use adagent_domain::Network;
use adagent_understanding::{Question, ToolIndex, Understood, eval::bundled_tools, understand};

const ROUNDS: usize = 200;

const QUESTIONS: [&str; 6] = [
    "What was my revenue yesterday?",
    "top 5 countries by eCPM for Puzzle Game on iOS last 30 days compared to the 30 days before",
    "raise the InMobi floor in iOS Rewarded Global to $6",
    "Create a mediation group for Puzzle Game on Android banner with AppLovin and Unity bidding",
    "which mediation groups use AppLovin?",
    "why did revenue drop last week?",
];

/// As many entities as a middle-sized publisher has.
fn entities() -> Vec<EntityItem> {
    (0..400)
        .map(|n| EntityItem {
            network: Network::AdMob,
            kind: [EntityKind::App, EntityKind::AdUnit, EntityKind::AdUnit, EntityKind::MediationGroup][n % 4],
            id: format!("ca-app-pub-1111111111111111/{n:010}"),
            name: format!("Puzzle {} number {n}", ["Game", "rewarded unit", "banner unit", "Tier group"][n % 4]),
            parent: None,
            account: Some("pub-1111111111111111".into()),
            platform: Some("android".into()),
            format: None,
            status: None,
            raw: serde_json::Value::Null,
        })
        .collect()
}

fn question(text: &str, entities: &[EntityItem]) -> Question {
    Question {
        text: text.into(),
        history: Vec::new(),
        connected: vec![Network::AdMob],
        disabled: Vec::new(),
        today: "2026-11-21".into(),
        entities: entities.to_vec(),
    }
}

/// Median and 99th percentile of single runs.
fn measure(mut work: impl FnMut(usize)) -> (Duration, Duration) {
    let mut times: Vec<Duration> = (0..ROUNDS * QUESTIONS.len())
        .map(|n| {
            let start = Instant::now();
            work(n % QUESTIONS.len());
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    (times[times.len() / 2], times[times.len() * 99 / 100])
}

fn print(what: &str, (median, slow): (Duration, Duration)) {
    println!("{what:<32} median {median:>9.1?}   p99 {slow:>9.1?}");
}

fn main() {
    for (what, known) in [("understand, no entities", Vec::new()), ("understand, 400 entities", entities())] {
        let asked: Vec<Question> = QUESTIONS.iter().map(|text| question(text, &known)).collect();
        // The tables are built once, at the first question.
        for one in &asked {
            black_box(understand(one));
        }
        print(what, measure(|n| drop(black_box(understand(&asked[n])))));
    }
    let index = ToolIndex::new(&bundled_tools());
    let understood: Vec<Understood> = QUESTIONS.iter().map(|text| understand(&question(text, &[]))).collect();
    let name = format!("retrieval, {} tools", index.len());
    print(&name, measure(|n| drop(black_box(index.rank(&understood[n], QUESTIONS[n], &Network::ALL)))));
    print(
        "retrieval, AdMob alone",
        measure(|n| drop(black_box(index.rank(&understood[n], QUESTIONS[n], &[Network::AdMob])))),
    );
}
