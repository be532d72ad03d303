//! The catalogue: which operations exist, what they take and how they travel. Data, read once at start.
//!
//! Must never be changed at run time, and never describe an operation the network does not have.

mod model;
mod schema;

use std::{collections::BTreeMap, sync::Arc};

use adagent_contract::{EntityKind, FieldError};
use adagent_domain::Network;
use serde_json::Value as Json;

pub(crate) use model::{BodyEncoding, HttpBinding, Method, PageKind, Pagination, QueryStyle, ResultKind, ResultSpec};
pub(crate) use schema::escape;

use crate::{ToolInfo, adapters::mask};

const ADMOB: &str = include_str!("../../catalog/admob.json");

/// The catalogue that was built in cannot be used: a mistake of this program, found at start.
#[derive(Debug, thiserror::Error)]
pub enum CatalogueError {
    #[error("catalogue {file}: {source}")]
    Parse { file: &'static str, source: serde_json::Error },
    #[error("catalogue {file}, tool {tool}: {reason}")]
    Tool { file: &'static str, tool: String, reason: String },
}

/// One operation: what callers see and how it travels.
#[derive(Debug)]
pub(crate) struct Operation {
    pub info: Arc<ToolInfo>,
    pub http: HttpBinding,
    pub result: ResultSpec,
    validator: jsonschema::Validator,
}

impl Operation {
    /// An operation no catalogue has, from the form of a catalogue file.
    #[cfg(test)]
    pub fn for_tests(network: Network, tool: Json) -> Self {
        build(network, serde_json::from_value(tool).expect("a tool")).expect("a good tool")
    }

    /// Schema errors as JSON pointers with messages for people, most outward first; then what the network would not apply.
    pub fn check(&self, args: &Json) -> Vec<FieldError> {
        let mut errors = schema::check(&self.validator, &self.info.input_schema, args);
        let ignored = mask::problems(&self.info, args);
        errors.extend(
            ignored
                .into_iter()
                .filter(|found| !errors.iter().any(|known| known.pointer == found.pointer))
                .collect::<Vec<_>>(),
        );
        errors
    }
}

/// Every operation by name, in the order of the files.
#[derive(Debug)]
pub(crate) struct Catalogue {
    order: Vec<Arc<ToolInfo>>,
    by_name: BTreeMap<String, Arc<Operation>>,
}

impl Catalogue {
    pub fn built_in() -> Result<Self, CatalogueError> {
        let mut order = Vec::new();
        let mut by_name = BTreeMap::new();
        for (file, text) in [("admob.json", ADMOB)] {
            let parsed: model::File =
                serde_json::from_str(text).map_err(|source| CatalogueError::Parse { file, source })?;
            for tool in parsed.tools {
                let name = tool.name.clone();
                let operation = build(parsed.network, tool).map_err(|reason| CatalogueError::Tool {
                    file,
                    tool: name.clone(),
                    reason,
                })?;
                order.push(operation.info.clone());
                if by_name.insert(name.clone(), Arc::new(operation)).is_some() {
                    return Err(CatalogueError::Tool { file, tool: name, reason: "is there twice".into() });
                }
            }
        }
        Ok(Self { order, by_name })
    }

    pub fn get(&self, name: &str) -> Option<&Arc<Operation>> {
        self.by_name.get(name)
    }

    pub fn tools(&self) -> &[Arc<ToolInfo>] {
        &self.order
    }
}

fn build(network: Network, tool: model::Tool) -> Result<Operation, String> {
    let validator = schema::compile(&tool.input_schema)?;
    for placeholder in tool.http.placeholders() {
        if tool.input_schema.pointer(&format!("/properties/{placeholder}")).is_none() {
            return Err(format!("path placeholder {placeholder:?} is no property of the input schema"));
        }
    }
    let entity_params = tool
        .entity_params
        .into_iter()
        .map(|(path, kind)| {
            EntityKind::parse(&kind).map(|kind| (path, kind)).ok_or_else(|| format!("unknown entity kind {kind:?}"))
        })
        .collect::<Result<Vec<_>, _>>()?;
    let info = ToolInfo {
        name: tool.name,
        title: tool.title,
        description: tool.description,
        network,
        capability: tool.capability,
        read_only: tool.read_only,
        destructive: tool.destructive,
        idempotent: tool.idempotent,
        tags: tool.tags,
        input_schema: tool.input_schema,
        entity_params,
    };
    Ok(Operation { info: Arc::new(info), http: tool.http, result: tool.result, validator })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_catalogue_has_admobs_nineteen_operations() {
        let catalogue = Catalogue::built_in().expect("loads");
        assert_eq!(catalogue.tools().len(), 19);
        assert_eq!(catalogue.tools().iter().filter(|tool| tool.read_only).count(), 11);
        let stop = catalogue.get("admob_stop_mediation_ab_experiment").expect("there");
        assert!(stop.info.destructive && !stop.info.read_only && !stop.info.idempotent);
        assert!(catalogue.get("admob_delete_everything").is_none());
    }
}
