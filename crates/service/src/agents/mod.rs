//! Agents: creating, changing, sharing them, and finding them by their handle.

mod check;
mod resolve;
mod templates;

pub(crate) use resolve::Addressee;

use adagent_contract::{AgentBody, AgentUpdate, AgentVersion, AgentView, MOST_AGENTS, Sharing, codes};
use adagent_domain::{
    Actor, AgentId, Granted,
    rights::{MakeAgents, ShareAgents},
};
use adagent_store::{Agent, StoreError};
use serde_json::json;

use crate::{Service, ServiceError, ServiceResult};

/// How many versions of an agent we list.
const VERSIONS: u32 = 50;

const AGENT: &str = "agent";

fn view(agent: Agent, actor: &Actor) -> AgentView {
    let mine = agent.owner == actor.user;
    AgentView {
        id: agent.id,
        editable: mine || agent.body.sharing == Sharing::Edit,
        mine,
        owner: agent.owner_name,
        agent: agent.body,
        version: agent.version,
        created_at: agent.created_at,
        updated_at: agent.updated_at,
    }
}

fn taken(error: StoreError, handle: &str) -> ServiceError {
    match error {
        StoreError::Taken { .. } => {
            ServiceError::field("/handle", format!("You already have an agent named @{handle}. Choose another handle."))
        }
        error => error.into(),
    }
}

fn stale() -> ServiceError {
    ServiceError::Conflict {
        code: codes::CONFLICT,
        detail: "Someone changed this agent in the meantime. Reload the page and make your change again.".into(),
    }
}

impl Service {
    /// Lists the agents that a person may use: their own first, then those shared with them, each by handle.
    pub async fn agents(&self, actor: &Actor) -> ServiceResult<Vec<AgentView>> {
        let all = self.store.list_agents(actor.workspace, actor.user, MOST_AGENTS).await?;
        Ok(all.into_iter().map(|agent| view(agent, actor)).collect())
    }

    pub async fn agent(&self, actor: &Actor, id: AgentId) -> ServiceResult<AgentView> {
        Ok(view(self.usable_agent(actor, id).await?, actor))
    }

    /// Lists the agent's versions, newest first.
    pub async fn agent_versions(&self, actor: &Actor, id: AgentId) -> ServiceResult<Vec<AgentVersion>> {
        self.usable_agent(actor, id).await?;
        let all = self.store.list_agent_versions(actor.workspace, id, VERSIONS).await?;
        let named = all.into_iter().map(|one| AgentVersion {
            version: one.version,
            by: if one.by.is_some() { one.by_name } else { "someone who left".into() },
            at: one.at,
            agent: one.body,
        });
        Ok(named.collect())
    }

    pub async fn create_agent(&self, actor: &Granted<MakeAgents>, body: AgentBody) -> ServiceResult<AgentView> {
        let body = self.checked_agent(actor, body, "").await?;
        if body.sharing != Sharing::Private {
            actor.grant::<ShareAgents>()?;
        }
        let now = self.clock.now();
        let agent = Agent {
            id: AgentId::new(&*self.ids),
            workspace: actor.workspace,
            owner: actor.user,
            owner_name: self.name_of(actor.user).await?,
            body,
            version: 1,
            created_at: now,
            updated_at: now,
        };
        let mut work = self.store.begin_in(actor.workspace).await?;
        let kept = work.insert_agent(&agent, MOST_AGENTS).await.map_err(|error| taken(error, &agent.body.handle))?;
        if !kept {
            return Err(ServiceError::Conflict {
                code: codes::CONFLICT,
                detail: format!("You have {MOST_AGENTS} agents, which is the limit. Delete one first."),
            });
        }
        let detail = json!({"handle": agent.body.handle, "sharing": agent.body.sharing});
        self.audit(&mut *work, actor, "agent.created", agent.id, detail).await?;
        work.commit().await?;
        Ok(view(agent, actor))
    }

    /// Creates an agent or a new version of one, for the form of an agent.
    pub async fn save_agent(
        &self,
        actor: &Granted<MakeAgents>,
        id: Option<AgentId>,
        update: AgentUpdate,
    ) -> ServiceResult<AgentView> {
        match id {
            None => self.create_agent(actor, update.agent).await,
            Some(id) => self.update_agent(actor, id, update).await,
        }
    }

    /// Stores a new version. Only the owner may change the handle, the sharing, and whether the agent is on.
    pub async fn update_agent(
        &self,
        actor: &Granted<MakeAgents>,
        id: AgentId,
        update: AgentUpdate,
    ) -> ServiceResult<AgentView> {
        let before = self.usable_agent(actor, id).await?;
        let seen = view(before.clone(), actor);
        if !seen.editable {
            return Err(ServiceError::field("/agent", format!("Only {} can change this agent.", seen.owner)));
        }
        let body = self.checked_agent(actor, update.agent, "/agent").await?;
        if !seen.mine {
            owners_alone(&before.body, &body, &seen.owner)?;
        }
        if body.sharing != Sharing::Private && body.sharing != before.body.sharing {
            actor.grant::<ShareAgents>()?;
        }
        let now = self.clock.now();
        let mut work = self.store.begin_in(actor.workspace).await?;
        let changed = work.update_agent(actor.workspace, id, update.version, actor.user, &body, now).await;
        if !changed.map_err(|error| taken(error, &body.handle))? {
            return Err(stale());
        }
        let detail = json!({"handle": body.handle, "changed": changed_fields(&before.body, &body)});
        self.audit(&mut *work, actor, "agent.changed", id, detail).await?;
        work.commit().await?;
        Ok(view(Agent { body, version: update.version + 1, updated_at: now, ..before }, actor))
    }

    /// Deletes an agent. Its runs stay; waiting ones end at their next step.
    pub async fn delete_agent(&self, actor: &Granted<MakeAgents>, id: AgentId) -> ServiceResult<()> {
        let agent = self.usable_agent(actor, id).await?;
        if agent.owner != actor.user {
            return Err(ServiceError::field("/id", format!("Only {} can delete this agent.", agent.owner_name)));
        }
        let mut work = self.store.begin_in(actor.workspace).await?;
        if !work.delete_agent(actor.workspace, id).await? {
            return Err(ServiceError::NotFound(AGENT));
        }
        self.audit(&mut *work, actor, "agent.deleted", id, json!({"handle": agent.body.handle})).await?;
        Ok(work.commit().await?)
    }

    /// Makes a private copy that belongs to the person, with a free handle.
    pub async fn duplicate_agent(&self, actor: &Granted<MakeAgents>, id: AgentId) -> ServiceResult<AgentView> {
        let original = self.usable_agent(actor, id).await?.body;
        let own = self.store.list_agents(actor.workspace, actor.user, MOST_AGENTS).await?;
        let is_free = |handle: &str| !own.iter().any(|one| one.owner == actor.user && one.body.handle == handle);
        // The copy of a long handle must fit the limit, too.
        let stem: String = original.handle.chars().take(24).collect();
        let handle = (2..=MOST_AGENTS + 1).map(|n| format!("{stem}-{n}")).find(|handle| is_free(handle));
        let handle = handle.unwrap_or_else(|| original.handle.clone());
        let name: String = format!("Copy of {}", original.name).chars().take(check::MOST_NAME).collect();
        self.create_agent(actor, AgentBody { handle, name, sharing: Sharing::Private, ..original }).await
    }

    /// Finds an agent that this person may see. Another person's private agent does not exist for them.
    async fn usable_agent(&self, actor: &Actor, id: AgentId) -> ServiceResult<Agent> {
        let found = self.store.find_agent(actor.workspace, id).await?;
        found.filter(|agent| agent.is_seen_by(actor.user)).ok_or(ServiceError::NotFound(AGENT))
    }
}

fn owners_alone(before: &AgentBody, after: &AgentBody, owner: &str) -> ServiceResult<()> {
    let mut fields = crate::validate::Fields::default();
    for (same, pointer, what) in [
        (before.handle == after.handle, "/agent/handle", "the handle"),
        (before.sharing == after.sharing, "/agent/sharing", "who may use this agent"),
        (before.active == after.active, "/agent/active", "whether this agent is on"),
        (before.journal == after.journal, "/agent/journal", "who sees its journal"),
    ] {
        if !same {
            fields.wrong(pointer, format!("Only {owner} can change {what}."));
        }
    }
    fields.done()
}

/// Returns the names of the changed fields, without their contents, for the audit log.
fn changed_fields(before: &AgentBody, after: &AgentBody) -> Vec<&'static str> {
    let pairs = [
        (before.handle != after.handle, "handle"),
        (before.name != after.name, "name"),
        (before.position != after.position, "position"),
        (before.description != after.description, "description"),
        (before.instructions != after.instructions, "instructions"),
        (before.color != after.color, "color"),
        (before.model != after.model, "model"),
        (before.grants != after.grants, "grants"),
        (before.sharing != after.sharing, "sharing"),
        (before.journal != after.journal, "journal"),
        (before.active != after.active, "active"),
    ];
    pairs.into_iter().filter(|(changed, _)| *changed).map(|(_, name)| name).collect()
}
