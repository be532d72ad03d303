//! Decides which agent gets a message: the one it names, the one the request names, or the agent of the chat.

use adagent_contract::{AgentRef, DEFAULT_AGENT, Grants, MOST_AGENTS, handle_of, mention};
use adagent_domain::{Actor, AgentId, ChatSessionId};
use adagent_store::Agent;

use crate::{Service, ServiceError, ServiceResult};

/// The agent that gets a message, if it is not the workspace's own.
pub(crate) struct Addressee {
    pub id: AgentId,
    pub mark: AgentRef,
    pub model: Option<String>,
    pub grants: Grants,
}

impl From<&Agent> for Addressee {
    fn from(agent: &Agent) -> Self {
        let grants = Grants::of(&agent.body.handle, agent.body.grants.clone());
        Self { id: agent.id, mark: agent.body.mark(), model: agent.body.model.clone(), grants }
    }
}

impl Service {
    /// Finds the agent. `named` is the agent from the request's own field; a name at the start of the message wins over it.
    pub(crate) async fn agent_asked(
        &self,
        actor: &Actor,
        message: &str,
        named: Option<&str>,
        chat: Option<ChatSessionId>,
    ) -> ServiceResult<Option<Addressee>> {
        let (handle, pointer) = match (mention(message), named) {
            (Some((handle, rest)), _) => {
                if rest.is_empty() {
                    return Err(ServiceError::field("/message", format!("Write what @{handle} should do.")));
                }
                (handle, "/message")
            }
            (None, Some(named)) => (named, "/agent"),
            (None, None) => return self.stays_with(actor, chat).await,
        };
        let handle = handle_of(handle);
        if handle == DEFAULT_AGENT {
            return Ok(None);
        }
        let found = self.store.find_agents_by_handle(actor.workspace, actor.user, &handle).await?;
        match found.first() {
            Some(agent) if agent.body.active => Ok(Some(agent.into())),
            Some(agent) => Err(ServiceError::field(
                pointer,
                format!("@{} is turned off. Turn it on under Agents, or ask @{DEFAULT_AGENT}.", agent.body.handle),
            )),
            None => Err(ServiceError::field(pointer, self.no_agent(actor, &handle).await?)),
        }
    }

    /// Returns the agent that last answered in the chat, as long as the person may still use it.
    async fn stays_with(&self, actor: &Actor, chat: Option<ChatSessionId>) -> ServiceResult<Option<Addressee>> {
        let Some(chat) = chat else { return Ok(None) };
        let Some(id) = self.store.find_agent_of_chat(actor.workspace, actor.user, chat).await? else { return Ok(None) };
        let found = self.store.find_agent(actor.workspace, id).await?;
        let usable = |agent: &Agent| adagent_runtime::unusable(agent, actor.user).is_none();
        Ok(found.filter(usable).as_ref().map(Into::into))
    }

    pub(crate) async fn no_agent(&self, actor: &Actor, handle: &str) -> ServiceResult<String> {
        let all = self.store.list_agents(actor.workspace, actor.user, MOST_AGENTS).await?;
        let handles = all.iter().map(|agent| agent.body.handle.as_str()).chain([DEFAULT_AGENT]);
        // "@sanne" for @sanne-numbers counts as an exact match.
        let begun = |known: &str| handle.len() >= 3 && known.starts_with(handle);
        let distance = |known: &str| if begun(known) { 0 } else { strsim::osa_distance(known, handle) };
        let nearest = handles.map(|known| (distance(known), known)).min();
        let hint = match nearest {
            Some((distance, known)) if distance <= 2.max(handle.len() / 3) => format!("Did you mean @{known}?"),
            _ => format!("Agents lists those you may ask; @{DEFAULT_AGENT} is always there."),
        };
        Ok(format!("There is no agent named @{handle} here. {hint}"))
    }
}
