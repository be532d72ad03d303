//! Runs, their events, checkpoints and calls.

use std::sync::Arc;

use adagent_contract::{Artifact, CallResult, DecidedBy, EventBody, ModelTier, Path, RunStatus};
use adagent_domain::{ChatSessionId, CheckpointId, Network, RunId, Source, ToolCallId};
use serde_json::json;

use super::fixtures::{EngineWorld, Must, status, turn_of};
use crate::{CallRecord, CallStatus, EngineStore, MessageRef, NewRun, Principal, RunUpdate, StoreError, Subject};

pub async fn a_run_is_found_in_its_workspace_and_by_its_person_only(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    let chat = world.chat(&ann, "Talk").await;
    let run = world.ask(&chat, "go").await;
    let store = &world.store;
    let found = store.find_run(ann.personal_workspace, ann.id, run.id).await.must().expect("own");
    assert_eq!((found.status, found.turn(), found.lane), (RunStatus::Queued, run.turn(), chat.id.into()));
    assert_eq!((found.model.as_str(), found.epoch, found.last_seq, found.cancel_requested), ("local", 0, 0, false));
    assert_eq!((found.created_at, found.started_at, found.finished_at), (run.created_at, None, None));
    assert_eq!(store.find_run_unscoped(run.id).await.must(), Some(found));
    for (workspace, user) in
        [(bob.personal_workspace, bob.id), (ann.personal_workspace, bob.id), (bob.personal_workspace, ann.id)]
    {
        assert_eq!(store.find_run(workspace, user, run.id).await.must(), None);
        assert_eq!(store.list_runs(workspace, user, None, 10).await.must(), []);
    }
    assert_eq!(store.list_open_runs(bob.personal_workspace, chat.id.into()).await.must(), []);
    assert_eq!(store.list_open_runs(ann.personal_workspace, chat.id.into()).await.must().len(), 1);
}

pub async fn runs_page_newest_first(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let ann = world.person("ann").await;
    let chat = world.chat(&ann, "Talk").await;
    let mut runs = Vec::new();
    for _ in 0..5 {
        runs.insert(0, world.ask(&chat, "go").await.id);
    }
    let list = async |before| -> Vec<RunId> {
        world
            .store
            .list_runs(ann.personal_workspace, ann.id, before, 2)
            .await
            .must()
            .into_iter()
            .map(|run| run.id)
            .collect()
    };
    assert_eq!(list(None).await, runs[..2]);
    assert_eq!(list(Some(runs[1])).await, runs[2..4]);
    assert_eq!(list(Some(runs[3])).await, runs[4..]);
}

pub async fn event_numbers_have_no_gaps_under_concurrency(store: Arc<dyn EngineStore>) {
    const WRITERS: usize = 8;
    const ROUNDS: usize = 10;
    let world = EngineWorld::over(store);
    let (_, _, lease) = world.held_run().await;
    let writers = (0..WRITERS).map(|writer| {
        let (world, lease) = (world.clone(), lease.clone());
        tokio::spawn(async move {
            for round in 0..ROUNDS {
                let events = [status(format!("{writer}/{round}/a")), status(format!("{writer}/{round}/b"))];
                let mut unit = world.begin().await;
                let first = if writer % 2 == 0 {
                    unit.append_events(&lease, world.now(), &events).await.must()
                } else {
                    unit.append_events_unleased(lease.run, world.now(), &events).await.must()
                };
                // Some units are dropped: the numbers they reserved must not leave a gap.
                if round % 5 == 4 {
                    drop(unit);
                } else {
                    unit.commit().await.must();
                    let stored = world.store.list_events(lease.run, first - 1, 2).await.must();
                    let bodies: Vec<_> = stored.into_iter().map(|event| event.body).collect();
                    assert_eq!(bodies, events);
                }
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.expect("no panic");
    }
    let kept = WRITERS * ROUNDS / 5 * 4 * 2;
    let events = world.store.list_events(lease.run, 0, 10_000).await.must();
    let numbers: Vec<_> = events.iter().map(|event| event.seq).collect();
    assert_eq!(numbers, (1..=kept as u64).collect::<Vec<_>>());
    let run = world.store.find_run_unscoped(lease.run).await.must().expect("is there");
    assert_eq!(run.last_seq, kept as u64);
}

pub async fn events_replay_after_any_number(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let (_, _, lease) = world.held_run().await;
    let mut unit = world.begin().await;
    assert_eq!(unit.append_events(&lease, world.now(), &[status(1), status(2)]).await.must(), 1);
    assert_eq!(unit.append_events(&lease, world.now(), &[]).await.must(), 3, "none reserves none");
    assert_eq!(unit.append_events_unleased(lease.run, world.now(), &[status(3)]).await.must(), 3);
    unit.commit().await.must();
    let list = async |after, limit| -> Vec<u64> {
        world.store.list_events(lease.run, after, limit).await.must().into_iter().map(|event| event.seq).collect()
    };
    assert_eq!(list(0, 10).await, [1, 2, 3]);
    assert_eq!(list(1, 1).await, [2]);
    assert_eq!(list(3, 10).await, [0; 0]);
    assert_eq!(list(u64::MAX, 10).await, [0; 0]);
    let first = &world.store.list_events(lease.run, 0, 1).await.must()[0];
    assert_eq!((first.run_id, first.at, &first.body), (lease.run, world.now(), &status(1)));
    let nobody = RunId::new(&*world.ids);
    let error =
        world.begin().await.append_events_unleased(nobody, world.now(), &[status(1)]).await.expect_err("no run");
    assert!(matches!(error, StoreError::RowsAffected { .. }), "{error:?}");
}

pub async fn events_of_many_runs_come_in_order(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let ann = world.person("ann").await;
    let chat = world.chat(&ann, "Talk").await;
    let mut runs = Vec::new();
    for number in 0..35 {
        let run = world.ask(&chat, "go").await.id;
        let mut unit = world.begin().await;
        unit.append_events_unleased(run, world.now(), &[status(number), status("second")]).await.must();
        unit.commit().await.must();
        runs.push(run);
    }
    let expected: Vec<_> = runs.iter().flat_map(|run| [(*run, 1), (*run, 2)]).collect();
    let listed = async |asked: &[RunId]| -> Vec<_> {
        world.store.list_events_of(asked).await.must().into_iter().map(|event| (event.run_id, event.seq)).collect()
    };
    let mut shuffled = runs.clone();
    shuffled.reverse();
    shuffled.push(runs[7]);
    assert_eq!(listed(&shuffled).await, expected);
    assert_eq!(listed(&runs[3..5]).await, expected[6..10]);
    assert_eq!(listed(&[]).await, []);
}

pub async fn every_kind_of_event_body_survives(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let (ann, chat, lease) = world.held_run().await;
    let call = ToolCallId::new(&*world.ids);
    let view = world.approval(&ann, &chat, lease.run).view;
    let bodies = [
        EventBody::Routing {
            service: "admob".to_owned(),
            capability: "reporting".to_owned(),
            path: Path::Reactive,
            confidence: 0.1 + 0.2,
            decided_by: DecidedBy::Local,
            model_tier: ModelTier::Fast,
            thinking: None,
        },
        EventBody::ToolResult {
            tool_call_id: call,
            name: "admob_report".to_owned(),
            ok: true,
            summary: "\"quoted\" \\ \u{1}".to_owned(),
            result: json!({"rows": [[1, -0.5, null, "日本"]], "z": 1, "a": i64::MAX}),
            artifact: Some(Artifact::Json { title: "raw".to_owned(), value: json!({}), sources: Vec::new() }),
            duration_ms: u64::from(u32::MAX),
            cached: false,
        },
        EventBody::ToolApprovalRequired {
            approval_id: view.id,
            tool_call_id: call,
            tool_name: view.tool_name,
            source: Source::Network(Network::AdMob),
            title: view.title,
            tool_input: view.tool_input,
            parameter_schema: view.parameter_schema,
            ui_hints: Box::new(view.ui_hints),
            risk: view.risk,
            warnings: view.warnings,
            preview: view.preview,
            expires_at: view.expires_at,
        },
        EventBody::Done { status: RunStatus::Completed },
    ];
    let mut unit = world.begin().await;
    unit.append_events(&lease, world.now(), &bodies).await.must();
    unit.commit().await.must();
    let found: Vec<_> =
        world.store.list_events(lease.run, 0, 10).await.must().into_iter().map(|event| event.body).collect();
    assert_eq!(found, bodies);
}

pub async fn tokens_and_cost_add_up(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let (_, _, lease) = world.held_run().await;
    let started = world.now();
    for step in 0..3_i64 {
        world.clock.advance_millis(1000);
        let update = RunUpdate {
            status: Some(RunStatus::Running),
            add_input_tokens: 100,
            add_output_tokens: 7,
            add_cost_micros: 1500,
            started_at: Some(started.plus_seconds(step)),
            ..RunUpdate::default()
        };
        let mut unit = world.begin().await;
        unit.update_run(&lease, &update).await.must();
        unit.commit().await.must();
    }
    let run = world.store.find_run_unscoped(lease.run).await.must().expect("is there");
    assert_eq!((run.input_tokens, run.output_tokens, run.cost_micros), (300, 21, 4500));
    assert_eq!(
        (run.status, run.started_at, run.answer),
        (RunStatus::Running, Some(started), None),
        "the first start stays"
    );
    assert_eq!(run.lease_until, Some(lease.until));
}

pub async fn the_latest_checkpoint_is_found_and_old_ones_are_pruned(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let (_, _, lease) = world.held_run().await;
    assert_eq!(world.store.find_latest_checkpoint(lease.run).await.must(), None);
    let mut saved = Vec::new();
    for step in 1..=5 {
        let checkpoint = world.checkpoint(lease.run, step);
        let mut unit = world.begin().await;
        unit.insert_checkpoint(&lease, &checkpoint).await.must();
        unit.commit().await.must();
        saved.push(checkpoint);
    }
    let store = &world.store;
    assert_eq!(store.find_latest_checkpoint(lease.run).await.must().as_ref(), Some(&saved[4]));
    assert_eq!(store.find_checkpoint(lease.run, saved[1].id).await.must().as_ref(), Some(&saved[1]));
    assert_eq!(store.find_checkpoint(RunId::new(&*world.ids), saved[1].id).await.must(), None);
    for other in [4, 5, 7] {
        let error = world.begin().await.insert_checkpoint(&lease, &world.checkpoint(lease.run, other)).await;
        assert!(matches!(error, Err(StoreError::OutOfStep { step }) if step == other), "{error:?}");
    }
    let mut unit = world.begin().await;
    assert_eq!(unit.prune_checkpoints(lease.run, 2).await.must(), 3);
    assert_eq!(unit.prune_checkpoints(lease.run, 2).await.must(), 0);
    unit.commit().await.must();
    let left: Vec<CheckpointId> =
        store.list_checkpoints(lease.run).await.must().into_iter().map(|checkpoint| checkpoint.id).collect();
    assert_eq!(left, [saved[3].id, saved[4].id]);
}

pub async fn a_call_moves_from_expected_states_only(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let (ann, _, lease) = world.held_run().await;
    let call = world.call(ann.personal_workspace, lease.run);
    let mut unit = world.begin().await;
    unit.insert_call(&lease, &call).await.must();
    unit.commit().await.must();
    assert_eq!(world.store.find_call(lease.run, call.id).await.must().as_ref(), Some(&call));
    assert_eq!(world.store.find_call(RunId::new(&*world.ids), call.id).await.must(), None);

    world.clock.advance_millis(10);
    let (run, id, at) = (lease.run, call.id, world.now());
    let edited = json!({"displayName": "Edited"});
    let mut unit = world.begin().await;
    let sending = [CallStatus::Approved, CallStatus::Unknown];
    assert!(!unit.move_call(Some(&lease), run, id, &sending, CallStatus::Sending, None, None, at).await.must());
    assert!(!unit.move_call(Some(&lease), run, id, &[], CallStatus::Sending, None, None, at).await.must());
    assert!(
        unit.move_call(None, run, id, &[CallStatus::Prepared], CallStatus::Approved, Some((&edited, "d2")), None, at)
            .await
            .must()
    );
    assert!(unit.move_call(Some(&lease), run, id, &sending, CallStatus::Sending, None, None, at).await.must());
    assert!(
        !unit.move_call(Some(&lease), run, id, &sending, CallStatus::Sending, None, None, at).await.must(),
        "sent once"
    );
    let result = CallResult {
        result: Some(json!({"name": "mediationGroups/1\u{0}"})),
        artifact: Some(Artifact::Json { title: "raw".to_owned(), value: json!({}), sources: Vec::new() }),
    };
    let from = [CallStatus::Sending];
    assert!(unit.move_call(Some(&lease), run, id, &from, CallStatus::Succeeded, None, Some(&result), at).await.must());
    unit.commit().await.must();
    let found = world.store.list_calls(run).await.must().remove(0);
    assert_eq!((found.status, found.args, found.digest.as_str()), (CallStatus::Succeeded, edited, "d2"));
    assert_eq!((found.outcome, found.created_at, found.updated_at), (result.clone(), call.created_at, at));
    let mut unit = world.begin().await;
    let made = [CallStatus::Succeeded];
    assert!(unit.move_call(Some(&lease), run, id, &made, CallStatus::Unknown, None, None, at).await.must());
    unit.commit().await.must();
    let kept = world.store.find_call(run, id).await.must().expect("it is stored");
    assert_eq!((kept.status, &kept.outcome), (CallStatus::Unknown, &result), "what it brought stays");

    let copy = CallRecord { id: ToolCallId::new(&*world.ids), ..kept };
    let mut unit = world.begin().await;
    unit.insert_call(&lease, &copy).await.must();
    unit.commit().await.must();
    assert_eq!(world.store.find_call(run, copy.id).await.must(), Some(copy));
}

pub async fn cancelling_is_asked_of_open_runs_only(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let (_, _, lease) = world.held_run().await;
    let mut unit = world.begin().await;
    assert!(unit.request_cancel(lease.run, world.now()).await.must());
    assert!(!unit.request_cancel(RunId::new(&*world.ids), world.now()).await.must());
    unit.commit().await.must();
    assert!(world.store.find_run_unscoped(lease.run).await.must().expect("is there").cancel_requested);
    let mut unit = world.begin().await;
    let update = RunUpdate { status: Some(RunStatus::Cancelled), release: true, ..RunUpdate::default() };
    unit.update_run(&lease, &update).await.must();
    assert!(!unit.request_cancel(lease.run, world.now()).await.must(), "it is over");
    unit.commit().await.must();
}

pub async fn a_status_changes_from_expected_ones_and_unheld_only(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let (_, _, lease) = world.held_run().await;
    let at = Some(world.now());
    let all = RunStatus::ALL;
    let mut unit = world.begin().await;
    assert!(!unit.set_run_status(lease.run, &all, RunStatus::Cancelled, at).await.must(), "a worker holds it");
    let waiting = RunUpdate { status: Some(RunStatus::AwaitingApproval), release: true, ..RunUpdate::default() };
    unit.update_run(&lease, &waiting).await.must();
    assert!(!unit.set_run_status(lease.run, &[RunStatus::Queued], RunStatus::Cancelled, at).await.must());
    assert!(!unit.set_run_status(lease.run, &[], RunStatus::Cancelled, at).await.must());
    assert!(
        unit.set_run_status(lease.run, &[RunStatus::Queued, RunStatus::AwaitingApproval], RunStatus::Stopped, at)
            .await
            .must()
    );
    unit.commit().await.must();
    let run = world.store.find_run_unscoped(lease.run).await.must().expect("is there");
    assert_eq!((run.status, run.finished_at), (RunStatus::Stopped, at));
    // A developer override opens the run again.
    let mut unit = world.begin().await;
    assert!(unit.set_run_status(lease.run, &[RunStatus::Stopped], RunStatus::Queued, None).await.must());
    unit.ready_run(lease.run, world.now()).await.must();
    unit.commit().await.must();
    let again = world.claim("worker").await.expect("open again");
    assert_eq!((again.run.id, again.run.finished_at), (lease.run, None));
}

pub async fn a_run_in_somebody_elses_chat_is_refused(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    let chat = world.chat(&ann, "Private").await;
    let good = world.new_run(&chat);
    let turn = turn_of(&good);
    for bad in [
        NewRun { principal: Principal::person(bob.id), ..good.clone() },
        NewRun { workspace: bob.personal_workspace, ..good.clone() },
        NewRun {
            subject: Subject::Turn(MessageRef { session: ChatSessionId::new(&*world.ids), ..turn }),
            ..good.clone()
        },
    ] {
        let error = world.begin().await.insert_run(&bad).await.expect_err("not theirs");
        assert!(matches!(error, StoreError::RowsAffected { .. }), "{error:?}");
    }
}

pub async fn a_run_that_is_over_takes_no_events_of_requests(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let (_, _, lease) = world.held_run().await;
    let mut unit = world.begin().await;
    unit.append_events(&lease, world.now(), &[status(1)]).await.must();
    let over = RunUpdate {
        status: Some(RunStatus::Failed),
        finished_at: Some(world.now()),
        release: true,
        ..RunUpdate::default()
    };
    unit.update_run(&lease, &over).await.must();
    unit.commit().await.must();
    let mut unit = world.begin().await;
    let refused = unit.append_events_unleased(lease.run, world.now(), &[status("late")]).await.expect_err("over");
    assert!(matches!(refused, StoreError::RowsAffected { .. }), "{refused:?}");
    drop(unit);
    assert_eq!(world.store.list_events(lease.run, 0, 10).await.must().len(), 1);
}

pub async fn a_locked_run_is_as_it_is_now_and_waits_for_whoever_holds_it(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    let chat = world.chat(&ann, "Talk").await;
    let (first, second) = (world.ask(&chat, "go").await.id, world.ask(&chat, "on").await.id);
    let mut unit = world.begin().await;
    assert_eq!(unit.lock_run(RunId::new(&*world.ids)).await.must(), None);
    assert_eq!(unit.lock_run(first).await.must().map(|run| run.cancel_requested), Some(false));
    assert!(unit.request_cancel(first, world.now()).await.must());
    assert_eq!(unit.lock_run(first).await.must().map(|run| run.cancel_requested), Some(true), "as this unit left it");
    let waiting = tokio::spawn({
        let world = world.clone();
        async move {
            let mut other = world.begin().await;
            let seen = other.lock_run(first).await.must();
            seen.map(|run| run.cancel_requested)
        }
    });
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    assert!(!waiting.is_finished(), "nobody else gets the row meanwhile");
    unit.commit().await.must();
    assert_eq!(waiting.await.expect("no panic"), Some(true));
    let mut unit = world.begin().await;
    let open = unit.lock_open_runs(ann.personal_workspace, chat.id.into()).await.must();
    assert_eq!(open.iter().map(|run| run.id).collect::<Vec<_>>(), [first, second]);
    assert_eq!(unit.lock_open_runs(bob.personal_workspace, chat.id.into()).await.must(), []);
    assert_eq!(unit.calls_of(first).await.must(), []);
    assert_eq!(unit.approvals_of(first).await.must(), []);
}
