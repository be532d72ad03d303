//! Keeps a connection that was tried. Its place is looked at once more where nobody else can change it: what was decided before the
//! network was asked may be another's by now. Must never keep two where one was meant.

use adagent_contract::ConnectTarget;
use adagent_domain::{Actor, ConnectionId};
use adagent_store::Connection;
use serde_json::json;

use super::{
    manage::taken_label,
    slot::{Slot, label_for, of_one_kind, place},
    source,
};
use crate::{Service, ServiceError, ServiceResult, idempotency::Keyed};

impl Service {
    /// Stores it, and with a key the answer that a repetition gets, in one transaction. `None` when that key was answered by
    /// another request meanwhile: then nothing is kept.
    pub(super) async fn put_connection(
        &self,
        actor: &Actor,
        mut connection: Connection,
        target: &ConnectTarget,
        keyed: Option<&Keyed>,
    ) -> ServiceResult<Option<Connection>> {
        let network = connection.network;
        let mut work = self.store.begin_in(actor.workspace).await?;
        // Who connects at the same time waits here, and then sees what was kept.
        if !work.lock_workspace(actor.workspace).await? {
            return Err(ServiceError::NotFound("workspace"));
        }
        let mut all = work.connections_of(actor.workspace).await?;
        all.retain(|one| one.network == network);
        let slot = place(&all, network, target)?;
        of_one_kind(&all, network, connection.sandbox, &slot)?;
        let keys = if network.uses_oauth() { None } else { Some(self.opened(&connection)?) };
        self.not_among(&all, network, &slot, (keys.as_ref(), &source::accounts(&connection)))?;
        self.move_to(&mut connection, &all, &slot, target)?;
        let kept = match &slot {
            Slot::New => work.insert_connection(&connection).await.map(|()| true),
            Slot::Anew(_) => work.remake_connection(&connection).await,
        };
        if !kept.map_err(|error| taken_label(error, network, &connection.label))? {
            return Err(ServiceError::NotFound("connection"));
        }
        let detail = json!({
            "network": network,
            "label": connection.label,
            "sandbox": connection.sandbox,
            "accounts": source::accounts(&connection).len(),
        });
        self.audit(&mut *work, actor, "connection.connected", connection.id, detail).await?;
        if let Some(keyed) = keyed {
            let answer = self.key_network(self.view(network, Some(&connection)))?;
            if !self.keep_answer(&mut *work, actor, keyed, &answer).await? {
                return Ok(None);
            }
        }
        work.commit().await?;
        self.connections.networks.forget(source::via_of(&connection), network);
        Ok(Some(connection))
    }

    fn opened(&self, connection: &Connection) -> ServiceResult<adagent_networks::SecretFields> {
        let keys = self.connections.source.open_keys(connection);
        Ok(keys.map_err(|error| ServiceError::Internal(error.message))?.fields())
    }

    /// Into the place as it is now. What was sealed for another row does not open in it, and is handed over.
    fn move_to(
        &self,
        connection: &mut Connection,
        all: &[Connection],
        slot: &Slot,
        target: &ConnectTarget,
    ) -> ServiceResult<()> {
        let given = source::owner(connection);
        match slot {
            Slot::Anew(before) => {
                connection.id = before.id;
                connection.label.clone_from(&before.label);
                (connection.created_by, connection.created_at) = (before.created_by, before.created_at);
                (connection.version, connection.made) = (before.version + 1, before.made + 1);
            }
            // An id of its own: one that was to be made anew and is gone is not used again, as nothing bound to it means this one.
            Slot::New => {
                connection.id = ConnectionId::new(&*self.ids);
                connection.label = label_for(all, connection.network, target)?;
            }
        }
        let sealed = std::mem::take(&mut connection.sealed);
        let moved = self.connections.source.vault.hand_over(&given, &source::owner(connection), &sealed);
        connection.sealed = moved.map_err(|error| ServiceError::Internal(error.to_string()))?;
        Ok(())
    }
}
