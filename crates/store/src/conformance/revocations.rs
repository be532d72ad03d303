//! Network access that we must revoke.

use std::sync::Arc;

use adagent_domain::{ConnectionId, Ids as _, JobId, Network, WorkspaceId};

use super::fixtures::{Must, World, together};
use crate::{
    JobOutcome, NewRevocation, Queue, QueueBacklog, SealedColumn, SealedKey, Store, User, Workspace, WorkspaceKind,
};

async fn queued(world: &World, user: &User, sealed: Result<&str, &str>) -> NewRevocation {
    let revocation = NewRevocation {
        id: JobId::new(&*world.ids),
        workspace: user.personal_workspace,
        connection: ConnectionId::new(&*world.ids),
        network: Network::AdMob,
        sandbox: false,
        sealed: sealed.map(str::to_owned).map_err(str::to_owned),
        created_at: world.now(),
    };
    let mut unit = world.begin().await;
    unit.insert_revocation(&revocation).await.must();
    unit.commit().await.must();
    revocation
}

async fn sweep(world: &World) {
    let mut unit = world.begin().await;
    unit.sweep(world.now()).await.must();
    unit.commit().await.must();
}

pub async fn a_consent_is_taken_back_by_one_of_many_and_its_token_goes(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    assert!(!world.store.job_is_due(Queue::Revocations, world.now()).await.must());
    let queued = queued(&world, &ann, Ok("sealed")).await;
    assert!(!world.store.job_is_due(Queue::Mails, world.now()).await.must(), "each queue has its own");
    let found = world.store.find_revocation(queued.id).await.must().expect("it is there");
    assert_eq!((found.workspace, found.connection), (Some(ann.personal_workspace), queued.connection));
    let claims = together((0..6).map(|_| {
        let world = world.clone();
        async move { world.claim_job(Queue::Revocations).await }
    }))
    .await;
    let claimed: Vec<_> = claims.into_iter().flatten().collect();
    assert_eq!(claimed.len(), 1);
    let first = &claimed[0];
    assert_eq!((JobId(first.id), first.kind.as_str(), first.sealed.as_str()), (queued.id, "admob", "sealed"));
    // Nobody knows the outcome of the first claim. The job is claimed again, and the old claim settles nothing.
    world.clock.advance_millis(60_000);
    let second = world.claim_job(Queue::Revocations).await.expect("the lease is over");
    assert!(!world.settle_job(Queue::Revocations, first, JobOutcome::Done).await);
    assert!(world.settle_job(Queue::Revocations, &second, JobOutcome::Done).await);
    let row = world.store.find_sealed(SealedColumn::Revocations, &SealedKey::Id(first.id)).await.must();
    assert!(row.is_none(), "no token is left");
    assert_eq!(world.store.queue_backlog(Queue::Revocations).await.must(), QueueBacklog::default());
    sweep(&world).await;
    assert_eq!(world.store.find_revocation(queued.id).await.must(), None, "nobody needs to know of it any more");
}

pub async fn what_could_not_be_taken_back_is_told_until_somebody_did_it(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (ann, bob) = (world.person("ann").await, world.person("bob").await);
    let (tried, closed) = (queued(&world, &ann, Ok("sealed")).await, queued(&world, &ann, Err("no key")).await);
    let failed = async |user: &User| {
        let listed = world.store.list_failed_revocations(user.personal_workspace, 10).await.must();
        listed.into_iter().map(|one| (one.id, one.last_error.unwrap_or_default())).collect::<Vec<_>>()
    };
    assert_eq!(failed(&ann).await, [(closed.id, "no key".to_owned())]);
    let claimed = world.claim_job(Queue::Revocations).await.expect("the other one waits");
    assert_eq!(JobId(claimed.id), tried.id);
    let error = "no answer\u{0}".to_owned();
    assert!(world.settle_job(Queue::Revocations, &claimed, JobOutcome::GivenUp { error, keeps: false }).await);
    assert_eq!(failed(&ann).await.len(), 2);
    assert_eq!(failed(&bob).await, []);
    sweep(&world).await;
    assert_eq!(failed(&ann).await.len(), 2, "told for a while");
    let forget = async |user: &User, id| {
        let mut unit = world.begin().await;
        let forgotten = unit.forget_revocation(user.personal_workspace, id).await.must();
        unit.commit().await.must();
        forgotten
    };
    assert!(!forget(&bob, tried.id).await, "another workspace's");
    assert_eq!((forget(&ann, tried.id).await, forget(&ann, tried.id).await), (true, false));
    world.clock.advance_millis(91 * 24 * 3_600_000);
    sweep(&world).await;
    assert_eq!(failed(&ann).await, []);
}

pub async fn a_consent_outlives_its_workspace_and_is_nobodys_then(store: Arc<dyn Store>) {
    let world = World::new(store);
    let ann = world.person("ann").await;
    let (id, name) = (WorkspaceId(world.ids.next_uuid()), "Acme".to_owned());
    let acme =
        Workspace { id, name, kind: WorkspaceKind::Organization, slug: "acme".to_owned(), created_at: world.now() };
    let mut unit = world.begin().await;
    unit.insert_organization(&acme, ann.id).await.must();
    unit.insert_connection(&crate::Connection { workspace: id, ..world.connection(&ann, Network::AdMob) }).await.must();
    unit.commit().await.must();
    let mut unit = world.begin().await;
    let connections = unit.connections_of(id).await.must();
    assert_eq!(connections.len(), 1);
    let revocation = NewRevocation {
        id: JobId::new(&*world.ids),
        workspace: id,
        connection: connections[0].id,
        network: Network::AdMob,
        sandbox: true,
        sealed: Ok("sealed".to_owned()),
        created_at: world.now(),
    };
    unit.insert_revocation(&revocation).await.must();
    unit.delete_organization(id).await.must();
    unit.commit().await.must();
    let found = world.store.find_revocation(revocation.id).await.must().expect("it goes on");
    assert_eq!((found.workspace, found.sandbox), (None, true));
    let claimed = world.claim_job(Queue::Revocations).await.expect("it waits");
    assert!(
        world
            .settle_job(Queue::Revocations, &claimed, JobOutcome::GivenUp { error: "refused".to_owned(), keeps: false })
            .await
    );
    sweep(&world).await;
    assert_eq!(world.store.find_revocation(revocation.id).await.must(), None, "there is nobody to tell");
}
