//! The catalog: which operations exist, which arguments they take and how we send them. It is data, read once at start.
//!
//! It must never change at run time, and never describe an operation that the network does not have.

mod facts;
mod model;
#[cfg(test)]
#[path = "../../build/refs.rs"]
mod refs;
#[cfg(test)]
#[path = "../../build/rules/mod.rs"]
pub(crate) mod rules;
#[cfg(test)]
mod tests;
mod values;

use std::{
    collections::BTreeMap,
    sync::{Arc, OnceLock},
};

use adagent_contract::{EntityKind, FieldError};
use adagent_domain::{Network, Source};
use adagent_tools::{ToolInfo, schema};
use serde_json::Value as Json;

use crate::{
    adapters::mask,
    registry::{self, Row},
};
pub use facts::{About, AuthFacts, AuthField, AuthKind, EntityFacts, LookUp, NetworkFacts, ValueFacts, ValueList};
pub(crate) use model::{BodyEncoding, HttpBinding, Method, QueryStyle};
pub use model::{IdTransform, Pagination, PaginationKind, ResultKind, ResultSpec};

/// The built-in catalog cannot be used. This is a mistake in this program, found at start.
#[derive(Debug, thiserror::Error)]
pub enum CatalogueError {
    #[error("catalog {file}: {source}")]
    Parse { file: &'static str, source: serde_json::Error },
    #[error("catalog {file}, tool {tool}: {reason}")]
    Tool { file: &'static str, tool: String, reason: String },
}

/// One operation: what callers see, and how we send it.
#[derive(Debug)]
pub struct Operation {
    pub info: Arc<ToolInfo>,
    pub network: Network,
    pub facts: Arc<NetworkFacts>,
    /// Every parameter that names an entity: its path, and the network's own word for the entity.
    pub entities: Vec<(String, String)>,
    /// The kind of the entity in the reply, or of each item in it.
    pub yields: Option<EntityKind>,
    /// Arguments that fit the schema.
    pub example: Json,
    /// Where the facts come from.
    pub reference: String,
    /// What the reply consists of.
    pub result: ResultSpec,
    pub(crate) http: HttpBinding,
    /// Compiled on first use, because a process never calls most operations.
    validator: OnceLock<Result<jsonschema::Validator, String>>,
}

/// Lets an operation be used as the tool that callers see.
impl std::ops::Deref for Operation {
    type Target = ToolInfo;

    fn deref(&self) -> &ToolInfo {
        &self.info
    }
}

impl Operation {
    /// Builds an operation that is in no catalog, from the JSON form of a catalog file.
    #[cfg(test)]
    pub(crate) fn for_tests(network: Network, mut tool: Json) -> Self {
        let built_in = Catalogue::built_in().expect("loads");
        for (name, value) in
            [("long_running", false.into()), ("confidence", "verified".into()), ("source", "a test".into())]
        {
            tool[name] = value;
        }
        tool["example"] = Json::Object(serde_json::Map::new());
        build(built_in.network(network).expect("known"), serde_json::from_value(tool).expect("a tool"))
    }

    /// Returns schema errors as JSON pointers with messages for people, outermost first, and then the fields that the network would not
    /// apply.
    pub fn check(&self, args: &Json) -> Vec<FieldError> {
        let schema = &self.info.input_schema;
        let validator = match self.validator.get_or_init(|| schema::compile(schema)) {
            Ok(validator) => validator,
            // The checks of this crate compile every schema. If one still fails here, we send nothing unchecked.
            Err(reason) => return vec![FieldError::new("", format!("cannot be checked: {reason}"))],
        };
        let mut errors = schema::check(validator, schema, args);
        for found in values::check(&self.facts, schema, args).into_iter().chain(mask::problems(&self.info, args)) {
            if !errors.iter().any(|known| known.pointer == found.pointer) {
                errors.push(found);
            }
        }
        errors
    }
}

/// Every operation by name, and the tools in the order of the files.
#[derive(Debug)]
pub struct Catalogue {
    networks: BTreeMap<Network, Arc<NetworkFacts>>,
    order: Vec<Arc<ToolInfo>>,
    by_name: BTreeMap<String, Arc<Operation>>,
}

impl Catalogue {
    /// Returns the catalog of all networks. A process reads it once, because the data never changes.
    pub fn built_in() -> Result<Arc<Self>, CatalogueError> {
        static READ: OnceLock<Arc<Catalogue>> = OnceLock::new();
        if let Some(catalogue) = READ.get() {
            return Ok(catalogue.clone());
        }
        let catalogue = Arc::new(Self::read(registry::ROWS.iter())?);
        Ok(READ.get_or_init(|| catalogue).clone())
    }

    pub(crate) fn read(rows: impl Iterator<Item = &'static Row>) -> Result<Self, CatalogueError> {
        let mut catalogue = Self { networks: BTreeMap::new(), order: Vec::new(), by_name: BTreeMap::new() };
        for row in rows {
            let (file, text) = (row.file, row.text);
            let mut parsed: model::File =
                serde_json::from_str(text).map_err(|source| CatalogueError::Parse { file, source })?;
            parsed.facts.row = Some(row);
            parsed.facts.learn(&parsed.tools);
            let facts = Arc::new(parsed.facts);
            for tool in parsed.tools {
                let name = tool.name.clone();
                let operation = build(&facts, tool);
                catalogue.order.push(operation.info.clone());
                if catalogue.by_name.insert(name.clone(), Arc::new(operation)).is_some() {
                    return Err(CatalogueError::Tool { file, tool: name, reason: "is listed twice".into() });
                }
            }
            catalogue.networks.insert(facts.network, facts);
        }
        Ok(catalogue)
    }

    pub fn get(&self, name: &str) -> Option<&Arc<Operation>> {
        self.by_name.get(name)
    }

    /// Returns every tool, whether or not we offer it.
    pub fn tools(&self) -> &[Arc<ToolInfo>] {
        &self.order
    }

    pub fn of_network(&self, network: Network) -> impl Iterator<Item = &Arc<ToolInfo>> {
        self.order.iter().filter(move |tool| tool.network() == Some(network))
    }

    /// Returns the tools of one capability (such as `reporting` or `orders`) of all networks.
    pub fn of_capability(&self, capability: &str) -> impl Iterator<Item = &Arc<ToolInfo>> {
        self.order.iter().filter(move |tool| tool.capability == capability)
    }

    /// Returns what we know of a network besides its operations.
    pub fn network(&self, network: Network) -> Option<&Arc<NetworkFacts>> {
        self.networks.get(&network)
    }
}

fn build(network: &Arc<NetworkFacts>, tool: model::Tool) -> Operation {
    let kind = |name: &str| network.entity(name).and_then(EntityFacts::kind);
    let known = tool.entity_params.iter().filter_map(|(path, name)| Some((path.clone(), kind(name)?)));
    let yields = yields(network, &tool);
    let info = ToolInfo {
        entity_params: known.collect(),
        name: tool.name,
        title: tool.title,
        description: tool.description,
        source: Source::Network(network.network),
        capability: tool.capability,
        read_only: tool.read_only,
        destructive: tool.destructive,
        idempotent: tool.idempotent,
        long_running: tool.long_running,
        confidence: tool.confidence,
        tags: tool.tags,
        input_schema: tool.input_schema.into(),
    };
    Operation {
        info: Arc::new(info),
        network: network.network,
        facts: Arc::clone(network),
        entities: tool.entity_params.into_iter().collect(),
        yields,
        example: tool.example,
        reference: tool.source,
        http: tool.http,
        result: tool.result,
        validator: OnceLock::new(),
    }
}

/// Returns the kind of entity that an operation lists, reads, makes or changes; `None` if its reply is no entity (a report, a batch).
fn yields(network: &NetworkFacts, tool: &model::Tool) -> Option<EntityKind> {
    let listed = |entity: &&EntityFacts| entity.list_path.is_none() && entity.list_tool.as_ref() == Some(&tool.name);
    let read = |entity: &&EntityFacts| entity.get.as_ref().is_some_and(|get| get.name == tool.name);
    // The name begins with the name of the network.
    let named = tool.name.split_once('_').and_then(|(_, name)| {
        let (verb, noun) = name.split_once('_')?;
        matches!(verb, "create" | "update" | "delete" | "get").then_some(noun)
    });
    let made = |entity: &&EntityFacts| {
        named.is_some_and(|noun| noun == entity.name || noun.strip_suffix('s').is_some_and(|one| one == entity.name))
    };
    let found = network.entities.iter().find(listed).or_else(|| network.entities.iter().find(read));
    // If two operations list one kind of entity (the values of one key, and all values), the name decides.
    let found = found
        .or_else(|| if tool.result.kind == ResultKind::Report { None } else { network.entities.iter().find(made) });
    found.and_then(EntityFacts::kind)
}

/// Checks whether an object with these fields is one value for people: an amount of money, a date, a size, a time of day.
pub(crate) fn is_one_value(has: impl Fn(&str) -> bool) -> bool {
    let pairs =
        [("currencyCode", "units"), ("units", "nanos"), ("year", "month"), ("width", "height"), ("hours", "minutes")];
    pairs.iter().any(|(one, other)| has(one) && has(other))
}
