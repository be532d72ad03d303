//! Follows a run: sends the stored events after a sequence number, then every new event until the run is over.
//!
//! This module only reads. Readers and workers share nothing except the database, so a reader can leave at no cost and come back without a
//! loss.

use std::{sync::Arc, time::Duration};

use adagent_contract::{EventBody, RunEvent};
use adagent_domain::{Actor, Clock, RunId, UserId};
use adagent_store::{Store, StoreResult};
use futures::Stream;

use crate::{
    Service, ServiceError, ServiceResult, SessionHash, TokenGrant,
    account::browsers,
    hub::{Holds, Listener, Seat, Subject},
    results::{Results, restore},
    tokens,
};

const PAGE: u32 = 500;
/// How long a reader waits at most before it reads again. Missed wakes already wake every reader, so this is a second safeguard.
const POLL: Duration = Duration::from_secs(15);
/// After this many failed reads in a row, within a short time, the stream ends. The reader then reconnects and gets an error that says what
/// is wrong.
const FAILURES: u32 = 3;
const RETRY: Duration = Duration::from_millis(300);

/// What authorized a reader. The stream ends when it is no longer valid.
#[derive(Debug, Clone)]
pub enum Pass {
    Token(TokenGrant),
    Session(SessionHash),
}

impl Pass {
    /// Checks whether the token or the session is still valid. If the store does not answer, we assume that it is, because then no new
    /// events can be read either.
    pub(crate) async fn stands(&self, store: &dyn Store, clock: &dyn Clock, user: UserId) -> bool {
        let stands = match self {
            Self::Token(grant) => tokens::stands(store, clock, grant).await,
            Self::Session(session) => browsers::stands(store, clock, user, session).await,
        };
        stands.unwrap_or(true)
    }
}

impl Service {
    /// Returns the run's events after `after`: first the stored ones, then new ones, until `done`.
    pub async fn follow_events(
        &self,
        actor: &Actor,
        id: RunId,
        after: u64,
    ) -> ServiceResult<impl Stream<Item = RunEvent> + Send + use<>> {
        self.find_run(actor, id).await?;
        let listener = self.hub.listen(Subject::Run(id));
        Ok(follow(Arc::clone(&self.store), listener, id, (after, Results::Brief), None))
    }

    /// Does the same for a reader over HTTP, as long as its token or session is valid. The stream holds the reader's seat.
    pub async fn follow_events_with(
        &self,
        actor: &Actor,
        id: RunId,
        (after, results): (u64, Results),
        (pass, seat): (Pass, Seat),
    ) -> ServiceResult<impl Stream<Item = RunEvent> + Send + use<>> {
        self.find_run(actor, id).await?;
        let (store, clock, user) = (Arc::clone(&self.store), Arc::clone(&self.clock), actor.user);
        let guard = Guard { store, clock, user, pass, _seat: seat };
        // Listen before the first read, so that events in between wake the reader.
        let listener = self.hub.listen(Subject::Run(id));
        Ok(follow(Arc::clone(&self.store), listener, id, (after, results), Some(guard)))
    }

    /// Takes one of the seats that limit how many streams a person can read at a time.
    pub fn take_seat(&self, actor: &Actor) -> ServiceResult<Seat> {
        self.hub.take_seat(actor.user, Holds::RunStream).ok_or(ServiceError::TooManyStreams)
    }

    /// Checks whether the run is over and has no event after sequence number `after`. If so, a reader has no reason to reconnect.
    pub async fn has_told_everything(&self, actor: &Actor, id: RunId, after: u64) -> ServiceResult<bool> {
        let run = self.find_run(actor, id).await?;
        Ok(run.status.is_final() && run.last_seq <= after)
    }
}

/// What authorized a reader. We check it again before we send more.
struct Guard {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    user: UserId,
    pass: Pass,
    _seat: Seat,
}

impl Guard {
    async fn lets_through(&self) -> bool {
        self.pass.stands(&*self.store, &*self.clock, self.user).await
    }
}

fn follow(
    store: Arc<dyn Store>,
    mut listener: Listener,
    run: RunId,
    (mut after, results): (u64, Results),
    guard: Option<Guard>,
) -> impl Stream<Item = RunEvent> + Send {
    async_stream::stream! {
        let mut failures = 0;
        loop {
            let events = page(&*store, run, after, results).await;
            // Check after the read, so that we send nothing if the token or session ended during it.
            if let Some(guard) = &guard
                && !guard.lets_through().await
            {
                return;
            }
            match events {
                Ok(events) => {
                    failures = 0;
                    let full = events.len() >= PAGE as usize;
                    for event in events {
                        after = event.seq;
                        let over = matches!(event.body, EventBody::Done { .. });
                        yield event;
                        if over {
                            return;
                        }
                    }
                    if full {
                        continue;
                    }
                    // A reader that has all events of an ended run has nothing to wait for.
                    if is_over(&*store, run, after).await {
                        return;
                    }
                }
                Err(error) => {
                    failures += 1;
                    tracing::warn!(%run, %error, "cannot read events");
                    if failures >= FAILURES {
                        return;
                    }
                    tokio::time::sleep(RETRY).await;
                    continue;
                }
            }
            let _ = tokio::time::timeout(POLL, listener.wait()).await;
        }
    }
}

async fn page(store: &dyn Store, run: RunId, after: u64, results: Results) -> StoreResult<Vec<RunEvent>> {
    let mut events = store.list_events(run, after, PAGE).await?;
    if results == Results::Whole {
        restore(store, &mut events).await?;
    }
    Ok(events)
}

/// Checks whether the run has ended (or was deleted) and has no event after `after`.
async fn is_over(store: &dyn Store, run: RunId, after: u64) -> bool {
    match store.find_run_unscoped(run).await {
        Ok(Some(run)) => run.status.is_final() && run.last_seq <= after,
        Ok(None) => true,
        Err(_) => false,
    }
}
