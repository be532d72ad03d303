//! The simulated networks, if the server runs them.

use adagent_contract::{ExploreRequest, ProviderView, SandboxInfo};
use adagent_domain::{Granted, Network, rights::ManageConnections};

use crate::{Service, ServiceError, ServiceResult};

impl Service {
    /// Returns the sandbox's address and its current day. `None` without a sandbox.
    pub fn sandbox_info(&self) -> Option<SandboxInfo> {
        let mut info = self.connections.sandbox.clone()?;
        info.today = self.clock.now().to_jiff().to_zoned(jiff::tz::TimeZone::UTC).date().to_string();
        Some(info)
    }

    /// Connects sandbox accounts of the given networks to the workspace; AdMob by default.
    pub async fn explore(
        &self,
        actor: &Granted<ManageConnections>,
        request: ExploreRequest,
    ) -> ServiceResult<Vec<ProviderView>> {
        if self.connections.sandbox.is_none() {
            return Err(ServiceError::SandboxOff);
        }
        let mut networks = request.networks.unwrap_or_else(|| vec![Network::AdMob]);
        if networks.is_empty() {
            return Err(ServiceError::field("/networks", "Name at least one network, or leave the field out."));
        }
        networks.sort();
        networks.dedup();
        // Check all of them before connecting the first.
        for network in &networks {
            self.only_simulated(actor, *network).await?;
        }
        for network in networks {
            self.explore_network(actor, network).await?;
        }
        self.providers(&actor.grant()?).await
    }
}
