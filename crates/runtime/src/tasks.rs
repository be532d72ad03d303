//! The pieces of work of one run that run at the same time.

use std::{future::poll_fn, task::Poll};

use adagent_domain::Timestamp;
use adagent_run_core::{CallInput, Machine, Work};
use futures::future::BoxFuture;

use crate::{panics::Broke, performer::Performer};

/// What a run of this kind waits for.
pub(crate) type WorkOf<P> = Work<<<P as Performer>::Machine as Machine>::Job>;

/// The result of a piece of work.
pub(crate) enum Outcome<P: Performer> {
    Calls(CallInput),
    Own(P::Outcome),
}

/// A running piece of work.
pub(crate) struct Task<P: Performer> {
    pub work: WorkOf<P>,
    /// Whether the run does not wait for this work itself, but for the work that comes after it.
    pub early: bool,
    pub started: Timestamp,
    running: BoxFuture<'static, Result<Outcome<P>, Broke>>,
}

/// The running pieces of work. Dropping this drops them.
pub(crate) struct Tasks<P: Performer>(Vec<Task<P>>);

impl<P: Performer> Tasks<P> {
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &Task<P>> {
        self.0.iter()
    }

    pub fn start(
        &mut self,
        work: WorkOf<P>,
        early: bool,
        started: Timestamp,
        running: BoxFuture<'static, Result<Outcome<P>, Broke>>,
    ) {
        self.0.push(Task { work, early, started, running });
    }

    /// Drops the work that the run no longer waits for.
    pub fn keep(&mut self, wanted: &[WorkOf<P>]) {
        self.0.retain(|task| task.early || wanted.contains(&task.work));
    }

    pub fn drop_all(&mut self) {
        self.0.clear();
    }

    /// Returns the next piece of work that ends. If this future is dropped, the work is not.
    pub async fn next(&mut self) -> (Task<P>, Result<Outcome<P>, Broke>) {
        poll_fn(|cx| {
            for at in 0..self.0.len() {
                if let Poll::Ready(done) = self.0[at].running.as_mut().poll(cx) {
                    return Poll::Ready((self.0.remove(at), done));
                }
            }
            Poll::Pending
        })
        .await
    }
}
