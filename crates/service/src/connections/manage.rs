//! What is connected: list, switch on and off, disconnect.

use adagent_contract::{NetworkState, Paused, ProviderKind, ProviderView};
use adagent_domain::{
    Actor, ConnectionId, Granted, Network,
    rights::{ManageConnections, ViewConnections},
};
use adagent_networks::Circuit;
use adagent_store::Connection;
use serde_json::json;

use super::source;
use crate::{Service, ServiceError, ServiceResult};

impl Service {
    /// Every network with its state in this workspace.
    pub async fn providers(&self, actor: &Granted<ViewConnections>) -> ServiceResult<Vec<ProviderView>> {
        let connections = self.store.list_connections(actor.workspace).await?;
        let of = |network| connections.iter().find(|connection| connection.network == network);
        Ok(Network::ALL.into_iter().map(|network| self.view(network, of(network))).collect())
    }

    pub async fn enable_provider(
        &self,
        actor: &Granted<ManageConnections>,
        id: ConnectionId,
        enabled: bool,
    ) -> ServiceResult<ProviderView> {
        let connection = self.connection(actor, id).await?;
        let mut work = self.store.begin().await?;
        work.set_connection_enabled(actor.workspace, id, enabled).await?;
        let action = if enabled { "connection.enabled" } else { "connection.disabled" };
        self.audit(&mut *work, actor, action, id, json!({"network": connection.network})).await?;
        work.commit().await?;
        self.connections.networks.forget(actor.workspace, connection.network);
        self.provider_view(actor, connection.network).await
    }

    /// Removes the credentials here and takes the consent back at the network, when it answers.
    pub async fn disconnect_provider(&self, actor: &Granted<ManageConnections>, id: ConnectionId) -> ServiceResult<()> {
        let connection = self.connection(actor, id).await?;
        let revoked = self.revoke(&connection).await;
        let mut work = self.store.begin().await?;
        work.delete_connection(actor.workspace, id).await?;
        let detail = json!({"network": connection.network, "revoked_upstream": revoked});
        self.audit(&mut *work, actor, "connection.disconnected", id, detail).await?;
        work.commit().await?;
        self.connections.networks.forget(actor.workspace, connection.network);
        Ok(())
    }

    /// Best effort: a network that is down must not keep somebody from disconnecting.
    pub(crate) async fn revoke(&self, connection: &Connection) -> bool {
        let source = &self.connections.source;
        let endpoints = source.endpoints.oauth(connection.network, connection.sandbox);
        // Keys have none: only the network can take them back.
        let Some(endpoints) = endpoints else { return false };
        let Ok(tokens) = source.open(connection) else { return false };
        let token = tokens.refresh().unwrap_or_else(|| tokens.access());
        match source.oauth.revoke(endpoints, &token).await {
            Ok(()) => true,
            Err(error) => {
                tracing::warn!(connection = %connection.id, %error, "the consent could not be taken back upstream");
                false
            }
        }
    }

    /// A connection of this workspace; one of another does not exist.
    pub(super) async fn connection(&self, actor: &Actor, id: ConnectionId) -> ServiceResult<Connection> {
        self.store.find_connection_by_id(actor.workspace, id).await?.ok_or(ServiceError::NotFound("connection"))
    }

    pub(super) async fn provider_view(&self, actor: &Actor, network: Network) -> ServiceResult<ProviderView> {
        let connection = self.store.find_connection(actor.workspace, network).await?;
        Ok(self.view(network, connection.as_ref()))
    }

    pub(super) fn view(&self, network: Network, connection: Option<&Connection>) -> ProviderView {
        // Of one that is not connected nobody needs to know.
        let paused = connection.and_then(|_| match self.connections.networks.circuit(network) {
            Circuit::Closed => None,
            Circuit::HalfOpen => Some(Paused { until: None }),
            Circuit::Open { until } => Some(Paused { until: Some(until) }),
        });
        ProviderView { paused, ..view(network, connection) }
    }
}

fn view(network: Network, connection: Option<&Connection>) -> ProviderView {
    ProviderView {
        id: connection.map(|connection| connection.id),
        network,
        display_name: network.display_name().to_owned(),
        kind: if network.uses_oauth() { ProviderKind::Oauth } else { ProviderKind::Key },
        state: connection.map_or(NetworkState::NotConnected, source::state),
        accounts: connection.map(source::accounts).unwrap_or_default(),
        last_verified_at: connection.and_then(|connection| connection.last_verified_at),
        sandbox: connection.is_some_and(|connection| connection.sandbox),
        message: connection.and_then(|connection| connection.message.clone()),
        paused: None,
    }
}
