//! Makes a network answer again, whatever turned it off.

use adagent_contract::{NetworkState, ProviderView};
use adagent_domain::{Actor, ConnectionId, Network};

use crate::{Service, ServiceResult};

impl Service {
    /// Selects the network in the person's context, and enables its connections if none of them works. Only the second step changes what
    /// other members see, so only that step needs the right to manage connections.
    pub async fn turn_on_network(&self, actor: &Actor, network: Network) -> ServiceResult<()> {
        let items = self.providers(&actor.grant()?).await?;
        let disabled = to_enable(&items, network);
        let manages = if disabled.is_empty() { None } else { Some(actor.grant()?) };
        let mut settings = self.context(actor).await?;
        if let Some(on) = settings.enabled_networks.as_mut().filter(|on| !on.contains(&network)) {
            on.push(network);
            self.put_context(&actor.grant()?, settings).await?;
        }
        if let Some(manages) = manages {
            for id in disabled {
                self.enable_provider(&manages, id, true).await?;
            }
        }
        Ok(())
    }
}

/// Lists the network's disabled connections, unless another one works.
fn to_enable(items: &[ProviderView], network: Network) -> Vec<ConnectionId> {
    let own = items.iter().find(|item| item.network == network);
    let connections = own.map(|item| item.connections.as_slice()).unwrap_or_default();
    if connections.iter().any(ProviderView::works) {
        return Vec::new();
    }
    let off = connections.iter().filter(|one| one.state == NetworkState::Disabled);
    off.filter_map(|one| one.id).collect()
}
