//! Runs: the job row, its lease, events, checkpoints and tool calls.
//!
//! A run's row is also the job that advances it: `ready_at` says when a worker may claim it. Every write of a worker names its [`Lease`].
//! If the row has another epoch by then, nothing is written and the write returns `StaleEpoch`.
//!
//! If a newer version of this program wrote a row whose kind, class, status or subject we do not know, we leave it alone. No claim and no
//! list returns it, the log names it once, and it does not hold up later rows. Only a caller that asks for this run gets an error.

use adagent_contract::{CallResult, ContextOverlay, EventBody, RunEvent, RunStatus};
use adagent_domain::{CheckpointId, LaneId, RunId, Timestamp, ToolCallId, UserId, WorkspaceId};
use async_trait::async_trait;

use crate::{Backlog, MessageRef, Parent, Principal, RunClass, StoreResult, Subject};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRun {
    pub id: RunId,
    pub workspace: WorkspaceId,
    pub principal: Principal,
    pub subject: Subject,
    pub class: RunClass,
    /// Runs of one lane run one at a time. The lane of a turn is its chat.
    pub lane: LaneId,
    /// `None` if no run began this one.
    pub parent: Option<Parent>,
    pub model: String,
    pub created_at: Timestamp,
    /// The settings of this run alone, if it has any.
    pub context: Option<ContextOverlay>,
    /// When a worker may claim the run, unless an earlier run of its lane is still open.
    pub ready_at: Timestamp,
}

impl NewRun {
    /// Makes the run that answers a message, for a person who waits for it.
    pub fn of_turn(
        id: RunId,
        workspace: WorkspaceId,
        user: UserId,
        turn: MessageRef,
        model: String,
        now: Timestamp,
    ) -> Self {
        Self {
            id,
            workspace,
            principal: Principal::person(user),
            subject: Subject::Turn(turn),
            class: RunClass::Interactive,
            lane: turn.session.into(),
            parent: None,
            model,
            created_at: now,
            context: None,
            ready_at: now,
        }
    }

    pub const fn turn(&self) -> Option<MessageRef> {
        self.subject.turn()
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    pub id: RunId,
    pub workspace: WorkspaceId,
    pub principal: Principal,
    pub subject: Subject,
    pub class: RunClass,
    pub lane: LaneId,
    pub parent: Option<Parent>,
    /// The run at the top of the tree. If no run began this one, it is this run itself.
    pub root: RunId,
    /// How many runs are above this one.
    pub depth: u32,
    pub status: RunStatus,
    pub model: String,
    pub epoch: i64,
    pub cancel_requested: bool,
    pub last_seq: u64,
    /// The final answer, if there is one.
    pub answer: Option<String>,
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cost_micros: i64,
    pub created_at: Timestamp,
    pub started_at: Option<Timestamp>,
    pub finished_at: Option<Timestamp>,
    pub lease_until: Option<Timestamp>,
    /// The settings of this run alone, if it has any.
    pub context: Option<ContextOverlay>,
}

impl Run {
    /// Returns the message that the run answers. `None` if the run is not a turn of a chat.
    pub const fn turn(&self) -> Option<MessageRef> {
        self.subject.turn()
    }
}

/// The right to advance a run, until `until` or until a worker with a higher epoch takes over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    pub run: RunId,
    pub owner: String,
    pub epoch: i64,
    pub until: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimedRun {
    pub run: Run,
    pub lease: Lease,
    /// The previous owner, if their lease had expired. `None` if the lease was given back.
    pub taken_from: Option<String>,
    /// How many claims in a row, including this one, took over an expired lease without an [`RunWrites::update_run`] between them.
    pub takeovers: u64,
}

/// A checkpoint. The store does not read `state`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    pub id: CheckpointId,
    pub run: RunId,
    /// The number of the checkpoint within its run, from 1.
    pub step: i64,
    /// The last event that the state includes.
    pub seq: u64,
    pub node: String,
    pub state: String,
    pub created_at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckpointSummary {
    pub id: CheckpointId,
    pub step: i64,
    pub seq: u64,
    pub node: String,
    pub created_at: Timestamp,
}

/// `prepared → approved → sending → succeeded | failed | unknown`; reads go `prepared → succeeded | failed`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallStatus {
    Prepared,
    Approved,
    Sending,
    Succeeded,
    Failed,
    /// The call was sent, and nobody could find out whether it took effect.
    Unknown,
    Denied,
}

impl CallStatus {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Prepared => "prepared",
            Self::Approved => "approved",
            Self::Sending => "sending",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Unknown => "unknown",
            Self::Denied => "denied",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Self::Prepared, Self::Approved, Self::Sending, Self::Succeeded, Self::Failed, Self::Unknown, Self::Denied]
            .into_iter()
            .find(|s| s.as_str() == text)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct CallRecord {
    pub id: ToolCallId,
    pub run: RunId,
    pub workspace: WorkspaceId,
    pub name: String,
    pub read_only: bool,
    pub args: serde_json::Value,
    /// The digest of the canonical arguments that may be sent.
    pub digest: String,
    pub status: CallStatus,
    /// The result. The events of the run contain only short results.
    pub outcome: CallResult,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// What a worker's step changes in the run's row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunUpdate {
    pub status: Option<RunStatus>,
    pub answer: Option<String>,
    pub add_input_tokens: u64,
    pub add_output_tokens: u64,
    pub add_cost_micros: i64,
    pub started_at: Option<Timestamp>,
    pub finished_at: Option<Timestamp>,
    /// Gives the lease back and sets `ready_at` to `next_ready` (`None`: nothing to do until a wake). A `ready_run` since the claim is
    /// never lost: the earlier of the two times counts.
    pub release: bool,
    pub next_ready: Option<Timestamp>,
}

#[async_trait]
pub trait RunReads {
    /// Finds a run for a reader, within one workspace and person.
    async fn find_run(&self, workspace: WorkspaceId, user: UserId, id: RunId) -> StoreResult<Option<Run>>;
    /// Finds a run for a worker, which has no person's rights but a lease.
    async fn find_run_unscoped(&self, id: RunId) -> StoreResult<Option<Run>>;
    async fn list_runs(
        &self,
        workspace: WorkspaceId,
        user: UserId,
        before: Option<RunId>,
        limit: u32,
    ) -> StoreResult<Vec<Run>>;
    /// Finds the open run that began with this key.
    async fn find_asked(&self, workspace: WorkspaceId, user: UserId, key: &str) -> StoreResult<Option<Run>>;
    /// Lists the runs of a lane that are not final.
    async fn list_open_runs(&self, workspace: WorkspaceId, lane: LaneId) -> StoreResult<Vec<Run>>;
    async fn list_events(&self, run: RunId, after: u64, limit: u32) -> StoreResult<Vec<RunEvent>>;
    /// Lists all events of several runs, in the order of run and sequence.
    async fn list_events_of(&self, runs: &[RunId]) -> StoreResult<Vec<RunEvent>>;
    /// Lists the runs that this one began, oldest first, including those that are over.
    async fn list_children(&self, parent: RunId) -> StoreResult<Vec<Run>>;
    async fn find_latest_checkpoint(&self, run: RunId) -> StoreResult<Option<Checkpoint>>;
    async fn find_checkpoint(&self, run: RunId, id: CheckpointId) -> StoreResult<Option<Checkpoint>>;
    async fn list_checkpoints(&self, run: RunId) -> StoreResult<Vec<CheckpointSummary>>;
    async fn find_call(&self, run: RunId, id: ToolCallId) -> StoreResult<Option<CallRecord>>;
    async fn list_calls(&self, run: RunId) -> StoreResult<Vec<CallRecord>>;
    /// Counts the waiting work, for administrators.
    async fn backlog(&self, now: Timestamp) -> StoreResult<Backlog> {
        Ok(Backlog { ready: self.count_ready(now).await?, ..Backlog::default() })
    }
    /// Counts the runs that a worker can claim now.
    async fn count_ready(&self, now: Timestamp) -> StoreResult<u64>;
}

#[async_trait]
pub trait RunWrites {
    /// Locks a lane: until the end of this unit, nobody else begins or ends a run in it. No two units wait for each other, because all lock
    /// in one order: lanes before rows of runs, and a child's row before its parent's.
    async fn lock_lane(&mut self, lane: LaneId) -> StoreResult<()>;

    /// Locks what a unit needs that ends or parks this run: its lane, and the lane of its parent, which learns of the end.
    async fn lock_lanes_of(&mut self, run: &Run) -> StoreResult<()>;

    /// Inserts a run. Runs of a lane follow each other: while another one works, this one waits. It becomes claimable in the transaction in
    /// which the last run before it ends or begins to wait for a person. Returns `false` if it waits.
    ///
    /// The unit that holds the parent's lease inserts a child, so that the child exists exactly if the step that began it does. That unit
    /// locks the child's lane before it calls [`Self::hold_lease`]. A step begins one run: a second one with the same parent and path is
    /// `Taken`. A child waits for no run above it, so it cannot share a lane with one. If its parent is to stop, so is the child.
    async fn insert_run(&mut self, run: &NewRun) -> StoreResult<bool>;

    /// Sets the key of what a program asked for with this run, which this transaction inserted. Returns `Taken` while the same person has
    /// another open run with this key in this workspace, even if both are being written at the same moment.
    async fn mark_asked(&mut self, run: RunId, key: &str) -> StoreResult<()>;

    /// Claims a run that this transaction inserted, for the caller that prepares it, even if its lane is not free.
    async fn claim_new(&mut self, run: RunId, owner: &str, until: Timestamp) -> StoreResult<Option<Lease>>;

    /// Claims a run of one of these classes whose lease is free or expired: interactive runs first, and within a class the one that has
    /// been ready longest. Sets the owner and `until`, and adds 1 to the epoch. `ready_at` becomes null, so that the release notices a
    /// `ready_run` made during the lease; an expired lease alone makes a run claimable again.
    async fn claim_run(
        &mut self,
        owner: &str,
        now: Timestamp,
        until: Timestamp,
        classes: &[RunClass],
    ) -> StoreResult<Option<ClaimedRun>>;

    /// Returns the run as it is now and locks its row until the unit ends. A unit that changes a run or its data begins with this or with a
    /// fenced write, so that no two wait for each other.
    async fn lock_run(&mut self, id: RunId) -> StoreResult<Option<Run>>;

    /// Lists and locks the runs of a lane that are not final, with the runs they began, as [`Self::lock_run`] does: deepest first, then
    /// oldest first. Locks the lane too, so that decisions about these runs stay true.
    async fn lock_open_runs(&mut self, workspace: WorkspaceId, lane: LaneId) -> StoreResult<Vec<Run>>;

    /// Lists and locks the open runs of a workspace, of one person or of everybody, as [`Self::lock_run`] does: deepest first, then oldest
    /// first. Locks their lanes before, as every unit does that ends a run.
    async fn lock_open_runs_of(&mut self, workspace: WorkspaceId, user: Option<UserId>) -> StoreResult<Vec<Run>>;

    /// Checks that the lease is still ours, and locks its run's row until the unit ends.
    async fn hold_lease(&mut self, lease: &Lease) -> StoreResult<()>;

    /// Lists the calls of a run as this transaction sees them.
    async fn calls_of(&mut self, run: RunId) -> StoreResult<Vec<CallRecord>>;

    /// Extends a lease that is still ours.
    async fn renew_lease(&mut self, lease: &Lease, until: Timestamp) -> StoreResult<()>;

    /// Appends events after the row's `last_seq` and moves it. Returns the first sequence number. Needs the lease.
    async fn append_events(&mut self, lease: &Lease, at: Timestamp, events: &[EventBody]) -> StoreResult<u64>;

    /// Like [`Self::append_events`], with the time of each event.
    async fn append_timed(&mut self, lease: &Lease, events: &[(Timestamp, EventBody)]) -> StoreResult<u64>;

    /// Appends events without a lease, for requests that change a waiting or queued run (start, answer, cancel). Locks the run's row. A run
    /// that is over accepts no more events.
    async fn append_events_unleased(&mut self, run: RunId, at: Timestamp, events: &[EventBody]) -> StoreResult<u64>;

    /// Changes the run's row; needs the lease. A final status lets the next run of the lane start, and so does giving the lease back to
    /// wait for a person; a unit that does either begins with [`Self::lock_lanes_of`]. A final status also makes the parent claimable. So
    /// does the start of a wait for a person, if the parent does not wait for one yet.
    async fn update_run(&mut self, lease: &Lease, update: &RunUpdate) -> StoreResult<()>;

    /// Makes a run claimable from `at` on (after an answer, a cancel or a wake).
    async fn ready_run(&mut self, run: RunId, at: Timestamp) -> StoreResult<()>;

    /// Continues a run that waited for a person: from `at` on, or, while another run of its lane works, when its turn comes. Returns `None`
    /// if it waits for nobody or a worker holds it, and `Some(false)` if it waits for its turn. A unit that does this begins with
    /// [`Self::lock_lane`].
    async fn take_up_run(&mut self, run: RunId, at: Timestamp) -> StoreResult<Option<bool>>;

    /// Ends or changes a run that no worker holds, if its status is one of `from`; otherwise returns `false`. A final status lets the next
    /// run of the lane start, and makes the parent claimable.
    async fn set_run_status(
        &mut self,
        run: RunId,
        from: &[RunStatus],
        to: RunStatus,
        finished_at: Option<Timestamp>,
    ) -> StoreResult<bool>;

    /// Asks an open run and every open run below it to stop, and makes them claimable from `at` on. Returns `false` if it is over.
    async fn request_cancel(&mut self, run: RunId, at: Timestamp) -> StoreResult<bool>;

    /// Saves the run's next checkpoint. Its step must be one more than the last stored one, otherwise this returns `OutOfStep`. So a worker
    /// that outlives a power cut of the database does not continue from a lost checkpoint.
    async fn insert_checkpoint(&mut self, lease: &Lease, checkpoint: &Checkpoint) -> StoreResult<()>;

    /// Does [`Self::insert_checkpoint`] for several in a row; an engine may write them together. The iterator makes each one only when its
    /// turn comes.
    async fn insert_checkpoints(
        &mut self,
        lease: &Lease,
        checkpoints: &mut (dyn Iterator<Item = Checkpoint> + Send),
    ) -> StoreResult<()> {
        for checkpoint in checkpoints {
            self.insert_checkpoint(lease, &checkpoint).await?;
        }
        Ok(())
    }

    /// Deletes all checkpoints of the run except the newest `keep`.
    async fn prune_checkpoints(&mut self, run: RunId, keep: u32) -> StoreResult<u64>;

    async fn insert_call(&mut self, lease: &Lease, call: &CallRecord) -> StoreResult<()>;

    /// Moves a call from one of `from` to `to`, with new arguments and their digest (edited) or a result if given. Returns `false` if it
    /// was in another state. `lease` is `None` only for a person's answer.
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
    ) -> StoreResult<bool>;
}
