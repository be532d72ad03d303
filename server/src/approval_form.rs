//! The form of an approval as browsers post it without JavaScript. We answer it like every other answer. If we cannot accept it
//! yet, the inbox shows the card again with everything the person typed.

use std::sync::Arc;

use adagent_app::{
    Begin, Open,
    approval_form::{self as form, Act, Posted},
};
use adagent_contract::{AnswerRequest, ApprovalStatus, ApprovalView, Problem, codes, links};
use adagent_domain::{Actor, ApprovalId, Granted, rights::ApproveWrites};
use adagent_service::{Service, ServiceError};

use crate::page_forms::{After, Place};

/// The inbox, where all cards are posted to.
pub const APPROVALS: &str = "/approvals";

/// Fields and their values, in the order of the page.
type Pairs = Vec<(String, String)>;

/// Answers the card, or shows it again.
pub async fn decide(service: Arc<Service>, place: Place, pairs: Option<Pairs>) -> After<Begin> {
    let pairs = pairs.unwrap_or_default();
    let posted = Posted(&pairs);
    let Some(id) = posted.one(form::APPROVAL).and_then(|id| id.parse::<ApprovalId>().ok()) else {
        return After::GoTo(place.page(APPROVALS));
    };
    let inbox = place.page(&format!("{APPROVALS}?show=waiting&id={id}"));
    // If the card belongs to somebody else or is gone, or the session ended, the page says so.
    let Ok(actor) = place.actor() else { return After::GoTo(inbox) };
    let Ok(view) = service.approval(&actor, id).await else { return After::GoTo(inbox) };
    let answer = Answer { service: &service, actor, view, posted: &posted };
    match answer.give().await {
        Outcome::Done => After::GoTo(answer.back().map_or(inbox, |path| place.page(&path))),
        // This also covers a second press of a button: the page says who answered, or that the approval expired.
        Outcome::Late => After::GoTo(inbox),
        Outcome::Again(begin) => After::Page(*begin),
    }
}

enum Outcome {
    Done,
    Late,
    Again(Box<Begin>),
}

struct Answer<'a> {
    service: &'a Service,
    actor: Actor,
    view: ApprovalView,
    posted: &'a Posted<'a>,
}

impl Answer<'_> {
    /// Returns the page that had the form, if it is one of ours.
    fn back(&self) -> Option<String> {
        self.posted.one(form::BACK).filter(|path| !path.is_empty()).and_then(links::return_path)
    }

    async fn give(&self) -> Outcome {
        let open = match self.posted.one(form::REASON) {
            Some(_) => Open::Reason,
            None if self.posted.was_open() => Open::Form,
            None => Open::Nothing,
        };
        match self.posted.act() {
            Act::Approve => match self.refusal_of_form() {
                Some(problem) => self.again(Open::Form, Some(problem)).await,
                None if !self.confirmed() => self.again(open, Some(unconfirmed())).await,
                None => self.send(true, open).await,
            },
            Act::Deny => self.send(false, Open::Reason).await,
            _ if self.view.status != ApprovalStatus::Pending => Outcome::Late,
            Act::Edit => self.again(Open::Form, None).await,
            Act::AskWhy => self.again(Open::Reason, None).await,
            Act::Close => self.again(Open::Nothing, None).await,
            Act::Show | Act::Revert | Act::Add(_) | Act::Remove(_) | Act::Up(_) | Act::Down(_) => {
                self.again(open, None).await
            }
        }
    }

    /// Returns the errors that the form itself can find, so that they show at its fields before we send the answer on.
    fn refusal_of_form(&self) -> Option<Problem> {
        if self.view.status != ApprovalStatus::Pending || !self.posted.was_open() {
            return None;
        }
        if self.posted.is_unreadable() {
            let detail = "We couldn't read the form, so nothing was sent. This is what was proposed; edit it again.";
            return Some(Problem::new(422, codes::VALIDATION, "Not sent", detail));
        }
        let filled = form::fill(&self.view, self.posted);
        let detail = "Not sent. Check the marked fields above.";
        form::first_error(&self.view, &filled).then(|| Problem::new(422, codes::VALIDATION, "Not sent", detail))
    }

    /// Checks whether the person typed the name. With JavaScript, the button is enabled only after that.
    fn confirmed(&self) -> bool {
        let wanted = self.view.ui_hints.confirm_text.as_deref().unwrap_or_default().trim();
        wanted.is_empty() || self.posted.one(form::CONFIRM).unwrap_or_default().trim() == wanted
    }

    async fn send(&self, approved: bool, open: Open) -> Outcome {
        let edited_args = approved.then(|| form::edited(&self.view, form::fill(&self.view, self.posted))).flatten();
        let reason = self.posted.one(form::REASON).filter(|_| !approved).map(str::to_owned);
        let request = AnswerRequest { approval_id: self.view.id, approved, edited_args, reason, remember: None };
        // The same form sent twice, by a second press or a reload, counts as the same answer.
        let key = format!("form-{}-{approved}", self.view.id);
        let granted = match self.actor.grant::<ApproveWrites>() {
            Ok(granted) => granted,
            Err(denied) => return self.again(open, Some(ServiceError::from(denied).problem())).await,
        };
        match self.service.answer_approval_once(&granted, request, Some(&key)).await {
            Ok(_) => Outcome::Done,
            Err(error) => {
                let problem = error.problem();
                let late = self.service.approval(&self.actor, self.view.id).await;
                if late.is_ok_and(|now| now.status != ApprovalStatus::Pending) {
                    return Outcome::Late;
                }
                let open = if problem.errors.is_empty() { open } else { open_at(approved) };
                self.again(open, Some(problem)).await
            }
        }
    }

    /// Shows the card again with what the person typed.
    async fn again(&self, open: Open, problem: Option<Problem>) -> Outcome {
        let filled = form::fill(&self.view, self.posted);
        let edited = filled.args != self.view.tool_input;
        let options = match self.actor.grant::<ApproveWrites>() {
            Ok(granted) if edited => self.choices(&granted, &filled.args).await,
            _ => None,
        };
        // Keep the edits with the card while the page asks for the reason.
        let open = if edited && open == Open::Nothing { Open::Form } else { open };
        let text = |name: &str| self.posted.one(name).unwrap_or_default().to_owned();
        Outcome::Again(Box::new(Begin {
            approval: self.view.id,
            open,
            args: filled.args,
            typed: filled.typed,
            options,
            reason: text(form::REASON),
            confirm: text(form::CONFIRM),
            back: self.back().unwrap_or_default(),
            problem,
        }))
    }

    /// Returns choices that fit the chosen values; `None` if the network does not answer, and then the old choices stay.
    async fn choices(&self, granted: &Granted<ApproveWrites>, args: &serde_json::Value) -> Option<form::Choices> {
        self.service.form_choices(granted, self.view.id, args).await.ok()
    }
}

const fn open_at(approved: bool) -> Open {
    if approved { Open::Form } else { Open::Reason }
}

fn unconfirmed() -> Problem {
    Problem::new(422, codes::VALIDATION, "Not sent", "Not sent. Type the name above to confirm.")
}
