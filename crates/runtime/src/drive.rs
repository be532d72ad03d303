//! Advances one claimed run until it ends, waits for a person, is handed back, or the worker must let go.

use std::{sync::Arc, time::Duration};

use adagent_contract::{ApprovalStatus, EventBody, RunStatus};
use adagent_domain::{CheckpointId, RunId, Timestamp};
use adagent_run_core::{
    Answer, CallState, Env, Fault, FaultKind, Found, Input, Node, State, StateError, StepError, Success, Work,
    outstanding, step,
};
use adagent_store::{Checkpoint, ClaimedRun, Lease, Run, RunUpdate, StoreError, Wake};
use tokio::{sync::mpsc, time::Instant};
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use crate::{
    context::{Context, turn_of},
    deps::RuntimeDeps,
    journal::{After, Journal, fail_run, lost},
    live::{LiveSender, Written},
    panics::{Broke, caught},
    seen, sent,
    supervise::{Care, Watch, Watched},
    waits::waits_for,
    work::{self, Loaded},
};

/// What became of a run that was advanced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Advanced {
    /// It is over.
    Ended(RunId),
    /// A person has to answer, or a write that left has to settle.
    Waits(RunId),
    /// Handed back in the middle: the process drains.
    HandedBack(RunId),
    /// The lease was lost, or the store failed: whoever claims it next goes on.
    LetGo(RunId),
}

/// A run that takes its worker down each time must not do so for long: a process that is killed in a deploy costs a run one of
/// these, a poisoned run is over within a minute. Claims of a run that was given back do not count: its worker lived.
const TAKEOVERS_WITHOUT_PROGRESS: u64 = 5;

/// After this time somebody looks again whether a run of a newer program can go on.
const NEWER_WAITS_MS: i64 = 60_000;

#[derive(Debug, thiserror::Error)]
pub(crate) enum DriveError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    State(#[from] StateError),
    #[error(transparent)]
    Step(#[from] StepError),
    #[error("{0}")]
    Defect(String),
    /// A test cut the journal here.
    #[error("killed")]
    Killed,
}

struct Driver<'a> {
    deps: &'a RuntimeDeps,
    context: Context,
    state: State,
    journal: Journal,
    drain: &'a CancellationToken,
    cancel: bool,
}

/// Advances a run as far as it goes now. `since`: when this process began to take runs.
pub(crate) async fn drive(
    deps: &Arc<RuntimeDeps>,
    claimed: ClaimedRun,
    since: Timestamp,
    drain: &CancellationToken,
) -> Advanced {
    let span = seen::claim(&claimed, deps.clock.now());
    let advanced = drive_seen(deps, claimed, since, drain).instrument(span.clone()).await;
    seen::left(&span, advanced);
    advanced
}

async fn drive_seen(
    deps: &Arc<RuntimeDeps>,
    claimed: ClaimedRun,
    since: Timestamp,
    drain: &CancellationToken,
) -> Advanced {
    let run = claimed.run.clone();
    let lease = claimed.lease.clone();
    let error = match caught(BETWEEN, Box::pin(advance(deps, claimed, since, drain))).await {
        Ok(Ok(advanced)) => return advanced,
        Ok(Err(error)) => error,
        Err(Broke) => match caught(BETWEEN, broke(deps, &run, &lease)).await {
            Ok(Ok(advanced)) => return advanced,
            Ok(Err(error)) => error,
            Err(Broke) => return Advanced::LetGo(run.id),
        },
    };
    match &error {
        DriveError::Killed => {}
        DriveError::Store(StoreError::StaleEpoch { epoch }) => {
            seen::stale_epoch();
            tracing::info!(run = %run.id, epoch, "another worker took the run over");
        }
        DriveError::Store(error) => {
            tracing::warn!(run = %run.id, %error, "the run could not be journalled; it will be claimed again");
        }
        DriveError::State(StateError::Newer { found }) => {
            tracing::warn!(run = %run.id, found, "the run was saved by a newer program; left to one that knows it");
            let later = deps.clock.now().plus_millis(NEWER_WAITS_MS);
            if let Err(error) = leave(deps, &lease, later).await {
                tracing::warn!(run = %run.id, %error, "the run could not be let go");
            }
        }
        DriveError::State(_) | DriveError::Step(_) | DriveError::Defect(_) => {
            tracing::error!(run = %run.id, %error, "the run cannot go on");
            let told = "Something went wrong on our end, so this run can't continue. Nothing else was sent. Ask again.";
            if let Err(error) = fail_run(deps, &run, &lease, told).await {
                tracing::warn!(run = %run.id, %error, "the failed run could not be closed");
                return Advanced::LetGo(run.id);
            }
            seen::ended(&run, RunStatus::Failed, &seen::spent_of(&run), false, deps.clock.now());
            return Advanced::Ended(run.id);
        }
    }
    Advanced::LetGo(run.id)
}

/// What breaks between the steps: the machine, the journal, what a claim loads.
const BETWEEN: &str = "between";

/// What was not flushed is gone, and the lease is still ours. The first time is written into the saved state, and the run goes on
/// from there; the second time ends it.
async fn broke(deps: &RuntimeDeps, run: &Run, lease: &Lease) -> Result<Advanced, DriveError> {
    let now = deps.clock.now();
    let saved = deps.store.find_latest_checkpoint(run.id).await?;
    let mut state = match &saved {
        Some(checkpoint) => State::load(&checkpoint.state)?,
        None => State::new(turn_of(run)?.session, run.started_at.unwrap_or(now), deps.config.limits.deadline_ms),
    };
    if state.broke.iter().any(|step| step == BETWEEN) {
        return Err(DriveError::Defect("it broke twice between its steps".into()));
    }
    state.broke.push(BETWEEN.into());
    let (step, seq) = saved.as_ref().map_or((0, 0), |checkpoint| (checkpoint.step, checkpoint.seq));
    let checkpoint = Checkpoint {
        id: CheckpointId::new(&*deps.ids),
        run: run.id,
        step: step + 1,
        // What readers have seen since then is still to be taken up.
        seq,
        node: state.node.as_str().into(),
        state: state.to_json(),
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

/// Gives the lease back without having done anything; nobody needs to try before `later`.
async fn leave(deps: &RuntimeDeps, lease: &Lease, later: Timestamp) -> Result<(), StoreError> {
    let mut work = deps.store.engine_unit().await?;
    let update = RunUpdate { release: true, next_ready: Some(later), ..RunUpdate::default() };
    work.update_run(lease, &update).await?;
    work.commit().await
}

async fn advance(
    deps: &RuntimeDeps,
    claimed: ClaimedRun,
    since: Timestamp,
    drain: &CancellationToken,
) -> Result<Advanced, DriveError> {
    let ClaimedRun { run, lease, taken_from, takeovers } = claimed;
    let saved = if run.epoch > 1 { deps.store.find_latest_checkpoint(run.id).await? } else { None };
    let (step_no, seq) = saved.as_ref().map_or((0, 0), |checkpoint| (checkpoint.step, checkpoint.seq));
    // Before anything is held against the run: a state this program cannot read is not the run's fault.
    let state = match &saved {
        Some(checkpoint) => State::load(&checkpoint.state)?,
        // From its first worker on, also when that one left nothing behind.
        None => State::new(
            turn_of(&run)?.session,
            run.started_at.unwrap_or(deps.clock.now()),
            deps.config.limits.deadline_ms,
        ),
    };
    let left_over = if taken_from.is_some() { deps.store.list_held(run.id).await? } else { Vec::new() };
    if takeovers > TAKEOVERS_WITHOUT_PROGRESS {
        return Err(DriveError::Defect(format!("taken over {takeovers} times in a row and never got on")));
    }
    let left = lease.until.millis_since(deps.clock.now()).max(0).unsigned_abs();
    let lease_ends = Instant::now() + Duration::from_millis(left).min(deps.config.lease);
    let mut journal = Journal::new(lease, lease_ends, run.last_seq, step_no);
    // Looked up at every claim: a person who was removed at the moment they asked or approved gets nothing done.
    let cancel = run.cancel_requested || deps.store.find_membership(run.workspace, run.principal.user).await?.is_none();
    if run.started_at.is_none() {
        journal.start(deps.clock.now());
    }
    if saved.is_none() {
        journal.push_event(deps.clock.now(), takes_over(state.node));
    }
    let mut context = Context::load(deps, run, seq).await?;
    if let Some(changed) = context.settings_changed() {
        journal.push_event(deps.clock.now(), changed);
    }
    let taken_over = taken_from.is_some();
    let mut driver = Driver { deps, context, state, journal, drain, cancel };
    if let Some(checkpoint) = saved
        && driver.state.outcome.is_none()
    {
        let idle_ms = idle_ms(checkpoint.created_at, taken_over, since, deps.clock.now());
        driver.put(Input::Resumed { idle_ms })?;
    }
    for held in left_over {
        if driver.state.outcome.is_none() {
            driver.journal.reserved = true;
            driver.put(Input::Unheard(lost(held)))?;
        }
    }
    match Box::pin(driver.go()).await {
        Ok(advanced) => Ok(advanced),
        Err(error) => Err(driver.journal.explain(deps, error).await),
    }
}

/// How long nobody worked on the run. A run that was given back was saved then. Who lets a lease run out worked until nobody knows
/// when: that counts as work, so that takeovers prolong no run, but for the time before this process was there. After a crash of
/// the only server there was nobody else who could have taken it.
fn idle_ms(saved: Timestamp, taken_over: bool, since: Timestamp, now: Timestamp) -> i64 {
    let until = if taken_over { since.min(now) } else { now };
    until.millis_since(saved).max(0)
}

/// Which node works from now on: what the time axis is made of.
fn takes_over(node: Node) -> EventBody {
    EventBody::Agent { agent: node.as_str().to_owned(), task: None }
}

impl Driver<'_> {
    async fn go(&mut self) -> Result<Advanced, DriveError> {
        let id = self.context.run.id;
        loop {
            if self.cancel && self.state.outcome.is_none() && !self.is_sending() {
                self.put(Input::CancelRequested)?;
            }
            match outstanding(&self.state) {
                Work::Nothing => {
                    self.flush(After::Release).await?;
                    let status = self.state.outcome.unwrap_or(RunStatus::Completed);
                    let asked = self.state.calls.iter().any(|call| !call.read_only);
                    seen::ended(&self.context.run, status, &self.state.spent, asked, self.deps.clock.now());
                    return Ok(Advanced::Ended(id));
                }
                Work::AwaitPeople => {
                    let answers = if self.journal.asks() { Vec::new() } else { self.answers().await? };
                    if answers.is_empty() {
                        self.flush(After::Release).await?;
                        return Ok(Advanced::Waits(id));
                    }
                    self.put(Input::Answered(answers))?;
                }
                Work::Settle { call, until } => {
                    if self.deps.clock.now() < until {
                        self.flush(After::Until(until)).await?;
                        return Ok(Advanced::Waits(id));
                    }
                    self.put(Input::Settled(call))?;
                }
                Work::Send(call) => {
                    if self.drain.is_cancelled() {
                        self.flush(After::HandBack).await?;
                        return Ok(Advanced::HandedBack(id));
                    }
                    seen::node("send", Box::pin(self.send(call))).await?;
                }
                other => match seen::node(seen::name_of(&other), Box::pin(self.perform(&other))).await? {
                    Watched::Done(input) => self.put(input)?,
                    Watched::Broke => self.broke(&other).await?,
                    Watched::Cancelled => self.cancel = true,
                    Watched::Deadline => self.put(Input::DeadlineReached)?,
                    Watched::Drained => {
                        self.flush(After::HandBack).await?;
                        return Ok(Advanced::HandedBack(id));
                    }
                },
            }
        }
    }

    /// The step that broke is put down before it is tried again, so that nobody tries it a third time.
    async fn broke(&mut self, work: &Work) -> Result<(), DriveError> {
        let input = match work {
            // Never left undecided: a person is told that nobody knows.
            Work::Probe(id) => {
                let why = "something went wrong on our end during the check.".into();
                Input::Probed(*id, Box::new(Found::CannotTell { why }))
            }
            other => Input::Broke { step: seen::name_of(other).into() },
        };
        self.put(input)?;
        if self.state.outcome.is_none() { self.flush(After::Keep).await } else { Ok(()) }
    }

    fn is_sending(&self) -> bool {
        self.state.calls.iter().any(|call| matches!(call.state, CallState::Sending { .. } | CallState::Probing { .. }))
    }

    /// One step of the machine; what it asks for goes into the journal's buffer.
    fn put(&mut self, input: Input) -> Result<(), DriveError> {
        let keep = match &input {
            Input::Replied(reply) => !reply.calls.is_empty(),
            Input::Routed { asked, .. } => asked.is_some(),
            Input::Read(_)
            | Input::Sketched(_)
            | Input::Answered(_)
            | Input::Sent(..)
            | Input::Probed(..)
            | Input::Settled(_)
            | Input::Broke { .. } => true,
            _ => false,
        };
        self.remember(&input);
        let now = self.deps.clock.now();
        let env = Env { now, ids: &*self.deps.ids, limits: &self.deps.config.limits };
        let (state, effects) = step(self.state.clone(), input, &env)?;
        let moved = state.node != self.state.node && state.outcome.is_none();
        self.state = state;
        self.journal.take(&self.context.run, now, effects);
        if moved {
            self.journal.push_event(now, takes_over(self.state.node));
        }
        if keep && self.state.outcome.is_none() {
            self.journal.save(now, &self.state);
        }
        Ok(())
    }

    /// Arguments and results for the model's next turn, without asking the database again.
    fn remember(&mut self, input: &Input) {
        let mut worked = |id, success: &Success| {
            self.context.results.insert(id, (Arc::new(success.result.clone()), success.artifact.clone()));
        };
        match input {
            Input::Replied(reply) => {
                for call in &reply.calls {
                    self.context.args.insert(call.id, Arc::new(call.args.clone()));
                }
            }
            Input::Read(results) => {
                for (id, outcome) in results {
                    if let Ok(success) = outcome {
                        worked(*id, success);
                    }
                }
            }
            Input::Sent(id, outcome) => {
                if let Ok(success) = &**outcome {
                    worked(*id, success);
                }
            }
            Input::Probed(id, found) => {
                if let adagent_run_core::Found::Happened { result, .. } = &**found {
                    self.context.results.insert(*id, (Arc::new(result.clone()), None));
                }
            }
            _ => {}
        }
    }

    async fn flush(&mut self, after: After) -> Result<(), DriveError> {
        self.journal.flush(self.deps, &self.context.run, &self.state, after).await
    }

    /// What people said to the approvals this state waits for.
    async fn answers(&mut self) -> Result<Vec<Answer>, DriveError> {
        let waiting: Vec<_> = self.state.waiting_approvals().map(|(approval, call)| (approval, call.id)).collect();
        let mut answers = Vec::new();
        for record in self.deps.store.list_approvals_of_run(self.context.run.id).await? {
            let Some((approval, call)) = waiting.iter().find(|(approval, _)| *approval == record.view.id) else {
                continue;
            };
            if record.view.status == ApprovalStatus::Pending {
                continue;
            }
            let row = self.deps.store.find_call(self.context.run.id, *call).await?;
            let row = row.ok_or_else(|| DriveError::Defect(format!("call {call} has no row")))?;
            self.context.args.insert(*call, Arc::new(row.args.clone()));
            answers.push(Answer {
                approval: *approval,
                status: record.view.status,
                digest: record.digest,
                args: row.args,
                reason: record.view.reason,
            });
        }
        Ok(answers)
    }

    /// `sending` is committed before the request leaves; once it left, it is waited for.
    async fn send(&mut self, call: adagent_domain::ToolCallId) -> Result<(), DriveError> {
        self.flush(After::Keep).await?;
        // The settings may have changed while people thought about it.
        let stored = self.deps.store.find_context(self.context.run.workspace, self.context.run.principal.user).await?;
        if let Some(changed) = self.context.take_settings(stored) {
            self.journal.push_event(self.deps.clock.now(), changed);
        }
        let step = seen::name_of(&Work::Send(call));
        let waits = waits_for(self.deps, &self.context, &self.state, &Work::Send(call));
        let Ok(bound) = caught(step, work::bound(self.deps, &self.context, &self.state, call)).await else {
            return self.broke(&Work::Send(call)).await;
        };
        let mut bound = bound?;
        if let Ok(ready) = &bound {
            let left = sent::by_family(self.deps, &self.context.run).await?;
            let (_, live) = mpsc::unbounded_channel();
            let Self { deps, context, state, journal, drain, .. } = self;
            let care = Care::MayBeDropped;
            let watch = Watch { deps, context, state, journal, drain, care, step, waits: waits.clone() };
            match watch.over(work::review(deps, state, ready, &left), live, &mut Written::default()).await? {
                Watched::Done(Ok(None)) => {}
                Watched::Done(Ok(Some(reviewed))) => {
                    self.put(reviewed)?;
                    if outstanding(&self.state) != Work::Send(call) {
                        return Ok(());
                    }
                }
                Watched::Done(Err(fault)) => bound = Err(Box::new(fault)),
                Watched::Deadline => return self.put(Input::DeadlineReached),
                Watched::Broke => return self.broke(&Work::Send(call)).await,
                Watched::Cancelled => {
                    self.cancel = true;
                    return Ok(());
                }
                // Seen again, and handed back, by who called this.
                Watched::Drained => return Ok(()),
            }
        }
        let baseline = match &bound {
            Err(_) => None,
            Ok(ready) => {
                let (_, live) = mpsc::unbounded_channel();
                let Self { deps, context, state, journal, drain, .. } = self;
                let care = Care::MayBeDropped;
                let watch = Watch { deps, context, state, journal, drain, care, step, waits: waits.clone() };
                match watch.over(work::baseline(deps, ready), live, &mut Written::default()).await? {
                    Watched::Done(baseline) => baseline,
                    Watched::Deadline => None,
                    Watched::Broke => return self.broke(&Work::Send(call)).await,
                    Watched::Cancelled => {
                        self.cancel = true;
                        return Ok(());
                    }
                    // Seen again, and handed back, by who called this.
                    Watched::Drained => return Ok(()),
                }
            }
        };
        let run = self.deps.store.find_run_unscoped(self.context.run.id).await?;
        if run.is_none_or(|run| run.cancel_requested) {
            self.cancel = true;
            return Ok(());
        }
        let bound = self.still_bound(call, bound).await?;
        let baseline = bound.as_ref().ok().and_then(|ready| ready.kept(baseline));
        self.put(Input::Sending(call, baseline))?;
        self.flush(After::Keep).await?;
        let outcome = match bound {
            Err(fault) => Err(*fault),
            Ok(ready) => {
                let (sender, live) = mpsc::unbounded_channel();
                let Self { deps, context, state, journal, drain, .. } = self;
                let watch = Watch { deps, context, state, journal, drain, care: Care::MustFinish, step, waits };
                let sent = work::send(deps, context, ready, LiveSender(sender));
                match watch.over(sent, live, &mut Written::default()).await? {
                    Watched::Done(outcome) => outcome,
                    // It may have left before that: the network is looked at next.
                    Watched::Broke => {
                        let why = "Something went wrong on our end while the change was being sent.";
                        Err(Fault::new(FaultKind::UnknownOutcome, "BROKE", why))
                    }
                    _ => return Err(DriveError::Defect("a write was dropped half-way".into())),
                }
            }
        };
        self.put(Input::Sent(call, Box::new(outcome)))?;
        self.flush(After::Keep).await
    }

    /// Looking at the network takes as long as the network does: with the settings of this moment, may it still be sent?
    async fn still_bound(
        &mut self,
        call: adagent_domain::ToolCallId,
        bound: Result<work::Bound, Box<Fault>>,
    ) -> Result<Result<work::Bound, Box<Fault>>, DriveError> {
        let stored = self.deps.store.find_context(self.context.run.workspace, self.context.run.principal.user).await?;
        let Some(changed) = self.context.take_settings(stored) else { return Ok(bound) };
        self.journal.push_event(self.deps.clock.now(), changed);
        work::bound(self.deps, &self.context, &self.state, call).await
    }

    async fn perform(&mut self, wanted: &Work) -> Result<Watched<Input>, DriveError> {
        if self.drain.is_cancelled() {
            return Ok(Watched::Drained);
        }
        // Who takes a run over knows no names yet, and the model must not have to ask for them again.
        if *wanted == Work::AskModel && self.context.entities.is_none() && !self.state.is_talk() {
            match self.perform_timed(&Work::LoadEntities { refresh: false }).await? {
                Watched::Done(_) => {}
                stopped => return Ok(stopped),
            }
        }
        // Both may ask a model; its usage, should there be any, says how long that took.
        let started = matches!(wanted, Work::Route | Work::AskModel).then(|| self.deps.clock.now());
        let done = self.perform_timed(wanted).await?;
        let took = started.map(|started| self.deps.clock.now().millis_since(started).max(0).unsigned_abs());
        self.journal.model_ms = took;
        if let Some(asked) = self.journal.unheard.take() {
            self.put(Input::Unheard(asked))?;
        }
        Ok(done)
    }

    async fn perform_timed(&mut self, wanted: &Work) -> Result<Watched<Input>, DriveError> {
        let (sender, live) = mpsc::unbounded_channel();
        let sender = LiveSender(sender);
        // Only the model goes on with text; loading names before it must not take what readers have seen of it.
        let shown = if *wanted == Work::AskModel { std::mem::take(&mut self.context.shown) } else { String::new() };
        let mut written = Written::after(shown);
        let Self { deps, context, state, journal, drain, .. } = self;
        let (deps, context, state) = (*deps, &*context, &*state);
        if *wanted == Work::AskModel && !state.is_talk() {
            written = written.vetted(Box::new(work::vetting(deps, context, state)));
        }
        let care = if matches!(wanted, Work::Probe(_)) { Care::MustFinish } else { Care::MayBeDropped };
        let (step, waits) = (seen::name_of(wanted), waits_for(deps, context, state, wanted));
        let watch = Watch { deps, context, state, journal, drain, care, step, waits };
        let mut loaded = None;
        let done = match wanted {
            Work::Route => {
                let done = watch.over(work::route(deps, context, state, sender), live, &mut written).await?;
                done.map(|(input, known)| {
                    loaded = Some(known);
                    input
                })
            }
            Work::LoadEntities { refresh } => {
                let done = watch.over(work::load(deps, context, *refresh), live, &mut written).await?;
                done.map(|(input, known)| {
                    loaded = Some(known);
                    input
                })
            }
            Work::Retrieve => watch.over(work::retrieve(deps, context, state), live, &mut written).await?,
            Work::AskModel => {
                let asked = watch.over(work::ask_model(deps, context, state, sender), live, &mut written).await?;
                asked.map(|reply| work::replied(deps, context, state, reply, &written))
            }
            Work::Check(ids) => watch.over(work::check(deps, context, state, ids), live, &mut written).await?,
            Work::Read(ids) => watch.over(work::read(deps, context, state, ids, sender), live, &mut written).await?,
            Work::Sketch(ids) => {
                let left = sent::by_family(deps, &context.run).await?;
                let bound = work::asked_for(deps, context.run.id).await?;
                watch.over(work::sketch(deps, context, state, ids, &left, &bound), live, &mut written).await?
            }
            Work::Probe(id) => watch.over(work::probe(deps, context, state, *id), live, &mut written).await?,
            Work::Verify => watch.over(work::verify(deps, context, state), live, &mut written).await?,
            Work::Send(_) | Work::Settle { .. } | Work::AwaitPeople | Work::Nothing => {
                return Err(DriveError::Defect(format!("{wanted:?} is no work to watch")));
            }
        };
        let thought = std::mem::take(&mut written.thinking);
        drop(written);
        // What the reply says beside its calls is told with the reply.
        let told = matches!(&done, Watched::Done(Input::Replied(reply)) if !reply.calls.is_empty() && reply.text.trim() == thought.trim());
        if !thought.trim().is_empty() && !told {
            journal.push_event(deps.clock.now(), EventBody::Thinking { content: thought });
        }
        if let Some(Loaded { entities, outside }) = loaded {
            self.context.outside = Arc::new(outside);
            self.context.entities = Some(entities);
        }
        Ok(done)
    }
}
