//! What is known of a network beside its operations: how to sign in, where it answers, its units and limits, its entities.

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
    /// Where its operations answer; each operation says which of them is its own.
    pub base_urls: Vec<String>,
    pub entities: Vec<EntityFacts>,
    /// Where it is registered.
    #[serde(skip)]
    pub(super) row: Option<&'static Row>,
    /// Long lists of values apart from the schemas, read when first asked for.
    #[serde(skip)]
    values: OnceLock<BTreeMap<String, ValueList>>,
    /// What ids look like, compiled when first asked for.
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
    /// The thing all networks share under this kind, as this network has it.
    pub fn of_kind(&self, kind: EntityKind) -> Option<&EntityFacts> {
        self.entities.iter().find(|entity| entity.kind() == Some(kind))
    }

    fn row(&self) -> &'static Row {
        self.row.unwrap_or_else(|| registry::row(self.network))
    }

    /// How it is asked.
    pub(crate) fn profile(&self) -> &'static Profile {
        self.row().profile
    }

    /// Whether an id has the form ids of this entity have.
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

    /// The entity of this name (`order`, `ad_slot`).
    pub fn entity(&self, name: &str) -> Option<&EntityFacts> {
        self.entities.iter().find(|entity| entity.name == name)
    }

    /// A list that schemas name by `x-enum-ref`, such as Ad Manager's `ReportDefinition.dimension`.
    pub fn values(&self, list: &str) -> Option<&ValueList> {
        let all = self.values.get_or_init(|| serde_json::from_str(self.row().values).unwrap_or_default());
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
    /// Where an object of the network says what the desk wants to know of it.
    #[serde(default)]
    pub fields: EntityFields,
    /// What the network's numbers for formats mean.
    #[serde(default)]
    pub words: BTreeMap<String, String>,
    #[serde(default)]
    pub look_up: LookUp,
    /// Where in the list operation's reply they are, when that is not where its own result is.
    #[serde(default)]
    pub list_path: Option<String>,
    /// What the list operation must be asked for them.
    #[serde(default)]
    pub list_args: serde_json::Map<String, serde_json::Value>,
    /// The operation that reads one of them by its id; found among the operations.
    #[serde(skip)]
    pub get: Option<GetTool>,
    /// The field of an object that holds its id; that of the operations' results.
    #[serde(skip)]
    pub id_field: String,
    #[serde(skip)]
    pub id_transform: Option<IdTransform>,
}

/// Dotted paths into an object of the network.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntityFields {
    /// Id (or resource name) of what it belongs to.
    #[serde(default)]
    pub parent: Option<String>,
    #[serde(default)]
    pub platform: Option<String>,
    #[serde(default)]
    pub format: Option<String>,
    #[serde(default)]
    pub status: Option<String>,
}

/// How a single one is found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LookUp {
    /// In the list of all of them, which is kept for minutes.
    #[default]
    List,
    /// By itself: there may be too many to list.
    One,
    /// Not at all: they come and go, and no list of them is sure to have them all. Their form is checked.
    Never,
}

/// An operation that reads one thing by its id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GetTool {
    pub name: String,
    /// The parameters that take the id of the thing, and of the account where it is asked for.
    pub id: String,
    pub account: Option<String>,
}

impl NetworkFacts {
    /// Takes from the operations what they say of entities: where the id is, and which one reads a single thing.
    pub(super) fn learn(&mut self, tools: &[Tool]) {
        let accounts: Vec<String> =
            self.entities.iter().filter(|e| e.kind() == Some(EntityKind::Account)).map(|e| e.name.clone()).collect();
        for entity in &mut self.entities {
            let list = entity.list_tool.as_ref().and_then(|name| tools.iter().find(|tool| tool.name == *name));
            let get = tools.iter().find_map(|tool| Some((tool, reads_one(tool, entity, &accounts)?)));
            // Of a thing that lies inside another, the list's own id is that of the other.
            let own = list.filter(|_| entity.list_path.is_none());
            let told = own.or(get.as_ref().map(|(tool, _)| *tool)).map(|tool| &tool.result);
            entity.id_field = told.and_then(|result| result.id_field.clone()).unwrap_or_else(|| "id".to_owned());
            entity.id_transform = told.and_then(|result| result.id_transform);
            entity.get = get.map(|(_, get)| get);
        }
    }
}

/// The way a tool reads one thing of this entity, if nothing but its id and the account's must be given.
fn reads_one(tool: &Tool, entity: &EntityFacts, accounts: &[String]) -> Option<GetTool> {
    // Others ask for the same id and answer something else: its experiment, its ad units.
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
