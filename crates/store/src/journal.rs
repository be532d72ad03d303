//! What runs did, for the people who asked.

use adagent_contract::{AgentBody, AgentRef, DEFAULT_AGENT, JournalEntry, RunStatus, summary_of, unaddressed};
use adagent_domain::{AgentId, ChatSessionId, RunId, Timestamp, UserId, WorkspaceId};
use async_trait::async_trait;

use crate::{AgentReads, StoreResult};

/// Which agent's entries to list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ByAgent {
    #[default]
    Any,
    /// The workspace's own agent.
    Default,
    One(AgentId),
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JournalFilter {
    pub agent: ByAgent,
    /// Only runs that ended at or after this instant.
    pub from: Option<Timestamp>,
    /// Only runs that ended before this instant.
    pub until: Option<Timestamp>,
    pub status: Option<RunStatus>,
    /// A lowercase text that the question or the answer must contain.
    pub text: Option<String>,
    /// Only runs of this person.
    pub person: Option<UserId>,
    pub before: Option<RunId>,
}

/// Finds the agent that a handle means. `None` if this person may use no such agent.
pub async fn by_handle(
    store: &(impl AgentReads + Sync + ?Sized),
    workspace: WorkspaceId,
    user: UserId,
    handle: &str,
) -> StoreResult<Option<ByAgent>> {
    if handle == DEFAULT_AGENT {
        return Ok(Some(ByAgent::Default));
    }
    let found = store.find_agents_by_handle(workspace, user, handle).await?;
    Ok(found.first().map(|agent| ByAgent::One(agent.id)))
}

/// A run that ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalRow {
    pub run: RunId,
    pub session: Option<ChatSessionId>,
    /// Whether the reader may open the chat.
    pub opens: bool,
    pub user: UserId,
    pub user_name: String,
    /// Whether something else than a person began the run.
    pub scheduled: bool,
    /// Whether another run asked.
    pub delegated: bool,
    pub agent: Option<AgentId>,
    /// The agent as it is now. `None` if it was deleted, or for the workspace's own agent.
    pub agent_body: Option<AgentBody>,
    pub status: RunStatus,
    pub question: String,
    pub answer: Option<String>,
    pub cost_micros: i64,
    pub begun_at: Timestamp,
    pub finished_at: Timestamp,
    /// The titles of the changes that were sent and took effect.
    pub changes: Vec<String>,
}

impl JournalRow {
    /// Returns the entry as this person reads it.
    pub fn entry(self, reader: UserId) -> JournalEntry {
        let gone = || AgentRef { handle: "deleted".into(), name: "Deleted agent".into(), color: 0 };
        JournalEntry {
            run: self.run,
            session: self.session.filter(|_| self.opens),
            by: (self.user != reader).then_some(self.user_name),
            scheduled: self.scheduled,
            delegated: self.delegated,
            agent: self.agent.map(|_| self.agent_body.as_ref().map_or_else(gone, AgentBody::mark)),
            at: self.finished_at,
            status: self.status,
            question: unaddressed(&self.question).to_owned(),
            summary: summary_of(self.answer.as_deref().unwrap_or_default()),
            changes: self.changes,
            cost_micros: self.cost_micros,
            took_ms: self.finished_at.millis_since(self.begun_at).max(0),
        }
    }
}

/// What the counts of a journal need to know about a run that ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalMark {
    pub run: RunId,
    pub agent: Option<AgentId>,
    pub user: UserId,
    pub user_name: String,
    pub status: RunStatus,
    pub cost_micros: i64,
    pub finished_at: Timestamp,
}

#[async_trait]
pub trait JournalReads {
    /// Lists runs that ended, newest first, without the readings of home: a person's own, and those that a shared agent's journal shows.
    async fn list_journal(
        &self,
        workspace: WorkspaceId,
        user: UserId,
        filter: &JournalFilter,
        limit: u32,
    ) -> StoreResult<Vec<JournalRow>>;
    /// Lists the same runs without what they said.
    async fn list_journal_marks(
        &self,
        workspace: WorkspaceId,
        user: UserId,
        filter: &JournalFilter,
        limit: u32,
    ) -> StoreResult<Vec<JournalMark>>;
}
