//! Workers of a process. They claim ready runs, advance them, and drain when asked to. No task outlives the drain.

use std::sync::Arc;

use adagent_domain::Timestamp;
use adagent_store::{ClaimedRun, RunClass, RunKind, StoreError, Wake};
use tokio::sync::broadcast;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    Advanced, Runtime,
    approvals::expire_due,
    deps::RuntimeDeps,
    drive::{drive, leave_to_others},
    panics::{Broke, caught},
    places::Places,
    telemetry,
    turn::TurnPerformer,
};

/// Running workers. Dropping this does not stop them; [`RuntimeHandle::drain`] does.
pub struct RuntimeHandle {
    tracker: TaskTracker,
    drain: CancellationToken,
}

impl RuntimeHandle {
    /// Takes no more work, gives leases back at the next safe point, and returns when no work is left.
    pub async fn drain(&self) {
        self.draining().await;
    }

    /// Begins [`Self::drain`] at once. Returns a future that waits for its end and does not need this handle.
    pub fn draining(&self) -> impl Future<Output = ()> + Send + use<> {
        self.drain.cancel();
        self.tracker.close();
        let tracker = self.tracker.clone();
        async move { tracker.wait().await }
    }

    /// Checks whether the workers take work.
    pub fn is_working(&self) -> bool {
        !self.drain.is_cancelled()
    }
}

impl Runtime {
    /// Starts the loop that claims runs and the loop that closes expired approvals.
    pub fn start(&self) -> RuntimeHandle {
        let handle = RuntimeHandle { tracker: TaskTracker::new(), drain: CancellationToken::new() };
        let claims = claim_loop(Arc::clone(&self.deps), self.since, handle.tracker.clone(), handle.drain.clone());
        handle.tracker.spawn(claims);
        handle.tracker.spawn(sweep_loop(Arc::clone(&self.deps), handle.drain.clone()));
        handle
    }

    /// Claims one run and advances it until it waits, ends or is given back. `None` if no run is ready.
    pub async fn run_once(&self) -> Result<Option<Advanced>, StoreError> {
        let Some(claimed) = claim(&self.deps, &RunClass::ALL).await? else { return Ok(None) };
        Ok(Some(advance(&self.deps, claimed, self.since, &CancellationToken::new()).await))
    }

    /// Advances runs until no run is ready.
    pub async fn run_until_idle(&self) -> Result<Vec<Advanced>, StoreError> {
        let mut all = Vec::new();
        while let Some(advanced) = self.run_once().await? {
            all.push(advanced);
        }
        Ok(all)
    }
}

/// Advances a claimed run with the performer of its kind. A flow goes back if this process advances no flows.
async fn advance(
    deps: &Arc<RuntimeDeps>,
    claimed: ClaimedRun,
    since: Timestamp,
    drain: &CancellationToken,
) -> Advanced {
    match (claimed.run.subject.kind(), &deps.flows) {
        (RunKind::Turn, _) => drive::<TurnPerformer>(deps, claimed, since, drain).await,
        (RunKind::Flow, Some(flows)) => flows.drive(deps, claimed, since, drain).await,
        (RunKind::Flow, None) => leave_to_others(deps, claimed).await,
    }
}

async fn claim(deps: &RuntimeDeps, classes: &[RunClass]) -> Result<Option<ClaimedRun>, StoreError> {
    let now = deps.clock.now();
    let lease = i64::try_from(deps.config.lease.as_millis()).unwrap_or(i64::MAX);
    let mut work = deps.store.engine_unit().await?;
    let claimed = work.claim_run(&deps.config.owner, now, now.plus_millis(lease), classes).await?;
    let Some(claimed) = claimed else { return Ok(None) };
    work.commit().await?;
    Ok(Some(claimed))
}

async fn claim_loop(deps: Arc<RuntimeDeps>, since: Timestamp, tracker: TaskTracker, drain: CancellationToken) {
    let places = Places::new(deps.config.parallel);
    let mut wakes = deps.store.subscribe();
    loop {
        let place = tokio::select! {
            biased;
            () = drain.cancelled() => return,
            place = places.take() => place,
        };
        let claimed = caught("claim", claim(&deps, place.classes())).await;
        match claimed.unwrap_or_else(|Broke| Err(StoreError::Unavailable("claiming broke".into()))) {
            Ok(Some(claimed)) => {
                let (deps, drain, place) = (Arc::clone(&deps), drain.clone(), place.of(claimed.run.class));
                tracker.spawn(async move {
                    let _busy = telemetry::Busy::new();
                    advance(&deps, claimed, since, &drain).await;
                    drop(place);
                });
            }
            Ok(None) => {
                let full = place.classes().len() < RunClass::ALL.len();
                drop(place);
                tokio::select! {
                    biased;
                    () = drain.cancelled() => return,
                    () = tokio::time::sleep(deps.config.poll) => {}
                    () = places.background_is_free(), if full => {}
                    () = work_wake(&mut wakes) => {}
                }
            }
            Err(error) => {
                drop(place);
                telemetry::claim_failed();
                tracing::warn!(%error, "no run could be claimed");
                tokio::select! {
                    biased;
                    () = drain.cancelled() => return,
                    () = tokio::time::sleep(deps.config.poll) => {}
                }
            }
        }
    }
}

/// Returns when there may be work, because a wake said so or because wakes were missed.
async fn work_wake(wakes: &mut broadcast::Receiver<Wake>) {
    loop {
        match wakes.recv().await {
            Ok(Wake::Work | Wake::Everything) | Err(broadcast::error::RecvError::Lagged(_)) => return,
            Ok(Wake::Events(_) | Wake::Activity(_)) => {}
            Err(broadcast::error::RecvError::Closed) => return std::future::pending().await,
        }
    }
}

async fn sweep_loop(deps: Arc<RuntimeDeps>, drain: CancellationToken) {
    /// One sweep for each of this many polls.
    const SWEEP: u32 = 10;
    loop {
        // A sweep that panics must not end the later ones.
        if let Ok(Err(error)) = caught("sweep", expire_due(&deps)).await {
            tracing::warn!(%error, "expired approvals could not be closed");
        }
        tokio::select! {
            biased;
            () = drain.cancelled() => return,
            () = tokio::time::sleep(deps.config.poll * SWEEP) => {}
        }
    }
}
