//! Reads what runs did, for the people who asked.

use adagent_contract::{ApprovalView, RunStatus};
use adagent_domain::{AgentId, ChatSessionId, RunId, Timestamp, UserId, WorkspaceId};
use adagent_store::{ByAgent, JournalFilter, JournalReads, JournalRow, StoreResult};
use async_trait::async_trait;
use uuid::Uuid;

use crate::{
    columns::{Columns, like_pattern},
    engine::{Database, Row},
    run::{fetch_all, sql},
};

fn entry(row: &Row) -> StoreResult<JournalRow> {
    let columns = Columns::new("runs", row);
    Ok(JournalRow {
        run: RunId(columns.uuid("id")?),
        session: columns.get::<Option<Uuid>>("session_id")?.map(ChatSessionId),
        agent: columns.get::<Option<Uuid>>("agent_id")?.map(AgentId),
        agent_body: columns.json_opt("agent_body")?,
        status: columns.word("status", RunStatus::parse)?,
        question: columns.text("question")?,
        answer: columns.get("answer")?,
        cost_micros: columns.get("cost_micros")?,
        finished_at: columns.at("finished_at")?,
        changes: Vec::new(),
    })
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
        let (word, agent) = match filter.agent {
            ByAgent::Any => ("any", None),
            ByAgent::Default => ("default", None),
            ByAgent::One(id) => ("one", Some(id.0)),
        };
        let query = sql(include_str!("../sql/journal/list.sql"))
            .bind(workspace.0)
            .bind(user.0)
            .bind(word)
            .bind(agent)
            .bind(filter.from.map(Timestamp::as_micros))
            .bind(filter.until.map(Timestamp::as_micros))
            .bind(filter.status.map(RunStatus::as_str))
            .bind(filter.text.as_deref().map(like_pattern))
            .bind(filter.before.map(|run| run.0))
            .bind(i64::from(limit));
        let mut reader = self.reader_in(workspace).await?;
        let rows = fetch_all(reader.connection(), query).await?;
        let mut entries = rows.iter().map(entry).collect::<StoreResult<Vec<_>>>()?;
        let (Some(newest), Some(oldest)) = (entries.first(), entries.last()) else { return Ok(entries) };
        let query = sql(include_str!("../sql/journal/list_changes.sql"))
            .bind(workspace.0)
            .bind(user.0)
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
}
