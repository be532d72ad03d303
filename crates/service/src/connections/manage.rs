//! Manages connections: lists, turns on and off, disconnects.

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

/// We count no more uses than this.
const MOST_USES: u32 = 2000;

/// The longest label of a connection, in characters.
const MOST_LABEL: usize = 60;

impl Service {
    /// Lists every network with its state in this workspace.
    pub async fn providers(&self, actor: &Granted<ViewConnections>) -> ServiceResult<Vec<ProviderView>> {
        let connections = self.store.list_connections(actor.workspace).await?;
        Ok(Network::ALL.into_iter().map(|network| self.view_of(network, &connections)).collect())
    }

    /// Returns the current state of a network: the fields of its first connection, and all its connections.
    fn view_of(&self, network: Network, connections: &[Connection]) -> ProviderView {
        let own: Vec<&Connection> = connections.iter().filter(|connection| connection.network == network).collect();
        let all = own.iter().map(|connection| self.view(network, Some(connection))).collect();
        ProviderView { connections: all, ..self.view(network, own.first().copied()) }
    }

    /// Renames a connection.
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

    /// Removes the credentials here. A job revokes the access at the network afterwards, however long the network takes to answer.
    pub async fn disconnect_provider(&self, actor: &Granted<ManageConnections>, id: ConnectionId) -> ServiceResult<()> {
        let made = self.connection(actor, id).await?.made;
        let mut work = self.store.begin_in(actor.workspace).await?;
        still_granted::<ManageConnections>(&mut *work, actor).await?;
        // Read the current row: tokens are renewed at any time, and we must revoke the newest ones.
        let connections = work.connections_of(actor.workspace).await?;
        let connection = connections.into_iter().find(|connection| connection.id == id);
        let connection = connection.ok_or(ServiceError::NotFound("connection"))?;
        // Deletes only the connection that we read before; if somebody has made it again, that one stays.
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
        // Withdraw approvals only afterwards, so that nobody approves one in between that could still be sent: without the connection,
        // nothing can be.
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

    /// Counts, for each network, what would stop working without its connections: runs that still have its operations to do, and pending
    /// approvals.
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

    /// Finds a connection of this workspace. Those of other workspaces do not exist here.
    pub(super) async fn connection(&self, actor: &Actor, id: ConnectionId) -> ServiceResult<Connection> {
        self.store.find_connection_by_id(actor.workspace, id).await?.ok_or(ServiceError::NotFound("connection"))
    }

    /// Returns one connection as its row shows it.
    pub(super) async fn connection_view(&self, actor: &Actor, id: ConnectionId) -> ServiceResult<ProviderView> {
        let connection = self.connection(actor, id).await?;
        Ok(self.view(connection.network, Some(&connection)))
    }

    pub(super) fn view(&self, network: Network, connection: Option<&Connection>) -> ProviderView {
        // A network that is not connected has no pause to show.
        let paused = connection.and_then(|one| match self.connections.networks.circuit(network, one.id) {
            Circuit::Closed => None,
            Circuit::HalfOpen => Some(Paused { until: None }),
            Circuit::Open { until } => Some(Paused { until: Some(until) }),
        });
        ProviderView { paused, ..view(network, connection) }
    }
}

/// Checks a label and returns it as we store it.
pub(super) fn label_of(given: &str) -> ServiceResult<String> {
    validate::line(given, "A name", MOST_LABEL).map_err(|message| ServiceError::field("/label", message))
}

/// Turns the error of a used label into one for its field.
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
