//! Advances one claimed run: performs what its machine waits for, and gives the machine the results.

use std::sync::Arc;

use adagent_contract::{ApprovalStatus, EventBody, RunStatus};
use adagent_domain::{RunId, Timestamp};
use adagent_run_core::{
    Answer, CallInput, CallWork, ChildEnd, Effect, Found, Input, Ledger, Machine, Outstanding, Work, step,
};
use futures::future::BoxFuture;
use tokio_util::sync::CancellationToken;

use crate::{
    Advanced, children,
    claim::Claim,
    deps::RuntimeDeps,
    drive::DriveError,
    journal::{After, Journal},
    live::{Hearing, LiveSender, Written},
    panics::{Broke, caught},
    performer::{Heard, Performer, Scene},
    supervise::{Care, Watch, Watched},
    tasks::{Outcome, Tasks, WorkOf},
    telemetry,
    waits::waits_for,
    work::CallJob,
};

pub(crate) struct Driver<'a, P: Performer> {
    pub(crate) deps: &'a Arc<RuntimeDeps>,
    pub(crate) claim: Arc<Claim>,
    performer: P,
    pub(crate) state: Arc<P::Machine>,
    pub(crate) journal: Journal,
    tasks: Tasks<P>,
    sender: LiveSender,
    hearing: Hearing,
    pub(crate) drain: &'a CancellationToken,
    pub(crate) cancel: bool,
}

/// The state of the runs that a run began.
enum Children {
    Ended(Box<ChildEnd>),
    /// All of them wait for a person.
    Wait,
    Work,
}

type InputOf<P> = Input<<<P as Performer>::Machine as Machine>::Input>;

impl<'a, P: Performer> Driver<'a, P> {
    pub(crate) fn new(
        deps: &'a Arc<RuntimeDeps>,
        claim: Claim,
        performer: P,
        state: P::Machine,
        journal: Journal,
        drain: &'a CancellationToken,
        cancel: bool,
    ) -> Self {
        let (sender, hearing) = Hearing::new(Written::default());
        let (claim, state, tasks) = (Arc::new(claim), Arc::new(state), Tasks::new());
        Self { deps, claim, performer, state, journal, tasks, sender, hearing, drain, cancel }
    }

    pub(crate) async fn go(&mut self) -> Result<Advanced, DriveError> {
        let id = self.claim.run.id;
        loop {
            if self.cancel && self.ledger().outcome.is_none() && !self.ledger().is_sending() {
                self.tasks.drop_all();
                self.put(Input::CancelRequested)?;
            }
            let outstanding = self.state.outstanding();
            if outstanding.is_nothing() {
                self.tasks.drop_all();
                self.flush(After::Release).await?;
                let ledger = self.ledger();
                let status = ledger.outcome.unwrap_or(RunStatus::Completed);
                let asked = ledger.calls.iter().any(|call| !call.read_only);
                telemetry::ended(&self.claim.run, status, &ledger.spent, asked, self.deps.clock.now());
                return Ok(Advanced::Ended(id));
            }
            if !outstanding.now.is_empty() && self.drain.is_cancelled() {
                self.tasks.drop_all();
                self.flush(After::HandBack).await?;
                return Ok(Advanced::HandedBack(id));
            }
            self.tasks.keep(&outstanding.now);
            if self.tasks.is_empty()
                && let Some(Work::Calls(CallWork::Send(call))) = outstanding.now.first()
            {
                telemetry::node("send", Box::pin(self.send(*call))).await?;
                continue;
            }
            self.start(&outstanding.now).await?;
            if !self.tasks.is_empty() {
                if let Some(advanced) = self.watch().await? {
                    return Ok(advanced);
                }
                continue;
            }
            if !outstanding.children.is_empty() {
                match self.children(&outstanding.children).await? {
                    Children::Ended(end) => {
                        self.put(Input::ChildEnded(end))?;
                        self.moved_on(&outstanding)?;
                        continue;
                    }
                    // The runs below ask the people. The lane of this run is free meanwhile.
                    Children::Wait if self.ledger().waiting_since.is_none() => self.put(Input::ChildrenWait)?,
                    Children::Wait | Children::Work => {}
                }
            }
            if outstanding.people && !self.journal.asks() {
                let answers = self.answers().await?;
                if !answers.is_empty() {
                    self.put(Input::Call(CallInput::Answered(answers)))?;
                    continue;
                }
            }
            if let Some(until) = outstanding.until {
                if self.deps.clock.now() < until {
                    self.flush(After::Until(until)).await?;
                    return Ok(Advanced::Waits(id));
                }
                self.put(Input::Due)?;
                self.moved_on(&outstanding)?;
                continue;
            }
            self.flush(After::Release).await?;
            return Ok(Advanced::Waits(id));
        }
    }

    /// Returns an error if the machine still waits for what it just got, because its worker would then never stop.
    fn moved_on(&self, before: &Outstanding<<P::Machine as Machine>::Job>) -> Result<(), DriveError> {
        if self.state.outstanding() == *before {
            return Err(DriveError::Defect(format!("the run still waits for what has come: {before:?}")));
        }
        Ok(())
    }

    pub(crate) fn ledger(&self) -> &Ledger {
        self.state.ledger()
    }

    fn scene(&self) -> Scene<P::Machine> {
        Scene {
            deps: Arc::clone(self.deps),
            claim: Arc::clone(&self.claim),
            state: Arc::clone(&self.state),
            live: self.sender.clone(),
        }
    }

    /// Begins outstanding work that has not begun yet. A write goes alone: it does not begin here, and waits until all other work is done.
    async fn start(&mut self, wanted: &[WorkOf<P>]) -> Result<(), DriveError> {
        for work in wanted {
            let alone = matches!(work, Work::Calls(CallWork::Send(_)));
            if alone || self.tasks.iter().any(|task| task.work == *work) {
                continue;
            }
            if writes::<P>(work) && self.writing() {
                continue;
            }
            if self.tasks.is_empty() {
                self.journal.asking = false;
                (self.sender, self.hearing) = Hearing::new(Written::default());
            }
            if let Work::Own(job) = work {
                let before = self.performer.first(&self.state, job);
                let next = before.map_or_else(|| work.clone(), Work::Own);
                let early = next != *work;
                self.begin(next, early).await?;
                if early {
                    // The early job goes alone, because the next one uses its result.
                    return Ok(());
                }
            } else {
                self.begin(work.clone(), false).await?;
            }
        }
        Ok(())
    }

    async fn begin(&mut self, work: WorkOf<P>, early: bool) -> Result<(), DriveError> {
        if writes::<P>(&work) {
            // Only a job that writes text may continue the text that readers have seen.
            let shown = std::mem::take(&mut Arc::make_mut(&mut self.claim).shown);
            let vet = self.performer.vet(&self.scene());
            let written = Written::after(shown);
            self.hearing.written = match vet {
                Some(vet) => written.vetted(vet),
                None => written,
            };
        }
        let scene = self.scene();
        let step = name_of::<P>(&work);
        let running: BoxFuture<'static, Outcome<P>> = match &work {
            Work::Own(job) => {
                let done = self.performer.perform(scene, job.clone());
                Box::pin(async move { Outcome::Own(done.await) })
            }
            Work::Calls(wanted) => {
                let job = CallJob::prepare(self.deps, &self.claim, wanted).await?;
                let performer = self.performer.clone();
                Box::pin(async move { Outcome::Calls(job.perform(&performer, &scene).await) })
            }
        };
        let now = self.deps.clock.now();
        self.tasks.start(work, early, now, Box::pin(caught(step, telemetry::node(step, running))));
        Ok(())
    }

    fn writing(&self) -> bool {
        self.tasks.iter().any(|task| writes::<P>(&task.work))
    }

    /// Waits until some of the running work ends, and gives the machine its result.
    async fn watch(&mut self) -> Result<Option<Advanced>, DriveError> {
        let scene = self.scene();
        let Some(first) = self.tasks.iter().next() else { return Ok(None) };
        let probes = self.tasks.iter().any(|task| matches!(task.work, Work::Calls(CallWork::Probe(_))));
        let own = self.tasks.iter().find(|task| matches!(task.work, Work::Own(_))).map(|task| task.started);
        let waits = match &first.work {
            Work::Own(job) => self.performer.waits_for(&scene, job),
            Work::Calls(work) => waits_for(self.deps, scene.state.ledger(), work),
        };
        let watch = Watch {
            deps: self.deps,
            run: &scene.claim.run,
            state: &*scene.state,
            journal: &mut self.journal,
            drain: self.drain,
            care: if probes { Care::MustFinish } else { Care::MayBeDropped },
            step: "tasks",
            waits,
        };
        let ended = watch.over(self.tasks.next(), &mut self.hearing).await?;
        let took = |since: Timestamp| self.deps.clock.now().millis_since(since).max(0).unsigned_abs();
        // If the result reports a usage, the event also says how long the question took.
        self.journal.model_ms = match &ended {
            Watched::Done((task, _)) => matches!(task.work, Work::Own(_)).then(|| took(task.started)),
            _ => own.map(took),
        };
        if let Watched::Done((_, Err(Broke))) = &ended {
            self.journal.book_lost(&self.hearing.stake);
        }
        let ended = ended.map(|(task, done)| {
            let input = done.map(|outcome| match outcome {
                Outcome::Calls(input) => Input::Call(input),
                Outcome::Own(own) => self.performer.conclude(&scene, own, Heard(&self.hearing.written)),
            });
            (task, input)
        });
        drop(scene);
        let told = matches!(&ended, Watched::Done((_, Ok(input))) if P::tells(input, &self.hearing.written.thinking));
        let thought = std::mem::take(&mut self.hearing.written.thinking);
        if !thought.trim().is_empty() && !told {
            self.journal.push_event(self.deps.clock.now(), EventBody::Thinking { content: thought });
        }
        if !matches!(ended, Watched::Done(_)) {
            self.tasks.drop_all();
        }
        if !self.writing() {
            self.journal.asking = false;
            // The check of the text holds the claim. If we kept it, each later change of the claim would have to copy the claim.
            self.hearing.written = Written::default();
        }
        if let Some(asked) = self.journal.unheard.take() {
            self.put(Input::Unheard(asked))?;
        }
        match ended {
            Watched::Done((task, Ok(_))) if task.early => {}
            Watched::Done((_, Ok(input))) => self.put(input)?,
            Watched::Done((task, Err(Broke))) => self.broke(&task.work).await?,
            Watched::Broke => return Err(DriveError::Defect("waiting for work broke".into())),
            Watched::Cancelled => self.cancel = true,
            Watched::Deadline => self.put(Input::DeadlineReached)?,
            Watched::Drained => {
                self.flush(After::HandBack).await?;
                return Ok(Some(Advanced::HandedBack(self.claim.run.id)));
            }
        }
        Ok(None)
    }

    /// Stores that a step broke before the step is tried again, so that nobody tries it a third time.
    pub(crate) async fn broke(&mut self, work: &WorkOf<P>) -> Result<(), DriveError> {
        let input = match work {
            // A broken check must not stay undecided: the person is told that we could not find out.
            Work::Calls(CallWork::Probe(id)) => {
                let why = "something went wrong on our end during the check.".into();
                Input::Call(CallInput::Probed(*id, Box::new(Found::CannotTell { why })))
            }
            other => Input::Broke { step: name_of::<P>(other).into() },
        };
        self.put(input)?;
        if self.ledger().outcome.is_none() { self.flush(After::Keep).await } else { Ok(()) }
    }

    /// Runs one step of the machine, and puts its effects into the journal's buffer.
    pub(crate) fn put(&mut self, input: InputOf<P>) -> Result<(), DriveError> {
        let keep = P::Machine::is_worth_saving(&input);
        let now = self.deps.clock.now();
        let (state, effects) = step(P::Machine::clone(&self.state), input, now, &*self.deps.ids)?;
        let over = state.ledger().outcome.is_some();
        let moved = state.place() != self.state.place() && !over;
        self.state = Arc::new(state);
        if effects.iter().any(|effect| matches!(effect, Effect::InsertCall { .. } | Effect::MoveCall { .. })) {
            Arc::make_mut(&mut self.claim).remember(&effects);
        }
        self.journal.take(&self.claim.run, now, effects);
        if moved {
            self.journal.push_event(now, takes_over(self.state.place()));
        }
        if keep && !over {
            self.journal.save(now, &*self.state);
        }
        Ok(())
    }

    pub(crate) async fn flush(&mut self, after: After) -> Result<(), DriveError> {
        self.journal.flush(self.deps, &self.claim.run, &*self.state, after).await
    }

    /// Returns the state of the runs that this one waits for.
    async fn children(&mut self, children: &[RunId]) -> Result<Children, DriveError> {
        let mut all_wait = true;
        for run in children {
            // A run that began in this very step is not stored yet.
            let child = self.deps.store.find_run_unscoped(*run).await?;
            match child {
                Some(child) if child.status.is_final() => {
                    return Ok(Children::Ended(Box::new(children::end_of(&*self.deps.store, child).await?)));
                }
                Some(child) if child.status == RunStatus::AwaitingApproval => {}
                _ => all_wait = false,
            }
        }
        Ok(if all_wait { Children::Wait } else { Children::Work })
    }

    /// Returns people's answers to the approvals that this state waits for.
    async fn answers(&mut self) -> Result<Vec<Answer>, DriveError> {
        let run = self.claim.run.id;
        let waiting: Vec<_> = self.ledger().waiting_approvals().map(|(approval, call)| (approval, call.id)).collect();
        let mut answers = Vec::new();
        for record in self.deps.store.list_approvals_of_run(run).await? {
            let Some((approval, call)) = waiting.iter().find(|(approval, _)| *approval == record.view.id) else {
                continue;
            };
            if record.view.status == ApprovalStatus::Pending {
                continue;
            }
            let row = self.deps.store.find_call(run, *call).await?;
            let row = row.ok_or_else(|| DriveError::Defect(format!("call {call} has no row")))?;
            Arc::make_mut(&mut self.claim).args.insert(*call, Arc::new(row.args.clone()));
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
}

/// Returns an event that names the machine's new place. The time axis consists of these events.
pub(crate) fn takes_over(place: &'static str) -> EventBody {
    EventBody::Agent { agent: place.to_owned(), task: None }
}

fn writes<P: Performer>(work: &WorkOf<P>) -> bool {
    matches!(work, Work::Own(job) if P::writes(job))
}

/// Returns the name of work for metrics.
fn name_of<P: Performer>(work: &WorkOf<P>) -> &'static str {
    match work {
        Work::Own(job) => P::Machine::name_of(job),
        Work::Calls(work) => work.name(),
    }
}
