//! Conversations: list, make, rename, delete.

use adagent_contract::{CreateSessionRequest, Page, SessionPatch, SessionView, codes};
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
const NEW_TITLE: &str = "New chat";

impl Service {
    /// Most recently used first; `search` looks into titles and messages.
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

    /// Makes it once per idempotency key.
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

    /// Deletes the conversation and everything that hangs on it; not while a change is on its way to a network, because its
    /// outcome would have nowhere to be kept.
    pub async fn delete_session(&self, actor: &Granted<Chat>, id: ChatSessionId) -> ServiceResult<()> {
        self.find_chat(actor, id).await?;
        let mut work = self.store.begin_in(actor.workspace).await?;
        // Locked first: none of them can begin to send between this look and the end.
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

    /// One's own, or one that somebody shared with the workspace.
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

/// Whether nobody named it yet, so that the first message may.
pub fn is_unnamed(chat: &ChatSession) -> bool {
    chat.title == NEW_TITLE
}

/// Words a question begins with that say nothing of what it is about; longest first.
const FILLER: [&str; 14] = [
    "could you please ",
    "can you please ",
    "could you ",
    "can you ",
    "would you ",
    "i would like to ",
    "i want to ",
    "please ",
    "show me ",
    "tell me ",
    "give me ",
    "hey ",
    "hi, ",
    "hello, ",
];

/// Words that only lead to the next one.
const LEADING: [&str; 18] = [
    "a", "an", "and", "at", "by", "called", "for", "from", "in", "my", "of", "on", "or", "our", "the", "to", "vs",
    "with",
];

/// A title made of the first message: its first line without what it begins with out of politeness, cut at a word.
pub fn title_of(message: &str) -> String {
    const LENGTH: usize = 48;
    let line = message.lines().find(|line| !line.trim().is_empty()).unwrap_or(NEW_TITLE);
    let words: String = line.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut rest = words.as_str();
    while let Some(shorter) = FILLER.iter().find_map(|filler| without(rest, filler)) {
        rest = shorter;
    }
    let rest = rest.trim_end_matches(['?', '.', '!', ' ']);
    let rest = if rest.is_empty() { words.as_str() } else { rest };
    let mut letters = rest.chars();
    let capital: String = letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default();
    if capital.chars().count() <= LENGTH {
        return capital;
    }
    let mut title = String::new();
    for word in capital.split(' ') {
        if title.chars().count() + word.chars().count() + usize::from(!title.is_empty()) > LENGTH {
            break;
        }
        if !title.is_empty() {
            title.push(' ');
        }
        title.push_str(word);
    }
    // What was cut off in the middle of a phrase promises more than the list shows.
    let leads = |word: &str| LEADING.contains(&word.to_lowercase().as_str());
    while let Some(end) = title.rsplit_once(' ').filter(|(_, last)| leads(last)).map(|(whole, _)| whole.len()) {
        title.truncate(end);
    }
    // One word longer than a title: there is no boundary to cut at.
    if title.is_empty() { capital.chars().take(LENGTH).collect() } else { title }
}

/// What follows a beginning, whatever its case.
fn without<'a>(text: &'a str, beginning: &str) -> Option<&'a str> {
    let (start, rest) = text.split_at_checked(beginning.len())?;
    (start.eq_ignore_ascii_case(beginning) && !rest.is_empty()).then_some(rest)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_the_first_line_cut_at_a_word() {
        assert_eq!(title_of("\n  What was   my revenue yesterday?\nand more"), "What was my revenue yesterday");
        let long =
            title_of("Create a mediation group for Puzzle Game on Android banner with AppLovin and Unity bidding");
        assert_eq!(long, "Create a mediation group for Puzzle Game");
        assert_eq!(title_of(&"ü".repeat(100)), "Ü".to_owned() + &"ü".repeat(47));
    }

    #[test]
    fn a_title_says_what_a_chat_is_about_and_not_how_politely_it_was_asked() {
        assert_eq!(title_of("Can you please show me revenue by app?"), "Revenue by app");
        assert_eq!(title_of("please"), "Please");
        let long = "Create a mediation group for Puzzle Game on the Android banner with AppLovin";
        assert_eq!(title_of(long), "Create a mediation group for Puzzle Game");
        assert_eq!(title_of("???"), "???");
        assert_eq!(title_of("élan ésotérique"), "Élan ésotérique");
    }
}
