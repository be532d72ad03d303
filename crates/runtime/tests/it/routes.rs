//! The second opinion on the route, and the text that comes with the calls of a reply.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use adagent_contract::{DecidedBy, EventBody};
use adagent_llm::ModelReply;
use adagent_runtime::Runtime;
use adagent_testkit::{fixtures::Must, sqlite_store};
use serde_json::json;

use crate::world::{DieAt, Script, World, calls, says, told};

const OPINION: &str = r#"{"services": ["admob"], "capability": "inventory", "path": "reactive", "outcome": "answer",
    "confidence": 0.9, "reason": "lists apps"}"#;

/// Answers the routing question with this text, and everything else with a call and a sentence. Counts the routing questions.
fn router(says_of_route: &'static str) -> (Script, Arc<AtomicU32>) {
    let routed = Arc::new(AtomicU32::new(0));
    let count = Arc::clone(&routed);
    let script: Script = Arc::new(move |request| {
        if request.system.starts_with("You route questions") {
            count.fetch_add(1, Ordering::SeqCst);
            return says(says_of_route);
        }
        match told(request) {
            (0, _) => calls(&[("list_apps", json!({}))]),
            _ => says("There they are."),
        }
    });
    (script, routed)
}

async fn decided(world: &World, run: adagent_domain::RunId) -> Vec<(DecidedBy, String)> {
    let events = world.events(run).await;
    let routes = events.into_iter().filter_map(|event| match event.body {
        EventBody::Routing { decided_by, capability, .. } => Some((decided_by, capability)),
        _ => None,
    });
    routes.collect()
}

#[tokio::test]
async fn an_unsure_route_is_asked_for_once_and_paid_for() {
    let store = sqlite_store().await;
    let (script, routed) = router(OPINION);
    let mut world = World::new(store.store(), script).await;
    world.sure = 0.4;
    let run = world.ask("the apps, please").await;
    world.runtime("w").run_until_idle().await.must();
    assert_eq!(decided(&world, run).await, [(DecidedBy::Model, "inventory".to_owned())]);
    assert_eq!(routed.load(Ordering::SeqCst), 1);
    let row = world.base.store.find_run_unscoped(run).await.must().expect("the run");
    assert_eq!((row.input_tokens, row.output_tokens), (30, 15), "route, call, answer");
}

#[tokio::test]
async fn a_sure_route_asks_nobody_and_a_useless_reply_leaves_the_rules_decision() {
    for (sure, reply, asked) in [(0.95, OPINION, 0), (0.4, "AdMob, I would say.", 1)] {
        let store = sqlite_store().await;
        let (script, routed) = router(reply);
        let mut world = World::new(store.store(), script).await;
        world.sure = sure;
        let run = world.ask("the apps, please").await;
        world.runtime("w").run_until_idle().await.must();
        assert_eq!(decided(&world, run).await, [(DecidedBy::Local, "mediation".to_owned())]);
        assert_eq!(routed.load(Ordering::SeqCst), asked);
        assert_eq!(world.view(run).await.answer, "There they are.");
    }
}

#[tokio::test]
async fn a_worker_that_takes_over_does_not_ask_again_once_the_route_is_stored() {
    let (mut stored, mut lost) = (0, 0);
    for cut in 0..60 {
        let store = sqlite_store().await;
        let (script, routed) = router(OPINION);
        let mut world = World::new(store.store(), script).await;
        world.sure = 0.4;
        let run = world.ask("the apps, please").await;
        let dying = DieAt::new(cut);
        Runtime::new(world.deps("first", Some(dying.clone()))).run_until_idle().await.must();
        if !dying.died() {
            assert!(stored > 0 && lost > 0, "both sides of the commit were cut");
            return;
        }
        let known = !decided(&world, run).await.is_empty();
        let before = routed.load(Ordering::SeqCst);
        world.outlive_leases();
        world.runtime("second").run_until_idle().await.must();
        assert_eq!(decided(&world, run).await, [(DecidedBy::Model, "inventory".to_owned())], "cut {cut}");
        let again = routed.load(Ordering::SeqCst) - before;
        assert_eq!(again, u32::from(!known), "cut {cut}");
        if known { stored += 1 } else { lost += 1 }
    }
    panic!("the run never got through");
}

#[tokio::test]
async fn what_a_reply_says_beside_its_calls_is_told_once() {
    for thinks in [true, false] {
        let aloud = "Reading the apps.";
        let store = sqlite_store().await;
        let script: Script = Arc::new(move |request| match told(request) {
            (0, _) => ModelReply { text: aloud.into(), ..calls(&[("list_apps", json!({}))]) },
            _ => says("There they are."),
        });
        let mut world = World::new(store.store(), script).await;
        Arc::get_mut(&mut world.model).expect("not shared yet").thinks = thinks;
        let run = world.ask("the apps, please").await;
        world.runtime("w").run_until_idle().await.must();
        let events = world.events(run).await;
        let thoughts: Vec<_> = events
            .iter()
            .filter_map(|event| match &event.body {
                EventBody::Thinking { content } => Some(content.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(thoughts, [aloud]);
    }
}
