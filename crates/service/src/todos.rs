//! To-dos of a workspace; everybody in it sees them and may change them.

use adagent_contract::{MOST_TODO, MOST_TODOS, PersonRef, TodoDraft, TodoUpdate, TodoView, codes};
use adagent_domain::{Actor, Granted, TodoId, UserId, rights::EditLibrary};
use adagent_store::{Todo, TodoBody};
use jiff::civil::Date;
use serde_json::json;

use crate::{
    Service, ServiceError, ServiceResult,
    validate::{self, Fields},
};

/// How many done to-dos we list.
const MOST_DONE: u32 = 200;

const TODO: &str = "to-do";

fn view(todo: Todo, actor: &Actor) -> TodoView {
    let TodoBody { text, due, assignee, done_at } = todo.body;
    TodoView {
        id: todo.id,
        text,
        done: done_at.is_some(),
        due,
        mine: assignee == Some(actor.user),
        assignee: assignee.map(|id| PersonRef { id, name: todo.assignee_name.unwrap_or_default() }),
        by: todo.by_name.unwrap_or_else(|| "someone who left".into()),
        run: todo.run.filter(|(_, user)| *user == actor.user).map(|(run, _)| run),
        version: todo.version,
        done_at,
        created_at: todo.created_at,
        updated_at: todo.updated_at,
    }
}

impl Service {
    /// Lists the open to-dos by day, or the latest done ones.
    pub async fn todos(&self, actor: &Actor, done: bool) -> ServiceResult<Vec<TodoView>> {
        let all = if done {
            self.store.list_done_todos(actor.workspace, MOST_DONE).await?
        } else {
            self.store.list_open_todos(actor.workspace, MOST_TODOS).await?
        };
        Ok(all.into_iter().map(|todo| view(todo, actor)).collect())
    }

    pub async fn todo(&self, actor: &Actor, id: TodoId) -> ServiceResult<TodoView> {
        Ok(view(self.existing_todo(actor, id).await?, actor))
    }

    pub async fn create_todo(&self, actor: &Granted<EditLibrary>, draft: TodoDraft) -> ServiceResult<TodoView> {
        let body = self.checked_todo(actor, draft, "", None).await?;
        let (now, id) = (self.clock.now(), TodoId::new(&*self.ids));
        let todo = Todo {
            id,
            workspace: actor.workspace,
            body,
            assignee_name: None,
            by: Some(actor.user),
            by_name: None,
            run: None,
            version: 1,
            created_at: now,
            updated_at: now,
        };
        let mut work = self.store.begin_in(actor.workspace).await?;
        if !work.insert_todo(&todo, MOST_TODOS).await? {
            return Err(ServiceError::Conflict {
                code: codes::CONFLICT,
                detail: format!("This workspace has {MOST_TODOS} to-dos, which is the limit. Delete some first."),
            });
        }
        self.audit(&mut *work, actor, "todo.created", id, json!({})).await?;
        work.commit().await?;
        self.todo(actor, id).await
    }

    pub async fn update_todo(
        &self,
        actor: &Granted<EditLibrary>,
        id: TodoId,
        update: TodoUpdate,
    ) -> ServiceResult<TodoView> {
        let before = self.existing_todo(actor, id).await?.body;
        let body = self.checked_todo(actor, update.todo, "/todo", Some(&before)).await?;
        let mut work = self.store.begin_in(actor.workspace).await?;
        if !work.update_todo(actor.workspace, id, update.version, &body, self.clock.now()).await? {
            return Err(ServiceError::Conflict {
                code: codes::CONFLICT,
                detail: "Someone changed this to-do in the meantime. Reload the page and make your change again."
                    .into(),
            });
        }
        let detail = json!({"changed": changed_fields(&before, &body)});
        self.audit(&mut *work, actor, "todo.changed", id, detail).await?;
        work.commit().await?;
        self.todo(actor, id).await
    }

    /// Marks a to-do as done or opens it again. Changes nothing else.
    pub async fn mark_todo(&self, actor: &Granted<EditLibrary>, id: TodoId, done: bool) -> ServiceResult<TodoView> {
        let Todo { body: TodoBody { text, due, assignee, .. }, version, .. } = self.existing_todo(actor, id).await?;
        let todo = TodoDraft { text, due, assignee, done };
        self.update_todo(actor, id, TodoUpdate { version, todo }).await
    }

    pub async fn delete_todo(&self, actor: &Granted<EditLibrary>, id: TodoId) -> ServiceResult<()> {
        let mut work = self.store.begin_in(actor.workspace).await?;
        if !work.delete_todo(actor.workspace, id).await? {
            return Err(ServiceError::NotFound(TODO));
        }
        self.audit(&mut *work, actor, "todo.deleted", id, json!({})).await?;
        Ok(work.commit().await?)
    }

    /// Lists the people who can be assigned, by name.
    pub async fn assignees(&self, actor: &Actor) -> ServiceResult<Vec<PersonRef>> {
        let all = self.store.list_members(actor.workspace, MOST_MEMBERS).await?;
        let mut people: Vec<_> = all.into_iter().map(|one| PersonRef { id: one.user, name: one.name }).collect();
        people.sort_by_key(|one| one.name.to_lowercase());
        Ok(people)
    }

    async fn existing_todo(&self, actor: &Actor, id: TodoId) -> ServiceResult<Todo> {
        self.store.find_todo(actor.workspace, id).await?.ok_or(ServiceError::NotFound(TODO))
    }

    /// Checks a to-do. A value that `before`, the version to change, already has stays allowed.
    async fn checked_todo(
        &self,
        actor: &Actor,
        draft: TodoDraft,
        base: &str,
        before: Option<&TodoBody>,
    ) -> ServiceResult<TodoBody> {
        let mut fields = Fields::default();
        let text = fields.take(&format!("{base}/text"), validate::line(&draft.text, "The to-do", MOST_TODO));
        let due = draft.due.filter(|day| !day.trim().is_empty());
        let due = due.map(|day| day.trim().parse::<Date>().map_err(|_| "Enter a day, such as 2026-11-27."));
        let due = due.and_then(|day| fields.take(&format!("{base}/due"), day)).map(|day| day.to_string());
        if let Some(user) = draft.assignee
            && before.and_then(|before| before.assignee) != Some(user)
            && !self.is_member(actor, user).await?
        {
            fields.wrong(format!("{base}/assignee"), "This workspace has no such member.");
        }
        fields.done()?;
        let text = text.ok_or_else(|| ServiceError::Internal("validated text is missing".into()))?;
        let since = before.and_then(|before| before.done_at);
        let done_at = draft.done.then(|| since.unwrap_or_else(|| self.clock.now()));
        Ok(TodoBody { text, due, assignee: draft.assignee, done_at })
    }

    async fn is_member(&self, actor: &Actor, user: UserId) -> ServiceResult<bool> {
        Ok(self.store.find_membership(actor.workspace, user).await?.is_some())
    }
}

/// How many members we read to find who can be assigned: as many as a page of the team shows.
const MOST_MEMBERS: u32 = 500;

/// Returns the names of the changed fields, without their contents, for the audit log.
fn changed_fields(before: &TodoBody, after: &TodoBody) -> Vec<&'static str> {
    let pairs = [
        (before.text != after.text, "text"),
        (before.due != after.due, "due"),
        (before.assignee != after.assignee, "assignee"),
        (before.done_at != after.done_at, "done"),
    ];
    pairs.into_iter().filter(|(changed, _)| *changed).map(|(_, name)| name).collect()
}
