//! The data of home: readings, and questions that people saved.

use std::sync::Arc;

use adagent_contract::RunStatus;
use adagent_domain::{SavedQuestionId, Timestamp};

use super::fixtures::{Must, World, message_of};
use crate::{ChatSession, NewRun, Parent, RunUpdate, SavedQuestion, Store, User};

/// Makes a chat that home began, with its run.
async fn begin_reading(world: &World, person: &User, question: &str) -> (ChatSession, NewRun) {
    let chat = world.chat(person, "How was yesterday").await;
    let run = world.ask(&chat, "How was yesterday?").await;
    let mut unit = world.begin().await;
    unit.mark_home_chat(person.personal_workspace, person.id, chat.id, question, "basis").await.must();
    unit.commit().await.must();
    (chat, run)
}

/// Ends the oldest run that is ready.
async fn end_next(world: &World) {
    let claimed = world.claim("worker").await.expect("a run is ready");
    let over = RunUpdate {
        status: Some(RunStatus::Completed),
        finished_at: Some(world.now()),
        release: true,
        ..RunUpdate::default()
    };
    let mut unit = world.begin().await;
    unit.update_run(&claimed.lease, &over).await.must();
    unit.commit().await.must();
}

pub async fn a_reading_belongs_to_its_person_and_is_in_no_list(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    let plain = world.chat(&ann, "Plain").await;
    let (chat, run) = begin_reading(&world, &ann, "yesterday").await;
    let store = &world.store;
    let own = store.list_home_readings(ann.personal_workspace, ann.id, 10).await.must();
    assert_eq!(own.len(), 1);
    assert_eq!((own[0].session, own[0].run, own[0].question.as_str()), (chat.id, run.id, "yesterday"));
    assert_eq!((own[0].basis.as_str(), own[0].status, own[0].finished_at), ("basis", RunStatus::Queued, None));
    for (workspace, user) in
        [(bob.personal_workspace, bob.id), (ann.personal_workspace, bob.id), (bob.personal_workspace, ann.id)]
    {
        assert_eq!(store.list_home_readings(workspace, user, 10).await.must(), []);
        let mut unit = world.begin().await;
        assert!(unit.mark_home_chat(workspace, user, plain.id, "week", "basis").await.is_err());
    }
    let chats = store.list_chats(ann.personal_workspace, ann.id, None, None, 10).await.must();
    assert_eq!(chats.iter().map(|chat| chat.id).collect::<Vec<_>>(), [plain.id]);
    assert_eq!(store.list_chats(ann.personal_workspace, ann.id, Some("yesterday"), None, 10).await.must(), []);
    assert_eq!(store.list_runs(ann.personal_workspace, ann.id, None, 10).await.must(), []);
    assert!(store.find_chat(ann.personal_workspace, ann.id, chat.id).await.must().is_some(), "its address works");
}

pub async fn what_an_agent_was_asked_is_no_reading(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    let (chat, run) = begin_reading(&world, &ann, "yesterday").await;
    let lease = world.claim("worker").await.expect("a run is ready").lease;
    let below = world.new_run(&chat);
    let below = NewRun { lane: below.id.into(), parent: Some(Parent { run: run.id, path: "ask".into() }), ..below };
    let mut unit = world.begin().await;
    unit.lock_lane(below.lane).await.must();
    unit.hold_lease(&lease).await.must();
    unit.insert_task(&message_of(&below, "Read it")).await.must();
    unit.insert_run(&below).await.must();
    unit.commit().await.must();
    let readings = world.store.list_home_readings(ann.personal_workspace, ann.id, 10).await.must();
    assert_eq!(readings.iter().map(|one| one.run).collect::<Vec<_>>(), [run.id], "the run at the top alone");
}

pub async fn a_message_makes_a_reading_an_ordinary_chat(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    let (chat, _) = begin_reading(&world, &ann, "yesterday").await;
    end_next(&world).await;
    world.ask(&chat, "And by country?").await;
    let store = &world.store;
    assert_eq!(store.list_home_readings(ann.personal_workspace, ann.id, 10).await.must(), []);
    assert_eq!(store.list_chats(ann.personal_workspace, ann.id, None, None, 10).await.must().len(), 1);
    assert_eq!(store.list_runs(ann.personal_workspace, ann.id, None, 10).await.must().len(), 2);
}

pub async fn old_readings_are_deleted_and_those_that_work_stay(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    let (over, _) = begin_reading(&world, &ann, "yesterday").await;
    end_next(&world).await;
    let (other, _) = begin_reading(&world, &ann, "week").await;
    end_next(&world).await;
    let (works, _) = begin_reading(&world, &ann, "yesterday").await;
    world.clock.advance_millis(1000);
    let (newest, _) = begin_reading(&world, &ann, "yesterday").await;
    let forget = async |before: Timestamp| {
        let mut unit = world.begin().await;
        let count =
            unit.forget_home_readings(ann.personal_workspace, ann.id, "yesterday", newest.id, before).await.must();
        unit.commit().await.must();
        count
    };
    assert_eq!(forget(over.created_at).await, 0, "none is older");
    assert_eq!(forget(world.now().plus_seconds(1)).await, 1);
    let mut left: Vec<_> = world
        .store
        .list_home_readings(ann.personal_workspace, ann.id, 10)
        .await
        .must()
        .into_iter()
        .map(|reading| reading.session)
        .collect();
    left.sort();
    let mut kept = [other.id, works.id, newest.id];
    kept.sort();
    assert_eq!(left, kept);
}

pub async fn saved_questions_belong_to_their_person(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    let saved = |title: &str| SavedQuestion {
        id: SavedQuestionId::new(&*world.ids),
        workspace: ann.personal_workspace,
        user: ann.id,
        title: title.to_owned(),
        question: "Revenue by country?".to_owned(),
        pinned: false,
        created_at: world.now(),
        updated_at: world.now(),
    };
    let (first, second, third) = (saved("first"), saved("second"), saved("third"));
    let mut unit = world.begin().await;
    assert!(unit.insert_saved_question(&first, 2).await.must());
    assert!(unit.insert_saved_question(&second, 2).await.must());
    assert!(!unit.insert_saved_question(&third, 2).await.must(), "two are the most");
    unit.commit().await.must();
    let list = async || world.store.list_saved_questions(ann.personal_workspace, ann.id, 10).await.must();
    assert_eq!(list().await, [second.clone(), first.clone()], "newest first");
    world.clock.advance_millis(1000);
    let at = world.now();
    for (workspace, user) in
        [(bob.personal_workspace, bob.id), (ann.personal_workspace, bob.id), (bob.personal_workspace, ann.id)]
    {
        assert_eq!(world.store.list_saved_questions(workspace, user, 10).await.must(), []);
        let mut unit = world.begin().await;
        assert!(!unit.update_saved_question(workspace, user, first.id, None, Some(true), at).await.must());
        assert!(!unit.delete_saved_question(workspace, user, first.id).await.must());
        unit.commit().await.must();
    }
    let mut unit = world.begin().await;
    let (workspace, user) = (ann.personal_workspace, ann.id);
    assert!(unit.update_saved_question(workspace, user, first.id, None, Some(true), at).await.must());
    assert!(unit.update_saved_question(workspace, user, first.id, Some("renamed"), None, at).await.must());
    assert!(unit.delete_saved_question(workspace, user, second.id).await.must());
    unit.commit().await.must();
    let wanted = SavedQuestion { title: "renamed".to_owned(), pinned: true, updated_at: at, ..first };
    assert_eq!(list().await, [wanted]);
}
