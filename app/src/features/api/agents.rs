//! Agents: those a person may use, one of them, and what is done to them.

use adagent_contract::{
    AgentBody, AgentTemplate, AgentUpdate, AgentVersion, AgentView, FieldError, Sharing, grants_of_boxes,
};
use adagent_domain::AgentId;
use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use super::ApiError;

/// What the page of one agent shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgentPage {
    pub agent: AgentView,
    /// Newest first.
    pub versions: Vec<AgentVersion>,
}

/// What the page of agents shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgentOverview {
    /// One's own first, then those shared with one.
    pub agents: Vec<AgentView>,
    pub templates: Vec<AgentTemplate>,
}

#[server(protocol = super::Asked, prefix = "/desk", endpoint = "agents", client = super::DeskClient)]
pub async fn agents() -> Result<AgentOverview, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    let agents = service.agents(&actor).await.map_err(server::fail)?;
    Ok(AgentOverview { agents, templates: service.agent_templates() })
}

#[server(protocol = super::Asked, prefix = "/desk", endpoint = "agent", client = super::DeskClient)]
pub async fn agent(id: AgentId) -> Result<AgentPage, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    let agent = service.agent(&actor, id).await.map_err(server::fail)?;
    let versions = service.agent_versions(&actor, id).await.map_err(server::fail)?;
    Ok(AgentPage { agent, versions })
}

/// The form of an agent, as a page posts it with and without script.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentForm {
    /// `None`: a new one.
    #[serde(default)]
    pub id: Option<AgentId>,
    /// The version that the form was made from.
    #[serde(default)]
    pub version: i64,
    pub handle: String,
    pub name: String,
    #[serde(default)]
    pub position: String,
    #[serde(default)]
    pub description: String,
    #[serde(default)]
    pub instructions: String,
    #[serde(default)]
    pub color: u8,
    /// Empty: as the person has it set.
    #[serde(default)]
    pub model: String,
    /// `admob/read`: a box of the grid each.
    #[serde(default)]
    pub grants: Vec<String>,
    /// Connections the agent is bound to, by id; of a network without any of them it may use all.
    #[serde(default)]
    pub connections: Vec<String>,
    #[serde(default)]
    pub sharing: String,
    /// `true`, or left out.
    #[serde(default)]
    pub active: bool,
}

impl AgentForm {
    /// What it says of the agent.
    pub fn body(self) -> Result<AgentBody, FieldError> {
        let grants =
            grants_of_boxes(&self.grants, &self.connections).map_err(|error| FieldError::new("/grants", error))?;
        Ok(AgentBody {
            handle: self.handle,
            name: self.name,
            position: self.position,
            description: self.description,
            instructions: self.instructions,
            color: self.color,
            model: Some(self.model).filter(|model| !model.is_empty()),
            grants,
            sharing: match self.sharing.as_str() {
                "use" => Sharing::Use,
                "edit" => Sharing::Edit,
                _ => Sharing::Private,
            },
            active: self.active,
        })
    }
}

/// Makes an agent or a new version of one.
#[server(protocol = super::Sent, prefix = "/desk", endpoint = "save-agent", client = super::DeskClient)]
pub async fn save_agent(form: AgentForm) -> Result<AgentView, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    let actor = server::granted(&actor)?;
    let (id, version) = (form.id, form.version);
    let wrong = |error| server::fail(adagent_service::ServiceError::Validation(vec![error]));
    let agent = form.body().map_err(wrong)?;
    let saved = match id {
        None => service.create_agent(&actor, agent).await,
        Some(id) => service.update_agent(&actor, id, AgentUpdate { version, agent }).await,
    };
    saved.map_err(server::fail)
}

#[server(protocol = super::Sent, prefix = "/desk", endpoint = "duplicate-agent", client = super::DeskClient)]
pub async fn duplicate_agent(id: AgentId) -> Result<AgentView, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    service.duplicate_agent(&server::granted(&actor)?, id).await.map_err(server::fail)
}

#[server(protocol = super::Sent, prefix = "/desk", endpoint = "delete-agent", client = super::DeskClient)]
pub async fn delete_agent(id: AgentId) -> Result<(), ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    service.delete_agent(&server::granted(&actor)?, id).await.map_err(server::fail)
}
