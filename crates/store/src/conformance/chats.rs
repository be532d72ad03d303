//! Chats and their messages.

use std::sync::Arc;

use adagent_contract::RunStatus;
use adagent_domain::{ChatSessionId, MessageId};

use super::fixtures::{Must, World, status, turn_of};
use crate::{ChatSession, NewMessage, RunUpdate, Store, StoreError};

pub async fn a_chat_belongs_to_its_person_alone(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    let chat = world.chat(&ann, "Revenue").await;
    let run = world.ask(&chat, "hello").await;
    let (store, at) = (&world.store, world.now());
    assert_eq!(store.find_chat(ann.personal_workspace, ann.id, chat.id).await.must().expect("own").title, "Revenue");
    for (workspace, user) in
        [(bob.personal_workspace, bob.id), (ann.personal_workspace, bob.id), (bob.personal_workspace, ann.id)]
    {
        assert_eq!(store.find_chat(workspace, user, chat.id).await.must(), None);
        assert_eq!(store.list_chats(workspace, user, None, None, 10).await.must(), []);
        assert_eq!(store.list_chats(workspace, user, Some("e"), None, 10).await.must(), []);
        assert_eq!(store.find_message(workspace, user, turn_of(&run).message).await.must(), None);
        let mut unit = world.begin().await;
        assert!(!unit.update_chat(workspace, user, chat.id, Some("mine"), None, at).await.must());
        assert!(!unit.delete_chat(workspace, user, chat.id).await.must());
        assert!(!unit.rate_message(workspace, user, turn_of(&run).message, "up", None).await.must());
        unit.commit().await.must();
    }
    assert_eq!(store.list_messages(bob.personal_workspace, chat.id, None, 10).await.must(), []);
    assert_eq!(
        store.list_history(bob.personal_workspace, chat.id, MessageId::new(&*world.ids), None, 10).await.must(),
        []
    );
    let found = store.find_message(ann.personal_workspace, ann.id, turn_of(&run).message).await.must().expect("own");
    assert_eq!((found.content.as_str(), found.author_name.as_str(), found.rating), ("hello", "ann", None));
}

pub async fn chats_page_by_last_use(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    let mut chats = Vec::new();
    for number in 0..5 {
        // Two chats have the same time, so the ID decides.
        if number != 3 {
            world.clock.advance_millis(1000);
        }
        chats.push(world.chat(&ann, &number.to_string()).await);
    }
    let titles = |page: &[ChatSession]| page.iter().map(|chat| chat.title.clone()).collect::<String>();
    let list =
        async |before, limit| world.store.list_chats(ann.personal_workspace, ann.id, None, before, limit).await.must();
    let mut seen = String::new();
    let mut before = None;
    loop {
        let page = list(before, 2).await;
        let Some(oldest) = page.last() else { break };
        before = Some((oldest.updated_at, oldest.id));
        seen.push_str(&titles(&page));
    }
    assert_eq!(seen, "43210");
    world.clock.advance_millis(1000);
    world.ask(&chats[1], "again").await;
    assert_eq!(titles(&list(None, 10).await), "14320");
    let mut unit = world.begin().await;
    let at = world.now().plus_seconds(1);
    assert!(unit.update_chat(ann.personal_workspace, ann.id, chats[0].id, None, Some(true), at).await.must());
    unit.commit().await.must();
    let first = list(None, 1).await.remove(0);
    assert_eq!((first.title.as_str(), first.chat_only, first.updated_at), ("0", true, at));
}

pub async fn a_shared_chat_is_read_by_its_workspace_alone(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    let (mine, other) = (world.chat(&ann, "Revenue").await, world.chat(&ann, "Private").await);
    let workspace = ann.personal_workspace;
    let share = async |user, at| {
        let mut unit = world.begin().await;
        let shared = unit.share_chat(workspace, user, mine.id, at).await.must();
        unit.commit().await.must();
        shared
    };
    assert!(!share(bob.id, Some(world.now())).await, "only its person shares it");
    assert_eq!(world.store.find_shared_chat(workspace, mine.id).await.must(), None);
    assert!(share(ann.id, Some(world.now())).await);
    let found = world.store.find_shared_chat(workspace, mine.id).await.must().expect("shared");
    assert_eq!((found.chat.id, found.owner_name.as_str(), found.chat.shared), (mine.id, "ann", true));
    assert_eq!(world.store.list_shared_chats(workspace, 10).await.must(), [found]);
    assert_eq!(world.store.find_shared_chat(workspace, other.id).await.must(), None);
    assert_eq!(world.store.find_shared_chat(bob.personal_workspace, mine.id).await.must(), None);
    assert_eq!(world.store.list_shared_chats(bob.personal_workspace, 10).await.must(), []);
    assert!(share(ann.id, None).await);
    assert_eq!(world.store.find_shared_chat(workspace, mine.id).await.must(), None);
}

pub async fn search_takes_wildcards_literally(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    world.chat(&ann, "100% of revenue").await;
    world.chat(&ann, "ad_unit list").await;
    world.chat(&ann, r"path C:\ads").await;
    let talk = world.chat(&ann, "Other").await;
    world.ask(&talk, "Why did the eCPM of Puzzle Game fall?").await;
    let find = async |search: &str| -> Vec<String> {
        let found = world.store.list_chats(ann.personal_workspace, ann.id, Some(search), None, 10).await.must();
        found.into_iter().map(|chat| chat.title).collect()
    };
    assert_eq!(find("100%").await, ["100% of revenue"]);
    assert_eq!(find("%").await, ["100% of revenue"]);
    assert_eq!(find("_").await, ["ad_unit list"]);
    assert_eq!(find("adXunit").await, Vec::<String>::new());
    assert_eq!(find(r"\").await, [r"path C:\ads"]);
    assert_eq!(find("puzzle GAME").await, ["Other"]);
    assert_eq!(find("'; drop table users; --").await, Vec::<String>::new());
    assert_eq!(find("").await.len(), 4);
}

pub async fn messages_page_backwards_in_order(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    let chat = world.chat(&ann, "Long").await;
    for number in 0..7 {
        world.ask(&chat, &number.to_string()).await;
    }
    let list = async |before, limit| world.store.list_messages(chat.workspace, chat.id, before, limit).await.must();
    let contents = |page: &[crate::Message]| page.iter().map(|message| message.content.clone()).collect::<String>();
    let newest = list(None, 3).await;
    assert_eq!(contents(&newest), "456");
    assert_eq!(contents(&list(Some(newest[0].id), 3).await), "123");
    assert_eq!(contents(&list(None, 100).await), "0123456");
}

pub async fn history_carries_the_answers(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    let chat = world.chat(&ann, "Talk").await;
    for number in 0..3 {
        world.ask(&chat, &format!("question {number}")).await;
        let lease = world.claim("worker").await.expect("ready").lease;
        let mut unit = world.begin().await;
        let update = RunUpdate {
            status: Some(RunStatus::Completed),
            answer: Some(format!("answer {number}")),
            finished_at: Some(world.now()),
            release: true,
            ..RunUpdate::default()
        };
        unit.update_run(&lease, &update).await.must();
        unit.commit().await.must();
    }
    let open = world.ask(&chat, "question 3").await;
    let last = world.ask(&chat, "question 4").await;
    let history = world.store.list_history(chat.workspace, chat.id, turn_of(&last).message, None, 3).await.must();
    let of = |row: &crate::MessageRow| (row.message.content.clone(), row.answer.clone(), row.completed);
    let turn =
        |number: u32, answer: Option<&str>| (format!("question {number}"), answer.map(str::to_owned), answer.is_some());
    assert_eq!(
        history.iter().map(of).collect::<Vec<_>>(),
        [turn(1, Some("answer 1")), turn(2, Some("answer 2")), turn(3, None)],
        "run {} is open",
        open.id
    );
}

pub async fn a_message_into_a_chat_of_somebody_else_is_refused(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    let chat = world.chat(&ann, "Private").await;
    let good = World::new_message(&world.new_run(&chat), "hi");
    for bad in [
        NewMessage { author: bob.id, ..good.clone() },
        NewMessage { workspace: bob.personal_workspace, ..good.clone() },
        NewMessage { session: ChatSessionId::new(&*world.ids), ..good.clone() },
    ] {
        let mut unit = world.begin().await;
        let error = unit.insert_message(&bad).await.expect_err("not theirs");
        assert!(matches!(error, StoreError::RowsAffected { .. }), "{error:?}");
    }
    assert_eq!(world.store.list_messages(chat.workspace, chat.id, None, 10).await.must(), []);
}

pub async fn a_chat_says_whether_it_is_busy_or_waits(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, chat, lease) = world.held_run().await;
    let flags = async || {
        let chat = world.store.find_chat(ann.personal_workspace, ann.id, chat.id).await.must().expect("is there");
        let listed = world.store.list_chats(ann.personal_workspace, ann.id, None, None, 1).await.must().remove(0);
        assert_eq!(chat, listed);
        (chat.busy, chat.awaiting_approval)
    };
    assert_eq!(flags().await, (true, false));
    for (to, expected) in [
        (RunStatus::Running, (true, false)),
        (RunStatus::AwaitingApproval, (true, true)),
        (RunStatus::Completed, (false, false)),
    ] {
        let mut unit = world.begin().await;
        unit.update_run(&lease, &RunUpdate { status: Some(to), ..RunUpdate::default() }).await.must();
        unit.commit().await.must();
        assert_eq!(flags().await, expected, "{to:?}");
    }
}

pub async fn deleting_a_chat_takes_everything_with_it(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, chat, lease) = world.held_run().await;
    let other = world.chat(&ann, "Stays").await;
    let kept = world.ask(&other, "stays").await;
    let (call, checkpoint) = (world.call(chat.workspace, lease.run), world.checkpoint(lease.run, 1));
    let approval = world.approval(&ann, &chat, lease.run);
    let mut unit = world.begin().await;
    unit.append_events(&lease, world.now(), &[status(1)]).await.must();
    unit.insert_checkpoint(&lease, &checkpoint).await.must();
    unit.insert_call(&lease, &call).await.must();
    unit.insert_approval(&lease, &approval).await.must();
    unit.commit().await.must();
    let run = world.store.find_run_unscoped(lease.run).await.must().expect("is there");

    let mut unit = world.begin().await;
    assert!(unit.delete_chat(ann.personal_workspace, ann.id, chat.id).await.must());
    unit.commit().await.must();
    let store = &world.store;
    assert_eq!(store.find_chat(ann.personal_workspace, ann.id, chat.id).await.must(), None);
    assert_eq!(store.find_run_unscoped(lease.run).await.must(), None);
    assert_eq!(store.list_events(lease.run, 0, 10).await.must(), []);
    assert_eq!(store.find_latest_checkpoint(lease.run).await.must(), None);
    assert_eq!(store.find_call(lease.run, call.id).await.must(), None);
    assert_eq!(store.find_approval(ann.personal_workspace, approval.view.id).await.must(), None);
    assert_eq!(
        store.find_message(ann.personal_workspace, ann.id, run.turn().expect("a turn").message).await.must(),
        None
    );
    assert!(store.find_message(ann.personal_workspace, ann.id, turn_of(&kept).message).await.must().is_some());
    let mut unit = world.begin().await;
    let error = unit.append_events(&lease, world.now(), &[status(2)]).await.expect_err("the run is gone");
    assert!(matches!(error, StoreError::StaleEpoch { .. }), "{error:?}");
}

pub async fn feedback_is_kept_with_its_message(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    let chat = world.chat(&ann, "Talk").await;
    let run = world.ask(&chat, "hello").await;
    for rating in ["up", "down"] {
        let mut unit = world.begin().await;
        assert!(
            unit.rate_message(ann.personal_workspace, ann.id, turn_of(&run).message, rating, Some("why")).await.must()
        );
        unit.commit().await.must();
        let found = world
            .store
            .find_message(ann.personal_workspace, ann.id, turn_of(&run).message)
            .await
            .must()
            .expect("is there");
        assert_eq!(found.rating.as_deref(), Some(rating));
    }
    let said = world.store.list_feedback(ann.personal_workspace, 10).await.must();
    let of = |one: &crate::Feedback| (one.author, one.session, one.rating.clone(), one.comment.clone());
    assert_eq!(said.iter().map(of).collect::<Vec<_>>(), [(ann.id, chat.id, "down".to_owned(), Some("why".to_owned()))]);
    let bob = world.person("bob").await;
    assert_eq!(world.store.list_feedback(bob.personal_workspace, 10).await.must(), []);
}

pub async fn any_text_survives(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    let chat = world.chat(&ann, "Texts").await;
    let million = "ä".repeat(500_000);
    let texts = [
        "",
        "\u{1}\u{7f}\u{1b}[31m\r\n\t",
        "a\u{202e}b \u{1f3ae} 日本語 e\u{301}",
        "'); drop table users; --",
        &million,
    ];
    for text in texts {
        let run = world.ask(&chat, text).await;
        let found = world
            .store
            .find_message(ann.personal_workspace, ann.id, turn_of(&run).message)
            .await
            .must()
            .expect("is there");
        assert!(found.content == text, "{:?}", text.chars().take(40).collect::<String>());
    }
    // PostgreSQL cannot store U+0000, so both engines show the replacement character instead of failing.
    let run = world.ask(&chat, "a\0b").await;
    let found =
        world.store.find_message(ann.personal_workspace, ann.id, turn_of(&run).message).await.must().expect("is there");
    assert_eq!(found.content, "a\u{FFFD}b");
    assert_eq!(world.store.find_user_by_email("\0").await.must(), None);
    assert_eq!(world.store.list_chats(ann.personal_workspace, ann.id, Some("\0"), None, 10).await.must().len(), 1);
    // Inside JSON, U+0000 is escaped and stays.
    let mut unit = world.begin().await;
    let event = status("a\0b");
    unit.append_events_unleased(run.id, world.now(), std::slice::from_ref(&event)).await.must();
    unit.commit().await.must();
    assert_eq!(world.store.list_events(run.id, 0, 10).await.must()[0].body, event);
}
