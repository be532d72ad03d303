//! Conversations and their messages. A message belongs to exactly one run, which answers it.

use adagent_domain::{ChatSessionId, MessageId, RunId, Timestamp, UserId, WorkspaceId};
use async_trait::async_trait;

use crate::StoreResult;

/// A conversation belongs to a person in a workspace; nobody else reads it.
#[expect(clippy::struct_excessive_bools, reason = "facts of a row that have nothing to do with each other")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatSession {
    pub id: ChatSessionId,
    pub workspace: WorkspaceId,
    pub user: UserId,
    pub title: String,
    pub chat_only: bool,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// The retention policy spares it.
    pub kept: bool,
    /// Every member of the workspace may read it.
    pub shared: bool,
    /// Derived on read: a run is queued, running or waiting.
    pub busy: bool,
    pub awaiting_approval: bool,
}

/// A chat that every member may read, and whose it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedChat {
    pub chat: ChatSession,
    pub owner_name: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMessage {
    pub id: MessageId,
    pub workspace: WorkspaceId,
    pub session: ChatSessionId,
    pub run: RunId,
    pub author: UserId,
    pub content: String,
    pub created_at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    pub id: MessageId,
    pub session: ChatSessionId,
    pub run: RunId,
    pub author_name: String,
    pub content: String,
    pub created_at: Timestamp,
    /// `up`, `down`.
    pub rating: Option<String>,
    /// What a program asked its run for; see [`crate::RunWrites::mark_asked`].
    pub asked: Option<String>,
}

/// A message with the answer of its run, for history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageRow {
    pub message: Message,
    /// The final answer of the run, when there is one. Of a run that failed or was stopped it says why.
    pub answer: Option<String>,
    /// Whether the run came to its end.
    pub completed: bool,
}

/// What a person said of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feedback {
    pub session: ChatSessionId,
    pub author: UserId,
    pub author_name: String,
    /// When the question was asked.
    pub created_at: Timestamp,
    pub rating: String,
    pub comment: Option<String>,
}

#[async_trait]
pub trait ChatReads {
    async fn find_chat(
        &self,
        workspace: WorkspaceId,
        user: UserId,
        id: ChatSessionId,
    ) -> StoreResult<Option<ChatSession>>;
    /// Oldest first among the newest `limit` before `before`.
    async fn list_messages(
        &self,
        workspace: WorkspaceId,
        session: ChatSessionId,
        before: Option<MessageId>,
        limit: u32,
    ) -> StoreResult<Vec<Message>>;
    async fn find_message(&self, workspace: WorkspaceId, user: UserId, id: MessageId) -> StoreResult<Option<Message>>;
    /// The last `limit` turns before `before`, oldest first, with their answers.
    async fn list_history(
        &self,
        workspace: WorkspaceId,
        session: ChatSessionId,
        before: MessageId,
        limit: u32,
    ) -> StoreResult<Vec<MessageRow>>;
}

/// What pages list; the engine needs none of it.
#[async_trait]
pub trait ChatListReads {
    /// Only while it is shared.
    async fn find_shared_chat(&self, workspace: WorkspaceId, id: ChatSessionId) -> StoreResult<Option<SharedChat>>;
    /// Of everybody in the workspace, shared last first.
    async fn list_shared_chats(&self, workspace: WorkspaceId, limit: u32) -> StoreResult<Vec<SharedChat>>;
    /// Most recently used first; `before` is the (`updated_at`, id) of the last one seen; `search` matches titles and messages.
    async fn list_chats(
        &self,
        workspace: WorkspaceId,
        user: UserId,
        search: Option<&str>,
        before: Option<(Timestamp, ChatSessionId)>,
        limit: u32,
    ) -> StoreResult<Vec<ChatSession>>;
    /// Of everybody in the workspace, newest question first.
    async fn list_feedback(&self, workspace: WorkspaceId, limit: u32) -> StoreResult<Vec<Feedback>>;
}

#[async_trait]
pub trait ChatWrites {
    async fn insert_chat(&mut self, chat: &ChatSession) -> StoreResult<()>;
    /// Inserts the message and moves the session's `updated_at`.
    async fn insert_message(&mut self, message: &NewMessage) -> StoreResult<()>;
    /// Inserts what a run of the chat asks another agent: the chat stays where lists have it, and lists of its messages leave this one
    /// out. Takes no lock on the chat.
    async fn insert_task(&mut self, message: &NewMessage) -> StoreResult<()>;
}

/// What people do with their chats.
#[async_trait]
pub trait ChatEdits {
    async fn update_chat(
        &mut self,
        workspace: WorkspaceId,
        user: UserId,
        id: ChatSessionId,
        title: Option<&str>,
        chat_only: Option<bool>,
        at: Timestamp,
    ) -> StoreResult<bool>;
    /// Shares the chat from then on, or no longer; `false` when this person has no such chat in this workspace.
    async fn share_chat(
        &mut self,
        workspace: WorkspaceId,
        user: UserId,
        id: ChatSessionId,
        at: Option<Timestamp>,
    ) -> StoreResult<bool>;
    /// Deletes the conversation with its messages, runs, events, checkpoints, calls and approvals.
    async fn delete_chat(&mut self, workspace: WorkspaceId, user: UserId, id: ChatSessionId) -> StoreResult<bool>;
    async fn rate_message(
        &mut self,
        workspace: WorkspaceId,
        user: UserId,
        id: MessageId,
        rating: &str,
        comment: Option<&str>,
    ) -> StoreResult<bool>;
}
