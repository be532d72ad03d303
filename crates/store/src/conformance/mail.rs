//! The queue of emails.

use std::sync::Arc;

use adagent_domain::MailId;

use super::fixtures::{Must, World, together};
use crate::{JobOutcome, NewMail, Queue, QueueBacklog, SealedColumn, SealedKey, Store};

/// Every email here expires after a day, in seconds.
const DAY: i64 = 24 * 60 * 60;

async fn queued(world: &World, sealed: &str) -> MailId {
    let id = MailId::new(&*world.ids);
    let mut unit = world.begin().await;
    let (kind, sealed, created_at) = ("invitation".to_owned(), sealed.to_owned(), world.now());
    let mail = NewMail { id, kind, sealed, created_at, expires_at: created_at.plus_seconds(DAY) };
    unit.insert_mail(&mail).await.must();
    unit.commit().await.must();
    id
}

pub async fn a_mail_is_claimed_by_one_of_many_and_sent_once(store: Arc<dyn Store>) {
    let world = World::new(store);
    assert!(!world.store.job_is_due(Queue::Mails, world.now()).await.must());
    let id = queued(&world, "sealed").await;
    assert!(world.store.job_is_due(Queue::Mails, world.now()).await.must());
    let claims = together((0..6).map(|_| {
        let world = world.clone();
        async move { world.claim_job(Queue::Mails).await }
    }))
    .await;
    let claimed: Vec<_> = claims.into_iter().flatten().collect();
    assert_eq!(claimed.len(), 1);
    assert_eq!((MailId(claimed[0].id), claimed[0].sealed.as_str(), claimed[0].attempts), (id, "sealed", 1));
    assert_eq!(world.store.queue_backlog(Queue::Mails).await.must(), QueueBacklog { waiting: 1, failed: 0 });
    assert!(world.settle_job(Queue::Mails, &claimed[0], JobOutcome::Done).await);
    assert!(!world.settle_job(Queue::Mails, &claimed[0], JobOutcome::Done).await, "once");
    world.clock.advance_millis(3_600_000);
    assert_eq!(world.claim_job(Queue::Mails).await, None);
    assert_eq!(world.store.queue_backlog(Queue::Mails).await.must(), QueueBacklog::default());
}

pub async fn a_claim_that_came_to_nothing_is_made_again_and_the_old_one_settles_nothing(store: Arc<dyn Store>) {
    let world = World::new(store);
    queued(&world, "sealed").await;
    let first = world.claim_job(Queue::Mails).await.expect("it waits");
    assert_eq!(world.claim_job(Queue::Mails).await, None, "it is held");
    world.clock.advance_millis(60_000);
    let second = world.claim_job(Queue::Mails).await.expect("the lease is over");
    assert_eq!(second.attempts, 2);
    assert!(!world.settle_job(Queue::Mails, &first, JobOutcome::Done).await);
    let again = JobOutcome::Again { at: world.now().plus_seconds(30), error: "busy".to_owned() };
    assert!(world.settle_job(Queue::Mails, &second, again).await);
    assert_eq!(world.claim_job(Queue::Mails).await, None);
    world.clock.advance_millis(30_000);
    let third = world.claim_job(Queue::Mails).await.expect("the wait is over");
    assert!(
        world
            .settle_job(Queue::Mails, &third, JobOutcome::GivenUp { error: "refused\u{0}".to_owned(), keeps: false })
            .await
    );
    assert_eq!(world.store.queue_backlog(Queue::Mails).await.must(), QueueBacklog { waiting: 0, failed: 1 });
}

pub async fn mails_go_in_turn_and_what_is_taken_back_does_not_go(store: Arc<dyn Store>) {
    let world = World::new(store);
    let first = queued(&world, "one").await;
    world.clock.advance_millis(1000);
    let (second, third) = (queued(&world, "two").await, queued(&world, "three").await);
    let mut unit = world.begin().await;
    assert!(unit.cancel_mail(second).await.must());
    assert!(!unit.cancel_mail(second).await.must());
    unit.commit().await.must();
    let claimed = world.claim_job(Queue::Mails).await.expect("the first");
    assert_eq!(MailId(claimed.id), first);
    assert!(world.settle_job(Queue::Mails, &claimed, JobOutcome::Done).await);
    assert_eq!(world.claim_job(Queue::Mails).await.map(|claimed| MailId(claimed.id)), Some(third));
    let mut unit = world.begin().await;
    assert!(!unit.cancel_mail(first).await.must(), "it is sent");
}

pub async fn invitations_wait_behind_what_lets_people_in(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (first, second) = (queued(&world, "one").await, queued(&world, "two").await);
    world.clock.advance_millis(1_000);
    let reset = MailId::new(&*world.ids);
    let (kind, sealed) = ("reset".to_owned(), "sealed".to_owned());
    let mut unit = world.begin().await;
    let (created_at, expires_at) = (world.now(), world.now().plus_seconds(DAY));
    unit.insert_mail(&NewMail { id: reset, kind, sealed, created_at, expires_at }).await.must();
    unit.commit().await.must();
    let mut order = Vec::new();
    while let Some(claimed) = world.claim_job(Queue::Mails).await {
        order.push(MailId(claimed.id));
    }
    assert_eq!(order, [reset, first, second]);
}

pub async fn what_was_sent_keeps_no_content_and_is_forgotten_later(store: Arc<dyn Store>) {
    let world = World::new(store);
    let id = queued(&world, "sealed").await;
    let row = async || world.store.find_sealed(SealedColumn::Mails, &SealedKey::Id(id.0)).await.must();
    assert_eq!(row().await.map(|row| row.sealed), Some("sealed".to_owned()));
    let claimed = world.claim_job(Queue::Mails).await.expect("it waits");
    world.settle_job(Queue::Mails, &claimed, JobOutcome::GivenUp { error: "refused".to_owned(), keeps: false }).await;
    assert!(row().await.is_none(), "nothing sealed is left");
    for (days, failed) in [(13, 1), (2, 0)] {
        world.clock.advance_millis(days * 24 * 3_600_000);
        let mut unit = world.begin().await;
        unit.sweep(world.now()).await.must();
        unit.commit().await.must();
        assert_eq!(world.store.queue_backlog(Queue::Mails).await.must().failed, failed);
    }
}

pub async fn what_was_given_up_is_kept_to_be_sent_after_all_until_it_is_over(store: Arc<dyn Store>) {
    let world = World::new(store);
    let sealed = async |id: MailId| {
        let row = world.store.find_sealed(SealedColumn::Mails, &SealedKey::Id(id.0)).await.must();
        row.map(|row| row.sealed)
    };
    let revive = async || {
        let mut unit = world.begin().await;
        let revived = unit.revive_mails(world.now()).await.must();
        unit.commit().await.must();
        revived
    };
    let give_up = async |keeps: bool| {
        let claimed = world.claim_job(Queue::Mails).await.expect("it waits");
        assert!(
            world
                .settle_job(Queue::Mails, &claimed, JobOutcome::GivenUp { error: "no server".to_owned(), keeps })
                .await
        );
    };
    let (kept, dropped) = (queued(&world, "one").await, queued(&world, "two").await);
    give_up(true).await;
    give_up(false).await;
    assert_eq!((sealed(kept).await.as_deref(), sealed(dropped).await), (Some("one"), None));
    assert_eq!(world.store.queue_backlog(Queue::Mails).await.must(), QueueBacklog { waiting: 0, failed: 2 });
    assert_eq!((revive().await, revive().await), (1, 0), "what has a content, once");
    let again = world.claim_job(Queue::Mails).await.expect("it waits anew");
    assert_eq!((MailId(again.id), again.attempts), (kept, 1));
    assert!(
        world
            .settle_job(Queue::Mails, &again, JobOutcome::GivenUp { error: "no server".to_owned(), keeps: true })
            .await
    );
    // An email past its expiry is not sent, and nothing of its content stays.
    world.clock.advance_millis(DAY * 1000);
    assert_eq!(revive().await, 0);
    let mut unit = world.begin().await;
    unit.sweep(world.now()).await.must();
    unit.commit().await.must();
    assert_eq!(sealed(kept).await, None);
    let taken_back = queued(&world, "three").await;
    give_up(true).await;
    let mut unit = world.begin().await;
    assert!(unit.cancel_mail(taken_back).await.must(), "also what was given up");
    unit.commit().await.must();
    assert_eq!(revive().await, 0);
}
