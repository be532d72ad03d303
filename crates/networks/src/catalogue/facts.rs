//! What is known of a network beside its operations: how to sign in, where it answers, its units and limits, its entities.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::OnceLock,
};

use adagent_contract::EntityKind;
use adagent_domain::Network;
use serde::{Deserialize, Deserializer};

/// A network as its file describes it.
#[derive(Debug, Deserialize)]
pub struct NetworkFacts {
    pub network: Network,
    pub display_name: String,
    pub about: About,
    pub auth: AuthFacts,
    /// Where its operations answer; each operation says which of them is its own.
    pub base_urls: Vec<String>,
    pub entities: Vec<EntityFacts>,
    /// Long lists of values apart from the schemas, read when first asked for.
    #[serde(skip)]
    pub(super) packed_values: &'static str,
    #[serde(skip)]
    values: OnceLock<BTreeMap<String, ValueList>>,
}

/// The values of one list, by name.
pub type ValueList = BTreeMap<String, ValueFacts>;

impl NetworkFacts {
    /// The entity of this name (`order`, `ad_slot`).
    pub fn entity(&self, name: &str) -> Option<&EntityFacts> {
        self.entities.iter().find(|entity| entity.name == name)
    }

    /// A list that schemas name by `x-enum-ref`, such as Ad Manager's `ReportDefinition.dimension`.
    pub fn values(&self, list: &str) -> Option<&ValueList> {
        let all = self.values.get_or_init(|| serde_json::from_str(self.packed_values).unwrap_or_default());
        all.get(list)
    }

    /// The names of every such list.
    pub fn value_lists(&self) -> BTreeSet<&str> {
        self.values("");
        self.values.get().into_iter().flatten().map(|(name, _)| name.as_str()).collect()
    }
}

/// In sentences for people.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct About {
    pub money: String,
    pub time_zone: String,
    pub reports: String,
    pub limits: String,
    #[serde(default)]
    pub notes: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuthKind {
    Oauth2,
    ApiKey,
    KeyExchangeBearer,
    TokenExchangeBearer,
    SignedParams,
    HeadersAndSession,
    ClientCredentials,
}

/// How calls are signed. Tokens and sessions are got by the pipeline; that is no operation.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct AuthFacts {
    pub kind: AuthKind,
    pub fields: Vec<AuthField>,
    /// What a request carries, by scheme.
    pub wire: String,
    pub notes: String,
    #[serde(default)]
    pub authorize_endpoint: Option<String>,
    #[serde(default)]
    pub token_endpoint: Option<String>,
    #[serde(default)]
    pub reporting_token_endpoint: Option<String>,
    #[serde(default)]
    pub revoke_endpoint: Option<String>,
    #[serde(default)]
    pub scopes: Vec<String>,
}

/// One thing a person enters, or a sign-in yields.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct AuthField {
    pub name: String,
    pub label: String,
    pub secret: bool,
    /// The connection works without it; what needs it does not.
    #[serde(default)]
    pub optional: bool,
    /// What it is for, in a few words under the field.
    #[serde(default)]
    pub hint: Option<String>,
    /// Fields that are needed when this one is given.
    #[serde(default)]
    pub with: Vec<String>,
    /// Its value is a number.
    #[serde(default)]
    pub digits: bool,
}

/// A kind of thing the network has.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct EntityFacts {
    pub name: String,
    pub parent: Option<String>,
    pub id_pattern: String,
    pub display_field: String,
    /// The operation that lists them, if there is one.
    pub list_tool: Option<String>,
    /// The whole name that bodies take, where paths take only its last part.
    #[serde(default)]
    pub resource_name: Option<String>,
    /// The kind all networks share, where this network's word for it is another.
    #[serde(default, deserialize_with = "known_kind")]
    kind: Option<EntityKind>,
}

impl EntityFacts {
    /// What it is in the registry of entities, if that knows such a thing.
    pub fn kind(&self) -> Option<EntityKind> {
        self.kind.or_else(|| EntityKind::parse(&self.name))
    }
}

fn known_kind<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<EntityKind>, D::Error> {
    let name = String::deserialize(deserializer)?;
    EntityKind::parse(&name)
        .map(Some)
        .ok_or_else(|| serde::de::Error::custom(format!("{name:?} is no kind of entity all networks share")))
}

/// A value of a list: the format of its column, and the report types it works with.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ValueFacts {
    #[serde(default)]
    pub format: Option<String>,
    #[serde(default)]
    pub report_types: Vec<String>,
}
