//! Sends a message: the one transaction that starts a run.

use adagent_contract::{ChatRequest, ContextOverlay, EventBody, codes, title_of, unaddressed};
use adagent_domain::{Actor, ChatSessionId, Granted, MessageId, Network, RunId, Timestamp, rights::Chat};
use adagent_runtime::reporting_day;
use adagent_store::{ApprovalRecord, ChatSession, MessageRef, NewMessage, NewRun, Principal, Wake};
use serde::{Deserialize, Serialize};

use crate::{
    Service, ServiceError, ServiceResult,
    agents::Addressee,
    control::refused,
    idempotency::Keyed,
    sessions::is_unnamed,
    validate::{self, Fields},
};

pub const MAX_MESSAGE: usize = 20_000;
/// How many messages of one chat can wait for a working run.
const MAX_WAITING: usize = 20;

/// How many pending approvals of a workspace we look through.
const MOST_PENDING: u32 = 500;

/// The IDs of a started run, its chat and its message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Started {
    pub session_id: ChatSessionId,
    pub run_id: RunId,
    pub message_id: MessageId,
}

/// What to start.
pub(crate) struct Start<'a> {
    /// The chat of the message; without one, a new chat begins.
    pub(crate) existing: Option<ChatSession>,
    pub(crate) message: &'a str,
    pub(crate) context: Option<ContextOverlay>,
    /// The agent that answers.
    pub(crate) agent: Option<Addressee>,
    pub(crate) keyed: Option<&'a Keyed>,
    /// The question on home that the chat answers, if home asks.
    pub(crate) home: Option<HomeMark<'a>>,
}

/// The question on home that a chat answers.
pub(crate) struct HomeMark<'a> {
    pub(crate) question: &'a str,
    pub(crate) basis: &'a str,
    /// Older answers to it are deleted.
    pub(crate) forget_before: Timestamp,
}

struct Checked {
    message: String,
    context: Option<ContextOverlay>,
}

impl Service {
    /// Sends a message. The message, the run, its first event and its job are written together or not at all.
    pub async fn send(
        &self,
        actor: &Granted<Chat>,
        request: ChatRequest,
        idempotency_key: Option<&str>,
    ) -> ServiceResult<Started> {
        let keyed = Keyed::new(idempotency_key, "chat.send", &request)?;
        let Checked { message, context } = check(&request)?;
        if let Some(first) = self.answered_before(actor, keyed.as_ref()).await? {
            return Ok(first);
        }
        let context = match context {
            Some(overlay) => Some(self.checked_overlay(actor, overlay, "/context").await?),
            None => None,
        };
        self.limits.chat(actor.user)?;
        let existing = match request.session_id {
            Some(id) => Some(self.find_chat(actor, id).await?),
            None => None,
        };
        let chat = existing.as_ref().map(|chat| chat.id);
        let agent = self.agent_asked(actor, &message, request.agent.as_deref(), chat).await?;
        let context = if existing.as_ref().is_some_and(|chat| chat.chat_only) {
            Some(ContextOverlay { chat_only: Some(true), ..context.unwrap_or_default() })
        } else {
            context
        };
        if let Some(chat) = existing.as_ref().filter(|chat| chat.busy) {
            self.has_room(actor, chat.id).await?;
        }
        if let Some(chat) = &existing
            && let Some(undone) = self.undone_by_word(actor, chat.id, &message, keyed.as_ref()).await?
        {
            return Ok(undone);
        }
        let corrected = match &existing {
            Some(chat) => self.card_corrected(actor, chat.id, &message).await?,
            None => None,
        };
        let start = Start { existing, message: &message, context, agent, keyed: keyed.as_ref(), home: None };
        match (self.start(actor, start).await?, keyed) {
            (Some(started), _) => {
                if let Some(card) = corrected {
                    let by_name = self.name_of(actor.user).await?;
                    adagent_runtime::withdraw_replaced(&self.runtime, actor, &by_name, &card).await?;
                }
                Ok(started)
            }
            (None, Some(keyed)) => self.answered_first(actor, &keyed).await,
            (None, None) => Err(ServiceError::Internal("nothing was started".into())),
        }
    }

    /// Returns the one pending card of the chat if the message gives its change another amount: "make it $0.60 instead". The new run drafts
    /// the corrected change, so the old card must not stay: a person could approve both.
    async fn card_corrected(
        &self,
        actor: &Actor,
        chat: ChatSessionId,
        message: &str,
    ) -> ServiceResult<Option<ApprovalRecord>> {
        let pending = self.store.list_pending_approvals(actor.workspace, MOST_PENDING).await?;
        let own = |card: &ApprovalRecord| card.user == actor.user && card.view.session_id == Some(chat);
        let mut own = pending.into_iter().filter(own);
        let (Some(card), None) = (own.next(), own.next()) else { return Ok(None) };
        let newest = self.store.list_messages(actor.workspace, chat, None, 1).await?;
        let wish = newest.into_iter().find(|asked| asked.run == card.view.run_id);
        let corrects = wish.is_some_and(|wish| self.runtime.understanding.corrects(&wish.content, message));
        Ok(corrects.then_some(card))
    }

    /// Handles "undo that" right after a change, which does the same as *Undo* on its card.
    async fn undone_by_word(
        &self,
        actor: &Granted<Chat>,
        chat: ChatSessionId,
        message: &str,
        keyed: Option<&Keyed>,
    ) -> ServiceResult<Option<Started>> {
        let begun = adagent_runtime::undo_said(&self.runtime, actor, chat, message).await;
        let Some((run_id, message_id)) = begun.map_err(|error| refused(error, "approval"))? else { return Ok(None) };
        let started = Started { session_id: chat, run_id, message_id };
        if let Some(keyed) = keyed {
            // Only one proposal of an undo waits at a time, so a repeated request between these two steps begins no second one.
            let mut work = self.store.begin_in(actor.workspace).await?;
            self.keep_answer(&mut *work, actor, keyed, &started).await?;
            work.commit().await?;
        }
        Ok(Some(started))
    }

    /// Refuses one more run in a chat in which many already wait.
    pub(crate) async fn has_room(&self, actor: &Actor, chat: ChatSessionId) -> ServiceResult<()> {
        let open = self.store.list_open_runs(actor.workspace, chat.into()).await?;
        // Changes that wait for a person do not block messages, but a chat must not collect an endless number of them.
        if open.len() <= MAX_WAITING {
            return Ok(());
        }
        Err(ServiceError::Conflict {
            code: codes::TOO_MANY_WAITING,
            detail: format!(
                "{MAX_WAITING} messages or changes are already waiting in this chat. Answer an approval, wait, or stop the current run."
            ),
        })
    }

    /// Makes a title that names the networks and days of the question, because "last week" means another week later. Otherwise uses the
    /// person's own words.
    async fn title(&self, actor: &Actor, message: &str, agent: Option<&Addressee>) -> ServiceResult<String> {
        let today = reporting_day(&self.runtime, actor.workspace).await?.date;
        let connections = self.store.list_connections(actor.workspace).await?;
        let mut networks: Vec<Network> = connections.iter().filter(|one| one.enabled).map(|one| one.network).collect();
        networks.sort_unstable();
        networks.dedup();
        networks.retain(|network| agent.is_none_or(|agent| agent.grants.opens(*network)));
        let title = self.runtime.understanding.title(message, &today, &networks);
        Ok(title.unwrap_or_else(|| title_of(message)))
    }

    /// Starts a run. Returns `None` if another request with the same key was faster.
    pub(crate) async fn start(&self, actor: &Actor, start: Start<'_>) -> ServiceResult<Option<Started>> {
        let Start { existing, message, context, agent, keyed, home } = start;
        let now = self.clock.now();
        let fresh = existing.is_none();
        let unnamed = existing.as_ref().is_none_or(is_unnamed);
        let title = if unnamed && home.is_none() {
            self.title(actor, unaddressed(message), agent.as_ref()).await?
        } else {
            title_of(message)
        };
        let chat = existing.unwrap_or_else(|| self.new_chat(actor, title.clone(), false));
        let started =
            Started { session_id: chat.id, run_id: RunId::new(&*self.ids), message_id: MessageId::new(&*self.ids) };
        let stored = self.store.find_context(actor.workspace, actor.user).await?;
        let settings = stored.of_run(agent.as_ref().and_then(|agent| agent.model.clone()), context.as_ref());
        let model = settings.model.clone().unwrap_or_else(|| self.default_model().to_owned());

        let mut work = self.store.begin_in(actor.workspace).await?;
        if let Some(keyed) = keyed
            && !self.keep_answer(&mut *work, actor, keyed, &started).await?
        {
            return Ok(None);
        }
        if fresh {
            work.insert_chat(&chat).await?;
        } else if unnamed {
            work.update_chat(actor.workspace, actor.user, chat.id, Some(&title), None, now).await?;
        }
        let turn = MessageRef { session: chat.id, message: started.message_id };
        let principal = Principal { agent: agent.as_ref().map(|agent| agent.id), ..Principal::person(actor.user) };
        let new_run = NewRun {
            context,
            principal,
            ..NewRun::of_turn(started.run_id, actor.workspace, actor.user, turn, model.clone(), now)
        };
        let new_message = NewMessage {
            id: started.message_id,
            workspace: actor.workspace,
            session: chat.id,
            run: started.run_id,
            author: actor.user,
            content: message.to_owned(),
            created_at: now,
        };
        work.insert_message(&new_message).await?;
        let free = work.insert_run(&new_run).await?;
        if let Some(HomeMark { question, basis, forget_before }) = home {
            // This comes after the message, because a message makes any chat an ordinary one.
            work.mark_home_chat(actor.workspace, actor.user, chat.id, question, basis).await?;
            work.forget_home_readings(actor.workspace, actor.user, question, chat.id, forget_before).await?;
        }
        let mut first = vec![EventBody::RunStarted {
            session_id: chat.id,
            message_id: started.message_id,
            model,
            settings: Some(Box::new(settings)),
            agent: agent.map(|agent| Box::new(agent.mark)),
        }];
        if !free {
            first.push(adagent_runtime::waits_its_turn());
        }
        work.append_events_unleased(started.run_id, now, &first).await?;
        work.wake(Wake::Events(started.run_id));
        work.wake(Wake::Work);
        work.wake(Wake::Activity(actor.user));
        // An accepted message survives a power cut.
        work.durable();
        work.commit().await?;
        Ok(Some(started))
    }
}

fn check(request: &ChatRequest) -> ServiceResult<Checked> {
    let mut fields = Fields::default();
    let message = fields.take("/message", validate::text(&request.message, "The message", MAX_MESSAGE));
    fields.done()?;
    let message = message.ok_or_else(|| ServiceError::Internal("validated message is missing".into()))?;
    Ok(Checked { message, context: request.context.clone() })
}
