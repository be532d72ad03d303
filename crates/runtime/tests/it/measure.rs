//! Measures roughly what a run costs. Prints the result, and fails only if it is far over the budget.

use std::{sync::Arc, time::Instant};

use adagent_testkit::{fixtures::Must, sqlite_store};

use crate::{scenario::all, world::World};

/// Returns the CPU time of this process so far, over all threads. Zero if the system does not report it.
fn cpu_seconds() -> f64 {
    const TICKS: f64 = 100.0;
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The 12th and 13th fields after the program's name hold the user and system time.
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11).take(2);
    fields.filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / TICKS
}

#[tokio::test]
async fn a_reactive_run_stays_small() {
    const RUNS: u32 = 200;
    let store = sqlite_store().await;
    let mut world = World::new(store.store(), Arc::clone(&all()[0].script)).await;
    world.config.flush_after = std::time::Duration::from_millis(15);
    let mut runs = Vec::new();
    for _ in 0..RUNS {
        runs.push(world.ask("What did I earn yesterday?").await);
    }
    let (started, spent) = (Instant::now(), cpu_seconds());
    world.runtime("w").run_until_idle().await.must();
    let each = started.elapsed() / RUNS;
    let per_thousand = (cpu_seconds() - spent) * 1000.0 / f64::from(RUNS);
    let mut bytes = 0;
    for run in &runs {
        for event in world.events(*run).await {
            bytes += serde_json::to_vec(&event.body).unwrap().len();
        }
        for checkpoint in world.base.store.list_checkpoints(*run).await.must() {
            let full = world.base.store.find_checkpoint(*run, checkpoint.id).await.must().unwrap();
            bytes += full.state.len();
        }
        for call in world.base.store.list_calls(*run).await.must() {
            bytes +=
                call.args.to_string().len() + call.digest.len() + serde_json::json!(call.outcome).to_string().len();
        }
    }
    let stored = bytes / RUNS as usize;
    let build = if cfg!(debug_assertions) { "unoptimised" } else { "optimised" };
    println!("{build} build: {each:?} and {stored} bytes stored per run, {per_thousand:.1} CPU-seconds per 1,000 runs");
    assert!(stored < 12 * 1024, "{stored} bytes per run");
}
