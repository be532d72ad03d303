//! To-dos: who sees them, how two people change one, and what stays when a person leaves.

use std::sync::Arc;

use adagent_domain::{Role, TodoId, ToolCallId, WorkspaceId};

use super::fixtures::{Must, World};
use crate::{DeletedUser, DeletionReason, Store, Todo, TodoBody, User};

fn todo(world: &World, person: &User, workspace: WorkspaceId, text: &str, due: Option<&str>) -> Todo {
    let now = world.now();
    Todo {
        id: TodoId::new(&*world.ids),
        workspace,
        body: TodoBody { text: text.into(), due: due.map(str::to_owned), assignee: Some(person.id), done_at: None },
        assignee_name: Some(person.name.clone()),
        by: Some(person.id),
        by_name: Some(person.name.clone()),
        run: None,
        version: 1,
        created_at: now,
        updated_at: now,
    }
}

async fn insert(world: &World, todo: &Todo, most: u32) -> bool {
    let mut unit = world.begin().await;
    let kept = unit.insert_todo(todo, most).await.must();
    unit.commit().await.must();
    kept
}

fn texts(todos: &[Todo]) -> Vec<&str> {
    todos.iter().map(|todo| todo.body.text.as_str()).collect()
}

pub async fn a_to_do_comes_back_as_it_was_made_and_belongs_to_its_workspace(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    let home = ann.personal_workspace;
    let made = todo(&world, &ann, home, "Check \u{1F4B0} floors", Some("2026-11-27"));
    assert!(insert(&world, &made, 2).await);
    assert_eq!(world.store.find_todo(home, made.id).await.must(), Some(made.clone()));
    assert_eq!(world.store.find_todo(bob.personal_workspace, made.id).await.must(), None);
    assert_eq!(world.store.list_open_todos(bob.personal_workspace, 10).await.must(), []);
    let mut unit = world.begin().await;
    assert!(!unit.update_todo(bob.personal_workspace, made.id, 1, &made.body, world.now()).await.must());
    assert!(!unit.delete_todo(bob.personal_workspace, made.id).await.must());
    unit.commit().await.must();
    assert!(insert(&world, &todo(&world, &ann, home, "second", None), 2).await);
    assert!(!insert(&world, &todo(&world, &ann, home, "third", None), 2).await, "two are the most");
    let mut unit = world.begin().await;
    assert!(unit.delete_todo(home, made.id).await.must());
    assert!(!unit.delete_todo(home, made.id).await.must(), "once");
    unit.commit().await.must();
    assert_eq!(texts(&world.store.list_open_todos(home, 10).await.must()), ["second"]);
}

pub async fn open_to_dos_come_by_day_and_done_ones_by_when_they_were_done(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    let home = ann.personal_workspace;
    for (text, due) in
        [("undated", None), ("later", Some("2026-12-01")), ("first", Some("2026-11-27")), ("same", Some("2026-11-27"))]
    {
        assert!(insert(&world, &todo(&world, &ann, home, text, due), 10).await);
    }
    let open = world.store.list_open_todos(home, 10).await.must();
    assert_eq!(texts(&open), ["first", "same", "later", "undated"]);
    assert_eq!(texts(&world.store.list_open_todos(home, 1).await.must()), ["first"]);
    for one in [&open[2], &open[0]] {
        world.clock.advance_millis(1000);
        let body = TodoBody { done_at: Some(world.now()), ..one.body.clone() };
        let mut unit = world.begin().await;
        assert!(unit.update_todo(home, one.id, 1, &body, world.now()).await.must());
        unit.commit().await.must();
    }
    assert_eq!(texts(&world.store.list_open_todos(home, 10).await.must()), ["same", "undated"]);
    let done = world.store.list_done_todos(home, 10).await.must();
    assert_eq!(texts(&done), ["first", "later"], "done last comes first");
    assert_eq!(done[0].version, 2);
}

pub async fn of_two_changes_of_one_to_do_the_first_wins(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    let home = ann.personal_workspace;
    let made = todo(&world, &ann, home, "Check floors", None);
    assert!(insert(&world, &made, 10).await);
    for (from, text, wins) in [(1, "First", true), (1, "Late", false), (2, "Second", true)] {
        let body = TodoBody { text: text.into(), assignee: None, ..made.body.clone() };
        let mut unit = world.begin().await;
        assert_eq!(unit.update_todo(home, made.id, from, &body, world.now()).await.must(), wins, "{text}");
        unit.commit().await.must();
    }
    let found = world.store.find_todo(home, made.id).await.must().expect("it stays");
    assert_eq!((found.body.text.as_str(), found.version, found.body.assignee), ("Second", 3, None));
}

pub async fn a_to_do_names_the_run_whose_call_made_it(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (person, chat, lease) = world.held_run().await;
    let record = world.call(chat.workspace, lease.run);
    let mut unit = world.begin().await;
    unit.insert_call(&lease, &record).await.must();
    unit.commit().await.must();
    let ToolCallId(id) = record.id;
    let made = Todo { id: TodoId(id), ..todo(&world, &person, chat.workspace, "Check floors", None) };
    assert!(insert(&world, &made, 10).await);
    let found = world.store.find_todo(chat.workspace, made.id).await.must().expect("it is kept");
    assert_eq!(found.run, Some((lease.run, person.id)));
}

pub async fn to_dos_of_someone_who_leaves_stay_with_the_workspace(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    let acme = world.organization(&ann, "acme").await;
    let mut unit = world.begin().await;
    unit.insert_member(acme.id, bob.id, Role::Member, world.now()).await.must();
    unit.commit().await.must();
    let (shared, own) = (
        todo(&world, &bob, acme.id, "Check floors", None),
        todo(&world, &bob, bob.personal_workspace, "Buy milk", None),
    );
    assert!(insert(&world, &shared, 10).await && insert(&world, &own, 10).await);
    let mut unit = world.begin().await;
    assert!(unit.delete_member(acme.id, bob.id).await.must());
    unit.commit().await.must();
    let found = world.store.find_todo(acme.id, shared.id).await.must().expect("it stays");
    assert_eq!((found.body.assignee, found.by, found.version), (None, Some(bob.id), 2), "others may take it");
    assert_eq!(world.store.find_todo(own.workspace, own.id).await.must(), Some(own.clone()));
    let mut unit = world.begin().await;
    let record = DeletedUser {
        id: bob.id.0,
        anonymous_id: "anonymous".into(),
        created_on: "2026-01-01".into(),
        deleted_on: "2026-01-02".into(),
        lifetime_days: 1,
        reason: DeletionReason::UserRequested,
    };
    unit.erase_user(&bob, None, &record).await.must();
    unit.commit().await.must();
    let found = world.store.find_todo(acme.id, shared.id).await.must().expect("it stays");
    assert_eq!((found.by, found.by_name), (None, None), "nobody knows Bob");
    assert_eq!(world.store.find_todo(own.workspace, own.id).await.must(), None);
}
