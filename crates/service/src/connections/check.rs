//! Tests a connection: does the network still accept the stored credentials?

use adagent_contract::{Abilities, EntityKind, ProviderView, codes};
use adagent_domain::{Actor, ConnectionId, Granted, rights::ManageConnections};
use adagent_networks::SecretFields;
use adagent_store::{Connection, ConnectionState};
use serde_json::json;

use super::{source, told};
use crate::{Service, ServiceError, ServiceResult, rights::still_granted};

impl Service {
    /// Sends the network a small request with the stored credentials. If the network refuses them for good, a person must reconnect. If it
    /// cannot be reached, nothing changes.
    pub async fn test_provider(
        &self,
        actor: &Granted<ManageConnections>,
        id: ConnectionId,
    ) -> ServiceResult<ProviderView> {
        let connection = self.connection(actor, id).await?;
        self.test_connection(actor, &connection).await?;
        self.connection_view(actor, id).await
    }

    pub(super) async fn test_connection(&self, actor: &Actor, connection: &Connection) -> ServiceResult<()> {
        self.limits.keys(actor.user)?;
        let network = connection.network;
        if network.uses_oauth() {
            return self.test_sign_in(actor, connection).await;
        }
        let Some((refused, error)) = self.kept_keys_fail(connection).await? else {
            return self.tested(actor, connection).await;
        };
        if refused {
            let why = error.to_string();
            let why = why.strip_prefix(&format!("{network}: ")).unwrap_or(&why);
            let mut work = self.store.begin_in(actor.workspace).await?;
            still_granted::<ManageConnections>(&mut *work, actor).await?;
            let (state, now) = (ConnectionState::AuthFailed, self.clock.now());
            // If somebody has given other keys meanwhile, this result says nothing about them.
            work.set_connection_state(actor.workspace, connection.id, connection.version, state, Some(why), now)
                .await?;
            let detail = json!({"network": network, "works": false});
            self.audit(&mut *work, actor, "connection.tested", connection.id, detail).await?;
            work.commit().await?;
            self.connections.networks.forget(source::via_of(connection), network);
        }
        Err(error)
    }

    /// Tests the sign-in the usual way, which renews tokens and marks a connection that the network refuses.
    async fn test_sign_in(&self, actor: &Actor, connection: &Connection) -> ServiceResult<()> {
        let network = connection.network;
        match connection.state {
            ConnectionState::AuthFailed => {
                let detail = format!("{} no longer accepts this sign-in. Sign in again.", network.display_name());
                return Err(ServiceError::Network { network, code: codes::NETWORK_AUTH_FAILED, detail });
            }
            ConnectionState::ChooseAccount => {
                let detail = "Choose an account first.".to_owned();
                return Err(ServiceError::Network { network, code: codes::NETWORK_NOT_CONNECTED, detail });
            }
            ConnectionState::Connected => {}
        }
        let via = source::via_of(connection);
        let asked = self.connections.networks.entities_through(via, network, EntityKind::Account, true).await;
        asked.map_err(|error| told(network, &error))?;
        // A renewal during the test may have made a new version.
        let current = self.connection(actor, connection.id).await?;
        self.tested(actor, &current).await
    }

    async fn abilities_now(&self, connection: &Connection) -> ServiceResult<Abilities> {
        let (network, source) = (connection.network, &self.connections.source);
        let (fields, granted) = if network.uses_oauth() {
            let tokens = source.open(connection).map_err(|error| told(network, &error))?;
            (SecretFields::bearer(tokens.access()), tokens.scopes.clone())
        } else {
            (source.open_keys(connection).map_err(|error| told(network, &error))?.fields(), None)
        };
        let credentials = self.unkept(network, connection.sandbox, fields)?;
        Ok(self.connections.networks.look_at_abilities(network, &credentials, granted.as_deref()).await)
    }

    async fn tested(&self, actor: &Actor, connection: &Connection) -> ServiceResult<()> {
        // What the network refused before may be allowed now, so find out what the credentials allow.
        let abilities = self.abilities_now(connection).await?;
        let chosen = source::accounts(connection).iter().any(|account| account.selected);
        let state = if chosen { ConnectionState::Connected } else { ConnectionState::ChooseAccount };
        let mut work = self.store.begin_in(actor.workspace).await?;
        still_granted::<ManageConnections>(&mut *work, actor).await?;
        let (workspace, now) = (actor.workspace, self.clock.now());
        work.set_connection_state(workspace, connection.id, connection.version, state, None, now).await?;
        work.set_connection_abilities(workspace, connection.id, connection.made, &json!(abilities)).await?;
        let detail = json!({"network": connection.network, "works": true});
        self.audit(&mut *work, actor, "connection.tested", connection.id, detail).await?;
        work.commit().await?;
        self.connections.networks.forget(source::via_of(connection), connection.network);
        Ok(())
    }
}
