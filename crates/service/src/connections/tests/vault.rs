//! Sealed values in the real store: where they open, and what a rotation does while a server refreshes tokens.

use adagent_store::{Connection, SealedColumn, SealedKey, SealedRow};

use super::*;
use crate::{Rotation, missing_keys, rotate_keys};

const FIRST: &str = "k:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";
const SECOND: &str = "newer:Hx4dHBsaGRgXFhUUExIREA8ODQwLCgkIBwYFBAMCAQA";

fn vault(rings: &[&str]) -> Vault {
    Vault::new(KeyRing::parse(&rings.join(",")).unwrap())
}

impl Desk {
    async fn connection(&self, network: Network) -> Connection {
        oldest(&self.service, self.actor.workspace, network).await.unwrap()
    }

    async fn put(&self, connection: &Connection, sealed: &str) -> bool {
        let row = SealedRow { key: SealedKey::Id(connection.id.0), sealed: connection.sealed.clone() };
        let mut work = self.service.store.begin().await.unwrap();
        let put = work.reseal(SealedColumn::Connections, &row, sealed).await.unwrap();
        work.commit().await.unwrap();
        put
    }

    async fn opens(&self, workspace: adagent_domain::WorkspaceId, network: Network) -> bool {
        let found = oldest(&self.service, workspace, network).await.expect("is connected");
        self.service.connections.source.credentials(super::super::source::via_of(&found), network).await.is_ok()
    }
}

#[tokio::test]
async fn a_sealed_value_put_into_another_row_does_not_open() {
    let desk = desk().await;
    for network in [Network::Unity, Network::Pangle] {
        desk.service.explore_network(&desk.actor, network).await.unwrap();
    }
    let (mine, other_network) = (desk.connection(Network::Unity).await, desk.connection(Network::Pangle).await);
    let request: SignUpRequest =
        serde_json::from_value(json!({"email": "eve@example.com", "password": "correct horse battery", "name": "Eve"}))
            .unwrap();
    let crate::SignedUp::In(eve) = desk.service.sign_up(request, ClientInfo::default()).await.unwrap() else {
        panic!("no address is confirmed first here");
    };
    let eve = desk.service.resolve_actor(eve.id, None).await.unwrap();
    desk.service.explore_network(&eve, Network::Unity).await.unwrap();
    let theirs = oldest(&desk.service, eve.workspace, Network::Unity).await.unwrap();
    assert!(desk.opens(eve.workspace, Network::Unity).await && desk.opens(desk.actor.workspace, Network::Pangle).await);

    // A person who can write to the database moves the value to another workspace and another network.
    assert!(desk.put(&theirs, &mine.sealed).await && desk.put(&other_network, &mine.sealed).await);
    assert!(!desk.opens(eve.workspace, Network::Unity).await);
    assert!(!desk.opens(desk.actor.workspace, Network::Pangle).await);
    // Or they move it to another row of the same network and workspace, after the connection was removed and made again.
    desk.service.disconnect_provider(&desk.actor.grant().unwrap(), mine.id).await.unwrap();
    desk.service.explore_network(&desk.actor, Network::Unity).await.unwrap();
    let anew = desk.connection(Network::Unity).await;
    assert!(anew.id != mine.id && desk.opens(desk.actor.workspace, Network::Unity).await);
    assert!(desk.put(&anew, &mine.sealed).await);
    assert!(!desk.opens(desk.actor.workspace, Network::Unity).await);
}

#[tokio::test]
async fn two_who_connect_at_once_leave_a_connection_that_opens() {
    let desk = desk().await;
    let explore = || desk.service.explore_network(&desk.actor, Network::Unity);
    for _ in 0..4 {
        let (one, two, three) = tokio::join!(explore(), explore(), explore());
        one.and(two).and(three).unwrap();
        assert!(desk.opens(desk.actor.workspace, Network::Unity).await);
        let id = desk.connection(Network::Unity).await.id;
        desk.service.disconnect_provider(&desk.actor.grant().unwrap(), id).await.unwrap();
    }
}

#[tokio::test]
async fn a_rotation_leaves_nothing_behind_and_goes_on_where_it_stopped() {
    let desk = desk().await;
    for network in [Network::Unity, Network::Pangle, Network::AdMob] {
        desk.service.explore_network(&desk.actor, network).await.unwrap();
    }
    desk.begin(None).await;
    let (store, both) = (&*desk.service.store, vault(&[SECOND, FIRST]));
    let first = rotate_keys(store, &both).await.unwrap();
    assert_eq!(first, Rotation { resealed: 4, ..Rotation::default() });
    assert_eq!(rotate_keys(store, &both).await.unwrap(), Rotation { current: 4, ..Rotation::default() });
    // Without the old key everything opens. With the old key alone nothing does, and the errors contain no value.
    assert_eq!(rotate_keys(store, &vault(&[SECOND])).await.unwrap().current, 4);
    let closed = rotate_keys(store, &vault(&[FIRST])).await.unwrap();
    assert_eq!((closed.resealed, closed.closed.len()), (0, 4));
    assert!(closed.closed.iter().all(|(_, _, error)| error.to_string().contains("newer")), "{closed:?}");
}

/// A network invalidates a refresh token when it answers with the next one, so a lost token would end the connection.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_rotation_beside_a_server_that_refreshes_loses_no_token() {
    let desk = desk_with(&format!("{SECOND},{FIRST}")).await;
    desk.service.explore_network(&desk.actor, Network::AdMob).await.unwrap();
    let (old, both) = (vault(&[FIRST]), vault(&[SECOND, FIRST]));
    let mut resealed = 0;
    for round in 0..12 {
        // Seal the value as a server with the old key ring would have left it.
        let kept = desk.connection(Network::AdMob).await;
        let plain = both.open(&source::owner(&kept), &kept.sealed).unwrap();
        assert!(desk.put(&kept, &old.seal(&source::owner(&kept), &plain).unwrap()).await);
        desk.clock.advance_millis(3_541_000);
        let (token, rotation) = tokio::join!(desk.token(), rotate_keys(&*desk.service.store, &both));
        let rotation = rotation.unwrap();
        resealed += rotation.resealed;
        assert!(token.is_ok() && rotation.closed.is_empty() && rotation.missed == 0, "{round}: {token:?} {rotation:?}");
        let kept = desk.connection(Network::AdMob).await;
        assert_eq!(kept.version, round + 2, "the refresh counts, the rotation does not");
        assert!(vault(&[SECOND]).open(&source::owner(&kept), &kept.sealed).is_ok());
    }
    assert!(resealed > 0, "no rotation found anything to do");
    assert!(rotate_keys(&*desk.service.store, &both).await.unwrap().closed.is_empty());
    desk.clock.advance_millis(3_541_000);
    assert!(desk.token().await.is_ok(), "the last refresh token still works");
}

#[tokio::test]
async fn what_a_server_cannot_open_is_counted_by_key_without_opening_anything() {
    let desk = desk().await;
    for network in [Network::Unity, Network::Pangle] {
        desk.service.explore_network(&desk.actor, network).await.unwrap();
    }
    let (store, own) = (&*desk.service.store, desk.service.connections.vault());
    assert_eq!(missing_keys(store, own).await.unwrap(), std::collections::BTreeMap::new());
    let missing = missing_keys(store, &vault(&[SECOND])).await.unwrap();
    assert_eq!(missing.values().sum::<u64>(), 2, "{missing:?}");
    assert!(missing.len() == 1 && !missing.contains_key("newer"), "{missing:?}");
}
