//! Writes runs: claims, fences, appends events, saves checkpoints, moves calls.
//!
//! Every write of a worker goes through [`Unit::fence`] or a statement that checks owner and epoch itself. Both lock the run's row until
//! the transaction ends, so nobody can take the run over between the check and the commit.

use adagent_contract::{CallResult, EventBody, RunStatus};
use adagent_domain::{LaneId, RunId, Timestamp, ToolCallId, UserId, WorkspaceId};
use adagent_store::{
    CallRecord, CallStatus, Checkpoint, ClaimedRun, Lease, NewRun, Run, RunClass, RunUpdate, RunWrites, StoreError,
    StoreResult,
};
use async_trait::async_trait;
use uuid::Uuid;

use crate::{
    columns::{Columns, clean, to_i64, to_json},
    engine::{self, Query, Row, Unit},
    run::{execute, execute_maybe, execute_one, fetch_all, fetch_one, fetch_optional, sql},
    run_reads::{call, first_reserved, found, run, runs},
};

/// How many rows one statement of `insert_events` holds.
const EVENTS_PER_STATEMENT: usize = 16;
/// How many rows one statement of `insert_checkpoints` holds.
const CHECKPOINTS_PER_STATEMENT: usize = 8;

const fn stale(lease: &Lease) -> StoreError {
    StoreError::StaleEpoch { epoch: lease.epoch }
}

/// Fills the seven places of a `status in (…)`. Repeats a word if there are fewer; without words, nothing matches.
fn bind_words<T: Copy>(mut query: Query, words: &[T], word: fn(T) -> &'static str) -> Query {
    const PLACES: usize = 7;
    debug_assert!(words.len() <= PLACES, "there are no more statuses");
    let filler = words.first().copied().map_or("", word);
    for place in 0..PLACES {
        query = query.bind(words.get(place).copied().map_or(filler, word));
    }
    query
}

impl Unit {
    /// Checks that the row still has this lease, and locks the row until the transaction ends.
    pub(crate) async fn fence(&mut self, lease: &Lease) -> StoreResult<()> {
        if self.holds(lease) {
            return Ok(());
        }
        let query = lease_query(engine::HOLD_LEASE, lease);
        match fetch_optional(self.connection(), query).await? {
            Some(_) => {
                self.remember(lease);
                Ok(())
            }
            None => Err(stale(lease)),
        }
    }

    /// Locks the run's lane for a unit that ends or parks a run without a lock on its lane. A unit that holds the run's row should have
    /// locked the lane before.
    async fn lock_lane_of(&mut self, run: RunId) -> StoreResult<()> {
        if self.owns_a_lane() { Ok(()) } else { self.lock_both_lanes_of(run).await }
    }

    async fn lock_both_lanes_of(&mut self, run: RunId) -> StoreResult<()> {
        if engine::LOCK_LANE.is_none() {
            return Ok(());
        }
        let query = sql(include_str!("../sql/runs/find_lanes.sql")).bind(run.0);
        let Some(row) = fetch_optional(self.connection(), query).await? else { return Ok(()) };
        let columns = Columns::new("runs", &row);
        let mut lanes =
            [Some(columns.uuid("lane")?), columns.get::<Option<Uuid>>("parent_lane")?].map(|id| id.map(LaneId));
        // Lock in the order of IDs, as every transaction does that locks several lanes.
        lanes.sort_unstable();
        for lane in lanes.into_iter().flatten() {
            self.lock_lane(lane).await?;
        }
        Ok(())
    }

    /// Locks the lanes of open runs in the order of their IDs, before the runs themselves. Every transaction that answers an approval or
    /// ends a run locks in this order, so that no two wait for each other. `None` if the engine has only one writer at a time.
    async fn lock_lanes_of_open(
        &mut self,
        workspace: WorkspaceId,
        user: Option<UserId>,
    ) -> StoreResult<Option<Vec<LaneId>>> {
        if engine::LOCK_LANE.is_none() {
            return Ok(None);
        }
        let query = sql(engine::LIST_LANES_OF).bind(workspace.0).bind(user.map(|user| user.0));
        let rows = fetch_all(self.connection(), query).await?;
        let mut held = Vec::with_capacity(rows.len());
        for row in &rows {
            let lane = LaneId(Columns::new("runs", row).uuid("lane")?);
            self.lock_lane(lane).await?;
            held.push(lane);
        }
        Ok(Some(held))
    }

    /// Makes the next run of a lane ready after a run ended or began to wait for a person: the oldest one that waits for its turn, unless
    /// another run of the lane is working or ready already. IDs alone do not tell which run came first, because the clocks of servers
    /// differ.
    async fn ready_next(&mut self, left: RunId) -> StoreResult<()> {
        let query = sql(include_str!("../sql/runs/ready_next.sql")).bind(left.0);
        execute(self.connection(), query).await.map(drop)
    }

    /// Tells the parent of an ended run how it ended. A parent that waits for people takes its turn in its lane to read that.
    async fn ready_parent(&mut self, ended: &Row, at: Option<Timestamp>) -> StoreResult<()> {
        let at = at.unwrap_or(Timestamp::EPOCH);
        let Some(parent) = Columns::new("runs", ended).get::<Option<Uuid>>("parent_id")?.map(RunId) else {
            return Ok(());
        };
        if self.take_up_run(parent, at).await?.is_some() {
            return Ok(());
        }
        // A queued parent reads the end of its child when its turn comes.
        self.wake_parent(parent, at, "ended").await
    }

    /// Wakes the parent of a run that began to wait for a person, so that the parent checks whether it waits for that person too.
    async fn tell_parent(&mut self, rests: &Row) -> StoreResult<()> {
        let columns = Columns::new("runs", rests);
        let waits = columns.text("status")? == RunStatus::AwaitingApproval.as_str();
        let Some(parent) = columns.get::<Option<Uuid>>("parent_id")?.filter(|_| waits) else { return Ok(()) };
        self.wake_parent(RunId(parent), Timestamp::EPOCH, "waits").await
    }

    /// Makes the parent claimable after its child `ended`, or because it `waits` for a person. A parent that itself waits for people
    /// already needs to hear only of the end.
    async fn wake_parent(&mut self, parent: RunId, at: Timestamp, why: &'static str) -> StoreResult<()> {
        let query = sql(include_str!("../sql/runs/ready_parent.sql")).bind(parent.0).bind(at.as_micros()).bind(why);
        execute(self.connection(), query).await.map(drop)
    }

    /// Lists open runs below this one that nobody has told to stop yet, deepest first.
    async fn open_under(&mut self, run: RunId) -> StoreResult<Vec<RunId>> {
        let query = sql(include_str!("../sql/runs/list_open_under.sql")).bind(run.0);
        let rows = fetch_all(self.connection(), query).await?;
        rows.iter().map(|row| Ok(RunId(Columns::new("runs", row).uuid("id")?))).collect()
    }

    async fn stop_under(&mut self, run: RunId, at: Timestamp) -> StoreResult<()> {
        for below in self.open_under(run).await? {
            let query = sql(include_str!("../sql/runs/request_cancel.sql")).bind(below.0);
            if execute_maybe(self.connection(), query).await? {
                self.ready_run(below, at).await?;
            }
        }
        Ok(())
    }

    /// Finds the run of this class that has been ready longest, and locks its row. Skips rows that this program cannot read, so that they
    /// do not block the rows after them.
    async fn longest_ready(&mut self, class: RunClass, now: Timestamp) -> StoreResult<Option<Run>> {
        let mut after = (i64::MIN, Uuid::nil());
        loop {
            let query = sql(engine::CLAIM).bind(class.as_str()).bind(now.as_micros()).bind(after.0).bind(after.1);
            let Some(row) = fetch_optional(self.connection(), query).await? else { return Ok(None) };
            if let Some(run) = run(&row)? {
                return Ok(Some(run));
            }
            let columns = Columns::new("runs", &row);
            after = (columns.get("claim_at")?, columns.uuid("id")?);
        }
    }

    /// Advances the row's counter and returns the first reserved number.
    async fn reserve_events(&mut self, lease: &Lease, count: usize) -> StoreResult<u64> {
        let query = lease_query(include_str!("../sql/runs/reserve_events.sql"), lease).bind(to_i64(count as u64)?);
        let row = fetch_optional(self.connection(), query).await?.ok_or_else(|| stale(lease))?;
        self.remember(lease);
        first_reserved(&row, count)
    }

    async fn insert_events<'e>(
        &mut self,
        run: RunId,
        first: u64,
        events: impl Iterator<Item = (Timestamp, &'e EventBody)> + Send,
    ) -> StoreResult<()> {
        let rows = (first..).zip(events).map(|(seq, (at, body))| Ok((to_i64(seq)?, at.as_micros(), to_json(body)?)));
        let mut rows = rows.collect::<StoreResult<Vec<_>>>()?.into_iter();
        while rows.len() > 0 {
            if rows.len() == 1 {
                for (seq, at, body) in rows {
                    let query = sql(include_str!("../sql/runs/insert_event.sql"));
                    execute(self.connection(), query.bind(run.0).bind(seq).bind(at).bind(body)).await?;
                }
                return Ok(());
            }
            let mut query = sql(include_str!("../sql/runs/insert_events.sql")).bind(run.0);
            // Pads a short list with nulls, so that one prepared statement serves every length.
            for _ in 0..EVENTS_PER_STATEMENT {
                let (seq, at, body) = rows.next().map_or((None, None, None), |(s, a, b)| (Some(s), Some(a), Some(b)));
                query = query.bind(seq).bind(at).bind(body);
            }
            execute(self.connection(), query).await?;
        }
        Ok(())
    }
}

fn lease_query(text: &'static str, lease: &Lease) -> Query {
    sql(text).bind(lease.run.0).bind(clean(&lease.owner).into_owned()).bind(lease.epoch)
}

#[async_trait]
impl RunWrites for Unit {
    async fn lock_lane(&mut self, lane: LaneId) -> StoreResult<()> {
        if let Some([of_chat, of_any]) = engine::LOCK_LANE
            && !self.owns_lane(lane)
            && fetch_optional(self.connection(), sql(of_chat).bind(lane.0)).await?.is_none()
        {
            fetch_one(self.connection(), sql(of_any).bind(lane.0)).await?;
        }
        self.remember_lane(lane);
        Ok(())
    }

    async fn lock_lanes_of(&mut self, run: &Run) -> StoreResult<()> {
        match run.parent {
            None => self.lock_lane(run.lane).await,
            Some(_) => self.lock_both_lanes_of(run.id).await,
        }
    }

    async fn insert_run(&mut self, run: &NewRun) -> StoreResult<bool> {
        if let Some(parent) = &run.parent
            && !self.holds_run(parent.run)
        {
            return Err(StoreError::RowsAffected { what: "held parent of the run", expected: 1, actual: 0 });
        }
        self.lock_lane(run.lane).await?;
        let turn = run.turn();
        let query = sql(include_str!("../sql/runs/insert.sql"))
            .bind(run.id.0)
            .bind(run.workspace.0)
            .bind(run.principal.user.0)
            .bind(run.principal.agent.map(|agent| agent.0))
            .bind(run.principal.trigger.map(|trigger| trigger.0))
            .bind(run.subject.kind().as_str())
            .bind(run.class.as_str())
            .bind(run.lane.0)
            .bind(to_json(&run.subject)?)
            .bind(turn.map(|turn| turn.session.0))
            .bind(turn.map(|turn| turn.message.0))
            .bind(run.parent.as_ref().map(|parent| parent.run.0))
            .bind(run.parent.as_ref().map(|parent| clean(&parent.path)))
            .bind(clean(&run.model))
            .bind(run.created_at.as_micros())
            .bind(run.ready_at.as_micros())
            .bind(run.context.as_ref().map(to_json).transpose()?);
        let row = fetch_optional(self.connection(), query).await?.ok_or(StoreError::RowsAffected {
            what: "insert run",
            expected: 1,
            actual: 0,
        })?;
        Columns::new("runs", &row).get("ready")
    }

    async fn mark_asked(&mut self, run: RunId, key: &str) -> StoreResult<()> {
        let query = sql(include_str!("../sql/runs/mark_asked.sql")).bind(run.0).bind(clean(key));
        execute_one(self.connection(), query, "mark asked").await
    }

    async fn claim_new(&mut self, run: RunId, owner: &str, until: Timestamp) -> StoreResult<Option<Lease>> {
        let owner = clean(owner).into_owned();
        let query =
            sql(include_str!("../sql/runs/claim_new.sql")).bind(run.0).bind(owner.clone()).bind(until.as_micros());
        let Some(row) = fetch_optional(self.connection(), query).await? else { return Ok(None) };
        let lease = Lease { run, owner, epoch: Columns::new("runs", &row).get("epoch")?, until };
        self.remember(&lease);
        Ok(Some(lease))
    }

    async fn claim_run(
        &mut self,
        owner: &str,
        now: Timestamp,
        until: Timestamp,
        classes: &[RunClass],
    ) -> StoreResult<Option<ClaimedRun>> {
        let owner = clean(owner).into_owned();
        let mut ready = None;
        if let Some(text) = engine::CLAIM_ANY
            && classes.len() == RunClass::ALL.len()
        {
            let [first, second] = RunClass::ALL.map(RunClass::as_str);
            let query = sql(text).bind(first).bind(second).bind(now.as_micros());
            let Some(row) = fetch_optional(self.connection(), query).await? else { return Ok(None) };
            ready = run(&row)?;
        }
        for class in RunClass::ALL.into_iter().filter(|class| classes.contains(class)) {
            if ready.is_some() {
                break;
            }
            ready = self.longest_ready(class, now).await?;
        }
        let Some(mut run) = ready else { return Ok(None) };
        let query =
            sql(include_str!("../sql/runs/take.sql")).bind(run.id.0).bind(owner.clone()).bind(until.as_micros());
        let row = fetch_one(self.connection(), query).await?;
        let columns = Columns::new("runs", &row);
        run.epoch = columns.get("epoch")?;
        run.lease_until = Some(until);
        let lease = Lease { run: run.id, owner, epoch: run.epoch, until };
        self.remember(&lease);
        let (taken_from, takeovers) = (columns.get("taken_from")?, columns.count("takeovers")?);
        Ok(Some(ClaimedRun { run, lease, taken_from, takeovers }))
    }

    async fn lock_run(&mut self, id: RunId) -> StoreResult<Option<Run>> {
        let query = sql(engine::LOCK_RUN).bind(id.0);
        found(fetch_optional(self.connection(), query).await?.as_ref())
    }

    async fn lock_open_runs(&mut self, workspace: WorkspaceId, lane: LaneId) -> StoreResult<Vec<Run>> {
        self.lock_lane(lane).await?;
        let query = sql(engine::LOCK_OPEN_RUNS).bind(workspace.0).bind(lane.0);
        runs(&fetch_all(self.connection(), query).await?)
    }

    async fn lock_open_runs_of(&mut self, workspace: WorkspaceId, user: Option<UserId>) -> StoreResult<Vec<Run>> {
        let held = self.lock_lanes_of_open(workspace, user).await?;
        let query = sql(engine::LOCK_OPEN_RUNS_OF).bind(workspace.0).bind(user.map(|user| user.0));
        let mut runs = runs(&fetch_all(self.connection(), query).await?)?;
        // A run in a lane that we do not hold began after we listed the lanes.
        if let Some(held) = held {
            runs.retain(|run| held.contains(&run.lane));
        }
        Ok(runs)
    }

    async fn hold_lease(&mut self, lease: &Lease) -> StoreResult<()> {
        self.fence(lease).await
    }

    async fn calls_of(&mut self, run: RunId) -> StoreResult<Vec<CallRecord>> {
        let query = sql(include_str!("../sql/runs/list_calls.sql")).bind(run.0);
        fetch_all(self.connection(), query).await?.iter().map(call).collect()
    }

    async fn renew_lease(&mut self, lease: &Lease, until: Timestamp) -> StoreResult<()> {
        let query = lease_query(include_str!("../sql/runs/renew_lease.sql"), lease).bind(until.as_micros());
        if execute_maybe(self.connection(), query).await? { Ok(()) } else { Err(stale(lease)) }
    }

    async fn append_events(&mut self, lease: &Lease, at: Timestamp, events: &[EventBody]) -> StoreResult<u64> {
        let first = self.reserve_events(lease, events.len()).await?;
        self.insert_events(lease.run, first, events.iter().map(|body| (at, body))).await?;
        Ok(first)
    }

    async fn append_timed(&mut self, lease: &Lease, events: &[(Timestamp, EventBody)]) -> StoreResult<u64> {
        let first = self.reserve_events(lease, events.len()).await?;
        self.insert_events(lease.run, first, events.iter().map(|(at, body)| (*at, body))).await?;
        Ok(first)
    }

    async fn append_events_unleased(&mut self, run: RunId, at: Timestamp, events: &[EventBody]) -> StoreResult<u64> {
        let query =
            sql(include_str!("../sql/runs/reserve_events_unleased.sql")).bind(run.0).bind(to_i64(events.len() as u64)?);
        let row = fetch_optional(self.connection(), query).await?.ok_or(StoreError::RowsAffected {
            what: "open run of the events",
            expected: 1,
            actual: 0,
        })?;
        let first = first_reserved(&row, events.len())?;
        self.insert_events(run, first, events.iter().map(|body| (at, body))).await?;
        Ok(first)
    }

    async fn update_run(&mut self, lease: &Lease, update: &RunUpdate) -> StoreResult<()> {
        let ends = update.status.is_some_and(RunStatus::is_final);
        // The run ends or waits for a person, so a worker need not claim it until somebody answers.
        let rests = ends || (update.release && update.next_ready.is_none());
        if rests {
            self.lock_lane_of(lease.run).await?;
        }
        let text = if update.release {
            include_str!("../sql/runs/update_and_release.sql")
        } else {
            include_str!("../sql/runs/update.sql")
        };
        let query = lease_query(text, lease)
            .bind(update.status.map(RunStatus::as_str))
            .bind(update.answer.as_deref().map(clean))
            .bind(to_i64(update.add_input_tokens)?)
            .bind(to_i64(update.add_output_tokens)?)
            .bind(update.add_cost_micros)
            .bind(update.started_at.map(Timestamp::as_micros))
            .bind(update.finished_at.map(Timestamp::as_micros));
        let query =
            if update.release { query.bind(update.next_ready.map(Timestamp::as_micros)) } else { query.bind(ends) };
        let row = fetch_optional(self.connection(), query).await?.ok_or_else(|| stale(lease))?;
        if update.release {
            self.forget();
        } else {
            self.remember(lease);
        }
        if rests {
            self.ready_next(lease.run).await?;
        }
        if ends {
            self.ready_parent(&row, update.finished_at).await?;
        } else if rests {
            self.tell_parent(&row).await?;
        }
        Ok(())
    }

    async fn ready_run(&mut self, run: RunId, at: Timestamp) -> StoreResult<()> {
        let query = sql(include_str!("../sql/runs/ready.sql")).bind(run.0).bind(at.as_micros());
        execute(self.connection(), query).await.map(drop)
    }

    async fn take_up_run(&mut self, run: RunId, at: Timestamp) -> StoreResult<Option<bool>> {
        self.lock_lane_of(run).await?;
        let query = sql(include_str!("../sql/runs/take_up.sql")).bind(run.0).bind(at.as_micros());
        let row = fetch_optional(self.connection(), query).await?;
        row.map(|row| Columns::new("runs", &row).get("ready")).transpose()
    }

    async fn set_run_status(
        &mut self,
        run: RunId,
        from: &[RunStatus],
        to: RunStatus,
        finished_at: Option<Timestamp>,
    ) -> StoreResult<bool> {
        if to.is_final() {
            self.lock_lane_of(run).await?;
        }
        let query = sql(include_str!("../sql/runs/set_status.sql"))
            .bind(run.0)
            .bind(to.as_str())
            .bind(finished_at.map(Timestamp::as_micros))
            .bind(to.is_final());
        let query = bind_words(query, from, RunStatus::as_str);
        let Some(row) = fetch_optional(self.connection(), query).await? else { return Ok(false) };
        if to.is_final() {
            self.ready_next(run).await?;
            self.ready_parent(&row, finished_at).await?;
        }
        Ok(true)
    }

    async fn request_cancel(&mut self, run: RunId, at: Timestamp) -> StoreResult<bool> {
        self.stop_under(run, at).await?;
        let query = sql(include_str!("../sql/runs/request_cancel.sql")).bind(run.0);
        let asked = execute_maybe(self.connection(), query).await?;
        // Stop the runs that this one began since we listed them. Runs that it begins from now on stop from the start.
        self.stop_under(run, at).await?;
        Ok(asked)
    }

    async fn insert_checkpoint(&mut self, lease: &Lease, checkpoint: &Checkpoint) -> StoreResult<()> {
        belongs("checkpoint of the leased run", lease, checkpoint.run)?;
        self.fence(lease).await?;
        let query = sql(include_str!("../sql/runs/insert_checkpoint.sql"))
            .bind(checkpoint.id.0)
            .bind(checkpoint.run.0)
            .bind(checkpoint.step)
            .bind(to_i64(checkpoint.seq)?)
            .bind(clean(&checkpoint.node))
            .bind(clean(&checkpoint.state))
            .bind(checkpoint.created_at.as_micros());
        let follows = execute_maybe(self.connection(), query).await?;
        if follows { Ok(()) } else { Err(StoreError::OutOfStep { step: checkpoint.step }) }
    }

    async fn insert_checkpoints(
        &mut self,
        lease: &Lease,
        checkpoints: &mut (dyn Iterator<Item = Checkpoint> + Send),
    ) -> StoreResult<()> {
        let checkpoints: Vec<_> = checkpoints.collect();
        if let [one] = &checkpoints[..] {
            return self.insert_checkpoint(lease, one).await;
        }
        for chunk in checkpoints.chunks(CHECKPOINTS_PER_STATEMENT) {
            for checkpoint in chunk {
                belongs("checkpoint of the leased run", lease, checkpoint.run)?;
            }
            self.fence(lease).await?;
            let step = chunk[0].step;
            // Checks the steps after the first one; the statement compares the first with what is stored.
            if let Some((_, wrong)) = (step..).zip(chunk).find(|(step, checkpoint)| checkpoint.step != *step) {
                return Err(StoreError::OutOfStep { step: wrong.step });
            }
            let mut query = sql(include_str!("../sql/runs/insert_checkpoints.sql")).bind(lease.run.0).bind(step);
            for place in 0..CHECKPOINTS_PER_STATEMENT {
                let row = chunk.get(place);
                query = query
                    .bind(row.map(|row| row.id.0))
                    .bind(row.map(|row| row.step))
                    .bind(row.map(|row| to_i64(row.seq)).transpose()?)
                    .bind(row.map(|row| clean(&row.node).into_owned()))
                    .bind(row.map(|row| clean(&row.state).into_owned()))
                    .bind(row.map(|row| row.created_at.as_micros()));
            }
            let written = execute(self.connection(), query).await?;
            if written != chunk.len() as u64 {
                return Err(StoreError::OutOfStep { step });
            }
        }
        Ok(())
    }

    async fn prune_checkpoints(&mut self, run: RunId, keep: u32) -> StoreResult<u64> {
        let query = sql(include_str!("../sql/runs/prune_checkpoints.sql")).bind(run.0).bind(i64::from(keep));
        execute(self.connection(), query).await
    }

    async fn insert_call(&mut self, lease: &Lease, call: &CallRecord) -> StoreResult<()> {
        belongs("tool call of the leased run", lease, call.run)?;
        self.fence(lease).await?;
        let query = sql(include_str!("../sql/runs/insert_call.sql"))
            .bind(call.id.0)
            .bind(call.run.0)
            .bind(call.workspace.0)
            .bind(clean(&call.name))
            .bind(call.read_only)
            .bind(to_json(&call.args)?)
            .bind(clean(&call.digest))
            .bind(call.status.as_str())
            .bind(call.outcome.result.as_ref().map(to_json).transpose()?)
            .bind(call.outcome.artifact.as_ref().map(to_json).transpose()?)
            .bind(call.created_at.as_micros())
            .bind(call.updated_at.as_micros());
        execute_one(self.connection(), query, "insert tool call").await
    }

    async fn move_call(
        &mut self,
        lease: Option<&Lease>,
        run: RunId,
        id: ToolCallId,
        from: &[CallStatus],
        to: CallStatus,
        args: Option<(&serde_json::Value, &str)>,
        result: Option<&CallResult>,
        at: Timestamp,
    ) -> StoreResult<bool> {
        if let Some(lease) = lease {
            belongs("tool call of the leased run", lease, run)?;
            self.fence(lease).await?;
        }
        let query = sql(include_str!("../sql/runs/move_call.sql"))
            .bind(run.0)
            .bind(id.0)
            .bind(to.as_str())
            .bind(args.map(|(args, _)| to_json(args)).transpose()?)
            .bind(args.map(|(_, digest)| clean(digest)))
            .bind(result.and_then(|result| result.result.as_ref()).map(to_json).transpose()?)
            .bind(result.and_then(|result| result.artifact.as_ref()).map(to_json).transpose()?)
            .bind(at.as_micros());
        let query = bind_words(query, from, CallStatus::as_str);
        execute_maybe(self.connection(), query).await
    }
}

/// Checks that the row belongs to the lease's run: a lease gives rights over its own run only.
pub(crate) fn belongs(what: &'static str, lease: &Lease, run: RunId) -> StoreResult<()> {
    if lease.run == run { Ok(()) } else { Err(StoreError::RowsAffected { what, expected: 1, actual: 0 }) }
}
