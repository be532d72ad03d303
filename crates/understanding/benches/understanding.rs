//! Measures how long a question and the ranking of its tools take: `cargo bench -p adagent-understanding`.
//!
//! Budgets: a question 200 µs; a ranking 500 µs over the tools of nine networks, 5 ms over 100,000 tools.

use std::hint::black_box;

use adagent_contract::{EntityItem, EntityKind, HistoryEntry};
use adagent_domain::Network;
use adagent_understanding::{Question, RetrievableTool, ToolIndex, Understood, bundled_tools, understand};
use criterion::{Criterion, criterion_group, criterion_main};

const QUESTIONS: [&str; 6] = [
    "What was my revenue yesterday?",
    "top 5 countries by eCPM for Puzzle Game on iOS last 30 days compared to the 30 days before",
    "raise the InMobi floor in iOS Rewarded Global to $6",
    "Create a mediation group for Puzzle Game on Android banner with AppLovin and Unity bidding",
    "which mediation groups use AppLovin?",
    "why did revenue drop last week?",
];

/// Returns as many entities as a medium-sized publisher has.
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
            connection: None,
            raw: serde_json::Value::Null.into(),
        })
        .collect()
}

fn questions(known: &[EntityItem], history: &[HistoryEntry]) -> Vec<Question> {
    QUESTIONS
        .iter()
        .map(|text| Question {
            text: (*text).into(),
            history: history.to_vec(),
            connected: vec![Network::AdMob],
            disabled: Vec::new(),
            today: "2026-11-21".into(),
            entities: known.to_vec().into(),
            connections: Vec::new(),
            own_tools: Vec::new(),
            colleagues: Vec::new(),
        })
        .collect()
}

/// Repeats the catalog, each copy with words of its own, as custom tools would have.
fn many(count: usize) -> Vec<RetrievableTool> {
    let base = bundled_tools();
    (0..count)
        .map(|n| {
            let tool = base[n % base.len()].clone();
            let copy = n / base.len();
            RetrievableTool {
                name: format!("{}_{copy}", tool.name),
                description: format!("{} Copy {copy} for team {}.", tool.description, copy % 97),
                ..tool
            }
        })
        .collect()
}

fn router(bench: &mut Criterion) {
    let said = |role: &str, content: &str| HistoryEntry { role: role.into(), content: content.into() };
    let history = [said("user", "AdMob revenue by country last week"), said("assistant", "US $410, DE $120.")];
    for (name, known, history) in [
        ("router/alone", Vec::new(), &[][..]),
        ("router/follow-up", Vec::new(), &history[..]),
        ("router/400 entities", entities(), &[][..]),
    ] {
        let asked = questions(&known, history);
        let mut next = asked.iter().cycle();
        bench.bench_function(name, |b| {
            b.iter(|| next.next().map(|question| understand(black_box(question))));
        });
    }
}

fn retrieval(bench: &mut Criterion) {
    let asked = questions(&[], &[]);
    let understood: Vec<Understood> = asked.iter().map(understand).collect();
    for (name, tools) in [
        ("retrieval/nine networks", bundled_tools()),
        ("retrieval/10,000", many(10_000)),
        ("retrieval/100,000", many(100_000)),
    ] {
        let index = ToolIndex::new(&tools);
        let mut next = asked.iter().zip(&understood).cycle();
        bench.bench_function(name, |b| {
            b.iter(|| next.next().map(|(q, u)| index.rank(black_box(u), &q.text, &Network::ALL)));
        });
    }
}

criterion_group!(benches, router, retrieval);
criterion_main!(benches);
