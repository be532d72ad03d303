//! Forks from a saved state with another message or other arguments. Nothing is sent twice, and nothing is sent without an approval.

use std::sync::Arc;

use adagent_contract::{ForkRequest, RunStatus, StepKind, timings};
use adagent_domain::{RunId, Timestamp};
use adagent_runtime::{ControlError, cancel, fork_run, fork_run_with};
use adagent_store::CheckpointSummary;
use adagent_testkit::{fixtures::Must, sqlite_store};
use serde_json::json;

use crate::world::{Script, World, calls, group, no, says, told, yes};

/// Reads, proposes one write, and then says how it ended. If somebody says hello, only greets.
fn script() -> Script {
    Arc::new(|request| {
        let asked = format!("{:?}", request.messages);
        if asked.contains("Say hello") {
            return says("Hello.");
        }
        match told(request) {
            (0, _) => calls(&[("list_apps", json!({}))]),
            (1, _) => calls(&[("create_group", group("Banner"))]),
            (_, results) if results.last().is_some_and(|(ok, _)| *ok) => says("The group exists."),
            _ => says("Nothing was changed."),
        }
    })
}

/// Makes a run whose write was approved and sent once. Returns its saved states.
async fn written(world: &World) -> (RunId, Vec<CheckpointSummary>) {
    let run = world.ask("Create it").await;
    world.runtime("w").run_until_idle().await.must();
    world.answer(yes(world.pending().await[0].id)).await.expect("the answer is taken");
    world.runtime("w").run_until_idle().await.must();
    assert_eq!(world.written(), [group("Banner")]);
    (run, world.base.store.list_checkpoints(run).await.must())
}

async fn fork(world: &World, run: RunId, saved: &CheckpointSummary, with: ForkRequest) -> Result<RunId, ControlError> {
    let forked = fork_run_with(&world.deps("web", None), &world.actor(), run, saved.id, &with, None).await?;
    world.runtime("w").run_until_idle().await.must();
    Ok(forked)
}

fn args(name: &str) -> ForkRequest {
    ForkRequest { args: Some(group(name)), ..ForkRequest::default() }
}

/// Forks with this name from the first state in which the write is open.
async fn fork_of_the_open_write(world: &World, run: RunId, saved: &[CheckpointSummary], name: &str) -> RunId {
    for checkpoint in saved {
        if let Ok(forked) = fork(world, run, checkpoint, args(name)).await
            && world.pending().await.iter().any(|view| view.tool_input == group(name))
        {
            return forked;
        }
        for view in world.pending().await {
            world.answer(no(view.id)).await.expect("the answer is taken");
            world.runtime("w").run_until_idle().await.must();
        }
    }
    panic!("the write was open nowhere")
}

#[tokio::test]
async fn however_a_run_is_forked_nothing_is_sent_without_a_new_approval() {
    let store = sqlite_store().await;
    let world = World::new(store.store(), script()).await;
    let (run, saved) = written(&world).await;
    assert!(saved.len() > 4, "{saved:?}");
    let call = world.base.store.list_calls(run).await.must().into_iter().find(|call| !call.read_only).unwrap().id;
    let message = |text: &str| ForkRequest { message: Some(text.into()), ..ForkRequest::default() };
    let ways = || {
        [
            ForkRequest::default(),
            message("Create it after all"),
            message("Say hello"),
            args("Other"),
            ForkRequest { tool_call_id: Some(call), ..args("Third") },
        ]
    };
    let (mut begun, mut asked) = (0, 0);
    for checkpoint in &saved {
        for with in ways() {
            let Ok(forked) = fork(&world, run, checkpoint, with).await else { continue };
            begun += 1;
            assert_eq!(world.written().len(), 1, "the fork at {} wrote", checkpoint.node);
            if world.status(forked).await == RunStatus::AwaitingApproval {
                asked += 1;
                let waiting = world.pending().await;
                assert_eq!(waiting.iter().map(|view| view.run_id).collect::<Vec<_>>(), [forked]);
                world.answer(no(waiting[0].id)).await.unwrap();
                world.runtime("w").run_until_idle().await.must();
            }
            assert_eq!(world.status(forked).await, RunStatus::Completed);
            world.events(forked).await;
        }
    }
    assert_eq!(world.written().len(), 1);
    assert!(begun > saved.len() * 3 && asked > 2, "{begun} forks, {asked} of them asked");
}

/// Longer than a result that the events keep whole.
const LONG: usize = 5000;

/// Does the same as [`script`], but gives up if the model does not get the whole result of the read.
fn reads_long() -> Script {
    Arc::new(|request| {
        let (turn, results) = told(request);
        let text = |(_, result): &(bool, serde_json::Value)| result["asked"]["a"].as_str().map(str::len);
        if turn > 0 && results.first().and_then(text) != Some(LONG) {
            return says("What was read is lost.");
        }
        match turn {
            0 => calls(&[("list_apps", json!({ "a": "x".repeat(LONG) }))]),
            1 => calls(&[("create_group", group("Banner"))]),
            _ => says("What was read is known."),
        }
    })
}

#[tokio::test]
async fn a_long_result_is_known_to_the_worker_that_goes_on_and_to_a_fork() {
    let store = sqlite_store().await;
    let world = World::new(store.store(), reads_long()).await;
    let (run, saved) = written(&world).await;
    assert_eq!(world.view(run).await.answer, "What was read is known.");
    let events = serde_json::to_string(&world.events(run).await).unwrap();
    assert!(events.contains("omitted_bytes"), "the record tells its size");
    let reads = world.network.lock().reads.len();
    let with = ForkRequest { message: Some("Create it after all".into()), ..ForkRequest::default() };
    let forked = fork(&world, run, saved.last().unwrap(), with).await.unwrap();
    assert_eq!(world.network.lock().reads.len(), reads, "nothing is read again");
    assert_eq!(world.pending().await[0].run_id, forked, "it went on to its change");
}

#[tokio::test]
async fn a_fork_with_another_message_decides_anew_and_reads_nothing_again() {
    let store = sqlite_store().await;
    let world = World::new(store.store(), script()).await;
    let (run, saved) = written(&world).await;
    let reads = world.network.lock().reads.len();
    let with = ForkRequest { message: Some("Create it after all".into()), ..ForkRequest::default() };
    let forked = fork(&world, run, saved.last().unwrap(), with).await.unwrap();
    assert_eq!(world.network.lock().reads.len(), reads, "the list was known");
    let row = world.base.store.find_run_unscoped(forked).await.must().unwrap();
    let message = row.turn().unwrap().message;
    let message = world.base.store.find_message(row.workspace, row.principal.user, message).await.must().unwrap();
    assert_eq!(message.content, "Create it after all");
    let waiting = world.pending().await;
    assert_eq!((waiting.len(), waiting[0].run_id), (1, forked), "a write of its own asks by itself");
    let warning = &waiting[0].warnings[0];
    assert!(warning.contains("already made this exact change"), "{warning}");
    let origin = world.base.store.find_origin(forked).await.must().unwrap();
    assert_eq!((origin.parent, origin.parent_step), (run, saved.last().unwrap().step));
    let forks = world.base.store.list_forks(row.workspace, row.principal.user, run, 10).await.must();
    assert_eq!(
        forks.iter().map(|fork| (fork.run, fork.parent_step)).collect::<Vec<_>>(),
        [(forked, origin.parent_step)]
    );
    assert_eq!(forks[0].question, "Create it after all");
    let events = world.events(forked).await;
    let steps = timings(&events, origin.inherited_seq, Timestamp::EPOCH);
    assert!(steps.iter().all(|step| step.kind != StepKind::Tool), "what was taken over took no time here");
}

#[tokio::test]
async fn a_fork_says_what_another_fork_of_the_same_run_made() {
    let store = sqlite_store().await;
    let world = World::new(store.store(), script()).await;
    let (run, saved) = written(&world).await;
    for said in
        ["with different values", "Another run that was forked from the same one already made this exact change"]
    {
        fork_of_the_open_write(&world, run, &saved, "Other").await;
        let warnings = world.pending().await.remove(0).warnings;
        assert!(warnings[0].contains(said), "{warnings:?}");
        world.answer(yes(world.pending().await[0].id)).await.unwrap();
        world.runtime("w").run_until_idle().await.must();
    }
    assert_eq!(world.written(), [group("Banner"), group("Other"), group("Other")], "each time somebody said yes");
}

#[tokio::test]
async fn what_a_fork_took_over_and_nobody_sent_is_not_said_to_be_sent() {
    let store = sqlite_store().await;
    let world = World::new(store.store(), script()).await;
    let run = world.ask("Create it").await;
    world.runtime("w").run_until_idle().await.must();
    world.answer(yes(world.pending().await[0].id)).await.unwrap();
    // The write is approved but not sent yet. The first fork does not know its outcome.
    let saved = world.base.store.list_checkpoints(run).await.must();
    let (deps, actor) = (world.deps("web", None), world.actor());
    fork_run(&deps, &actor, run, saved.last().unwrap().id).await.unwrap();
    assert!(cancel(&deps, &actor, run).await.unwrap());
    world.runtime("w").run_until_idle().await.must();
    assert_eq!(world.written().len(), 0, "it was stopped in time");
    fork_of_the_open_write(&world, run, &saved, "Banner").await;
    let warnings = world.pending().await.remove(0).warnings;
    assert!(!warnings.iter().any(|warning| warning.contains("sent") || warning.contains("made")), "{warnings:?}");
}

#[tokio::test]
async fn a_fork_with_other_arguments_asks_for_them_and_sends_them_once() {
    let store = sqlite_store().await;
    let world = World::new(store.store(), script()).await;
    let (run, saved) = written(&world).await;
    let forked = fork_of_the_open_write(&world, run, &saved, "Other").await;
    let warnings = world.pending().await.remove(0).warnings;
    assert!(warnings.iter().any(|warning| warning.contains("with different values")), "{warnings:?}");
    assert_eq!(world.written(), [group("Banner")]);
    world.answer(yes(world.pending().await[0].id)).await.unwrap();
    world.runtime("w").run_until_idle().await.must();
    assert_eq!(world.written(), [group("Banner"), group("Other")]);
    assert_eq!(world.view(forked).await.answer, "The group exists.");
}

#[tokio::test]
async fn arguments_that_cannot_be_sent_are_refused_before_anything_begins() {
    let store = sqlite_store().await;
    let world = World::new(store.store(), script()).await;
    let (run, saved) = written(&world).await;
    let runs =
        async || world.base.store.list_runs(world.person.personal_workspace, world.person.id, None, 50).await.must();
    let before = runs().await.len();
    let call = world.base.store.list_calls(run).await.must().into_iter().find(|call| !call.read_only).unwrap().id;
    let last = saved.last().unwrap();
    let wrong = ForkRequest { tool_call_id: Some(call), args: Some(json!({"name": 7})), message: None };
    let Err(ControlError::Invalid(errors)) = fork(&world, run, last, wrong).await else { panic!("taken") };
    assert_eq!(errors[0].pointer, "/args/name");
    let sent = ForkRequest { tool_call_id: Some(call), ..args("Banner") };
    let refused = fork(&world, run, last, sent).await.unwrap_err();
    assert!(matches!(&refused, ControlError::NotPossible(why) if why.contains("sent already")), "{refused}");
    let nothing_open = fork(&world, run, last, args("Banner")).await.unwrap_err();
    assert!(matches!(&nothing_open, ControlError::Invalid(errors) if errors[0].pointer == "/tool_call_id"));
    assert_eq!(runs().await.len(), before);
}

#[tokio::test]
async fn what_was_sent_is_not_sent_again_from_a_state_of_before() {
    let store = sqlite_store().await;
    let world = World::new(store.store(), script()).await;
    let (run, saved) = written(&world).await;
    let call = world.base.store.list_calls(run).await.must().into_iter().find(|call| !call.read_only).unwrap().id;
    let (mut knew, mut declined) = (0, 0);
    for checkpoint in &saved {
        let text = world.base.store.find_checkpoint(run, checkpoint.id).await.must().unwrap().state;
        let state = adagent_run_core::from_text::<adagent_run_core::Turn>(&text).unwrap();
        let Some(was) = state.call(call).cloned() else { continue };
        let same = ForkRequest { tool_call_id: Some(call), ..args("Banner") };
        let refused = fork(&world, run, checkpoint, same).await.unwrap_err();
        assert!(matches!(&refused, ControlError::NotPossible(why) if why.contains("sent already")), "{refused}");
        knew += 1;
        if was.is_settled() {
            continue;
        }
        // Unchanged: the old run has made the change since, so the fork neither declines it nor makes it again.
        let forked = fork(&world, run, checkpoint, ForkRequest::default()).await.unwrap();
        let rows = world.base.store.list_calls(forked).await.must();
        let row = rows.into_iter().find(|row| !row.read_only).unwrap();
        assert_eq!(row.status, adagent_store::CallStatus::Succeeded, "at {}", checkpoint.node);
        assert_eq!(world.view(forked).await.answer, "The group exists.");
        declined += 1;
    }
    assert!(knew > 1 && declined > 0, "{knew} states knew the call, in {declined} it was open");
    assert_eq!(world.written(), [group("Banner")]);
}

#[tokio::test]
async fn a_fork_as_it_stood_keeps_the_question() {
    let store = sqlite_store().await;
    let world = World::new(store.store(), script()).await;
    let (run, saved) = written(&world).await;
    let forked = fork_run(&world.deps("web", None), &world.actor(), run, saved[0].id).await.unwrap();
    let row = world.base.store.find_run_unscoped(forked).await.must().unwrap();
    let message = row.turn().unwrap().message;
    let message = world.base.store.find_message(row.workspace, row.principal.user, message).await.must().unwrap();
    assert_eq!(message.content, "Create it");
}
