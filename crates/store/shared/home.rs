//! Readings: chats that home began for a person.

use adagent_contract::RunStatus;
use adagent_domain::{ChatSessionId, MessageId, RunId, Timestamp, UserId, WorkspaceId};
use adagent_store::{HomeReading, HomeReads, HomeWrites, StoreResult};
use async_trait::async_trait;

use crate::{
    columns::{Columns, clean},
    engine::{Database, Row, Unit},
    run::{execute, execute_one, fetch_all, sql},
    unreadable::readable,
};

fn reading(row: &Row) -> StoreResult<HomeReading> {
    let columns = Columns::new("chat_sessions", row);
    Ok(HomeReading {
        session: ChatSessionId(columns.uuid("session_id")?),
        question: columns.text("home_question")?,
        basis: columns.get::<Option<String>>("home_basis")?.unwrap_or_default(),
        run: RunId(columns.uuid("run_id")?),
        message: MessageId(columns.uuid("message_id")?),
        status: columns.word("status", RunStatus::parse)?,
        asked_at: columns.at("created_at")?,
        finished_at: columns.at_opt("finished_at")?,
    })
}

#[async_trait]
impl HomeReads for Database {
    async fn list_home_readings(
        &self,
        workspace: WorkspaceId,
        user: UserId,
        limit: u32,
    ) -> StoreResult<Vec<HomeReading>> {
        let query =
            sql(include_str!("../sql/home/list_readings.sql")).bind(workspace.0).bind(user.0).bind(i64::from(limit));
        let rows = fetch_all(self.reader_in(workspace).await?.connection(), query).await?;
        rows.iter().filter_map(|row| readable(row, "run_id", reading).transpose()).collect()
    }
}

#[async_trait]
impl HomeWrites for Unit {
    async fn mark_home_chat(
        &mut self,
        workspace: WorkspaceId,
        user: UserId,
        id: ChatSessionId,
        question: &str,
        basis: &str,
    ) -> StoreResult<()> {
        let query = sql(include_str!("../sql/home/mark.sql"))
            .bind(workspace.0)
            .bind(user.0)
            .bind(id.0)
            .bind(clean(question))
            .bind(clean(basis));
        execute_one(self.connection(), query, "mark a reading of home").await
    }

    async fn forget_home_readings(
        &mut self,
        workspace: WorkspaceId,
        user: UserId,
        question: &str,
        but: ChatSessionId,
        before: Timestamp,
    ) -> StoreResult<u64> {
        let query = sql(include_str!("../sql/home/forget_readings.sql"))
            .bind(workspace.0)
            .bind(user.0)
            .bind(clean(question))
            .bind(but.0)
            .bind(before.as_micros());
        execute(self.connection(), query).await
    }
}
