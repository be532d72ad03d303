//! Tool servers of the workspace, and people's decisions about them. The writes are forms that work without JavaScript.

use adagent_contract::{Problem, ServerSignIn};
use adagent_domain::ToolServerId;
use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use super::{ApiError, SeenServer, Told};

/// What the page shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolServersView {
    /// Sorted by name.
    pub servers: Vec<SeenServer>,
    /// Whether this person may connect servers and decide about them here.
    pub may_manage: bool,
    /// The address that sign-ins send the browser back to, without the host of the server at its end.
    pub callback: String,
}

/// The form that begins a sign-in, as browsers send it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignInForm {
    pub id: ToolServerId,
}

/// The result of the form that was posted to the page itself. The server passes it to the page that it renders as the answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SignInPosted {
    pub id: ToolServerId,
    pub begun: Result<ServerSignIn, Problem>,
}

#[server(protocol = super::Asked, prefix = "/desk", endpoint = "tool-servers", client = super::DeskClient)]
pub async fn tool_servers() -> Result<ToolServersView, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    let servers = service.tool_servers(&actor).await.map_err(server::fail)?;
    let servers = servers.into_iter().map(SeenServer::from).collect();
    let may_manage = actor.grant::<adagent_domain::rights::ManageSources>().is_ok();
    Ok(ToolServersView { servers, may_manage, callback: service.server_callbacks() })
}

/// Returns the handle and name of each tool server that an agent can be granted.
#[server(protocol = super::Asked, prefix = "/desk", endpoint = "tool-server-names", client = super::DeskClient)]
pub async fn tool_server_names() -> Result<Vec<(String, String)>, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    let servers = service.tool_servers(&actor).await.map_err(server::fail)?;
    Ok(servers.into_iter().map(|server| (server.handle, server.name)).collect())
}

/// Connects a tool server. `kind` is `none`, `oauth`, `bearer` or `header`; `header` is the name of the header, `client` our client ID.
#[server(protocol = super::Sent, prefix = "/desk", endpoint = "connect-tool-server", client = super::DeskClient)]
pub async fn connect_tool_server(
    name: String,
    url: String,
    #[server(default)] kind: String,
    #[server(default)] header: String,
    #[server(default)] client: String,
    #[server(default)] secret: String,
) -> Result<Told<SeenServer>, ApiError> {
    use super::who::server;
    use adagent_contract::{NewToolServer, ToolServerSignIn};
    let sign_in = match kind.as_str() {
        "bearer" => ToolServerSignIn::Bearer,
        "oauth" => ToolServerSignIn::Oauth { client_id: Some(client) },
        "header" => ToolServerSignIn::Header { name: header.trim().to_owned() },
        _ => ToolServerSignIn::None,
    };
    let new = NewToolServer { name, handle: None, url, sign_in, secret: Some(secret) };
    let (service, actor) = server::actor().await?;
    service
        .connect_tool_server(&server::granted(&actor)?, new)
        .await
        .map(|server| Ok(server.into()))
        .or_else(server::told_at)
}

/// The checkboxes of one server, as a page posts them with and without JavaScript.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolServerForm {
    pub id: ToolServerId,
    /// The version that the form was filled from.
    pub version: i64,
    /// A checked box sends `true`. An unchecked box sends nothing, which means `false`.
    #[serde(default)]
    pub on: bool,
    /// Tools that are on.
    #[serde(default)]
    pub tools: Vec<String>,
    /// Tools that only read.
    #[serde(default)]
    pub reading: Vec<String>,
}

/// Saves the checkboxes. It changes only what the form shows: a tool that changed needs a person to accept it with its own
/// button.
#[server(protocol = super::Sent, prefix = "/desk", endpoint = "save-tool-server", client = super::DeskClient)]
pub async fn save_tool_server(form: ToolServerForm) -> Result<Told<SeenServer>, ApiError> {
    use super::who::server;
    use adagent_contract::{ToolServerUpdate, ToolSetting};
    let (service, actor) = server::actor().await?;
    let actor = server::granted(&actor)?;
    let known = service.tool_server(&actor, form.id).await.map_err(server::fail)?;
    let settled = known.tools.into_iter().filter(|tool| tool.change.is_none());
    let tools = settled.map(|tool| {
        let (on, reading) = (form.tools.contains(&tool.name), form.reading.contains(&tool.name));
        (tool.name, ToolSetting { on: Some(on), reading: Some(reading) })
    });
    let update = ToolServerUpdate { version: form.version, name: None, on: Some(form.on), tools: tools.collect() };
    service.update_tool_server(&actor, form.id, update).await.map(|server| Ok(server.into())).or_else(server::told_at)
}

#[server(protocol = super::Sent, prefix = "/desk", endpoint = "test-tool-server", client = super::DeskClient)]
pub async fn test_tool_server(id: ToolServerId) -> Result<Told<SeenServer>, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    service
        .test_tool_server(&server::granted(&actor)?, id)
        .await
        .map(|server| Ok(server.into()))
        .or_else(server::told_at)
}

/// Accepts the changed tools. `version` is the one whose changes the person looked at.
#[server(protocol = super::Sent, prefix = "/desk", endpoint = "accept-tool-changes", client = super::DeskClient)]
pub async fn accept_tool_changes(id: ToolServerId, version: i64) -> Result<Told<SeenServer>, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    let accepted = adagent_contract::AcceptedChanges { version };
    service
        .accept_tool_changes(&server::granted(&actor)?, id, accepted)
        .await
        .map(|server| Ok(server.into()))
        .or_else(server::told_at)
}

#[server(protocol = super::Sent, prefix = "/desk", endpoint = "delete-tool-server", client = super::DeskClient)]
pub async fn delete_tool_server(id: ToolServerId) -> Result<(), ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    service.disconnect_tool_server(&server::granted(&actor)?, id).await.map_err(server::fail)
}
