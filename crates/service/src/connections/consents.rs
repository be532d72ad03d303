//! Finds which connections share a consent. A network keeps one consent for each person and client, whatever workspace asked for it, and
//! does not say whose it is. If we revoke it for one connection, every other connection on the same consent ends. In doubt, this module
//! must never say that a consent is free to revoke.

use adagent_domain::UserId;
use adagent_identity::{Owner, Vault, VaultError};
use adagent_store::{Connection, Revocation};
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};
use zeroize::{Zeroize, ZeroizeOnDrop};

use super::source;
use crate::{Service, ServiceResult};

/// What stays of a removed connection. We seal it into the job that revokes its consent.
#[derive(Serialize, Deserialize, Zeroize, ZeroizeOnDrop)]
pub(super) struct Left {
    token: String,
    accounts: Vec<String>,
    #[zeroize(skip)]
    by: Option<UserId>,
}

/// Whether another connection uses the same consent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rests {
    No,
    /// Perhaps; only a person can tell.
    Maybe,
    Yes,
}

impl Left {
    pub fn of(connection: &Connection, token: &SecretString) -> Self {
        Self { token: token.expose_secret().to_owned(), accounts: ids(connection), by: connection.consented_by }
    }

    pub fn seal(&self, vault: &Vault, owner: &Owner) -> Result<String, VaultError> {
        vault.seal_json(owner, self)
    }

    pub fn open(vault: &Vault, owner: &Owner, sealed: &str) -> Result<Self, VaultError> {
        let opened = vault.open(owner, sealed)?;
        // A server of the previous version sealed only the token.
        Ok(serde_json::from_slice(&opened).unwrap_or_else(|_| Self {
            token: String::from_utf8_lossy(&opened).into_owned(),
            accounts: Vec::new(),
            by: None,
        }))
    }

    pub fn token(&self) -> SecretString {
        self.token.clone().into()
    }

    /// Tells whether the other connection uses this consent. A network shows each person all accounts they can reach. So for one person,
    /// the same accounts, or some more or fewer later, mean the same sign-in, and no account in common means two sign-ins. The same
    /// accounts of two people may mean one shared Google user, or two users with equal rights.
    fn carries(&self, same_network: bool, other: &Connection) -> Rests {
        let same_person = self.by.is_some() && self.by == other.consented_by;
        if !same_network {
            return match (self.by, other.consented_by) {
                _ if same_person => Rests::Yes,
                (Some(_), Some(_)) => Rests::No,
                _ => Rests::Maybe,
            };
        }
        let theirs = ids(other);
        let within = |one: &[String], other: &[String]| one.iter().all(|id| other.contains(id));
        if !self.accounts.is_empty() && !theirs.is_empty() && !self.accounts.iter().any(|id| theirs.contains(id)) {
            return Rests::No;
        }
        let one_sign_in = within(&self.accounts, &theirs) || within(&theirs, &self.accounts);
        if same_person && one_sign_in { Rests::Yes } else { Rests::Maybe }
    }
}

fn ids(connection: &Connection) -> Vec<String> {
    source::accounts(connection).into_iter().map(|account| account.id).collect()
}

impl Service {
    /// Tells whether another connection uses the consent now. Looks at the connections of its former workspace, and at those of the person
    /// who gave it, in every workspace.
    pub(super) async fn rests_on(&self, revocation: &Revocation, left: &Left) -> ServiceResult<Rests> {
        let endpoints = &self.connections.source.endpoints;
        let client = |network| {
            endpoints.oauth(network, revocation.sandbox).map(|endpoints| (&endpoints.client_id, &endpoints.token))
        };
        let others = self.store.list_consents(revocation.workspace, left.by).await?;
        let others = others.iter().filter(|other| {
            other.id != revocation.connection
                && other.sandbox == revocation.sandbox
                && other.network.uses_oauth()
                && client(other.network) == client(revocation.network)
        });
        let rests = others.map(|other| left.carries(other.network == revocation.network, other));
        Ok(rests.max().unwrap_or(Rests::No))
    }
}

#[cfg(test)]
mod tests {
    use adagent_domain::{ConnectionId, Network, Timestamp, WorkspaceId};
    use adagent_store::ConnectionState;
    use serde_json::json;
    use uuid::Uuid;

    use super::*;

    fn person(number: u128) -> UserId {
        UserId(Uuid::from_u128(number))
    }

    fn connection(by: Option<u128>, accounts: &[&str]) -> Connection {
        let account = |id: &&str| json!({"id": id, "name": id, "selected": true});
        let now: Timestamp = "2026-11-21T09:41:00Z".parse().unwrap();
        Connection {
            id: ConnectionId(Uuid::from_u128(1)),
            workspace: WorkspaceId(Uuid::from_u128(2)),
            network: Network::AdMob,
            label: "AdMob".into(),
            state: ConnectionState::Connected,
            enabled: true,
            sandbox: false,
            sealed: String::new(),
            accounts: accounts.iter().map(account).collect(),
            message: None,
            version: 1,
            created_by: person(9),
            created_at: now,
            last_verified_at: None,
            abilities: None,
            made: 1,
            consented_by: by.map(person),
        }
    }

    #[test]
    fn a_consent_goes_only_when_nothing_can_rest_on_it() {
        let left = Left::of(&connection(Some(1), &["a", "b"]), &"token".to_owned().into());
        let on = |by, accounts: &[&str]| left.carries(true, &connection(by, accounts));
        // The same person sees one account more or fewer since then.
        assert_eq!([on(Some(1), &["b", "a"]), on(Some(1), &["a"]), on(Some(1), &["a", "b", "c"])], [Rests::Yes; 3]);
        assert_eq!(on(Some(1), &[]), Rests::Yes, "not known which");
        assert_eq!([on(Some(1), &["c"]), on(Some(2), &["c"]), on(None, &["c"])], [Rests::No; 3]);
        assert_eq!([on(Some(1), &["b", "c"]), on(Some(2), &["a", "b"]), on(None, &["a"])], [Rests::Maybe; 3]);
        // The other connection is to another network of the same client.
        let beside = |by| left.carries(false, &connection(by, &["gam"]));
        assert_eq!([beside(Some(1)), beside(Some(2)), beside(None)], [Rests::Yes, Rests::No, Rests::Maybe]);
    }

    #[test]
    fn what_a_server_of_the_version_before_sealed_is_opened() {
        let vault =
            Vault::new(adagent_identity::KeyRing::parse("k:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8").unwrap());
        let owner = Owner::of("revocation", Network::AdMob, adagent_identity::Purpose::Revocation, "row");
        let opened = Left::open(&vault, &owner, &vault.seal(&owner, b"1//token").unwrap()).unwrap();
        assert_eq!((opened.token().expose_secret(), opened.by), ("1//token", None));
        let left = Left::of(&connection(Some(1), &["a"]), &"1//new".to_owned().into());
        let opened = Left::open(&vault, &owner, &left.seal(&vault, &owner).unwrap()).unwrap();
        assert_eq!((opened.token().expose_secret(), opened.by, opened.accounts.len()), ("1//new", Some(person(1)), 1));
    }
}
