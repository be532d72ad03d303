//! Collects effects and writes them in one transaction: call rows, approvals, events, state, the run's row and wakes.
//!
//! This module uses nothing but the database. What is not flushed never happened.

use adagent_contract::{ApprovalStatus, ApprovalView, CallResult, EventBody, RunStatus};
use adagent_domain::{ApprovalId, CheckpointId, RunId, Timestamp, ToolCallId, WorkspaceId};
use adagent_run_core::{Ask, AskedModel, CallMark, CallRow, Child, Effect, Ledger, Machine, Spent, to_text};
use adagent_store::{
    ApprovalAnswer, ApprovalRecord, CallRecord, CallStatus, Checkpoint, EngineUnit, Held, Lease, QuestionNumber,
    Reservation, Reserved, Run, RunUpdate, Settlement, StoreError, Wake,
};
use tokio::time::Instant;

use crate::{
    children,
    control::{end_calls, withdraw_pending},
    deps::{CutPoint, RuntimeDeps},
    drive::DriveError,
    stake::Stake,
    telemetry,
    work::spent,
};

/// A change of a row. Changes are written in the order in which they came.
enum Op {
    Insert(Box<CallRecord>),
    Move { id: ToolCallId, from: &'static [CallRow], to: CallMark, result: Option<Box<CallResult>> },
    Ask(Box<Ask>),
    Cancel { approval: ApprovalId, reason: String },
    Begin(Box<Child>),
    Stop(RunId),
}

/// A state of any kind of run, as the journal stores it.
pub(crate) trait Stored: Send + Sync {
    fn place(&self) -> &'static str;
    fn text(&self) -> String;
    fn ledger(&self) -> &Ledger;
}

impl<M: Machine> Stored for M {
    fn place(&self) -> &'static str {
        Machine::place(self)
    }

    fn text(&self) -> String {
        to_text(self)
    }

    fn ledger(&self) -> &Ledger {
        Machine::ledger(self)
    }
}

struct Saved {
    node: &'static str,
    /// How many events of the buffer belong to this state.
    events: usize,
    state: String,
    at: Timestamp,
}

/// What happens to the lease after a flush.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum After {
    Keep,
    /// Released, with nothing to do until something wakes the run.
    Release,
    /// Released, with nothing to do until this time, unless something wakes the run.
    Until(Timestamp),
    /// Released, and another worker may continue at once.
    HandBack,
}

/// Effects that are not written yet.
pub(crate) struct Journal {
    pub lease: Lease,
    /// The end of the lease on the monotonic clock.
    pub lease_ends: Instant,
    pub last_seq: u64,
    step: i64,
    /// The number of the last state that was written.
    stored: i64,
    /// Each event has its own time, which is not the time of the flush.
    events: Vec<(Timestamp, EventBody)>,
    ops: Vec<Op>,
    saved: Vec<Saved>,
    update: RunUpdate,
    durable: bool,
    /// How long we waited for the model whose usage comes next.
    pub model_ms: Option<u64>,
    /// A question to a model that broke off. The driver still has to tell the machine its cost.
    pub unheard: Option<AskedModel>,
    /// How many questions to hosted models still have to be charged to the day.
    asked: u64,
    /// Whether the day's budget holds a reservation for the run's last question. The next flush settles it.
    pub reserved: bool,
    /// Whether that question still runs, together with other work. The reservation then stays.
    pub asking: bool,
}

impl Journal {
    pub fn new(lease: Lease, lease_ends: Instant, last_seq: u64, step: i64) -> Self {
        Self {
            reserved: false,
            asking: false,
            asked: 0,
            lease,
            lease_ends,
            last_seq,
            step,
            stored: step,
            events: Vec::new(),
            ops: Vec::new(),
            saved: Vec::new(),
            update: RunUpdate::default(),
            durable: false,
            model_ms: None,
            unheard: None,
        }
    }

    /// Renews the lease.
    pub async fn renew(&mut self, deps: &RuntimeDeps, workspace: WorkspaceId) -> Result<(), DriveError> {
        let mut work = deps.store.engine_unit_in(workspace).await?;
        // Take the time once we have a connection, so that the wait for one does not shorten the lease.
        let (now, begun) = (deps.clock.now(), Instant::now());
        let until = now.plus_millis(i64::try_from(deps.config.lease.as_millis()).unwrap_or(i64::MAX));
        work.renew_lease(&self.lease, until).await?;
        work.commit().await?;
        (self.lease.until, self.lease_ends) = (until, begun + deps.config.lease);
        Ok(())
    }

    /// Notes that the run begins. The first flush writes it into the run's row.
    pub fn start(&mut self, now: Timestamp) {
        self.update.started_at = Some(now);
        self.update.status = Some(RunStatus::Running);
    }

    /// Checks whether the buffer holds a question to a person. Nobody can have answered it yet.
    pub fn asks(&self) -> bool {
        self.ops.iter().any(|op| matches!(op, Op::Ask(_)))
    }

    pub fn push_event(&mut self, now: Timestamp, event: EventBody) {
        self.events.push((now, event));
    }

    /// Buffers the effects of one step.
    pub fn take(&mut self, run: &Run, now: Timestamp, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Emit(mut event) => {
                    if let EventBody::Usage { duration_ms, .. } = &mut event {
                        *duration_ms = self.model_ms.take();
                    }
                    self.events.push((now, event));
                }
                Effect::InsertCall { id, name, args, digest, read_only } => {
                    self.ops.push(Op::Insert(Box::new(CallRecord {
                        id,
                        run: run.id,
                        workspace: run.workspace,
                        name,
                        read_only,
                        args,
                        digest,
                        status: CallStatus::Prepared,
                        outcome: CallResult::default(),
                        created_at: now,
                        updated_at: now,
                    })));
                }
                Effect::MoveCall { id, from, to, result } => self.move_call(id, from, to, result),
                Effect::Ask(ask) => {
                    self.durable = true;
                    self.ops.push(Op::Ask(ask));
                }
                Effect::CancelApproval { approval, reason } => self.ops.push(Op::Cancel { approval, reason }),
                Effect::Spend(spent) => self.spend(&spent),
                Effect::Status(status) => self.update.status = Some(status),
                Effect::Finish { status, answer } => {
                    self.update.status = Some(status);
                    self.update.answer = answer;
                    self.update.finished_at = Some(now);
                }
                Effect::Begin(child) => self.ops.push(Op::Begin(child)),
                Effect::StopChild(child) => {
                    let begins = |op: &Op| matches!(op, Op::Begin(begun) if begun.run == child);
                    // One that was never written needs no stop.
                    match self.ops.iter().position(begins) {
                        Some(at) => drop(self.ops.remove(at)),
                        None => self.ops.push(Op::Stop(child)),
                    }
                }
            }
        }
    }

    fn spend(&mut self, spent: &Spent) {
        self.update.add_input_tokens += spent.input_tokens;
        self.update.add_output_tokens += spent.output_tokens;
        self.update.add_cost_micros += spent.cost_micros;
        // Without a reservation, the run asked no question that costs anything.
        self.asked += u64::from(self.reserved && (spent.input_tokens, spent.output_tokens) != (0, 0));
    }

    /// Notes the cost of a dropped question to a model: the provider bills what we sent and what it wrote.
    pub fn book_lost(&mut self, stake: &Stake) {
        if let Some(asked) = stake.lost() {
            telemetry::used(stake.model(), &spent(stake.under_way()));
            self.unheard = Some(asked);
        }
    }

    /// Reserves the cost of a question, in its own transaction.
    pub async fn reserve(&mut self, deps: &RuntimeDeps, wanted: &Reservation) -> Result<Reserved, DriveError> {
        let mut work = deps.store.engine_unit_in(wanted.workspace).await?;
        let reserved = work.reserve_usage(&self.lease, wanted).await?;
        commit(deps, work).await?;
        self.reserved |= reserved == Reserved::Granted;
        Ok(reserved)
    }

    /// Charges what was spent, or releases the reservation of a question that has ended.
    async fn settle(
        &mut self,
        deps: &RuntimeDeps,
        work: &mut dyn EngineUnit,
        run: &Run,
        now: Timestamp,
    ) -> Result<(), DriveError> {
        if self.asking {
            return Ok(());
        }
        if self.asked > 0 {
            let settled = Settlement {
                workspace: run.workspace,
                question: QuestionNumber::ONLY,
                day: deps.config.budget.day(now).name,
                input_tokens: self.update.add_input_tokens,
                output_tokens: self.update.add_output_tokens,
                cost_micros: self.update.add_cost_micros,
                calls: self.asked,
            };
            work.settle_usage(&self.lease, &settled).await?;
        } else if self.reserved {
            work.release_usage(run.id, QuestionNumber::ONLY).await?;
        }
        self.asked = 0;
        self.reserved = false;
        Ok(())
    }

    /// Moves a call to a new status. If its row is not written yet, changes the row in the buffer.
    fn move_call(&mut self, id: ToolCallId, from: &'static [CallRow], to: CallMark, result: Option<CallResult>) {
        let unwritten = self.ops.iter_mut().find_map(|op| match op {
            Op::Insert(call) if call.id == id => Some(call),
            _ => None,
        });
        if let Some(call) = unwritten {
            call.status = status_of(to);
            if let Some(result) = result {
                call.outcome = result;
            }
            return;
        }
        // A power failure must not undo that a write was about to be sent, its outcome, or that its outcome is unknown.
        self.durable |= matches!(to, CallMark::Sending | CallMark::Unknown) || from.contains(&CallRow::Sending);
        self.ops.push(Op::Move { id, from, to, result: result.map(Box::new) });
    }

    /// Keeps the state as it is now. The next flush writes it.
    pub fn save(&mut self, now: Timestamp, state: &dyn Stored) {
        let saved = Saved { node: state.place(), events: self.events.len(), state: state.text(), at: now };
        match self.saved.last_mut() {
            // Two states without an event between them: the later one is enough.
            Some(last) if last.events == saved.events => *last = saved,
            _ => self.saved.push(saved),
        }
    }

    /// Writes everything in one transaction. If the lease is lost, writes nothing.
    pub async fn flush(
        &mut self,
        deps: &RuntimeDeps,
        run: &Run,
        state: &dyn Stored,
        after: After,
    ) -> Result<(), DriveError> {
        if after == After::Keep && self.events.is_empty() && self.ops.is_empty() && self.saved.is_empty() {
            return Ok(());
        }
        let now = deps.clock.now();
        // Save the state even if there is nothing else to write, because its time tells the next worker since when nobody worked on the
        // run.
        let given_back = matches!(after, After::HandBack | After::Until(_));
        if given_back || !self.saved.is_empty() || !self.events.is_empty() || !self.ops.is_empty() {
            self.save(now, state);
        }
        let mut work = deps.store.engine_unit_in(run.workspace).await?;
        let over = state.ledger().outcome.is_some();
        // A run that ends or begins to wait for a person lets the next run of its lane begin.
        if over || after == After::Release {
            work.lock_lanes_of(run).await?;
        }
        for op in &self.ops {
            match op {
                Op::Begin(child) => work.lock_lane(child.run.into()).await?,
                // Lock the rows of children before this run's row.
                Op::Stop(child) => {
                    work.request_cancel(*child, now).await?;
                    // One that waits for a person does nothing until somebody wakes it.
                    work.ready_run(*child, now).await?;
                }
                _ => {}
            }
        }
        if !self.ops.is_empty() {
            // Lock the run's row first, as requests do, so that the two never wait for each other.
            work.hold_lease(&self.lease).await?;
        }
        let events = std::mem::take(&mut self.events);
        // What lists show about the run: whether it works, waits for a person, or has ended.
        let changes_lists = over
            || self.update.status.is_some()
            || self.ops.iter().any(|op| matches!(op, Op::Ask(_) | Op::Cancel { .. }));
        let begins = self.ops.iter().any(|op| matches!(op, Op::Begin(_)));
        let dropped = self.write_rows(&mut *work, run, now).await?;
        let events: Vec<_> = events.into_iter().filter(|(_, event)| !answers(event, &dropped)).collect();
        let first = if events.is_empty() { self.last_seq + 1 } else { work.append_timed(&self.lease, &events).await? };
        let saved = std::mem::take(&mut self.saved);
        let (before, count) = (self.step, events.len());
        self.step += i64::try_from(saved.len()).unwrap_or(i64::MAX);
        let mut checkpoints = (before + 1..).zip(saved).map(|(step, saved)| Checkpoint {
            id: CheckpointId::new(&*deps.ids),
            run: run.id,
            step,
            seq: first + saved.events.min(count) as u64 - 1,
            node: saved.node.into(),
            state: saved.state,
            created_at: saved.at,
        });
        work.insert_checkpoints(&self.lease, &mut checkpoints).await?;
        self.settle(deps, &mut *work, run, now).await?;
        let mut update = std::mem::take(&mut self.update);
        self.durable |= over && !state.ledger().calls.iter().all(|call| call.read_only);
        if over && self.step > i64::from(deps.config.keep_checkpoints) {
            work.prune_checkpoints(run.id, deps.config.keep_checkpoints).await?;
        }
        update.release = after != After::Keep;
        update.next_ready = match after {
            After::HandBack => Some(now),
            After::Until(later) => Some(later),
            After::Keep | After::Release => None,
        };
        if update != RunUpdate::default() {
            work.update_run(&self.lease, &update).await?;
        }
        if !events.is_empty() {
            work.wake(Wake::Events(run.id));
        }
        if after != After::Keep || begins {
            work.wake(Wake::Work);
        }
        if changes_lists {
            work.wake(Wake::Activity(run.principal.user));
        }
        if std::mem::take(&mut self.durable) {
            work.durable();
        }
        commit(deps, work).await?;
        self.last_seq = first + events.len() as u64 - 1;
        self.stored = self.step;
        Ok(())
    }

    /// Replaces an error if the stored state is not the one that this worker wrote last. The database then lost what this worker wrote, so
    /// the error says nothing about the run. The next worker continues from what is stored.
    pub async fn explain(&self, deps: &RuntimeDeps, error: DriveError) -> DriveError {
        if !matches!(error, DriveError::Defect(_) | DriveError::Step(_)) {
            return error;
        }
        match deps.store.find_latest_checkpoint(self.lease.run).await {
            Ok(saved) if saved.as_ref().map_or(0, |saved| saved.step) != self.stored => {
                StoreError::OutOfStep { step: self.stored }.into()
            }
            _ => error,
        }
    }

    /// Writes only events: streamed text and progress. The state before them is already flushed.
    pub async fn stream(&mut self, deps: &RuntimeDeps, run: &Run, events: &[EventBody]) -> Result<(), DriveError> {
        let mut work = deps.store.engine_unit_in(run.workspace).await?;
        let first = work.append_events(&self.lease, deps.clock.now(), events).await?;
        work.wake(Wake::Events(run.id));
        commit(deps, work).await?;
        self.last_seq = first + events.len() as u64 - 1;
        Ok(())
    }

    async fn write_rows(
        &mut self,
        work: &mut dyn EngineUnit,
        run: &Run,
        now: Timestamp,
    ) -> Result<Vec<ApprovalId>, DriveError> {
        let mut dropped = Vec::new();
        for op in std::mem::take(&mut self.ops) {
            match op {
                Op::Insert(call) => work.insert_call(&self.lease, &call).await?,
                Op::Move { id, from, to, result } => {
                    let from: Vec<_> = from.iter().copied().map(row_status).collect();
                    let moved = work
                        .move_call(Some(&self.lease), run.id, id, &from, status_of(to), None, result.as_deref(), now)
                        .await?;
                    if !moved {
                        return Err(DriveError::Defect(format!("call {id} was not where it had to be for {to:?}")));
                    }
                }
                Op::Ask(ask) => work.insert_approval(&self.lease, &record(run, *ask, now)).await?,
                Op::Begin(child) => children::insert(work, run, *child, now).await?,
                Op::Stop(_) => {}
                Op::Cancel { approval, reason } => {
                    let answer = ApprovalAnswer {
                        status: ApprovalStatus::Cancelled,
                        by: run.principal.user,
                        by_name: "the stopped run".into(),
                        at: now,
                        edited_args: None,
                        sent: None,
                        digest: String::new(),
                        reason: Some(reason),
                    };
                    if !work.answer_approval(run.workspace, approval, &answer).await? {
                        // A person answered first, and the record keeps that answer.
                        dropped.push(approval);
                    }
                }
            }
        }
        Ok(dropped)
    }
}

pub(crate) async fn commit(deps: &RuntimeDeps, work: Box<dyn EngineUnit>) -> Result<(), DriveError> {
    if let Some(cuts) = &deps.cuts
        && cuts.dies_at(CutPoint::BeforeCommit)
    {
        return Err(DriveError::Killed);
    }
    if deps.cuts.as_ref().is_some_and(|cuts| cuts.store_fails()) {
        return Err(StoreError::Unavailable("as the test says".into()).into());
    }
    work.commit().await?;
    match &deps.cuts {
        Some(cuts) if cuts.dies_at(CutPoint::AfterCommit) => Err(DriveError::Killed),
        _ => Ok(()),
    }
}

fn answers(event: &EventBody, approvals: &[ApprovalId]) -> bool {
    matches!(event, EventBody::ToolApprovalAnswered { approval_id, .. } if approvals.contains(approval_id))
}

fn record(run: &Run, ask: Ask, now: Timestamp) -> ApprovalRecord {
    let sketch = ask.sketch;
    ApprovalRecord {
        workspace: run.workspace,
        user: run.principal.user,
        digest: ask.digest,
        view: ApprovalView {
            asked_by: None,
            id: ask.approval,
            approval_id: ask.approval,
            run_id: run.id,
            session_id: run.turn().map(|turn| turn.session),
            status: ApprovalStatus::Pending,
            tool_call_id: ask.call,
            tool_name: ask.tool,
            source: ask.source,
            title: sketch.title,
            tool_input: sketch.tool_input,
            parameter_schema: sketch.parameter_schema,
            ui_hints: sketch.ui_hints,
            risk: sketch.risk,
            warnings: sketch.warnings,
            preview: sketch.preview,
            created_at: now,
            expires_at: Some(ask.expires_at),
            answered_at: None,
            answered_by: None,
            edited_args: None,
            sent: None,
            reason: None,
            undone: false,
            asked_again: false,
        },
    }
}

const fn status_of(mark: CallMark) -> CallStatus {
    match mark {
        CallMark::Prepared => CallStatus::Prepared,
        CallMark::Sending => CallStatus::Sending,
        CallMark::Succeeded => CallStatus::Succeeded,
        CallMark::Failed => CallStatus::Failed,
        CallMark::Unknown => CallStatus::Unknown,
        CallMark::Denied => CallStatus::Denied,
    }
}

const fn row_status(row: CallRow) -> CallStatus {
    match row {
        CallRow::Prepared => CallStatus::Prepared,
        CallRow::Approved => CallStatus::Approved,
        CallRow::Sending => CallStatus::Sending,
    }
}

/// Returns the cost of a question whose outcome nobody knows. Everything that was reserved for it counts as spent.
pub(crate) fn lost(held: Held) -> AskedModel {
    let Held { model, input_tokens, output_tokens, cost_micros, .. } = held;
    let usage = Spent { input_tokens, output_tokens, cost_micros, estimated: true };
    telemetry::used(&model, &usage);
    AskedModel { model, usage }
}

/// Ends a run that cannot continue, and says so in its record. Drops whatever the buffer held.
pub(crate) async fn fail_run(deps: &RuntimeDeps, run: &Run, lease: &Lease, content: &str) -> Result<(), StoreError> {
    const REASON: &str = "The run couldn't continue.";
    let now = deps.clock.now();
    // A question that the failure left open still costs.
    let held = deps.store.list_held(run.id).await?;
    let mut work = deps.store.engine_unit_in(run.workspace).await?;
    work.lock_lanes_of(run).await?;
    // Stop the runs that it began, because nothing waits for them anymore. Lock the rows of children before their parent's row.
    for child in deps.store.list_children(run.id).await? {
        work.request_cancel(child.id, now).await?;
        work.ready_run(child.id, now).await?;
    }
    work.hold_lease(lease).await?;
    // Close every open question, because nobody would read an answer.
    let mut events = withdraw_pending(&mut *work, run, run.principal.user, "the failed run", REASON, now).await?;
    events.extend(end_calls(&mut *work, Some(lease), run.id, REASON, now).await?);
    let mut update =
        RunUpdate { status: Some(RunStatus::Failed), finished_at: Some(now), release: true, ..RunUpdate::default() };
    for held in held {
        let (question, asked) = (held.question, lost(held));
        events.push(EventBody::Usage {
            model: asked.model.clone(),
            input_tokens: asked.usage.input_tokens,
            output_tokens: asked.usage.output_tokens,
            cost_micros: asked.usage.cost_micros,
            duration_ms: None,
            estimated: true,
        });
        let day = deps.config.budget.day(now).name;
        let Spent { input_tokens, output_tokens, cost_micros, .. } = asked.usage;
        let workspace = run.workspace;
        let settled = Settlement { workspace, question, day, input_tokens, output_tokens, cost_micros, calls: 1 };
        work.settle_usage(lease, &settled).await?;
        update.add_input_tokens += input_tokens;
        update.add_output_tokens += output_tokens;
        update.add_cost_micros += cost_micros;
    }
    events.push(EventBody::Error {
        code: "internal".into(),
        content: content.into(),
        retryable: true,
        developer_override_available: None,
    });
    events.push(EventBody::Done { status: RunStatus::Failed });
    work.append_events(lease, now, &events).await?;
    work.update_run(lease, &update).await?;
    work.wake(Wake::Events(run.id));
    // The next run of the chat may begin now.
    work.wake(Wake::Work);
    work.wake(Wake::Activity(run.principal.user));
    work.durable();
    work.commit().await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_must_survive_a_power_cut_is_synced_and_the_rest_is_not() {
        const READ: &[CallRow] = &[CallRow::Prepared];
        const APPROVED: &[CallRow] = &[CallRow::Approved];
        const SENT: &[CallRow] = &[CallRow::Sending];
        let ids = adagent_domain::SequentialIds::default();
        for (from, to, synced) in [
            (APPROVED, CallMark::Sending, true),
            (SENT, CallMark::Succeeded, true),
            (SENT, CallMark::Failed, true),
            (SENT, CallMark::Prepared, true),
            (READ, CallMark::Unknown, true),
            (READ, CallMark::Succeeded, false),
            (READ, CallMark::Denied, false),
        ] {
            let lease = Lease {
                run: adagent_domain::RunId::new(&ids),
                owner: "w".into(),
                epoch: 1,
                until: Timestamp::from_micros(0),
            };
            let mut journal = Journal::new(lease, Instant::now(), 0, 0);
            journal.move_call(ToolCallId::new(&ids), from, to, None);
            assert_eq!(journal.durable, synced, "{from:?} to {to:?}");
        }
    }
}
