//! The catalogue file as it is packed: the network's facts, then its operations.

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

/// How several values of one query parameter are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QueryStyle {
    /// One parameter, values between commas.
    Csv,
    /// The parameter once for each value.
    Repeat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BodyEncoding {
    Form,
}

/// How an operation travels: `{x}` in the path are properties, `query` names the ones in the query, `body` is the property `body`.
#[derive(Debug, Deserialize)]
pub struct HttpBinding {
    pub method: Method,
    /// Where the path begins: host and what lies before; the network's own host, when it is not said.
    #[serde(default)]
    pub base: Option<Url>,
    pub path: String,
    #[serde(default)]
    pub query: Vec<String>,
    /// Property → name on the wire, where they differ.
    #[serde(default)]
    pub query_names: BTreeMap<String, String>,
    #[serde(default)]
    pub query_style: BTreeMap<String, QueryStyle>,
    /// Property with a map → prefix of the parameters it is spread into.
    #[serde(default)]
    pub query_maps: BTreeMap<String, String>,
    #[serde(default)]
    pub body: bool,
    #[serde(default)]
    pub body_encoding: Option<BodyEncoding>,
    /// Sent with every call.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// Name on the wire → field of the connection.
    #[serde(default)]
    pub header_auth: BTreeMap<String, String>,
    #[serde(default)]
    pub query_auth: BTreeMap<String, String>,
    /// Signature scheme, where the network has several.
    #[serde(default)]
    pub auth: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResultKind {
    List,
    Object,
    Report,
    /// Something that goes on at the network: the answer says how to ask for what becomes of it.
    Operation,
}

/// What an answer consists of. Paths go from field to field by dots; the empty path is the answer itself.
#[derive(Debug, Deserialize)]
pub struct ResultSpec {
    pub kind: ResultKind,
    pub items_path: Option<String>,
    /// The field of an item that holds its id.
    #[serde(default)]
    pub id_field: Option<String>,
    #[serde(default)]
    pub id_transform: Option<IdTransform>,
    pub pagination: Option<Pagination>,
    /// Of an operation that goes on: where it says that it is done, how far it is, what went wrong, what came of it.
    #[serde(default)]
    pub done_field: Option<String>,
    #[serde(default)]
    pub progress_field: Option<String>,
    #[serde(default)]
    pub error_field: Option<String>,
    #[serde(default)]
    pub result_field: Option<String>,
    /// The operation that asks how far it is, and the field of the answer that names what to ask about.
    #[serde(default)]
    pub poll_tool: Option<String>,
    #[serde(default)]
    pub poll_id: Option<String>,
    /// The operation that fetches what came of it.
    #[serde(default)]
    pub next_tool: Option<String>,
    /// `csv`, when the rows come as such a file.
    #[serde(default)]
    pub format: Option<String>,
}

/// How an id is taken from the field that holds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum IdTransform {
    #[serde(rename = "last path segment of name")]
    LastSegment,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PaginationKind {
    /// The answer carries the token of the next page.
    Token,
    /// Pages are numbered from one.
    Page,
    /// A page begins so many items from the start.
    Offset,
    Cursor,
}

impl PaginationKind {
    /// Whether pages are found by counting; otherwise each names the next.
    pub const fn counts(self) -> bool {
        matches!(self, Self::Page | Self::Offset)
    }
}

/// How an operation pages. Parameters are paths into the arguments (`pageToken`, `body.page`), fields are paths into the answer.
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
