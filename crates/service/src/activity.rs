//! Following what changes for a person in a workspace, so that lists on a page are never old: a word that something changed and how many
//! approvals are pending, never what it was.
//!
//! Only reads. Ends with the membership, and with the browser session or the token it was asked with. One person follows from so many
//! pages at a time.

use std::{sync::Arc, time::Duration};

use adagent_contract::Activity;
use adagent_domain::{Actor, Clock};
use adagent_store::Store;
use futures::Stream;

use crate::{
    Pass, Service, ServiceError, ServiceResult,
    approvals::whose,
    hub::{Holds, Listener, Seat, Subject},
};

/// After so long without news it is looked again whether who follows may.
const LOOK: Duration = Duration::from_secs(15);
/// What is committed one after the other is told once.
const GATHER: Duration = Duration::from_millis(150);
/// After so many failed reads in a row it ends; pages come back by themselves.
const FAILURES: u32 = 3;

/// Who follows, and what lets them.
struct Reader {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    actor: Actor,
    pass: Pass,
    _seat: Seat,
}

impl Reader {
    /// Still a member, in whatever role by now, and still signed in.
    async fn may_read(&mut self) -> bool {
        match self.store.find_membership(self.actor.workspace, self.actor.user).await {
            Ok(None) => return false,
            Ok(Some(member)) => self.actor.role = member.role,
            Err(_) => {}
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
        let seat = self.hub.take_seat(actor.user, Holds::ActivityPage);
        let seat = seat.ok_or(ServiceError::RateLimited { retry_after_seconds: 30 })?;
        // Listening starts before reading: what is committed in between is told.
        let news = self.hub.listen(Subject::Person(actor.user));
        let (store, clock) = (Arc::clone(&self.store), Arc::clone(&self.clock));
        Ok(follow(Reader { store, clock, actor: *actor, pass, _seat: seat }, news))
    }
}

fn follow(mut reader: Reader, mut news: Listener) -> impl Stream<Item = Activity> + Send {
    async_stream::stream! {
        let mut failures = 0;
        // What was told last, while nothing of the person's own changed since.
        let mut told = None;
        loop {
            let whose = whose(reader.actor.standing(), reader.actor.user);
            let pending = reader.store.count_pending_approvals(reader.actor.workspace, whose).await;
            // After the reading: what came while somebody was signed out is not told any more.
            if !reader.may_read().await {
                return;
            }
            match pending {
                Ok(pending_approvals) => {
                    failures = 0;
                    if told != Some(pending_approvals) {
                        yield Activity { pending_approvals };
                    }
                    told = Some(pending_approvals);
                }
                Err(error) => {
                    failures += 1;
                    tracing::warn!(%error, "cannot count approvals");
                    if failures >= FAILURES {
                        return;
                    }
                }
            }
            // The cards of other members wake nobody else: they are counted again at each look.
            if tokio::time::timeout(LOOK, news.wait()).await.is_ok() {
                told = None;
                tokio::time::sleep(GATHER).await;
            } else if !reader.may_read().await {
                return;
            }
        }
    }
}
