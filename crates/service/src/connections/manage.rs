//! What is connected: list, switch on and off, disconnect.

use std::collections::{BTreeMap, BTreeSet};

use adagent_contract::{Dependents, NetworkState, Paused, ProviderKind, ProviderView, codes};
use adagent_domain::{
    Actor, ConnectionId, Granted, Network, RunId,
    rights::{ManageConnections, ViewConnections},
};
use adagent_networks::Circuit;
use adagent_store::{Connection, StoreError};
use serde_json::json;

use super::source;
use crate::{Service, ServiceError, ServiceResult, rights::still_granted, validate};

/// More is said as this many.
const MOST_USES: u32 = 2000;

/// The most characters in the label of a connection.
const MOST_LABEL: usize = 60;

impl Service {
    /// Every network with its state in this workspace.
    pub async fn providers(&self, actor: &Granted<ViewConnections>) -> ServiceResult<Vec<ProviderView>> {
        let connections = self.store.list_connections(actor.workspace).await?;
        Ok(Network::ALL.into_iter().map(|network| self.view_of(network, &connections)).collect())
    }

    /// A network as it stands: the fields of its first connection, and all of them.
    fn view_of(&self, network: Network, connections: &[Connection]) -> ProviderView {
        let own: Vec<&Connection> = connections.iter().filter(|connection| connection.network == network).collect();
        let all = own.iter().map(|connection| self.view(network, Some(connection))).collect();
        ProviderView { connections: all, ..self.view(network, own.first().copied()) }
    }

    /// Calls a connection by another name.
    pub async fn rename_connection(
        &self,
        actor: &Granted<ManageConnections>,
        id: ConnectionId,
        label: &str,
    ) -> ServiceResult<ProviderView> {
        let label = label_of(label)?;
        let connection = self.connection(actor, id).await?;
        let mut work = self.store.begin_in(actor.workspace).await?;
        still_granted::<ManageConnections>(&mut *work, actor).await?;
        let renamed = work.rename_connection(actor.workspace, id, &label).await;
        if !renamed.map_err(|error| taken_label(error, connection.network, &label))? {
            return Err(ServiceError::NotFound("connection"));
        }
        let detail = json!({"network": connection.network, "from": connection.label, "to": label});
        self.audit(&mut *work, actor, "connection.renamed", id, detail).await?;
        work.commit().await?;
        self.connection_view(actor, id).await
    }

    pub async fn enable_provider(
        &self,
        actor: &Granted<ManageConnections>,
        id: ConnectionId,
        enabled: bool,
    ) -> ServiceResult<ProviderView> {
        let connection = self.connection(actor, id).await?;
        let mut work = self.store.begin_in(actor.workspace).await?;
        still_granted::<ManageConnections>(&mut *work, actor).await?;
        work.set_connection_enabled(actor.workspace, id, enabled).await?;
        let action = if enabled { "connection.enabled" } else { "connection.disabled" };
        self.audit(&mut *work, actor, action, id, json!({"network": connection.network})).await?;
        work.commit().await?;
        self.connections.networks.forget(source::via_of(&connection), connection.network);
        self.connection_view(actor, id).await
    }

    /// Removes the credentials here; the consent is taken back at the network afterwards, however long it takes to answer.
    pub async fn disconnect_provider(&self, actor: &Granted<ManageConnections>, id: ConnectionId) -> ServiceResult<()> {
        let made = self.connection(actor, id).await?.made;
        let mut work = self.store.begin_in(actor.workspace).await?;
        still_granted::<ManageConnections>(&mut *work, actor).await?;
        // As it is now: tokens are renewed at any time, and the newest are the ones to take back.
        let connections = work.connections_of(actor.workspace).await?;
        let connection = connections.into_iter().find(|connection| connection.id == id);
        let connection = connection.ok_or(ServiceError::NotFound("connection"))?;
        // Deletes only the connection that was looked at: a newer one that took its place stays.
        if !work.delete_connection(actor.workspace, id, made).await? {
            let detail =
                format!("{} was reconnected in the meantime. Reload and check.", connection.network.display_name());
            return Err(ServiceError::Conflict { code: codes::CONFLICT, detail });
        }
        let consent = self.take_consent_back(&mut *work, &connection).await?;
        let detail = json!({"network": connection.network, "label": connection.label, "consent": consent.word()});
        self.audit(&mut *work, actor, "connection.disconnected", id, detail).await?;
        work.durable();
        work.commit().await?;
        self.revocations_were_queued();
        // Afterwards, so that nothing is approved in between that could still be sent: without the connection nothing is.
        let by = self.name_of(actor.user).await?;
        let others = self.store.list_connections(actor.workspace).await?;
        let alone = !others.iter().any(|other| other.network == connection.network);
        let name = connection.network.display_name();
        let name = if alone { name.to_owned() } else { format!("{name} · {}", connection.label) };
        let reason = format!("{by} disconnected {name}, so this can no longer be sent.");
        let which = (connection.network, id);
        adagent_runtime::withdraw_of_connection(&self.runtime, actor, &by, which, &reason).await?;
        self.connections.networks.forget(source::via_of(&connection), connection.network);
        Ok(())
    }

    /// What would stop working without each network's connections: runs with operations of it before them, and questions that wait.
    pub async fn dependents(&self, actor: &Granted<ManageConnections>) -> ServiceResult<BTreeMap<Network, Dependents>> {
        let mut found = BTreeMap::<Network, (BTreeSet<RunId>, u64)>::new();
        for used in self.store.list_uses(actor.workspace, MOST_USES).await? {
            let tool = self.runtime.tools.tool(&used.tool);
            if let Some(network) = tool.and_then(|tool| tool.network()) {
                let (runs, waiting) = found.entry(network).or_default();
                runs.insert(used.run);
                *waiting += used.waiting;
            }
        }
        let counted = |(runs, approvals): (BTreeSet<RunId>, u64)| Dependents { runs: runs.len() as u64, approvals };
        Ok(found.into_iter().map(|(network, uses)| (network, counted(uses))).collect())
    }

    /// A connection of this workspace; one of another does not exist.
    pub(super) async fn connection(&self, actor: &Actor, id: ConnectionId) -> ServiceResult<Connection> {
        self.store.find_connection_by_id(actor.workspace, id).await?.ok_or(ServiceError::NotFound("connection"))
    }

    /// One connection as its row shows it.
    pub(super) async fn connection_view(&self, actor: &Actor, id: ConnectionId) -> ServiceResult<ProviderView> {
        let connection = self.connection(actor, id).await?;
        Ok(self.view(connection.network, Some(&connection)))
    }

    pub(super) fn view(&self, network: Network, connection: Option<&Connection>) -> ProviderView {
        // Of one that is not connected nobody needs to know.
        let paused = connection.and_then(|one| match self.connections.networks.circuit(network, one.id) {
            Circuit::Closed => None,
            Circuit::HalfOpen => Some(Paused { until: None }),
            Circuit::Open { until } => Some(Paused { until: Some(until) }),
        });
        ProviderView { paused, ..view(network, connection) }
    }
}

/// A label as it is kept.
pub(super) fn label_of(given: &str) -> ServiceResult<String> {
    validate::line(given, "A name", MOST_LABEL).map_err(|message| ServiceError::field("/label", message))
}

/// A label is one connection's.
pub(super) fn taken_label(error: StoreError, network: Network, label: &str) -> ServiceError {
    match error {
        StoreError::Taken { column, .. } if column.ends_with("label_key") => {
            let name = network.display_name();
            ServiceError::field(
                "/label",
                format!("Another {name} account is already named “{label}”. Choose another name."),
            )
        }
        error => error.into(),
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
        abilities: connection.and_then(source::abilities),
        connected_at: connection.map(|connection| connection.created_at),
        label: connection.map(|connection| connection.label.clone()),
        connections: Vec::new(),
    }
}
