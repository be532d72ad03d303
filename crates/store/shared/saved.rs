//! Saved questions.

use adagent_domain::{SavedQuestionId, Timestamp, UserId, WorkspaceId};
use adagent_store::{SavedQuestion, SavedReads, SavedWrites, StoreResult};
use async_trait::async_trait;

use crate::{
    columns::{Columns, clean},
    engine::{Database, Row, Unit},
    run::{execute, execute_maybe, fetch_all, sql},
};

fn saved(row: &Row) -> StoreResult<SavedQuestion> {
    let columns = Columns::new("saved_questions", row);
    Ok(SavedQuestion {
        id: SavedQuestionId(columns.uuid("id")?),
        workspace: WorkspaceId(columns.uuid("workspace_id")?),
        user: UserId(columns.uuid("user_id")?),
        title: columns.text("title")?,
        question: columns.text("question")?,
        pinned: columns.get("pinned")?,
        created_at: columns.at("created_at")?,
        updated_at: columns.at("updated_at")?,
    })
}

#[async_trait]
impl SavedReads for Database {
    async fn list_saved_questions(
        &self,
        workspace: WorkspaceId,
        user: UserId,
        limit: u32,
    ) -> StoreResult<Vec<SavedQuestion>> {
        let query = sql(include_str!("../sql/saved/list.sql")).bind(workspace.0).bind(user.0).bind(i64::from(limit));
        fetch_all(self.reader_in(workspace).await?.connection(), query).await?.iter().map(saved).collect()
    }
}

#[async_trait]
impl SavedWrites for Unit {
    async fn insert_saved_question(&mut self, saved: &SavedQuestion, most: u32) -> StoreResult<bool> {
        // Transactions that count at the same time wait here, and then count this question too.
        execute(self.connection(), sql(include_str!("../sql/tokens/lock_user.sql")).bind(saved.user.0)).await?;
        let query = sql(include_str!("../sql/saved/insert.sql"))
            .bind(saved.id.0)
            .bind(saved.workspace.0)
            .bind(saved.user.0)
            .bind(clean(&saved.title))
            .bind(clean(&saved.question))
            .bind(saved.pinned)
            .bind(saved.created_at.as_micros())
            .bind(i64::from(most));
        execute_maybe(self.connection(), query).await
    }

    async fn update_saved_question(
        &mut self,
        workspace: WorkspaceId,
        user: UserId,
        id: SavedQuestionId,
        title: Option<&str>,
        pinned: Option<bool>,
        at: Timestamp,
    ) -> StoreResult<bool> {
        let query = sql(include_str!("../sql/saved/update.sql"))
            .bind(workspace.0)
            .bind(user.0)
            .bind(id.0)
            .bind(title.map(clean))
            .bind(pinned)
            .bind(at.as_micros());
        execute_maybe(self.connection(), query).await
    }

    async fn delete_saved_question(
        &mut self,
        workspace: WorkspaceId,
        user: UserId,
        id: SavedQuestionId,
    ) -> StoreResult<bool> {
        let query = sql(include_str!("../sql/saved/delete.sql")).bind(workspace.0).bind(user.0).bind(id.0);
        execute_maybe(self.connection(), query).await
    }
}
