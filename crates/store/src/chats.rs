//! Chats and their messages. Each message belongs to exactly one run, which answers it.

use adagent_domain::{AgentId, ChatSessionId, MessageId, RunId, Timestamp, UserId, WorkspaceId};
use async_trait::async_trait;

use crate::StoreResult;

/// A chat. It belongs to one person in a workspace; nobody else can read it unless it is shared.
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
    /// The retention policy does not delete the chat.
    pub kept: bool,
    /// Every member of the workspace can read the chat.
    pub shared: bool,
    /// Computed at each read: a run of the chat is queued, running or waiting.
    pub busy: bool,
    pub awaiting_approval: bool,
}

/// A chat that every member can read, with its owner's name.
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
    /// The rating: `up` or `down`.
    pub rating: Option<String>,
    /// A key for what a program asked the message's run for; see [`crate::RunWrites::mark_asked`].
    pub asked: Option<String>,
}

/// A message with the answer of its run, for history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageRow {
    pub message: Message,
    /// The final answer of the run, if it has one. For a run that failed or was stopped, the reason.
    pub answer: Option<String>,
    /// Whether the run completed.
    pub completed: bool,
}

/// A person's feedback on an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feedback {
    pub session: ChatSessionId,
    pub author: UserId,
    pub author_name: String,
    /// When the person asked the question.
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
    /// Lists the newest `limit` messages before `before`, oldest first.
    async fn list_messages(
        &self,
        workspace: WorkspaceId,
        session: ChatSessionId,
        before: Option<MessageId>,
        limit: u32,
    ) -> StoreResult<Vec<Message>>;
    async fn find_message(&self, workspace: WorkspaceId, user: UserId, id: MessageId) -> StoreResult<Option<Message>>;
    /// Lists the last `limit` turns before `before` with their answers, oldest first. With `of`, lists only the turns that this agent
    /// answered, including tasks that other agents gave it. Without `of`, leaves tasks out.
    async fn list_history(
        &self,
        workspace: WorkspaceId,
        session: ChatSessionId,
        before: MessageId,
        of: Option<AgentId>,
        limit: u32,
    ) -> StoreResult<Vec<MessageRow>>;
}

/// The lists that pages need and the engine does not.
#[async_trait]
pub trait ChatListReads {
    /// Finds the chat only while it is shared.
    async fn find_shared_chat(&self, workspace: WorkspaceId, id: ChatSessionId) -> StoreResult<Option<SharedChat>>;
    /// Lists the shared chats of everybody in the workspace; the latest shared comes first.
    async fn list_shared_chats(&self, workspace: WorkspaceId, limit: u32) -> StoreResult<Vec<SharedChat>>;
    /// Lists the chats, most recently used first. `before` is the (`updated_at`, ID) of the last one seen; `search` matches titles and
    /// messages.
    async fn list_chats(
        &self,
        workspace: WorkspaceId,
        user: UserId,
        search: Option<&str>,
        before: Option<(Timestamp, ChatSessionId)>,
        limit: u32,
    ) -> StoreResult<Vec<ChatSession>>;
    /// Lists the feedback of everybody in the workspace, newest question first.
    async fn list_feedback(&self, workspace: WorkspaceId, limit: u32) -> StoreResult<Vec<Feedback>>;
}

#[async_trait]
pub trait ChatWrites {
    async fn insert_chat(&mut self, chat: &ChatSession) -> StoreResult<()>;
    /// Inserts the message and updates the chat's `updated_at`.
    async fn insert_message(&mut self, message: &NewMessage) -> StoreResult<()>;
    /// Inserts the message of a task, which a run of the chat gives another agent. The chat keeps its place in lists, and lists of its
    /// messages leave this one out. Takes no lock on the chat.
    async fn insert_task(&mut self, message: &NewMessage) -> StoreResult<()>;
}

/// What people change in their chats.
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
    /// Shares the chat from `at` on, or stops sharing it. Returns `false` if this person has no such chat in this workspace.
    async fn share_chat(
        &mut self,
        workspace: WorkspaceId,
        user: UserId,
        id: ChatSessionId,
        at: Option<Timestamp>,
    ) -> StoreResult<bool>;
    /// Deletes the chat with its messages, runs, events, checkpoints, calls and approvals.
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
