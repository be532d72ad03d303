//! Following a run: what is stored after a sequence number, then whatever is appended, until it is over.
//!
//! Only reads. Readers and workers share nothing but the database, so leaving costs nothing and coming back loses nothing.

use std::{sync::Arc, time::Duration};

use adagent_contract::{EventBody, RunEvent};
use adagent_domain::{Actor, Clock, RunId};
use adagent_store::Store;
use futures::Stream;

use crate::{Service, ServiceResult, TokenGrant, hub::Listener, tokens::stands};

const PAGE: u32 = 500;
/// Wakes that may have been missed wake every reader, so this is only the belt beside the braces.
const POLL: Duration = Duration::from_secs(15);
/// After so many failed reads in a row, soon after each other, the stream ends: the reader comes back by itself, and is told
/// what is wrong meanwhile.
const FAILURES: u32 = 3;
const RETRY: Duration = Duration::from_millis(300);

impl Service {
    /// The run's events after `after`: replayed, then followed, ended after `done`.
    pub async fn follow_events(
        &self,
        actor: &Actor,
        id: RunId,
        after: u64,
    ) -> ServiceResult<impl Stream<Item = RunEvent> + Send + use<>> {
        self.follow_events_with(actor, id, after, None).await
    }

    /// The same for who came with an access token: what is told ends with the token.
    pub async fn follow_events_with(
        &self,
        actor: &Actor,
        id: RunId,
        after: u64,
        grant: Option<TokenGrant>,
    ) -> ServiceResult<impl Stream<Item = RunEvent> + Send + use<>> {
        self.find_run(actor, id).await?;
        let pass = grant.map(|grant| Pass { store: Arc::clone(&self.store), clock: Arc::clone(&self.clock), grant });
        // Listening starts before reading: what is appended in between wakes the reader.
        Ok(follow(Arc::clone(&self.store), self.hub.listen(id), id, after, pass))
    }
}

/// The token a reader came with, looked at again before anything more is told.
struct Pass {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    grant: TokenGrant,
}

impl Pass {
    /// A store that does not answer takes nothing away: then there are no events either.
    async fn holds(&self) -> bool {
        stands(&*self.store, &*self.clock, &self.grant).await.unwrap_or(true)
    }
}

fn follow(
    store: Arc<dyn Store>,
    mut listener: Listener,
    run: RunId,
    mut after: u64,
    pass: Option<Pass>,
) -> impl Stream<Item = RunEvent> + Send {
    async_stream::stream! {
        let mut failures = 0;
        loop {
            let events = store.list_events(run, after, PAGE).await;
            // After the reading: what came while the token was taken back is not told any more.
            if let Some(pass) = &pass
                && !pass.holds().await
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
                    // A reader who already had everything of a run that is over has nothing to wait for.
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

/// The run has ended (or was deleted) and holds nothing after `after`.
async fn is_over(store: &dyn Store, run: RunId, after: u64) -> bool {
    match store.find_run_unscoped(run).await {
        Ok(Some(run)) => run.status.is_final() && run.last_seq <= after,
        Ok(None) => true,
        Err(_) => false,
    }
}
