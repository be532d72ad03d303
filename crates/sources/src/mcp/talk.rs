//! One session with a server: begin, list its tools, call one, end. This module never repeats a request.

use std::{collections::HashMap, sync::Arc, time::Duration};

use adagent_contract::{MOST_SERVER_TOOLS, SharedJson, ToolServerSignIn};
use adagent_outgoing::{Elsewhere, WayOut, host_and_port, was_not_public};
use http::{HeaderName, HeaderValue};
use rmcp::{
    ClientHandler, RoleClient, ServiceExt,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ClientConfig, Implementation,
        JsonObject, ListToolsResult, PaginatedRequestParams, Tool,
    },
    service::RunningService,
    transport::{
        StreamableHttpClientTransport, common::client_side_sse::NeverRetry,
        streamable_http_client::StreamableHttpClientTransportConfig,
    },
};
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value as Json, json};
use sha2::{Digest as _, Sha256};
use tokio::time::timeout;
use url::Url;

use super::{
    answer, pin, schema,
    trouble::{NoSignIn, Trouble, challenge_in},
};

/// The time limit for a check of a server, or for a whole call.
pub(super) const MOST_TIME: Duration = Duration::from_secs(10);
/// The time limit for ending a session. We end it only as a courtesy.
const END_TIME: Duration = Duration::from_millis(500);
/// The most bytes of one raw answer.
const MOST_BYTES: usize = 2 * 1024 * 1024;
const MOST_ERROR_BYTES: usize = 4 * 1024;
/// The most bytes of what an authorization server says of itself or of our client.
const MOST_DOCUMENT: usize = 64 * 1024;
/// How many pages of a list of tools we read. We ignore later pages.
const MOST_PAGES: usize = 10;
/// The most bytes that we keep of all tools of a server, because each message reads them again.
const MOST_KEPT: usize = 256 * 1024;
const MOST_REDIRECTS: usize = 3;
const MOST_NAME: usize = 64;
const MOST_TITLE: usize = 80;
const MOST_DESCRIPTION: usize = 2_000;

/// A tool as a server describes it now.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    pub name: String,
    pub title: Option<String>,
    pub description: String,
    pub input_schema: SharedJson,
    pub digest: String,
}

impl Found {
    fn bytes(&self) -> usize {
        self.description.len() + self.input_schema.to_string().len()
    }
}

/// The result of a check of a server.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Listing {
    pub tools: Vec<Found>,
    /// How many tools we do not accept.
    pub left_out: u32,
}

impl Listing {
    /// Adds further listed tools.
    fn with(mut self, tools: &[Tool], secret: Option<&str>) -> Self {
        let mut room = MOST_KEPT.saturating_sub(self.tools.iter().map(Found::bytes).sum());
        for tool in tools {
            let taken = self.tools.len() < MOST_SERVER_TOOLS && !known(&self, tool);
            match taken.then(|| found_of(tool, secret)).flatten() {
                Some(found) if found.bytes() <= room => {
                    room -= found.bytes();
                    self.tools.push(found);
                }
                _ => self.left_out = self.left_out.saturating_add(1),
            }
        }
        self
    }

    /// Returns the tools of a server that was just connected.
    pub fn first(&self) -> Vec<adagent_contract::ServerTool> {
        self.tools.iter().map(pin::first).collect()
    }
}

/// The address of a server, and how we sign in there.
#[derive(Debug, Clone)]
pub struct Door {
    pub url: Url,
    pub sign_in: ToolServerSignIn,
    pub secret: Option<SecretString>,
}

impl Door {
    pub(super) fn secret(&self) -> Option<&str> {
        self.secret.as_ref().map(ExposeSecret::expose_secret)
    }
}

/// A client that refuses every request of a server: no model, no files, no forms.
#[derive(Clone)]
struct Silent;

impl ClientHandler for Silent {
    fn get_info(&self) -> ClientConfig {
        ClientConfig::new(ClientCapabilities::default(), Implementation::new("adagentai", env!("CARGO_PKG_VERSION")))
    }
}

/// How we reach tool servers.
#[derive(Debug, Clone)]
pub(super) struct Reach {
    client: reqwest::Client,
    /// Follows no redirect; for what signing in sends.
    pub plain: reqwest::Client,
    /// The hosts that the configuration allows.
    allowed: Vec<String>,
}

impl Reach {
    pub fn new(allowed: Vec<String>, mut way: WayOut) -> Result<Self, reqwest::Error> {
        way.own_hosts.extend(allowed.iter().map(|entry| host_and_port(entry).0.to_owned()));
        // Another path on the same host is the same server. Any other host would receive a request that is meant for this one.
        let policy = reqwest::redirect::Policy::custom(|attempt| {
            let same = attempt.previous().first().is_some_and(|first| first.origin() == attempt.url().origin());
            let keeps_its_method = matches!(attempt.status().as_u16(), 307 | 308);
            if same && keeps_its_method && attempt.previous().len() <= MOST_REDIRECTS {
                attempt.follow()
            } else {
                attempt.stop()
            }
        });
        let base = |way| adagent_outgoing::client(Duration::from_secs(5), way).timeout(MOST_TIME);
        let plain = base(way.clone()).build()?;
        Ok(Self { client: base(way).redirect(policy).build()?, plain, allowed })
    }

    /// Checks an address before anything is sent there.
    pub fn admits(&self, url: &Url) -> Result<(), Trouble> {
        Elsewhere::of(url, &self.allowed).map_or(Ok(()), |why| Err(Trouble::Elsewhere(why)))
    }

    pub async fn begin(&self, door: &Door) -> Result<Talk, Trouble> {
        self.admits(&door.url)?;
        let begun = Silent.serve(self.transport(door)?).await;
        let service = begun.map_err(|error| Trouble::of_start(&error, door.secret()))?;
        Ok(Talk { service, secret: door.secret.clone() })
    }

    /// Asks a server for its tools without signing in. Returns the header with which it asks for a sign-in, if it does.
    pub async fn challenge(&self, url: &Url) -> Result<Option<String>, Trouble> {
        let door = Door { url: url.clone(), sign_in: ToolServerSignIn::None, secret: None };
        let (trouble, header) = match Silent.serve(self.transport(&door)?).await {
            Err(error) => (Trouble::of_start(&error, None), challenge_in(&error)),
            Ok(service) => {
                let talk = Talk { service, secret: None };
                let listed = talk.service.list_tools(None).await;
                talk.end().await;
                match listed {
                    Err(error) => (Trouble::of_call(&error, None), challenge_in(&error)),
                    Ok(_) => return Ok(None),
                }
            }
        };
        match trouble {
            // Anything that it says without a token may be its way to ask for one.
            Trouble::Unauthorized | Trouble::Strange | Trouble::Refused(_) | Trouble::Failed(_) => Ok(header),
            trouble => Err(trouble),
        }
    }

    /// Sends a request of a sign-in. Returns the status and a short answer.
    pub async fn asked(&self, url: &Url, request: reqwest::RequestBuilder) -> Result<(u16, Vec<u8>), Trouble> {
        let elsewhere = || Trouble::SignIn(NoSignIn::Elsewhere);
        self.admits(url).map_err(|_| elsewhere())?;
        let lost = |error: reqwest::Error| match () {
            () if was_not_public(&error) => elsewhere(),
            () if error.is_timeout() => Trouble::OutOfTime,
            () => Trouble::Unreachable,
        };
        let mut response = request.send().await.map_err(lost)?;
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(lost)? {
            if body.len() + chunk.len() > MOST_DOCUMENT {
                return Err(Trouble::TooLong);
            }
            body.extend_from_slice(&chunk);
        }
        Ok((response.status().as_u16(), body))
    }

    fn transport(&self, door: &Door) -> Result<StreamableHttpClientTransport<reqwest::Client>, Trouble> {
        let mut config = StreamableHttpClientTransportConfig::with_uri(door.url.as_str());
        config.retry_config = Arc::new(NeverRetry::default());
        config.reinit_on_expired_session = false;
        config.max_json_response_size = MOST_BYTES;
        config.max_sse_event_size = MOST_BYTES;
        config.max_error_response_size = MOST_ERROR_BYTES;
        match (&door.sign_in, door.secret()) {
            (ToolServerSignIn::Bearer | ToolServerSignIn::Oauth { .. }, Some(token)) => {
                config.auth_header = Some(token.to_owned());
            }
            (ToolServerSignIn::Header { name }, Some(key)) => config.custom_headers = header(name, key)?,
            _ => {}
        }
        Ok(StreamableHttpClientTransport::with_client(self.client.clone(), config))
    }

    /// Returns everything a server offers now.
    pub async fn look(&self, door: &Door) -> Result<Listing, Trouble> {
        let look = async {
            let talk = self.begin(door).await?;
            let listing = talk.list().await;
            talk.end().await;
            listing
        };
        timeout(MOST_TIME, look).await.unwrap_or(Err(Trouble::OutOfTime))
    }
}

fn header(name: &str, key: &str) -> Result<HashMap<HeaderName, HeaderValue>, Trouble> {
    let name = HeaderName::try_from(name).map_err(|_| Trouble::Unauthorized)?;
    let mut value = HeaderValue::try_from(key).map_err(|_| Trouble::Unauthorized)?;
    value.set_sensitive(true);
    Ok(HashMap::from([(name, value)]))
}

pub(super) struct Talk {
    service: RunningService<RoleClient, Silent>,
    secret: Option<SecretString>,
}

impl Talk {
    fn secret(&self) -> Option<&str> {
        self.secret.as_ref().map(ExposeSecret::expose_secret)
    }

    async fn page(&self, cursor: Option<String>) -> Result<ListToolsResult, Trouble> {
        let params = PaginatedRequestParams::default().with_cursor(cursor);
        let page = self.service.list_tools(Some(params)).await;
        page.map_err(|error| Trouble::of_call(&error, self.secret()))
    }

    pub async fn list(&self) -> Result<Listing, Trouble> {
        let (mut listing, mut cursor) = (Listing::default(), None);
        for _ in 0..MOST_PAGES {
            let page = self.page(cursor).await?;
            cursor = page.next_cursor;
            // Process a server's data on another thread, so that other work on this thread does not wait.
            let secret = self.secret.clone();
            let take = move || listing.with(&page.tools, secret.as_ref().map(ExposeSecret::expose_secret));
            let taken = tokio::task::spawn_blocking(take).await;
            listing = taken.map_err(|_| Trouble::Strange)?;
            if cursor.is_none() {
                return Ok(listing);
            }
        }
        Ok(listing)
    }

    /// Checks whether the server still describes a tool exactly as accepted. Reads only as far in the list as this needs.
    pub async fn describes(&self, name: &str, digest: &str) -> Result<bool, Trouble> {
        let mut cursor = None;
        for _ in 0..MOST_PAGES {
            let page = self.page(cursor).await?;
            if let Some(tool) = page.tools.iter().find(|tool| tool.name == name) {
                return Ok(digest_of(tool) == digest);
            }
            cursor = page.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
        Ok(false)
    }

    /// Sends one call. If the server requests anything before it answers, we refuse.
    pub async fn call(&self, tool: &str, args: &Json) -> Result<CallToolResult, Trouble> {
        let args: JsonObject = args.as_object().cloned().unwrap_or_default();
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(args);
        match self.service.call_tool_once(params).await {
            Ok(CallToolResponse::Complete(result)) => Ok(result),
            Ok(_) => Err(Trouble::Strange),
            Err(error) => Err(Trouble::of_call(&error, self.secret())),
        }
    }

    pub async fn end(self) {
        // The session ends by itself even if nobody waits for it.
        let _ = timeout(END_TIME, self.service.cancel()).await;
    }
}

fn known(listing: &Listing, tool: &Tool) -> bool {
    listing.tools.iter().any(|known| known.name == tool.name)
}

fn title_of(tool: &Tool) -> Option<&str> {
    tool.title.as_deref().or_else(|| tool.annotations.as_ref()?.title.as_deref())
}

fn found_of(tool: &Tool, secret: Option<&str>) -> Option<Found> {
    let schema = Json::Object(tool.input_schema.as_ref().clone());
    let found = found(&tool.name, title_of(tool), tool.description.as_deref().unwrap_or_default(), &schema, secret)?;
    // We leave out a tool whose form contains our own secret.
    let form = found.input_schema.to_string();
    (answer::hushed(&form, secret) == form).then_some(found)
}

fn digest_of(tool: &Tool) -> String {
    let schema = Json::Object(tool.input_schema.as_ref().clone());
    digest(&tool.name, title_of(tool), tool.description.as_deref().unwrap_or_default(), &schema)
}

/// Computes the digest of what the server sends, not of the part that we show.
fn digest(name: &str, title: Option<&str>, description: &str, schema: &Json) -> String {
    hex::encode(Sha256::digest(canonical(&json!([name, title, description, schema])).as_bytes()))
}

/// Returns a tool in the form that we use. `None` if it is too long or if we could not check it.
pub(super) fn found(
    name: &str,
    title: Option<&str>,
    description: &str,
    schema: &Json,
    secret: Option<&str>,
) -> Option<Found> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | ':');
    if name.is_empty() || name.len() > MOST_NAME || !name.chars().all(fits) || description.len() > 4 * MOST_DESCRIPTION
    {
        return None;
    }
    let digest = digest(name, title, description, schema);
    let title = title.map(|title| answer::said(title, MOST_TITLE, secret)).filter(|title| !title.is_empty());
    let description = answer::hushed(&answer::plain(description), secret).chars().take(MOST_DESCRIPTION).collect();
    Some(Found { name: name.to_owned(), title, description, input_schema: schema::flat(schema)?.into(), digest })
}

/// Returns the same text for any order of keys.
fn canonical(value: &Json) -> String {
    match value {
        Json::Object(fields) => {
            let mut names: Vec<&String> = fields.keys().collect();
            names.sort();
            let fields = names.iter().map(|name| format!("{}:{}", json!(name), canonical(&fields[name.as_str()])));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
        }
        Json::Array(items) => format!("[{}]", items.iter().map(canonical).collect::<Vec<_>>().join(",")),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_and_rule_of_a_tool_is_pinned() {
        let schema = json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}});
        let of = |name, title, text, schema: &Json| found(name, title, text, schema, None).expect("fits").digest;
        let pinned = of("echo", None, "Says it again.", &schema);
        let turned = json!({"properties": {"b": {"type": "integer"}, "a": {"type": "string"}}, "type": "object"});
        assert_eq!(pinned, of("echo", None, "Says it again.", &turned));
        for other in [
            of("echo2", None, "Says it again.", &schema),
            of("echo", Some("Echo"), "Says it again.", &schema),
            of("echo", None, "Says it again.\u{200B}", &schema),
            of("echo", None, &format!("Says it again.{}x", " ".repeat(MOST_DESCRIPTION)), &schema),
            of("echo", None, "Says it again.", &json!({"type": "object"})),
        ] {
            assert_ne!(pinned, other);
        }
    }

    #[test]
    fn all_tools_of_a_server_have_their_bounds() {
        let long = |n: usize| {
            let fields = (0..25).map(|at| (format!("f{at}"), json!({"description": "x".repeat(950)})));
            let schema = json!({"type": "object", "properties": fields.collect::<serde_json::Map<_, _>>()});
            serde_json::from_value(json!({"name": format!("t{n}"), "inputSchema": schema})).expect("a tool")
        };
        let tools: Vec<Tool> = (0..20).map(long).collect();
        let (first, rest) = tools.split_at(3);
        let listing = Listing::default().with(first, None).with(rest, None);
        assert!(listing.tools.iter().map(Found::bytes).sum::<usize>() <= MOST_KEPT);
        assert_eq!((listing.tools.len(), listing.left_out), (10, 10));
    }

    #[test]
    fn what_cannot_be_a_tool_is_left_out() {
        let object = json!({"type": "object"});
        for (name, description) in [("", ""), ("two words", ""), (&*"n".repeat(65), ""), ("ok", &*"d".repeat(8_001))] {
            assert_eq!(found(name, None, description, &object, None), None);
        }
        assert_eq!(found("ok", None, "", &json!({"type": "array"}), None), None);
        let shown = found("ok", Some("A\nb\u{202E}"), "x\u{7}y", &object, None).expect("fits");
        assert_eq!((shown.title.as_deref(), shown.description.as_str()), (Some("A b"), "xy"));
    }
}
