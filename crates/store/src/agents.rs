//! Agents of a workspace, and how each was before.

use adagent_contract::{AgentBody, Sharing};
use adagent_domain::{AgentId, ChatSessionId, Timestamp, UserId, WorkspaceId};
use async_trait::async_trait;

use crate::StoreResult;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    pub id: AgentId,
    pub workspace: WorkspaceId,
    pub owner: UserId,
    pub owner_name: String,
    pub body: AgentBody,
    /// Counts changes, from 1.
    pub version: i64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl Agent {
    /// Whether a person may use it: its owner, and where it is shared everybody in the workspace.
    pub fn is_seen_by(&self, user: UserId) -> bool {
        self.owner == user || self.body.sharing != Sharing::Private
    }
}

/// How an agent was once, and who made it so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentRevision {
    pub version: i64,
    pub by: Option<UserId>,
    pub by_name: String,
    pub body: AgentBody,
    pub at: Timestamp,
}

#[async_trait]
pub trait AgentReads {
    /// Also one that its owner shares with nobody.
    async fn find_agent(&self, workspace: WorkspaceId, id: AgentId) -> StoreResult<Option<Agent>>;
    /// Those a person may use, by handle, their own first.
    async fn list_agents(&self, workspace: WorkspaceId, user: UserId, limit: u32) -> StoreResult<Vec<Agent>>;
    /// Those a person may use by this handle, their own first.
    async fn find_agents_by_handle(
        &self,
        workspace: WorkspaceId,
        user: UserId,
        handle: &str,
    ) -> StoreResult<Vec<Agent>>;
    /// Which agent the newest run of a person's chat works as; `None`: the workspace's own.
    async fn find_agent_of_chat(
        &self,
        workspace: WorkspaceId,
        user: UserId,
        chat: ChatSessionId,
    ) -> StoreResult<Option<AgentId>>;
    /// Newest first.
    async fn list_agent_versions(
        &self,
        workspace: WorkspaceId,
        id: AgentId,
        limit: u32,
    ) -> StoreResult<Vec<AgentRevision>>;
}

#[async_trait]
pub trait AgentWrites {
    /// With its first version. `false`, and nothing is kept, when the person has `most` in this workspace already.
    async fn insert_agent(&mut self, agent: &Agent, most: u32) -> StoreResult<bool>;
    /// A new version in place of version `from`; `false` when it is no longer that one.
    async fn update_agent(
        &mut self,
        workspace: WorkspaceId,
        id: AgentId,
        from: i64,
        by: UserId,
        body: &AgentBody,
        at: Timestamp,
    ) -> StoreResult<bool>;
    /// `false` when the workspace has no such agent.
    async fn delete_agent(&mut self, workspace: WorkspaceId, id: AgentId) -> StoreResult<bool>;
    /// Takes from every agent of a workspace what it was granted of a tool server: another one of the same handle gets nothing of it.
    async fn drop_server_grants(
        &mut self,
        workspace: WorkspaceId,
        handle: &str,
        by: UserId,
        at: Timestamp,
    ) -> StoreResult<()>;
    /// Hands the agents of someone who leaves to the owner of the organization, switched off; in all organizations or in one.
    async fn hand_agents_over(
        &mut self,
        user: UserId,
        workspace: Option<WorkspaceId>,
        at: Timestamp,
    ) -> StoreResult<()>;
}
