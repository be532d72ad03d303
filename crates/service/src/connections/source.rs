//! Supplies the credentials of networks: opens them only when needed, refreshes them early and once, and stores them before use.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError, Weak},
};

use adagent_contract::{Abilities, Ability, AbilityView, AccountChoice, NetworkState};
use adagent_domain::{Clock, ConnectionId, Network, WorkspaceId};
use adagent_identity::{Owner, Vault, VaultError};
use adagent_networks::{
    Attempted, Connected, ConnectionMark, CredentialSource, Credentials, Jitter, SecretFields, Via,
};
use adagent_oauth::{OauthClient, OauthError};
use adagent_store::{Connection, ConnectionState, Store, StoreError};
use adagent_tools::{ToolError, ToolErrorClass};
use async_trait::async_trait;
use tracing::Instrument as _;

use super::{Endpoints, keys::StoredKeys, tokens::StoredTokens};

/// A [`CredentialSource`] over the store and the vault.
pub struct StoredCredentials {
    pub(super) store: Arc<dyn Store>,
    pub(super) vault: Arc<Vault>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) oauth: OauthClient,
    pub(super) endpoints: Endpoints,
    pub(super) jitter: Jitter,
    /// Allows one refresh at a time per connection. The last user removes the entry.
    refreshing: Mutex<HashMap<ConnectionId, Arc<tokio::sync::Mutex<()>>>>,
    /// A reference to itself, for refreshes that continue after their caller is gone.
    me: Weak<Self>,
}

impl StoredCredentials {
    pub fn new(
        store: Arc<dyn Store>,
        vault: Arc<Vault>,
        clock: Arc<dyn Clock>,
        oauth: OauthClient,
        endpoints: Endpoints,
        jitter: Jitter,
    ) -> Arc<Self> {
        let refreshing = Mutex::new(HashMap::new());
        Arc::new_cyclic(|me| Self { store, vault, clock, oauth, endpoints, jitter, refreshing, me: me.clone() })
    }

    async fn find(&self, via: Via) -> Result<Option<Connection>, StoreError> {
        self.store.find_connection_by_id(via.workspace, via.connection).await
    }

    async fn usable(&self, via: Via, network: Network) -> Result<Connection, ToolError> {
        let found = self.find(via).await.map_err(|error| broken(&error))?;
        let connection = found.ok_or_else(|| ToolError::not_connected(network))?;
        match state(&connection) {
            NetworkState::Connected => Ok(connection),
            NetworkState::Disabled => Err(ToolError::disabled(network)),
            NetworkState::AuthFailed => Err(ToolError::auth_failed(network)),
            _ => Err(ToolError::new(
                ToolErrorClass::NotConnected,
                "CHOOSE_ACCOUNT",
                format!("{} is connected, but you haven't chosen a publisher account yet.", network.display_name()),
            )
            .guide("Choose the account under /settings/networks.")),
        }
    }

    pub(super) fn open(&self, connection: &Connection) -> Result<StoredTokens, ToolError> {
        StoredTokens::open(&self.vault, &owner(connection), &connection.sealed)
            .map_err(|error| cannot_open(connection, &error))
    }

    pub(super) fn open_keys(&self, connection: &Connection) -> Result<StoredKeys, ToolError> {
        StoredKeys::open(&self.vault, &owner(connection), &connection.sealed)
            .map_err(|error| cannot_open(connection, &error))
    }

    fn hand_out(&self, connection: &Connection, tokens: &StoredTokens) -> Result<Credentials, ToolError> {
        self.credentials_of(connection, SecretFields::bearer(tokens.access()))
    }

    fn credentials_of(&self, connection: &Connection, fields: SecretFields) -> Result<Credentials, ToolError> {
        let base_url = self.endpoints.api(connection.network, connection.sandbox);
        Ok(Credentials {
            fields,
            base_url: base_url.ok_or_else(|| without_endpoints(connection))?,
            sandbox: connection.sandbox,
            accounts: named_accounts(connection),
            connection: Some(connection.id),
            version: connection.version,
            made: connection.made,
        })
    }

    /// Refreshes one at a time: callers that waited use the result of the first one. `refused` is the version that the network refused.
    ///
    /// The refresh runs as its own task. If its caller goes away (a read may be dropped at any time), the reply must not be lost, because
    /// the network may have invalidated the old refresh token with it.
    async fn refreshed(&self, stale: &Connection, refused: Option<i64>) -> Result<Credentials, ToolError> {
        let (via, network, id) = (via_of(stale), stale.network, stale.id);
        let gone = || {
            let message = format!("We couldn't renew access to {}.", network.display_name());
            ToolError::new(ToolErrorClass::Retryable, "REFRESH_FAILED", message).guide("Try again in a moment.")
        };
        let me = self.me.upgrade().ok_or_else(gone)?;
        let refresh = async move { me.refresh_in_turn(via, network, refused).await };
        tokio::spawn(refresh.in_current_span()).await.unwrap_or_else(|error| {
            tracing::error!(connection = %id, %error, "a refresh ended before its time");
            Err(gone())
        })
    }

    async fn refresh_in_turn(
        &self,
        via: Via,
        network: Network,
        refused: Option<i64>,
    ) -> Result<Credentials, ToolError> {
        let lock = {
            let mut locks = self.refreshing.lock().unwrap_or_else(PoisonError::into_inner);
            locks.retain(|_, lock| Arc::strong_count(lock) > 1);
            locks.entry(via.connection).or_default().clone()
        };
        let _turn = lock.lock().await;
        let connection = self.usable(via, network).await?;
        let tokens = self.open(&connection)?;
        let now = self.clock.now();
        let good = match refused {
            Some(version) => connection.version != version,
            None => now < tokens.refresh_at,
        };
        if good {
            return self.hand_out(&connection, &tokens);
        }
        let endpoints = self.endpoints.oauth(network, connection.sandbox);
        let endpoints = endpoints.ok_or_else(|| without_endpoints(&connection))?;
        let Some(refresh_token) = tokens.refresh() else {
            // There is no refresh token. The access token works until it expires, unless the network refused it.
            if refused.is_none() && now < tokens.expires_at {
                return self.hand_out(&connection, &tokens);
            }
            return self.give_up(&connection, "Access has expired, and Google gave no refresh token.").await;
        };
        match self.oauth.refresh(&endpoints.client(), &refresh_token).await {
            Ok(fresh) => {
                let fresh = StoredTokens::new(&fresh, Some(&tokens), self.clock.now(), (self.jitter)());
                self.keep(&connection, &fresh).await
            }
            Err(OauthError::GrantRefused) => {
                self.give_up(&connection, "Access was revoked or has expired. Reconnect.").await
            }
            Err(error) if refused.is_none() && now < tokens.expires_at => {
                tracing::warn!(connection = %connection.id, %error, "early refresh failed; the token still works");
                self.hand_out(&connection, &tokens)
            }
            Err(error) => {
                let message = format!("We couldn't renew access to {}: {error}.", connection.network.display_name());
                Err(ToolError::new(ToolErrorClass::Retryable, "REFRESH_FAILED", message)
                    .guide("Try again in a moment."))
            }
        }
    }

    /// Stores the tokens before use. If another process was faster, its tokens count.
    async fn keep(&self, connection: &Connection, fresh: &StoredTokens) -> Result<Credentials, ToolError> {
        let (workspace, network) = (connection.workspace, connection.network);
        let sealed = fresh.seal(&self.vault, &owner(connection)).map_err(|error| {
            ToolError::new(
                ToolErrorClass::Retryable,
                "VAULT",
                format!("We couldn't encrypt the renewed access: {error}."),
            )
        })?;
        let kept = async {
            let mut work = self.store.begin_in(connection.workspace).await?;
            let kept =
                work.replace_sealed(workspace, connection.id, connection.version, &sealed, self.clock.now()).await?;
            work.commit().await?;
            Ok(kept)
        };
        kept.await.map_err(|error| broken(&error))?;
        let current = self.usable(via_of(connection), network).await?;
        let tokens = self.open(&current)?;
        self.hand_out(&current, &tokens)
    }

    /// Marks the connection as failed, unless another process has renewed or reconnected it meanwhile; then its tokens count.
    async fn give_up(&self, connection: &Connection, why: &str) -> Result<Credentials, ToolError> {
        if self.fail(connection, connection.version, why).await {
            return Err(ToolError::auth_failed(connection.network));
        }
        let current = self.usable(via_of(connection), connection.network).await?;
        let tokens = self.open(&current)?;
        self.hand_out(&current, &tokens)
    }

    /// Marks exactly this version of the connection. Returns `false` if the connection has another version by now.
    async fn fail(&self, connection: &Connection, version: i64, why: &str) -> bool {
        let (workspace, id, state) = (connection.workspace, connection.id, ConnectionState::AuthFailed);
        let marked = async {
            let mut work = self.store.begin_in(connection.workspace).await?;
            let marked = work.set_connection_state(workspace, id, version, state, Some(why), self.clock.now()).await?;
            work.commit().await?;
            Ok::<bool, StoreError>(marked)
        };
        marked.await.unwrap_or_else(|error| {
            tracing::error!(connection = %id, %error, "a refused connection could not be marked");
            true
        })
    }
}

#[async_trait]
impl CredentialSource for StoredCredentials {
    async fn connections(&self, workspace: WorkspaceId) -> Result<Vec<Connected>, ToolError> {
        let all = self.store.list_connections(workspace).await.map_err(|error| broken(&error))?;
        Ok(all.iter().map(connected).collect())
    }

    async fn credentials(&self, via: Via, network: Network) -> Result<Credentials, ToolError> {
        let connection = self.usable(via, network).await?;
        if !network.uses_oauth() {
            let keys = self.open_keys(&connection)?;
            return self.credentials_of(&connection, keys.fields());
        }
        let tokens = self.open(&connection)?;
        if self.clock.now() < tokens.refresh_at {
            return self.hand_out(&connection, &tokens);
        }
        drop(tokens);
        self.refreshed(&connection, None).await
    }

    async fn renew(&self, via: Via, network: Network, refused: &Credentials) -> Result<Credentials, ToolError> {
        let connection = self.usable(via, network).await?;
        if !network.uses_oauth() {
            // Keys cannot be refreshed. Only a person can give others, and may have done so since.
            if connection.version == refused.version {
                return Err(ToolError::auth_failed(network));
            }
            return self.credentials_of(&connection, self.open_keys(&connection)?.fields());
        }
        self.refreshed(&connection, Some(refused.version)).await
    }

    async fn report_auth_failure(&self, via: Via, network: Network, refused: &Credentials) {
        if let Ok(Some(connection)) = self.find(via).await {
            let why = if network.uses_oauth() {
                "The network rejects renewed credentials. Reconnect."
            } else {
                "The network no longer accepts these keys. They were revoked or have expired. Enter new ones."
            };
            self.fail(&connection, refused.version, why).await;
        }
    }

    async fn learned(&self, via: Via, network: Network, with: &Credentials, what: Attempted, refused: Option<&str>) {
        let kept = async {
            let Some(connection) = self.find(via).await? else { return Ok(()) };
            let Some(mut known) = abilities(&connection).filter(|_| connection.made == with.made) else {
                return Ok(());
            };
            let view = match what {
                Attempted::Report => &mut known.report,
                Attempted::Write => &mut known.write,
            };
            *view = match refused {
                Some(why) => AbilityView::said(Ability::Refused, why),
                None => AbilityView::yes(),
            };
            known.looked_at = self.clock.now();
            let known = serde_json::json!(known);
            let mut work = self.store.begin_in(via.workspace).await?;
            work.set_connection_abilities(via.workspace, connection.id, with.made, &known).await?;
            work.commit().await
        };
        // These are hints for people, so a failure here does not fail the call.
        if let Err(error) = kept.await {
            let error: StoreError = error;
            tracing::warn!(%network, %error, "what a connection may do could not be kept");
        }
    }
}

/// Returns a connection in the form that the networks crate needs.
fn connected(connection: &Connection) -> Connected {
    let accounts = named_accounts(connection);
    let selected = accounts.iter().filter(|account| account.selected).map(|account| account.id.clone());
    let mark = ConnectionMark {
        id: connection.id,
        version: connection.version,
        sandbox: connection.sandbox,
        selected: selected.collect(),
        made: connection.made,
        abilities: abilities(connection),
        label: connection.label.clone(),
    };
    Connected { network: connection.network, state: state(connection), accounts, mark }
}

pub const fn via_of(connection: &Connection) -> Via {
    Via { workspace: connection.workspace, connection: connection.id }
}

/// Returns the owner of a connection's credentials in the vault.
pub fn owner(connection: &Connection) -> Owner {
    Owner::credentials(connection.workspace, connection.network, connection.id)
}

pub fn state(connection: &Connection) -> NetworkState {
    match connection.state {
        ConnectionState::ChooseAccount => NetworkState::ChooseAccount,
        ConnectionState::AuthFailed => NetworkState::AuthFailed,
        ConnectionState::Connected if connection.enabled => NetworkState::Connected,
        ConnectionState::Connected => NetworkState::Disabled,
    }
}

/// Returns the accounts of a connection; none if they cannot be read.
pub fn accounts(connection: &Connection) -> Vec<AccountChoice> {
    serde_json::from_value(connection.accounts.clone()).unwrap_or_default()
}

/// Returns the accounts with people's names for them, for answers, cards and the scope.
pub fn named_accounts(connection: &Connection) -> Vec<AccountChoice> {
    let named = |account: AccountChoice| AccountChoice { name: account.called().to_owned(), ..account };
    accounts(connection).into_iter().map(named).collect()
}

/// Returns what the credentials allow. `None` if nobody has checked, or if the value cannot be read.
pub fn abilities(connection: &Connection) -> Option<Abilities> {
    serde_json::from_value(connection.abilities.clone()?).ok()
}

fn without_endpoints(connection: &Connection) -> ToolError {
    let (name, network) = (connection.network.display_name(), connection.network);
    let message = if connection.sandbox {
        format!("{name} is connected to the sandbox, and this server runs without it.")
    } else {
        format!("This server isn't set up for live {name} connections.")
    };
    ToolError::new(ToolErrorClass::NotConnected, "NOT_CONNECTED", message).guide(format!(
        "Connect it again under /settings/networks?connect={}&connection={}.",
        network.id(),
        connection.id
    ))
}

fn cannot_open(connection: &Connection, error: &VaultError) -> ToolError {
    tracing::error!(connection = %connection.id, %error, "sealed credentials cannot be opened");
    let (name, id, this) = (connection.network.display_name(), connection.network.id(), connection.id);
    // This is not the network's refusal: we did not ask it.
    let message = format!("This server's keys can't decrypt the stored {name} credentials.");
    ToolError::new(ToolErrorClass::AuthFailed, "SEALED", message).guide(format!(
        "Your administrator can find the reason in the server log (`sealed credentials cannot be opened`). Reconnect under /settings/networks?connect={id}&connection={this} to store new ones."
    ))
}

fn broken(error: &StoreError) -> ToolError {
    tracing::error!(%error, "connections cannot be read");
    ToolError::new(ToolErrorClass::Retryable, "STORE", "We couldn't load the connections.")
        .guide("Try again in a moment.")
}
