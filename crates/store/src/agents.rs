//! Agents of a workspace, and their earlier versions.

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
    /// The version: 1 at first, and each change adds 1.
    pub version: i64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl Agent {
    /// Checks whether a person may use the agent: its owner may, and everybody in the workspace if it is shared.
    pub fn is_seen_by(&self, user: UserId) -> bool {
        self.owner == user || self.body.sharing != Sharing::Private
    }
}

/// What an agent is called, and its purpose in its team's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentName {
    pub id: AgentId,
    pub handle: String,
    pub name: String,
    pub position: String,
    pub description: String,
}

/// An earlier version of an agent, and who made it.
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
    /// Finds an agent, even a private one.
    async fn find_agent(&self, workspace: WorkspaceId, id: AgentId) -> StoreResult<Option<Agent>>;
    /// Lists the agents that a person may use: their own first, then by handle.
    async fn list_agents(&self, workspace: WorkspaceId, user: UserId, limit: u32) -> StoreResult<Vec<Agent>>;
    /// Lists the names of the agents that are on and that a person may use. Those that the text names come first, then the person's own,
    /// then by handle.
    async fn list_agent_names(
        &self,
        workspace: WorkspaceId,
        user: UserId,
        text: &str,
        limit: u32,
    ) -> StoreResult<Vec<AgentName>>;
    /// Lists the agents with this handle that a person may use, their own first.
    async fn find_agents_by_handle(
        &self,
        workspace: WorkspaceId,
        user: UserId,
        handle: &str,
    ) -> StoreResult<Vec<Agent>>;
    /// Finds the agent of the newest run of a person's chat. `None` means the workspace's own agent.
    async fn find_agent_of_chat(
        &self,
        workspace: WorkspaceId,
        user: UserId,
        chat: ChatSessionId,
    ) -> StoreResult<Option<AgentId>>;
    /// Lists the versions, newest first.
    async fn list_agent_versions(
        &self,
        workspace: WorkspaceId,
        id: AgentId,
        limit: u32,
    ) -> StoreResult<Vec<AgentRevision>>;
}

#[async_trait]
pub trait AgentWrites {
    /// Inserts an agent with its first version. Returns `false` and stores nothing if the person already has `most` agents in this
    /// workspace.
    async fn insert_agent(&mut self, agent: &Agent, most: u32) -> StoreResult<bool>;
    /// Replaces version `from` by a new version. Returns `false` if the current version is another one.
    async fn update_agent(
        &mut self,
        workspace: WorkspaceId,
        id: AgentId,
        from: i64,
        by: UserId,
        body: &AgentBody,
        at: Timestamp,
    ) -> StoreResult<bool>;
    /// Deletes an agent. Returns `false` if the workspace has no such agent.
    async fn delete_agent(&mut self, workspace: WorkspaceId, id: AgentId) -> StoreResult<bool>;
    /// Removes the grants for a tool server from every agent of a workspace, so that a later server with the same handle gets none of them.
    async fn drop_server_grants(
        &mut self,
        workspace: WorkspaceId,
        handle: &str,
        by: UserId,
        at: Timestamp,
    ) -> StoreResult<()>;
    /// Gives the agents of a person who leaves to the owner of the organization, and turns them off. Does so in one organization, or in
    /// all.
    async fn hand_agents_over(
        &mut self,
        user: UserId,
        workspace: Option<WorkspaceId>,
        at: Timestamp,
    ) -> StoreResult<()>;
}
