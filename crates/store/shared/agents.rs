//! Agents and their versions.

use adagent_contract::{AgentBody, Sharing};
use adagent_domain::{AgentId, ChatSessionId, Timestamp, UserId, WorkspaceId};
use adagent_store::{Agent, AgentName, AgentReads, AgentRevision, AgentWrites, StoreResult};
use async_trait::async_trait;
use uuid::Uuid;

use crate::{
    columns::{Columns, clean, to_json},
    engine::{Database, Row, Unit},
    run::{Query, execute, execute_maybe, execute_one, fetch_all, fetch_one, fetch_optional, sql},
};

const fn word(sharing: Sharing) -> &'static str {
    match sharing {
        Sharing::Private => "private",
        Sharing::Use => "use",
        Sharing::Edit => "edit",
    }
}

fn agent(row: &Row) -> StoreResult<Agent> {
    let columns = Columns::new("agents", row);
    Ok(Agent {
        id: AgentId(columns.uuid("id")?),
        workspace: WorkspaceId(columns.uuid("workspace_id")?),
        owner: UserId(columns.uuid("owner_id")?),
        owner_name: columns.text("owner_name")?,
        body: columns.json("body")?,
        version: columns.get("version")?,
        created_at: columns.at("created_at")?,
        updated_at: columns.at("updated_at")?,
    })
}

fn agent_name(row: &Row) -> StoreResult<AgentName> {
    let columns = Columns::new("agents", row);
    Ok(AgentName {
        id: AgentId(columns.uuid("id")?),
        handle: columns.text("handle")?,
        name: columns.text("name")?,
        position: columns.text("position")?,
        description: columns.text("description")?,
    })
}

/// Binds what a body says, in the order of the columns: handle, name, called, position, description, active, sharing, journal, body.
fn bind_body(query: Query, body: &AgentBody) -> StoreResult<Query> {
    Ok(query
        .bind(clean(&body.handle).into_owned())
        .bind(clean(&body.name).into_owned())
        .bind(clean(&body.name.to_lowercase()).into_owned())
        .bind(clean(&body.position).into_owned())
        .bind(clean(&body.description).into_owned())
        .bind(body.active)
        .bind(word(body.sharing))
        .bind(body.journal.as_str())
        .bind(clean(&to_json(body)?).into_owned()))
}

fn revision(row: &Row) -> StoreResult<AgentRevision> {
    let columns = Columns::new("agent_versions", row);
    Ok(AgentRevision {
        version: columns.get("version")?,
        by: columns.get::<Option<Uuid>>("user_id")?.map(UserId),
        by_name: columns.text("by_name")?,
        body: columns.json("body")?,
        at: columns.at("created_at")?,
    })
}

#[async_trait]
impl AgentReads for Database {
    async fn find_agent(&self, workspace: WorkspaceId, id: AgentId) -> StoreResult<Option<Agent>> {
        let query = sql(include_str!("../sql/agents/find.sql")).bind(workspace.0).bind(id.0);
        fetch_optional(self.reader_in(workspace).await?.connection(), query).await?.as_ref().map(agent).transpose()
    }

    async fn list_agents(&self, workspace: WorkspaceId, user: UserId, limit: u32) -> StoreResult<Vec<Agent>> {
        let query = sql(include_str!("../sql/agents/list.sql")).bind(workspace.0).bind(user.0).bind(i64::from(limit));
        fetch_all(self.reader_in(workspace).await?.connection(), query).await?.iter().map(agent).collect()
    }

    async fn list_agent_names(
        &self,
        workspace: WorkspaceId,
        user: UserId,
        text: &str,
        limit: u32,
    ) -> StoreResult<Vec<AgentName>> {
        let query = sql(include_str!("../sql/agents/list_names.sql"))
            .bind(workspace.0)
            .bind(user.0)
            .bind(i64::from(limit))
            .bind(clean(&text.to_lowercase()).into_owned())
            .bind(true);
        fetch_all(self.reader_in(workspace).await?.connection(), query).await?.iter().map(agent_name).collect()
    }

    async fn find_agents_by_handle(
        &self,
        workspace: WorkspaceId,
        user: UserId,
        handle: &str,
    ) -> StoreResult<Vec<Agent>> {
        let query = sql(include_str!("../sql/agents/find_by_handle.sql"))
            .bind(workspace.0)
            .bind(user.0)
            .bind(clean(handle).into_owned());
        fetch_all(self.reader_in(workspace).await?.connection(), query).await?.iter().map(agent).collect()
    }

    async fn find_agent_of_chat(
        &self,
        workspace: WorkspaceId,
        user: UserId,
        chat: ChatSessionId,
    ) -> StoreResult<Option<AgentId>> {
        let query = sql(include_str!("../sql/agents/find_of_chat.sql")).bind(workspace.0).bind(user.0).bind(chat.0);
        let row = fetch_optional(self.reader_in(workspace).await?.connection(), query).await?;
        let found = row.as_ref().map(|row| Columns::new("runs", row).get::<Option<Uuid>>("agent_id")).transpose()?;
        Ok(found.flatten().map(AgentId))
    }

    async fn list_agent_versions(
        &self,
        workspace: WorkspaceId,
        id: AgentId,
        limit: u32,
    ) -> StoreResult<Vec<AgentRevision>> {
        let query =
            sql(include_str!("../sql/agents/list_versions.sql")).bind(workspace.0).bind(id.0).bind(i64::from(limit));
        fetch_all(self.reader_in(workspace).await?.connection(), query).await?.iter().map(revision).collect()
    }
}

impl Unit {
    /// Stores the agent's current state as a version, and keeps only the newest 50 versions.
    async fn keep_version(
        &mut self,
        workspace: WorkspaceId,
        id: AgentId,
        by: UserId,
        at: Timestamp,
    ) -> StoreResult<()> {
        let query = sql(include_str!("../sql/agents/insert_version.sql"))
            .bind(workspace.0)
            .bind(id.0)
            .bind(by.0)
            .bind(at.as_micros());
        execute_one(self.connection(), query, "keep a version of an agent").await?;
        let query = sql(include_str!("../sql/agents/prune_versions.sql")).bind(workspace.0).bind(id.0);
        execute(self.connection(), query).await.map(drop)
    }
}

#[async_trait]
impl AgentWrites for Unit {
    async fn insert_agent(&mut self, agent: &Agent, most: u32) -> StoreResult<bool> {
        // Transactions that count at the same time wait here, and then count this agent too.
        execute(self.connection(), sql(include_str!("../sql/tokens/lock_user.sql")).bind(agent.owner.0)).await?;
        let query =
            sql(include_str!("../sql/agents/insert.sql")).bind(agent.id.0).bind(agent.workspace.0).bind(agent.owner.0);
        let query = bind_body(query, &agent.body)?.bind(agent.created_at.as_micros()).bind(i64::from(most));
        if !execute_maybe(self.connection(), query).await? {
            return Ok(false);
        }
        self.keep_version(agent.workspace, agent.id, agent.owner, agent.created_at).await?;
        Ok(true)
    }

    async fn update_agent(
        &mut self,
        workspace: WorkspaceId,
        id: AgentId,
        from: i64,
        by: UserId,
        body: &AgentBody,
        at: Timestamp,
    ) -> StoreResult<bool> {
        let query = sql(include_str!("../sql/agents/update.sql")).bind(workspace.0).bind(id.0).bind(from);
        let query = bind_body(query, body)?.bind(at.as_micros());
        if !execute_maybe(self.connection(), query).await? {
            return Ok(false);
        }
        self.keep_version(workspace, id, by, at).await?;
        Ok(true)
    }

    async fn delete_agent(&mut self, workspace: WorkspaceId, id: AgentId) -> StoreResult<bool> {
        let query = sql(include_str!("../sql/agents/delete.sql")).bind(workspace.0).bind(id.0);
        execute_maybe(self.connection(), query).await
    }

    async fn drop_server_grants(
        &mut self,
        workspace: WorkspaceId,
        handle: &str,
        by: UserId,
        at: Timestamp,
    ) -> StoreResult<()> {
        let query = sql(include_str!("../sql/agents/list_of_workspace.sql")).bind(workspace.0);
        for row in fetch_all(self.connection(), query).await? {
            let Agent { id, mut body, version, .. } = agent(&row)?;
            let granted = body.grants.len();
            body.grants.retain(|grant| !grant.is_about_server(handle));
            if body.grants.len() < granted {
                self.update_agent(workspace, id, version, by, &body, at).await?;
            }
        }
        Ok(())
    }

    async fn hand_agents_over(
        &mut self,
        user: UserId,
        workspace: Option<WorkspaceId>,
        at: Timestamp,
    ) -> StoreResult<()> {
        let query = sql(include_str!("../sql/agents/list_leaving.sql"))
            .bind(user.0)
            .bind(workspace.map(|workspace| workspace.0));
        for row in fetch_all(self.connection(), query).await? {
            let (left, heir) = (agent(&row)?, UserId(Columns::new("agents", &row).uuid("heir")?));
            let taken = sql(include_str!("../sql/agents/count_handle.sql"))
                .bind(left.workspace.0)
                .bind(heir.0)
                .bind(left.body.handle.clone());
            let taken = Columns::new("agents", &fetch_one(self.connection(), taken).await?).count("taken")? > 0;
            // The end of an ID distinguishes two agents with one handle; the new owner can rename this one.
            let mark = left.id.0.simple().to_string().split_off(28);
            let handle = if taken { format!("{}-{mark}", left.body.handle) } else { left.body.handle.clone() };
            let body = AgentBody { handle, active: false, ..left.body };
            let query =
                sql(include_str!("../sql/agents/hand_over.sql")).bind(left.workspace.0).bind(left.id.0).bind(heir.0);
            let query = bind_body(query, &body)?.bind(at.as_micros());
            execute_one(self.connection(), query, "hand an agent over").await?;
            self.keep_version(left.workspace, left.id, heir, at).await?;
        }
        Ok(())
    }
}
