//! What transactions do to runs, calls, approvals and messages, statement by statement as in the real engines.

use adagent_contract::{ApprovalStatus, CallResult, ContextSettings, EventBody, RunEvent, RunStatus};
use adagent_domain::{ApprovalId, LaneId, RunId, Timestamp, ToolCallId, UserId, WorkspaceId};
use adagent_store::{
    AccountWrites, ApprovalAnswer, ApprovalRecord, ApprovalWrites, AuditEntry, AuditWrites, CallRecord, CallStatus,
    ChatSession, ChatWrites, Checkpoint, ClaimedRun, HistoryWrites, HttpSession, IdempotentAnswer, Lease, MiscWrites,
    NewMessage, NewRun, NewUser, Origin, QuestionNumber, Reservation, Reserved, Run, RunClass, RunUpdate, RunWrites,
    Settlement, StoreError, StoreResult, UsageWrites,
};
use async_trait::async_trait;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use uuid::Uuid;

use super::{Row, Unit, is_open};
use crate::{plan::Planted, sim::lock};

const fn none(what: &'static str) -> StoreError {
    StoreError::RowsAffected { what, expected: 1, actual: 0 }
}

/// Refuses what no part of the engine asks of a store.
pub(super) fn not_simulated<T>() -> StoreResult<T> {
    Err(StoreError::Schema("the simulated store holds runs and conversations only".to_owned()))
}

/// Checks that the lease belongs to this run, because a lease gives rights only over its own run.
fn belongs(what: &'static str, lease: &Lease, run: RunId) -> StoreResult<()> {
    if lease.run == run { Ok(()) } else { Err(none(what)) }
}

fn earlier(a: Option<Timestamp>, b: Option<Timestamp>) -> Option<Timestamp> {
    a.into_iter().chain(b).min()
}

/// Checks whether a worker advances the run, or may claim it.
fn is_at_work(row: &Row) -> bool {
    is_open(row.run.status) && (row.run.status == RunStatus::Running || row.owner.is_some() || row.claim_at.is_some())
}

/// Returns the lock key of a lane. It differs from the key of the run's row, because a child's lane has the ID of the run.
const fn of_lane(lane: LaneId) -> Uuid {
    Uuid::from_u128(!lane.0.as_u128())
}

impl Unit {
    fn put(&mut self, row: Row) {
        self.changes.rows.insert(row.run.id, row);
    }

    fn append(&mut self, mut row: Row, at: Timestamp, events: &[EventBody]) -> u64 {
        if !events.is_empty() && self.sim.planted(Planted::SkipNumber) && self.sim.chance.percent(2) {
            row.run.last_seq += 1;
        }
        let first = row.run.last_seq + 1;
        row.run.last_seq += events.len() as u64;
        let run_id = row.run.id;
        let numbered = (first..).zip(events).map(|(seq, body)| RunEvent { run_id, seq, at, body: body.clone() });
        self.changes.events.extend(numbered);
        self.put(row);
        first
    }

    /// Locks a run if it exists, and returns it.
    async fn locked(&mut self, run: RunId) -> StoreResult<Option<Row>> {
        if self.row(run).is_none() {
            return Ok(None);
        }
        self.lock(run.0).await?;
        Ok(self.row(run))
    }

    fn open_runs(&self, workspace: WorkspaceId, lane: LaneId) -> Vec<RunId> {
        let mine = |run: &Run| run.workspace == workspace && run.lane == lane && is_open(run.status);
        let db = lock(&self.sim.db);
        let committed = db.runs.values().filter(|filed| !self.changes.rows.contains_key(&filed.row.run.id));
        let mut ids: Vec<_> = committed.map(|filed| &filed.row.run).filter(|run| mine(run)).map(|run| run.id).collect();
        ids.extend(self.changes.rows.values().map(|row| &row.run).filter(|run| mine(run)).map(|run| run.id));
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    /// Locks the lane of a run, for units that end or park a run without having locked its lane.
    async fn lock_lane_of(&mut self, run: RunId) -> StoreResult<()> {
        if self.owns_a_lane() {
            return Ok(());
        }
        self.lock_both_lanes_of(run).await
    }

    fn owns_a_lane(&self) -> bool {
        let db = lock(&self.sim.db);
        db.runs.values().any(|filed| db.locks.get(&of_lane(filed.row.run.lane)) == Some(&self.id()))
    }

    async fn lock_both_lanes_of(&mut self, run: RunId) -> StoreResult<()> {
        let Some(row) = self.row(run) else { return Ok(()) };
        let parent = row.run.parent.and_then(|parent| self.row(parent.run));
        let mut lanes = [Some(row.run.lane), parent.map(|row| row.run.lane)];
        lanes.sort_unstable();
        for lane in lanes.into_iter().flatten() {
            self.lock(of_lane(lane)).await?;
        }
        Ok(())
    }

    /// Returns the open runs of a lane, oldest first, as this unit sees them.
    fn open_rows(&self, workspace: WorkspaceId, lane: LaneId) -> Vec<Row> {
        let ids = self.open_runs(workspace, lane).into_iter();
        ids.filter_map(|id| self.row(id)).filter(|row| is_open(row.run.status)).collect()
    }

    /// Lets the next run of a lane begin after a run ended or began to wait for a person. A worker may then claim the oldest run that waits
    /// for its turn, unless another run already works or may be claimed.
    async fn ready_next(&mut self, left: &Run) -> StoreResult<()> {
        let waits = |row: &Row| row.run.status == RunStatus::Queued && row.owner.is_none() && row.claim_at.is_none();
        if matches!(left.status, RunStatus::Queued | RunStatus::Running) {
            return Ok(());
        }
        let open = self.open_rows(left.workspace, left.lane);
        if open.iter().any(is_at_work) {
            return Ok(());
        }
        let Some(next) = open.iter().find(|row| waits(row)).map(|row| row.run.id) else { return Ok(()) };
        if let Some(mut row) = self.locked(next).await?.filter(waits) {
            row.claim_at = Some(left.finished_at.unwrap_or(row.run.created_at));
            self.put(row);
        }
        Ok(())
    }

    /// Returns a ready run that is not locked by others: from the first class that has one, the run that has been ready longest. A single
    /// writer need not skip locked ones.
    fn next_ready(&self, now: Timestamp, classes: &[RunClass]) -> Option<RunId> {
        let db = lock(&self.sim.db);
        let committed =
            db.runs.values().map(|filed| &filed.row).filter(|row| !self.changes.rows.contains_key(&row.run.id));
        let place = |row: &Row| {
            let class = RunClass::ALL.into_iter().position(|class| class == row.run.class);
            class.filter(|_| classes.contains(&row.run.class))
        };
        let all = committed.chain(self.changes.rows.values());
        let ready = all.filter_map(|row| Some((place(row)?, row.claim_at?, row.run.id)));
        let mut ready: Vec<_> = ready.filter(|(_, at, _)| *at <= now).collect();
        ready.sort_unstable();
        ready.into_iter().map(|(_, _, id)| id).find(|id| !db.locks.contains_key(&id.0) || self.has_locked(&db, *id))
    }

    /// Returns the parent of a new run. This unit must hold the parent's lease.
    fn parent_of(&self, run: &NewRun) -> StoreResult<Option<Run>> {
        let Some(parent) = &run.parent else { return Ok(None) };
        if !self.changes.leases.iter().any(|lease| lease.run == parent.run) {
            return Err(none("held parent of the run"));
        }
        let row = self.row(parent.run).filter(|row| {
            is_open(row.run.status)
                && row.run.workspace == run.workspace
                && row.run.principal.user == run.principal.user
        });
        let taken = |child: &Run| child.parent.as_ref() == Some(parent);
        if self.changes.rows.values().any(|row| taken(&row.run))
            || lock(&self.sim.db).runs.values().any(|filed| taken(&filed.row.run))
        {
            return Err(StoreError::Taken { table: "runs".into(), column: "parent_id__parent_path".into() });
        }
        row.map(|row| Some(row.run)).ok_or(none("insert run"))
    }

    /// Wakes the parent of a run that ended, so that it sees the result.
    async fn ready_parent(&mut self, ended: &Run) -> StoreResult<()> {
        let Some(parent) = &ended.parent else { return Ok(()) };
        let at = ended.finished_at.unwrap_or(Timestamp::EPOCH);
        if self.take_up_run(parent.run, at).await?.is_some() {
            return Ok(());
        }
        // A queued parent sees the result when its turn comes.
        let waits_its_turn = |row: &Row| row.run.status == RunStatus::Queued && row.owner.is_none();
        if self.row(parent.run).is_some_and(|row| waits_its_turn(&row)) {
            Ok(())
        } else {
            self.ready_run(parent.run, at).await
        }
    }

    async fn tell_parent(&mut self, waits: &Run) -> StoreResult<()> {
        let Some(parent) = &waits.parent else { return Ok(()) };
        let hears = |row: &Row| match row.run.status {
            RunStatus::Running => true,
            RunStatus::Queued => row.owner.is_some(),
            _ => false,
        };
        if self.row(parent.run).is_some_and(|row| hears(&row)) {
            self.ready_run(parent.run, Timestamp::EPOCH).await?;
        }
        Ok(())
    }

    /// Returns the open runs below this one, deepest first.
    fn open_under(&self, run: RunId) -> Vec<RunId> {
        let db = lock(&self.sim.db);
        let committed = db.runs.values().map(|filed| &filed.row.run);
        let own = self.changes.rows.values().map(|row| &row.run);
        let all: BTreeMap<RunId, Run> = committed.chain(own).map(|run| (run.id, run.clone())).collect();
        let is_under = |one: &Run| {
            std::iter::successors(one.parent.as_ref(), |parent| all.get(&parent.run)?.parent.as_ref())
                .any(|parent| parent.run == run)
        };
        let mut under: Vec<&Run> = all.values().filter(|one| is_open(one.status) && is_under(one)).collect();
        under.sort_by_key(|one| (std::cmp::Reverse(one.depth), one.id));
        under.into_iter().map(|one| one.id).collect()
    }

    /// Checks whether this person may have such a run: it answers a message of one of their chats, or it is in their own workspace.
    fn may_begin(&self, run: &NewRun) -> bool {
        let db = lock(&self.sim.db);
        let Some(turn) = run.turn() else {
            return db.users.get(&run.principal.user).is_some_and(|user| user.personal_workspace == run.workspace);
        };
        let theirs = |chat: &ChatSession| {
            chat.id == turn.session && chat.workspace == run.workspace && chat.user == run.principal.user
        };
        self.changes.chats.iter().any(theirs) || db.chats.get(&turn.session).is_some_and(theirs)
    }

    fn has_locked(&self, db: &super::Db, run: RunId) -> bool {
        db.locks.get(&run.0) == Some(&self.id())
    }
}

#[async_trait]
impl RunWrites for Unit {
    async fn lock_lane(&mut self, lane: LaneId) -> StoreResult<()> {
        self.cross().await?;
        self.lock(of_lane(lane)).await
    }

    async fn lock_lanes_of(&mut self, run: &Run) -> StoreResult<()> {
        self.cross().await?;
        self.lock_both_lanes_of(run.id).await
    }

    async fn insert_run(&mut self, run: &NewRun) -> StoreResult<bool> {
        self.cross().await?;
        let parent = self.parent_of(run)?;
        self.lock(of_lane(run.lane)).await?;
        let above = std::iter::successors(parent.clone(), |run| self.row(run.parent.as_ref()?.run).map(|row| row.run));
        if !self.may_begin(run) || above.into_iter().any(|above| above.lane == run.lane) {
            return Err(none("insert run"));
        }
        self.lock(run.id.0).await?;
        let fresh = Run {
            id: run.id,
            workspace: run.workspace,
            principal: run.principal,
            subject: run.subject.clone(),
            class: run.class,
            lane: run.lane,
            parent: run.parent.clone(),
            root: parent.as_ref().map_or(run.id, |parent| parent.root),
            depth: parent.as_ref().map_or(0, |parent| parent.depth + 1),
            status: RunStatus::Queued,
            model: run.model.clone(),
            epoch: 0,
            cancel_requested: parent.as_ref().is_some_and(|parent| parent.cancel_requested),
            last_seq: 0,
            answer: None,
            input_tokens: 0,
            output_tokens: 0,
            cost_micros: 0,
            created_at: run.created_at,
            started_at: None,
            finished_at: None,
            lease_until: None,
            context: run.context.clone(),
        };
        let open = self.open_rows(run.workspace, run.lane);
        let free = !open.iter().any(|row| row.run.status == RunStatus::Queued || is_at_work(row));
        self.put(Row { run: fresh, owner: None, claim_at: free.then_some(run.ready_at), woken_at: None, takeovers: 0 });
        Ok(free)
    }

    async fn mark_asked(&mut self, _: RunId, _: &str) -> StoreResult<()> {
        unreachable!("nobody here is a program that asks for calls")
    }

    async fn claim_new(&mut self, run: RunId, owner: &str, until: Timestamp) -> StoreResult<Option<Lease>> {
        self.cross().await?;
        let is_new = |row: &Row| row.run.status == RunStatus::Queued && row.run.epoch == 0 && row.owner.is_none();
        let Some(mut row) = self.locked(run).await?.filter(is_new) else { return Ok(None) };
        row.owner = Some(owner.to_owned());
        row.run.lease_until = Some(until);
        row.claim_at = Some(until);
        row.run.epoch += 1;
        let lease = Lease { run, owner: owner.to_owned(), epoch: row.run.epoch, until };
        self.put(row);
        Ok(Some(lease))
    }

    async fn claim_run(
        &mut self,
        owner: &str,
        now: Timestamp,
        until: Timestamp,
        classes: &[RunClass],
    ) -> StoreResult<Option<ClaimedRun>> {
        self.cross().await?;
        // With real threads, another worker may claim it between the search and the lock.
        let (id, mut row) = loop {
            let Some(id) = self.next_ready(now, classes) else { return Ok(None) };
            self.lock(id.0).await?;
            if let Some(row) = self.row(id).filter(|row| row.claim_at.is_some_and(|at| at <= now)) {
                break (id, row);
            }
        };
        let taken_from = row.owner.replace(owner.to_owned());
        row.run.lease_until = Some(until);
        row.claim_at = Some(until);
        row.woken_at = None;
        row.takeovers = if taken_from.is_some() { row.takeovers + 1 } else { 0 };
        row.run.epoch += 1;
        let (run, takeovers) = (row.run.clone(), row.takeovers);
        self.put(row);
        let lease = Lease { run: id, owner: owner.to_owned(), epoch: run.epoch, until };
        Ok(Some(ClaimedRun { run, lease, taken_from, takeovers }))
    }

    async fn lock_run(&mut self, id: RunId) -> StoreResult<Option<Run>> {
        self.cross().await?;
        Ok(self.locked(id).await?.map(|row| row.run))
    }

    async fn lock_open_runs(&mut self, workspace: WorkspaceId, lane: LaneId) -> StoreResult<Vec<Run>> {
        self.cross().await?;
        self.lock(of_lane(lane)).await?;
        let mut runs = Vec::new();
        for id in self.open_runs(workspace, lane) {
            // The run may have ended while this statement waited for the row.
            runs.extend(self.locked(id).await?.map(|row| row.run).filter(|run| is_open(run.status)));
        }
        Ok(runs)
    }

    async fn lock_open_runs_of(&mut self, _: WorkspaceId, _: Option<UserId>) -> StoreResult<Vec<Run>> {
        not_simulated()
    }

    async fn hold_lease(&mut self, lease: &Lease) -> StoreResult<()> {
        self.cross().await?;
        self.fence(lease).await.map(drop)
    }

    async fn calls_of(&mut self, run: RunId) -> StoreResult<Vec<CallRecord>> {
        self.cross().await?;
        let mut calls: Vec<CallRecord> = {
            let db = lock(&self.sim.db);
            let filed = db.filed(run).map(|filed| filed.calls.clone()).unwrap_or_default();
            filed.iter().map(|call| (**call).clone()).collect()
        };
        for (id, own) in &self.changes.calls {
            match calls.iter_mut().find(|call| call.id == *id) {
                Some(call) => call.clone_from(own),
                None if own.run == run => calls.push(own.clone()),
                None => {}
            }
        }
        calls.sort_by_key(|call| call.id);
        Ok(calls)
    }

    async fn renew_lease(&mut self, lease: &Lease, until: Timestamp) -> StoreResult<()> {
        self.cross().await?;
        let mut row = self.fence(lease).await?;
        row.run.lease_until = Some(until);
        row.claim_at = row.run.finished_at.is_none().then_some(until);
        self.put(row);
        Ok(())
    }

    async fn append_events(&mut self, lease: &Lease, at: Timestamp, events: &[EventBody]) -> StoreResult<u64> {
        self.cross().await?;
        let row = self.fence(lease).await?;
        Ok(self.append(row, at, events))
    }

    async fn append_timed(&mut self, lease: &Lease, events: &[(Timestamp, EventBody)]) -> StoreResult<u64> {
        self.cross().await?;
        let row = self.fence(lease).await?;
        let bodies: Vec<EventBody> = events.iter().map(|(_, body)| body.clone()).collect();
        let at = events.last().map_or(Timestamp::EPOCH, |(at, _)| *at);
        let first = self.append(row, at, &bodies);
        let from = self.changes.events.len() - events.len();
        for (kept, (at, _)) in self.changes.events[from..].iter_mut().zip(events) {
            kept.at = *at;
        }
        Ok(first)
    }

    async fn append_events_unleased(&mut self, run: RunId, at: Timestamp, events: &[EventBody]) -> StoreResult<u64> {
        self.cross().await?;
        let row = self.locked(run).await?.filter(|row| is_open(row.run.status));
        let row = row.ok_or(none("open run of the events"))?;
        Ok(self.append(row, at, events))
    }

    async fn update_run(&mut self, lease: &Lease, update: &RunUpdate) -> StoreResult<()> {
        self.cross().await?;
        let ends = update.status.is_some_and(RunStatus::is_final);
        let rests = ends || (update.release && update.next_ready.is_none());
        if rests {
            self.lock_lane_of(lease.run).await?;
        }
        let mut row = self.fence(lease).await?;
        row.takeovers = 0;
        let run = &mut row.run;
        run.status = update.status.unwrap_or(run.status);
        if update.answer.is_some() {
            run.answer.clone_from(&update.answer);
        }
        run.input_tokens += update.add_input_tokens;
        run.output_tokens += update.add_output_tokens;
        run.cost_micros += update.add_cost_micros;
        run.started_at = run.started_at.or(update.started_at);
        run.finished_at = update.finished_at.or(run.finished_at);
        let over = run.status.is_final();
        if ends {
            row.claim_at = None;
        }
        if update.release {
            row.claim_at = if over { None } else { earlier(row.woken_at, update.next_ready) };
            row.woken_at = None;
            row.owner = None;
            row.run.lease_until = None;
        }
        self.put(row.clone());
        if rests {
            self.ready_next(&row.run).await?;
        }
        if ends {
            self.ready_parent(&row.run).await?;
        } else if rests && row.run.status == RunStatus::AwaitingApproval {
            self.tell_parent(&row.run).await?;
        }
        Ok(())
    }

    async fn ready_run(&mut self, run: RunId, at: Timestamp) -> StoreResult<()> {
        self.cross().await?;
        let Some(mut row) = self.locked(run).await?.filter(|row| is_open(row.run.status)) else { return Ok(()) };
        if row.owner.is_some() {
            row.woken_at = earlier(row.woken_at, Some(at));
        } else {
            row.claim_at = earlier(row.claim_at, Some(at));
            row.woken_at = None;
        }
        self.put(row);
        Ok(())
    }

    async fn take_up_run(&mut self, run: RunId, at: Timestamp) -> StoreResult<Option<bool>> {
        self.cross().await?;
        self.lock_lane_of(run).await?;
        let waits = |row: &Row| row.run.status == RunStatus::AwaitingApproval && row.owner.is_none();
        let Some(mut row) = self.locked(run).await?.filter(waits) else { return Ok(None) };
        let others = self.open_rows(row.run.workspace, row.run.lane);
        let free = !others.iter().any(|other| other.run.id != run && is_at_work(other));
        row.run.status = RunStatus::Queued;
        row.claim_at = if free || row.claim_at.is_some() { earlier(row.claim_at, Some(at)) } else { None };
        let ready = row.claim_at.is_some();
        self.put(row);
        Ok(Some(ready))
    }

    async fn set_run_status(
        &mut self,
        run: RunId,
        from: &[RunStatus],
        to: RunStatus,
        finished_at: Option<Timestamp>,
    ) -> StoreResult<bool> {
        self.cross().await?;
        if to.is_final() {
            self.lock_lane_of(run).await?;
        }
        let Some(mut row) = self.locked(run).await? else { return Ok(false) };
        if row.owner.is_some() || !from.contains(&row.run.status) {
            return Ok(false);
        }
        row.run.status = to;
        row.run.finished_at = finished_at;
        let run = row.run.clone();
        if to.is_final() {
            row.claim_at = None;
        }
        self.put(row);
        if to.is_final() {
            self.ready_next(&run).await?;
            self.ready_parent(&run).await?;
        }
        Ok(true)
    }

    async fn request_cancel(&mut self, run: RunId, at: Timestamp) -> StoreResult<bool> {
        self.cross().await?;
        for below in self.open_under(run) {
            if let Some(mut row) = self.locked(below).await?.filter(|row| is_open(row.run.status)) {
                row.run.cancel_requested = true;
                self.put(row);
                self.ready_run(below, at).await?;
            }
        }
        let Some(mut row) = self.locked(run).await?.filter(|row| is_open(row.run.status)) else { return Ok(false) };
        row.run.cancel_requested = true;
        self.put(row);
        Ok(true)
    }

    async fn insert_checkpoint(&mut self, lease: &Lease, checkpoint: &Checkpoint) -> StoreResult<()> {
        self.cross().await?;
        belongs("checkpoint of the leased run", lease, checkpoint.run)?;
        let row = self.fence(lease).await?;
        let own =
            self.changes.checkpoints.iter().filter(|known| known.run == checkpoint.run).map(|known| known.step).max();
        let kept =
            || lock(&self.sim.db).filed(checkpoint.run).and_then(|f| f.checkpoints.last().map(|known| known.step));
        if checkpoint.step != 1 + own.or_else(kept).unwrap_or(0) {
            return Err(StoreError::OutOfStep { step: checkpoint.step });
        }
        self.put(row);
        self.changes.checkpoints.push(checkpoint.clone());
        Ok(())
    }

    async fn prune_checkpoints(&mut self, run: RunId, keep: u32) -> StoreResult<u64> {
        self.cross().await?;
        let kept = lock(&self.sim.db).filed(run).map_or(0, |filed| filed.checkpoints.len());
        let mut own = self.changes.checkpoints.iter().filter(|checkpoint| checkpoint.run == run).count();
        let already = self.changes.prunes.iter().filter(|(pruned, _)| *pruned == run).map(|(_, keep)| *keep as usize);
        if let Some(before) = already.min() {
            own = before.saturating_sub(kept);
        }
        self.changes.prunes.push((run, keep));
        let had = self.changes.prunes.iter().rev().skip(1).find(|(pruned, _)| *pruned == run);
        let had = had.map_or(kept + own, |(_, keep)| (kept + own).min(*keep as usize));
        if let Some(row) = self.row(run) {
            self.changes.rows.entry(run).or_insert(row);
        }
        Ok(had.saturating_sub(keep as usize) as u64)
    }

    async fn insert_call(&mut self, lease: &Lease, call: &CallRecord) -> StoreResult<()> {
        self.cross().await?;
        belongs("tool call of the leased run", lease, call.run)?;
        let row = self.fence(lease).await?;
        if row.run.workspace != call.workspace {
            return Err(none("insert tool call"));
        }
        if self.call(call.run, call.id).is_some() {
            return Err(StoreError::Taken { table: "tool_calls".into(), column: "id".into() });
        }
        self.put(row);
        self.changes.calls.insert(call.id, call.clone());
        Ok(())
    }

    async fn move_call(
        &mut self,
        lease: Option<&Lease>,
        run: RunId,
        id: ToolCallId,
        from: &[CallStatus],
        to: CallStatus,
        args: Option<(&Json, &str)>,
        result: Option<&CallResult>,
        at: Timestamp,
    ) -> StoreResult<bool> {
        self.cross().await?;
        if let Some(lease) = lease {
            belongs("tool call of the leased run", lease, run)?;
            let row = self.fence(lease).await?;
            self.put(row);
        }
        if self.call(run, id).is_none() {
            return Ok(false);
        }
        self.lock(id.0).await?;
        let Some(mut call) = self.call(run, id).filter(|call| from.contains(&call.status)) else { return Ok(false) };
        call.status = to;
        if let Some((args, digest)) = args {
            call.args.clone_from(args);
            digest.clone_into(&mut call.digest);
        }
        if let Some(result) = result {
            call.outcome.result = result.result.clone().or(call.outcome.result);
            call.outcome.artifact = result.artifact.clone().or(call.outcome.artifact);
        }
        call.updated_at = at;
        self.changes.calls.insert(id, call);
        Ok(true)
    }
}

#[async_trait]
impl ApprovalWrites for Unit {
    async fn approvals_of(&mut self, run: RunId) -> StoreResult<Vec<ApprovalRecord>> {
        self.cross().await?;
        let mut records: Vec<ApprovalRecord> = {
            let db = lock(&self.sim.db);
            let filed = db.filed(run).map(|filed| filed.approvals.clone()).unwrap_or_default();
            filed.iter().map(|record| (**record).clone()).collect()
        };
        for (id, own) in &self.changes.approvals {
            match records.iter_mut().find(|record| record.view.id == *id) {
                Some(record) => record.clone_from(own),
                None if own.view.run_id == run => records.push(own.clone()),
                None => {}
            }
        }
        records.sort_by_key(|record| record.view.id);
        Ok(records)
    }

    async fn insert_approval(&mut self, lease: &Lease, approval: &ApprovalRecord) -> StoreResult<()> {
        self.cross().await?;
        let view = &approval.view;
        belongs("approval of the leased run", lease, view.run_id)?;
        let row = self.fence(lease).await?;
        let run = &row.run;
        let session = run.turn().map(|turn| turn.session);
        if run.workspace != approval.workspace || run.principal.user != approval.user || session != view.session_id {
            return Err(none("insert approval"));
        }
        self.put(row);
        self.changes.approvals.insert(view.id, approval.clone());
        Ok(())
    }

    async fn answer_approval(
        &mut self,
        workspace: WorkspaceId,
        id: ApprovalId,
        answer: &ApprovalAnswer,
    ) -> StoreResult<bool> {
        self.cross().await?;
        if self.approval(id).is_none() {
            return Ok(false);
        }
        self.lock(id.0).await?;
        let pending =
            |record: &ApprovalRecord| record.workspace == workspace && record.view.status == ApprovalStatus::Pending;
        let Some(mut record) = self.approval(id).filter(pending) else { return Ok(false) };
        record.digest.clone_from(&answer.digest);
        record.view.status = answer.status;
        record.view.answered_at = Some(answer.at);
        record.view.answered_by = Some(answer.by_name.clone());
        record.view.edited_args.clone_from(&answer.edited_args);
        record.view.sent.clone_from(&answer.sent);
        record.view.reason.clone_from(&answer.reason);
        self.changes.approvals.insert(id, record);
        Ok(true)
    }
}

/// No workspace has a spending limit in the simulation.
#[async_trait]
impl UsageWrites for Unit {
    async fn reserve_usage(&mut self, lease: &Lease, _: &Reservation) -> StoreResult<Reserved> {
        self.cross().await?;
        self.fence(lease).await?;
        Ok(Reserved::Granted)
    }

    async fn settle_usage(&mut self, lease: &Lease, _: &Settlement) -> StoreResult<()> {
        self.cross().await?;
        self.fence(lease).await.map(drop)
    }

    async fn release_usage(&mut self, _: RunId, _: QuestionNumber) -> StoreResult<()> {
        self.cross().await
    }
}

#[async_trait]
impl HistoryWrites for Unit {
    async fn insert_origin(&mut self, origin: &Origin) -> StoreResult<()> {
        self.cross().await?;
        self.changes.origins.push(*origin);
        Ok(())
    }
}

#[async_trait]
impl ChatWrites for Unit {
    async fn insert_chat(&mut self, chat: &ChatSession) -> StoreResult<()> {
        self.cross().await?;
        self.changes.chats.push(chat.clone());
        Ok(())
    }

    async fn insert_message(&mut self, message: &NewMessage) -> StoreResult<()> {
        self.insert_task(message).await
    }

    async fn insert_task(&mut self, message: &NewMessage) -> StoreResult<()> {
        self.cross().await?;
        self.changes.messages.push(message.clone());
        Ok(())
    }
}

#[async_trait]
impl AccountWrites for Unit {
    async fn insert_user(&mut self, new: &NewUser) -> StoreResult<()> {
        self.cross().await?;
        let same = |user: &adagent_store::User| user.email.to_lowercase() == new.email_key;
        if self.changes.users.iter().any(same) || lock(&self.sim.db).users.values().any(same) {
            return Err(StoreError::Taken { table: "users".into(), column: "email_key".into() });
        }
        self.changes.users.push(new.user.clone());
        Ok(())
    }

    async fn update_password_hash(&mut self, _: UserId, _: &str) -> StoreResult<()> {
        not_simulated()
    }
}

#[async_trait]
impl MiscWrites for Unit {
    async fn insert_http_session(&mut self, session: &HttpSession) -> StoreResult<bool> {
        self.cross().await?;
        if lock(&self.sim.db).sessions.contains_key(&session.id) {
            return Ok(false);
        }
        self.changes.sessions.push(session.clone());
        Ok(true)
    }

    async fn save_http_session(&mut self, _: &HttpSession) -> StoreResult<()> {
        not_simulated()
    }

    async fn delete_http_session(&mut self, _: &str) -> StoreResult<()> {
        not_simulated()
    }

    async fn put_time_zone(&mut self, _: WorkspaceId, _: Option<&str>, _: Timestamp) -> StoreResult<()> {
        not_simulated()
    }

    async fn put_context(&mut self, _: WorkspaceId, _: UserId, _: &ContextSettings, _: Timestamp) -> StoreResult<()> {
        not_simulated()
    }

    async fn insert_idempotent(
        &mut self,
        _: WorkspaceId,
        _: UserId,
        _: &str,
        _: &IdempotentAnswer,
        _: Timestamp,
    ) -> StoreResult<bool> {
        not_simulated()
    }

    async fn sweep(&mut self, _: Timestamp) -> StoreResult<u64> {
        not_simulated()
    }
}

/// Nobody reads the audit log in the simulation.
#[async_trait]
impl AuditWrites for Unit {
    async fn insert_audit(&mut self, _: &AuditEntry) -> StoreResult<()> {
        self.cross().await
    }
}
