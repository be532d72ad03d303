//! Single flows in detail.

use std::{sync::Arc, time::Duration};

use adagent_contract::{ApprovalStatus, CONNECTION, EventBody, NetworkState, OverrideRequest, RunEvent, RunStatus};
use adagent_domain::ConnectionId;
use adagent_runtime::{Advanced, AnswerError, Runtime, cancel, expire_due, fork_run, override_run};
use adagent_store::CallStatus;
use adagent_testkit::{fixtures::Must, sqlite_store};
use adagent_tools::ToolErrorClass;
use serde_json::json;

use crate::{
    network::{FakeNetwork, Sight},
    scenario::{Person, all},
    world::{DieAt, Script, World, calls, group, idle, kinds, no, says, told, yes},
};

fn one_write() -> Script {
    Arc::new(|request| match told(request) {
        (0, _) => calls(&[("create_group", group("Banner"))]),
        (_, results) if results.last().is_some_and(|r| r.0) => says("Done."),
        _ => says("Not done."),
    })
}

#[tokio::test]
async fn a_read_question_writes_the_events_of_the_contract() {
    let store = sqlite_store().await;
    let scenario = all().remove(0);
    let world = World::new(store.store(), scenario.script).await;
    let run = world.ask("What did I earn?").await;
    assert!(idle(&world.runtime("w").run_until_idle().await.must()));
    let events = world.events(run).await;
    let node = |event: &RunEvent| match &event.body {
        EventBody::Agent { agent, task: None } => Some(agent.clone()),
        _ => None,
    };
    assert_eq!(
        events.iter().filter_map(node).collect::<Vec<_>>(),
        [
            "router",
            "entity_loader",
            "tool_retriever",
            "specialist",
            "tool_executor",
            // The verifier only passes results on, so no event says that the run reached it.
            "specialist",
            "verifier"
        ]
    );
    let told: Vec<_> = events.iter().filter(|event| node(event).is_none()).cloned().collect();
    assert_eq!(
        kinds(&told).into_iter().filter(|kind| *kind != "content").collect::<Vec<_>>(),
        [
            "run_started",
            "routing",
            "agent",
            "status",
            "usage",
            "tool",
            "tool_executing",
            "tool_result",
            "status",
            "usage",
            "result",
            "done"
        ]
    );
    let row = world.base.store.find_run_unscoped(run).await.must().unwrap();
    assert_eq!((row.input_tokens, row.output_tokens, row.cost_micros), (20, 10, 2));
    assert_eq!(row.answer.as_deref(), Some("You earned 7."));
    assert!(row.started_at.is_some() && row.finished_at.is_some() && row.lease_until.is_none());
    let text: String = events
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::Content { content, .. } => Some(content.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(text, "You earned 7.");
}

#[tokio::test]
async fn reads_of_a_batch_are_under_way_at_the_same_time_and_tell_their_progress() {
    let store = sqlite_store().await;
    let mut world = World::new(store.store(), all().remove(1).script).await;
    world.network = Arc::new(FakeNetwork::slow(Duration::from_millis(120)));
    let run = world.ask("Both?").await;
    world.runtime("w").run_until_idle().await.must();
    assert_eq!(world.network.most_at_once.load(std::sync::atomic::Ordering::SeqCst), 2);
    let told = world.events(run).await;
    assert!(told.iter().any(|e| matches!(&e.body, EventBody::ToolExecuting { message, .. } if message == "half-way")));
}

#[tokio::test]
async fn edits_are_checked_grounded_and_recorded() {
    let store = sqlite_store().await;
    let world = World::new(store.store(), one_write()).await;
    let run = world.ask("Create it").await;
    assert_eq!(world.runtime("w").run_until_idle().await.must(), [Advanced::Waits(run)]);
    let id = world.pending().await[0].id;
    for (bad, pointer) in [
        (json!({"name": 7}), "/edited_args/name"),
        (json!({"name": "x", "app": "made-up"}), "/edited_args/app"),
        (json!("text"), "/edited_args"),
    ] {
        let request = adagent_contract::AnswerRequest { edited_args: Some(bad), ..yes(id) };
        let Err(AnswerError::Invalid(errors)) = world.answer(request).await else { panic!("was taken") };
        assert_eq!(errors[0].pointer, pointer);
    }
    let request = adagent_contract::AnswerRequest { edited_args: Some(group("Other")), ..yes(id) };
    world.answer(request).await.unwrap();
    world.runtime("w").run_until_idle().await.must();
    let view = world.view(run).await;
    assert_eq!(view.approvals[0].status, ApprovalStatus::Approved);
    assert_eq!(view.approvals[0].answered_by.as_deref(), Some("Ann"));
    assert_eq!(view.approvals[0].edits[0].after.as_deref(), Some("Other"));
    assert_eq!(world.written(), [group("Other")]);
}

#[tokio::test]
async fn what_follows_from_edited_arguments_is_derived_before_they_are_kept_and_sent() {
    let store = sqlite_store().await;
    let world = World::new(store.store(), one_write()).await;
    let run = world.ask("Create it").await;
    world.runtime("w").run_until_idle().await.must();
    let id = world.pending().await[0].id;
    let edited = |mask: &str| json!({"name": "Other", "mask": mask});
    let request = adagent_contract::AnswerRequest { edited_args: Some(edited("old")), ..yes(id) };
    world.answer(request).await.unwrap();
    world.runtime("w").run_until_idle().await.must();
    assert_eq!(world.written(), [edited("Other")]);
    assert_eq!(world.view(run).await.approvals[0].edited_args, Some(edited("Other")));
}

#[tokio::test]
async fn two_answers_at_once_have_one_winner() {
    let store = sqlite_store().await;
    let world = World::new(store.store(), one_write()).await;
    world.ask("Create it").await;
    world.runtime("w").run_until_idle().await.must();
    let id = world.pending().await[0].id;
    let (a, b) = tokio::join!(world.answer(yes(id)), world.answer(yes(id)));
    assert_eq!(u8::from(a.is_ok()) + u8::from(b.is_ok()), 1, "{a:?} {b:?}");
    let lost = a.err().or(b.err()).unwrap();
    assert!(matches!(lost, AnswerError::AlreadyAnswered(ApprovalStatus::Approved)), "{lost:?}");
    world.runtime("w").run_until_idle().await.must();
    assert!(matches!(world.answer(no(id)).await, Err(AnswerError::AlreadyAnswered(_))));
    assert_eq!(world.written().len(), 1);
}

#[tokio::test]
async fn nobody_elses_approval_can_be_answered() {
    let store = sqlite_store().await;
    let world = World::new(store.store(), one_write()).await;
    world.ask("Create it").await;
    world.runtime("w").run_until_idle().await.must();
    let id = world.pending().await[0].id;
    let stranger = world.base.person("eve").await;
    let actor = adagent_domain::Actor { user: stranger.id, workspace: stranger.personal_workspace, ..world.actor() };
    let refused = adagent_runtime::answer(&world.deps("web", None), &actor, "Eve", yes(id)).await;
    assert!(matches!(refused, Err(AnswerError::NotFound)));
}

#[tokio::test]
async fn an_approval_nobody_answers_expires_and_the_run_goes_on_without() {
    let store = sqlite_store().await;
    let script: Script = Arc::new(|request| match told(request) {
        (0, _) => calls(&[("create_group", group("Banner"))]),
        (_, results) => says(&format!("Not done: {}.", results[0].1["cause"].as_str().unwrap_or_default())),
    });
    let world = World::new(store.store(), script).await;
    let run = world.ask("Create it").await;
    world.runtime("w").run_until_idle().await.must();
    let id = world.pending().await[0].id;
    world.base.clock.advance_millis(world.config.limits.approval_ms + 1);
    assert_eq!(expire_due(&world.deps("sweeper", None)).await.must(), 1);
    assert_eq!(expire_due(&world.deps("sweeper", None)).await.must(), 0);
    assert!(matches!(world.answer(yes(id)).await, Err(AnswerError::Expired)));
    world.runtime("w").run_until_idle().await.must();
    assert_eq!(world.view(run).await.answer, "Not done: expired.", "nobody declined it");
    assert!(world.written().is_empty());
}

#[tokio::test]
async fn a_crash_in_sending_that_cannot_be_cleared_up_asks_a_person_and_sends_nothing_by_itself() {
    for (approve, sent) in [(true, 2), (false, 1)] {
        let store = sqlite_store().await;
        let world = World::new(store.store(), one_write()).await;
        world.network.lock().sight = Sight::Blind;
        let run = world.ask("Create it").await;
        world.runtime("w").run_until_idle().await.must();
        world.answer(yes(world.pending().await[0].id)).await.unwrap();
        // Let the worker die when it stores the outcome of the write: the write is sent, and nobody knows.
        let mut at = 0;
        while world.written().is_empty() {
            let die = DieAt::new(at);
            Runtime::new(world.deps("dying", Some(die))).run_until_idle().await.must();
            world.outlive_leases();
            at += 1;
            assert!(at < 40);
            if let Some(view) = world.pending().await.first() {
                // The worker died before the request left, so the run must ask again.
                assert!(view.warnings[0].contains("couldn't find out"));
                world.answer(yes(view.id)).await.unwrap();
            }
        }
        world.outlive_leases();
        world.runtime("w2").run_until_idle().await.must();
        // The request may still be on its way, so the run looks again once that is no longer possible.
        world.outlive_leases();
        world.runtime("w2").run_until_idle().await.must();
        assert_eq!(world.status(run).await, RunStatus::AwaitingApproval);
        assert_eq!(world.written().len(), 1, "nothing is sent blindly");
        let again = world.pending().await.remove(0);
        assert!(again.warnings[0].contains("It is too dark."), "{:?}", again.warnings);
        world.answer(if approve { yes(again.id) } else { no(again.id) }).await.unwrap();
        world.runtime("w2").run_until_idle().await.must();
        assert_eq!(world.written().len(), sent);
        assert!(world.status(run).await.is_final());
    }
}

#[tokio::test]
async fn deterministic_failures_stop_with_an_override_that_asks_again() {
    let store = sqlite_store().await;
    let script: Script = Arc::new(|request| {
        let (n, results) = told(request);
        if results.last().is_some_and(|r| r.0) {
            says("Done.")
        } else {
            calls(&[("create_group", group(&format!("G{n}")))])
        }
    });
    let world = World::new(store.store(), script).await;
    let faults = vec![ToolErrorClass::Deterministic; 2];
    world.network.lock().faults.insert("create_group".into(), faults);
    let run = world.ask("Create it").await;
    for _ in 0..2 {
        world.runtime("w").run_until_idle().await.must();
        world.answer(yes(world.pending().await[0].id)).await.unwrap();
    }
    world.runtime("w").run_until_idle().await.must();
    let view = world.view(run).await;
    assert_eq!(view.status, RunStatus::Stopped);
    assert!(view.stops[0].developer_override_available);
    let deps = world.deps("web", None);
    let request = OverrideRequest { tool_call_id: None, args: group("Mine") };
    let next = override_run(&deps, &world.actor(), run, request).await.unwrap();
    world.runtime("w").run_until_idle().await.must();
    assert_eq!(world.status(next).await, RunStatus::AwaitingApproval);
    assert!(world.written().is_empty());
    world.answer(yes(world.pending().await[0].id)).await.unwrap();
    world.runtime("w").run_until_idle().await.must();
    assert_eq!(world.written(), [group("Mine")]);
    assert_eq!(world.view(next).await.answer, "Done.");
}

#[tokio::test]
async fn a_fork_goes_on_from_a_saved_state_and_writes_nothing_again() {
    let store = sqlite_store().await;
    let scenario = all().into_iter().find(|s| s.person == Person::Approves).unwrap();
    let world = World::new(store.store(), Arc::clone(&scenario.script)).await;
    let run = world.ask("Create it").await;
    world.runtime("w").run_until_idle().await.must();
    world.answer(yes(world.pending().await[0].id)).await.unwrap();
    world.runtime("w").run_until_idle().await.must();
    let deps = world.deps("web", None);
    let saved = world.base.store.list_checkpoints(run).await.must();
    assert!(saved.len() > 4);
    for checkpoint in &saved {
        let forked = fork_run(&deps, &world.actor(), run, checkpoint.id).await.unwrap();
        world.runtime("w").run_until_idle().await.must();
        if world.status(forked).await == RunStatus::AwaitingApproval {
            // This fork began before the write was proposed, so it asks for its own approval.
            world.answer(no(world.pending().await[0].id)).await.unwrap();
            world.runtime("w").run_until_idle().await.must();
        }
        assert_eq!(world.status(forked).await, RunStatus::Completed);
        world.events(forked).await;
        assert_eq!(world.written().len(), 1, "the fork at {} wrote again", checkpoint.node);
    }
}

#[tokio::test]
async fn an_unconnected_network_shows_where_to_connect_it() {
    let store = sqlite_store().await;
    let world = World::new(store.store(), one_write()).await;
    world.network.lock().state = Some(NetworkState::NotConnected);
    let run = world.ask("Create it").await;
    world.runtime("w").run_until_idle().await.must();
    let view = world.view(run).await;
    let link = format!("/settings/networks?connect=admob&return=/chat/{}", world.chat.id);
    assert_eq!(view.actions[0].deep_link.as_deref(), Some(link.as_str()));
    assert_eq!(view.status, RunStatus::Completed);
    assert_eq!(world.model.asked.load(std::sync::atomic::Ordering::SeqCst), 0);
}

#[tokio::test]
async fn where_it_cannot_be_read_what_is_connected_nothing_is_said_and_the_run_is_taken_up_again() {
    let store = sqlite_store().await;
    let world = World::new(store.store(), one_write()).await;
    world.network.lock().states_fail = true;
    let run = world.ask("Create it").await;
    assert_eq!(world.runtime("w").run_until_idle().await.must(), [Advanced::LetGo(run)]);
    assert_eq!(kinds(&world.events(run).await), ["run_started"]);
    world.network.lock().states_fail = false;
    world.outlive_leases();
    world.runtime("w").run_until_idle().await.must();
    assert_eq!(world.pending().await.len(), 1, "it goes on as asked");
}

#[tokio::test]
async fn safe_mode_keeps_a_write_from_being_asked_for() {
    let store = sqlite_store().await;
    let world = World::new(store.store(), one_write()).await;
    let settings = adagent_contract::ContextSettings { safe_mode: true, ..Default::default() };
    let mut work = world.base.begin().await;
    work.put_context(world.person.personal_workspace, world.person.id, &settings, world.base.now()).await.must();
    work.commit().await.must();
    let run = world.ask("Create it").await;
    world.runtime("w").run_until_idle().await.must();
    let events = world.events(run).await;
    let denied = events.iter().find_map(|event| match &event.body {
        EventBody::ToolDenied { reason, .. } => Some(reason.as_str()),
        _ => None,
    });
    assert!(denied.is_some_and(|reason| reason.contains("Safe mode is on")), "{denied:?}");
    assert!(!kinds(&events).contains(&"tool_approval_required"));
    assert_eq!(world.view(run).await.answer, "Not done.");
    assert!(world.written().is_empty());
}

#[tokio::test]
async fn settings_that_change_while_the_network_is_looked_at_hold_before_anything_leaves() {
    let safe = adagent_contract::ContextSettings { safe_mode: true, ..Default::default() };
    let off = adagent_contract::ContextSettings { enabled_networks: Some(vec![]), ..Default::default() };
    for settings in [safe, off] {
        let store = sqlite_store().await;
        let world = World::new(store.store(), one_write()).await;
        let run = world.ask("Create it").await;
        world.runtime("w").run_until_idle().await.must();
        let id = world.pending().await[0].id;
        assert!(world.answer(yes(id)).await.is_ok());
        world.network.lock().look_takes = Some(Duration::from_millis(600));
        let runtime = world.runtime("w");
        let (advanced, ()) = tokio::join!(runtime.run_until_idle(), async {
            tokio::time::sleep(Duration::from_millis(200)).await;
            let mut work = world.base.begin().await;
            let now = world.base.now();
            work.put_context(world.person.personal_workspace, world.person.id, &settings, now).await.must();
            work.commit().await.must();
        });
        advanced.must();
        assert!(world.written().is_empty(), "sent all the same: {settings:?}");
        let events = world.events(run).await;
        let told = events.iter().any(
            |event| matches!(&event.body, EventBody::Status { label } if label.starts_with("Context settings now: ")),
        );
        assert!(told, "{:?}", kinds(&events));
        assert_eq!(world.view(run).await.answer, "Not done.");
    }
}

#[tokio::test]
async fn an_equal_object_of_somebody_else_does_not_pass_for_the_write() {
    for (refused, others, written) in [(true, 1, 0), (false, 1, 1), (false, 0, 1)] {
        let store = sqlite_store().await;
        let world = World::new(store.store(), one_write()).await;
        {
            let mut network = world.network.lock();
            network.sight = Sight::Compares;
            network.others = vec![group("Banner"); others];
            if refused {
                network.faults.insert("create_group".into(), vec![ToolErrorClass::UnknownOutcome]);
            } else {
                network.lose_replies = 1;
            }
        }
        let run = world.ask("Create it").await;
        world.runtime("w").run_until_idle().await.must();
        world.answer(yes(world.pending().await[0].id)).await.unwrap();
        world.runtime("w").run_until_idle().await.must();
        assert_eq!(world.written().len(), written);
        if refused {
            // The request may still be on its way. The run does not say yet that nothing happened, and no worker holds it meanwhile.
            assert!(world.pending().await.is_empty());
            assert!(world.base.store.find_run_unscoped(run).await.must().unwrap().lease_until.is_none());
            assert_eq!(world.runtime("w").run_once().await.must(), None);
            world.base.clock.advance_millis(world.config.limits.settle_ms);
            world.runtime("w2").run_until_idle().await.must();
            let again = world.pending().await.remove(0);
            assert!(again.warnings[0].contains("the change isn't there"), "{:?}", again.warnings);
        } else {
            assert_eq!(world.view(run).await.answer, "Done.", "found as new");
        }
    }
}

#[tokio::test]
async fn what_was_there_before_is_still_known_after_a_crash_in_sending() {
    let store = sqlite_store().await;
    let world = World::new(store.store(), one_write()).await;
    world.network.lock().sight = Sight::Compares;
    world.network.lock().others = vec![group("Banner")];
    let run = world.ask("Create it").await;
    world.runtime("w").run_until_idle().await.must();
    world.answer(yes(world.pending().await[0].id)).await.unwrap();
    let call = world.base.store.list_calls(run).await.must()[0].id;
    let row = async || world.base.store.find_call(run, call).await.must().unwrap().status;
    let mut lives = 0;
    while row().await != CallStatus::Sending {
        // Get one commit further each time.
        Runtime::new(world.deps("dying", Some(DieAt::new(1)))).run_until_idle().await.must();
        world.base.clock.advance_millis(600_000);
        lives += 1;
        assert!(lives < 20, "never died in sending");
    }
    world.runtime("w2").run_until_idle().await.must();
    world.base.clock.advance_millis(world.config.limits.settle_ms);
    world.runtime("w2").run_until_idle().await.must();
    assert!(world.written().is_empty());
    let again = world.pending().await.remove(0);
    assert!(again.warnings[0].contains("the change isn't there"), "{:?}", again.warnings);
    // The ten minutes between the workers do not end the run, because downtime is not work.
    world.answer(yes(again.id)).await.unwrap();
    world.runtime("w2").run_until_idle().await.must();
    assert_eq!(world.view(run).await.answer, "Done.");
}

#[tokio::test]
async fn a_network_that_refuses_the_sign_in_asks_to_connect_again() {
    let store = sqlite_store().await;
    let world = World::new(store.store(), one_write()).await;
    world.network.lock().state = Some(NetworkState::AuthFailed);
    let run = world.ask("Create it").await;
    world.runtime("w").run_until_idle().await.must();
    let view = world.view(run).await;
    assert_eq!(view.actions.len(), 1);
    assert!(view.answer.contains("no longer accepts the sign-in"), "{}", view.answer);
}

/// Stores this as the run's latest state. A worker can then claim the run.
pub async fn save(world: &World, run: adagent_domain::RunId, state: &str) {
    let claimed = world.base.claim("editor").await.expect("claimed");
    let saved = world.base.store.find_latest_checkpoint(run).await.must().expect("a saved state");
    let checkpoint = adagent_store::Checkpoint {
        id: adagent_domain::CheckpointId::new(&*world.base.ids),
        step: saved.step + 1,
        state: state.into(),
        ..saved
    };
    let mut work = world.base.begin().await;
    work.insert_checkpoint(&claimed.lease, &checkpoint).await.must();
    let next_ready = Some(world.base.now());
    let update = adagent_store::RunUpdate { release: true, next_ready, ..adagent_store::RunUpdate::default() };
    work.update_run(&claimed.lease, &update).await.must();
    work.commit().await.must();
}

#[tokio::test]
async fn a_state_of_a_newer_program_is_left_to_it() {
    let store = sqlite_store().await;
    let world = World::new(store.store(), one_write()).await;
    let run = world.ask("Create it").await;
    world.runtime("w").run_until_idle().await.must();
    world.answer(yes(world.pending().await[0].id)).await.unwrap();
    save(&world, run, r#"{"v": 999}"#).await;
    assert_eq!(world.runtime("older").run_until_idle().await.must(), [Advanced::LetGo(run)]);
    assert!(!world.status(run).await.is_final());
    world.base.clock.advance_millis(61_000);
    assert_eq!(world.runtime("older").run_once().await.must(), Some(Advanced::LetGo(run)), "tried again later");
}

fn two_writes() -> Script {
    Arc::new(|request| match told(request) {
        (0, _) => calls(&[("create_group", group("A")), ("create_group", group("B"))]),
        _ => says("Done."),
    })
}

#[tokio::test]
async fn a_stop_says_what_became_of_an_approved_change_that_was_not_sent_yet() {
    let store = sqlite_store().await;
    let world = World::new(store.store(), two_writes()).await;
    let run = world.ask("Create both").await;
    world.runtime("w").run_until_idle().await.must();
    world.answer(yes(world.pending().await[0].id)).await.unwrap();
    assert_eq!(world.status(run).await, RunStatus::Queued, "it waits for a worker, not for a person");
    world.stop_all().await;
    world.runtime("w").run_until_idle().await.must();
    assert!(world.written().is_empty());
    let rows = world.base.store.list_calls(run).await.must();
    assert!(rows.iter().all(|call| call.status == CallStatus::Denied), "{rows:?}");
    let denied: Vec<_> = world
        .events(run)
        .await
        .into_iter()
        .filter_map(|event| match event.body {
            EventBody::ToolDenied { reason, .. } => Some(reason),
            _ => None,
        })
        .collect();
    assert_eq!(denied.len(), 2, "{denied:?}");
    assert!(denied.iter().any(|reason| reason.contains("approved, but not sent")), "{denied:?}");
}

#[tokio::test]
async fn nothing_is_approved_after_a_stop() {
    let store = sqlite_store().await;
    let world = World::new(store.store(), one_write()).await;
    let run = world.ask("Create it").await;
    world.runtime("w").run_until_idle().await.must();
    let id = world.pending().await[0].id;
    assert!(cancel(&world.deps("web", None), &world.actor(), run).await.unwrap());
    assert!(matches!(world.answer(yes(id)).await, Err(AnswerError::Stopping)));
    world.runtime("w").run_until_idle().await.must();
    assert_eq!(world.status(run).await, RunStatus::Cancelled);
    assert!(matches!(world.answer(yes(id)).await, Err(AnswerError::AlreadyAnswered(ApprovalStatus::Cancelled))));
}

#[tokio::test]
async fn a_run_that_fails_leaves_nothing_open() {
    let store = sqlite_store().await;
    let world = World::new(store.store(), two_writes()).await;
    let run = world.ask("Create both").await;
    world.runtime("w").run_until_idle().await.must();
    let pending = world.pending().await;
    world.answer(yes(pending[0].id)).await.unwrap();
    // A state that nobody can read.
    save(&world, run, "{}").await;
    assert_eq!(world.runtime("w").run_until_idle().await.must(), [Advanced::Ended(run)]);
    assert_eq!(world.status(run).await, RunStatus::Failed);
    assert!(world.pending().await.is_empty());
    assert!(matches!(world.answer(yes(pending[1].id)).await, Err(AnswerError::AlreadyAnswered(_))));
    let rows = world.base.store.list_calls(run).await.must();
    assert!(rows.iter().all(|call| call.status == CallStatus::Denied), "{rows:?}");
    world.events(run).await;
}

#[tokio::test]
async fn an_approval_is_not_sent_when_what_it_showed_cannot_be_seen_again() {
    let store = sqlite_store().await;
    let script: Script = Arc::new(|request| match told(request) {
        (0, _) => calls(&[("create_group", group("Banner"))]),
        (_, results) => {
            assert!(!results[0].0, "it failed: {results:?}");
            says("It was not sent.")
        }
    });
    let world = World::new(store.store(), script).await;
    world.network.lock().before = Some("Old".into());
    let run = world.ask("Rename it").await;
    world.runtime("w").run_until_idle().await.must();
    // The look fails both at the approval and before the send.
    world.network.lock().faults.insert("sketch create_group".into(), vec![ToolErrorClass::Retryable; 2]);
    world.answer(yes(world.pending().await[0].id)).await.unwrap();
    world.runtime("w").run_until_idle().await.must();
    assert_eq!(world.view(run).await.answer, "It was not sent.");
    assert!(world.written().is_empty());
}

#[tokio::test]
async fn an_edited_approval_is_reviewed_by_what_its_form_showed() {
    let store = sqlite_store().await;
    let script: Script = Arc::new(|request| match told(request) {
        (0, _) => calls(&[("create_group", group("Banner"))]),
        _ => says("Done."),
    });
    let world = World::new(store.store(), script).await;
    world.network.lock().before = Some("Old".into());
    let run = world.ask("Rename it").await;
    world.runtime("w").run_until_idle().await.must();
    let edit = |id| adagent_contract::AnswerRequest { edited_args: Some(group("Edited")), ..yes(id) };
    world.answer(edit(world.pending().await[0].id)).await.unwrap();
    world.network.lock().before = Some("New".into());
    world.runtime("w").run_until_idle().await.must();
    let again = world.pending().await.remove(0);
    assert_eq!(again.tool_input, group("Edited"), "what was approved is what is asked again");
    assert_eq!(again.preview.changes[0].before.as_deref(), Some("New"));
    assert!(world.written().is_empty());
    world.answer(yes(again.id)).await.unwrap();
    world.runtime("w").run_until_idle().await.must();
    assert_eq!((world.view(run).await.answer, world.written()), ("Done.".into(), vec![group("Edited")]));
}

#[tokio::test]
async fn an_edit_never_moves_a_change_to_something_else() {
    let store = sqlite_store().await;
    let about = |target: &str, name: &str| json!({"name": name, "target": target});
    let script: Script = Arc::new(move |request| match told(request) {
        (0, _) => calls(&[("create_group", about("group-1", "Banner"))]),
        _ => says("Done."),
    });
    let world = World::new(store.store(), script).await;
    world.ask("Change it").await;
    world.runtime("w").run_until_idle().await.must();
    let id = world.pending().await[0].id;
    for elsewhere in [about("group-2", "Banner"), json!({"name": "Banner"})] {
        let request = adagent_contract::AnswerRequest { edited_args: Some(elsewhere), ..yes(id) };
        let Err(AnswerError::Invalid(errors)) = world.answer(request).await else { panic!("was taken") };
        assert_eq!(errors[0].pointer, "/edited_args/target");
        assert!(errors[0].message.starts_with("Mediation group can't be changed"), "{}", errors[0].message);
    }
    let request = adagent_contract::AnswerRequest { edited_args: Some(about("group-1", "Edited")), ..yes(id) };
    world.answer(request).await.unwrap();
    world.runtime("w").run_until_idle().await.must();
    assert_eq!(world.written(), [about("group-1", "Edited")]);
}

#[tokio::test]
async fn an_edit_that_is_more_than_what_was_shown_is_asked_for_again() {
    for (edit, risk) in [
        (json!({"name": "Nothing"}), adagent_contract::Risk::Destructive),
        (json!({"name": "Banner", "warn": "Removes 4 lines."}), adagent_contract::Risk::Write),
    ] {
        let store = sqlite_store().await;
        let world = World::new(store.store(), one_write()).await;
        let run = world.ask("Create it").await;
        world.runtime("w").run_until_idle().await.must();
        let edited = |id| adagent_contract::AnswerRequest { edited_args: Some(edit.clone()), ..yes(id) };
        world.answer(edited(world.pending().await[0].id)).await.unwrap();
        world.runtime("w").run_until_idle().await.must();
        assert!(world.written().is_empty(), "{edit}");
        let again = world.pending().await.remove(0);
        assert_eq!((&again.tool_input, again.risk), (&edit, risk));
        assert!(again.warnings[0].starts_with("Nothing was sent yet: "), "{:?}", again.warnings);
        world.answer(yes(again.id)).await.unwrap();
        world.runtime("w").run_until_idle().await.must();
        assert_eq!((world.view(run).await.answer, world.written()), ("Done.".into(), vec![edit]));
    }
}

/// Proposes a change in the account called "Words" of a network that has two.
fn in_words() -> Script {
    Arc::new(|request| match told(request) {
        (0, _) => calls(&[("create_group", json!({"name": "Banner", CONNECTION: "Words"}))]),
        _ => says("Done."),
    })
}

#[tokio::test]
async fn what_is_asked_anew_stays_with_the_account_it_was_asked_for() {
    let store = sqlite_store().await;
    let world = World::new(store.store(), in_words()).await;
    let id = || ConnectionId::new(&*world.base.ids);
    let (games, words) = (id(), id());
    {
        let mut network = world.network.lock();
        network.before = Some("Old".into());
        network.accounts = vec![("Games".into(), games), ("Words".into(), words)];
    }
    let run = world.ask("Rename it in Words").await;
    world.runtime("w").run_until_idle().await.must();
    let first = world.pending().await.remove(0);
    assert_eq!(first.ui_hints.goes_to, Some(words));
    // The accounts swap their names, and the values on the card change at the network. So the run asks again, twice.
    world.network.lock().accounts = vec![("Words".into(), games), ("Games".into(), words)];
    for now in ["New", "Newer"] {
        world.network.lock().before = Some(now.into());
        world.answer(yes(world.pending().await[0].id)).await.unwrap();
        world.runtime("w").run_until_idle().await.must();
        let again = world.pending().await.remove(0);
        assert_eq!(again.preview.changes[0].before.as_deref(), Some(now));
        assert_eq!(again.ui_hints.goes_to, Some(words), "{now}");
        assert!(world.written().is_empty());
    }
    world.answer(yes(world.pending().await[0].id)).await.unwrap();
    world.runtime("w").run_until_idle().await.must();
    assert_eq!(world.view(run).await.answer, "Done.");
    assert_eq!(world.network.lock().went, [Some(words)]);
}

#[tokio::test]
async fn an_edit_never_moves_a_change_to_another_account() {
    let named = json!({"name": "Banner", CONNECTION: "Words"});
    let unnamed = json!({"name": "Banner"});
    let elsewhere = json!({"name": "Banner", CONNECTION: "Games"});
    // If the call named no account, the account followed from something else, and an edit must not name one.
    for (asked, edits) in [
        (named.clone(), vec![elsewhere.clone(), unnamed.clone(), json!({"name": "Banner", CONNECTION: null})]),
        (unnamed, vec![elsewhere, named]),
    ] {
        let store = sqlite_store().await;
        let proposed = asked.clone();
        let script: Script = Arc::new(move |request| match told(request) {
            (0, _) => calls(&[("create_group", proposed.clone())]),
            _ => says("Done."),
        });
        let world = World::new(store.store(), script).await;
        world.ask("Create it").await;
        world.runtime("w").run_until_idle().await.must();
        let id = world.pending().await[0].id;
        let edit = |args| adagent_contract::AnswerRequest { edited_args: Some(args), ..yes(id) };
        for args in edits {
            let taken = world.answer(edit(args.clone())).await;
            let Err(AnswerError::Invalid(errors)) = taken else { panic!("{args} was taken for {asked}") };
            assert_eq!(errors[0].pointer, "/edited_args/connection");
            assert!(
                errors[0].message.starts_with("The account this goes to can't be changed"),
                "{}",
                errors[0].message
            );
        }
        let mut kept = asked.clone();
        kept["name"] = "Edited".into();
        world.answer(edit(kept.clone())).await.unwrap();
        world.runtime("w").run_until_idle().await.must();
        assert_eq!(world.written(), [kept]);
    }
}
