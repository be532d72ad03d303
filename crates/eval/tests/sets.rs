//! The sets must reach their targets; run with `--nocapture` to see the table and every miss.

use std::path::PathBuf;

use adagent_eval::{self as eval, Local, Numbers};
use adagent_understanding::bundled_tools;

fn set(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../evals").join(name)
}

fn reaches(of: &str, numbers: &Numbers, least: [f64; 5]) {
    let got = [
        numbers.services_capability,
        numbers.path,
        numbers.outcome,
        numbers.tool_at_1.expect("scored"),
        numbers.slot_f1.expect("scored"),
    ];
    let names = ["services and capability", "path", "outcome", "tool@1", "slot F1"];
    for ((name, got), least) in names.iter().zip(got).zip(least) {
        assert!(got >= least, "{of}: {name} {got:.3}, at least {least}");
    }
}

#[test]
fn development_sets_reach_their_targets() {
    let tools = bundled_tools();
    assert_eq!(tools.len(), 323);
    let report = eval::run(&[set("")], "2026-11-21", &Local::new(&tools)).unwrap();
    println!("{}", report.to_text());
    reaches("all nine", &report.overall.numbers, [0.97, 0.98, 0.97, 0.95, 0.97]);
    reaches("AdMob only", &report.overall.admob_only, [0.99, 0.99, 0.99, 0.98, 0.98]);
    // The rules alone reach 0.85 here, because they were adjusted with these very chats. With strangers' questions, the learned
    // scores get far more right.
    assert!(report.overall.numbers.journeys.unwrap() >= 0.80);
}

/// The rules were not adjusted with these questions, so the results hold for other questions too.
#[test]
fn sets_nobody_looked_at_reach_them_too() {
    let names = ["nine-hidden", "nine-hidden-journeys", "nine-hidden2", "nine-hidden2-journeys", "nine-hidden3"];
    let files: Vec<PathBuf> = names.iter().map(|name| set(&format!("{name}.jsonl"))).collect();
    let report = eval::run(&files, "2026-11-21", &Local::new(&bundled_tools())).unwrap();
    reaches("hidden", &report.overall.numbers, [0.96, 0.96, 0.95, 0.90, 0.93]);
}
