//! Reads outside of transactions. They see only committed data.

use adagent_contract::{ApprovalStatus, ContextSettings, RunEvent, RunStatus};
use adagent_domain::{
    AgentId, ApprovalId, ChatSessionId, CheckpointId, LaneId, MessageId, Role, RunId, Timestamp, ToolCallId, UserId,
    WorkspaceId,
};
use adagent_store::{
    AccountReads, Agent, AgentName, AgentReads, AgentRevision, ApprovalReads, ApprovalRecord, CallRecord, ChatReads,
    ChatSession, Checkpoint, CheckpointSummary, DayUsage, Fork, Held, HistoryReads, HttpSession, IdempotentAnswer,
    Membership, Message, MessageRow, MiscReads, NewMessage, Origin, Run, RunReads, StoreResult, Undo, UsageReads, User,
    Whose, Workspace, WorkspaceKind,
};
use async_trait::async_trait;
use serde_json::json;
use uuid::Uuid;

use super::{Db, Filed, SimStore, is_open, writes::not_simulated};
use crate::sim::lock;

impl SimStore {
    /// Reads the data that is committed when the statement reaches the database. The reply may take longer.
    pub(super) async fn read<T>(&self, look: impl FnOnce(&Db) -> T) -> StoreResult<T> {
        self.cross().await?;
        let seen = look(&lock(&self.sim.db));
        self.sim.cross(&self.process).await;
        Ok(seen)
    }

    async fn read_run<T: Default>(&self, run: RunId, look: impl FnOnce(&Filed) -> T) -> StoreResult<T> {
        self.read(|db| db.filed(run).map(|filed| look(filed)).unwrap_or_default()).await
    }
}

pub(super) fn at_most(limit: u32) -> usize {
    limit as usize
}

fn message(db: &Db, kept: &NewMessage) -> Message {
    Message {
        id: kept.id,
        session: kept.session,
        run: kept.run,
        author_name: db.users.get(&kept.author).map(|user| user.name.clone()).unwrap_or_default(),
        content: kept.content.clone(),
        created_at: kept.created_at,
        rating: None,
        asked: None,
    }
}

#[async_trait]
impl RunReads for SimStore {
    async fn find_run(&self, workspace: WorkspaceId, user: UserId, id: RunId) -> StoreResult<Option<Run>> {
        let found = self.find_run_unscoped(id).await?;
        Ok(found.filter(|run| run.workspace == workspace && run.principal.user == user))
    }

    async fn find_run_unscoped(&self, id: RunId) -> StoreResult<Option<Run>> {
        self.read_run(id, |filed| Some(filed.row.run.clone())).await
    }

    async fn find_asked(&self, _: WorkspaceId, _: UserId, _: &str) -> StoreResult<Option<Run>> {
        unreachable!("nobody here is a program that asks for calls")
    }

    async fn list_runs(
        &self,
        workspace: WorkspaceId,
        user: UserId,
        before: Option<RunId>,
        limit: u32,
    ) -> StoreResult<Vec<Run>> {
        self.read(|db| {
            let newest = db.runs.values().rev().map(|filed| &filed.row.run);
            let theirs = newest.filter(|run| run.workspace == workspace && run.principal.user == user);
            theirs.filter(|run| before.is_none_or(|id| run.id < id)).take(at_most(limit)).cloned().collect()
        })
        .await
    }

    async fn list_open_runs(&self, workspace: WorkspaceId, lane: LaneId) -> StoreResult<Vec<Run>> {
        self.read(|db| {
            let runs = db.runs.values().map(|filed| &filed.row.run);
            let open = |run: &&Run| run.workspace == workspace && run.lane == lane && is_open(run.status);
            runs.filter(open).cloned().collect()
        })
        .await
    }

    async fn list_events(&self, run: RunId, after: u64, limit: u32) -> StoreResult<Vec<RunEvent>> {
        self.read_run(run, |filed| {
            let later = filed.events.iter().filter(|event| event.seq > after);
            later.take(at_most(limit)).map(|event| (**event).clone()).collect()
        })
        .await
    }

    async fn list_events_of(&self, runs: &[RunId]) -> StoreResult<Vec<RunEvent>> {
        let mut wanted = runs.to_vec();
        wanted.sort_unstable();
        wanted.dedup();
        self.read(|db| {
            let filed = wanted.iter().filter_map(|run| db.filed(*run));
            filed.flat_map(|filed| filed.events.iter().map(|event| (**event).clone())).collect()
        })
        .await
    }

    async fn list_children(&self, parent: RunId) -> StoreResult<Vec<Run>> {
        self.read(|db| {
            let runs = db.runs.values().map(|filed| &filed.row.run);
            runs.filter(|run| run.parent.as_ref().is_some_and(|above| above.run == parent)).cloned().collect()
        })
        .await
    }

    async fn find_latest_checkpoint(&self, run: RunId) -> StoreResult<Option<Checkpoint>> {
        self.read_run(run, |filed| filed.checkpoints.last().map(|saved| (**saved).clone())).await
    }

    async fn find_checkpoint(&self, run: RunId, id: CheckpointId) -> StoreResult<Option<Checkpoint>> {
        self.read_run(run, |filed| filed.checkpoints.iter().find(|saved| saved.id == id).map(|saved| (**saved).clone()))
            .await
    }

    async fn list_checkpoints(&self, run: RunId) -> StoreResult<Vec<CheckpointSummary>> {
        let summary = |saved: &Checkpoint| CheckpointSummary {
            id: saved.id,
            step: saved.step,
            seq: saved.seq,
            node: saved.node.clone(),
            created_at: saved.created_at,
        };
        self.read_run(run, |filed| filed.checkpoints.iter().map(|saved| summary(saved)).collect()).await
    }

    async fn find_call(&self, run: RunId, id: ToolCallId) -> StoreResult<Option<CallRecord>> {
        self.read_run(run, |filed| filed.calls.iter().find(|call| call.id == id).map(|call| (**call).clone())).await
    }

    async fn list_calls(&self, run: RunId) -> StoreResult<Vec<CallRecord>> {
        self.read_run(run, |filed| filed.calls.iter().map(|call| (**call).clone()).collect()).await
    }

    async fn count_ready(&self, now: Timestamp) -> StoreResult<u64> {
        self.read(|db| db.runs.values().filter(|filed| filed.row.claim_at.is_some_and(|at| at <= now)).count() as u64)
            .await
    }
}

#[async_trait]
impl ApprovalReads for SimStore {
    async fn find_approval(&self, workspace: WorkspaceId, id: ApprovalId) -> StoreResult<Option<ApprovalRecord>> {
        self.read(|db| db.approval(id).filter(|record| record.workspace == workspace).map(|record| (**record).clone()))
            .await
    }

    async fn list_approvals(
        &self,
        workspace: WorkspaceId,
        whose: Whose,
        status: Option<ApprovalStatus>,
        before: Option<ApprovalId>,
        limit: u32,
    ) -> StoreResult<Vec<ApprovalRecord>> {
        self.read(|db| {
            let newest = db.approvals.keys().rev().filter_map(|id| db.approval(*id));
            let of = |record: &ApprovalRecord| {
                record.user == whose.user || whose.others && record.view.source.network().is_some()
            };
            let theirs = newest.filter(|record| record.workspace == workspace && of(record));
            let wanted = theirs.filter(|record| status.is_none_or(|status| record.view.status == status));
            let older = wanted.filter(|record| before.is_none_or(|id| record.view.id < id));
            older.take(at_most(limit)).map(|record| (**record).clone()).collect()
        })
        .await
    }

    async fn count_pending_approvals(&self, workspace: WorkspaceId, whose: Whose) -> StoreResult<u64> {
        let pending = self.list_approvals(workspace, whose, Some(ApprovalStatus::Pending), None, u32::MAX).await?;
        Ok(pending.len() as u64)
    }

    async fn list_pending_approvals(&self, workspace: WorkspaceId, limit: u32) -> StoreResult<Vec<ApprovalRecord>> {
        self.read(|db| {
            let records = db.approvals.keys().filter_map(|id| db.approval(*id));
            let pending = records.filter(|it| it.workspace == workspace && it.view.status == ApprovalStatus::Pending);
            pending.take(at_most(limit)).map(|record| (**record).clone()).collect()
        })
        .await
    }

    async fn list_undos(&self, _: WorkspaceId, _: UserId) -> StoreResult<Vec<Undo>> {
        not_simulated()
    }

    async fn list_approvals_of_run(&self, run: RunId) -> StoreResult<Vec<ApprovalRecord>> {
        self.read_run(run, |filed| filed.approvals.iter().map(|record| (**record).clone()).collect()).await
    }

    async fn list_expired_approvals(&self, now: Timestamp, limit: u32) -> StoreResult<Vec<ApprovalRecord>> {
        self.read(|db| {
            let records = db.approvals.keys().filter_map(|id| db.approval(*id));
            let pending = records.filter(|record| record.view.status == ApprovalStatus::Pending);
            let mut due: Vec<_> = pending.filter(|record| record.view.expires_at.is_some_and(|at| at <= now)).collect();
            due.sort_by_key(|record| (record.view.expires_at, record.view.id));
            due.into_iter().take(at_most(limit)).map(|record| (**record).clone()).collect()
        })
        .await
    }
}

#[async_trait]
impl ChatReads for SimStore {
    async fn find_chat(
        &self,
        workspace: WorkspaceId,
        user: UserId,
        id: ChatSessionId,
    ) -> StoreResult<Option<ChatSession>> {
        let found = self.read(|db| db.chats.get(&id).cloned()).await?;
        Ok(found.filter(|chat| chat.workspace == workspace && chat.user == user))
    }

    async fn list_messages(
        &self,
        _: WorkspaceId,
        _: ChatSessionId,
        _: Option<MessageId>,
        _: u32,
    ) -> StoreResult<Vec<Message>> {
        not_simulated()
    }

    async fn find_message(&self, workspace: WorkspaceId, user: UserId, id: MessageId) -> StoreResult<Option<Message>> {
        self.read(|db| {
            let kept = db.messages.get(&id).filter(|kept| kept.workspace == workspace && kept.author == user);
            kept.map(|kept| message(db, kept))
        })
        .await
    }

    async fn list_history(
        &self,
        workspace: WorkspaceId,
        session: ChatSessionId,
        before: MessageId,
        of: Option<AgentId>,
        limit: u32,
    ) -> StoreResult<Vec<MessageRow>> {
        self.read(|db| {
            let theirs = db.messages.values().filter(|kept| kept.workspace == workspace && kept.session == session);
            let is_listed = |kept: &&NewMessage| {
                let run = db.filed(kept.run).map(|filed| &filed.row.run);
                run.is_none_or(|run| if of.is_some() { run.principal.agent == of } else { run.parent.is_none() })
            };
            let earlier: Vec<_> = theirs.filter(|kept| kept.id < before).filter(is_listed).collect();
            let newest = &earlier[earlier.len().saturating_sub(at_most(limit))..];
            let row = |kept: &&NewMessage| {
                let run = db.filed(kept.run).map(|filed| &filed.row.run);
                MessageRow {
                    message: message(db, kept),
                    answer: run.and_then(|run| run.answer.clone()),
                    completed: run.is_some_and(|run| run.status == RunStatus::Completed),
                }
            };
            newest.iter().map(row).collect()
        })
        .await
    }
}

/// The handles of the agents that everyone here may ask.
const AGENTS: [&str; 3] = ["a", "b", "c"];

fn agent_id(handle: &str) -> AgentId {
    AgentId(Uuid::from_u128(u128::from(handle.as_bytes()[0])))
}

fn agent(workspace: WorkspaceId, handle: &str) -> Agent {
    let body = json!({
        "handle": handle,
        "name": handle,
        "sharing": "use",
        "grants": [{"on": "everything", "may": ["read", "list", "create", "update", "delete"]}],
    });
    Agent {
        id: agent_id(handle),
        workspace,
        owner: UserId(Uuid::nil()),
        owner_name: String::new(),
        body: serde_json::from_value(body).expect("an agent"),
        version: 1,
        created_at: Timestamp::EPOCH,
        updated_at: Timestamp::EPOCH,
    }
}

#[async_trait]
impl AccountReads for SimStore {
    async fn find_user(&self, id: UserId) -> StoreResult<Option<User>> {
        self.read(|db| db.users.get(&id).cloned()).await
    }

    async fn find_user_by_email(&self, _: &str) -> StoreResult<Option<User>> {
        not_simulated()
    }

    /// Every person is alone in their own workspace.
    async fn find_membership(&self, workspace: WorkspaceId, user: UserId) -> StoreResult<Option<Membership>> {
        let found = self.read(|db| db.users.get(&user).cloned()).await?;
        Ok(found.filter(|person| person.personal_workspace == workspace).map(|person| Membership {
            workspace: Workspace {
                id: workspace,
                kind: WorkspaceKind::Personal,
                name: "Personal".to_owned(),
                slug: workspace.to_string(),
                created_at: person.created_at,
            },
            user,
            role: Role::Owner,
        }))
    }

    async fn list_memberships(&self, _: UserId) -> StoreResult<Vec<Membership>> {
        not_simulated()
    }
}

/// There are three agents with all grants, which every person may ask.
#[async_trait]
impl AgentReads for SimStore {
    async fn find_agent(&self, workspace: WorkspaceId, id: AgentId) -> StoreResult<Option<Agent>> {
        let handle = AGENTS.into_iter().find(|handle| agent_id(handle) == id);
        Ok(handle.map(|handle| agent(workspace, handle)))
    }

    async fn list_agents(&self, workspace: WorkspaceId, _: UserId, _: u32) -> StoreResult<Vec<Agent>> {
        Ok(AGENTS.into_iter().map(|handle| agent(workspace, handle)).collect())
    }

    async fn list_agent_names(
        &self,
        workspace: WorkspaceId,
        _: UserId,
        _: &str,
        _: u32,
    ) -> StoreResult<Vec<AgentName>> {
        let name = |Agent { id, body, .. }: Agent| AgentName {
            id,
            handle: body.handle,
            name: body.name,
            position: body.position,
            description: body.description,
        };
        Ok(AGENTS.into_iter().map(|handle| name(agent(workspace, handle))).collect())
    }

    async fn find_agents_by_handle(&self, workspace: WorkspaceId, _: UserId, handle: &str) -> StoreResult<Vec<Agent>> {
        self.sim.cross(&self.process).await;
        Ok(AGENTS.into_iter().filter(|known| *known == handle).map(|known| agent(workspace, known)).collect())
    }

    async fn find_agent_of_chat(&self, _: WorkspaceId, _: UserId, _: ChatSessionId) -> StoreResult<Option<AgentId>> {
        not_simulated()
    }

    async fn list_agent_versions(&self, _: WorkspaceId, _: AgentId, _: u32) -> StoreResult<Vec<AgentRevision>> {
        not_simulated()
    }
}

#[async_trait]
impl MiscReads for SimStore {
    async fn find_http_session(&self, id: &str, now: Timestamp) -> StoreResult<Option<HttpSession>> {
        let found = self.read(|db| db.sessions.get(id).cloned()).await?;
        Ok(found.filter(|session| session.expires_at > now))
    }

    async fn find_context(&self, _: WorkspaceId, _: UserId) -> StoreResult<ContextSettings> {
        self.read(|_| ContextSettings::default()).await
    }

    async fn find_time_zone(&self, _: WorkspaceId) -> StoreResult<Option<String>> {
        Ok(None)
    }

    async fn find_idempotent(&self, _: WorkspaceId, _: UserId, _: &str) -> StoreResult<Option<IdempotentAnswer>> {
        not_simulated()
    }
}

#[async_trait]
impl UsageReads for SimStore {
    async fn find_usage(&self, _: WorkspaceId, _: &str, _: Timestamp) -> StoreResult<DayUsage> {
        self.read(|_| DayUsage::default()).await
    }

    /// The simulated model costs nothing, so the store holds no reservation.
    async fn list_held(&self, _: RunId) -> StoreResult<Vec<Held>> {
        self.read(|_| Vec::new()).await
    }
}

#[async_trait]
impl HistoryReads for SimStore {
    async fn find_origin(&self, run: RunId) -> StoreResult<Option<Origin>> {
        self.read(|db| db.origins.get(&run).copied()).await
    }

    async fn list_forks(&self, _: WorkspaceId, _: UserId, parent: RunId, limit: u32) -> StoreResult<Vec<Fork>> {
        self.read(|db| {
            let forks = db.origins.values().filter(|origin| origin.parent == parent);
            let told = forks.filter_map(|origin| {
                let row = &db.filed(origin.run)?.row.run;
                let message = row.turn().and_then(|turn| db.messages.get(&turn.message));
                let question = message.map(|message| message.content.clone());
                let (status, created_at) = (row.status, row.created_at);
                let (run, parent_step) = (origin.run, origin.parent_step);
                Some(Fork { run, parent_step, question: question.unwrap_or_default(), status, created_at })
            });
            told.take(at_most(limit)).collect()
        })
        .await
    }
}
