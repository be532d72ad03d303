//! Agents: lists those that a person may use, reads one, and changes them.

use adagent_contract::{
    AgentBody, AgentTemplate, AgentVersion, AgentView, FieldError, JournalSharing, JournalSummary, Problem, Sharing,
    grants_of_boxes,
};
use adagent_domain::AgentId;
use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use super::{ApiError, Told};

/// What the page of one agent shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgentPage {
    pub agent: AgentView,
    /// The newest version comes first.
    pub versions: Vec<AgentVersion>,
    /// What the agent did in the last seven days.
    pub journal: JournalSummary,
}

/// What the page of agents shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgentOverview {
    /// The person's own agents, then those that others share with them.
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
    use adagent_contract::JournalQuery;

    use super::who::server;
    let (service, actor) = server::actor().await?;
    let agent = service.agent(&actor, id).await.map_err(server::fail)?;
    let versions = service.agent_versions(&actor, id).await.map_err(server::fail)?;
    let journal = service.journal_summary(&actor, Some(id), &JournalQuery::default()).await.map_err(server::fail)?;
    Ok(AgentPage { agent, versions, journal })
}

/// An agent that a message can name, as the composer offers it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentName {
    pub handle: String,
    pub name: String,
    pub position: String,
    pub color: u8,
    /// Whether the agent is the person's own rather than one that somebody shares.
    pub mine: bool,
}

#[server(protocol = super::Asked, prefix = "/desk", endpoint = "agent-names", client = super::DeskClient)]
pub async fn agent_names() -> Result<Vec<AgentName>, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    let mut names: Vec<AgentName> = Vec::new();
    for AgentView { agent, mine, .. } in service.agents(&actor).await.map_err(server::fail)? {
        // If two agents have the same handle, the person's own one wins, as it does in messages.
        if agent.active && !names.iter().any(|known| known.handle == agent.handle) {
            let AgentBody { handle, name, position, color, .. } = agent;
            names.push(AgentName { handle, name, position, color, mine });
        }
    }
    Ok(names)
}

/// A form that was posted to an agent's page and refused. The server passes it to the page that it renders as the answer, so that
/// a person without JavaScript loses nothing they typed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgentPosted {
    pub form: AgentForm,
    pub problem: Problem,
}

/// Parses what a browser posts: the fields of the form, each named `form[…]`.
#[cfg(feature = "ssr")]
pub fn posted_agent(text: &str) -> Result<AgentForm, ApiError> {
    #[derive(Deserialize)]
    struct Posted {
        form: AgentForm,
    }
    super::arguments::of_form::<Posted>(text).map(|posted| posted.form)
}

/// The form of an agent, as a page posts it with and without JavaScript.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentForm {
    /// `None` for a new agent.
    #[serde(default)]
    pub id: Option<AgentId>,
    /// The version that the form was filled from.
    #[serde(default)]
    pub version: i64,
    #[serde(default)]
    pub handle: String,
    #[serde(default)]
    pub name: String,
    #[serde(default)]
    pub position: String,
    #[serde(default)]
    pub description: String,
    #[serde(default)]
    pub instructions: String,
    #[serde(default)]
    pub color: u8,
    /// The model. Empty means the model from the person's settings.
    #[serde(default)]
    pub model: String,
    /// One entry such as `admob/read` for each checked box of the grid.
    #[serde(default)]
    pub grants: Vec<String>,
    /// The connections that the agent is limited to, each as `admob/` and the connection's ID. For a network without an entry,
    /// the agent may use every connection.
    #[serde(default)]
    pub connections: Vec<String>,
    #[serde(default)]
    pub sharing: String,
    #[serde(default)]
    pub journal: String,
    /// A checked box sends `true`. An unchecked box sends nothing, which means `false`.
    #[serde(default)]
    pub active: bool,
}

impl AgentForm {
    /// Returns the agent that the form describes.
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
            journal: JournalSharing::ALL.into_iter().find(|way| way.as_str() == self.journal).unwrap_or_default(),
            active: self.active,
        })
    }
}

/// Creates an agent or a new version of one. A field error is a normal answer, not a failure.
#[server(protocol = super::Sent, prefix = "/desk", endpoint = "save-agent", client = super::DeskClient)]
pub async fn save_agent(form: AgentForm) -> Result<Told<AgentView>, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    let actor = server::granted(&actor)?;
    let (id, version) = (form.id, form.version);
    let agent = match form.body() {
        Ok(agent) => agent,
        Err(wrong) => return server::told_at(adagent_service::ServiceError::Validation(vec![wrong])),
    };
    match service.save_agent(&actor, id, adagent_contract::AgentUpdate { version, agent }).await {
        Ok(saved) => {
            if id.is_none() {
                server::redirect(&format!("/agents/{}", saved.id));
            }
            Ok(Ok(saved))
        }
        Err(error) => server::told_at(error),
    }
}

/// Copies an agent for this person and opens the page of the copy.
#[server(protocol = super::Sent, prefix = "/desk", endpoint = "duplicate-agent", client = super::DeskClient)]
pub async fn duplicate_agent(id: AgentId) -> Result<AgentView, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    let copy = service.duplicate_agent(&server::granted(&actor)?, id).await.map_err(server::fail)?;
    server::redirect(&format!("/agents/{}", copy.id));
    Ok(copy)
}

#[server(protocol = super::Sent, prefix = "/desk", endpoint = "delete-agent", client = super::DeskClient)]
pub async fn delete_agent(id: AgentId) -> Result<(), ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    service.delete_agent(&server::granted(&actor)?, id).await.map_err(server::fail)?;
    server::redirect("/agents");
    Ok(())
}

#[cfg(all(test, feature = "ssr"))]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_read_as_browsers_write_it() {
        let id = "019aa5c4-9a3e-7000-8000-000000000000";
        let text = format!(
            "form%5Bhandle%5D=reporter&form%5Bname%5D=Reporter&form%5Bcolor%5D=3&form%5Bgrants%5D%5B%5D=applovin%2Fread\
             &form%5Bgrants%5D%5B%5D=native%2Flist&form%5Bconnections%5D%5B%5D=applovin%2F{id}&form%5Bactive%5D=true"
        );
        let form = posted_agent(&text).expect("it is whole");
        assert_eq!((form.handle.as_str(), form.color, form.active, form.id), ("reporter", 3, true, None));
        assert_eq!(form.grants, ["applovin/read", "native/list"]);
        let body = form.body().expect("boxes of the form");
        assert_eq!(body.grants[0].connections.len(), 1);
        // A form with no box checked sends an empty list.
        let bare = posted_agent(&format!("form[id]={id}&form[version]=2&form[name]=x&form[grants][]="))
            .map(|form| form.version);
        assert_eq!(bare.ok(), Some(2));
    }
}
