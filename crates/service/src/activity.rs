//! Following what changes for a person in a workspace, so that lists on a page are never old: a word that something changed and how many
//! approvals are pending, never what it was.
//!
//! Only reads. Ends with the membership, and with the browser session or the token it was asked with. One person follows from so many
//! pages at a time.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use adagent_contract::Activity;
use adagent_domain::{Actor, Clock, UserId};
use adagent_store::{Store, Wake};
use futures::Stream;
use tokio::sync::{broadcast, watch};
use tokio_util::sync::CancellationToken;

use crate::{Pass, Service, ServiceError, ServiceResult};

/// Pages of one person that follow at a time. Browsers hold few connections to one server; who has more open reads them again instead.
const PAGES: usize = 12;
/// After so long without news it is looked again whether who follows may.
const LOOK: Duration = Duration::from_secs(15);
/// What is committed one after the other is told once.
const GATHER: Duration = Duration::from_millis(150);
/// After so many failed reads in a row it ends; pages come back by themselves.
const FAILURES: u32 = 3;

/// Wakes the pages of a person.
#[derive(Default)]
pub(crate) struct ActivityHub {
    people: Mutex<HashMap<UserId, watch::Sender<()>>>,
}

/// A page's place; leaves on drop.
struct Place {
    hub: Arc<ActivityHub>,
    user: UserId,
    news: watch::Receiver<()>,
}

impl ActivityHub {
    /// A place for one more page of this person, if there is one.
    fn place(self: &Arc<Self>, user: UserId) -> Option<Place> {
        let mut people = self.lock();
        let sender = people.entry(user).or_insert_with(|| watch::channel(()).0);
        if sender.receiver_count() >= PAGES {
            return None;
        }
        Some(Place { hub: Arc::clone(self), user, news: sender.subscribe() })
    }

    /// Passes wakes on until told to stop.
    pub async fn run(&self, mut wakes: broadcast::Receiver<Wake>, stop: CancellationToken) {
        loop {
            let wake = tokio::select! {
                () = stop.cancelled() => return,
                wake = wakes.recv() => wake,
            };
            match wake {
                Ok(Wake::Activity(user)) => {
                    if let Some(sender) = self.lock().get(&user) {
                        sender.send_replace(());
                    }
                }
                Ok(Wake::Events(_) | Wake::Work) => {}
                // Some wakes were missed: everybody looks.
                Ok(Wake::Everything) | Err(broadcast::error::RecvError::Lagged(_)) => {
                    for sender in self.lock().values() {
                        sender.send_replace(());
                    }
                }
                Err(broadcast::error::RecvError::Closed) => return,
            }
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<UserId, watch::Sender<()>>> {
        self.people.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    async fn news(&mut self) {
        if self.news.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut people = self.hub.lock();
        // This page still counts.
        if people.get(&self.user).is_some_and(|sender| sender.receiver_count() <= 1) {
            people.remove(&self.user);
        }
    }
}

/// Who follows, and what lets them.
struct Reader {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    actor: Actor,
    pass: Pass,
}

impl Reader {
    /// Still a member, and still signed in.
    async fn may_read(&self) -> bool {
        let member = self.store.find_membership(self.actor.workspace, self.actor.user).await;
        if member.is_ok_and(|member| member.is_none()) {
            return false;
        }
        self.pass.stands(&*self.store, &*self.clock, self.actor.user).await
    }
}

impl Service {
    /// What there is now.
    pub async fn activity(&self, actor: &Actor) -> ServiceResult<Activity> {
        Ok(Activity { pending_approvals: self.count_pending_approvals(actor).await? })
    }

    /// What there is now, and again whenever something of the person's changed, until they may not read it any more.
    pub fn follow_activity(
        &self,
        actor: &Actor,
        pass: Pass,
    ) -> ServiceResult<impl Stream<Item = Activity> + Send + use<>> {
        // Listening starts before reading: what is committed in between is told.
        let place = self.activity.place(actor.user).ok_or(ServiceError::RateLimited { retry_after_seconds: 30 })?;
        let (store, clock) = (Arc::clone(&self.store), Arc::clone(&self.clock));
        Ok(follow(Reader { store, clock, actor: *actor, pass }, place))
    }
}

fn follow(reader: Reader, mut place: Place) -> impl Stream<Item = Activity> + Send {
    async_stream::stream! {
        let mut failures = 0;
        loop {
            let pending = reader.store.count_pending_approvals(reader.actor.workspace, reader.actor.user).await;
            // After the reading: what came while somebody was signed out is not told any more.
            if !reader.may_read().await {
                return;
            }
            match pending {
                Ok(pending_approvals) => {
                    failures = 0;
                    yield Activity { pending_approvals };
                }
                Err(error) => {
                    failures += 1;
                    tracing::warn!(%error, "cannot count approvals");
                    if failures >= FAILURES {
                        return;
                    }
                }
            }
            while tokio::time::timeout(LOOK, place.news()).await.is_err() {
                if !reader.may_read().await {
                    return;
                }
            }
            tokio::time::sleep(GATHER).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use adagent_domain::SequentialIds;

    use super::*;

    #[tokio::test]
    async fn a_page_hears_of_its_person_only_and_leaves_nothing_behind() {
        let hub = Arc::new(ActivityHub::default());
        let (sender, receiver) = broadcast::channel(8);
        let stop = CancellationToken::new();
        let ids = SequentialIds::default();
        let (ann, bob) = (UserId::new(&ids), UserId::new(&ids));
        let mut page = hub.place(ann).expect("free");
        let task = tokio::spawn({
            let (hub, stop) = (Arc::clone(&hub), stop.clone());
            async move { hub.run(receiver, stop).await }
        });
        sender.send(Wake::Activity(bob)).unwrap();
        sender.send(Wake::Work).unwrap();
        assert!(tokio::time::timeout(Duration::from_millis(30), page.news()).await.is_err());
        sender.send(Wake::Activity(ann)).unwrap();
        tokio::time::timeout(Duration::from_secs(5), page.news()).await.expect("woken");
        drop(page);
        assert!(hub.lock().is_empty());
        stop.cancel();
        task.await.unwrap();
    }

    #[test]
    fn one_person_follows_from_so_many_pages_and_another_from_theirs() {
        let hub = Arc::new(ActivityHub::default());
        let ids = SequentialIds::default();
        let (ann, bob) = (UserId::new(&ids), UserId::new(&ids));
        let mut pages: Vec<_> = (0..PAGES).map(|_| hub.place(ann).expect("free")).collect();
        assert!(hub.place(ann).is_none());
        assert!(hub.place(bob).is_some());
        pages.pop();
        assert!(hub.place(ann).is_some(), "a page that is closed makes room");
    }
}
