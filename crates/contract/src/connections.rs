//! Networks and their connections.

use adagent_domain::{ConnectionId, Network, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{Abilities, EntityKind, SharedJson};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NetworkState {
    NotConnected,
    /// The connection has credentials, but a person must still choose the publisher account.
    ChooseAccount,
    Connected,
    Disabled,
    AuthFailed,
    /// The contract has this for networks that a version cannot connect. This version connects all of them.
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
    /// The name that people in the workspace gave the account. The network may have no name for it.
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
    /// The numbers are simulated.
    pub sandbox: bool,
    /// Why the connection does not work, if it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// We hold calls to the connection back, because the last ones all failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused: Option<Paused>,
    /// What its credentials allow, as far as we have looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub abilities: Option<Abilities>,
    /// When a person gave the credentials. The API never returns the credentials themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connected_at: Option<Timestamp>,
    /// The name that people gave this connection; unique among the connections of its network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// On a network's entry: every connection to it, oldest first. The fields above are those of the first one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub connections: Vec<Self>,
}

impl ProviderView {
    /// Checks whether we can answer questions from this network: one of its connections works.
    pub fn works(&self) -> bool {
        self.state == NetworkState::Connected
            || self.connections.iter().any(|connection| connection.state == NetworkState::Connected)
    }

    /// Checks whether the network has several connections, which need their labels.
    pub const fn has_several(&self) -> bool {
        self.connections.len() > 1
    }
}

/// What would stop working without a connection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dependents {
    /// Runs that have not ended and still have operations of the connection to do.
    pub runs: u64,
    /// Changes that wait for an approval.
    pub approvals: u64,
}

/// A network that we do not call for a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Paused {
    /// When one call tries again. `None` while that call is running.
    pub until: Option<Timestamp>,
}

/// One field of the form for a network's API keys.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyField {
    pub name: String,
    pub label: String,
    /// The API never returns the value.
    pub secret: bool,
    pub required: bool,
    /// What the field is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The value is a number.
    #[serde(default)]
    pub digits: bool,
}

/// A network that people connect with API keys.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyNetworkView {
    #[serde(flatten)]
    pub provider: ProviderView,
    /// The fields in the order of the form.
    pub fields: Vec<KeyField>,
    /// Where new keys can lead: the network itself, the sandbox, or either of them.
    pub places: Vec<KeyPlace>,
}

/// Where we check and use keys.
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

/// [`ConnectRequest`] as it arrives. serde cannot refuse unknown fields in a struct with a flattened field.
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

/// The argument of a call that names a connection by its label. Only this program reads it; no network ever gets it.
pub const CONNECTION: &str = "connection";

/// The connection to make. By default, this is the network's first connection, or its only one made again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ConnectTarget {
    /// Make this connection again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub connection_id: Option<ConnectionId>,
    /// Connect one more account of the network, in addition to those already connected.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub add: bool,
    /// The label of a new connection. By default the name of its network, with a number from the second connection on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

/// The new label of a connection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RenameConnectionRequest {
    pub label: String,
}

/// A connection by its label, for a person who must choose between several of one network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConnectionName {
    pub network: Network,
    pub id: ConnectionId,
    pub label: String,
    pub state: NetworkState,
    /// The context settings select this connection.
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

/// An entity of a network, as lists, forms and the context tree need it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EntityItem {
    pub network: Network,
    pub kind: EntityKind,
    /// The ID that the network's operations accept.
    pub id: String,
    pub name: String,
    /// The ID of the entity's parent: app → account, ad unit → app, adapter → ad source, mediation group → account.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The publisher account that holds the entity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// The platform: `android` or `ios`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub platform: Option<String>,
    /// `banner`, `interstitial` …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// The label of the connection through which we read the entity, if its network has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connection: Option<String>,
    /// The object as the network sent it.
    #[serde(default, skip_serializing_if = "SharedJson::is_null")]
    pub raw: SharedJson,
}
