//! Networks and their connections. The writes are forms that work without JavaScript: the server answers those with a redirect.

use std::collections::BTreeMap;

pub use adagent_contract::links::return_path as safe_return;
use adagent_contract::{Dependents, KeyNetworkView, Problem, ProviderView};
use adagent_domain::{ConnectionId, Network};
use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use super::ApiError;

/// The nine networks with their states.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NetworkOverview {
    pub items: Vec<ProviderView>,
    /// Whether this person may connect and disconnect here.
    pub may_manage: bool,
    /// Whether the sandbox networks can be explored.
    pub sandbox: bool,
    /// What would stop working without each network's connections; only filled for people who may remove them.
    pub dependents: BTreeMap<Network, Dependents>,
}

#[server(protocol = super::Asked, prefix = "/desk", endpoint = "networks", client = super::DeskClient)]
pub async fn networks() -> Result<NetworkOverview, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    let items = service.providers(&server::granted(&actor)?).await.map_err(server::fail)?;
    let sandbox = service.sandbox_info().is_some();
    let manages = actor.grant().ok();
    let dependents = match &manages {
        Some(granted) => service.dependents(granted).await.map_err(server::fail)?,
        None => BTreeMap::new(),
    };
    Ok(NetworkOverview { items, may_manage: manages.is_some(), sandbox, dependents })
}

/// Begins an OAuth round trip: sends the browser to the network's consent page.
#[server(protocol = super::Sent, prefix = "/desk", endpoint = "connect", client = super::DeskClient)]
pub async fn connect_network(
    provider: String,
    return_to: Option<String>,
    connection_id: Option<ConnectionId>,
    #[server(default)] add: bool,
    label: Option<String>,
) -> Result<(), ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    let return_to = server::way_back(&service, &actor, return_to).await?;
    let target = target(connection_id, add, label);
    let request = adagent_contract::ConnectRequest { provider, return_to, target };
    let session = use_context::<axum::http::request::Parts>()
        .and_then(|parts| parts.extensions.get::<adagent_service::SessionHash>().cloned())
        .map(|hash| hash.0)
        .unwrap_or_default();
    let answer = service.connect(&server::granted(&actor)?, request, &session).await.map_err(server::fail)?;
    leptos_axum::redirect(&answer.authorization_url);
    Ok(())
}

/// Returns which connection a form is about.
#[cfg(feature = "ssr")]
pub(super) fn target(
    connection_id: Option<ConnectionId>,
    add: bool,
    label: Option<String>,
) -> adagent_contract::ConnectTarget {
    // Treat an empty field as absent.
    let label = label.filter(|label| !label.trim().is_empty());
    adagent_contract::ConnectTarget { connection_id, add, label }
}

/// Returns the part of an address that names this connection, so that the page can show the form again without JavaScript.
#[cfg(feature = "ssr")]
pub(super) fn asked(target: &adagent_contract::ConnectTarget) -> String {
    match target.connection_id {
        Some(id) => format!("&connection={id}"),
        None if target.add => "&add=1".to_owned(),
        None => String::new(),
    }
}

/// Renames a connection. A problem with the name is a normal answer.
#[server(protocol = super::Sent, prefix = "/desk", endpoint = "rename-connection", client = super::DeskClient)]
pub async fn rename_connection(id: ConnectionId, label: String) -> Result<Option<Box<Problem>>, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    match service.rename_connection(&server::granted(&actor)?, id, &label).await {
        Ok(_) => {
            server::redirect("/settings/networks");
            Ok(None)
        }
        Err(error) if server::without_script() => {
            server::redirect(&format!("/settings/networks?error={}", error.problem().code));
            Ok(None)
        }
        Err(error) => server::refused(error),
    }
}

/// Returns the networks that take keys, with the fields of their forms.
#[server(protocol = super::Asked, prefix = "/desk", endpoint = "key-networks", client = super::DeskClient)]
pub async fn key_networks() -> Result<Vec<KeyNetworkView>, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    service.key_networks(&server::granted(&actor)?).await.map_err(server::fail)
}

/// Tries keys at the network and stores them if the network accepts them. A refusal is a normal answer, and nothing is stored.
/// Without JavaScript, the page comes back with a code and the names of the fields: an address never carries a network's text or
/// a key.
#[server(protocol = super::Sent, prefix = "/desk", endpoint = "connect-keys", client = super::DeskClient)]
pub async fn connect_keys(
    network: Network,
    #[server(default)] fields: BTreeMap<String, String>,
    place: Option<adagent_contract::KeyPlace>,
    return_to: Option<String>,
    connection_id: Option<ConnectionId>,
    #[server(default)] add: bool,
    label: Option<String>,
) -> Result<Option<Box<Problem>>, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    let target = target(connection_id, add, label);
    let asked = asked(&target);
    let given = given(fields, place, target);
    let back = return_to.as_deref().and_then(safe_return);
    match service.connect_keys(&server::granted(&actor)?, network, given, None).await {
        Ok(kept) => {
            let page = back.as_deref().unwrap_or("/settings/networks");
            let target = if kept.provider.state == adagent_contract::NetworkState::ChooseAccount {
                let back = back.as_deref().map(|path| format!("&return={}", adagent_contract::links::encode(path)));
                let which = kept.provider.id.map_or_else(|| network.to_string(), |id| id.to_string());
                format!("/settings/networks?choose={which}{}", back.unwrap_or_default())
            } else {
                adagent_contract::links::connected(page, network.id())
            };
            server::redirect(&target);
            Ok(None)
        }
        Err(error) if server::without_script() => {
            let said = in_address(&error.problem());
            let back = back.map(|path| format!("&return={}", adagent_contract::links::encode(&path)));
            server::redirect(&format!("/settings/networks?connect={network}{asked}{said}{}", back.unwrap_or_default()));
            Ok(None)
        }
        Err(error) => server::refused(error),
    }
}

/// Reads keys from a form. An empty field counts as absent.
#[cfg(feature = "ssr")]
pub(super) fn given(
    fields: BTreeMap<String, String>,
    place: Option<adagent_contract::KeyPlace>,
    target: adagent_contract::ConnectTarget,
) -> adagent_service::connections::GivenKeys {
    let fields = fields.into_iter().filter(|(_, value)| !value.trim().is_empty());
    let fields = fields.map(|(name, value)| (name, value.into())).collect();
    adagent_service::connections::GivenKeys { fields, place, target }
}

/// Returns the part of an address that reports refused keys: a code and the names of the fields.
#[cfg(feature = "ssr")]
pub(super) fn in_address(problem: &Problem) -> String {
    let names = problem.errors.iter().map(|error| error.pointer.trim_start_matches('/'));
    let names = names.collect::<Vec<_>>().join(",");
    format!("&error={}&fields={}", problem.code, adagent_contract::links::encode(&names))
}

/// Tests stored keys with one small request to the network. The network's refusal is a normal answer.
#[server(protocol = super::Sent, prefix = "/desk", endpoint = "test-network", client = super::DeskClient)]
pub async fn test_network(id: ConnectionId) -> Result<Option<Box<Problem>>, ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    match service.test_provider(&server::granted(&actor)?, id).await {
        Ok(view) => {
            if server::without_script() {
                server::redirect(&format!("/settings/networks?tested={}", view.network));
            }
            Ok(None)
        }
        Err(error) if server::without_script() => {
            server::redirect(&format!("/settings/networks?error={}", error.problem().code));
            Ok(None)
        }
        Err(error) => server::refused(error),
    }
}

/// Connects sandbox accounts for this workspace with one click: one network, all nine, or AdMob. Real connections stay as they
/// are.
#[server(protocol = super::Sent, prefix = "/desk", endpoint = "explore", client = super::DeskClient)]
pub async fn explore(
    network: Option<Network>,
    #[server(default)] everything: bool,
    return_to: Option<String>,
) -> Result<(), ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    let networks = if everything {
        let all = service.providers(&server::granted(&actor)?).await.map_err(server::fail)?;
        let free = all.into_iter().filter(|provider| provider.sandbox || provider.id.is_none());
        Some(free.map(|provider| provider.network).collect())
    } else {
        network.map(|network| vec![network])
    };
    service
        .explore(&server::granted(&actor)?, adagent_contract::ExploreRequest { networks })
        .await
        .map_err(server::fail)?;
    let target = return_to.as_deref().and_then(safe_return).unwrap_or_else(|| "/chat".to_owned());
    server::redirect(&target);
    Ok(())
}

/// Sets the publisher accounts that the connection is used for. `accounts` holds IDs joined by commas: a form without JavaScript
/// repeats a field, which the URL codec of server functions reads as a list.
#[server(protocol = super::Sent, prefix = "/desk", endpoint = "choose-accounts", client = super::DeskClient)]
pub async fn choose_accounts(
    id: ConnectionId,
    #[server(default)] accounts: Vec<String>,
    return_to: Option<String>,
    // Names that people give accounts, by ID. An account without an entry keeps its name.
    #[server(default)] names: std::collections::BTreeMap<String, String>,
) -> Result<(), ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    let granted = server::granted(&actor)?;
    service.name_accounts(&granted, id, &names).await.map_err(server::fail)?;
    let view = service.choose_accounts(&granted, id, accounts).await.map_err(server::fail)?;
    let back = return_to.as_deref().and_then(safe_return);
    let target = adagent_contract::links::connected(back.as_deref().unwrap_or("/settings/networks"), view.network.id());
    server::redirect(&target);
    Ok(())
}

#[server(protocol = super::Sent, prefix = "/desk", endpoint = "enable-network", client = super::DeskClient)]
pub async fn enable_network(id: ConnectionId, enabled: bool) -> Result<(), ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    service.enable_provider(&server::granted(&actor)?, id, enabled).await.map_err(server::fail)?;
    server::redirect("/settings/networks");
    Ok(())
}

/// Makes a network answer again: selects it in the person's context, and turns its connections on if all of them are off.
#[server(protocol = super::Sent, prefix = "/desk", endpoint = "turn-on-network", client = super::DeskClient)]
pub async fn turn_on_network(network: Network, return_to: Option<String>) -> Result<(), ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    service.turn_on_network(&actor, network).await.map_err(server::fail)?;
    let back = return_to.as_deref().and_then(safe_return);
    server::redirect(&adagent_contract::links::enabled(back.as_deref().unwrap_or("/chat"), network.id()));
    Ok(())
}

#[server(protocol = super::Sent, prefix = "/desk", endpoint = "disconnect", client = super::DeskClient)]
pub async fn disconnect(id: ConnectionId) -> Result<(), ApiError> {
    use super::who::server;
    let (service, actor) = server::actor().await?;
    service.disconnect_provider(&server::granted(&actor)?, id).await.map_err(server::fail)?;
    server::redirect("/settings/networks");
    Ok(())
}
