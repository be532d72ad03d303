//! To-dos.

use adagent_domain::{RunId, Timestamp, TodoId, UserId, WorkspaceId};
use adagent_store::{StoreResult, Todo, TodoBody, TodoReads, TodoWrites};
use async_trait::async_trait;
use uuid::Uuid;

use crate::{
    columns::{Columns, clean},
    engine::{Database, Row, Unit},
    run::{execute_maybe, fetch_all, fetch_optional, sql},
};

fn todo(row: &Row) -> StoreResult<Todo> {
    let columns = Columns::new("todos", row);
    let user = |column| columns.get::<Option<Uuid>>(column).map(|id| id.map(UserId));
    Ok(Todo {
        id: TodoId(columns.uuid("id")?),
        workspace: WorkspaceId(columns.uuid("workspace_id")?),
        body: TodoBody {
            text: columns.text("text")?,
            due: columns.get("due")?,
            assignee: user("assignee_id")?,
            done_at: columns.at_opt("done_at")?,
        },
        assignee_name: columns.get("assignee_name")?,
        by: user("created_by")?,
        by_name: columns.get("by_name")?,
        run: columns.get::<Option<Uuid>>("run_id")?.map(RunId).zip(user("run_user_id")?),
        version: columns.get("version")?,
        created_at: columns.at("created_at")?,
        updated_at: columns.at("updated_at")?,
    })
}

#[async_trait]
impl TodoReads for Database {
    async fn find_todo(&self, workspace: WorkspaceId, id: TodoId) -> StoreResult<Option<Todo>> {
        let query = sql(include_str!("../sql/todos/find.sql")).bind(workspace.0).bind(id.0);
        fetch_optional(self.reader_in(workspace).await?.connection(), query).await?.as_ref().map(todo).transpose()
    }

    async fn list_open_todos(&self, workspace: WorkspaceId, limit: u32) -> StoreResult<Vec<Todo>> {
        let query = sql(include_str!("../sql/todos/list_open.sql")).bind(workspace.0).bind(i64::from(limit));
        fetch_all(self.reader_in(workspace).await?.connection(), query).await?.iter().map(todo).collect()
    }

    async fn list_done_todos(&self, workspace: WorkspaceId, limit: u32) -> StoreResult<Vec<Todo>> {
        let query = sql(include_str!("../sql/todos/list_done.sql")).bind(workspace.0).bind(i64::from(limit));
        fetch_all(self.reader_in(workspace).await?.connection(), query).await?.iter().map(todo).collect()
    }
}

#[async_trait]
impl TodoWrites for Unit {
    async fn insert_todo(&mut self, todo: &Todo, most: u32) -> StoreResult<bool> {
        let query = sql(include_str!("../sql/todos/insert.sql"))
            .bind(todo.id.0)
            .bind(todo.workspace.0)
            .bind(clean(&todo.body.text).into_owned())
            .bind(todo.body.due.clone())
            .bind(todo.body.assignee.map(|user| user.0))
            .bind(todo.by.map(|user| user.0))
            .bind(todo.body.done_at.map(Timestamp::as_micros))
            .bind(todo.created_at.as_micros())
            .bind(i64::from(most));
        execute_maybe(self.connection(), query).await
    }

    async fn update_todo(
        &mut self,
        workspace: WorkspaceId,
        id: TodoId,
        from: i64,
        body: &TodoBody,
        at: Timestamp,
    ) -> StoreResult<bool> {
        let query = sql(include_str!("../sql/todos/update.sql"))
            .bind(workspace.0)
            .bind(id.0)
            .bind(from)
            .bind(clean(&body.text).into_owned())
            .bind(body.due.clone())
            .bind(body.assignee.map(|user| user.0))
            .bind(body.done_at.map(Timestamp::as_micros))
            .bind(at.as_micros());
        execute_maybe(self.connection(), query).await
    }

    async fn delete_todo(&mut self, workspace: WorkspaceId, id: TodoId) -> StoreResult<bool> {
        let query = sql(include_str!("../sql/todos/delete.sql")).bind(workspace.0).bind(id.0);
        execute_maybe(self.connection(), query).await
    }
}
