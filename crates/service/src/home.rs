//! Home asks its questions like any others, in its own chats, which no list shows. So a run fetched every number on it, and a person can
//! open it with its sources and continue from it.
//!
//! A visit asks nothing by itself: reading reports that answers are old, and then the page asks for new ones. We ask with the built-in
//! planner and in safe mode, so that home costs no tokens and prepares no change.

use std::collections::HashMap;

use adagent_contract::{
    ContextOverlay, HomeAnswer, HomeFigures, HomeView, MOST_SAVED, RunStatus, SharedChatView, TurnView,
};
use adagent_domain::{
    Actor, Granted, RunId, SavedQuestionId, Timestamp,
    rights::{Chat, ViewConnections},
};
use adagent_store::{ConnectionState, HomeReading, SavedQuestion, SharedChat};
use sha2::{Digest as _, Sha256};

use crate::{
    Service, ServiceError, ServiceResult,
    idempotency::Keyed,
    messages::fold_each,
    saved::saved_view,
    send::{HomeMark, Start},
};

/// A visit asks again for an answer that is older than this.
const FRESH_SECONDS: i64 = 15 * 60;
/// After a chat has read newer numbers, home asks again for answers older than this, so that the two do not disagree.
const OUTDONE_SECONDS: i64 = 60;
/// How many of the newest runs we search for one that has ended.
const LAST_RUNS: u32 = 5;
/// A person can ask for new answers once in this many seconds; several tabs that ask at once ask only once.
const AGAIN_SECONDS: i64 = 10;
/// How long a chat of home stays readable after a newer answer, because a tab may still show it.
const KEPT_SECONDS: i64 = 24 * 60 * 60;
/// How many readings we check; older ones are not shown.
const MOST_READINGS: u32 = 200;
/// How many shared chats home names.
const MOST_SHARED: u32 = 8;
/// The ID of the built-in planner.
const PLANNER: &str = "local";

/// What every home asks: key, title, question.
const QUESTIONS: [(&str, &str, &str); 4] = [
    ("yesterday", "Yesterday", "How did yesterday go compared to the same day last week?"),
    ("week", "Last 7 days", "Total revenue last 7 days by day compared to the previous 7 days"),
    ("apps", "Revenue by app", "Revenue by app last 7 days compared to the previous 7 days"),
    ("impressions", "Impressions by app", "Impressions by app last 7 days compared to the previous 7 days"),
];

struct Question {
    key: String,
    title: String,
    text: String,
    saved: Option<SavedQuestionId>,
}

/// The questions on a person's home, and the state of each.
struct Asked {
    questions: Vec<Question>,
    /// The current conditions. Answers under other conditions do not count.
    basis: String,
    /// The readings, newest first.
    readings: Vec<HomeReading>,
    /// When the newest run of the person's chats ended.
    chatted: Option<Timestamp>,
    /// Whether any network is connected.
    connected: bool,
}

impl Asked {
    fn of<'a>(&'a self, question: &'a Question) -> impl Iterator<Item = &'a HomeReading> {
        self.readings.iter().filter(|reading| reading.question == question.key && reading.basis == self.basis)
    }

    fn is_working(&self, question: &Question) -> bool {
        self.of(question).next().is_some_and(|newest| !newest.status.is_final())
    }

    fn is_stale(&self, question: &Question, now: Timestamp) -> bool {
        let newest = self.of(question).next();
        let age = |newest: &HomeReading| {
            let outdone = self.chatted.is_some_and(|chatted| newest.asked_at < chatted);
            if outdone { OUTDONE_SECONDS } else { FRESH_SECONDS }
        };
        newest.is_none_or(|newest| newest.status.is_final() && newest.asked_at.plus_seconds(age(newest)) <= now)
    }

    fn answered<'a>(&'a self, question: &'a Question) -> Option<&'a HomeReading> {
        self.of(question).find(|reading| reading.status.is_final() && reading.status != RunStatus::Cancelled)
    }
}

impl Service {
    /// Returns what home shows now.
    pub async fn home(&self, actor: &Granted<ViewConnections>) -> ServiceResult<HomeView> {
        let saved = self.store.list_saved_questions(actor.workspace, actor.user, MOST_SAVED).await?;
        let asked = self.questions_of(actor, &saved).await?;
        let now = self.clock.now();
        let runs: Vec<RunId> =
            asked.questions.iter().filter_map(|question| asked.answered(question)).map(|reading| reading.run).collect();
        let mut turns = fold_each(&self.store.list_events_of(&runs).await?);
        let stale = asked.connected && asked.questions.iter().any(|question| asked.is_stale(question, now));
        let figures = asked.questions.iter().map(|question| figures(&asked, question, &mut turns)).collect();
        let shared = self.store.list_shared_chats(actor.workspace, MOST_SHARED).await?;
        let shared = shared.into_iter().map(shared_view).collect();
        Ok(HomeView { figures, stale, saved: saved.into_iter().map(saved_view).collect(), shared })
    }

    /// Asks the questions whose answers are too old; with `again`, asks all of them.
    pub async fn refresh_home(&self, actor: &Granted<Chat>, again: bool) -> ServiceResult<()> {
        let saved = self.store.list_saved_questions(actor.workspace, actor.user, MOST_SAVED).await?;
        let asked = self.questions_of(actor, &saved).await?;
        if !asked.connected {
            return Ok(());
        }
        let now = self.clock.now();
        for question in &asked.questions {
            let wanted = if again { !asked.is_working(question) } else { asked.is_stale(question, now) };
            if wanted {
                self.ask_for_home(actor, question, &asked).await?;
            }
        }
        Ok(())
    }

    async fn ask_for_home(&self, actor: &Granted<Chat>, question: &Question, asked: &Asked) -> ServiceResult<()> {
        let now = self.clock.now();
        // If several requests ask within the same seconds, only one begins a run, whatever their reason.
        let slot = now.as_micros() / 1_000_000 / AGAIN_SECONDS;
        let key = format!("{}-{}-{slot}", question.key, asked.basis);
        let keyed = Keyed::new(Some(&key), "home.refresh", &question.text)?;
        let context =
            ContextOverlay { safe_mode: Some(true), model: Some(PLANNER.to_owned()), ..ContextOverlay::default() };
        let before = Timestamp::from_micros(now.as_micros() - KEPT_SECONDS * 1_000_000);
        let start = Start {
            existing: None,
            message: &question.text,
            context: Some(context),
            agent: None,
            keyed: keyed.as_ref(),
            home: Some(HomeMark { question: &question.key, basis: &asked.basis, forget_before: before }),
        };
        self.start(actor, start).await.map(|_| ())
    }

    async fn questions_of(&self, actor: &Actor, saved: &[SavedQuestion]) -> ServiceResult<Asked> {
        let mut questions: Vec<Question> = QUESTIONS
            .iter()
            .map(|(key, title, text)| Question {
                key: (*key).to_owned(),
                title: (*title).to_owned(),
                text: (*text).to_owned(),
                saved: None,
            })
            .collect();
        questions.extend(saved.iter().filter(|saved| saved.pinned).map(|saved| Question {
            key: saved.id.to_string(),
            title: saved.title.clone(),
            text: saved.question.clone(),
            saved: Some(saved.id),
        }));
        let connections = self.store.list_connections(actor.workspace).await?;
        let settings = self.store.find_context(actor.workspace, actor.user).await?;
        let reporting = self.reporting(actor).await?;
        let mut usable: Vec<String> = connections
            .iter()
            .filter(|connection| connection.enabled && connection.state == ConnectionState::Connected)
            .map(|connection| format!("{} {} {}", connection.id, connection.made, connection.accounts))
            .collect();
        usable.sort();
        let connected = !usable.is_empty();
        // Some networks count days in UTC, so a day that is over in the workspace's time zone may still run there. The UTC date is part of
        // the basis: when that day ends, an answer about it no longer counts.
        let there = self.clock.now().to_jiff().to_zoned(jiff::tz::TimeZone::UTC).date();
        let basis = serde_json::to_vec(&(usable, settings, reporting.time_zone, reporting.today, there))
            .map_err(|error| ServiceError::Internal(error.to_string()))?;
        let mut basis = hex::encode(Sha256::digest(basis));
        basis.truncate(16);
        let readings = self.store.list_home_readings(actor.workspace, actor.user, MOST_READINGS).await?;
        let runs = self.store.list_runs(actor.workspace, actor.user, None, LAST_RUNS).await?;
        let chatted = runs.iter().filter_map(|run| run.finished_at).max();
        Ok(Asked { questions, basis, readings, chatted, connected })
    }
}

fn shared_view(SharedChat { chat, owner_name }: SharedChat) -> SharedChatView {
    SharedChatView { id: chat.id, title: chat.title, by: owner_name, updated_at: chat.updated_at }
}

fn figures(asked: &Asked, question: &Question, turns: &mut HashMap<RunId, TurnView>) -> HomeFigures {
    let answer = asked.answered(question).and_then(|reading| {
        let turn = turns.remove(&reading.run)?;
        Some(HomeAnswer {
            session: reading.session,
            asked_at: reading.asked_at,
            status: reading.status,
            text: turn.answer,
            artifacts: turn.artifacts,
        })
    });
    HomeFigures {
        key: question.key.clone(),
        title: question.title.clone(),
        question: question.text.clone(),
        saved: question.saved,
        working: asked.is_working(question),
        answer,
    }
}

#[cfg(test)]
mod tests {
    use adagent_domain::{ChatSessionId, Ids as _, MessageId, SequentialIds};

    use super::*;

    #[test]
    fn figures_are_old_by_their_age_and_sooner_once_a_chat_read_newer_ones() {
        let ids = SequentialIds::default();
        let at = |seconds: i64| Timestamp::from_micros(0).plus_seconds(seconds);
        let question = Question { key: "week".into(), title: String::new(), text: String::new(), saved: None };
        let reading = HomeReading {
            session: ChatSessionId::new(&ids),
            question: "week".into(),
            basis: "now".into(),
            run: RunId(ids.next_uuid()),
            message: MessageId::new(&ids),
            status: RunStatus::Completed,
            asked_at: at(1000),
            finished_at: Some(at(1010)),
        };
        let asked = |chatted: Option<Timestamp>| Asked {
            questions: Vec::new(),
            basis: "now".into(),
            readings: vec![reading.clone()],
            chatted,
            connected: true,
        };
        for (chatted, seconds, stale) in [
            (None, 1000 + FRESH_SECONDS - 1, false),
            (None, 1000 + FRESH_SECONDS, true),
            (Some(at(900)), 1000 + OUTDONE_SECONDS, false),
            (Some(at(1020)), 1000 + OUTDONE_SECONDS - 1, false),
            (Some(at(1020)), 1000 + OUTDONE_SECONDS, true),
        ] {
            assert_eq!(asked(chatted).is_stale(&question, at(seconds)), stale, "{chatted:?} {seconds}");
        }
    }
}
