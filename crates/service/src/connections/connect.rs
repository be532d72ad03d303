//! The OAuth round trip: begin, finish once, choose accounts.

use std::collections::BTreeMap;

use adagent_contract::{AccountChoice, ConnectRequest, ConnectResponse, ConnectTarget, ProviderView, codes, links};
use adagent_domain::{Actor, ConnectionId, Granted, Network, rights::ManageConnections};
use adagent_identity::Owner;
use adagent_networks::SecretFields;
use adagent_oauth::{OauthClient, OauthError};
use adagent_store::{ConnectionState, OauthAttempt, SignInInto};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::{
    OauthFailed, OauthFinished,
    put::{Secret, Tried},
    source,
    tokens::StoredTokens,
    told,
};
use crate::{Service, ServiceError, ServiceResult, idempotency::Keyed, rights::still_granted};

/// How long a person may take on the network's consent page, in seconds.
pub(crate) const ATTEMPT_SECONDS: i64 = 600;
/// The longest name, in characters, that people can give an account.
const LONGEST_NAME: usize = 60;

impl Service {
    /// Lists the other sites that connecting leads to and returns from.
    pub fn consent_origins(&self) -> Vec<String> {
        self.connections.source.endpoints.consent_origins()
    }

    /// Begins a round trip. Returns the address of the network's consent page, bound to this browser session.
    pub async fn connect(
        &self,
        actor: &Granted<ManageConnections>,
        request: ConnectRequest,
        session_hash: &str,
    ) -> ServiceResult<ConnectResponse> {
        self.connect_once(actor, request, session_hash, None).await
    }

    /// Begins a round trip once per idempotency key.
    pub async fn connect_once(
        &self,
        actor: &Granted<ManageConnections>,
        request: ConnectRequest,
        session_hash: &str,
        idempotency_key: Option<&str>,
    ) -> ServiceResult<ConnectResponse> {
        let keyed = Keyed::new(idempotency_key, "providers.connect", &(&request, session_hash))?;
        let network: Network = request
            .provider
            .parse()
            .map_err(|error: adagent_domain::UnknownNetwork| ServiceError::field("/provider", error.to_string()))?;
        if !network.uses_oauth() {
            let name = network.display_name();
            let detail = format!("{name} has no sign-in. Send its keys with POST /api/networks/{network}.");
            return Err(ServiceError::Conflict { code: codes::CONFLICT, detail });
        }
        // The owner of the sealed address that a repeated request gets. The verifier belongs to its attempt.
        let owner = Owner::oauth_attempt(actor.workspace, network, session_hash);
        if let Some(first) = self.answered_before::<String>(actor, keyed.as_ref()).await? {
            return self.begun_before(&owner, &first);
        }
        let endpoints = self.connections.source.endpoints.for_sign_in(network);
        let (endpoints, sandbox) = endpoints.ok_or_else(|| no_client(network))?;
        // If we could not store the connection afterwards, say so before anybody signs in.
        self.slot(actor, network, sandbox, &request.target).await?;
        let begun = OauthClient::begin(&endpoints.client(), &self.connections.redirect());
        let vault = &self.connections.source.vault;
        let seal = |owner: &Owner, secret: &[u8]| {
            vault.seal(owner, secret).map_err(|error| ServiceError::Internal(error.to_string()))
        };
        let state_hash = hash(begun.state.expose_secret());
        let of_attempt = Owner::oauth_attempt(actor.workspace, network, &state_hash);
        let sealed_verifier = seal(&of_attempt, begun.verifier.expose_secret().as_bytes())?;
        let attempt = OauthAttempt {
            state_hash,
            workspace: actor.workspace,
            user: actor.user,
            session_hash: session_hash.to_owned(),
            sealed_verifier,
            return_to: request.return_to.as_deref().and_then(links::return_path),
            expires_at: self.clock.now().plus_seconds(ATTEMPT_SECONDS),
            into: SignInInto::Network {
                network,
                sandbox,
                connection: request.target.connection_id,
                adds: request.target.add,
                label: request.target.label.clone(),
            },
        };
        let authorization_url: String = begun.url.into();
        let mut work = self.store.begin_in(actor.workspace).await?;
        still_granted::<ManageConnections>(&mut *work, actor).await?;
        if let Some(keyed) = &keyed {
            // The address contains the state, of which the database otherwise stores only a hash.
            let sealed = seal(&owner, authorization_url.as_bytes())?;
            if !self.keep_answer(&mut *work, actor, keyed, &sealed).await? {
                drop(work);
                let first: String = self.answered_first(actor, keyed).await?;
                return self.begun_before(&owner, &first);
            }
        }
        work.insert_oauth_attempt(&attempt).await?;
        work.commit().await?;
        Ok(ConnectResponse { authorization_url })
    }

    fn begun_before(&self, owner: &Owner, sealed: &str) -> ServiceResult<ConnectResponse> {
        let opened = self.connections.source.vault.open(owner, sealed);
        let opened = opened.map_err(|error| ServiceError::Internal(error.to_string()))?;
        Ok(ConnectResponse { authorization_url: String::from_utf8_lossy(&opened).into_owned() })
    }

    /// Finishes a round trip. `code` is the network's code, or `Err` with its error code. A state works once, and only in the session where
    /// it began.
    pub async fn finish_oauth(
        &self,
        state: &str,
        code: Result<&str, &str>,
        session_hash: &str,
    ) -> Result<OauthFinished, OauthFailed> {
        let is_network = |into: &SignInInto| matches!(into, SignInInto::Network { .. });
        let attempt = self.take_attempt(state, session_hash, is_network).await?;
        let SignInInto::Network { network, .. } = attempt.into else {
            return Err(ServiceError::Internal("the round trip leads to no network".into()).into());
        };
        let return_to = attempt.return_to.clone();
        match self.finish_attempt(attempt, code).await {
            Ok(choose) => Ok(OauthFinished { return_to, network, choose }),
            Err(error) => Err(OauthFailed { error, return_to }),
        }
    }

    /// Takes a round trip that began in this browser session and leads where the callback belongs. In any other case we commit nothing, so
    /// that the state still works where it began.
    pub(crate) async fn take_attempt(
        &self,
        state: &str,
        session_hash: &str,
        fits: impl Fn(&SignInInto) -> bool + Send,
    ) -> ServiceResult<OauthAttempt> {
        let now = self.clock.now();
        let mut work = self.store.begin().await?;
        let attempt = work.take_oauth_attempt(&hash(state)).await?;
        let attempt = attempt
            .filter(|it| it.session_hash == session_hash && it.expires_at > now && fits(&it.into))
            .ok_or_else(|| {
                ServiceError::field(
                    "/state",
                    "This sign-in is unknown, already used or expired, or started in another browser. Connect again.",
                )
            })?;
        work.commit().await?;
        Ok(attempt)
    }

    /// Finishes a known round trip. Returns the connection that waits for a choice of accounts, if any.
    async fn finish_attempt(
        &self,
        attempt: OauthAttempt,
        code: Result<&str, &str>,
    ) -> ServiceResult<Option<ConnectionId>> {
        let now = self.clock.now();
        let SignInInto::Network { network, sandbox, connection, adds, label } = attempt.into else {
            return Err(ServiceError::Internal("the round trip leads to no network".into()));
        };
        // Check the right again: the role may have changed while the person was at the network.
        let actor = self.resolve_actor(attempt.user, Some(attempt.workspace)).await?.grant::<ManageConnections>()?;
        let code = code.map_err(|error| {
            let detail = if error == "access_denied" {
                format!("{} was not connected because you declined access.", network.display_name())
            } else {
                format!("{} was not connected because the network refused the request.", network.display_name())
            };
            ServiceError::Network { network, code: codes::NETWORK_AUTH_FAILED, detail }
        })?;
        // Use the place where the round trip began: new sign-ins may lead elsewhere by now.
        let endpoints = self.connections.source.endpoints.oauth(network, sandbox).ok_or_else(|| no_client(network))?;
        let owner = Owner::oauth_attempt(attempt.workspace, network, &attempt.state_hash);
        let verifier = self.connections.source.vault.open(&owner, &attempt.sealed_verifier);
        let verifier = verifier.map_err(|error| ServiceError::Internal(error.to_string()))?;
        let verifier: SecretString = String::from_utf8_lossy(&verifier).into_owned().into();
        let oauth = &self.connections.source.oauth;
        let granted = oauth.exchange(&endpoints.client(), &self.connections.redirect(), code, &verifier).await;
        let granted = granted.map_err(|error| exchange_failed(network, &error))?;
        let tokens = StoredTokens::new(&granted, None, now, (self.connections.source.jitter)());
        let found = self.reachable(network, sandbox, &tokens).await?;
        let target = ConnectTarget { connection_id: connection, add: adds, label };
        self.keep_connection(&actor, (network, sandbox), &target, &tokens, found, Selection::Ask).await
    }

    /// Sets the publisher accounts that the workspace uses.
    pub async fn choose_accounts(
        &self,
        actor: &Granted<ManageConnections>,
        id: ConnectionId,
        chosen: Vec<String>,
    ) -> ServiceResult<ProviderView> {
        let connection = self.connection(actor, id).await?;
        let mut accounts = source::accounts(&connection);
        if chosen.is_empty() {
            return Err(ServiceError::field("/account_ids", "Choose at least one account."));
        }
        for (index, id) in chosen.iter().enumerate() {
            if !accounts.iter().any(|account| account.id == *id) {
                return Err(ServiceError::field(
                    format!("/account_ids/{index}"),
                    "This connection has no account with that ID.",
                ));
            }
        }
        for account in &mut accounts {
            account.selected = chosen.contains(&account.id);
        }
        // A refused connection stays refused, because choosing accounts renews nothing.
        let state = if connection.state == ConnectionState::AuthFailed {
            ConnectionState::AuthFailed
        } else {
            ConnectionState::Connected
        };
        let mut work = self.store.begin_in(actor.workspace).await?;
        still_granted::<ManageConnections>(&mut *work, actor).await?;
        work.set_connection_accounts(actor.workspace, id, &json!(accounts), state, self.clock.now()).await?;
        self.audit(&mut *work, actor, "connection.accounts_chosen", id, json!({"accounts": chosen})).await?;
        work.commit().await?;
        self.connections.networks.forget(source::via_of(&connection), connection.network);
        self.connection_view(actor, id).await
    }

    /// Sets the workspace's names for accounts, by ID. An empty name restores the network's own.
    pub async fn name_accounts(
        &self,
        actor: &Granted<ManageConnections>,
        id: ConnectionId,
        names: &BTreeMap<String, String>,
    ) -> ServiceResult<()> {
        let connection = self.connection(actor, id).await?;
        let mut accounts = source::accounts(&connection);
        for account in &mut accounts {
            let Some(name) = names.get(&account.id).map(|name| name.trim()) else { continue };
            if name.chars().count() > LONGEST_NAME {
                let pointer = format!("/names/{}", account.id);
                return Err(ServiceError::field(pointer, format!("Use at most {LONGEST_NAME} characters.")));
            }
            let name = Some(name).filter(|name| !name.is_empty() && *name != account.name);
            account.label = name.map(|name| adagent_domain::text::visible(name).into_owned());
        }
        if accounts == source::accounts(&connection) {
            return Ok(());
        }
        let mut work = self.store.begin_in(actor.workspace).await?;
        still_granted::<ManageConnections>(&mut *work, actor).await?;
        work.set_connection_accounts(actor.workspace, id, &json!(accounts), connection.state, self.clock.now()).await?;
        self.audit(&mut *work, actor, "connection.accounts_named", id, json!({})).await?;
        work.commit().await?;
        self.connections.networks.forget(source::via_of(&connection), connection.network);
        Ok(())
    }

    pub(super) async fn reachable(
        &self,
        network: Network,
        sandbox: bool,
        tokens: &StoredTokens,
    ) -> ServiceResult<Vec<AccountChoice>> {
        let credentials = self.unkept(network, sandbox, SecretFields::bearer(tokens.access()))?;
        let found = self.connections.networks.reachable_accounts(network, &credentials).await;
        let found = found.map_err(|error| told(network, &error))?;
        if found.is_empty() {
            let detail = format!(
                "This Google user has no {} account. Sign in with another Google user.",
                network.display_name()
            );
            return Err(ServiceError::Network { network, code: codes::NETWORK_AUTH_FAILED, detail });
        }
        Ok(found)
    }

    /// Seals and stores tokens. Returns the connection if it waits for a choice of accounts.
    pub(super) async fn keep_connection(
        &self,
        actor: &Actor,
        (network, sandbox): (Network, bool),
        target: &ConnectTarget,
        tokens: &StoredTokens,
        accounts: Vec<AccountChoice>,
        selection: Selection,
    ) -> ServiceResult<Option<ConnectionId>> {
        let credentials = self.unkept(network, sandbox, SecretFields::bearer(tokens.access()))?;
        let look = self.connections.networks.look_at_abilities(network, &credentials, tokens.scopes.as_deref());
        let (secret, abilities) = (Secret::Tokens(tokens), look.await);
        let tried = Tried { network, sandbox, secret, accounts, abilities, selection };
        let kept = self.put_connection(actor, tried, target, None).await?;
        Ok(kept.filter(|kept| kept.state == ConnectionState::ChooseAccount).map(|kept| kept.id))
    }
}

/// How we select the accounts that a connection uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selection {
    /// Selects the only account, or else those chosen before. If there are neither, the person chooses.
    Ask,
    All,
}

pub(super) fn select(accounts: &mut [AccountChoice], known: &[AccountChoice], selection: Selection) {
    let only = accounts.len() == 1;
    for account in accounts {
        let before = known.iter().find(|before| before.id == account.id);
        account.label = before.and_then(|before| before.label.clone());
        account.selected = match selection {
            Selection::All => true,
            Selection::Ask => only || before.is_some_and(|before| before.selected),
        };
    }
}

pub(crate) fn hash(text: &str) -> String {
    hex::encode(Sha256::digest(text.as_bytes()))
}

fn no_client(network: Network) -> ServiceError {
    let detail = format!(
        "This server has no OAuth client for {name}. An administrator can set {id}.client_id and {id}.client_secret, or start it with the sandbox.",
        name = network.display_name(),
        id = network.id()
    );
    ServiceError::Network { network, code: codes::NETWORK_UNAVAILABLE, detail }
}

fn exchange_failed(network: Network, error: &OauthError) -> ServiceError {
    let name = network.display_name();
    match error {
        OauthError::GrantRefused => ServiceError::Network {
            network,
            code: codes::NETWORK_AUTH_FAILED,
            detail: format!("{name} rejected the authorization code. Connect again."),
        },
        OauthError::ClientRefused(_) | OauthError::Unavailable(_) => ServiceError::Network {
            network,
            code: codes::NETWORK_UNAVAILABLE,
            detail: format!("{name} could not be connected: {error}."),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(id: &str, selected: bool) -> AccountChoice {
        AccountChoice { id: id.into(), name: id.into(), currency: None, time_zone: None, selected, label: None }
    }

    fn selected(accounts: &[AccountChoice]) -> Vec<&str> {
        accounts.iter().filter(|account| account.selected).map(|account| account.id.as_str()).collect()
    }

    #[test]
    fn one_account_needs_no_choice_and_several_keep_the_earlier_one() {
        let mut one = [account("a", false)];
        select(&mut one, &[], Selection::Ask);
        assert_eq!(selected(&one), ["a"]);
        let mut three = [account("a", false), account("b", false), account("c", false)];
        select(&mut three, &[], Selection::Ask);
        assert!(selected(&three).is_empty());
        select(&mut three, &[account("b", true), account("x", true)], Selection::Ask);
        assert_eq!(selected(&three), ["b"]);
        select(&mut three, &[], Selection::All);
        assert_eq!(selected(&three).len(), 3);
    }

    #[test]
    fn a_name_that_people_gave_survives_a_new_sign_in() {
        let mut found = [account("a", false), account("b", false)];
        let known = [AccountChoice { label: Some("Games EU".into()), ..account("b", true) }];
        select(&mut found, &known, Selection::Ask);
        assert_eq!((found[0].called(), found[1].called()), ("a", "Games EU"));
    }
}
