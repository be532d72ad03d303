//! A change that may have been made. An outage, a new message or a defect never turns it into "failed" or "declined", and nobody is asked
//! to make it again without a warning.

use std::sync::Arc;

use adagent_domain::RunId;
use adagent_runtime::cancel;
use adagent_store::{CallRecord, CallStatus};
use adagent_testkit::{TestStore, fixtures::Must, sqlite_store};
use adagent_tools::ToolErrorClass;

use crate::{
    flows::save,
    network::Sight,
    world::{Script, World, calls, group, no, says, told, yes},
};

/// Proposes the same change three times, whatever the results are.
fn stubborn() -> Script {
    Arc::new(|request| match told(request) {
        (0..3, _) => calls(&[("create_group", group("Banner"))]),
        _ => says("I do not know whether it is there."),
    })
}

/// Approves and sends a change. Its reply is lost, and no look can tell whether the change was made.
async fn unclear(store: &TestStore) -> (World, RunId) {
    let world = World::new(store.store(), stubborn()).await;
    {
        let mut network = world.network.lock();
        (network.lose_replies, network.sight) = (1, Sight::Blind);
    }
    let run = world.ask("Create it").await;
    world.runtime("w").run_until_idle().await.must();
    world.answer(yes(world.pending().await[0].id)).await.expect("the answer is taken");
    world.runtime("w").run_until_idle().await.must();
    assert_eq!(world.written().len(), 1);
    (world, run)
}

/// Lets the time pass in which the request may still be on its way.
async fn settle(world: &World) {
    world.base.clock.advance_millis(world.config.limits.settle_ms);
    world.runtime("w").run_until_idle().await.must();
}

/// Returns the call's row, and the last text about it that people saw.
async fn end_of(world: &World, run: RunId) -> (CallRecord, String) {
    let row = world.base.store.list_calls(run).await.must().remove(0);
    let told = world.events(run).await.into_iter().rev().find_map(|event| match event.body {
        adagent_contract::EventBody::ToolDenied { tool_call_id, reason: text, .. }
        | adagent_contract::EventBody::ToolResult { tool_call_id, summary: text, .. }
            if tool_call_id == row.id =>
        {
            Some(text)
        }
        _ => None,
    });
    (row, told.expect("people are told"))
}

#[tokio::test]
async fn nobody_is_asked_again_while_the_request_may_be_on_its_way() {
    let store = sqlite_store().await;
    let (world, run) = unclear(&store).await;
    assert!(world.pending().await.is_empty(), "it may take effect any moment");
    assert!(!world.status(run).await.is_final());
    settle(&world).await;
    assert!(world.pending().await[0].warnings[0].contains("couldn't find out"));
}

#[tokio::test]
async fn an_outage_that_goes_on_still_asks_with_what_is_known() {
    let store = sqlite_store().await;
    let (world, run) = unclear(&store).await;
    world.network.lock().faults.insert("sketch create_group".into(), vec![ToolErrorClass::Retryable]);
    settle(&world).await;
    let asked = world.pending().await.remove(0);
    assert!(asked.warnings[0].contains("couldn't find out"), "{:?}", asked.warnings);
    assert!(asked.warnings.iter().any(|warning| warning.contains("couldn't look up")), "{:?}", asked.warnings);
    assert_eq!((asked.tool_input, asked.preview.changes.len()), (group("Banner"), 0));
    world.answer(no(asked.id)).await.unwrap();
    world.runtime("w").run_until_idle().await.must();
    let (row, told) = end_of(&world, run).await;
    assert_eq!(row.status, CallStatus::Unknown);
    assert!(told.contains("couldn't find out"), "{told}");
    assert!(world.pending().await.is_empty() && world.status(run).await.is_final(), "the same is not asked again");
    assert_eq!(world.written().len(), 1);
}

#[tokio::test]
async fn a_question_that_cannot_be_asked_again_leaves_the_change_unknown() {
    let store = sqlite_store().await;
    let (world, run) = unclear(&store).await;
    world.network.lock().faults.insert("sketch create_group".into(), vec![ToolErrorClass::Deterministic]);
    settle(&world).await;
    let (row, told) = end_of(&world, run).await;
    assert_eq!(row.status, CallStatus::Unknown);
    assert!(told.contains("couldn't find out"), "{told}");
    assert!(world.pending().await.is_empty() && world.status(run).await.is_final(), "the same is not asked again");
    assert_eq!(world.written().len(), 1);
}

#[tokio::test]
async fn stopping_over_the_second_question_does_not_call_the_change_declined() {
    let store = sqlite_store().await;
    let (world, run) = unclear(&store).await;
    settle(&world).await;
    assert_eq!(world.stop_all().await, [run]);
    assert!(world.pending().await.is_empty());
    world.runtime("w").run_until_idle().await.must();
    assert!(world.status(run).await.is_final());
    let (row, told) = end_of(&world, run).await;
    assert_eq!(row.status, CallStatus::Unknown);
    assert!(told.contains("couldn't find out"), "{told}");
}

#[tokio::test]
async fn a_run_that_fails_over_the_second_question_does_not_call_the_change_declined() {
    for approved_again in [false, true] {
        let store = sqlite_store().await;
        let (world, run) = unclear(&store).await;
        settle(&world).await;
        let again = world.pending().await[0].id;
        if approved_again {
            world.answer(yes(again)).await.unwrap();
        } else {
            assert!(cancel(&world.deps("web", None), &world.actor(), run).await.unwrap());
        }
        // A state that nobody can read.
        save(&world, run, "{}").await;
        world.runtime("w").run_until_idle().await.must();
        assert!(world.status(run).await.is_final());
        let (row, told) = end_of(&world, run).await;
        assert_eq!(row.status, CallStatus::Unknown);
        assert!(told.contains("know whether it went through"), "{told}");
        assert_eq!(world.written().len(), 1);
    }
}
