//! Keeps a connection that was tried. The right and the place are looked at again where nobody else can change them: while the network
//! was asked, somebody may have been removed, and another connection may have taken the place. Must never keep two where one was meant.

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

/// What opened at a network, and has no place yet.
pub(super) struct Tried<'t> {
    pub network: Network,
    pub sandbox: bool,
    pub secret: Secret<'t>,
    pub accounts: Vec<AccountChoice>,
    pub abilities: Abilities,
    pub selection: Selection,
}

/// What it opened with.
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

    /// Keys are compared with those there are; tokens are new each time.
    fn fields(&self) -> Option<SecretFields> {
        match self {
            Self::Tokens(_) => None,
            Self::Keys(keys) => Some(keys.fields()),
        }
    }
}

impl Service {
    /// Stores it, and with a key the answer that a repetition gets, in one transaction. `None` when that key was answered by
    /// another request meanwhile: then nothing is kept.
    pub(super) async fn put_connection(
        &self,
        actor: &Actor,
        tried: Tried<'_>,
        target: &ConnectTarget,
        keyed: Option<&Keyed>,
    ) -> ServiceResult<Option<Connection>> {
        let network = tried.network;
        let mut work = self.store.begin_in(actor.workspace).await?;
        // Who connects at the same time waits here, and then sees what was kept.
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

    /// As it is kept: sealed for the row it lies in, with the accounts chosen that were chosen before.
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
