//! The form of a packed catalog file: the facts of the network, then its operations.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value as Json;
use url::Url;

use super::facts::NetworkFacts;
use adagent_tools::Confidence;

#[derive(Debug, Deserialize)]
pub struct File {
    #[serde(flatten)]
    pub facts: NetworkFacts,
    pub tools: Vec<Tool>,
}

#[derive(Debug, Deserialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "four independent facts about an operation, as tool protocols name them"
)]
pub struct Tool {
    pub name: String,
    pub title: String,
    pub description: String,
    pub capability: String,
    pub tags: Vec<String>,
    pub read_only: bool,
    pub destructive: bool,
    pub idempotent: bool,
    pub long_running: bool,
    pub http: HttpBinding,
    pub input_schema: Json,
    pub entity_params: BTreeMap<String, String>,
    pub result: ResultSpec,
    pub confidence: Confidence,
    pub source: String,
    pub example: Json,
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

impl Method {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Patch => "PATCH",
            Self::Put => "PUT",
            Self::Delete => "DELETE",
        }
    }
}

/// How a query parameter with several values is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QueryStyle {
    /// One parameter, with the values separated by commas.
    Csv,
    /// The parameter once for each value.
    Repeat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BodyEncoding {
    Form,
}

/// How we send an operation. `{x}` in the path is a property, `query` names the properties for the query, and the property `body` is the
/// body.
#[derive(Debug, Deserialize)]
pub struct HttpBinding {
    pub method: Method,
    /// What comes before the path: the host and, for some operations, the start of the path. If missing, the network's own host is used.
    #[serde(default)]
    pub base: Option<Url>,
    pub path: String,
    #[serde(default)]
    pub query: Vec<String>,
    /// Property → its name in the query, if it differs.
    #[serde(default)]
    pub query_names: BTreeMap<String, String>,
    #[serde(default)]
    pub query_style: BTreeMap<String, QueryStyle>,
    /// Property that holds a map → prefix of the query parameters that its entries become.
    #[serde(default)]
    pub query_maps: BTreeMap<String, String>,
    #[serde(default)]
    pub body: bool,
    #[serde(default)]
    pub body_encoding: Option<BodyEncoding>,
    /// Headers that every call sends.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// Header name → field of the connection.
    #[serde(default)]
    pub header_auth: BTreeMap<String, String>,
    #[serde(default)]
    pub query_auth: BTreeMap<String, String>,
    /// The signature scheme, if the network has several.
    #[serde(default)]
    pub auth: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResultKind {
    List,
    Object,
    Report,
    /// Work that continues at the network. The reply says how to ask for its result.
    Operation,
}

/// What a reply consists of. Paths join fields with dots; the empty path is the reply itself.
#[derive(Debug, Deserialize)]
pub struct ResultSpec {
    pub kind: ResultKind,
    pub items_path: Option<String>,
    /// The field of an item that holds its ID.
    #[serde(default)]
    pub id_field: Option<String>,
    #[serde(default)]
    pub id_transform: Option<IdTransform>,
    pub pagination: Option<Pagination>,
    /// For an operation that continues at the network: the fields for whether it is done, its progress, its error and its result.
    #[serde(default)]
    pub done_field: Option<String>,
    #[serde(default)]
    pub progress_field: Option<String>,
    #[serde(default)]
    pub error_field: Option<String>,
    #[serde(default)]
    pub result_field: Option<String>,
    /// The operation that asks for the progress, and the field of the reply that names what to ask about.
    #[serde(default)]
    pub poll_tool: Option<String>,
    #[serde(default)]
    pub poll_id: Option<String>,
    /// The operation that fetches the result.
    #[serde(default)]
    pub next_tool: Option<String>,
    /// The format of the rows: `csv` if they come as a CSV file.
    #[serde(default)]
    pub format: Option<String>,
}

/// How to get an ID from the field that holds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum IdTransform {
    #[serde(rename = "last path segment of name")]
    LastSegment,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PaginationKind {
    /// The reply carries the token of the next page.
    Token,
    /// Pages are numbered from one.
    Page,
    /// A page begins at a given number of items from the start.
    Offset,
    Cursor,
}

impl PaginationKind {
    /// Checks whether pages are found by counting. Otherwise each page names the next one.
    pub const fn counts(self) -> bool {
        matches!(self, Self::Page | Self::Offset)
    }
}

/// How an operation pages. Parameters are paths into the arguments (`pageToken`, `body.page`); fields are paths into the reply.
#[derive(Debug, Deserialize)]
pub struct Pagination {
    pub kind: PaginationKind,
    pub request_param: String,
    pub response_field: Option<String>,
    pub page_size_param: Option<String>,
    #[serde(default)]
    pub skip_param: Option<String>,
    #[serde(default)]
    pub total_field: Option<String>,
}
