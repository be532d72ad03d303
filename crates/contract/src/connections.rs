//! Networks and their connections.

use adagent_domain::{ConnectionId, Network, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{Abilities, EntityKind, SharedJson};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NetworkState {
    NotConnected,
    /// Credentials are there, but the publisher account has still to be chosen.
    ChooseAccount,
    Connected,
    Disabled,
    AuthFailed,
    /// Known to the contract, for a network that a version can't connect; this one connects them all.
    ComingSoon,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProviderKind {
    Oauth,
    Key,
}

/// A publisher account of a connection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccountChoice {
    pub id: String,
    pub name: String,
    pub currency: Option<String>,
    pub time_zone: Option<String>,
    pub selected: bool,
    /// What people of the workspace call it; the network need not know a name for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

impl AccountChoice {
    pub fn called(&self) -> &str {
        self.label.as_deref().unwrap_or(&self.name)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProviderView {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<ConnectionId>,
    pub network: Network,
    pub display_name: String,
    pub kind: ProviderKind,
    pub state: NetworkState,
    pub accounts: Vec<AccountChoice>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_verified_at: Option<Timestamp>,
    /// Figures are simulated.
    pub sandbox: bool,
    /// Why it does not work, when it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Calls to it are held back, because the last ones all failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused: Option<Paused>,
    /// What its credentials may do, as far as somebody looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub abilities: Option<Abilities>,
    /// When the credentials were given; they themselves never come back out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connected_at: Option<Timestamp>,
    /// What people call this connection; unique among those of its network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Of a network: every connection to it, oldest first. The fields above are those of the first one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub connections: Vec<Self>,
}

impl ProviderView {
    /// Whether questions are answered from it: one of its connections works.
    pub fn works(&self) -> bool {
        self.state == NetworkState::Connected
            || self.connections.iter().any(|connection| connection.state == NetworkState::Connected)
    }

    /// Whether its connections have to be told apart.
    pub const fn has_several(&self) -> bool {
        self.connections.len() > 1
    }
}

/// What would stop working without a connection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dependents {
    /// Runs that go on and have operations of it before them.
    pub runs: u64,
    /// Changes that wait for an approval.
    pub approvals: u64,
}

/// A network that is left alone for a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Paused {
    /// When one call tries again; nothing while that call is under way.
    pub until: Option<Timestamp>,
}

/// One field of the form in which a network's API keys are given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyField {
    pub name: String,
    pub label: String,
    /// Never comes back out once it is given.
    pub secret: bool,
    pub required: bool,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Its value is a number.
    #[serde(default)]
    pub digits: bool,
}

/// A network that is connected by API keys.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyNetworkView {
    #[serde(flatten)]
    pub provider: ProviderView,
    /// In the order in which a form asks for them.
    pub fields: Vec<KeyField>,
    /// Where new keys can lead: to the network itself, to the simulated one, or to either.
    pub places: Vec<KeyPlace>,
}

/// Where keys are tried and used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyPlace {
    Sandbox,
    Live,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "ConnectBody")]
pub struct ConnectRequest {
    pub provider: String,
    #[serde(rename = "return")]
    pub return_to: Option<String>,
    #[serde(flatten)]
    pub target: ConnectTarget,
}

/// [`ConnectRequest`] as it comes in: serde refuses unknown fields only where nothing is flattened.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ConnectBody {
    provider: String,
    #[serde(default, rename = "return")]
    return_to: Option<String>,
    #[serde(default)]
    connection_id: Option<ConnectionId>,
    #[serde(default)]
    add: bool,
    #[serde(default)]
    label: Option<String>,
}

impl From<ConnectBody> for ConnectRequest {
    fn from(body: ConnectBody) -> Self {
        let ConnectBody { provider, return_to, connection_id, add, label } = body;
        Self { provider, return_to, target: ConnectTarget { connection_id, add, label } }
    }
}

/// The argument of a call that names a connection by its label. It is this program's own: no network ever gets it.
pub const CONNECTION: &str = "connection";

/// Which connection is made. With nothing said: the network's first one, or the only one again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ConnectTarget {
    /// This one is made again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub connection_id: Option<ConnectionId>,
    /// One more account of the network, beside those that are connected.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub add: bool,
    /// What a new one is called; as its network where nobody says, with a number from the second on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

/// How a connection is called from now on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RenameConnectionRequest {
    pub label: String,
}

/// A connection by name, for anyone who has to choose between several of one network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConnectionName {
    pub network: Network,
    pub id: ConnectionId,
    pub label: String,
    pub state: NetworkState,
    /// Within the context settings.
    pub selected: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConnectResponse {
    pub authorization_url: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnableRequest {
    pub enabled: bool,
}

/// A thing of a network, as lists, forms and the context tree need it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EntityItem {
    pub network: Network,
    pub kind: EntityKind,
    /// The id the network's operations take.
    pub id: String,
    pub name: String,
    /// Id of what it belongs to: app → account, ad unit → app, adapter → ad source, mediation group → account.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The publisher account it lies in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// `android`, `ios`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub platform: Option<String>,
    /// `banner`, `interstitial` …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Label of the connection it was seen through, where its network has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connection: Option<String>,
    /// The object as the network sent it.
    #[serde(default, skip_serializing_if = "SharedJson::is_null")]
    pub raw: SharedJson,
}
