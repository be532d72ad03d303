//! Context settings, and the accounts and apps that a person can select.

use adagent_contract::{ContextSettings, EntityItem};
use leptos::prelude::*;

use super::ApiError;

#[server(protocol = super::Asked, prefix = "/desk", endpoint = "context", client = super::DeskClient)]
pub async fn context() -> Result<ContextSettings, ApiError> {
    let (service, actor) = super::who::server::actor().await?;
    service.context(&actor).await.map_err(super::who::server::fail)
}

#[server(protocol = super::SentJson, prefix = "/desk", endpoint = "put-context", client = super::DeskClient)]
pub async fn put_context(settings: ContextSettings) -> Result<ContextSettings, ApiError> {
    let (service, actor) = super::who::server::actor().await?;
    service.put_context(&super::who::server::granted(&actor)?, settings).await.map_err(super::who::server::fail)
}

/// Returns the accounts and apps of every connected network. A network that does not answer is left out; its state says why.
#[server(protocol = super::Asked, prefix = "/desk", endpoint = "context-entities", client = super::DeskClient)]
pub async fn context_entities() -> Result<Vec<EntityItem>, ApiError> {
    use adagent_contract::EntityKind;
    let (service, actor) = super::who::server::actor().await?;
    let granted = super::who::server::granted(&actor)?;
    let providers = service.providers(&granted).await.map_err(super::who::server::fail)?;
    let connected = providers.iter().filter(|provider| provider.works());
    let asked =
        connected.flat_map(|provider| [EntityKind::Account, EntityKind::App].map(|kind| (provider.network, kind)));
    let answers = asked.map(|(network, kind)| service.entities_of(&granted, network, kind));
    // Ask all networks at once, so that we wait only as long as the slowest one takes.
    let answers = futures::future::join_all(answers).await;
    let mut items: Vec<EntityItem> = answers.into_iter().flat_map(Result::unwrap_or_default).collect();
    // The tree needs only names, so drop the networks' raw objects.
    for item in &mut items {
        item.raw = serde_json::Value::Null.into();
    }
    Ok(items)
}
