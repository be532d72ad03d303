//! Reads runs, their events, checkpoints and calls.

use adagent_contract::{CallResult, EventBody, RunEvent, RunStatus};
use adagent_domain::{AgentId, CheckpointId, LaneId, RunId, Timestamp, ToolCallId, TriggerId, UserId, WorkspaceId};
use adagent_store::{
    Backlog, CallRecord, CallStatus, Checkpoint, CheckpointSummary, Parent, Principal, Run, RunClass, RunKind,
    RunReads, StoreResult, Subject,
};
use async_trait::async_trait;
use uuid::Uuid;

use crate::{
    columns::{Columns, clean, to_i64},
    engine::{Database, Row},
    run::{fetch_all, fetch_one, fetch_optional, sql},
    unreadable::readable,
};

/// How many runs one statement of `list_events_of` names.
const RUNS_PER_STATEMENT: usize = 16;

/// Reads a run for claims and lists. `None` if a newer program wrote the row or it is damaged: we leave it alone, and it must not block
/// other rows.
pub(crate) fn run(row: &Row) -> StoreResult<Option<Run>> {
    readable(row, "id", whole)
}

/// Reads those rows that this program can read.
pub(crate) fn runs(rows: &[Row]) -> StoreResult<Vec<Run>> {
    rows.iter().filter_map(|row| run(row).transpose()).collect()
}

/// Reads the one run that was asked for. A row that we cannot read is an error that names it.
pub(crate) fn found(row: Option<&Row>) -> StoreResult<Option<Run>> {
    row.map(whole).transpose()
}

fn subject(columns: &Columns<'_>) -> StoreResult<Subject> {
    let kind = columns.word("kind", RunKind::parse)?;
    let subject: Subject = columns.json("subject")?;
    if subject.kind() == kind {
        Ok(subject)
    } else {
        Err(columns.inconsistent("subject", format!("it is no {}", kind.as_str())))
    }
}

fn whole(row: &Row) -> StoreResult<Run> {
    let columns = Columns::new("runs", row);
    let depth = columns.count("depth")?;
    let parent = match columns.get::<Option<Uuid>>("parent_id")? {
        Some(run) => Some(Parent { run: RunId(run), path: columns.text("parent_path")? }),
        None => None,
    };
    Ok(Run {
        id: RunId(columns.uuid("id")?),
        workspace: WorkspaceId(columns.uuid("workspace_id")?),
        principal: Principal {
            user: UserId(columns.uuid("user_id")?),
            agent: columns.get::<Option<Uuid>>("agent_id")?.map(AgentId),
            trigger: columns.get::<Option<Uuid>>("trigger_id")?.map(TriggerId),
        },
        subject: subject(&columns)?,
        class: columns.word("class", RunClass::parse)?,
        lane: LaneId(columns.uuid("lane")?),
        parent,
        root: RunId(columns.uuid("root_id")?),
        depth: u32::try_from(depth).map_err(|_| columns.inconsistent("depth", format!("{depth} is too deep")))?,
        status: columns.word("status", RunStatus::parse)?,
        model: columns.text("model")?,
        epoch: columns.get("epoch")?,
        cancel_requested: columns.get("cancel_requested")?,
        last_seq: columns.count("last_seq")?,
        answer: columns.get("answer")?,
        input_tokens: columns.count("input_tokens")?,
        output_tokens: columns.count("output_tokens")?,
        cost_micros: columns.get("cost_micros")?,
        created_at: columns.at("created_at")?,
        started_at: columns.at_opt("started_at")?,
        finished_at: columns.at_opt("finished_at")?,
        lease_until: columns.at_opt("lease_until")?,
        context: columns.json_opt("context")?,
    })
}

fn event(row: &Row) -> StoreResult<RunEvent> {
    let columns = Columns::new("run_events", row);
    Ok(RunEvent {
        run_id: RunId(columns.uuid("run_id")?),
        seq: columns.count("seq")?,
        at: columns.at("at")?,
        body: columns.json::<EventBody>("body")?,
    })
}

fn checkpoint(row: &Row) -> StoreResult<Checkpoint> {
    let columns = Columns::new("run_checkpoints", row);
    Ok(Checkpoint {
        id: CheckpointId(columns.uuid("id")?),
        run: RunId(columns.uuid("run_id")?),
        step: columns.get("step")?,
        seq: columns.count("seq")?,
        node: columns.text("node")?,
        state: columns.text("state")?,
        created_at: columns.at("created_at")?,
    })
}

fn checkpoint_summary(row: &Row) -> StoreResult<CheckpointSummary> {
    let columns = Columns::new("run_checkpoints", row);
    Ok(CheckpointSummary {
        id: CheckpointId(columns.uuid("id")?),
        step: columns.get("step")?,
        seq: columns.count("seq")?,
        node: columns.text("node")?,
        created_at: columns.at("created_at")?,
    })
}

pub(crate) fn call(row: &Row) -> StoreResult<CallRecord> {
    let columns = Columns::new("tool_calls", row);
    Ok(CallRecord {
        id: ToolCallId(columns.uuid("id")?),
        run: RunId(columns.uuid("run_id")?),
        workspace: WorkspaceId(columns.uuid("workspace_id")?),
        name: columns.text("name")?,
        read_only: columns.get("read_only")?,
        args: columns.json("args")?,
        digest: columns.text("digest")?,
        status: columns.word("status", CallStatus::parse)?,
        outcome: CallResult { result: columns.json_opt("result")?, artifact: columns.json_opt("artifact")? },
        created_at: columns.at("created_at")?,
        updated_at: columns.at("updated_at")?,
    })
}

#[async_trait]
impl RunReads for Database {
    async fn find_run(&self, workspace: WorkspaceId, user: UserId, id: RunId) -> StoreResult<Option<Run>> {
        let query = sql(include_str!("../sql/runs/find.sql")).bind(workspace.0).bind(user.0).bind(id.0);
        found(fetch_optional(self.reader_in(workspace).await?.connection(), query).await?.as_ref())
    }

    async fn find_run_unscoped(&self, id: RunId) -> StoreResult<Option<Run>> {
        let query = sql(include_str!("../sql/runs/find_unscoped.sql")).bind(id.0);
        found(fetch_optional(&mut *self.reader().await?, query).await?.as_ref())
    }

    async fn find_asked(&self, workspace: WorkspaceId, user: UserId, key: &str) -> StoreResult<Option<Run>> {
        let query = sql(include_str!("../sql/runs/find_asked.sql")).bind(workspace.0).bind(user.0).bind(clean(key));
        found(fetch_optional(self.reader_in(workspace).await?.connection(), query).await?.as_ref())
    }

    async fn list_runs(
        &self,
        workspace: WorkspaceId,
        user: UserId,
        before: Option<RunId>,
        limit: u32,
    ) -> StoreResult<Vec<Run>> {
        let query = sql(include_str!("../sql/runs/list.sql"))
            .bind(workspace.0)
            .bind(user.0)
            .bind(before.map(|id| id.0))
            .bind(i64::from(limit));
        runs(&fetch_all(self.reader_in(workspace).await?.connection(), query).await?)
    }

    async fn list_open_runs(&self, workspace: WorkspaceId, lane: LaneId) -> StoreResult<Vec<Run>> {
        let query = sql(include_str!("../sql/runs/list_open.sql")).bind(workspace.0).bind(lane.0);
        runs(&fetch_all(self.reader_in(workspace).await?.connection(), query).await?)
    }

    async fn list_events(&self, run: RunId, after: u64, limit: u32) -> StoreResult<Vec<RunEvent>> {
        // A reader can name any number as the last event it saw. No events follow one that is out of range.
        let Ok(after) = i64::try_from(after) else { return Ok(Vec::new()) };
        let query = sql(include_str!("../sql/runs/list_events.sql")).bind(run.0).bind(after).bind(i64::from(limit));
        fetch_all(&mut *self.reader().await?, query).await?.iter().map(event).collect()
    }

    async fn list_events_of(&self, runs: &[RunId]) -> StoreResult<Vec<RunEvent>> {
        let mut wanted = runs.to_vec();
        wanted.sort_unstable();
        wanted.dedup();
        let mut reader = self.reader().await?;
        let mut events = Vec::new();
        for chunk in wanted.chunks(RUNS_PER_STATEMENT) {
            let mut query = sql(include_str!("../sql/runs/list_events_of.sql"));
            // A short chunk repeats its first run, so that one prepared statement serves every length.
            for place in 0..RUNS_PER_STATEMENT {
                query = query.bind(chunk.get(place).unwrap_or(&chunk[0]).0);
            }
            for row in &fetch_all(&mut reader, query).await? {
                events.push(event(row)?);
            }
        }
        Ok(events)
    }

    async fn list_children(&self, parent: RunId) -> StoreResult<Vec<Run>> {
        let query = sql(include_str!("../sql/runs/list_children.sql")).bind(parent.0);
        runs(&fetch_all(&mut *self.reader().await?, query).await?)
    }

    async fn find_latest_checkpoint(&self, run: RunId) -> StoreResult<Option<Checkpoint>> {
        let query = sql(include_str!("../sql/runs/find_latest_checkpoint.sql")).bind(run.0);
        fetch_optional(&mut *self.reader().await?, query).await?.as_ref().map(checkpoint).transpose()
    }

    async fn find_checkpoint(&self, run: RunId, id: CheckpointId) -> StoreResult<Option<Checkpoint>> {
        let query = sql(include_str!("../sql/runs/find_checkpoint.sql")).bind(run.0).bind(id.0);
        fetch_optional(&mut *self.reader().await?, query).await?.as_ref().map(checkpoint).transpose()
    }

    async fn list_checkpoints(&self, run: RunId) -> StoreResult<Vec<CheckpointSummary>> {
        let query = sql(include_str!("../sql/runs/list_checkpoints.sql")).bind(run.0);
        fetch_all(&mut *self.reader().await?, query).await?.iter().map(checkpoint_summary).collect()
    }

    async fn find_call(&self, run: RunId, id: ToolCallId) -> StoreResult<Option<CallRecord>> {
        let query = sql(include_str!("../sql/runs/find_call.sql")).bind(run.0).bind(id.0);
        fetch_optional(&mut *self.reader().await?, query).await?.as_ref().map(call).transpose()
    }

    async fn list_calls(&self, run: RunId) -> StoreResult<Vec<CallRecord>> {
        let query = sql(include_str!("../sql/runs/list_calls.sql")).bind(run.0);
        fetch_all(&mut *self.reader().await?, query).await?.iter().map(call).collect()
    }

    async fn backlog(&self, now: Timestamp) -> StoreResult<Backlog> {
        let query = sql(include_str!("../sql/runs/backlog.sql")).bind(now.as_micros());
        let row = fetch_one(&mut *self.reader().await?, query).await?;
        let columns = Columns::new("runs", &row);
        Ok(Backlog {
            ready: columns.count("ready")?,
            oldest_ready: columns.at_opt("oldest_ready")?,
            pending_approvals: columns.count("pending_approvals")?,
        })
    }

    async fn count_ready(&self, now: Timestamp) -> StoreResult<u64> {
        let query = sql(include_str!("../sql/runs/count_ready.sql")).bind(now.as_micros());
        let row = fetch_one(&mut *self.reader().await?, query).await?;
        Columns::new("runs", &row).count("ready")
    }
}

/// Returns the first of `added` sequence numbers. The row holds the last one, as the reserving statement returned it.
pub(crate) fn first_reserved(row: &Row, added: usize) -> StoreResult<u64> {
    let last = Columns::new("runs", row).count("last_seq")?;
    let added = to_i64(added as u64)?.unsigned_abs();
    Ok(last - added + 1)
}
