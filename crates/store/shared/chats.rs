//! Chats and their messages.

use adagent_contract::RunStatus;
use adagent_domain::{AgentId, ChatSessionId, MessageId, RunId, Timestamp, UserId, WorkspaceId};
use adagent_store::{
    ChatEdits, ChatListReads, ChatReads, ChatSession, ChatWrites, Feedback, Message, MessageRow, NewMessage,
    RunWrites as _, SharedChat, StoreResult,
};
use async_trait::async_trait;

use crate::{
    columns::{Columns, clean, like_pattern},
    engine::{Database, Row, Unit},
    run::{execute_maybe, execute_one, fetch_all, fetch_optional, sql},
};

fn chat(row: &Row) -> StoreResult<ChatSession> {
    let columns = Columns::new("chat_sessions", row);
    Ok(ChatSession {
        id: ChatSessionId(columns.uuid("id")?),
        workspace: WorkspaceId(columns.uuid("workspace_id")?),
        user: UserId(columns.uuid("user_id")?),
        title: columns.text("title")?,
        chat_only: columns.get("chat_only")?,
        created_at: columns.at("created_at")?,
        updated_at: columns.at("updated_at")?,
        kept: columns.get("kept")?,
        shared: columns.get("shared")?,
        busy: columns.get("busy")?,
        awaiting_approval: columns.get("awaiting_approval")?,
    })
}

fn shared_chat(row: &Row) -> StoreResult<SharedChat> {
    Ok(SharedChat { chat: chat(row)?, owner_name: Columns::new("users", row).text("owner_name")? })
}

fn message(row: &Row) -> StoreResult<Message> {
    let columns = Columns::new("messages", row);
    Ok(Message {
        id: MessageId(columns.uuid("id")?),
        session: ChatSessionId(columns.uuid("session_id")?),
        run: RunId(columns.uuid("run_id")?),
        author_name: columns.text("author_name")?,
        content: columns.text("content")?,
        created_at: columns.at("created_at")?,
        rating: columns.get("rating")?,
        asked: columns.get("asked_key")?,
    })
}

fn feedback(row: &Row) -> StoreResult<Feedback> {
    let columns = Columns::new("messages", row);
    Ok(Feedback {
        session: ChatSessionId(columns.uuid("session_id")?),
        author: UserId(columns.uuid("author_id")?),
        author_name: columns.text("author_name")?,
        created_at: columns.at("created_at")?,
        rating: columns.text("rating")?,
        comment: columns.get("rating_comment")?,
    })
}

fn message_row(row: &Row) -> StoreResult<MessageRow> {
    let columns = Columns::new("runs", row);
    let status: Option<String> = columns.get("run_status")?;
    let completed = status.is_some_and(|status| status == RunStatus::Completed.as_str());
    Ok(MessageRow { message: message(row)?, answer: columns.get("answer")?, completed })
}

#[async_trait]
impl ChatReads for Database {
    async fn find_chat(
        &self,
        workspace: WorkspaceId,
        user: UserId,
        id: ChatSessionId,
    ) -> StoreResult<Option<ChatSession>> {
        let query = sql(include_str!("../sql/chats/find.sql")).bind(workspace.0).bind(user.0).bind(id.0);
        fetch_optional(self.reader_in(workspace).await?.connection(), query).await?.as_ref().map(chat).transpose()
    }

    async fn list_messages(
        &self,
        workspace: WorkspaceId,
        session: ChatSessionId,
        before: Option<MessageId>,
        limit: u32,
    ) -> StoreResult<Vec<Message>> {
        let query = sql(include_str!("../sql/chats/list_messages.sql"))
            .bind(workspace.0)
            .bind(session.0)
            .bind(before.map(|id| id.0))
            .bind(i64::from(limit));
        fetch_all(self.reader_in(workspace).await?.connection(), query).await?.iter().rev().map(message).collect()
    }

    async fn find_message(&self, workspace: WorkspaceId, user: UserId, id: MessageId) -> StoreResult<Option<Message>> {
        let query = sql(include_str!("../sql/chats/find_message.sql")).bind(workspace.0).bind(user.0).bind(id.0);
        fetch_optional(self.reader_in(workspace).await?.connection(), query).await?.as_ref().map(message).transpose()
    }

    async fn list_history(
        &self,
        workspace: WorkspaceId,
        session: ChatSessionId,
        before: MessageId,
        of: Option<AgentId>,
        limit: u32,
    ) -> StoreResult<Vec<MessageRow>> {
        let query = sql(include_str!("../sql/chats/list_history.sql"))
            .bind(workspace.0)
            .bind(session.0)
            .bind(before.0)
            .bind(i64::from(limit))
            .bind(of.map(|agent| agent.0));
        fetch_all(self.reader_in(workspace).await?.connection(), query).await?.iter().rev().map(message_row).collect()
    }
}

#[async_trait]
impl ChatListReads for Database {
    async fn find_shared_chat(&self, workspace: WorkspaceId, id: ChatSessionId) -> StoreResult<Option<SharedChat>> {
        let query = sql(include_str!("../sql/chats/find_shared.sql")).bind(workspace.0).bind(id.0);
        let found = fetch_optional(self.reader_in(workspace).await?.connection(), query).await?;
        found.as_ref().map(shared_chat).transpose()
    }

    async fn list_shared_chats(&self, workspace: WorkspaceId, limit: u32) -> StoreResult<Vec<SharedChat>> {
        let query = sql(include_str!("../sql/chats/list_shared.sql")).bind(workspace.0).bind(i64::from(limit));
        fetch_all(self.reader_in(workspace).await?.connection(), query).await?.iter().map(shared_chat).collect()
    }

    async fn list_chats(
        &self,
        workspace: WorkspaceId,
        user: UserId,
        search: Option<&str>,
        before: Option<(Timestamp, ChatSessionId)>,
        limit: u32,
    ) -> StoreResult<Vec<ChatSession>> {
        let query = sql(include_str!("../sql/chats/list.sql"))
            .bind(workspace.0)
            .bind(user.0)
            .bind(before.map(|(at, _)| at.as_micros()))
            .bind(before.map(|(_, id)| id.0))
            .bind(i64::from(limit))
            .bind(search.map(like_pattern));
        fetch_all(self.reader_in(workspace).await?.connection(), query).await?.iter().map(chat).collect()
    }

    async fn list_feedback(&self, workspace: WorkspaceId, limit: u32) -> StoreResult<Vec<Feedback>> {
        let query = sql(include_str!("../sql/chats/list_feedback.sql")).bind(workspace.0).bind(i64::from(limit));
        fetch_all(self.reader_in(workspace).await?.connection(), query).await?.iter().map(feedback).collect()
    }
}

#[async_trait]
impl ChatWrites for Unit {
    async fn insert_chat(&mut self, chat: &ChatSession) -> StoreResult<()> {
        let query = sql(include_str!("../sql/chats/insert.sql"))
            .bind(chat.id.0)
            .bind(chat.workspace.0)
            .bind(chat.user.0)
            .bind(clean(&chat.title))
            .bind(chat.chat_only)
            .bind(chat.created_at.as_micros())
            .bind(chat.updated_at.as_micros());
        execute_one(self.connection(), query, "insert chat").await?;
        // Nobody else sees the chat before the commit, so its lane counts as locked.
        self.remember_lane(chat.id.into());
        Ok(())
    }

    async fn insert_message(&mut self, message: &NewMessage) -> StoreResult<()> {
        // Updating the chat first also proves that it is the author's and in this workspace.
        let query = sql(include_str!("../sql/chats/touch.sql"))
            .bind(message.workspace.0)
            .bind(message.author.0)
            .bind(message.session.0)
            .bind(message.created_at.as_micros());
        execute_one(self.connection(), query, "chat session of the message").await?;
        self.insert_task(message).await
    }

    async fn insert_task(&mut self, message: &NewMessage) -> StoreResult<()> {
        let query = sql(include_str!("../sql/chats/insert_message.sql"))
            .bind(message.id.0)
            .bind(message.workspace.0)
            .bind(message.session.0)
            .bind(message.run.0)
            .bind(message.author.0)
            .bind(clean(&message.content))
            .bind(message.created_at.as_micros());
        execute_one(self.connection(), query, "insert message").await
    }
}

#[async_trait]
impl ChatEdits for Unit {
    async fn update_chat(
        &mut self,
        workspace: WorkspaceId,
        user: UserId,
        id: ChatSessionId,
        title: Option<&str>,
        chat_only: Option<bool>,
        at: Timestamp,
    ) -> StoreResult<bool> {
        let query = sql(include_str!("../sql/chats/update.sql"))
            .bind(workspace.0)
            .bind(user.0)
            .bind(id.0)
            .bind(title.map(clean))
            .bind(chat_only)
            .bind(at.as_micros());
        execute_maybe(self.connection(), query).await
    }

    async fn share_chat(
        &mut self,
        workspace: WorkspaceId,
        user: UserId,
        id: ChatSessionId,
        at: Option<Timestamp>,
    ) -> StoreResult<bool> {
        let query = sql(include_str!("../sql/chats/share.sql"))
            .bind(workspace.0)
            .bind(user.0)
            .bind(id.0)
            .bind(at.map(Timestamp::as_micros));
        execute_maybe(self.connection(), query).await
    }

    async fn delete_chat(&mut self, workspace: WorkspaceId, user: UserId, id: ChatSessionId) -> StoreResult<bool> {
        self.lock_lane(id.into()).await?;
        let query = sql(include_str!("../sql/chats/delete.sql")).bind(workspace.0).bind(user.0).bind(id.0);
        execute_maybe(self.connection(), query).await
    }

    async fn rate_message(
        &mut self,
        workspace: WorkspaceId,
        user: UserId,
        id: MessageId,
        rating: &str,
        comment: Option<&str>,
    ) -> StoreResult<bool> {
        let query = sql(include_str!("../sql/chats/rate_message.sql"))
            .bind(workspace.0)
            .bind(user.0)
            .bind(id.0)
            .bind(clean(rating))
            .bind(comment.map(clean));
        execute_maybe(self.connection(), query).await
    }
}
