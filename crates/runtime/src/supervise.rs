//! Watches work while it runs: flushes the journal, renews the lease, shows what the work reports, and notices a cancel, the deadline and a
//! shutdown.

use std::{
    future::{Future, poll_fn},
    pin::{Pin, pin},
    sync::Arc,
    task::Poll,
    time::Duration,
};

use adagent_contract::EventBody;
use adagent_domain::Timestamp;
use adagent_store::{Run, StoreError};
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use crate::{
    deps::RuntimeDeps,
    drive::DriveError,
    journal::{After, Journal, Stored},
    live::{Hearing, Live, Wanted, Written},
    panics::{Broke, caught},
    stake::Stake,
    waits::still,
};

/// How watched work ended.
pub(crate) enum Watched<T> {
    Done(T),
    Cancelled,
    Deadline,
    Drained,
    /// The work panicked.
    Broke,
}

/// Whether work may be dropped before it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Care {
    MayBeDropped,
    /// A write that is being sent: we wait for it, whatever happens. It continues only while the lease is certainly ours. If a process
    /// stood still, another worker may already be checking the write, and the process must not send it.
    MustFinish,
}

pub(crate) struct Watch<'a> {
    pub deps: &'a RuntimeDeps,
    pub run: &'a Run,
    pub state: &'a dyn Stored,
    pub journal: &'a mut Journal,
    pub drain: &'a CancellationToken,
    pub care: Care,
    /// The name of the work in metrics.
    pub step: &'static str,
    /// What we wait for, in words for people who have seen nothing for a while.
    pub waits: String,
}

impl Watch<'_> {
    pub async fn over<T>(
        mut self,
        work: impl Future<Output = T>,
        hearing: &mut Hearing,
    ) -> Result<Watched<T>, DriveError> {
        let config = &self.deps.config;
        let mut work = pin!(caught(self.step, work));
        if !config.flush_after.is_zero() {
            // Write the result of quick work together with what follows it.
            if let Ok(done) = timeout(config.flush_after, self.held(work.as_mut())).await {
                hearing.drain();
                return Ok(self.ended(done, &hearing.stake));
            }
        }
        // Everything that we write from here on runs next to the work. If the work stood still, it might hold the connections that the
        // write needs.
        let mut done = None;
        let begun = self.held(work.as_mut());
        let flush = self.journal.flush(self.deps, self.run, self.state, After::Keep);
        beside(begun, &mut done, flush).await?;

        let droppable = self.care == Care::MayBeDropped;
        let left = self.state.ledger().deadline.millis_since(self.deps.clock.now()).max(0);
        let deadline = Instant::now() + Duration::from_millis(left.unsigned_abs());
        let mut heartbeat = ticks_from(self.first_heartbeat(), config.heartbeat);
        let mut cancel = ticks(config.cancel_poll);
        let mut show = ticks(config.coalesce);
        let begun = Instant::now();
        let mut quiet_since = begun;
        let mut progress: Vec<EventBody> = Vec::new();
        let ended = loop {
            if let Some(done) = done {
                hearing.drain();
                return Ok(self.ended(done, &hearing.stake));
            }
            tokio::select! {
                biased;
                ready = self.held(work.as_mut()) => done = Some(ready),
                Some(said) = hearing.live.recv() => match said {
                    Live::Reserve(wanted) => {
                        let going = self.held(work.as_mut());
                        beside(going, &mut done, self.reserve(*wanted)).await?;
                    }
                    other => hearing.take(other, &mut progress),
                },
                _ = show.tick() => {
                    let going = self.held(work.as_mut());
                    let shown = beside(going, &mut done, self.show(&mut hearing.written, &mut progress)).await;
                    if self.bear(shown)?.unwrap_or_default() {
                        quiet_since = Instant::now();
                    }
                }
                () = sleep_until(quiet_since + config.still_after) => {
                    quiet_since = Instant::now();
                    let label = still(&self.waits, begun.elapsed());
                    progress.push(EventBody::Status { label });
                }
                _ = heartbeat.tick() => {
                    let going = self.held(work.as_mut());
                    let renewed = beside(going, &mut done, self.renew()).await;
                    self.bear(renewed)?;
                }
                _ = cancel.tick(), if droppable => {
                    let going = self.held(work.as_mut());
                    let wished = beside(going, &mut done, self.cancel_requested()).await?;
                    if wished && done.is_none() {
                        break Watched::Cancelled;
                    }
                }
                () = self.drain.cancelled(), if droppable => break Watched::Drained,
                () = sleep_until(deadline), if droppable => break Watched::Deadline,
            }
        };
        self.journal.book_lost(&hearing.stake);
        Ok(ended)
    }

    fn ended<T>(&mut self, done: Result<T, Broke>, stake: &Stake) -> Watched<T> {
        if let Ok(done) = done {
            Watched::Done(done)
        } else {
            self.journal.book_lost(stake);
            Watched::Broke
        }
    }

    /// Reserves what a question to a model can cost.
    async fn reserve(&mut self, wanted: Wanted) -> Result<(), DriveError> {
        let Self { deps, run, state, journal, .. } = self;
        let now = deps.clock.now();
        let lease = i64::try_from(deps.config.lease.as_millis()).unwrap_or(i64::MAX);
        // By then, this work is dropped or its worker is lost.
        let expires_at = state.ledger().deadline.max(now).plus_millis(lease);
        let reservation = deps.config.budget.reservation(run, &wanted, now, expires_at);
        let reserved = journal.reserve(deps, &reservation).await?;
        journal.asking = true;
        // The question may have stopped waiting.
        let _ = wanted.answer.send(reserved);
        Ok(())
    }

    /// Decides what a store error means for the work. It ends work that may be dropped. A write that is being sent continues, unless
    /// another worker has the run: that worker checks the network, and this process must send nothing more.
    fn bear<T>(&self, outcome: Result<T, DriveError>) -> Result<Option<T>, DriveError> {
        match outcome {
            Err(DriveError::Store(StoreError::StaleEpoch { epoch })) => Err(StoreError::StaleEpoch { epoch }.into()),
            Err(DriveError::Store(error)) if self.care == Care::MustFinish => {
                tracing::warn!(run = %self.run.id, %error, "the store failed while a write is out");
                Ok(None)
            }
            other => other.map(Some),
        }
    }

    /// Pauses work that must finish while the lease may belong to another worker. The heartbeat, which comes long before that, finds out.
    fn held<'w, T, W: Future<Output = T>>(&self, mut work: Pin<&'w mut W>) -> impl Future<Output = T> + use<'w, T, W> {
        let until = self.surely_ours_until();
        let clock = Arc::clone(&self.deps.clock);
        poll_fn(move |task| {
            let ours = until.is_none_or(|(wall, steady)| clock.now() < wall && Instant::now() < steady);
            if ours { work.as_mut().poll(task) } else { Poll::Pending }
        })
    }

    /// Returns until when the lease is certainly ours: on the wall clock, which shows that a machine slept, and on the monotonic clock,
    /// which nobody can set. This is before the lease ends, so that a request that leaves at the last moment arrives before another worker
    /// looks for it.
    fn surely_ours_until(&self) -> Option<(Timestamp, Instant)> {
        /// The part of the lease that we hold back: one divided by this number.
        const MARGIN: u32 = 4;
        if self.care == Care::MayBeDropped {
            return None;
        }
        let margin = self.deps.config.lease / MARGIN;
        let wall = self.journal.lease.until.plus_millis(-i64::try_from(margin.as_millis()).unwrap_or(i64::MAX));
        Some((wall, self.journal.lease_ends.checked_sub(margin).unwrap_or(self.journal.lease_ends)))
    }

    /// Returns how long to wait before the first renewal of the lease. Steps that end before their own heartbeat must not let the lease run
    /// out.
    fn first_heartbeat(&self) -> Duration {
        let config = &self.deps.config;
        let left = self.journal.lease.until.millis_since(self.deps.clock.now()).max(0).unsigned_abs();
        let held = config.lease.saturating_sub(Duration::from_millis(left));
        config.heartbeat.saturating_sub(held)
    }

    /// Shows new text and progress. Returns whether there was any.
    async fn show(&mut self, written: &mut Written, progress: &mut Vec<EventBody>) -> Result<bool, DriveError> {
        let mut events = std::mem::take(progress);
        if let Some(content) = written.unseen() {
            events.push(EventBody::Content { content, is_final: false });
        }
        if events.is_empty() {
            return Ok(false);
        }
        self.journal.stream(self.deps, self.run, &events).await?;
        Ok(true)
    }

    async fn renew(&mut self) -> Result<(), DriveError> {
        self.journal.renew(self.deps, self.run.workspace).await
    }

    async fn cancel_requested(&self) -> Result<bool, DriveError> {
        let run = self.deps.store.find_run_unscoped(self.run.id).await?;
        Ok(run.is_none_or(|run| run.cancel_requested))
    }
}

/// Waits for `writing` while the work continues. Stores the work's result in `done` if it ends meanwhile.
async fn beside<T, O>(work: impl Future<Output = T>, done: &mut Option<T>, writing: impl Future<Output = O>) -> O {
    let (mut work, mut writing) = (pin!(work), pin!(writing));
    poll_fn(|task| {
        if done.is_none()
            && let Poll::Ready(ready) = work.as_mut().poll(task)
        {
            *done = Some(ready);
        }
        writing.as_mut().poll(task)
    })
    .await
}

fn ticks(every: Duration) -> tokio::time::Interval {
    ticks_from(every, every)
}

fn ticks_from(first: Duration, every: Duration) -> tokio::time::Interval {
    let mut interval = interval_at(Instant::now() + first, every);
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    interval
}

impl<T> Watched<T> {
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Watched<U> {
        match self {
            Self::Done(done) => Watched::Done(f(done)),
            Self::Cancelled => Watched::Cancelled,
            Self::Deadline => Watched::Deadline,
            Self::Drained => Watched::Drained,
            Self::Broke => Watched::Broke,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The write waits for something that only the work gives back, such as a connection of a pool.
    #[tokio::test]
    async fn work_goes_on_while_something_is_written_beside_it() {
        let (give, given) = tokio::sync::oneshot::channel();
        let mut done = None;
        let work = async {
            tokio::task::yield_now().await;
            give.send("a connection").expect("somebody waits");
            7
        };
        assert_eq!(beside(work, &mut done, given).await, Ok("a connection"));
        assert_eq!(done, Some(7));
    }
}
