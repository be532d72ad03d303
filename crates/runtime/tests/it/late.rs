//! A change that another card has already made, and a change whose card already waits.

use std::sync::Arc;

use adagent_contract::{ApprovalStatus, NOTHING_TO_SEND, RunStatus, came_too_late};
use adagent_runtime::Advanced;
use adagent_testkit::{fixtures::Must, sqlite_store};

use crate::world::{Script, World, calls, group, says, told, yes};

fn write_and_tell() -> Script {
    Arc::new(|request| match told(request) {
        (0, _) => calls(&[("create_group", group("Banner"))]),
        (_, results) => match results.last() {
            Some((true, _)) => says("Done."),
            Some((false, why)) if why["denied"] == true => says(why["cause"].as_str().unwrap_or_default()),
            Some((false, why)) => says(why["error"]["code"].as_str().unwrap_or_default()),
            None => says("Nothing."),
        },
    })
}

#[tokio::test]
async fn an_approval_of_what_is_there_already_ends_as_nothing_sent() {
    let store = sqlite_store().await;
    let world = World::new(store.store(), write_and_tell()).await;
    world.network.lock().before = Some("Main".into());
    let run = world.ask("Rename it").await;
    assert_eq!(world.runtime("w").run_until_idle().await.must(), [Advanced::Waits(run)]);
    // Another card, or somebody at the network, has made the same change since.
    world.network.lock().before = Some("Banner".into());
    let id = world.pending().await[0].id;
    world.answer(yes(id)).await.expect("answered");
    world.runtime("w").run_until_idle().await.must();
    assert!(world.written().is_empty());
    assert_eq!(world.status(run).await, RunStatus::Completed);
    let view = world.view(run).await;
    assert_eq!(view.answer, "already_there");
    // The chat, the inbox and the record say the same.
    let card = &view.approvals[0];
    assert!(came_too_late(card.status, card.reason.as_deref()), "{card:?}");
    let workspace = world.person.personal_workspace;
    let kept = world.base.store.find_approval(workspace, id).await.must().expect("kept").view;
    assert_eq!((kept.status, kept.reason.as_deref()), (ApprovalStatus::Cancelled, Some(NOTHING_TO_SEND)));
}

#[tokio::test]
async fn what_still_changes_something_is_sent() {
    let store = sqlite_store().await;
    let world = World::new(store.store(), write_and_tell()).await;
    world.network.lock().before = Some("Main".into());
    let run = world.ask("Rename it").await;
    world.runtime("w").run_until_idle().await.must();
    world.answer(yes(world.pending().await[0].id)).await.expect("answered");
    world.runtime("w").run_until_idle().await.must();
    assert_eq!((world.written(), world.view(run).await.answer.as_str()), (vec![group("Banner")], "Done."));
}

#[tokio::test]
async fn the_same_change_waits_on_one_card() {
    let store = sqlite_store().await;
    let world = World::new(store.store(), write_and_tell()).await;
    let first = world.ask("Create it").await;
    assert_eq!(world.runtime("w").run_until_idle().await.must(), [Advanced::Waits(first)]);
    let second = world.ask("Create it").await;
    world.runtime("w").run_until_idle().await.must();
    assert_eq!(world.status(second).await, RunStatus::Completed);
    assert_eq!(world.view(second).await.answer, "ALREADY_WAITING");
    assert_eq!(world.pending().await.len(), 1, "one question");
    // Once it is answered, the same change can be asked about again.
    world.answer(yes(world.pending().await[0].id)).await.expect("answered");
    world.runtime("w").run_until_idle().await.must();
    let third = world.ask("Create it").await;
    assert_eq!(world.runtime("w").run_until_idle().await.must(), [Advanced::Waits(third)]);
    assert_eq!(world.pending().await.len(), 1);
}
