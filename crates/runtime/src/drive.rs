//! Advances one claimed run until it ends, waits for a person, is handed back, or the worker must let go.

use std::{sync::Arc, time::Duration};

use adagent_contract::{ApprovalStatus, EventBody, RunStatus};
use adagent_domain::{RunId, Timestamp};
use adagent_run_core::{
    Answer, CallState, Env, Input, Node, State, StateError, StepError, Success, Work, outstanding, step,
};
use adagent_store::{ClaimedRun, Lease, RunUpdate, StoreError};
use tokio::{sync::mpsc, time::Instant};
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use crate::{
    context::{Context, left_out},
    deps::RuntimeDeps,
    journal::{After, Journal, fail_run, lost},
    live::{LiveSender, Written},
    seen, sent,
    supervise::{Care, Watch, Watched},
    work,
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

/// A run that takes its worker down each time must not do so for ever. Claims of a run that was given back do not count: its
/// worker lived.
const TAKEOVERS_WITHOUT_PROGRESS: u64 = 100;

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

/// Advances a run as far as it goes now.
pub(crate) async fn drive(deps: &Arc<RuntimeDeps>, claimed: ClaimedRun, drain: &CancellationToken) -> Advanced {
    let span = seen::claim(&claimed, deps.clock.now());
    let advanced = drive_seen(deps, claimed, drain).instrument(span.clone()).await;
    seen::left(&span, advanced);
    advanced
}

async fn drive_seen(deps: &Arc<RuntimeDeps>, claimed: ClaimedRun, drain: &CancellationToken) -> Advanced {
    let run = claimed.run.clone();
    let lease = claimed.lease.clone();
    let error = match Box::pin(advance(deps, claimed, drain)).await {
        Ok(advanced) => return advanced,
        Err(error) => error,
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
            let told =
                "Something went wrong inside the desk, and this run cannot go on. Nothing further was sent. Ask again.";
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

/// Gives the lease back without having done anything; nobody needs to try before `later`.
async fn leave(deps: &RuntimeDeps, lease: &Lease, later: Timestamp) -> Result<(), StoreError> {
    let mut work = deps.store.begin().await?;
    let update = RunUpdate { release: true, next_ready: Some(later), ..RunUpdate::default() };
    work.update_run(lease, &update).await?;
    work.commit().await
}

async fn advance(deps: &RuntimeDeps, claimed: ClaimedRun, drain: &CancellationToken) -> Result<Advanced, DriveError> {
    let ClaimedRun { run, lease, taken_from, takeovers } = claimed;
    let saved = if run.epoch > 1 { deps.store.find_latest_checkpoint(run.id).await? } else { None };
    let (step_no, seq) = saved.as_ref().map_or((0, 0), |checkpoint| (checkpoint.step, checkpoint.seq));
    // Before anything is held against the run: a state this program cannot read is not the run's fault.
    let state = match &saved {
        Some(checkpoint) => State::load(&checkpoint.state)?,
        None => State::new(run.session, deps.clock.now(), deps.config.limits.deadline_ms),
    };
    let left_over = if taken_from.is_some() { deps.store.find_held(run.id).await? } else { None };
    if takeovers > TAKEOVERS_WITHOUT_PROGRESS {
        return Err(DriveError::Defect(format!("taken over {takeovers} times in a row and never got on")));
    }
    let left = lease.until.millis_since(deps.clock.now()).max(0).unsigned_abs();
    let lease_ends = Instant::now() + Duration::from_millis(left).min(deps.config.lease);
    let mut journal = Journal::new(lease, lease_ends, run.last_seq, step_no);
    // Looked up at every claim: whoever was removed in the same moment in which they asked or approved gets nothing done any more.
    let cancel = run.cancel_requested || deps.store.find_membership(run.workspace, run.user).await?.is_none();
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
    let mut driver = Driver { deps, context, state, journal, drain, cancel };
    if let Some(checkpoint) = saved
        && driver.state.outcome.is_none()
    {
        let idle_ms = deps.clock.now().millis_since(checkpoint.created_at).max(0);
        driver.put(Input::Resumed { idle_ms })?;
    }
    if let Some(held) = left_over
        && driver.state.outcome.is_none()
    {
        driver.journal.reserved = true;
        driver.put(Input::Unheard(lost(held)))?;
    }
    match driver.go().await {
        Ok(advanced) => Ok(advanced),
        Err(error) => Err(driver.journal.explain(deps, error).await),
    }
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
                    seen::node("send", self.send(call)).await?;
                }
                other => match seen::node(seen::name_of(&other), Box::pin(self.perform(other))).await? {
                    Watched::Done(input) => self.put(input)?,
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
            | Input::Settled(_) => true,
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
            self.context.results.insert(id, (success.result.clone(), success.artifact.clone()));
        };
        match input {
            Input::Replied(reply) => {
                for call in &reply.calls {
                    self.context.args.insert(call.id, call.args.clone());
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
                    self.context.results.insert(*id, (result.clone(), None));
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
            self.context.args.insert(*call, row.args.clone());
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
        let stored = self.deps.store.find_context(self.context.run.workspace, self.context.run.user).await?;
        if let Some(changed) = self.context.take_settings(stored) {
            self.journal.push_event(self.deps.clock.now(), changed);
        }
        let mut bound = work::bound(self.deps, &self.context, &self.state, call).await?;
        if let Ok(ready) = &bound {
            let left = sent::by_family(self.deps, &self.context.run).await?;
            let (_, live) = mpsc::unbounded_channel();
            let Self { deps, context, state, journal, drain, .. } = self;
            let watch = Watch { deps, context, state, journal, drain, care: Care::MayBeDropped };
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
                let watch = Watch { deps, context, state, journal, drain, care: Care::MayBeDropped };
                match watch.over(work::baseline(deps, ready), live, &mut Written::default()).await? {
                    Watched::Done(baseline) => baseline,
                    Watched::Deadline => None,
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
        let baseline = bound.as_ref().ok().and_then(|ready| ready.kept(baseline));
        self.put(Input::Sending(call, baseline))?;
        self.flush(After::Keep).await?;
        let outcome = match bound {
            Err(fault) => Err(*fault),
            Ok(ready) => {
                let (sender, live) = mpsc::unbounded_channel();
                let Self { deps, context, state, journal, drain, .. } = self;
                let watch = Watch { deps, context, state, journal, drain, care: Care::MustFinish };
                let sent = work::send(deps, context, ready, LiveSender(sender));
                match watch.over(sent, live, &mut Written::default()).await? {
                    Watched::Done(outcome) => outcome,
                    _ => return Err(DriveError::Defect("a write was dropped half-way".into())),
                }
            }
        };
        self.put(Input::Sent(call, Box::new(outcome)))?;
        self.flush(After::Keep).await
    }

    async fn perform(&mut self, wanted: Work) -> Result<Watched<Input>, DriveError> {
        if self.drain.is_cancelled() {
            return Ok(Watched::Drained);
        }
        // Who takes a run over knows no names yet, and the model must not have to ask for them again.
        if wanted == Work::AskModel && self.context.entities.is_none() && !self.state.is_talk() {
            match self.perform_timed(Work::LoadEntities { refresh: false }).await? {
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

    async fn perform_timed(&mut self, wanted: Work) -> Result<Watched<Input>, DriveError> {
        let (sender, live) = mpsc::unbounded_channel();
        let sender = LiveSender(sender);
        // Only the model goes on with text; loading names before it must not take what readers have seen of it.
        let shown = if wanted == Work::AskModel { std::mem::take(&mut self.context.shown) } else { String::new() };
        let mut written = Written::after(shown);
        let Self { deps, context, state, journal, drain, .. } = self;
        let (deps, context, state) = (*deps, &*context, &*state);
        if wanted == Work::AskModel && !state.is_talk() {
            written = written.vetted(Box::new(work::vetting(deps, context, state)));
        }
        let care = if matches!(wanted, Work::Probe(_)) { Care::MustFinish } else { Care::MayBeDropped };
        let watch = Watch { deps, context, state, journal, drain, care };
        let mut entities = None;
        let done = match wanted {
            Work::Route => {
                let done = watch.over(work::route(deps, context, state, sender), live, &mut written).await?;
                done.map(|(input, loaded)| {
                    entities = Some(loaded);
                    input
                })
            }
            Work::LoadEntities { refresh } => {
                let done = watch.over(work::load(deps, context, refresh), live, &mut written).await?;
                done.map(|(input, loaded)| {
                    entities = Some(loaded);
                    input
                })
            }
            Work::Retrieve => Watched::Done(work::retrieve(deps, context, state)),
            Work::AskModel => {
                let asked = watch.over(work::ask_model(deps, context, state, sender), live, &mut written).await?;
                asked.map(|reply| work::replied(deps, context, state, reply, &written))
            }
            Work::Check(ids) => watch.over(work::check(deps, context, state, &ids), live, &mut written).await?,
            Work::Read(ids) => watch.over(work::read(deps, context, state, &ids, sender), live, &mut written).await?,
            Work::Sketch(ids) => {
                let left = sent::by_family(deps, &context.run).await?;
                let bound = work::asked_for(deps, context.run.id).await?;
                watch.over(work::sketch(deps, context, state, &ids, &left, &bound), live, &mut written).await?
            }
            Work::Probe(id) => watch.over(work::probe(deps, context, state, id), live, &mut written).await?,
            Work::Verify => Watched::Done(work::verify(deps, context, state)),
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
        if let Some(entities) = entities {
            let scope = self.context.scope(adagent_domain::ToolCallId(self.context.run.id.0));
            let outside = left_out(self.deps, &scope, &self.context.usable(), &entities).await;
            self.context.outside = Arc::new(outside);
            self.context.entities = Some(entities);
        }
        Ok(done)
    }
}
