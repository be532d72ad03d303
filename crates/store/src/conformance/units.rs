//! Units of work: all or nothing, and wakes after the commit.

use std::{collections::BTreeSet, sync::Arc};

use adagent_domain::{RunId, UserId, WorkspaceId};
use tokio::sync::broadcast::error::TryRecvError;

use super::fixtures::{EngineWorld, Must};
use crate::{EngineStore, HttpSession, NewUser, User, Wake};

pub async fn a_dropped_unit_leaves_nothing_and_wakes_nobody(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let mut wakes = world.store.subscribe();
    let session = HttpSession { id: "s".to_owned(), data: String::new(), expires_at: world.now().plus_seconds(9) };
    let mut unit = world.begin().await;
    assert!(unit.insert_http_session(&session).await.must());
    unit.wake(Wake::Work);
    drop(unit);
    assert_eq!(world.store.find_http_session("s", world.now()).await.must(), None);
    // The next unit starts without changes of the dropped one.
    let mut unit = world.begin().await;
    assert!(unit.insert_http_session(&session).await.must());
    unit.commit().await.must();
    assert!(matches!(wakes.try_recv(), Err(TryRecvError::Empty)));
}

pub async fn a_commit_wakes_once_per_thing(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let mut wakes = world.store.subscribe();
    let run = RunId::new(&*world.ids);
    let mut unit = world.begin().await;
    for wake in [Wake::Events(run), Wake::Work, Wake::Events(run)] {
        unit.wake(wake);
    }
    assert!(matches!(wakes.try_recv(), Err(TryRecvError::Empty)), "not before the commit");
    unit.commit().await.must();
    assert_eq!(wakes.try_recv().expect("woken"), Wake::Events(run));
    assert_eq!(wakes.try_recv().expect("woken"), Wake::Work);
    // If our own notification came back as an echo, it would arrive a little later.
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    assert!(matches!(wakes.try_recv(), Err(TryRecvError::Empty)));
}

pub async fn a_failed_statement_does_not_spoil_the_next_unit(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let ann = world.person("ann").await;
    for _ in 0..20 {
        let user =
            User { id: UserId::new(&*world.ids), personal_workspace: WorkspaceId::new(&*world.ids), ..ann.clone() };
        let mut unit = world.begin().await;
        assert!(unit.insert_user(&NewUser { user, email_key: "ann@example.com".to_owned() }).await.is_err());
    }
    world.person("bob").await;
}

pub async fn readers_see_nothing_before_the_commit(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let session = HttpSession { id: "s".to_owned(), data: String::new(), expires_at: world.now().plus_seconds(9) };
    let mut unit = world.begin().await;
    assert!(unit.insert_http_session(&session).await.must());
    assert_eq!(world.store.find_http_session("s", world.now()).await.must(), None, "and does not wait for it");
    unit.commit().await.must();
    assert!(world.store.find_http_session("s", world.now()).await.must().is_some());
}

pub async fn many_durable_units_at_once_all_commit(store: Arc<dyn EngineStore>) {
    let world = EngineWorld::over(store);
    let units = (0..40).map(|number| {
        let world = world.clone();
        tokio::spawn(async move {
            let id = number.to_string();
            let session = HttpSession { id: id.clone(), data: String::new(), expires_at: world.now().plus_seconds(9) };
            let mut unit = world.begin().await;
            unit.durable();
            assert!(unit.insert_http_session(&session).await.must());
            unit.commit().await.must();
            world.store.find_http_session(&id, world.now()).await.must().map(|session| session.id)
        })
    });
    let mut seen = BTreeSet::new();
    for unit in units.collect::<Vec<_>>() {
        seen.extend(unit.await.expect("no panic"));
    }
    assert_eq!(seen.len(), 40);
}
