//! People, workspaces, memberships.

use std::sync::Arc;

use adagent_domain::{Role, UserId, WorkspaceId};

use super::fixtures::{Must, World};
use crate::{NewUser, Store, StoreError, User, WorkspaceKind};

pub async fn users_are_found_by_id_and_by_email_key(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    assert_eq!(world.store.find_user(ann.id).await.must().as_ref(), Some(&ann));
    assert_eq!(world.store.find_user_by_email("ann@example.com").await.must(), Some(ann));
    assert_eq!(world.store.find_user_by_email("ann@Example.com").await.must(), None);
    assert_eq!(world.store.find_user(UserId::new(&*world.ids)).await.must(), None);
}

pub async fn a_used_email_is_taken_and_nothing_is_left_behind(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    let second =
        User { id: UserId::new(&*world.ids), personal_workspace: WorkspaceId::new(&*world.ids), ..ann.clone() };
    let mut unit = world.begin().await;
    let error = unit
        .insert_user(&NewUser { user: second.clone(), email_key: "ann@example.com".to_owned() })
        .await
        .expect_err("the address is used");
    assert!(
        matches!(&error, StoreError::Taken { table, column } if table == "users" && column == "email_key"),
        "{error:?}"
    );
    drop(unit);
    assert_eq!(world.store.find_user(second.id).await.must(), None);
    assert_eq!(world.store.list_memberships(second.id).await.must(), []);
    assert_eq!(world.store.find_membership(second.personal_workspace, ann.id).await.must(), None);
}

pub async fn a_membership_is_found_for_its_person_and_workspace_only(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    let own = world.store.find_membership(ann.personal_workspace, ann.id).await.must().expect("is a member");
    assert_eq!((own.role, own.workspace.kind, own.user), (Role::Owner, WorkspaceKind::Personal, ann.id));
    assert_eq!(own.workspace.id, ann.personal_workspace);
    assert_eq!(world.store.find_membership(bob.personal_workspace, ann.id).await.must(), None);
    assert_eq!(world.store.find_membership(ann.personal_workspace, bob.id).await.must(), None);
    assert_eq!(world.store.list_memberships(ann.id).await.must(), [own]);
}

pub async fn a_password_is_replaced_and_an_unknown_user_is_an_error(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    let mut unit = world.begin().await;
    unit.update_password_hash(ann.id, "new").await.must();
    unit.commit().await.must();
    assert_eq!(world.store.find_user(ann.id).await.must().expect("is there").password_hash, "new");
    assert_eq!(world.store.find_user(bob.id).await.must().expect("is there").password_hash, bob.password_hash);
    let mut unit = world.begin().await;
    let error = unit.update_password_hash(UserId::new(&*world.ids), "x").await.expect_err("nobody");
    assert!(matches!(error, StoreError::RowsAffected { expected: 1, actual: 0, .. }), "{error:?}");
}
