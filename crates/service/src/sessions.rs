//! Chats: lists, creates, renames and deletes them.

use adagent_contract::{CreateSessionRequest, NEW_TITLE, Page, SessionPatch, SessionView, codes};
use adagent_domain::{Actor, ChatSessionId, Granted, rights::Chat};
use adagent_store::{CallStatus, ChatSession, SharedChat, Wake};
use serde_json::json;

use crate::{
    Service, ServiceError, ServiceResult, cursor,
    idempotency::Keyed,
    validate::{self, Fields},
};

pub const MAX_TITLE: usize = 120;
const MAX_SEARCH: usize = 200;

impl Service {
    /// Lists the chats, most recently used first; `search` covers titles and messages.
    pub async fn list_sessions(
        &self,
        actor: &Actor,
        search: Option<String>,
        cursor: Option<String>,
        limit: Option<u32>,
    ) -> ServiceResult<Page<SessionView>> {
        let limit = cursor::limit(limit)?;
        let before = cursor::to_session(cursor.as_deref())?;
        let search = match search.as_deref().map(str::trim) {
            None | Some("") => None,
            Some(words) => {
                Some(validate::line(words, "The search", MAX_SEARCH).map_err(|m| ServiceError::field("/search", m))?)
            }
        };
        let rows = self.store.list_chats(actor.workspace, actor.user, search.as_deref(), before, limit + 1).await?;
        let (rows, more) = cursor::cut(rows, limit);
        let next_cursor = rows.last().filter(|_| more).map(|last| cursor::of_session(last.updated_at, last.id));
        Ok(Page { items: rows.into_iter().map(session_view).collect(), next_cursor })
    }

    pub async fn create_session(
        &self,
        actor: &Granted<Chat>,
        request: CreateSessionRequest,
    ) -> ServiceResult<SessionView> {
        self.create_session_once(actor, request, None).await
    }

    /// Creates a chat once per idempotency key.
    pub async fn create_session_once(
        &self,
        actor: &Granted<Chat>,
        request: CreateSessionRequest,
        idempotency_key: Option<&str>,
    ) -> ServiceResult<SessionView> {
        let keyed = Keyed::new(idempotency_key, "chat.create_session", &request)?;
        if let Some(first) = self.answered_before(actor, keyed.as_ref()).await? {
            return Ok(first);
        }
        let title = match request.title {
            Some(title) => checked_title(&title)?,
            None => NEW_TITLE.to_owned(),
        };
        let chat = self.new_chat(actor, title, request.chat_only);
        let mut work = self.store.begin_in(actor.workspace).await?;
        if let Some(keyed) = &keyed
            && !self.keep_answer(&mut *work, actor, keyed, &session_view(chat.clone())).await?
        {
            drop(work);
            return self.answered_first(actor, keyed).await;
        }
        work.insert_chat(&chat).await?;
        work.wake(Wake::Activity(actor.user));
        work.commit().await?;
        Ok(session_view(chat))
    }

    pub async fn session(&self, actor: &Actor, id: ChatSessionId) -> ServiceResult<SessionView> {
        Ok(session_view(self.find_chat(actor, id).await?))
    }

    pub async fn patch_session(
        &self,
        actor: &Actor,
        id: ChatSessionId,
        patch: SessionPatch,
    ) -> ServiceResult<SessionView> {
        let title = patch.title.as_deref().map(checked_title).transpose()?;
        if patch.shared == Some(true) && actor.personal {
            return Err(ServiceError::field(
                "/shared",
                "Only chats of an organization can be shared: nobody else is in your personal workspace.",
            ));
        }
        let mut work = self.store.begin_in(actor.workspace).await?;
        let found = work
            .update_chat(actor.workspace, actor.user, id, title.as_deref(), patch.chat_only, self.clock.now())
            .await?;
        if !found {
            return Err(ServiceError::NotFound("conversation"));
        }
        if let Some(shared) = patch.shared {
            let at = shared.then(|| self.clock.now());
            work.share_chat(actor.workspace, actor.user, id, at).await?;
            let action = if shared { "chat.shared" } else { "chat.unshared" };
            self.audit(&mut *work, actor, action, id, json!({})).await?;
        }
        if let Some(kept) = patch.kept {
            work.keep_chat(actor.workspace, actor.user, id, kept).await?;
        }
        work.wake(Wake::Activity(actor.user));
        work.commit().await?;
        self.session(actor, id).await
    }

    /// Deletes the chat with all its data. Refuses while a change is being sent to a network, because its outcome would have no place.
    pub async fn delete_session(&self, actor: &Granted<Chat>, id: ChatSessionId) -> ServiceResult<()> {
        self.find_chat(actor, id).await?;
        let mut work = self.store.begin_in(actor.workspace).await?;
        // Lock the runs first, so that none of them can begin to send between this check and the end.
        for run in work.lock_open_runs(actor.workspace, id.into()).await? {
            if work.calls_of(run.id).await?.iter().any(|call| call.status == CallStatus::Sending) {
                return Err(ServiceError::Conflict {
                    code: codes::CONFLICT,
                    detail: "One of this chat's changes is being sent right now. Delete the chat when that's done."
                        .into(),
                });
            }
        }
        if !work.delete_chat(actor.workspace, actor.user, id).await? {
            return Err(ServiceError::NotFound("conversation"));
        }
        work.wake(Wake::Activity(actor.user));
        work.commit().await?;
        Ok(())
    }

    pub(crate) async fn find_chat(&self, actor: &Actor, id: ChatSessionId) -> ServiceResult<ChatSession> {
        self.store.find_chat(actor.workspace, actor.user, id).await?.ok_or(ServiceError::NotFound("conversation"))
    }

    /// Finds the person's own chat, or one that somebody shared with the workspace.
    pub(crate) async fn find_readable_chat(&self, actor: &Actor, id: ChatSessionId) -> ServiceResult<SessionView> {
        if let Some(own) = self.store.find_chat(actor.workspace, actor.user, id).await? {
            return Ok(session_view(own));
        }
        let shared = self.store.find_shared_chat(actor.workspace, id).await?;
        let SharedChat { chat, owner_name } = shared.ok_or(ServiceError::NotFound("conversation"))?;
        Ok(SessionView { owner: Some(owner_name), kept: false, ..session_view(chat) })
    }

    pub(crate) fn new_chat(&self, actor: &Actor, title: String, chat_only: bool) -> ChatSession {
        let now = self.clock.now();
        ChatSession {
            id: ChatSessionId::new(&*self.ids),
            workspace: actor.workspace,
            user: actor.user,
            title,
            chat_only,
            created_at: now,
            updated_at: now,
            busy: false,
            awaiting_approval: false,
            kept: false,
            shared: false,
        }
    }
}

/// Checks whether nobody has named the chat yet, so that the first message may.
pub fn is_unnamed(chat: &ChatSession) -> bool {
    chat.title == NEW_TITLE
}

fn checked_title(title: &str) -> ServiceResult<String> {
    let mut fields = Fields::default();
    let title = fields.take("/title", validate::line(title, "The title", MAX_TITLE));
    fields.done()?;
    title.ok_or_else(|| ServiceError::Internal("validated title is missing".into()))
}

pub fn session_view(chat: ChatSession) -> SessionView {
    SessionView {
        id: chat.id,
        title: chat.title,
        workspace_id: chat.workspace,
        chat_only: chat.chat_only,
        created_at: chat.created_at,
        updated_at: chat.updated_at,
        busy: chat.busy,
        awaiting_approval: chat.awaiting_approval,
        kept: chat.kept,
        shared: chat.shared,
        owner: None,
    }
}
