//! Context settings, and the accounts and apps they select from.

use adagent_contract::{ContextSettings, EntityItem};
use leptos::prelude::*;
use leptos::server_fn::codec::{GetUrl, Json};

use super::ApiError;

#[server(input = GetUrl, prefix = "/desk", endpoint = "context")]
pub async fn context() -> Result<ContextSettings, ApiError> {
    let (service, actor) = super::who::server::actor().await?;
    service.context(&actor).await.map_err(super::who::server::fail)
}

#[server(input = Json, prefix = "/desk", endpoint = "put-context")]
pub async fn put_context(settings: ContextSettings) -> Result<ContextSettings, ApiError> {
    let (service, actor) = super::who::server::actor().await?;
    service.put_context(&actor, settings).await.map_err(super::who::server::fail)
}

/// Accounts and apps of every connected network; a network that does not answer is left out, its state says why.
#[server(input = GetUrl, prefix = "/desk", endpoint = "context-entities")]
pub async fn context_entities() -> Result<Vec<EntityItem>, ApiError> {
    use adagent_contract::EntityKind;
    use adagent_domain::Network;
    let (service, actor) = super::who::server::actor().await?;
    let mut items = Vec::new();
    for network in Network::ALL.into_iter().filter(|network| network.is_available()) {
        for kind in [EntityKind::Account, EntityKind::App] {
            items.extend(service.entities_of(&actor, network, kind).await.unwrap_or_default());
        }
    }
    // The tree needs names, not the networks' whole objects.
    for item in &mut items {
        item.raw = serde_json::Value::Null;
    }
    Ok(items)
}
