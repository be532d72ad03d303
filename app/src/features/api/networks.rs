//! Networks and their connections. The writes are forms that work without script: they answer with a redirect.

use adagent_contract::ProviderView;
pub use adagent_contract::links::return_path as safe_return;
use adagent_domain::ConnectionId;
use leptos::prelude::*;
use leptos::server_fn::codec::GetUrl;
use serde::{Deserialize, Serialize};

use super::ApiError;

/// The nine networks with their states.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NetworkOverview {
    pub items: Vec<ProviderView>,
    /// May this person connect and disconnect here?
    pub may_manage: bool,
    /// The sandbox networks can be explored.
    pub sandbox: bool,
}

#[server(input = GetUrl, prefix = "/desk", endpoint = "networks")]
pub async fn networks() -> Result<NetworkOverview, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    let items = service.providers(&actor).await.map_err(server::fail)?;
    let sandbox = service.sandbox_info().is_some();
    Ok(NetworkOverview { items, may_manage: actor.may(adagent_domain::Permission::ManageConnections), sandbox })
}

/// Begins an OAuth round trip: leads the browser to the network's consent page.
#[server(prefix = "/desk", endpoint = "connect")]
pub async fn connect_network(provider: String, return_to: Option<String>) -> Result<(), ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    let request = adagent_contract::ConnectRequest { provider, return_to: return_to.filter(|path| !path.is_empty()) };
    let session = use_context::<axum::http::request::Parts>()
        .and_then(|parts| parts.extensions.get::<adagent_service::SessionHash>().cloned())
        .map(|hash| hash.0)
        .unwrap_or_default();
    let answer = service.connect(&actor, request, &session).await.map_err(server::fail)?;
    leptos_axum::redirect(&answer.authorization_url);
    Ok(())
}

/// One click: sandbox accounts of AdMob for this workspace.
#[server(prefix = "/desk", endpoint = "explore")]
pub async fn explore(return_to: Option<String>) -> Result<(), ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    service.explore(&actor, adagent_contract::ExploreRequest::default()).await.map_err(server::fail)?;
    let target = return_to.as_deref().and_then(safe_return).unwrap_or_else(|| "/chat".to_owned());
    leptos_axum::redirect(&target);
    Ok(())
}

/// Which publisher accounts the connection is used for; `accounts` are ids joined by commas (a form without script repeats a
/// field, which the URL codec of server functions reads as a list).
#[server(prefix = "/desk", endpoint = "choose-accounts")]
pub async fn choose_accounts(
    id: ConnectionId,
    #[server(default)] accounts: Vec<String>,
    return_to: Option<String>,
) -> Result<(), ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    let view = service.choose_accounts(&actor, id, accounts).await.map_err(server::fail)?;
    let back = return_to.as_deref().and_then(safe_return);
    let target = adagent_contract::links::connected(back.as_deref().unwrap_or("/settings/networks"), view.network.id());
    leptos_axum::redirect(&target);
    Ok(())
}

#[server(prefix = "/desk", endpoint = "enable-network")]
pub async fn enable_network(id: ConnectionId, enabled: bool) -> Result<(), ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    service.enable_provider(&actor, id, enabled).await.map_err(server::fail)?;
    leptos_axum::redirect("/settings/networks");
    Ok(())
}

#[server(prefix = "/desk", endpoint = "disconnect")]
pub async fn disconnect(id: ConnectionId) -> Result<(), ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    service.disconnect_provider(&actor, id).await.map_err(server::fail)?;
    leptos_axum::redirect("/settings/networks");
    Ok(())
}
