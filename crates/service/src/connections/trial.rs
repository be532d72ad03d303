//! Keys tried before they are given: what they would open, or what is wrong with them. Keeps nothing, changes nothing.

use adagent_contract::{Abilities, KeyPlace};
use adagent_domain::{Granted, Network, rights::ManageConnections};

use super::keys::{GivenKeys, StoredKeys, checked};
use crate::{Service, ServiceResult};

impl Service {
    /// Tries keys at the network as connecting does, as often as that, and says what they may do there.
    pub async fn try_keys(
        &self,
        actor: &Granted<ManageConnections>,
        network: Network,
        given: GivenKeys,
    ) -> ServiceResult<Abilities> {
        Self::takes_keys(network)?;
        self.limits.keys(actor.user)?;
        let asked = self.asked(network)?;
        let fields = checked(&asked.auth.fields, &given.fields)?;
        let sandbox = self.place(network, given.place)? == KeyPlace::Sandbox;
        let keys = StoredKeys::new(&fields);
        // What giving them would be refused for is said now.
        let (slot, all) = self.slot(actor, network, sandbox, &given.target).await?;
        self.not_among(&all, network, &slot, (Some(&keys.fields()), &[]))?;
        let (credentials, accounts) = self.tried(&asked, &keys, sandbox).await?;
        self.not_among(&all, network, &slot, (None, &accounts))?;
        Ok(self.connections.networks.look_at_abilities(network, &credentials, None).await)
    }
}
