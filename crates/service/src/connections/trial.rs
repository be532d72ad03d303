//! Tries keys before a person submits them: what they would open, or what is wrong with them. Stores and changes nothing.

use adagent_contract::{Abilities, KeyPlace};
use adagent_domain::{Granted, Network, rights::ManageConnections};

use super::keys::{GivenKeys, StoredKeys, checked};
use crate::{Service, ServiceResult};

impl Service {
    /// Tries keys at the network with the same checks and limits as connecting, and returns what they allow there.
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
        // Report now what connecting would refuse.
        let (slot, all) = self.slot(actor, network, sandbox, &given.target).await?;
        self.not_among(&all, network, &slot, (Some(&keys.fields()), &[]))?;
        let (credentials, accounts) = self.tried(&asked, &keys, sandbox).await?;
        self.not_among(&all, network, &slot, (None, &accounts))?;
        Ok(self.connections.networks.look_at_abilities(network, &credentials, None).await)
    }
}
