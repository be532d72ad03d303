//! Advances one claimed run until it ends, waits, or is given back, or until the worker loses it.

use std::{sync::Arc, time::Duration};

use adagent_contract::{EventBody, RunStatus};
use adagent_domain::{CheckpointId, RunId, Timestamp, WorkspaceId};
use adagent_run_core::{Input, Machine, StateError, StepError, from_text, to_text};
use adagent_store::{Checkpoint, ClaimedRun, Lease, Run, RunUpdate, StoreError, Wake};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use crate::{
    children,
    claim::Claim,
    deps::RuntimeDeps,
    driver::{Driver, takes_over},
    journal::{Journal, fail_run, lost},
    panics::{Broke, caught},
    performer::Performer,
    telemetry,
};

/// What happened to a run that a worker advanced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Advanced {
    /// The run has ended.
    Ended(RunId),
    /// The run waits: for a person, for a run that it began, or until a write that was sent settles.
    Waits(RunId),
    /// Given back before its end, because the process shuts down or our code broke once.
    HandedBack(RunId),
    /// The worker lost the lease, or the store failed. The next worker that claims the run continues it.
    LetGo(RunId),
}

/// How often a run may be taken over without progress. A run that crashes its worker each time must not do so for long. A process that is
/// killed in a deploy costs a run one takeover; a run that always crashes ends within a minute. Claims of a run that was given back do not
/// count, because its worker survived.
const TAKEOVERS_WITHOUT_PROGRESS: u64 = 5;

/// How long a run that this process cannot advance waits before a worker tries again.
const NEWER_WAITS_MS: i64 = 60_000;

#[derive(Debug, thiserror::Error)]
pub enum DriveError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    State(#[from] StateError),
    #[error(transparent)]
    Step(#[from] StepError),
    #[error("{0}")]
    Defect(String),
    /// A test stopped the worker here.
    #[error("killed")]
    Killed,
}

/// Advances a run as far as it can go now. `since` is when this process began to take runs.
pub(crate) async fn drive<P: Performer>(
    deps: &Arc<RuntimeDeps>,
    claimed: ClaimedRun,
    since: Timestamp,
    drain: &CancellationToken,
) -> Advanced {
    let span = telemetry::claim(&claimed, deps.clock.now());
    let advanced = drive_seen::<P>(deps, claimed, since, drain).instrument(span.clone()).await;
    telemetry::left(&span, advanced);
    advanced
}

async fn drive_seen<P: Performer>(
    deps: &Arc<RuntimeDeps>,
    claimed: ClaimedRun,
    since: Timestamp,
    drain: &CancellationToken,
) -> Advanced {
    let run = claimed.run.clone();
    let lease = claimed.lease.clone();
    let error = match caught(BETWEEN, Box::pin(advance::<P>(deps, claimed, since, drain))).await {
        Ok(Ok(advanced)) => return advanced,
        Ok(Err(error)) => error,
        Err(Broke) => match caught(BETWEEN, broke::<P>(deps, &run, &lease)).await {
            Ok(Ok(advanced)) => return advanced,
            Ok(Err(error)) => error,
            Err(Broke) => return Advanced::LetGo(run.id),
        },
    };
    match &error {
        DriveError::Killed => {}
        DriveError::Store(StoreError::StaleEpoch { epoch }) => {
            telemetry::stale_epoch();
            tracing::info!(run = %run.id, epoch, "another worker took the run over");
        }
        DriveError::Store(error) => {
            tracing::warn!(run = %run.id, %error, "the run could not be journalled; it will be claimed again");
        }
        DriveError::State(StateError::Newer { found, .. }) => {
            tracing::warn!(run = %run.id, found, "the run was saved by a newer program; left to one that knows it");
            leave(deps, &lease).await;
        }
        DriveError::State(_) | DriveError::Step(_) | DriveError::Defect(_) => {
            tracing::error!(run = %run.id, %error, "the run cannot go on");
            let told = "Something went wrong on our end, so this run can't continue. Nothing else was sent. Ask again.";
            if let Err(error) = fail_run(deps, &run, &lease, told).await {
                tracing::warn!(run = %run.id, %error, "the failed run could not be closed");
                return Advanced::LetGo(run.id);
            }
            telemetry::ended(&run, RunStatus::Failed, &telemetry::spent_of(&run), false, deps.clock.now());
            return Advanced::Ended(run.id);
        }
    }
    Advanced::LetGo(run.id)
}

/// The name for defects between the steps: in the machine, in the journal, or while a claim loads.
const BETWEEN: &str = "between";

/// Handles a panic between the steps. Everything that was not flushed is lost, but the lease is still ours. The first time, notes the panic
/// in the saved state, from which the run continues. The second time ends the run.
async fn broke<P: Performer>(deps: &RuntimeDeps, run: &Run, lease: &Lease) -> Result<Advanced, DriveError> {
    let now = deps.clock.now();
    let saved = deps.store.find_latest_checkpoint(run.id).await?;
    let mut state = state_of::<P>(deps, run, saved.as_ref()).await?;
    if state.ledger_mut().broke(BETWEEN.into()).is_some() {
        return Err(DriveError::Defect("it broke twice between its steps".into()));
    }
    let (step, seq) = saved.as_ref().map_or((0, 0), |checkpoint| (checkpoint.step, checkpoint.seq));
    let checkpoint = Checkpoint {
        id: CheckpointId::new(&*deps.ids),
        run: run.id,
        step: step + 1,
        // The next worker must still read what readers have seen since then.
        seq,
        node: state.place().into(),
        state: to_text(&state),
        created_at: now,
    };
    let label = "Something went wrong on our end. Trying once more.".into();
    let mut work = deps.store.engine_unit_in(run.workspace).await?;
    work.append_events(lease, now, &[EventBody::Status { label }]).await?;
    work.insert_checkpoint(lease, &checkpoint).await?;
    let update = RunUpdate { release: true, next_ready: Some(now), ..RunUpdate::default() };
    work.update_run(lease, &update).await?;
    work.wake(Wake::Events(run.id));
    work.wake(Wake::Work);
    work.commit().await?;
    Ok(Advanced::HandedBack(run.id))
}

/// Gives back a run of a kind that this process does not advance. The run does not fail and blocks no other run.
pub(crate) async fn leave_to_others(deps: &RuntimeDeps, claimed: ClaimedRun) -> Advanced {
    let ClaimedRun { run, lease, .. } = claimed;
    tracing::warn!(run = %run.id, kind = run.subject.kind().as_str(), "this process advances no runs of that kind; left to one that does");
    leave(deps, &lease).await;
    Advanced::LetGo(run.id)
}

/// Gives the lease back without any change. No worker tries the run again for a while.
async fn leave(deps: &RuntimeDeps, lease: &Lease) {
    let later = deps.clock.now().plus_millis(NEWER_WAITS_MS);
    let left = async {
        let mut work = deps.store.engine_unit().await?;
        let update = RunUpdate { release: true, next_ready: Some(later), ..RunUpdate::default() };
        work.update_run(lease, &update).await?;
        work.commit().await
    };
    if let Err(error) = left.await {
        tracing::warn!(run = %lease.run, %error, "the run could not be let go");
    }
}

/// Returns the state from which a run continues: the saved one, or, if none is saved, the one in which it begins.
async fn state_of<P: Performer>(
    deps: &RuntimeDeps,
    run: &Run,
    saved: Option<&Checkpoint>,
) -> Result<P::Machine, DriveError> {
    if let Some(checkpoint) = saved {
        return Ok(from_text(&checkpoint.state)?);
    }
    let limits = children::limits_of(&*deps.store, run, deps.config.limits).await?;
    P::begin(run, limits, run.started_at.unwrap_or(deps.clock.now()))
}

async fn advance<P: Performer>(
    deps: &Arc<RuntimeDeps>,
    claimed: ClaimedRun,
    since: Timestamp,
    drain: &CancellationToken,
) -> Result<Advanced, DriveError> {
    let ClaimedRun { run, lease, taken_from, takeovers } = claimed;
    let saved = if run.epoch > 1 { deps.store.find_latest_checkpoint(run.id).await? } else { None };
    let (step_no, seq) = saved.as_ref().map_or((0, 0), |checkpoint| (checkpoint.step, checkpoint.seq));
    // Load the state before counting takeovers: if this program can't read the state, that is not the run's fault.
    let state = state_of::<P>(deps, &run, saved.as_ref()).await?;
    let left_over = if taken_from.is_some() { deps.store.list_held(run.id).await? } else { Vec::new() };
    if takeovers > TAKEOVERS_WITHOUT_PROGRESS {
        return Err(DriveError::Defect(format!("taken over {takeovers} times in a row and never got on")));
    }
    let left = lease.until.millis_since(deps.clock.now()).max(0).unsigned_abs();
    let lease_ends = Instant::now() + Duration::from_millis(left).min(deps.config.lease);
    let mut journal = Journal::new(lease, lease_ends, run.last_seq, step_no);
    // Check at every claim, so that we do nothing for a person who was removed just as they asked or approved.
    let cancel = run.cancel_requested || deps.store.find_membership(run.workspace, run.principal.user).await?.is_none();
    if run.started_at.is_none() {
        journal.start(deps.clock.now());
    }
    if saved.is_none() {
        journal.push_event(deps.clock.now(), takes_over(state.place()));
    }
    let workspace = run.workspace;
    let loading = async {
        let claim = Claim::load(deps, run, seq).await?;
        let performer = P::load(deps, &claim).await?;
        Ok::<_, DriveError>((claim, performer))
    };
    let (mut claim, performer) = held(deps, workspace, &mut journal, loading).await?;
    if let Some(changed) = claim.settings_changed() {
        journal.push_event(deps.clock.now(), changed);
    }
    let taken_over = taken_from.is_some();
    let mut driver = Driver::<P>::new(deps, claim, performer, state, journal, drain, cancel);
    if let Some(checkpoint) = saved
        && driver.ledger().outcome.is_none()
    {
        let idle_ms = idle_ms(checkpoint.created_at, taken_over, since, deps.clock.now());
        driver.put(Input::Resumed { idle_ms })?;
    }
    for held in left_over {
        if driver.ledger().outcome.is_none() {
            driver.journal.reserved = true;
            driver.put(Input::Unheard(lost(held)))?;
        }
    }
    match Box::pin(driver.go()).await {
        Ok(advanced) => Ok(advanced),
        Err(error) => Err(driver.journal.explain(deps, error).await),
    }
}

/// Renews the lease while a claim loads. A run with many reads takes long to load. Without the renewal, other workers would claim it again
/// and again, and it would never continue.
async fn held<T>(
    deps: &RuntimeDeps,
    workspace: WorkspaceId,
    journal: &mut Journal,
    loading: impl Future<Output = Result<T, DriveError>>,
) -> Result<T, DriveError> {
    let mut loading = std::pin::pin!(loading);
    loop {
        let heartbeat = tokio::time::sleep(deps.config.heartbeat);
        tokio::select! {
            biased;
            loaded = &mut loading => return loaded,
            () = heartbeat => {}
        }
        // The load may hold the connection that the renewal needs, so both must go on.
        let mut renewal = std::pin::pin!(journal.renew(deps, workspace));
        tokio::select! {
            biased;
            loaded = &mut loading => {
                renewal.await?;
                return loaded;
            }
            renewed = &mut renewal => renewed?,
        }
    }
}

/// Returns how long nobody worked on the run. A run that was given back was saved at that moment. If a lease ran out, we don't know how
/// long its worker worked, so the whole time counts as work, and takeovers do not prolong a run. Time before this process started does not
/// count: after a crash of the only server, no other process could have taken the run.
fn idle_ms(saved: Timestamp, taken_over: bool, since: Timestamp, now: Timestamp) -> i64 {
    let until = if taken_over { since.min(now) } else { now };
    until.millis_since(saved).max(0)
}
