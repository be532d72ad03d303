//! The library: the to-dos of a workspace.

use adagent_contract::{PersonRef, TodoView};
use adagent_domain::TodoId;
use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use super::{ApiError, Told};

/// What the library page shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LibraryView {
    /// By due day; to-dos without a day come last.
    pub open: Vec<TodoView>,
    /// The most recently completed to-do comes first.
    pub done: Vec<TodoView>,
    pub people: Vec<PersonRef>,
    /// The person who looks at the page.
    pub me: String,
    /// Today's date in the workspace, such as `2026-11-26`.
    pub today: String,
}

#[server(protocol = super::Asked, prefix = "/desk", endpoint = "library", client = super::DeskClient)]
pub async fn library() -> Result<LibraryView, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    Ok(LibraryView {
        open: service.todos(&actor, false).await.map_err(server::fail)?,
        done: service.todos(&actor, true).await.map_err(server::fail)?,
        people: service.assignees(&actor).await.map_err(server::fail)?,
        me: actor.user.to_string(),
        today: service.reporting(&actor).await.map_err(server::fail)?.today,
    })
}

/// Reads the fields of a to-do as a form sends them. An empty field means no value.
#[cfg(feature = "ssr")]
fn draft(
    text: String,
    due: String,
    assignee: &str,
    done: bool,
) -> Result<adagent_contract::TodoDraft, adagent_service::ServiceError> {
    let wrong = |_| adagent_service::ServiceError::field("/assignee", "This workspace has no such member.");
    let assignee = if assignee.is_empty() { None } else { Some(assignee.parse().map_err(wrong)?) };
    Ok(adagent_contract::TodoDraft { text, due: Some(due).filter(|day| !day.is_empty()), assignee, done })
}

#[server(protocol = super::Sent, prefix = "/desk", endpoint = "add-todo", client = super::DeskClient)]
pub async fn add_todo(
    text: String,
    #[server(default)] due: String,
    #[server(default)] assignee: String,
) -> Result<Told<TodoView>, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    let actor = server::granted(&actor)?;
    let made = match draft(text, due, &assignee, false) {
        Ok(draft) => service.create_todo(&actor, draft).await,
        Err(wrong) => Err(wrong),
    };
    made.map(Ok).or_else(server::told_at)
}

/// Marks a to-do as done, or opens it again.
#[server(protocol = super::Sent, prefix = "/desk", endpoint = "mark-todo", client = super::DeskClient)]
pub async fn mark_todo(id: TodoId, done: bool) -> Result<Told<TodoView>, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    service.mark_todo(&server::granted(&actor)?, id, done).await.map(Ok).or_else(server::told_at)
}

#[server(protocol = super::Sent, prefix = "/desk", endpoint = "change-todo", client = super::DeskClient)]
pub async fn change_todo(
    id: TodoId,
    version: i64,
    text: String,
    #[server(default)] due: String,
    #[server(default)] assignee: String,
    #[server(default)] done: bool,
) -> Result<Told<TodoView>, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    let actor = server::granted(&actor)?;
    let made = match draft(text, due, &assignee, done) {
        Ok(todo) => service.update_todo(&actor, id, adagent_contract::TodoUpdate { version, todo }).await,
        Err(wrong) => Err(wrong),
    };
    made.map(Ok).or_else(server::told_at)
}

#[server(protocol = super::Sent, prefix = "/desk", endpoint = "delete-todo", client = super::DeskClient)]
pub async fn delete_todo(id: TodoId) -> Result<(), ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    service.delete_todo(&server::granted(&actor)?, id).await.map_err(server::fail)
}
