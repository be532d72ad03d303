//! The catalogue file as it is written.

use std::collections::BTreeMap;

use adagent_domain::Network;
use serde::Deserialize;
use serde_json::Value as Json;

#[derive(Debug, Deserialize)]
pub struct File {
    pub network: Network,
    pub tools: Vec<Tool>,
}

#[derive(Debug, Deserialize)]
pub struct Tool {
    pub name: String,
    pub title: String,
    pub description: String,
    pub capability: String,
    pub tags: Vec<String>,
    pub read_only: bool,
    pub destructive: bool,
    pub idempotent: bool,
    pub http: HttpBinding,
    pub input_schema: Json,
    pub entity_params: BTreeMap<String, String>,
    pub result: ResultSpec,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Method {
    Get,
    Post,
    Patch,
    Put,
    Delete,
}

/// How an operation travels: `{x}` in the path are properties, `query` names the ones in the query, `body` is the property `body`.
#[derive(Debug, Deserialize)]
pub struct HttpBinding {
    pub method: Method,
    pub path: String,
    #[serde(default)]
    pub query: Vec<String>,
    #[serde(default)]
    pub body: bool,
}

impl HttpBinding {
    /// Names between braces, in order.
    pub fn placeholders(&self) -> impl Iterator<Item = &str> {
        self.path.split('{').skip(1).filter_map(|rest| rest.split_once('}').map(|(name, _)| name))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResultKind {
    List,
    Object,
    Report,
}

#[derive(Debug, Deserialize)]
pub struct ResultSpec {
    pub kind: ResultKind,
    pub items_path: Option<String>,
    pub pagination: Option<Pagination>,
}

/// Page tokens: the only way AdMob pages.
#[derive(Debug, Deserialize)]
pub struct Pagination {
    pub request_param: String,
    pub response_field: String,
    pub page_size_param: Option<String>,
}
