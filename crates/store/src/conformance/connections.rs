//! Connections and OAuth attempts.

use std::sync::Arc;

use adagent_domain::Network;
use serde_json::json;

use super::fixtures::{Must, World};
use crate::{Connection, ConnectionState, OauthAttempt, Store, StoreError, Use};

async fn upsert(world: &World, connection: &Connection) -> adagent_domain::ConnectionId {
    let mut unit = world.begin().await;
    let id = unit.upsert_connection(connection).await.must();
    unit.commit().await.must();
    id
}

pub async fn connecting_again_replaces_and_keeps_where_it_came_from(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    let first = world.connection(&ann, Network::AdMob);
    assert_eq!(upsert(&world, &first).await, first.id);
    world.clock.advance_millis(5000);
    let second = Connection {
        sealed: "sealed-2".to_owned(),
        accounts: json!([{"id": "pub-1"}]),
        message: Some("hello".to_owned()),
        last_verified_at: Some(world.now()),
        ..world.connection(&ann, Network::AdMob)
    };
    assert_eq!(upsert(&world, &second).await, first.id);
    let found = world.store.find_connection(ann.personal_workspace, Network::AdMob).await.must().expect("is there");
    let expected = Connection {
        id: first.id,
        version: 2,
        made: 2,
        created_at: first.created_at,
        created_by: first.created_by,
        ..second
    };
    assert_eq!(found, expected);
    assert_eq!(world.store.list_connections(ann.personal_workspace).await.must(), [found]);
}

pub async fn a_simulated_connection_never_replaces_a_real_one(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    let of = |sandbox: bool| Connection { sandbox, ..world.connection(&ann, Network::AdMob) };
    upsert(&world, &of(true)).await;
    let real = of(false);
    upsert(&world, &real).await;
    let mut unit = world.begin().await;
    let error = unit.upsert_connection(&of(true)).await.expect_err("a real one is there");
    assert!(matches!(error, StoreError::RowsAffected { actual: 0, .. }), "{error}");
    drop(unit);
    let found = world.store.find_connection(ann.personal_workspace, Network::AdMob).await.must().expect("is there");
    assert_eq!((found.sandbox, found.version), (false, 2));
}

pub async fn one_of_many_refreshes_wins(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    let connection = world.connection(&ann, Network::AdMob);
    upsert(&world, &connection).await;
    let refreshes = (0..10).map(|number| {
        let (world, workspace, id) = (world.clone(), connection.workspace, connection.id);
        tokio::spawn(async move {
            let sealed = format!("refreshed-{number}");
            let mut unit = world.begin().await;
            let won = unit.replace_sealed(workspace, id, 1, &sealed, world.now()).await.must();
            unit.commit().await.must();
            won.then_some(sealed)
        })
    });
    let mut winners = Vec::new();
    for refresh in refreshes.collect::<Vec<_>>() {
        winners.extend(refresh.await.expect("no panic"));
    }
    assert_eq!(winners.len(), 1, "{winners:?}");
    let found = world.store.find_connection_by_id(connection.workspace, connection.id).await.must().expect("is there");
    assert_eq!((Some(&found.sealed), found.version), (winners.first(), 2));
}

pub async fn another_workspaces_connection_is_neither_read_nor_written(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    let connection = world.connection(&ann, Network::AdMob);
    upsert(&world, &connection).await;
    let (id, bobs, at) = (connection.id, bob.personal_workspace, world.now());
    assert_eq!(world.store.find_connection_by_id(bobs, id).await.must(), None);
    assert_eq!(world.store.find_connection(bobs, Network::AdMob).await.must(), None);
    assert_eq!(world.store.list_connections(bobs).await.must(), []);
    let mut unit = world.begin().await;
    assert!(!unit.replace_sealed(bobs, id, 1, "stolen", at).await.must());
    assert!(!unit.set_connection_state(bobs, id, 1, ConnectionState::AuthFailed, None, at).await.must());
    assert!(!unit.set_connection_enabled(bobs, id, false).await.must());
    assert!(!unit.set_connection_accounts(bobs, id, &json!([1]), ConnectionState::Connected, at).await.must());
    assert!(!unit.set_connection_abilities(bobs, id, 1, &json!({})).await.must());
    assert!(!unit.delete_connection(bobs, id, 1).await.must());
    unit.commit().await.must();
    assert_eq!(world.store.find_connection_by_id(connection.workspace, id).await.must(), Some(connection));
}

pub async fn state_accounts_and_switch_are_kept(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    let connection = world.connection(&ann, Network::AdMob);
    upsert(&world, &connection).await;
    let (workspace, id, at) = (connection.workspace, connection.id, world.now());
    let mut unit = world.begin().await;
    assert!(
        unit.set_connection_accounts(workspace, id, &json!([{"id": "pub-1"}]), ConnectionState::Connected, at)
            .await
            .must()
    );
    assert!(unit.set_connection_enabled(workspace, id, false).await.must());
    unit.commit().await.must();
    let found = world.store.find_connection_by_id(workspace, id).await.must().expect("is there");
    assert_eq!((found.accounts, found.enabled, found.last_verified_at), (json!([{"id": "pub-1"}]), false, Some(at)));
    let mut unit = world.begin().await;
    assert!(
        unit.set_connection_state(workspace, id, 1, ConnectionState::AuthFailed, Some("revoked"), at.plus_seconds(9))
            .await
            .must()
    );
    unit.commit().await.must();
    let found = world.store.find_connection_by_id(workspace, id).await.must().expect("is there");
    assert_eq!((found.state, found.message.as_deref()), (ConnectionState::AuthFailed, Some("revoked")));
    assert_eq!(found.last_verified_at, Some(at), "a failure verifies nothing");
    let mut unit = world.begin().await;
    assert!(unit.delete_connection(workspace, id, 1).await.must());
    unit.commit().await.must();
    assert_eq!(world.store.find_connection_by_id(workspace, id).await.must(), None);
}

pub async fn what_is_found_or_removed_is_of_one_making_only(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    let connection = world.connection(&ann, Network::AdMob);
    upsert(&world, &connection).await;
    let (workspace, id, found) = (connection.workspace, connection.id, json!({"write": {"ability": "no"}}));
    let mut unit = world.begin().await;
    // A renewal of tokens is the same making.
    assert!(unit.replace_sealed(workspace, id, 1, "renewed", world.now()).await.must());
    assert!(unit.set_connection_abilities(workspace, id, 1, &found).await.must());
    unit.commit().await.must();
    let kept = world.store.find_connection_by_id(workspace, id).await.must().expect("is there");
    assert_eq!((kept.abilities, kept.version, kept.made), (Some(found.clone()), 2, 1));
    upsert(&world, &Connection { sealed: "other".to_owned(), ..world.connection(&ann, Network::AdMob) }).await;
    let mut unit = world.begin().await;
    assert!(!unit.set_connection_abilities(workspace, id, 1, &found).await.must());
    assert!(!unit.delete_connection(workspace, id, 1).await.must());
    unit.commit().await.must();
    let kept = world.store.find_connection_by_id(workspace, id).await.must().expect("it stays");
    assert_eq!((kept.abilities, kept.version, kept.made), (None, 3, 2));
}

pub async fn what_runs_have_before_them_is_listed_by_operation(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, chat, lease) = world.held_run().await;
    let (first, second) =
        (world.call(ann.personal_workspace, lease.run), world.call(ann.personal_workspace, lease.run));
    let mut asked = world.approval(&ann, &chat, lease.run);
    asked.view.tool_call_id = first.id;
    let mut unit = world.begin().await;
    unit.insert_call(&lease, &first).await.must();
    unit.insert_call(&lease, &second).await.must();
    unit.insert_approval(&lease, &asked).await.must();
    unit.commit().await.must();
    let uses = async |workspace| world.store.list_uses(workspace, 10).await.must();
    assert_eq!(uses(ann.personal_workspace).await, [Use { tool: first.name, run: lease.run, waiting: 1 }]);
    let bob = world.person("bob").await;
    assert_eq!(uses(bob.personal_workspace).await, []);
}

pub async fn a_state_is_not_set_over_credentials_somebody_renewed(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    let connection = world.connection(&ann, Network::AdMob);
    upsert(&world, &connection).await;
    let (workspace, id, at) = (connection.workspace, connection.id, world.now());
    let mut unit = world.begin().await;
    assert!(unit.replace_sealed(workspace, id, 1, "renewed", at).await.must());
    unit.commit().await.must();
    let mut unit = world.begin().await;
    let late = unit.set_connection_state(workspace, id, 1, ConnectionState::AuthFailed, Some("revoked"), at);
    assert!(!late.await.must());
    unit.commit().await.must();
    let found = world.store.find_connection_by_id(workspace, id).await.must().expect("is there");
    assert_eq!((found.state, found.message, found.version), (connection.state, None, 2));
}

pub async fn an_id_used_twice_is_taken(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    let connection = world.connection(&ann, Network::AdMob);
    upsert(&world, &connection).await;
    let mut unit = world.begin().await;
    let clash = Connection { network: Network::Unity, ..connection };
    let error = unit.upsert_connection(&clash).await.expect_err("the id is used");
    assert!(
        matches!(&error, StoreError::Taken { table, column } if table == "connections" && column == "id"),
        "{error:?}"
    );
}

pub async fn an_oauth_attempt_is_used_once(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    let attempt = OauthAttempt {
        state_hash: "abc".to_owned(),
        workspace: ann.personal_workspace,
        user: ann.id,
        session_hash: "def".to_owned(),
        network: Network::AdMob,
        sealed_verifier: "sealed".to_owned(),
        return_to: Some("/chat/1".to_owned()),
        expires_at: world.now().plus_seconds(600),
        sandbox: true,
    };
    let mut unit = world.begin().await;
    unit.insert_oauth_attempt(&attempt).await.must();
    unit.commit().await.must();
    let attempts = (0..8).map(|_| {
        let world = world.clone();
        tokio::spawn(async move {
            let mut unit = world.begin().await;
            let taken = unit.take_oauth_attempt("abc").await.must();
            unit.commit().await.must();
            taken
        })
    });
    let mut taken = Vec::new();
    for one in attempts.collect::<Vec<_>>() {
        taken.extend(one.await.expect("no panic"));
    }
    assert_eq!(taken, [attempt]);
}
