//! Conversations.

use adagent_contract::{Page, Rating, SessionMessages, SessionView};
use adagent_domain::{ChatSessionId, MessageId};
use leptos::prelude::*;
use leptos::server_fn::codec::GetUrl;

use super::ApiError;

/// The newest conversations, or those that match a search.
#[server(input = GetUrl, prefix = "/desk", endpoint = "sessions")]
pub async fn sessions(search: Option<String>, cursor: Option<String>) -> Result<Page<SessionView>, ApiError> {
    let (service, actor) = super::who::server::actor().await?;
    service.list_sessions(&actor, search, cursor, Some(40)).await.map_err(super::who::server::fail)
}

/// A conversation with its newest turns, or the turns before a cursor.
#[server(input = GetUrl, prefix = "/desk", endpoint = "thread")]
pub async fn thread(id: ChatSessionId, cursor: Option<String>) -> Result<SessionMessages, ApiError> {
    let (service, actor) = super::who::server::actor().await?;
    service.session_messages(&actor, id, cursor, Some(50)).await.map_err(super::who::server::fail)
}

#[server(prefix = "/desk", endpoint = "rename-session")]
pub async fn rename_session(id: ChatSessionId, title: String) -> Result<SessionView, ApiError> {
    let (service, actor) = super::who::server::actor().await?;
    let patch = adagent_contract::SessionPatch { title: Some(title), ..Default::default() };
    service.patch_session(&actor, id, patch).await.map_err(super::who::server::fail)
}

/// Deletes the conversation and leads to a new one.
#[server(prefix = "/desk", endpoint = "delete-session")]
pub async fn delete_session(id: ChatSessionId) -> Result<(), ApiError> {
    let (service, actor) = super::who::server::actor().await?;
    service.delete_session(&super::who::server::granted(&actor)?, id).await.map_err(super::who::server::fail)?;
    leptos_axum::redirect("/chat");
    Ok(())
}

#[server(prefix = "/desk", endpoint = "rate")]
pub async fn rate(id: MessageId, rating: Rating) -> Result<(), ApiError> {
    let (service, actor) = super::who::server::actor().await?;
    let feedback = adagent_contract::FeedbackRequest { rating, comment: None };
    service.rate_message(&actor, id, feedback).await.map_err(super::who::server::fail)
}

/// Keeps a conversation whatever the retention policy says, or no longer.
#[server(prefix = "/desk", endpoint = "keep")]
pub async fn keep_session(id: ChatSessionId, kept: bool) -> Result<SessionView, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    let patch = adagent_contract::SessionPatch { kept: Some(kept), ..Default::default() };
    service.patch_session(&actor, id, patch).await.map_err(server::fail)
}
