//! Approvals: bound to their arguments, answered once, visible only to the right people.

use std::sync::Arc;

use adagent_contract::{ApprovalStatus, Preview, PreviewKind, SentChange};
use adagent_domain::{Source, UserId, WorkspaceId};
use serde_json::json;

use super::fixtures::{EngineWorld, Must};
use crate::{ApprovalAnswer, ApprovalRecord, CallStatus, EngineStore, Lease, StoreError, UNDO, Undo, Whose, undone};

async fn insert(world: &EngineWorld, lease: &Lease, approval: &ApprovalRecord) {
    let mut unit = world.begin().await;
    unit.insert_approval(lease, approval).await.must();
    unit.commit().await.must();
}

fn answer(world: &EngineWorld, by: UserId, by_name: &str, status: ApprovalStatus) -> ApprovalAnswer {
    ApprovalAnswer {
        status,
        by,
        by_name: by_name.to_owned(),
        at: world.now(),
        edited_args: None,
        sent: None,
        digest: "d1".to_owned(),
        reason: None,
    }
}

pub async fn an_approval_comes_back_as_it_was_asked(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let (ann, chat, lease) = world.held_run().await;
    let asked = world.approval(&ann, &chat, lease.run);
    insert(&world, &lease, &asked).await;
    let found = world.store.find_approval(ann.personal_workspace, asked.view.id).await.must();
    assert_eq!(found.as_ref(), Some(&asked));
    assert_eq!(world.store.list_approvals_of_run(lease.run).await.must(), std::slice::from_ref(&asked));

    let mut unit = world.begin().await;
    let given = ApprovalAnswer {
        edited_args: Some(json!({"displayName": "Puzzle 2"})),
        sent: Some(SentChange {
            title: "Create app “Puzzle 2”".to_owned(),
            preview: Preview::new(PreviewKind::Create, Vec::new()),
        }),
        digest: "d2".to_owned(),
        reason: Some("better name".to_owned()),
        ..answer(&world, ann.id, "Ann", ApprovalStatus::Approved)
    };
    assert!(unit.answer_approval(ann.personal_workspace, asked.view.id, &given).await.must());
    unit.commit().await.must();
    let found = world.store.find_approval(ann.personal_workspace, asked.view.id).await.must().expect("is there");
    assert_eq!(found.digest, "d2");
    assert_eq!(found.view.status, ApprovalStatus::Approved);
    assert_eq!(found.view.answered_by.as_deref(), Some("Ann"));
    assert_eq!(found.view.answered_at, Some(world.now()));
    assert_eq!(found.view.edited_args, given.edited_args);
    assert_eq!(found.view.sent, given.sent);
    assert_eq!((found.view.title_now(), &found.view.title), ("Create app “Puzzle 2”", &asked.view.title));
    assert_eq!(found.view.reason, given.reason);
    assert_eq!(found.view.tool_input, asked.view.tool_input);
}

pub async fn the_first_of_many_answers_wins(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let (ann, chat, lease) = world.held_run().await;
    let asked = world.approval(&ann, &chat, lease.run);
    insert(&world, &lease, &asked).await;
    let answers = (0..12).map(|number| {
        let (world, id) = (world.clone(), asked.view.id);
        let (user, workspace) = (ann.id, ann.personal_workspace);
        tokio::spawn(async move {
            let status = if number % 2 == 0 { ApprovalStatus::Approved } else { ApprovalStatus::Denied };
            let mut unit = world.begin().await;
            let won =
                unit.answer_approval(workspace, id, &answer(&world, user, &number.to_string(), status)).await.must();
            unit.commit().await.must();
            won.then_some(number.to_string())
        })
    });
    let mut winners = Vec::new();
    for answer in answers.collect::<Vec<_>>() {
        winners.extend(answer.await.expect("no panic"));
    }
    assert_eq!(winners.len(), 1, "{winners:?}");
    let found = world.store.find_approval(ann.personal_workspace, asked.view.id).await.must().expect("is there");
    assert_eq!(found.view.answered_by.as_ref(), winners.first());
}

const fn everyone(user: UserId) -> Whose {
    Whose { user, others: true }
}

pub async fn an_approval_is_found_in_its_workspace_only(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let (ann, chat, lease) = world.held_run().await;
    let bob = world.person("bob").await;
    let asked = world.approval(&ann, &chat, lease.run);
    insert(&world, &lease, &asked).await;
    let (id, store) = (asked.view.id, &world.store);
    assert_eq!(store.find_approval(bob.personal_workspace, id).await.must(), None);
    assert_eq!(store.list_approvals(bob.personal_workspace, everyone(bob.id), None, None, 10).await.must(), []);
    assert_eq!(store.list_approvals(ann.personal_workspace, Whose::own(bob.id), None, None, 10).await.must(), []);
    // Nobody else may answer a change to a person's own things here.
    let mut native = world.approval(&ann, &chat, lease.run);
    native.view.source = Source::Native;
    insert(&world, &lease, &native).await;
    let theirs = store.list_approvals(ann.personal_workspace, everyone(bob.id), None, None, 10).await.must();
    assert_eq!(theirs, [asked]);
    assert_eq!(store.count_pending_approvals(ann.personal_workspace, everyone(bob.id)).await.must(), 1);
    assert_eq!(store.count_pending_approvals(ann.personal_workspace, everyone(ann.id)).await.must(), 2);
    assert_eq!(store.count_pending_approvals(ann.personal_workspace, Whose::own(bob.id)).await.must(), 0);
    let mut unit = world.begin().await;
    let given = answer(&world, bob.id, "Bob", ApprovalStatus::Approved);
    assert!(!unit.answer_approval(bob.personal_workspace, id, &given).await.must());
    unit.commit().await.must();
    assert_eq!(store.count_pending_approvals(ann.personal_workspace, Whose::own(ann.id)).await.must(), 2);
}

pub async fn approvals_page_newest_first_and_filter_by_status(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let (ann, chat, lease) = world.held_run().await;
    let asked: Vec<_> = (0..5).map(|_| world.approval(&ann, &chat, lease.run)).collect();
    for approval in &asked {
        insert(&world, &lease, approval).await;
    }
    let mut unit = world.begin().await;
    let denied = answer(&world, ann.id, "Ann", ApprovalStatus::Denied);
    assert!(unit.answer_approval(ann.personal_workspace, asked[3].view.id, &denied).await.must());
    unit.commit().await.must();
    let list = async |status, before, limit| -> Vec<_> {
        let found =
            world.store.list_approvals(ann.personal_workspace, Whose::own(ann.id), status, before, limit).await.must();
        found.into_iter().map(|approval| approval.view.id).collect()
    };
    let id = |place: usize| asked[place].view.id;
    assert_eq!(list(None, None, 2).await, [id(4), id(3)]);
    assert_eq!(list(None, Some(id(3)), 10).await, [id(2), id(1), id(0)]);
    assert_eq!(list(Some(ApprovalStatus::Pending), None, 10).await, [id(4), id(2), id(1), id(0)]);
    assert_eq!(list(Some(ApprovalStatus::Denied), None, 10).await, [id(3)]);
    assert_eq!(world.store.count_pending_approvals(ann.personal_workspace, Whose::own(ann.id)).await.must(), 4);
}

pub async fn expired_approvals_are_listed_oldest_first(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let (ann, chat, lease) = world.held_run().await;
    let mut asked = Vec::new();
    for seconds in [20, 10, 30] {
        let mut approval = world.approval(&ann, &chat, lease.run);
        approval.view.expires_at = Some(world.now().plus_seconds(seconds));
        insert(&world, &lease, &approval).await;
        asked.push(approval);
    }
    let mut never = world.approval(&ann, &chat, lease.run);
    never.view.expires_at = None;
    insert(&world, &lease, &never).await;
    let due = world.store.list_expired_approvals(world.now().plus_seconds(20), 10).await.must();
    assert_eq!(due, [asked[1].clone(), asked[0].clone()]);
    let mut unit = world.begin().await;
    let expired = answer(&world, ann.id, "", ApprovalStatus::Expired);
    assert!(unit.answer_approval(ann.personal_workspace, asked[1].view.id, &expired).await.must());
    unit.commit().await.must();
    let due = world.store.list_expired_approvals(world.now().plus_seconds(99), 1).await.must();
    assert_eq!(due, asked[..1]);
}

pub async fn an_approval_for_another_persons_run_is_refused(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let (ann, chat, lease) = world.held_run().await;
    let bob = world.person("bob").await;
    let bobs = world.approval(&bob, &chat, lease.run);
    let foreign_workspace =
        ApprovalRecord { workspace: WorkspaceId::new(&*world.ids), ..world.approval(&ann, &chat, lease.run) };
    for approval in [bobs, foreign_workspace] {
        let mut unit = world.begin().await;
        let error = unit.insert_approval(&lease, &approval).await.expect_err("not the run's person");
        assert!(matches!(error, StoreError::RowsAffected { .. }), "{error:?}");
    }
}

pub async fn what_waits_in_a_workspace_is_listed_whoever_asked(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let (ann, chat, lease) = world.held_run().await;
    let (first, second) = (world.approval(&ann, &chat, lease.run), world.approval(&ann, &chat, lease.run));
    insert(&world, &lease, &first).await;
    insert(&world, &lease, &second).await;
    let mut unit = world.begin().await;
    let given = answer(&world, ann.id, "Ann", ApprovalStatus::Denied);
    assert!(unit.answer_approval(ann.personal_workspace, first.view.id, &given).await.must());
    unit.commit().await.must();
    let bob = world.person("bob").await;
    let pending = async |workspace| world.store.list_pending_approvals(workspace, 10).await.must();
    assert_eq!(pending(ann.personal_workspace).await, [second]);
    assert_eq!(pending(bob.personal_workspace).await, []);
}

pub async fn only_an_undo_that_was_made_is_listed(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let (ann, chat, lease) = world.held_run().await;
    let bob = world.person("bob").await;
    let (of, asked) = (world.approval(&ann, &chat, lease.run).view.id, world.approval(&ann, &chat, lease.run));
    let by = asked.view.id;
    insert(&world, &lease, &asked).await;
    let call = world.call(ann.personal_workspace, lease.run);
    let mut unit = world.begin().await;
    unit.mark_asked(lease.run, &format!("{UNDO}{of}")).await.must();
    unit.insert_call(&lease, &call).await.must();
    let given = answer(&world, ann.id, "Ann", ApprovalStatus::Approved);
    assert!(unit.answer_approval(ann.personal_workspace, by, &given).await.must());
    unit.commit().await.must();
    let listed = async |person: &crate::User| world.store.list_undos(ann.personal_workspace, person.id).await.must();
    assert_eq!(listed(&ann).await, [], "approved, and not made yet");
    let mut unit = world.begin().await;
    let at = world.now();
    let made = CallStatus::Succeeded;
    let moved = unit.move_call(Some(&lease), lease.run, call.id, &[CallStatus::Prepared], made, None, None, at).await;
    assert!(moved.must());
    unit.commit().await.must();
    assert_eq!(listed(&ann).await, [Undo { of, by }]);
    assert_eq!(listed(&bob).await, []);
    // An undo that was undone itself leaves its change made.
    let third = world.approval(&ann, &chat, lease.run).view.id;
    let (again, last) = (Undo { of, by }, Undo { of: by, by: third });
    assert!(undone(&[again]).contains(&of));
    assert!(!undone(&[again, last]).contains(&of) && undone(&[again, last]).contains(&by));
}
