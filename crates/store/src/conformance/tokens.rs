//! Personal access tokens.

use std::sync::Arc;

use adagent_contract::TokenScope;
use adagent_domain::AccessTokenId;

use super::fixtures::{Must, World};
use crate::{AccessToken, Store, StoreError, User};

fn token(world: &World, of: &User, name: &str) -> AccessToken {
    AccessToken {
        id: AccessTokenId::new(&*world.ids),
        workspace: of.personal_workspace,
        user: of.id,
        name: name.to_owned(),
        hint: "adat_abc".to_owned(),
        scopes: vec![TokenScope::Api, TokenScope::Mcp],
        created_at: world.now(),
        expires_at: None,
        last_used_at: None,
    }
}

async fn keep(world: &World, token: &AccessToken, hash: &str) {
    let mut unit = world.begin().await;
    assert!(unit.insert_access_token(token, hash, 100).await.must());
    unit.commit().await.must();
}

pub async fn a_token_is_found_by_its_digest_alone(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    let ends = Some(world.now().plus_seconds(60));
    let kept = AccessToken { expires_at: ends, ..token(&world, &ann, "laptop \u{0}") };
    keep(&world, &kept, "digest").await;
    let found = world.store.find_access_token("digest").await.must().expect("it was kept");
    assert_eq!(found, AccessToken { name: "laptop \u{FFFD}".to_owned(), ..kept.clone() });
    assert_eq!(world.store.find_access_token("another").await.must(), None);
    assert_eq!(world.store.find_access_token("").await.must(), None);
    let mut unit = world.begin().await;
    let clash = unit.insert_access_token(&token(&world, &ann, "second"), "digest", 100).await;
    assert!(matches!(clash, Err(StoreError::Taken { .. })), "{clash:?}");
}

pub async fn tokens_are_listed_and_removed_by_their_person_in_their_workspace_only(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    let (first, second) = (token(&world, &ann, "first"), token(&world, &ann, "second"));
    keep(&world, &first, "one").await;
    keep(&world, &second, "two").await;
    let list = world.store.list_access_tokens(ann.personal_workspace, ann.id, 10).await.must();
    assert_eq!(list, vec![second.clone(), first.clone()], "newest first");
    assert_eq!(world.store.list_access_tokens(ann.personal_workspace, ann.id, 1).await.must(), vec![second]);
    for (workspace, user) in
        [(bob.personal_workspace, bob.id), (ann.personal_workspace, bob.id), (bob.personal_workspace, ann.id)]
    {
        assert_eq!(world.store.list_access_tokens(workspace, user, 10).await.must(), Vec::new());
        let mut unit = world.begin().await;
        assert!(!unit.delete_access_token(workspace, user, first.id).await.must());
        unit.commit().await.must();
    }
    let mut unit = world.begin().await;
    assert!(unit.delete_access_token(ann.personal_workspace, ann.id, first.id).await.must());
    assert!(!unit.delete_access_token(ann.personal_workspace, ann.id, first.id).await.must(), "only once");
    unit.commit().await.must();
    assert_eq!(world.store.find_access_token("one").await.must(), None);
    assert!(world.store.find_access_token("two").await.must().is_some());
}

pub async fn the_last_use_of_a_token_never_goes_back(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    let kept = token(&world, &ann, "laptop");
    keep(&world, &kept, "digest").await;
    let (early, late) = (world.now().plus_seconds(5), world.now().plus_seconds(9));
    for at in [late, early] {
        let mut unit = world.begin().await;
        unit.touch_access_token(kept.id, at).await.must();
        unit.touch_access_token(AccessTokenId::new(&*world.ids), at).await.must();
        unit.commit().await.must();
    }
    let found = world.store.find_access_token("digest").await.must().expect("it was kept");
    assert_eq!(found.last_used_at, Some(late));
}

pub async fn of_many_made_at_once_only_as_many_are_kept_as_fit(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    let makings = (0..8).map(|number| {
        let (world, ann) = (world.clone(), ann.clone());
        tokio::spawn(async move {
            let made = token(&world, &ann, "one of many");
            let mut unit = world.begin().await;
            let kept = unit.insert_access_token(&made, &format!("digest-{number}"), 3).await.must();
            unit.commit().await.must();
            kept
        })
    });
    let mut kept = 0;
    for making in makings.collect::<Vec<_>>() {
        kept += usize::from(making.await.expect("no panic"));
    }
    let held = world.store.list_access_tokens(ann.personal_workspace, ann.id, 100).await.must();
    assert_eq!((kept, held.len()), (3, 3));
}
