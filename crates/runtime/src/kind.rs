//! The kinds of runs that a process advances.

use std::{marker::PhantomData, sync::Arc};

use adagent_domain::Timestamp;
use adagent_store::ClaimedRun;
use futures::{FutureExt as _, future::BoxFuture};
use tokio_util::sync::CancellationToken;

use crate::{Advanced, deps::RuntimeDeps, drive::drive, performer::Performer};

/// Advances claimed runs of one kind. [`Kind`] makes one from a performer.
pub trait Drives: Send + Sync {
    /// Advances a run as far as it can go now. `since` is when this process began to take runs.
    fn drive<'a>(
        &'a self,
        deps: &'a Arc<RuntimeDeps>,
        claimed: ClaimedRun,
        since: Timestamp,
        drain: &'a CancellationToken,
    ) -> BoxFuture<'a, Advanced>;
}

/// A kind of run, defined by its performer.
pub struct Kind<P>(PhantomData<fn() -> P>);

impl<P: Performer> Kind<P> {
    #[expect(clippy::new_ret_no_self, reason = "nobody wants to know which performer it is")]
    pub fn new() -> Arc<dyn Drives> {
        Arc::new(Self(PhantomData))
    }
}

impl<P: Performer> Drives for Kind<P> {
    fn drive<'a>(
        &'a self,
        deps: &'a Arc<RuntimeDeps>,
        claimed: ClaimedRun,
        since: Timestamp,
        drain: &'a CancellationToken,
    ) -> BoxFuture<'a, Advanced> {
        drive::<P>(deps, claimed, since, drain).boxed()
    }
}
