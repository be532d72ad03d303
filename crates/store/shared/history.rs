//! Origins of forks, and deletion by the retention policy.

use adagent_contract::RunStatus;
use adagent_domain::{ChatSessionId, MessageId, RunId, Timestamp, UserId, WorkspaceId};
use adagent_store::{Fork, HistoryReads, HistoryWrites, Origin, RetentionWrites, RunWrites as _, StoreResult, Swept};
use async_trait::async_trait;
use uuid::Uuid;

use crate::{
    columns::{Columns, to_i64},
    engine::{Database, Row, Unit},
    run::{Query, execute, execute_maybe, execute_one, fetch_all, fetch_optional, sql},
    unreadable::readable,
};

fn origin(row: &Row) -> StoreResult<Origin> {
    let columns = Columns::new("run_origins", row);
    Ok(Origin {
        run: RunId(columns.uuid("run_id")?),
        parent: RunId(columns.uuid("parent_id")?),
        parent_step: columns.get("parent_step")?,
        inherited_seq: columns.count("inherited_seq")?,
    })
}

fn fork(row: &Row) -> StoreResult<Fork> {
    let columns = Columns::new("run_origins", row);
    Ok(Fork {
        run: RunId(columns.uuid("run_id")?),
        parent_step: columns.get("parent_step")?,
        question: columns.get::<Option<String>>("question")?.unwrap_or_default(),
        status: columns.word("status", RunStatus::parse)?,
        created_at: columns.at("created_at")?,
    })
}

/// Binds the query for the first `limit` runs after `after` that ended before `before`.
fn page(
    text: &'static str,
    before: Timestamp,
    of: Option<WorkspaceId>,
    after: Option<(Timestamp, RunId)>,
    limit: u32,
) -> Query {
    let (at, id) = after.map_or((i64::MIN, Uuid::nil()), |(at, id)| (at.as_micros(), id.0));
    sql(text).bind(before.as_micros()).bind(at).bind(id).bind(i64::from(limit)).bind(of.map(|of| of.0))
}

/// Returns the place of the last row. `None` if the page is not full, because then there is no next page.
fn next(rows: &[Row], limit: u32) -> StoreResult<Option<(Timestamp, RunId)>> {
    let Some(last) = rows.last().filter(|_| rows.len() >= limit as usize) else { return Ok(None) };
    let columns = Columns::new("runs", last);
    Ok(Some((columns.at("finished_at")?, RunId(columns.uuid("id")?))))
}

/// Reads a run to delete, with its chat and message if it has them.
fn old(row: &Row) -> StoreResult<(Option<ChatSessionId>, RunId, Option<MessageId>)> {
    let columns = Columns::new("runs", row);
    let session = columns.get::<Option<Uuid>>("session_id")?.map(ChatSessionId);
    Ok((session, RunId(columns.uuid("id")?), columns.get::<Option<Uuid>>("message_id")?.map(MessageId)))
}

#[async_trait]
impl HistoryReads for Database {
    async fn find_origin(&self, run: RunId) -> StoreResult<Option<Origin>> {
        let query = sql(include_str!("../sql/history/find_origin.sql")).bind(run.0);
        fetch_optional(&mut *self.reader().await?, query).await?.as_ref().map(origin).transpose()
    }

    async fn list_forks(
        &self,
        workspace: WorkspaceId,
        user: UserId,
        parent: RunId,
        limit: u32,
    ) -> StoreResult<Vec<Fork>> {
        let query = sql(include_str!("../sql/history/list_forks.sql"))
            .bind(workspace.0)
            .bind(user.0)
            .bind(parent.0)
            .bind(i64::from(limit));
        let rows = fetch_all(self.reader_in(workspace).await?.connection(), query).await?;
        rows.iter().filter_map(|row| readable(row, "run_id", fork).transpose()).collect()
    }
}

#[async_trait]
impl HistoryWrites for Unit {
    async fn insert_origin(&mut self, origin: &Origin) -> StoreResult<()> {
        let query = sql(include_str!("../sql/history/insert_origin.sql"))
            .bind(origin.run.0)
            .bind(origin.parent.0)
            .bind(origin.parent_step)
            .bind(to_i64(origin.inherited_seq)?);
        execute_one(self.connection(), query, "insert origin").await
    }
}

#[async_trait]
impl RetentionWrites for Unit {
    async fn keep_chat(
        &mut self,
        workspace: WorkspaceId,
        user: UserId,
        id: ChatSessionId,
        kept: bool,
    ) -> StoreResult<bool> {
        let query =
            sql(include_str!("../sql/history/keep_chat.sql")).bind(workspace.0).bind(user.0).bind(id.0).bind(kept);
        execute_maybe(self.connection(), query).await
    }

    async fn thin_checkpoints(
        &mut self,
        ended_before: Timestamp,
        of: Option<WorkspaceId>,
        after: Option<(Timestamp, RunId)>,
        runs: u32,
    ) -> StoreResult<Swept> {
        let query = page(include_str!("../sql/history/list_to_thin.sql"), ended_before, of, after, runs);
        let rows = fetch_all(self.connection(), query).await?;
        for row in &rows {
            let run = RunId(Columns::new("runs", row).uuid("id")?);
            self.prune_checkpoints(run, 1).await?;
            let query = sql(include_str!("../sql/history/mark_thinned.sql")).bind(run.0);
            execute(self.connection(), query).await?;
        }
        Ok(Swept { done: rows.len() as u64, next: next(&rows, runs)? })
    }

    async fn delete_runs(
        &mut self,
        ended_before: Timestamp,
        of: Option<WorkspaceId>,
        after: Option<(Timestamp, RunId)>,
        runs: u32,
    ) -> StoreResult<Swept> {
        let query = page(include_str!("../sql/history/list_old_runs.sql"), ended_before, of, after, runs);
        let rows = fetch_all(self.connection(), query).await?;
        let next = next(&rows, runs)?;
        let mut runs = rows.iter().map(old).collect::<StoreResult<Vec<_>>>()?;
        // Take one chat after another and lock its row first: a person who deletes a chat locks in the same order.
        runs.sort_unstable();
        let mut deleted = 0;
        for of_chat in runs.chunk_by(|one, other| one.0 == other.0) {
            let chat = of_chat.first().and_then(|(chat, ..)| *chat);
            if let Some(chat) = chat {
                self.lock_lane(chat.into()).await?;
            }
            for (_, run, message) in of_chat {
                // The messages of the tasks below this run are deleted with it.
                let tasks = sql(include_str!("../sql/history/list_tasks.sql")).bind(run.0);
                let tasks = fetch_all(self.connection(), tasks).await?;
                let query = sql(include_str!("../sql/history/delete_run.sql")).bind(run.0);
                if !execute_maybe(self.connection(), query).await? {
                    continue;
                }
                for task in &tasks {
                    let id = Columns::new("runs", task).uuid("message_id")?;
                    let query = sql(include_str!("../sql/history/delete_message.sql")).bind(id);
                    execute(self.connection(), query).await?;
                }
                deleted += 1;
                if let Some(message) = message {
                    let query = sql(include_str!("../sql/history/delete_message.sql")).bind(message.0);
                    execute(self.connection(), query).await?;
                }
            }
            if let Some(chat) = chat {
                let query = sql(include_str!("../sql/history/delete_empty_chat.sql"))
                    .bind(chat.0)
                    .bind(ended_before.as_micros());
                execute(self.connection(), query).await?;
            }
        }
        Ok(Swept { done: deleted, next })
    }
}
