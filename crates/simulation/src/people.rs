//! The people of a simulation. They ask, answer from several tabs, change their minds, stop runs, fork them, and try again when
//! the page reports a failure. They use the same functions as the service.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
    time::Duration,
};

use adagent_contract::{AnswerRequest, ApprovalStatus, EventBody, ForkRequest, OverrideRequest};
use adagent_domain::{Actor, ApprovalId, Ids, MessageId, RunId};
use adagent_runtime::{
    AnswerError, ControlError, RuntimeDeps, answer, cancel, fork_run, fork_run_with, override_run, waits_its_turn,
};
use adagent_store::{ChatSession, MessageRef, NewMessage, NewRun, StoreError, Wake};
use serde_json::json;

use crate::{
    plan::{Answer, Decision, Deed, Question},
    sim::{Sim, lock},
    store::short,
};

/// How often a person tries again before giving up.
const TRIES: usize = 40;

pub struct People {
    pub sim: Arc<Sim>,
    pub deps: RuntimeDeps,
    pub actor: Actor,
    pub chats: Vec<ChatSession>,
    /// In the order in which the person asked.
    pub runs: Mutex<Vec<RunId>>,
}

fn later(ms: u64) -> tokio::time::Sleep {
    tokio::time::sleep(Duration::from_millis(ms))
}

impl People {
    fn note(&self, what: impl FnOnce() -> String) {
        self.sim.note("people", what);
    }

    pub async fn ask(self: Arc<Self>, number: usize, question: Question) {
        later(question.at_ms).await;
        let content = question.flow.text(number);
        let chat = &self.chats[question.chat % self.chats.len()];
        for _ in 0..TRIES {
            let (run, message) = (RunId::new(&*self.deps.ids), MessageId::new(&*self.deps.ids));
            let sent = self.send(chat, run, message, &content).await;
            // After an error, the page checks whether the message arrived before it sends it again, as a client with idempotency keys does.
            if sent.is_ok() || lock(&self.sim.db).messages.contains_key(&message) {
                self.note(|| format!("ask {content}: run {}", short(run.0)));
                lock(&self.runs).push(run);
                return;
            }
            later(500).await;
        }
    }

    /// Sends a message as the service does: in one transaction.
    async fn send(&self, chat: &ChatSession, run: RunId, message: MessageId, content: &str) -> Result<(), StoreError> {
        let (store, actor) = (&self.deps.store, &self.actor);
        let now = self.deps.clock.now();
        let mut work = store.engine_unit().await?;
        work.insert_message(&NewMessage {
            id: message,
            workspace: actor.workspace,
            session: chat.id,
            run,
            author: actor.user,
            content: content.to_owned(),
            created_at: now,
        })
        .await?;
        let free = work
            .insert_run(&NewRun::of_turn(
                run,
                actor.workspace,
                actor.user,
                MessageRef { session: chat.id, message },
                "scripted".into(),
                now,
            ))
            .await?;
        let mut first = vec![EventBody::RunStarted {
            session_id: chat.id,
            message_id: message,
            model: "scripted".into(),
            settings: None,
            agent: None,
        }];
        if !free {
            first.push(waits_its_turn());
        }
        work.append_events_unleased(run, now, &first).await?;
        work.wake(Wake::Events(run));
        work.wake(Wake::Work);
        work.durable();
        work.commit().await
    }

    /// Watches the inbox for the whole simulation, and decides about each new approval.
    pub async fn watch(self: Arc<Self>) {
        let mut seen = BTreeSet::new();
        loop {
            for (approval, run) in self.pending() {
                if seen.insert(approval) {
                    let decisions = &self.sim.plan.decisions;
                    let decision = decisions.get((seen.len() - 1) % decisions.len().max(1)).copied();
                    let decision = decision.unwrap_or(Decision { after_ms: 100, answer: Answer::Approve });
                    tokio::spawn(Arc::clone(&self).decide(approval, run, decision));
                }
            }
            later(if self.sim.is_calm() { 900 } else { 250 }).await;
        }
    }

    fn pending(&self) -> Vec<(ApprovalId, RunId)> {
        let db = lock(&self.sim.db);
        let ids = db
            .approvals
            .iter()
            .filter(|(id, _)| db.approval(**id).is_some_and(|record| record.view.status == ApprovalStatus::Pending));
        ids.map(|(id, run)| (*id, *run)).collect()
    }

    async fn decide(self: Arc<Self>, approval: ApprovalId, run: RunId, decision: Decision) {
        later(decision.after_ms).await;
        let yes =
            AnswerRequest { approval_id: approval, approved: true, edited_args: None, reason: None, remember: None };
        let no = AnswerRequest { approved: false, reason: Some("Not today.".into()), ..yes.clone() };
        let edited = |name: serde_json::Value| AnswerRequest {
            edited_args: Some(json!({"name": name, "app": "app-1"})),
            ..yes.clone()
        };
        match decision.answer {
            Answer::Approve => self.answer(yes).await,
            Answer::Deny => self.answer(no).await,
            Answer::Edit => self.answer(edited(json!(format!("edited {}", short(approval.0))))).await,
            Answer::EditBadly => {
                self.answer(edited(json!(7))).await;
                self.answer(yes).await;
            }
            Answer::ApproveTwice => {
                tokio::join!(self.answer(yes.clone()), self.answer(yes));
            }
            Answer::ApproveAndDeny => {
                tokio::join!(self.answer(yes), self.answer(no));
            }
            Answer::Never => {}
            Answer::Cancel => self.cancel(run).await,
        }
    }

    async fn answer(&self, request: AnswerRequest) {
        for _ in 0..TRIES {
            let name = short(request.approval_id.0);
            self.note(|| format!("answer approval {name}: {}", if request.approved { "yes" } else { "no" }));
            match answer(&self.deps, &self.actor, "Ann", request.clone()).await {
                Err(AnswerError::Store(StoreError::Unavailable(_)) | AnswerError::Network(_)) => later(700).await,
                Err(AnswerError::Store(error)) => {
                    self.sim.violate(format!("approval {name} could not be answered: {error}"));
                    return;
                }
                told => {
                    self.note(|| match told {
                        Ok(_) => format!("approval {name} is answered"),
                        Err(error) => format!("approval {name}: {error}"),
                    });
                    return;
                }
            }
        }
    }

    async fn cancel(&self, run: RunId) {
        for _ in 0..TRIES {
            self.note(|| format!("stop run {}", short(run.0)));
            match cancel(&self.deps, &self.actor, run).await {
                Err(ControlError::Store(StoreError::Unavailable(_))) => later(700).await,
                Err(ControlError::Store(error)) => {
                    self.sim.violate(format!("run {} could not be stopped: {error}", short(run.0)));
                    return;
                }
                _ => return,
            }
        }
    }

    pub async fn act(self: Arc<Self>, at_ms: u64, deed: Deed) {
        later(at_ms).await;
        let nth = |at: usize| lock(&self.runs).get(at).copied();
        match deed {
            Deed::Cancel { run } => {
                if let Some(run) = nth(run) {
                    self.cancel(run).await;
                }
            }
            Deed::Fork { run, checkpoint } => {
                let Some(run) = nth(run) else { return };
                let saved = {
                    let db = lock(&self.sim.db);
                    let saved = db.filed(run).map(|filed| filed.checkpoints.clone()).unwrap_or_default();
                    saved.get(checkpoint % saved.len().max(1)).map(|saved| saved.id)
                };
                let Some(saved) = saved else { return };
                self.note(|| format!("fork run {}", short(run.0)));
                // Try only once: after an error, nobody can tell whether the fork exists. A second fork does no harm.
                let forked = fork_run(&self.deps, &self.actor, run, saved).await;
                self.begun(forked);
            }
            Deed::ForkArgs { run, checkpoint, same } => {
                let Some(run) = nth(run) else { return };
                let found = {
                    let db = lock(&self.sim.db);
                    let filed = db.filed(run);
                    let saved = filed.map(|filed| filed.checkpoints.clone()).unwrap_or_default();
                    let saved = saved.get(checkpoint % saved.len().max(1)).map(|saved| saved.id);
                    let call = filed.and_then(|filed| filed.calls.iter().rfind(|call| !call.read_only).cloned());
                    saved.zip(call)
                };
                let Some((saved, call)) = found else { return };
                self.note(|| format!("fork run {} with arguments of call {}", short(run.0), short(call.id.0)));
                let other = json!({"name": format!("forked {}", short(run.0)), "app": "app-1"});
                let args = Some(if same { call.args.clone() } else { other });
                let with = ForkRequest { tool_call_id: Some(call.id), args, message: None };
                let forked = fork_run_with(&self.deps, &self.actor, run, saved, &with, None).await;
                // The checkpoint may be older than the call.
                self.begun(forked.map_err(|error| match error {
                    ControlError::Invalid(_) => ControlError::NotFound,
                    other => other,
                }));
            }
            Deed::Override { run } => {
                let Some(run) = nth(run) else { return };
                let args = json!({"name": format!("overridden {}", short(run.0)), "app": "app-1"});
                let request = OverrideRequest { tool_call_id: None, args };
                for _ in 0..TRIES {
                    let begun = override_run(&self.deps, &self.actor, run, request.clone()).await;
                    if matches!(&begun, Err(ControlError::NotPossible(_))) {
                        later(2000).await;
                        continue;
                    }
                    self.begun(begun);
                    return;
                }
            }
        }
    }

    fn begun(&self, begun: Result<RunId, ControlError>) {
        match begun {
            Ok(run) => {
                self.note(|| format!("begun: run {}", short(run.0)));
                lock(&self.runs).push(run);
            }
            Err(
                ControlError::Store(StoreError::Unavailable(_)) | ControlError::NotPossible(_) | ControlError::NotFound,
            ) => {}
            Err(error) => self.sim.violate(format!("a run could not be begun: {error}")),
        }
    }
}

/// Adds a person and two chats to an empty database.
pub fn move_in(sim: &Sim, ids: &dyn Ids) -> (Actor, Vec<ChatSession>) {
    use adagent_domain::{ChatSessionId, Role, Timestamp, UserId, WorkspaceId};
    let user = adagent_store::User {
        id: UserId::new(ids),
        email: "ann@example.com".into(),
        name: "Ann".into(),
        password_hash: String::new(),
        personal_workspace: WorkspaceId::new(ids),
        created_at: Timestamp::EPOCH,
        email_verified_at: None,
    };
    let actor = Actor { user: user.id, workspace: user.personal_workspace, role: Role::Owner, personal: true };
    let chat = || ChatSession {
        id: ChatSessionId::new(ids),
        workspace: actor.workspace,
        user: actor.user,
        title: "Revenue".into(),
        chat_only: false,
        created_at: Timestamp::EPOCH,
        updated_at: Timestamp::EPOCH,
        busy: false,
        awaiting_approval: false,
        kept: false,
        shared: false,
    };
    let chats = vec![chat(), chat()];
    let mut db = lock(&sim.db);
    db.users.insert(user.id, user);
    db.chats.extend(chats.iter().map(|chat| (chat.id, chat.clone())));
    drop(db);
    (actor, chats)
}
