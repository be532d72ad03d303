//! Stores a connection that was tried. We check the right and the slot again inside a transaction in which nobody else can change them:
//! while we asked the network, the person may have been removed, and another connection may have taken the slot. This module must never
//! store two connections where one was meant.

use adagent_contract::{Abilities, AccountChoice, ConnectTarget};
use adagent_domain::{Actor, ConnectionId, Network, rights::ManageConnections};
use adagent_identity::{Owner, Vault, VaultError};
use adagent_networks::SecretFields;
use adagent_store::{Connection, ConnectionState};
use serde_json::json;

use super::{
    connect::{Selection, select},
    keys::StoredKeys,
    manage::taken_label,
    slot::{Slot, label_for, of_one_kind, place},
    source,
    tokens::StoredTokens,
};
use crate::{Service, ServiceError, ServiceResult, idempotency::Keyed, rights::still_granted};

/// Credentials that a network accepted, with no row yet.
pub(super) struct Tried<'t> {
    pub network: Network,
    pub sandbox: bool,
    pub secret: Secret<'t>,
    pub accounts: Vec<AccountChoice>,
    pub abilities: Abilities,
    pub selection: Selection,
}

/// The accepted secret.
pub(super) enum Secret<'t> {
    Tokens(&'t StoredTokens),
    Keys(&'t StoredKeys),
}

impl Secret<'_> {
    fn seal(&self, vault: &Vault, owner: &Owner) -> Result<String, VaultError> {
        match self {
            Self::Tokens(tokens) => tokens.seal(vault, owner),
            Self::Keys(keys) => keys.seal(vault, owner),
        }
    }

    /// Returns the fields to compare with stored keys. `None` for tokens, which are new each time.
    fn fields(&self) -> Option<SecretFields> {
        match self {
            Self::Tokens(_) => None,
            Self::Keys(keys) => Some(keys.fields()),
        }
    }
}

impl Service {
    /// Stores the connection and, if there is an idempotency key, the answer for a repeated request, in one transaction. Returns `None` and
    /// stores nothing if another request has used that key meanwhile.
    pub(super) async fn put_connection(
        &self,
        actor: &Actor,
        tried: Tried<'_>,
        target: &ConnectTarget,
        keyed: Option<&Keyed>,
    ) -> ServiceResult<Option<Connection>> {
        let network = tried.network;
        let mut work = self.store.begin_in(actor.workspace).await?;
        // Others who connect at the same time wait here, and then see what we stored.
        still_granted::<ManageConnections>(&mut *work, actor).await?;
        let mut all = work.connections_of(actor.workspace).await?;
        all.retain(|one| one.network == network);
        let slot = place(&all, network, target)?;
        of_one_kind(&all, network, tried.sandbox, &slot)?;
        self.not_among(&all, network, &slot, (tried.secret.fields().as_ref(), &tried.accounts))?;
        let accounts = tried.accounts.len();
        let connection = self.in_place(actor, tried, &slot, &all, target)?;
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
            "accounts": accounts,
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

    /// Returns the row to store: sealed for this row, with the accounts selected that were selected before.
    fn in_place(
        &self,
        actor: &Actor,
        tried: Tried<'_>,
        slot: &Slot,
        all: &[Connection],
        target: &ConnectTarget,
    ) -> ServiceResult<Connection> {
        let Tried { network, sandbox, secret, mut accounts, abilities, selection } = tried;
        let (before, now) = (slot.before(), self.clock.now());
        let known = before.filter(|before| before.sandbox == sandbox).map(source::accounts).unwrap_or_default();
        select(&mut accounts, &known, selection);
        let chosen = accounts.iter().any(|account| account.selected);
        let id = before.map_or_else(|| ConnectionId::new(&*self.ids), |before| before.id);
        let label = match before {
            Some(before) => before.label.clone(),
            None => label_for(all, network, target)?,
        };
        let sealed = secret.seal(&self.connections.source.vault, &Owner::credentials(actor.workspace, network, id));
        Ok(Connection {
            id,
            workspace: actor.workspace,
            network,
            label,
            state: if chosen { ConnectionState::Connected } else { ConnectionState::ChooseAccount },
            enabled: true,
            sandbox,
            sealed: sealed.map_err(|error| ServiceError::Internal(error.to_string()))?,
            accounts: json!(accounts),
            message: None,
            version: before.map_or(1, |before| before.version + 1),
            created_by: before.map_or(actor.user, |before| before.created_by),
            created_at: before.map_or(now, |before| before.created_at),
            last_verified_at: Some(now),
            abilities: Some(json!(abilities)),
            made: before.map_or(1, |before| before.made + 1),
            consented_by: Some(actor.user),
        })
    }
}
