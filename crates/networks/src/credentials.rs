//! Where credentials come from: a port, so that this crate knows neither database nor vault.

use std::collections::BTreeMap;

use adagent_contract::{Abilities, AccountChoice, NetworkState};
use adagent_domain::{ConnectionId, Network, WorkspaceId};
use adagent_tools::place_of;
use async_trait::async_trait;
use secrecy::SecretString;
use url::Url;

use adagent_tools::ToolError;

/// What a network calls the field in which an OAuth access token is kept.
const ACCESS_TOKEN: &str = "access_token";

/// The named fields a person gave a connection (`access_token`, `management_key`, `skey` …). Never printed, wiped when dropped.
#[derive(Clone, Default)]
pub struct SecretFields(BTreeMap<String, SecretString>);

impl SecretFields {
    /// The one field of a connection made by OAuth.
    pub fn bearer(token: SecretString) -> Self {
        Self(BTreeMap::from([(ACCESS_TOKEN.to_owned(), token)]))
    }

    /// The field, when it was given and says something.
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

/// What one call needs; fetched just before it, dropped (and wiped) just after.
#[derive(Clone)]
pub struct Credentials {
    pub fields: SecretFields,
    /// Where the network's first host is, without trailing slash needed; in a sandbox its other hosts lie below it.
    pub base_url: Url,
    pub sandbox: bool,
    /// The publisher accounts of the connection, with which of them are selected.
    pub accounts: Vec<AccountChoice>,
    /// Which connection this is; `None` for one that is just being made: nothing is kept for it.
    pub connection: Option<ConnectionId>,
    /// Version of the stored credentials, to tell a renewal by somebody else.
    pub version: i64,
    /// Which making of the connection they are of: other credentials are another one, renewed tokens are not.
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
    /// The `base_url` of a live connection: the network's first host.
    pub fn live_base(network: Network) -> Url {
        let address = format!("https://{}", crate::sign::profile(network).host);
        address.parse().expect("the hosts of networks are constants, and a test reads them all")
    }

    /// The `base_url` of a connection to the simulated network below this address; `None` when that is no place for one.
    pub fn sandbox_base(sandbox: &Url, network: Network) -> Option<Url> {
        let mut url = sandbox.clone();
        url.path_segments_mut().ok()?.pop_if_empty().push(network.id());
        Some(url)
    }

    /// As [`ConnectionMark::place`]; nothing for a connection that is just being made.
    pub fn place(&self) -> Option<String> {
        Some(place_of(self.connection?, self.made))
    }

    /// The accounts work happens in: the selected ones.
    pub fn selected(&self) -> impl Iterator<Item = &AccountChoice> {
        self.accounts.iter().filter(|account| account.selected)
    }
}

/// Which connection answers are of: known answers of another one are never given out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectionMark {
    pub id: ConnectionId,
    /// Counts up when the connection is made again, also by another process.
    pub version: i64,
    /// Its figures are simulated, and what no documentation confirms may be tried there.
    pub sandbox: bool,
    pub selected: Vec<String>,
    /// Counts up when other credentials were given, and not when tokens were renewed.
    pub made: i64,
    /// What the credentials may do, as far as somebody looked.
    pub abilities: Option<Abilities>,
    /// What people call it, unique among those of its workspace and network.
    pub label: String,
}

/// One connection of a workspace: what is known, cached and counted of a network belongs to it.
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
    /// Which connection, as it was made: what was approved for one is not sent through another.
    pub fn place(&self) -> String {
        place_of(self.id, self.made)
    }
}

/// What may be refused for want of rights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attempted {
    Report,
    Write,
}

/// Gives out credentials of a workspace.
#[async_trait]
pub trait CredentialSource: Send + Sync {
    /// Every connection the workspace has, without touching a network; of each network the oldest first.
    async fn connections(&self, workspace: WorkspaceId) -> Result<Vec<Connected>, ToolError>;

    /// Fresh credentials, refreshed when they are about to expire. Not connected, disabled and refused are errors of their class.
    async fn credentials(&self, via: Via, network: Network) -> Result<Credentials, ToolError>;

    /// The network refused these (401): refresh now, unless somebody did since.
    async fn renew(&self, via: Via, network: Network, refused: &Credentials) -> Result<Credentials, ToolError>;

    /// Renewed credentials were refused too: the connection needs a person, unless somebody mended it since these were given out.
    async fn report_auth_failure(&self, via: Via, network: Network, refused: &Credentials);

    /// What an attempt said of these credentials' rights, with the network's words where it refused: kept, so that people are
    /// told before it is tried again.
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
