//! The catalogue file as it is written.

use std::collections::BTreeMap;

use adagent_domain::Network;
use serde::Deserialize;
use serde_json::Value as Json;
use url::Url;

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
    /// Something that goes on at the network: it is asked after until it is done.
    Operation,
}

#[derive(Debug, Deserialize)]
pub struct ResultSpec {
    pub kind: ResultKind,
    pub items_path: Option<String>,
    pub pagination: Option<Pagination>,
    /// Operation that says how far it is, and the field of the first reply that names what is asked after.
    #[serde(default)]
    pub poll_tool: Option<String>,
    #[serde(default)]
    pub poll_id: Option<String>,
    #[serde(default)]
    pub done_field: Option<String>,
    #[serde(default)]
    pub error_field: Option<String>,
    #[serde(default)]
    pub progress_field: Option<String>,
    /// Where the finished result is named: a resource, or the address of a file.
    #[serde(default)]
    pub result_field: Option<String>,
    /// Operation that gives the rows of the finished result.
    #[serde(default)]
    pub next_tool: Option<String>,
    /// `csv`, when the result is a file of rows.
    #[serde(default)]
    pub format: Option<String>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PageKind {
    /// Each page names the next (page tokens, cursors).
    #[default]
    #[serde(alias = "cursor")]
    Token,
    Page,
    Offset,
}

impl PageKind {
    /// Whether pages are found by counting.
    pub const fn counts(self) -> bool {
        matches!(self, Self::Page | Self::Offset)
    }
}

/// How a list is asked for page by page.
#[derive(Debug, Deserialize)]
pub struct Pagination {
    #[serde(default)]
    pub kind: PageKind,
    /// Where the token, the number or the offset goes: a property, or a dotted path into the body.
    pub request_param: String,
    #[serde(default)]
    pub response_field: Option<String>,
    pub page_size_param: Option<String>,
    #[serde(default)]
    pub total_field: Option<String>,
}
