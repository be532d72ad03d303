//! Tells pages when something of a person changes in a workspace, so that their lists are never old. The message says only that something
//! changed and how many approvals are pending, never what changed.
//!
//! Only reads. A stream ends with the membership, and with the browser session or token of its request. Each person can have only a limited
//! number of streams.

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

/// After this time without news, we check again whether the reader still may read.
const LOOK: Duration = Duration::from_secs(15);
/// How long we gather commits, to report them together.
const GATHER: Duration = Duration::from_millis(150);
/// After this many failed reads in a row the stream ends; pages reconnect by themselves.
const FAILURES: u32 = 3;

/// The reader of a stream, and what allows them to read.
struct Reader {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    actor: Actor,
    pass: Pass,
    _seat: Seat,
}

impl Reader {
    /// Checks whether the person is still a member, in any role, and still signed in.
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
    /// Returns the current state.
    pub async fn activity(&self, actor: &Actor) -> ServiceResult<Activity> {
        Ok(Activity { pending_approvals: self.count_pending_approvals(actor).await? })
    }

    /// Returns a stream with the current state, and again with each change of the person's things, until they may no longer read it.
    pub fn follow_activity(
        &self,
        actor: &Actor,
        pass: Pass,
    ) -> ServiceResult<impl Stream<Item = Activity> + Send + use<>> {
        let seat = self.hub.take_seat(actor.user, Holds::ActivityPage);
        let seat = seat.ok_or(ServiceError::RateLimited { retry_after_seconds: 30 })?;
        // Listen before the first read, so that no commit in between is missed.
        let news = self.hub.listen(Subject::Person(actor.user));
        let (store, clock) = (Arc::clone(&self.store), Arc::clone(&self.clock));
        Ok(follow(Reader { store, clock, actor: *actor, pass, _seat: seat }, news))
    }
}

fn follow(mut reader: Reader, mut news: Listener) -> impl Stream<Item = Activity> + Send {
    async_stream::stream! {
        let mut failures = 0;
        // The last number we sent; `None` after something of the person's own has changed.
        let mut told = None;
        loop {
            let whose = whose(reader.actor.standing(), reader.actor.user);
            let pending = reader.store.count_pending_approvals(reader.actor.workspace, whose).await;
            // Check after the read, so that we send nothing to a person who signed out during it.
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
            // Other members' cards wake nobody here, so we count them again at each check.
            if tokio::time::timeout(LOOK, news.wait()).await.is_ok() {
                told = None;
                tokio::time::sleep(GATHER).await;
            } else if !reader.may_read().await {
                return;
            }
        }
    }
}
