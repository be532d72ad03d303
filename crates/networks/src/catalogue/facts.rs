//! What we know of a network besides its operations: its sign-in, hosts, units, limits and entities.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::OnceLock,
};

use adagent_contract::EntityKind;
use adagent_domain::Network;
use serde::{Deserialize, Deserializer};

use super::model::{IdTransform, ResultKind, Tool};
use crate::{
    registry::{self, Row},
    sign::Profile,
};

/// A network as its file describes it.
#[derive(Deserialize)]
pub struct NetworkFacts {
    pub network: Network,
    pub display_name: String,
    pub about: About,
    pub auth: AuthFacts,
    /// The addresses of its operations; each operation names its own.
    pub base_urls: Vec<String>,
    pub entities: Vec<EntityFacts>,
    /// Its row in the registry.
    #[serde(skip)]
    pub(super) row: Option<&'static Row>,
    /// Long value lists, which are kept outside the schemas. Parsed on first use.
    #[serde(skip)]
    values: OnceLock<BTreeMap<String, ValueList>>,
    /// The patterns of IDs, compiled on first use.
    #[serde(skip)]
    forms: OnceLock<BTreeMap<String, jsonschema::Validator>>,
}

impl std::fmt::Debug for NetworkFacts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NetworkFacts").field("network", &self.network).finish_non_exhaustive()
    }
}

/// The values of one list, by name.
pub type ValueList = BTreeMap<String, ValueFacts>;

impl NetworkFacts {
    /// Returns this network's entity of a kind that all networks share.
    pub fn of_kind(&self, kind: EntityKind) -> Option<&EntityFacts> {
        self.entities.iter().find(|entity| entity.kind() == Some(kind))
    }

    fn row(&self) -> &'static Row {
        self.row.unwrap_or_else(|| registry::row(self.network))
    }

    /// Returns the rules for sending it requests.
    pub(crate) fn profile(&self) -> &'static Profile {
        self.row().profile
    }

    /// Checks whether an ID fits the pattern of this entity.
    pub fn has_form(&self, entity: &EntityFacts, id: &str) -> bool {
        let forms = self.forms.get_or_init(|| {
            let form = |entity: &EntityFacts| {
                let schema = serde_json::json!({"type": "string", "pattern": entity.id_pattern});
                Some((entity.name.clone(), jsonschema::validator_for(&schema).ok()?))
            };
            self.entities.iter().filter_map(form).collect()
        });
        forms.get(&entity.name).is_some_and(|form| form.is_valid(&serde_json::Value::from(id)))
    }

    /// Returns the entity of this name (such as `order` or `ad_slot`).
    pub fn entity(&self, name: &str) -> Option<&EntityFacts> {
        self.entities.iter().find(|entity| entity.name == name)
    }

    /// Returns a list that schemas name by `x-enum-ref`, such as Ad Manager's `ReportDefinition.dimension`.
    pub fn values(&self, list: &str) -> Option<&ValueList> {
        let all = self.values.get_or_init(|| serde_json::from_str(self.row().values).unwrap_or_default());
        all.get(list)
    }

    /// Returns the names of all such lists.
    pub fn value_lists(&self) -> BTreeSet<&str> {
        self.values("");
        self.values.get().into_iter().flatten().map(|(name, _)| name.as_str()).collect()
    }
}

/// Facts in sentences for people.
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

/// How calls are signed. The pipeline fetches tokens and sessions; no operation does.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct AuthFacts {
    pub kind: AuthKind,
    pub fields: Vec<AuthField>,
    /// What each request carries, per signature scheme.
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

/// One value that a person enters or a sign-in returns.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct AuthField {
    pub name: String,
    pub label: String,
    pub secret: bool,
    /// The connection works without this field, except for the operations that need it.
    #[serde(default)]
    pub optional: bool,
    /// A few words under the field that say what it is for.
    #[serde(default)]
    pub hint: Option<String>,
    /// Fields that must also be given when this one is.
    #[serde(default)]
    pub with: Vec<String>,
    /// Whether its value is a number.
    #[serde(default)]
    pub digits: bool,
}

/// A kind of entity that the network has.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct EntityFacts {
    pub name: String,
    pub parent: Option<String>,
    pub id_pattern: String,
    pub display_field: String,
    /// The operation that lists these entities, if there is one.
    pub list_tool: Option<String>,
    /// The template of the full resource name. Bodies take the full name; paths take only its last part.
    #[serde(default)]
    pub resource_name: Option<String>,
    /// The kind that all networks share, if this network uses a different word for it.
    #[serde(default, deserialize_with = "known_kind")]
    kind: Option<EntityKind>,
    /// Where an entity's JSON holds the properties that we use.
    #[serde(default)]
    pub fields: EntityFields,
    /// The meanings of the numbers that the network uses for formats.
    #[serde(default)]
    pub words: BTreeMap<String, String>,
    #[serde(default)]
    pub look_up: LookUp,
    /// Where the entities are in the reply of the list operation, if not where the operation's own result is.
    #[serde(default)]
    pub list_path: Option<String>,
    /// The arguments that make the list operation return them.
    #[serde(default)]
    pub list_args: serde_json::Map<String, serde_json::Value>,
    /// The operation that reads one of them by its ID. Taken from the operations.
    #[serde(skip)]
    pub get: Option<GetTool>,
    /// The field that holds an entity's ID. Taken from the results of the operations.
    #[serde(skip)]
    pub id_field: String,
    #[serde(skip)]
    pub id_transform: Option<IdTransform>,
}

/// Dotted paths into an entity's JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntityFields {
    /// The ID (or resource name) of the parent.
    #[serde(default)]
    pub parent: Option<String>,
    #[serde(default)]
    pub platform: Option<String>,
    #[serde(default)]
    pub format: Option<String>,
    #[serde(default)]
    pub status: Option<String>,
}

/// How we look a single entity up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LookUp {
    /// In the list of all entities of the kind, which we keep for minutes.
    #[default]
    List,
    /// With a request for this one, because there may be too many to list.
    One,
    /// Not at all, because these entities come and go and no list is sure to be complete. We check only the form of the ID.
    Never,
}

/// An operation that reads one entity by its ID.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GetTool {
    pub name: String,
    /// The parameter that takes the entity's ID. `account` is the one for its account, if the operation needs it.
    pub id: String,
    pub account: Option<String>,
}

impl NetworkFacts {
    /// Takes from the operations where an entity's ID is and which operation reads a single entity.
    pub(super) fn learn(&mut self, tools: &[Tool]) {
        let accounts: Vec<String> =
            self.entities.iter().filter(|e| e.kind() == Some(EntityKind::Account)).map(|e| e.name.clone()).collect();
        for entity in &mut self.entities {
            let list = entity.list_tool.as_ref().and_then(|name| tools.iter().find(|tool| tool.name == *name));
            let get = tools.iter().find_map(|tool| Some((tool, reads_one(tool, entity, &accounts)?)));
            // If the entity lies inside another one, the ID in the list operation's result belongs to the outer entity.
            let own = list.filter(|_| entity.list_path.is_none());
            let told = own.or(get.as_ref().map(|(tool, _)| *tool)).map(|tool| &tool.result);
            entity.id_field = told.and_then(|result| result.id_field.clone()).unwrap_or_else(|| "id".to_owned());
            entity.id_transform = told.and_then(|result| result.id_transform);
            entity.get = get.map(|(_, get)| get);
        }
    }
}

/// Returns how a tool reads one entity of this kind; `None` if it requires more than the entity's ID and the account's.
fn reads_one(tool: &Tool, entity: &EntityFacts, accounts: &[String]) -> Option<GetTool> {
    // Other operations take the same ID but return something else, such as an app's ad units.
    if !tool.name.ends_with(&format!("_get_{}", entity.name)) || tool.result.kind != ResultKind::Object {
        return None;
    }
    let required = tool.input_schema["required"].as_array()?;
    let mut get = GetTool { name: tool.name.clone(), id: String::new(), account: None };
    for name in required.iter().filter_map(|name| name.as_str()) {
        match tool.entity_params.get(name) {
            Some(of) if *of == entity.name => name.clone_into(&mut get.id),
            Some(of) if accounts.contains(of) => get.account = Some(name.to_owned()),
            _ => return None,
        }
    }
    (!get.id.is_empty()).then_some(get)
}

impl EntityFacts {
    /// Returns its kind in the registry of entities, if the registry has one.
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

/// A value of a list: the format of its column, and the report types that it works with.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ValueFacts {
    #[serde(default)]
    pub format: Option<String>,
    #[serde(default)]
    pub report_types: Vec<String>,
}
