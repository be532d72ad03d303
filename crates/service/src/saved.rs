//! Questions that a person saves to ask them again, and pins to home.

use adagent_contract::{MOST_PINNED, MOST_QUESTION, MOST_SAVED, SavedQuestionView, codes, title_of};
use adagent_domain::{Granted, SavedQuestionId, rights::Chat};
use adagent_store::SavedQuestion;

use crate::{
    Service, ServiceError, ServiceResult,
    validate::{self, Fields},
};

impl Service {
    /// Saves a question. If it is saved already, it stays as it is, and is pinned if `pinned` says so.
    pub async fn save_question(
        &self,
        actor: &Granted<Chat>,
        question: &str,
        pinned: bool,
    ) -> ServiceResult<SavedQuestionView> {
        let mut fields = Fields::default();
        let question = fields.take("/question", validate::text(question, "The question", MOST_QUESTION));
        fields.done()?;
        let question = question.ok_or_else(|| ServiceError::Internal("validated question is missing".into()))?;
        let all = self.store.list_saved_questions(actor.workspace, actor.user, MOST_SAVED).await?;
        if let Some(same) = all.iter().find(|saved| saved.question == question) {
            if pinned && !same.pinned {
                self.pin_question(actor, same.id, true).await?;
            }
            return Ok(SavedQuestionView { pinned: pinned || same.pinned, ..saved_view(same.clone()) });
        }
        if pinned {
            has_room(&all)?;
        }
        let now = self.clock.now();
        let saved = SavedQuestion {
            id: SavedQuestionId::new(&*self.ids),
            workspace: actor.workspace,
            user: actor.user,
            title: title_of(&question),
            question,
            pinned,
            created_at: now,
            updated_at: now,
        };
        let mut work = self.store.begin_in(actor.workspace).await?;
        if !work.insert_saved_question(&saved, MOST_SAVED).await? {
            return Err(ServiceError::Conflict {
                code: codes::CONFLICT,
                detail: format!("You have {MOST_SAVED} saved questions, which is the limit. Delete one first."),
            });
        }
        work.commit().await?;
        Ok(saved_view(saved))
    }

    /// Shows the answer of a saved question on home, or removes it from there.
    pub async fn pin_question(&self, actor: &Granted<Chat>, id: SavedQuestionId, pinned: bool) -> ServiceResult<()> {
        if pinned {
            let all = self.store.list_saved_questions(actor.workspace, actor.user, MOST_SAVED).await?;
            if !all.iter().any(|saved| saved.id == id && saved.pinned) {
                has_room(&all)?;
            }
        }
        let mut work = self.store.begin_in(actor.workspace).await?;
        let now = self.clock.now();
        if !work.update_saved_question(actor.workspace, actor.user, id, None, Some(pinned), now).await? {
            return Err(ServiceError::NotFound("saved question"));
        }
        work.commit().await?;
        Ok(())
    }

    pub async fn delete_question(&self, actor: &Granted<Chat>, id: SavedQuestionId) -> ServiceResult<()> {
        let mut work = self.store.begin_in(actor.workspace).await?;
        if !work.delete_saved_question(actor.workspace, actor.user, id).await? {
            return Err(ServiceError::NotFound("saved question"));
        }
        work.commit().await?;
        Ok(())
    }
}

fn has_room(saved: &[SavedQuestion]) -> ServiceResult<()> {
    if saved.iter().filter(|saved| saved.pinned).count() < MOST_PINNED {
        return Ok(());
    }
    Err(ServiceError::Conflict {
        code: codes::CONFLICT,
        detail: format!("Home shows {MOST_PINNED} saved questions at most. Unpin one first."),
    })
}

pub(crate) fn saved_view(saved: SavedQuestion) -> SavedQuestionView {
    SavedQuestionView { id: saved.id, title: saved.title, question: saved.question, pinned: saved.pinned }
}
