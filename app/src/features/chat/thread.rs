//! A chat on the page: its turns, each built from its run's events as they arrive.

use adagent_contract::{
    AnswerRequest, ApprovePlanRequest, ChatRequest, DEFAULT_AGENT, MessageView, Problem, Rating, RunStatus,
    SessionMessages, TurnView, codes, fold_into,
};
use adagent_domain::{ApprovalId, ChatSessionId, MessageId, Network, RunId, Timestamp};
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::client;
use crate::{PageClock, features::desk::Desk, ui::Toasts};

/// A turn of the chat. It is cheap to copy and lives as long as the page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Entry {
    pub message: MessageId,
    pub run: RunId,
    pub question: StoredValue<String>,
    pub author: StoredValue<String>,
    pub at: Timestamp,
    pub rating: RwSignal<Option<Rating>>,
    /// The approval whose change this turn asks to undo.
    pub undoes: Option<ApprovalId>,
    pub turn: RwSignal<TurnView>,
    /// Whether an answer to this turn's approval is being sent.
    pub sending: RwSignal<bool>,
    /// Why the server refused an answer to this turn's approval.
    pub refused: RwSignal<Option<Problem>>,
}

impl Entry {
    fn new(view: MessageView) -> Self {
        Self {
            message: view.id,
            run: view.run_id,
            question: StoredValue::new(view.content),
            author: StoredValue::new(view.author),
            at: view.created_at,
            rating: RwSignal::new(view.rating),
            undoes: view.undoes,
            turn: RwSignal::new(view.turn),
            sending: RwSignal::new(false),
            refused: RwSignal::new(None),
        }
    }

    /// Checks whether the assistant is working, rather than waiting for a person or done.
    pub fn is_working(&self) -> bool {
        self.turn.with(|turn| matches!(turn.status, RunStatus::Queued | RunStatus::Running))
    }

    fn is_open_untracked(&self) -> bool {
        self.turn.with_untracked(|turn| !turn.status.is_final())
    }
}

/// The idempotency key of the draft. The same text sent again after a failure counts as the same message, whatever happened to
/// the first attempt. Another text, or a text that was already accepted, is a new message.
#[derive(Debug, Default)]
struct DraftKey(Option<(String, String)>);

impl DraftKey {
    fn of(&mut self, text: &str, fresh: impl FnOnce() -> String) -> String {
        match &self.0 {
            Some((known, key)) if known == text => key.clone(),
            _ => {
                let key = fresh();
                self.0 = Some((text.to_owned(), key.clone()));
                key
            }
        }
    }

    fn taken(&mut self) {
        self.0 = None;
    }
}

/// The chat, and the actions in it.
#[derive(Clone, Copy)]
pub struct Thread {
    pub session: RwSignal<Option<ChatSessionId>>,
    pub entries: RwSignal<Vec<Entry>>,
    /// Whether a message is being sent.
    pub sending: RwSignal<bool>,
    /// Why the last message was refused.
    pub refused: RwSignal<Option<Problem>>,
    /// The composer's text.
    pub draft: RwSignal<String>,
    /// Whether the next message goes to the workspace's own assistant again, whichever agent answered last.
    pub to_desk: RwSignal<bool>,
    /// The cursor for the turns before the oldest one shown; `None` when all are shown.
    pub older: RwSignal<Option<String>>,
    /// Whether older turns are loading.
    pub loading: RwSignal<bool>,
    /// Called once, when a first message has created the chat.
    pub go: Callback<ChatSessionId>,
    key: StoredValue<DraftKey>,
    /// Whether the page still exists.
    alive: StoredValue<bool>,
    desk: StoredValue<Desk>,
    toasts: StoredValue<Toasts>,
    /// The name of the person who writes here.
    author: StoredValue<String>,
}

impl Thread {
    /// Takes a chat over from the server and follows its running turns.
    pub fn new(messages: Option<SessionMessages>, go: Callback<ChatSessionId>) -> Self {
        let session = messages.as_ref().map(|m| m.session.id);
        let older = messages.as_ref().and_then(|m| m.next_cursor.clone());
        let entries: Vec<Entry> = messages.into_iter().flat_map(|m| m.items).map(Entry::new).collect();
        let thread = Self {
            session: RwSignal::new(session),
            entries: RwSignal::new(entries.clone()),
            sending: RwSignal::new(false),
            refused: RwSignal::new(None),
            draft: RwSignal::new(String::new()),
            to_desk: RwSignal::new(false),
            older: RwSignal::new(older),
            loading: RwSignal::new(false),
            go,
            key: StoredValue::new(DraftKey::default()),
            alive: StoredValue::new(true),
            desk: StoredValue::new(Desk::get()),
            toasts: StoredValue::new(Toasts::get()),
            author: StoredValue::new(String::new()),
        };
        Effect::new(move |_| {
            if let Some(Ok(Some(viewer))) = thread.desk().viewer.get() {
                thread.author.set_value(viewer.me.user.name);
            }
        });
        // After an outage, clear the error: the person can now send the message.
        Effect::new(move |_| {
            let away =
                |refused: &Option<Problem>| refused.as_ref().is_some_and(|problem| problem.code == codes::UNAVAILABLE);
            if thread.desk().linked.get() && thread.refused.with_untracked(away) {
                thread.refused.set(None);
            }
        });
        on_cleanup(move || thread.alive.set_value(false));
        Effect::new(move |_| {
            for entry in &entries {
                if entry.is_open_untracked() {
                    thread.follow(*entry);
                }
            }
        });
        thread
    }

    /// Returns the path of this chat.
    pub fn path(self) -> String {
        self.session.get_untracked().map_or_else(|| "/chat".to_owned(), |id| format!("/chat/{id}"))
    }

    fn desk(self) -> Desk {
        self.desk.get_value()
    }

    /// Sends a message. A first message creates the chat, which takes over what is on the page.
    pub fn send(self, text: String) {
        let text = text.trim().to_owned();
        if text.is_empty() || self.sending.get_untracked() {
            return;
        }
        self.sending.set(true);
        self.refused.set(None);
        let session = self.session.get_untracked();
        let agent = self.to_desk.get_untracked().then(|| DEFAULT_AGENT.to_owned());
        let request = ChatRequest { session_id: session, message: text.clone(), agent, context: None };
        let key = self.key.try_update_value(|key| key.of(&text, || format!("ui-{}", crate::platform::random())));
        spawn_local(async move {
            let sent = client::send(&request, &key.unwrap_or_default()).await;
            self.sending.try_set(false);
            if sent.is_ok() {
                self.key.try_update_value(DraftKey::taken);
            }
            match sent {
                Ok(started) => {
                    if self.draft.try_set(String::new()).is_some() {
                        // The page is gone; the run continues without it.
                        return;
                    }
                    let entry = Entry::new(MessageView {
                        id: started.message,
                        run_id: started.run,
                        content: text,
                        author: self.author.try_get_value().unwrap_or_default(),
                        created_at: PageClock::get().now_untracked(),
                        rating: None,
                        undoes: None,
                        turn: TurnView::new(started.run),
                    });
                    self.entries.try_update(|entries| entries.push(entry));
                    self.to_desk.try_set(false);
                    if session.is_none() {
                        self.session.try_set(Some(started.session));
                        self.go.run(started.session);
                    }
                    self.follow(entry);
                    self.desk().refresh_activity();
                }
                // Keep the draft, so that nothing typed is lost.
                Err(problem) => {
                    // The person may have lost the workspace; loading the lists shows that.
                    if problem.status == 404 {
                        self.desk().refresh_activity();
                    }
                    self.refused.try_set(Some(problem));
                }
            }
        });
    }

    /// Adds older turns above the oldest one shown; the visible part stays in place.
    pub fn show_older(self) {
        let (Some(id), Some(cursor)) = (self.session.get_untracked(), self.older.get_untracked()) else { return };
        if self.loading.get_untracked() {
            return;
        }
        self.loading.set(true);
        spawn_local(async move {
            match crate::features::api::thread(id, Some(cursor)).await {
                Ok(page) => {
                    let rest = crate::platform::scroll_rest("thread");
                    let older: Vec<Entry> = page.items.into_iter().map(Entry::new).collect();
                    for entry in older.iter().filter(|entry| entry.is_open_untracked()) {
                        self.follow(*entry);
                    }
                    self.entries.try_update(|entries| {
                        entries.splice(..0, older);
                    });
                    self.older.try_set(page.next_cursor);
                    crate::platform::on_next_frame(move || crate::platform::set_scroll_rest("thread", rest));
                }
                Err(error) => {
                    self.refused.try_set(Some(*error.0));
                }
            }
            self.loading.try_set(false);
        });
    }

    /// Answers an approval of a turn; the results arrive as events.
    pub fn answer(self, entry: Entry, answer: AnswerRequest) {
        entry.refused.set(None);
        entry.sending.set(true);
        spawn_local(async move {
            if let Err(problem) = client::answer(&answer).await {
                entry.refused.try_set(Some(problem));
            }
            entry.sending.try_set(false);
            self.desk().refresh_activity();
        });
    }

    /// Approves the pending changes of the turn's plan.
    pub fn approve_plan(self, entry: Entry, approval_ids: Vec<ApprovalId>) {
        let Some(session) = self.session.get_untracked() else { return };
        entry.refused.set(None);
        entry.sending.set(true);
        spawn_local(async move {
            if let Err(problem) = client::approve_plan(session, &ApprovePlanRequest { approval_ids }).await {
                entry.refused.try_set(Some(problem));
            }
            entry.sending.try_set(false);
            self.desk().refresh_activity();
        });
    }

    /// Stops the working turn at its next safe point. A turn that waits for an answer is not stopped: only its card can cancel
    /// it.
    pub fn stop(self) {
        let works =
            |entry: &Entry| entry.is_open_untracked() && entry.turn.with_untracked(|t| t.waiting_approval().is_none());
        let Some(entry) = self.entries.get_untracked().into_iter().rev().find(works) else { return };
        spawn_local(async move {
            if let Err(problem) = client::cancel(entry.run).await {
                self.refused.try_set(Some(problem));
            }
        });
    }

    /// Records a thumb up or down, with the person's comment if there is one.
    pub fn rate(self, entry: Entry, rating: Rating, comment: Option<String>) {
        let before = entry.rating.get_untracked();
        entry.rating.set(Some(rating));
        spawn_local(async move {
            let commented = comment.is_some();
            match crate::features::api::rate(entry.message, rating, comment).await {
                Ok(()) if commented => {
                    if let Some(toasts) = self.toasts.try_get_value() {
                        toasts.say("Thanks for your feedback");
                    }
                }
                Ok(()) => {}
                Err(error) => {
                    entry.rating.try_set(before);
                    self.refused.try_set(Some(*error.0));
                }
            }
        });
    }

    /// Saves a question for the home page. A question after other turns may depend on them, so only the last one can be saved:
    /// the chat works out the whole question and shows it before it is saved.
    pub fn save(self, entry: Entry, question: String) {
        let entries = self.entries.get_untracked();
        let first = entries.first().is_some_and(|first| first.run == entry.run) && self.older.get_untracked().is_none();
        if !first {
            if entries.last().is_some_and(|last| last.run == entry.run) {
                self.send("Save this question".into());
            } else if let Some(toasts) = self.toasts.try_get_value() {
                toasts.complain("This may go on from the question before it. Ask it in one sentence, then save that.");
            }
            return;
        }
        spawn_local(async move {
            let saved = crate::features::api::save_question(question, false).await;
            let Some(toasts) = self.toasts.try_get_value() else { return };
            match saved {
                Ok(_) => toasts.say("Saved. You'll find it on Home."),
                Err(error) => toasts.complain(error.0.detail),
            }
        });
    }

    fn follow(self, entry: Entry) {
        let after = entry.turn.with_untracked(|turn| turn.last_seq);
        let (alive, linked) = (self.alive, self.desk().linked);
        spawn_local(async move {
            let on_event = move |event: adagent_contract::RunEvent| {
                let changes_lists =
                    matches!(event.body.kind(), "done" | "tool_approval_required" | "tool_approval_answered");
                entry.turn.try_update(|turn| fold_into(turn, &event));
                if changes_lists && alive.try_get_value().unwrap_or(false) {
                    self.desk().refresh_activity();
                }
            };
            let on_link = move |up: bool| {
                if linked.try_get_untracked() != Some(up) {
                    linked.try_set(up);
                }
            };
            client::follow(entry.run, after, move || alive.try_get_value().unwrap_or(false), on_event, on_link).await;
        });
    }
}

/// Returns the changes of a chat that are undone now. An undo comes after its change, so this checks the newest first: an undo
/// that was itself undone leaves its change in place.
pub fn undone(entries: &[Entry]) -> Vec<ApprovalId> {
    let undos = entries.iter().filter_map(|entry| {
        let made = |turn: &TurnView| turn.approvals.iter().find(|one| one.made).map(|one| one.approval_id);
        Some((entry.undoes?, entry.turn.with(made)?))
    });
    undone_of(&undos.collect::<Vec<_>>())
}

/// Takes pairs of the undone change and the undo's own change, oldest first.
fn undone_of(undos: &[(ApprovalId, ApprovalId)]) -> Vec<ApprovalId> {
    let mut undone = Vec::new();
    for (change, own) in undos.iter().rev() {
        if !undone.contains(own) {
            undone.push(*change);
        }
    }
    undone
}

/// Returns the question that could not continue because this network, or any network, was not connected or was turned off; only
/// if it is the last question.
pub fn unfinished_question(entries: &[Entry], network: Network) -> Option<String> {
    let last = entries.last()?;
    let waits = last
        .turn
        .with_untracked(|turn| turn.actions.iter().any(|action| action.network.is_none_or(|own| own == network)));
    waits.then(|| last.question.get_value())
}

#[cfg(test)]
mod tests {
    use adagent_domain::ApprovalId;

    use super::{DraftKey, undone_of};

    #[test]
    fn an_undo_that_was_put_back_leaves_its_change_as_it_was() {
        let id = |n: u8| format!("019aa5c4-9a3e-7000-8000-0000000000{n:02}").parse::<ApprovalId>().unwrap();
        let (change, first, back, second) = (id(1), id(2), id(3), id(4));
        assert_eq!(undone_of(&[]), []);
        assert_eq!(undone_of(&[(change, first)]), [change]);
        assert_eq!(undone_of(&[(change, first), (first, back)]), [first]);
        assert_eq!(undone_of(&[(change, first), (first, back), (change, second)]), [change, first]);
    }

    #[test]
    fn a_draft_that_is_sent_again_keeps_its_key_and_a_new_one_gets_its_own() {
        let mut drafts = DraftKey::default();
        let mut made = 0;
        let mut key = |drafts: &mut DraftKey, text: &str| {
            drafts.of(text, || {
                made += 1;
                format!("k{made}")
            })
        };
        assert_eq!(key(&mut drafts, "revenue"), "k1");
        assert_eq!(key(&mut drafts, "revenue"), "k1", "the answer was lost on its way");
        assert_eq!(key(&mut drafts, "revenue by app"), "k2", "the text was changed");
        drafts.taken();
        assert_eq!(key(&mut drafts, "revenue by app"), "k3", "asked once more on purpose");
    }
}
