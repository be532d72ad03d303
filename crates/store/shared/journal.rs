//! Reads what runs did, for the people who asked.

use adagent_contract::{ApprovalView, RunStatus};
use adagent_domain::{AgentId, ChatSessionId, RunId, Timestamp, UserId, WorkspaceId};
use adagent_store::{ByAgent, JournalFilter, JournalMark, JournalReads, JournalRow, StoreResult};
use async_trait::async_trait;
use uuid::Uuid;

use crate::{
    columns::{Columns, like_pattern},
    engine::{Database, Row},
    run::{Query, fetch_all, sql},
};

fn entry(row: &Row) -> StoreResult<JournalRow> {
    let columns = Columns::new("runs", row);
    Ok(JournalRow {
        run: RunId(columns.uuid("id")?),
        session: columns.get::<Option<Uuid>>("session_id")?.map(ChatSessionId),
        opens: columns.get("opens")?,
        user: UserId(columns.uuid("user_id")?),
        user_name: columns.text("by_name")?,
        scheduled: columns.get::<Option<Uuid>>("trigger_id")?.is_some(),
        delegated: columns.count("depth")? > 0,
        agent: columns.get::<Option<Uuid>>("agent_id")?.map(AgentId),
        agent_body: columns.json_opt("agent_body")?,
        status: columns.word("status", RunStatus::parse)?,
        question: columns.text("question")?,
        answer: columns.get("answer")?,
        cost_micros: columns.get("cost_micros")?,
        begun_at: columns.at("begun_at")?,
        finished_at: columns.at("finished_at")?,
        changes: Vec::new(),
    })
}

fn mark(row: &Row) -> StoreResult<JournalMark> {
    let columns = Columns::new("runs", row);
    Ok(JournalMark {
        run: RunId(columns.uuid("id")?),
        agent: columns.get::<Option<Uuid>>("agent_id")?.map(AgentId),
        user: UserId(columns.uuid("user_id")?),
        user_name: columns.text("by_name")?,
        status: columns.word("status", RunStatus::parse)?,
        cost_micros: columns.get("cost_micros")?,
        finished_at: columns.at("finished_at")?,
    })
}

/// Binds what both lists ask for.
fn bind_filter(query: Query, workspace: WorkspaceId, user: UserId, filter: &JournalFilter, limit: u32) -> Query {
    let (word, agent) = match filter.agent {
        ByAgent::Any => ("any", None),
        ByAgent::Default => ("default", None),
        ByAgent::One(id) => ("one", Some(id.0)),
    };
    query
        .bind(workspace.0)
        .bind(user.0)
        .bind(word)
        .bind(agent)
        .bind(filter.from.map(Timestamp::as_micros))
        .bind(filter.until.map(Timestamp::as_micros))
        .bind(filter.status.map(RunStatus::as_str))
        .bind(filter.text.as_deref().map(like_pattern))
        .bind(filter.before.map(|run| run.0))
        .bind(i64::from(limit))
        .bind(filter.person.map(|person| person.0))
}

/// Reads the run of a change, and the change's title.
fn change(row: &Row) -> StoreResult<(RunId, String)> {
    let columns = Columns::new("approvals", row);
    let mut view: ApprovalView = columns.json("view")?;
    view.sent = columns.json_opt("sent")?;
    Ok((RunId(columns.uuid("run_id")?), view.title_now().to_owned()))
}

#[async_trait]
impl JournalReads for Database {
    async fn list_journal(
        &self,
        workspace: WorkspaceId,
        user: UserId,
        filter: &JournalFilter,
        limit: u32,
    ) -> StoreResult<Vec<JournalRow>> {
        let query = bind_filter(sql(include_str!("../sql/journal/list.sql")), workspace, user, filter, limit);
        let mut reader = self.reader_in(workspace).await?;
        let rows = fetch_all(reader.connection(), query).await?;
        let mut entries = rows.iter().map(entry).collect::<StoreResult<Vec<_>>>()?;
        let (Some(newest), Some(oldest)) = (entries.first(), entries.last()) else { return Ok(entries) };
        let query = sql(include_str!("../sql/journal/list_changes.sql"))
            .bind(workspace.0)
            .bind(oldest.run.0)
            .bind(newest.run.0);
        for row in fetch_all(reader.connection(), query).await? {
            let (run, title) = change(&row)?;
            if let Some(entry) = entries.iter_mut().find(|entry| entry.run == run) {
                entry.changes.push(title);
            }
        }
        Ok(entries)
    }
    async fn list_journal_marks(
        &self,
        workspace: WorkspaceId,
        user: UserId,
        filter: &JournalFilter,
        limit: u32,
    ) -> StoreResult<Vec<JournalMark>> {
        let query = bind_filter(sql(include_str!("../sql/journal/list_marks.sql")), workspace, user, filter, limit);
        fetch_all(self.reader_in(workspace).await?.connection(), query).await?.iter().map(mark).collect()
    }
}
