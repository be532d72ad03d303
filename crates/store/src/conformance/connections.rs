//! Connections and OAuth attempts.

use std::sync::Arc;

use adagent_domain::{Network, WorkspaceId};
use serde_json::json;

use super::fixtures::{Must, World};
use crate::{Connection, ConnectionState, OauthAttempt, SignInInto, Store, StoreError, Use};

async fn insert(world: &World, connection: &Connection) {
    let mut unit = world.begin().await;
    unit.insert_connection(connection).await.must();
    unit.commit().await.must();
}

async fn remake(world: &World, connection: &Connection) -> bool {
    let mut unit = world.begin().await;
    let remade = unit.remake_connection(connection).await.must();
    unit.commit().await.must();
    remade
}

async fn oldest(world: &World, workspace: WorkspaceId, network: Network) -> Option<Connection> {
    let all = world.store.list_connections(workspace).await.must();
    all.into_iter().find(|one| one.network == network)
}

pub async fn connecting_again_replaces_and_keeps_where_it_came_from(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    let first = world.connection(&ann, Network::AdMob);
    insert(&world, &first).await;
    world.clock.advance_millis(5000);
    let second = Connection {
        id: first.id,
        label: "not taken over".to_owned(),
        sealed: "sealed-2".to_owned(),
        accounts: json!([{"id": "pub-1"}]),
        message: Some("hello".to_owned()),
        last_verified_at: Some(world.now()),
        ..world.connection(&ann, Network::AdMob)
    };
    assert!(remake(&world, &second).await);
    let found = oldest(&world, ann.personal_workspace, Network::AdMob).await.expect("is there");
    let expected = Connection {
        label: first.label,
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
    let first = world.connection(&ann, Network::AdMob);
    let of = |sandbox: bool| Connection { sandbox, ..first.clone() };
    insert(&world, &of(true)).await;
    assert!(remake(&world, &of(false)).await);
    assert!(!remake(&world, &of(true)).await, "a real one is there");
    let found = oldest(&world, ann.personal_workspace, Network::AdMob).await.expect("is there");
    assert_eq!((found.sandbox, found.version), (false, 2));
}

pub async fn one_of_many_refreshes_wins(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    let connection = world.connection(&ann, Network::AdMob);
    insert(&world, &connection).await;
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
    insert(&world, &connection).await;
    let (id, bobs, at) = (connection.id, bob.personal_workspace, world.now());
    assert_eq!(world.store.find_connection_by_id(bobs, id).await.must(), None);
    assert_eq!(oldest(&world, bobs, Network::AdMob).await, None);
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
    insert(&world, &connection).await;
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
    insert(&world, &connection).await;
    let (workspace, id, found) = (connection.workspace, connection.id, json!({"write": {"ability": "no"}}));
    let mut unit = world.begin().await;
    // Renewed tokens do not count as a connection made again.
    assert!(unit.replace_sealed(workspace, id, 1, "renewed", world.now()).await.must());
    assert!(unit.set_connection_abilities(workspace, id, 1, &found).await.must());
    unit.commit().await.must();
    let kept = world.store.find_connection_by_id(workspace, id).await.must().expect("is there");
    assert_eq!((kept.abilities, kept.version, kept.made), (Some(found.clone()), 2, 1));
    assert!(remake(&world, &Connection { sealed: "other".to_owned(), ..connection.clone() }).await);
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
    insert(&world, &connection).await;
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

pub async fn an_id_of_another_place_is_not_made_anew(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    let connection = world.connection(&ann, Network::AdMob);
    insert(&world, &connection).await;
    let elsewhere = [
        Connection { network: Network::Unity, ..connection.clone() },
        Connection { workspace: bob.personal_workspace, ..connection.clone() },
    ];
    for clash in elsewhere {
        assert!(!remake(&world, &clash).await);
        let mut unit = world.begin().await;
        let error = unit.insert_connection(&clash).await.expect_err("the id is used");
        assert!(
            matches!(&error, StoreError::Taken { table, column } if table == "connections" && column == "id"),
            "{error:?}"
        );
    }
    let kept = world.store.find_connection_by_id(connection.workspace, connection.id).await.must();
    assert_eq!(kept, Some(connection));
}

pub async fn several_of_one_network_are_told_apart_by_their_labels(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    let of = |person, network, label: &str| Connection { label: label.to_owned(), ..world.connection(person, network) };
    let first = of(&ann, Network::AppLovin, "Games EU");
    insert(&world, &first).await;
    world.clock.advance_millis(1);
    let second = of(&ann, Network::AppLovin, "Casual");
    insert(&world, &second).await;
    // A label is unique only within its workspace and network, whatever its case.
    insert(&world, &of(&ann, Network::Unity, "games eu")).await;
    insert(&world, &of(&bob, Network::AppLovin, "Games EU")).await;
    let taken = |error: &StoreError| matches!(error, StoreError::Taken { table, column } if table == "connections" && column.ends_with("label_key"));
    let mut unit = world.begin().await;
    let error = unit.insert_connection(&of(&ann, Network::AppLovin, "GAMES eu")).await.expect_err("taken");
    assert!(taken(&error), "{error:?}");
    drop(unit);
    let mut unit = world.begin().await;
    let error = unit.rename_connection(ann.personal_workspace, second.id, "games EU").await.expect_err("taken");
    assert!(taken(&error), "{error:?}");
    drop(unit);
    let mut unit = world.begin().await;
    assert!(unit.rename_connection(ann.personal_workspace, second.id, "Éclair").await.must());
    assert!(!unit.rename_connection(bob.personal_workspace, second.id, "Mine").await.must());
    unit.commit().await.must();
    let mut unit = world.begin().await;
    let error = unit.rename_connection(ann.personal_workspace, first.id, "éCLAIR").await.expect_err("taken");
    assert!(taken(&error), "{error:?}");
    drop(unit);
    // The first one is made again and the other stays as it was. The oldest comes first.
    assert!(remake(&world, &Connection { sealed: "sealed-2".to_owned(), ..first.clone() }).await);
    let all = world.store.list_connections(ann.personal_workspace).await.must();
    let all: Vec<_> = all.iter().map(|one| (one.network, one.label.as_str(), one.sealed.as_str(), one.made)).collect();
    assert_eq!(
        all,
        [
            (Network::AppLovin, "Games EU", "sealed-2", 2),
            (Network::AppLovin, "Éclair", "sealed-1", 1),
            (Network::Unity, "games eu", "sealed-1", 1),
        ]
    );
    let found = oldest(&world, ann.personal_workspace, Network::AppLovin).await;
    assert_eq!(found.map(|one| one.id), Some(first.id));
    let mut unit = world.begin().await;
    assert!(unit.delete_connection(ann.personal_workspace, first.id, 2).await.must());
    unit.commit().await.must();
    let left = oldest(&world, ann.personal_workspace, Network::AppLovin).await;
    assert_eq!(left.map(|one| one.id), Some(second.id));
}

pub async fn of_many_that_add_one_label_one_wins(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    let adds = (0..8).map(|_| {
        let (world, connection) = (world.clone(), world.connection(&ann, Network::AppLovin));
        tokio::spawn(async move {
            let mut unit = world.begin().await;
            match unit.insert_connection(&connection).await {
                Ok(()) => {
                    unit.commit().await.must();
                    Some(connection.id)
                }
                Err(error) => {
                    assert!(matches!(error, StoreError::Taken { .. }), "{error:?}");
                    None
                }
            }
        })
    });
    let mut won = Vec::new();
    for add in adds.collect::<Vec<_>>() {
        won.extend(add.await.expect("no panic"));
    }
    assert_eq!(won.len(), 1, "{won:?}");
    let all = world.store.list_connections(ann.personal_workspace).await.must();
    assert_eq!(all.iter().map(|one| one.id).collect::<Vec<_>>(), won);
}

pub async fn an_oauth_attempt_is_used_once(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    let attempt = OauthAttempt {
        state_hash: "abc".to_owned(),
        workspace: ann.personal_workspace,
        user: ann.id,
        session_hash: "def".to_owned(),
        sealed_verifier: "sealed".to_owned(),
        return_to: Some("/chat/1".to_owned()),
        expires_at: world.now().plus_seconds(600),
        into: SignInInto::Network {
            network: Network::AdMob,
            sandbox: true,
            connection: Some(world.connection(&ann, Network::AdMob).id),
            adds: true,
            label: Some("Games EU".to_owned()),
        },
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

/// Looks consents up across workspaces: those of one workspace, and those for which this person gave the credentials anywhere.
pub async fn consents_are_found_by_workspace_and_by_person(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    let anns = world.connection(&ann, Network::AdMob);
    // Ann made it in her workspace; Bob signed in there later.
    let renewed = Connection { consented_by: Some(ann.id), ..world.connection(&ann, Network::AdManager) };
    let bobs = world.connection(&bob, Network::AdMob);
    for one in [&anns, &renewed, &bobs] {
        insert(&world, one).await;
    }
    assert!(remake(&world, &Connection { consented_by: Some(bob.id), ..renewed.clone() }).await);
    let found = async |workspace, by| {
        let all = world.store.list_consents(workspace, by).await.must();
        all.into_iter().map(|one| one.id).collect::<std::collections::BTreeSet<_>>()
    };
    let home = Some(ann.personal_workspace);
    assert_eq!(found(home, None).await, [anns.id, renewed.id].into());
    assert_eq!(found(home, Some(bob.id)).await, [anns.id, renewed.id, bobs.id].into());
    assert_eq!(found(None, Some(bob.id)).await, [renewed.id, bobs.id].into());
    assert_eq!(found(None, Some(ann.id)).await, [anns.id].into());
    assert!(found(None, None).await.is_empty());
}
