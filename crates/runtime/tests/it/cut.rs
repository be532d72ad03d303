//! Cuts the journal at every commit of every golden flow. The end must be the same, and nothing may be sent twice.

use std::{collections::HashMap, sync::Arc};

use adagent_contract::{RunStatus, TurnView};
use adagent_domain::RunId;
use adagent_runtime::{Cuts, Runtime};
use adagent_store::Store;
use adagent_testkit::{fixtures::World as Base, postgres_store, sqlite_store};
use serde_json::{Value as Json, json};

use crate::{
    scenario::{Scenario, all},
    world::{DieAt, World},
};

/// Under load, a database server needs more than one look to notice that a worker was killed, and only then frees the row.
const ROUNDS: u32 = 100;

/// Plays the flow to its end. The first worker dies at the cut, and others take over.
async fn play(scenario: &Scenario, world: &World, cuts: Option<Arc<dyn Cuts>>) -> RunId {
    scenario.prepare(world);
    let run = world.ask("Please.").await;
    let mut runtime = Runtime::new(world.deps("first", cuts));
    for round in 0..ROUNDS {
        for advanced in runtime.run_until_idle().await.expect("the store works") {
            if let adagent_runtime::Advanced::LetGo(_) = advanced {
                world.outlive_leases();
                runtime = world.runtime(&format!("worker {round}"));
            }
        }
        runtime.run_until_idle().await.expect("the store works");
        match world.status(run).await {
            RunStatus::AwaitingApproval if world.pending().await.iter().any(|view| view.run_id == run) => {
                scenario.act(world, run).await;
            }
            status if status.is_final() => return run,
            // The worker was killed before it wrote anything, or its transaction still holds the row.
            _ => {
                world.outlive_leases();
                // This worker begins only now, so that the time before it does not count as work.
                runtime = world.runtime(&format!("late worker {round}"));
                tokio::time::sleep(std::time::Duration::from_millis(20)).await;
            }
        }
    }
    panic!("{}: never ended", scenario.name);
}

/// Returns what must be the same wherever the journal was cut: IDs by order of appearance, without times and notes about interruptions. If
/// a question was asked again, only its last answer counts.
pub fn comparable(view: TurnView) -> Json {
    let mut json = serde_json::to_value(view).expect("serialises");
    if let Some(approvals) = json["approvals"].as_array_mut() {
        let mut seen = Vec::new();
        approvals.reverse();
        approvals.retain(|approval| {
            let call = approval["tool_call_id"].clone();
            let new = !seen.contains(&call);
            seen.push(call);
            new
        });
        approvals.reverse();
        for approval in approvals.iter_mut() {
            // If a question was asked again, its card shows the arguments that were approved before. What may be sent is the same.
            let edited = approval["edited_args"].take();
            let sent = if edited.is_null() { approval["tool_input"].take() } else { edited };
            *approval = json!({
                "call": approval["tool_call_id"], "tool": approval["tool_name"], "status": approval["status"],
                "by": approval["answered_by"], "reason": approval["reason"], "sent": sent,
            });
        }
        approvals.sort_by_key(|approval| approval["sent"].to_string());
    }
    let mut ids = HashMap::new();
    scrub(&mut json, &mut ids);
    json
}

fn scrub(json: &mut Json, ids: &mut HashMap<String, String>) {
    const VARIES: [&str; 16] = [
        "at",
        "asked_at",
        "done_at",
        "answered_at",
        "started_at",
        "finished_at",
        "expires_at",
        "last_seq",
        "message",
        "duration_ms",
        "warnings",
        "summary",
        "label",
        "approval_id",
        "run_id",
        "task_run_id",
    ];
    match json {
        Json::Object(map) => {
            map.retain(|key, _| !VARIES.contains(&key.as_str()));
            map.values_mut().for_each(|value| scrub(value, ids));
        }
        Json::Array(items) => items.iter_mut().for_each(|item| scrub(item, ids)),
        Json::String(text) if text.len() == 36 && text.matches('-').count() == 4 => {
            let next = format!("id {}", ids.len() + 1);
            let name: &String = ids.entry(text.clone()).or_insert(next);
            text.clone_from(name);
        }
        _ => {}
    }
}

async fn check_end(scenario: &Scenario, world: &World, run: RunId, what: &str) -> Json {
    assert_eq!(world.status(run).await, scenario.status, "{what}");
    let mut written = world.written();
    written.sort_by_key(ToString::to_string);
    assert_eq!(written, scenario.written, "{what}: what reached the network");
    let view = world.view(run).await;
    if let Some(answer) = scenario.answer {
        assert_eq!(view.answer, answer, "{what}");
        assert!(view.answered, "{what}");
    }
    assert!(world.pending().await.is_empty(), "{what}: a question was left open");
    comparable(view)
}

async fn cut_everywhere(store: Arc<dyn Store>) -> usize {
    let base = Base::new(store);
    let person = base.person("ann").await;
    let mut cuts = 0;
    for scenario in all() {
        let world = World::of(base.clone(), person.clone(), Arc::clone(&scenario.script)).await;
        let run = play(&scenario, &world, None).await;
        let whole = check_end(&scenario, &world, run, scenario.name).await;
        let reads = world.network.lock().reads.len();
        for at in 0.. {
            let what = format!("{}, cut at {at}", scenario.name);
            let world = World::of(base.clone(), person.clone(), Arc::clone(&scenario.script)).await;
            let die = DieAt::new(at);
            let run = play(&scenario, &world, Some(Arc::clone(&die) as _)).await;
            if !die.died() {
                assert!(at > 6, "{what}: there were hardly any commits to cut");
                break;
            }
            cuts += 1;
            let end = check_end(&scenario, &world, run, &what).await;
            assert_eq!(end, whole, "{what}");
            let again = world.network.lock().reads.len();
            assert!(again <= reads + reads.max(1), "{what}: reads were repeated needlessly");
        }
    }
    cuts
}

#[tokio::test]
async fn every_golden_flow_survives_a_cut_at_every_commit_on_sqlite() {
    let store = sqlite_store().await;
    let cuts = cut_everywhere(store.store()).await;
    println!("{cuts} cuts");
}

#[tokio::test]
async fn every_golden_flow_survives_a_cut_at_every_commit_on_postgres() {
    let store = postgres_store().await;
    cut_everywhere(store.store()).await;
}
