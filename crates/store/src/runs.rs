//! Runs: the job row, its lease, events, checkpoints and tool calls.
//!
//! A run row is also the job that advances it: `ready_at` says from when on a worker may claim it. Every write of a worker
//! names its [`Lease`]; when the epoch is no longer the row's, nothing is written and `StaleEpoch` comes back.
//!
//! A row of a newer program (its kind, class, status or subject is unknown here) is left alone: no claim and no list gives it, a
//! log line says so once, and nothing behind it waits. Only who asks for this very run gets an error.

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
    /// What runs one at a time: of a turn its conversation.
    pub lane: LaneId,
    /// `None`: nobody's child.
    pub parent: Option<Parent>,
    pub model: String,
    pub created_at: Timestamp,
    /// What narrows the person's settings for this run.
    pub context: Option<ContextOverlay>,
    /// From when on it may be claimed, unless an earlier run of its lane is still open.
    pub ready_at: Timestamp,
}

impl NewRun {
    /// The answer to a message, for a person who waits for it.
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
    /// The run at the top of the tree: itself where nobody began it.
    pub root: RunId,
    /// How many runs are above it.
    pub depth: u32,
    pub status: RunStatus,
    pub model: String,
    pub epoch: i64,
    pub cancel_requested: bool,
    pub last_seq: u64,
    /// The final answer, once there is one.
    pub answer: Option<String>,
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cost_micros: i64,
    pub created_at: Timestamp,
    pub started_at: Option<Timestamp>,
    pub finished_at: Option<Timestamp>,
    pub lease_until: Option<Timestamp>,
    /// What narrows the person's settings for this run.
    pub context: Option<ContextOverlay>,
}

impl Run {
    /// The message it answers; `None` for what is no turn of a conversation.
    pub const fn turn(&self) -> Option<MessageRef> {
        self.subject.turn()
    }
}

/// The right to advance a run, until `until` or until somebody with a higher epoch takes over.
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
    /// Whose lease had run out; `None` when it had been given back.
    pub taken_from: Option<String>,
    /// How many claims in a row, with this one, were of a lease that had run out, and no [`RunWrites::update_run`] between.
    pub takeovers: u64,
}

/// A saved state. `state` is opaque here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    pub id: CheckpointId,
    pub run: RunId,
    /// Counts up from 1 within the run.
    pub step: i64,
    /// The last event that is part of this state.
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
    /// Sent, and it could not be found out whether it took effect.
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
    /// Digest of the canonical arguments that may be sent.
    pub digest: String,
    pub status: CallStatus,
    /// What it brought: the events of its run tell only short results.
    pub outcome: CallResult,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// What a worker's step changes on the run row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunUpdate {
    pub status: Option<RunStatus>,
    pub answer: Option<String>,
    pub add_input_tokens: u64,
    pub add_output_tokens: u64,
    pub add_cost_micros: i64,
    pub started_at: Option<Timestamp>,
    pub finished_at: Option<Timestamp>,
    /// Give the lease back; `ready_at` of the row becomes what `next_ready` says (`None`: nothing to do until woken). A
    /// `ready_run` since the claim is never lost: then the earlier of the two stays.
    pub release: bool,
    pub next_ready: Option<Timestamp>,
}

#[async_trait]
pub trait RunReads {
    /// For readers: bound to workspace and person.
    async fn find_run(&self, workspace: WorkspaceId, user: UserId, id: RunId) -> StoreResult<Option<Run>>;
    /// For workers, who hold no person's rights but a lease.
    async fn find_run_unscoped(&self, id: RunId) -> StoreResult<Option<Run>>;
    async fn list_runs(
        &self,
        workspace: WorkspaceId,
        user: UserId,
        before: Option<RunId>,
        limit: u32,
    ) -> StoreResult<Vec<Run>>;
    /// The open run that was begun with this key.
    async fn find_asked(&self, workspace: WorkspaceId, user: UserId, key: &str) -> StoreResult<Option<Run>>;
    /// Runs of a lane that are not final.
    async fn list_open_runs(&self, workspace: WorkspaceId, lane: LaneId) -> StoreResult<Vec<Run>>;
    async fn list_events(&self, run: RunId, after: u64, limit: u32) -> StoreResult<Vec<RunEvent>>;
    /// All events of several runs, in order of run and sequence.
    async fn list_events_of(&self, runs: &[RunId]) -> StoreResult<Vec<RunEvent>>;
    /// Runs that this one began, oldest first, also those that are over.
    async fn list_children(&self, parent: RunId) -> StoreResult<Vec<Run>>;
    async fn find_latest_checkpoint(&self, run: RunId) -> StoreResult<Option<Checkpoint>>;
    async fn find_checkpoint(&self, run: RunId, id: CheckpointId) -> StoreResult<Option<Checkpoint>>;
    async fn list_checkpoints(&self, run: RunId) -> StoreResult<Vec<CheckpointSummary>>;
    async fn find_call(&self, run: RunId, id: ToolCallId) -> StoreResult<Option<CallRecord>>;
    async fn list_calls(&self, run: RunId) -> StoreResult<Vec<CallRecord>>;
    /// What waits, for operators.
    async fn backlog(&self, now: Timestamp) -> StoreResult<Backlog> {
        Ok(Backlog { ready: self.count_ready(now).await?, ..Backlog::default() })
    }
    /// Runs that may be claimed now.
    async fn count_ready(&self, now: Timestamp) -> StoreResult<u64>;
}

#[async_trait]
pub trait RunWrites {
    /// Until the end of this unit nobody else begins or ends a run in this lane. No two units wait for each other, because all lock
    /// in one order: lanes before rows of runs, and the row of a child before that of its parent.
    async fn lock_lane(&mut self, lane: LaneId) -> StoreResult<()>;

    /// What a unit holds that ends or parks this run: its lane, and that of its parent, which hears of the end.
    async fn lock_lanes_of(&mut self, run: &Run) -> StoreResult<()>;

    /// Runs of a lane follow each other: while another one works this one waits, and becomes claimable in the transaction in
    /// which the last before it ends or begins to wait for a person. `false` when it waits.
    ///
    /// A child is inserted by the unit that holds its parent's lease, so that it is there exactly when the step that began it is;
    /// that unit locks the child's lane before it holds the lease.
    /// A step begins one run: a second one with the same parent and path is `Taken`. It waits for no run above it, so it cannot
    /// have the lane of one. If its parent is to stop, so is the child.
    async fn insert_run(&mut self, run: &NewRun) -> StoreResult<bool>;

    /// Says what a program asked for with this run, which this transaction inserted. While another run of the same person in the same
    /// workspace that was asked for with this key is open, it is `Taken`, also where both are being written at the same moment.
    async fn mark_asked(&mut self, run: RunId, key: &str) -> StoreResult<()>;

    /// Claims a run that this transaction inserted, for the caller that prepares it, whether or not its lane is free.
    async fn claim_new(&mut self, run: RunId, owner: &str, until: Timestamp) -> StoreResult<Option<Lease>>;

    /// Claims a run of one of these classes whose lease is free or expired: an interactive one before a background one, and of a
    /// class the longest-ready. Owner, `until`, epoch + 1. `ready_at` becomes null (an expired lease alone makes a run claimable
    /// again), so that a `ready_run` during the lease is seen at its release.
    async fn claim_run(
        &mut self,
        owner: &str,
        now: Timestamp,
        until: Timestamp,
        classes: &[RunClass],
    ) -> StoreResult<Option<ClaimedRun>>;

    /// The run as it is now; its row stays locked until the end. Whoever changes a run and what hangs on it begins with this
    /// or with a fenced write, so that no two wait for each other.
    async fn lock_run(&mut self, id: RunId) -> StoreResult<Option<Run>>;

    /// Runs of a lane that are not final, with what they began, locked as by [`Self::lock_run`], deepest first, then oldest first. Locks the lane as
    /// well, so that what is decided about these runs stays true.
    async fn lock_open_runs(&mut self, workspace: WorkspaceId, lane: LaneId) -> StoreResult<Vec<Run>>;

    /// Open runs of a workspace, of one person or of everybody, locked as by [`Self::lock_run`], deepest first, then oldest first.
    /// Locks their lanes before them, as everything does that ends a run.
    async fn lock_open_runs_of(&mut self, workspace: WorkspaceId, user: Option<UserId>) -> StoreResult<Vec<Run>>;

    /// Whether the lease is still ours; its run's row stays locked until the end.
    async fn hold_lease(&mut self, lease: &Lease) -> StoreResult<()>;

    /// Calls of a run, as this transaction sees them.
    async fn calls_of(&mut self, run: RunId) -> StoreResult<Vec<CallRecord>>;

    /// Prolongs a lease that is still ours.
    async fn renew_lease(&mut self, lease: &Lease, until: Timestamp) -> StoreResult<()>;

    /// Appends events after the row's `last_seq` and moves it; the first sequence number comes back. Needs the lease.
    async fn append_events(&mut self, lease: &Lease, at: Timestamp, events: &[EventBody]) -> StoreResult<u64>;

    /// As [`Self::append_events`], each event with the time at which it happened.
    async fn append_timed(&mut self, lease: &Lease, events: &[(Timestamp, EventBody)]) -> StoreResult<u64>;

    /// Appends events without a lease: for requests that change a waiting or queued run (start, answer, cancel).
    /// Serialises on the run row. A run that is over takes no more.
    async fn append_events_unleased(&mut self, run: RunId, at: Timestamp, events: &[EventBody]) -> StoreResult<u64>;

    /// Changes the run row; needs the lease. A final status lets the next run of the lane go, and so does giving the lease back to
    /// wait for a person; a unit that does either begins with [`Self::lock_lanes_of`]. A final status also makes the parent claimable, and
    /// so does beginning to wait for a person, where the parent does not wait for one yet.
    async fn update_run(&mut self, lease: &Lease, update: &RunUpdate) -> StoreResult<()>;

    /// Makes a run claimable from `at` on (after an answer, a cancel, a wake).
    async fn ready_run(&mut self, run: RunId, at: Timestamp) -> StoreResult<()>;

    /// A run that waited for a person goes on: from `at` on, or, while another one of its lane works, when its turn comes. `None`
    /// when it waits for nobody, or a worker holds it; `Some(false)` when it waits its turn. A unit that does this begins with
    /// [`Self::lock_lane`].
    async fn take_up_run(&mut self, run: RunId, at: Timestamp) -> StoreResult<Option<bool>>;

    /// Ends or changes a run that no worker holds, if its status is one of `from`; `false` when it is not. A final status
    /// lets the next run of the lane go, and makes the parent claimable.
    async fn set_run_status(
        &mut self,
        run: RunId,
        from: &[RunStatus],
        to: RunStatus,
        finished_at: Option<Timestamp>,
    ) -> StoreResult<bool>;

    /// Asks an open run to stop, and every open run below it, which may be claimed from `at` on. `false` when it is over.
    async fn request_cancel(&mut self, run: RunId, at: Timestamp) -> StoreResult<bool>;

    /// Saves the run's next state: its step is one more than that of the last one stored, else `OutOfStep`. So a worker that
    /// outlived a power cut of the database does not go on from what was lost there.
    async fn insert_checkpoint(&mut self, lease: &Lease, checkpoint: &Checkpoint) -> StoreResult<()>;

    /// [`Self::insert_checkpoint`] for several that follow each other; an engine may write them at once. Each is made when its turn
    /// comes.
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

    /// Drops all checkpoints of the run but the newest `keep`.
    async fn prune_checkpoints(&mut self, run: RunId, keep: u32) -> StoreResult<u64>;

    async fn insert_call(&mut self, lease: &Lease, call: &CallRecord) -> StoreResult<()>;

    /// Moves a call from one of `from` to `to`, optionally with new arguments and digest (edited) or a result; `false` when
    /// it was in another state. `lease` is `None` only for the answer of a person.
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
