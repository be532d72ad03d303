//! Chats.

use adagent_contract::{CallResult, FeedbackView, Page, Rating, SessionMessages, SessionView};
use adagent_domain::{ChatSessionId, MessageId, RunId, ToolCallId};
use leptos::prelude::*;

use super::ApiError;

/// Returns the newest chats, or those that match a search.
#[server(protocol = super::Asked, prefix = "/desk", endpoint = "sessions", client = super::DeskClient)]
pub async fn sessions(search: Option<String>, cursor: Option<String>) -> Result<Page<SessionView>, ApiError> {
    let (service, actor) = super::who::server::actor().await?;
    service.list_sessions(&actor, search, cursor, Some(40)).await.map_err(super::who::server::fail)
}

/// Returns a chat with its newest turns, or with the turns before a cursor.
#[server(protocol = super::Asked, prefix = "/desk", endpoint = "thread", client = super::DeskClient)]
pub async fn thread(id: ChatSessionId, cursor: Option<String>) -> Result<SessionMessages, ApiError> {
    let (service, actor) = super::who::server::actor().await?;
    let mut page = service.session_messages(&actor, id, cursor, Some(50)).await.map_err(super::who::server::fail)?;
    page.items.iter_mut().for_each(|item| item.turn.shorten());
    Ok(page)
}

/// Returns the result of one call of a run. The page itself holds only the size.
#[server(protocol = super::Asked, prefix = "/desk", endpoint = "step-result", client = super::DeskClient)]
pub async fn read_step(run: RunId, call: ToolCallId) -> Result<CallResult, ApiError> {
    let (service, actor) = super::who::server::actor().await?;
    service.step_result(&actor, run, call).await.map_err(super::who::server::fail)
}

#[server(protocol = super::Sent, prefix = "/desk", endpoint = "rename-session", client = super::DeskClient)]
pub async fn rename_session(id: ChatSessionId, title: String) -> Result<SessionView, ApiError> {
    let (service, actor) = super::who::server::actor().await?;
    let patch = adagent_contract::SessionPatch { title: Some(title), ..Default::default() };
    service.patch_session(&actor, id, patch).await.map_err(super::who::server::fail)
}

/// Deletes the chat and opens a new one.
#[server(protocol = super::Sent, prefix = "/desk", endpoint = "delete-session", client = super::DeskClient)]
pub async fn delete_session(id: ChatSessionId) -> Result<(), ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    service.delete_session(&server::granted(&actor)?, id).await.map_err(server::fail)?;
    server::redirect("/chat");
    Ok(())
}

#[server(protocol = super::Sent, prefix = "/desk", endpoint = "rate", client = super::DeskClient)]
pub async fn rate(id: MessageId, rating: Rating, comment: Option<String>) -> Result<(), ApiError> {
    let (service, actor) = super::who::server::actor().await?;
    let feedback = adagent_contract::FeedbackRequest { rating, comment };
    service.rate_message(&actor, id, feedback).await.map_err(super::who::server::fail)
}

/// Shares the chat with every member of the organization, or stops sharing it.
#[server(protocol = super::Sent, prefix = "/desk", endpoint = "share", client = super::DeskClient)]
pub async fn share_session(id: ChatSessionId, shared: bool) -> Result<SessionView, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    let patch = adagent_contract::SessionPatch { shared: Some(shared), ..Default::default() };
    service.patch_session(&actor, id, patch).await.map_err(server::fail)
}

/// Keeps a chat regardless of the retention policy, or stops keeping it.
#[server(protocol = super::Sent, prefix = "/desk", endpoint = "keep", client = super::DeskClient)]
pub async fn keep_session(id: ChatSessionId, kept: bool) -> Result<SessionView, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    let patch = adagent_contract::SessionPatch { kept: Some(kept), ..Default::default() };
    service.patch_session(&actor, id, patch).await.map_err(server::fail)
}

/// Shuts networks out of a chat, or lets them in again.
#[server(protocol = super::Sent, prefix = "/desk", endpoint = "chat-only", client = super::DeskClient)]
pub async fn chat_only(id: ChatSessionId, chat_only: bool) -> Result<SessionView, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    let patch = adagent_contract::SessionPatch { chat_only: Some(chat_only), ..Default::default() };
    service.patch_session(&actor, id, patch).await.map_err(server::fail)
}

/// Returns the feedback that people of the workspace gave on answers.
#[server(protocol = super::Asked, prefix = "/desk", endpoint = "feedback", client = super::DeskClient)]
pub async fn read_feedback() -> Result<Vec<FeedbackView>, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    service.feedback(&server::granted(&actor)?).await.map_err(server::fail)
}
