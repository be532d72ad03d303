//! A chat with its folded turns, and people's ratings of answers.

use std::collections::HashMap;

use adagent_contract::{FeedbackRequest, FeedbackView, MessageView, Rating, RunEvent, SessionMessages, TurnView, fold};
use adagent_domain::{Actor, ChatSessionId, Granted, MessageId, RunId, rights::ViewAuditLog};
use adagent_store::{Feedback, Message};

use crate::{Service, ServiceError, ServiceResult, cursor, idempotency::Keyed, validate};

const MAX_COMMENT: usize = 2000;
/// How many ratings we list.
const MOST_FEEDBACK: u32 = 100;

impl Service {
    /// Returns the newest messages (or those before the cursor) of the person's own chat or a shared one, oldest first, each with its turn.
    pub async fn session_messages(
        &self,
        actor: &Actor,
        id: ChatSessionId,
        cursor: Option<String>,
        limit: Option<u32>,
    ) -> ServiceResult<SessionMessages> {
        let limit = cursor::limit(limit)?;
        let before = cursor::to_id::<MessageId>(cursor.as_deref())?;
        let session = self.find_readable_chat(actor, id).await?;
        let mut rows = self.store.list_messages(actor.workspace, id, before, limit + 1).await?;
        // We read one more than `limit`; if it exists, there is an earlier page.
        let earlier = rows.len() > limit as usize;
        if earlier {
            rows.remove(0);
        }
        let runs: Vec<RunId> = rows.iter().map(|message| message.run).collect();
        let mut turns = fold_each(&self.store.list_events_of(&runs).await?);
        let next_cursor = rows.first().filter(|_| earlier).map(|oldest| cursor::of_id(oldest.id));
        let items = rows
            .into_iter()
            .map(|message| {
                let turn = turns.remove(&message.run).unwrap_or_else(|| TurnView::new(message.run));
                message_view(message, turn)
            })
            .collect();
        Ok(SessionMessages { session, items, next_cursor })
    }

    /// Rates the answer to a message: thumbs up or down.
    pub async fn rate_message(&self, actor: &Actor, id: MessageId, request: FeedbackRequest) -> ServiceResult<()> {
        self.rate_message_once(actor, id, request, None).await
    }

    /// Lists the ratings of people in the workspace, newest first.
    pub async fn feedback(&self, actor: &Granted<ViewAuditLog>) -> ServiceResult<Vec<FeedbackView>> {
        let said = self.store.list_feedback(actor.workspace, MOST_FEEDBACK).await?;
        let view = |one: Feedback| FeedbackView {
            by: one.author_name,
            rating: if one.rating == "up" { Rating::Up } else { Rating::Down },
            comment: one.comment,
            created_at: one.created_at,
            session_id: (one.author == actor.user).then_some(one.session),
        };
        Ok(said.into_iter().map(view).collect())
    }

    /// Rates an answer, once per idempotency key.
    pub async fn rate_message_once(
        &self,
        actor: &Actor,
        id: MessageId,
        request: FeedbackRequest,
        idempotency_key: Option<&str>,
    ) -> ServiceResult<()> {
        let keyed = Keyed::new(idempotency_key, "messages.feedback", &(id, &request))?;
        // A repeated earlier request must not undo a later rating.
        if self.answered_before::<()>(actor, keyed.as_ref()).await?.is_some() {
            return Ok(());
        }
        let comment = match request.comment.as_deref() {
            None => None,
            Some(text) if text.trim().is_empty() => None,
            Some(text) => {
                Some(validate::text(text, "The comment", MAX_COMMENT).map_err(|m| ServiceError::field("/comment", m))?)
            }
        };
        let rating = match request.rating {
            Rating::Up => "up",
            Rating::Down => "down",
        };
        let mut work = self.store.begin_in(actor.workspace).await?;
        if let Some(keyed) = &keyed
            && !self.keep_answer(&mut *work, actor, keyed, &()).await?
        {
            return Ok(());
        }
        if !work.rate_message(actor.workspace, actor.user, id, rating, comment.as_deref()).await? {
            return Err(ServiceError::NotFound("message"));
        }
        work.commit().await?;
        Ok(())
    }
}

/// Folds the events of several runs, run by run. They must come in the order of run and sequence.
pub(crate) fn fold_each(events: &[RunEvent]) -> HashMap<RunId, TurnView> {
    events
        .chunk_by(|a, b| a.run_id == b.run_id)
        .map(|of_run| (of_run[0].run_id, fold(of_run[0].run_id, of_run)))
        .collect()
}

fn message_view(message: Message, turn: TurnView) -> MessageView {
    MessageView {
        id: message.id,
        run_id: message.run,
        content: message.content,
        author: message.author_name,
        created_at: message.created_at,
        rating: match message.rating.as_deref() {
            Some("up") => Some(Rating::Up),
            Some("down") => Some(Rating::Down),
            _ => None,
        },
        undoes: message.asked.as_deref().and_then(adagent_runtime::undone_by),
        turn,
    }
}
