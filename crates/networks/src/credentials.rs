//! The port that supplies credentials, so that this crate depends on no database and no vault.

use std::collections::BTreeMap;

use adagent_contract::{Abilities, AccountChoice, NetworkState};
use adagent_domain::{ConnectionId, Network, WorkspaceId};
use adagent_tools::place_of;
use async_trait::async_trait;
use secrecy::SecretString;
use url::Url;

use adagent_tools::ToolError;

/// The name that networks use for the field with an OAuth access token.
const ACCESS_TOKEN: &str = "access_token";

/// The named fields that a person gave a connection (`access_token`, `management_key`, `skey` …). They are never printed, and are wiped
/// when dropped.
#[derive(Clone, Default)]
pub struct SecretFields(BTreeMap<String, SecretString>);

impl SecretFields {
    /// Returns the only field of a connection made by OAuth.
    pub fn bearer(token: SecretString) -> Self {
        Self(BTreeMap::from([(ACCESS_TOKEN.to_owned(), token)]))
    }

    /// Returns the field if it was given and is not blank.
    pub fn get(&self, name: &str) -> Option<&SecretString> {
        use secrecy::ExposeSecret as _;
        self.0.get(name).filter(|value| !value.expose_secret().trim().is_empty())
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = &SecretString> {
        self.0.values()
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

impl<N: Into<String>> FromIterator<(N, SecretString)> for SecretFields {
    fn from_iter<I: IntoIterator<Item = (N, SecretString)>>(fields: I) -> Self {
        Self(fields.into_iter().map(|(name, value)| (name.into(), value)).collect())
    }
}

impl std::fmt::Debug for SecretFields {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// What one call needs. The caller fetches it just before the call and drops (and so wipes) it right after.
#[derive(Clone)]
pub struct Credentials {
    pub fields: SecretFields,
    /// The address of the network's first host; a trailing slash is not needed. In a sandbox, the network's other hosts are paths below it.
    pub base_url: Url,
    pub sandbox: bool,
    /// The publisher accounts of the connection, with a mark on the selected ones.
    pub accounts: Vec<AccountChoice>,
    /// Which connection this is; `None` for one that is still being made, for which we cache nothing.
    pub connection: Option<ConnectionId>,
    /// The version of the stored credentials; shows whether someone else renewed them.
    pub version: i64,
    /// Which set of credentials of the connection this is. It counts up when a person enters other credentials, but not when tokens are
    /// renewed.
    pub made: i64,
}

impl std::fmt::Debug for Credentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Credentials")
            .field("fields", &self.fields)
            .field("base_url", &self.base_url.as_str())
            .field("sandbox", &self.sandbox)
            .field("accounts", &self.accounts.len())
            .field("version", &self.version)
            .finish_non_exhaustive()
    }
}

impl Credentials {
    /// Returns the `base_url` of a live connection: the network's first host.
    pub fn live_base(network: Network) -> Url {
        let address = format!("https://{}", crate::sign::profile(network).host);
        address.parse().expect("the hosts of networks are constants, and a test reads them all")
    }

    /// Returns the `base_url` of a connection to the simulated network below this address; `None` if the address cannot have paths below
    /// it.
    pub fn sandbox_base(sandbox: &Url, network: Network) -> Option<Url> {
        let mut url = sandbox.clone();
        url.path_segments_mut().ok()?.pop_if_empty().push(network.id());
        Some(url)
    }

    /// Returns the same text as [`ConnectionMark::place`]; `None` for a connection that is still being made.
    pub fn place(&self) -> Option<String> {
        Some(place_of(self.connection?, self.made))
    }

    /// Returns the selected accounts, which are the ones that calls use.
    pub fn selected(&self) -> impl Iterator<Item = &AccountChoice> {
        self.accounts.iter().filter(|account| account.selected)
    }
}

/// Identifies the connection that an answer came from, so that we never return a cached answer of another connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectionMark {
    pub id: ConnectionId,
    /// Counts up when the stored credentials change: when a person enters other ones or tokens are renewed, by this process or another one.
    pub version: i64,
    /// Its numbers are simulated, and operations that no documentation confirms may be tried on it.
    pub sandbox: bool,
    pub selected: Vec<String>,
    /// Counts up when other credentials are entered, but not when tokens are renewed.
    pub made: i64,
    /// What the credentials may do, as far as we know.
    pub abilities: Option<Abilities>,
    /// The name that people gave it, unique among the workspace's connections to this network.
    pub label: String,
}

/// One connection of a workspace. Everything that we know, cache and count belongs to one connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Via {
    pub workspace: WorkspaceId,
    pub connection: ConnectionId,
}

/// A connection as it is stored now.
#[derive(Debug, Clone, PartialEq)]
pub struct Connected {
    pub network: Network,
    pub state: NetworkState,
    pub accounts: Vec<AccountChoice>,
    pub mark: ConnectionMark,
}

impl ConnectionMark {
    /// Returns a text for this connection with this set of credentials. What a person approved for one is never sent through another.
    pub fn place(&self) -> String {
        place_of(self.id, self.made)
    }
}

/// What a network may refuse because the credentials lack permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attempted {
    Report,
    Write,
}

/// Supplies the credentials of a workspace.
#[async_trait]
pub trait CredentialSource: Send + Sync {
    /// Returns every connection of the workspace, without a request to a network. Within each network, the oldest comes first.
    async fn connections(&self, workspace: WorkspaceId) -> Result<Vec<Connected>, ToolError>;

    /// Returns valid credentials, and refreshes them if they are about to expire. A missing connection, a disabled one and refused
    /// credentials each have their own `ToolErrorClass`.
    async fn credentials(&self, via: Via, network: Network) -> Result<Credentials, ToolError>;

    /// Refreshes credentials that the network refused (401), unless someone has refreshed them since.
    async fn renew(&self, via: Via, network: Network, refused: &Credentials) -> Result<Credentials, ToolError>;

    /// Records that the network also refused the renewed credentials: a person must fix the connection, unless someone did after these were
    /// returned.
    async fn report_auth_failure(&self, via: Via, network: Network, refused: &Credentials);

    /// Stores what an attempt showed about the permissions of these credentials, with the network's message if it refused. We tell people
    /// about it before they try again.
    async fn learned(
        &self,
        _via: Via,
        _network: Network,
        _with: &Credentials,
        _what: Attempted,
        _refused: Option<&str>,
    ) {
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_names_the_fields_and_never_their_values() {
        let fields: SecretFields =
            [("skey", "k-1234".to_owned().into()), ("secret", "s-5678".to_owned().into())].into_iter().collect();
        let credentials = Credentials {
            fields,
            base_url: "https://dev.mintegral.com".parse().expect("valid"),
            sandbox: false,
            accounts: Vec::new(),
            connection: None,
            version: 3,
            made: 1,
        };
        let printed = format!("{credentials:?}");
        assert!(printed.contains("skey") && printed.contains("secret"), "{printed}");
        assert!(!printed.contains("1234") && !printed.contains("5678"), "{printed}");
    }

    #[test]
    fn every_network_has_a_place_live_and_in_the_sandbox() {
        let sandbox = "http://127.0.0.1:3001/".parse().expect("valid");
        for network in Network::ALL {
            assert_eq!(Credentials::live_base(network).scheme(), "https");
            let base = Credentials::sandbox_base(&sandbox, network).expect("a base");
            assert_eq!(base.as_str(), format!("http://127.0.0.1:3001/{network}"));
        }
    }

    #[test]
    fn a_blank_field_counts_as_missing() {
        let fields: SecretFields = [("report_key", "  ".to_owned().into())].into_iter().collect();
        assert!(fields.get("report_key").is_none() && fields.get("other").is_none());
    }
}
