//! A tool server that behaves as a test wants, and a workspace that has connected it.

use std::{
    convert::Infallible,
    sync::{
        Arc, Mutex, Once,
        atomic::{AtomicU32, Ordering},
    },
};

use adagent_contract::{ContextSettings, Grants, Progress, ServerAccess, ToolServerSignIn};
use adagent_domain::{ManualClock, SequentialIds, Timestamp, ToolCallId, ToolServerId, UserId, WorkspaceId};
use adagent_outgoing::WayOut;
use adagent_sources::mcp::{self, Door, Listing, McpServers, Server, Setup, Shelf, Trouble};
use adagent_tools::{CallScope, ProgressSink, Provider as _, ToolError, ToolInfo, ToolOutput, WriteTicket};
use async_trait::async_trait;
use axum::{
    Router,
    body::Body,
    extract::State,
    http::{HeaderMap, StatusCode},
    response::{IntoResponse as _, Response},
};
use secrecy::SecretString;
use serde_json::{Value as Json, json};

/// How the server behaves.
pub struct Manners {
    pub description: String,
    pub schema: Json,
    pub annotations: Json,
    /// The answer to a call; `null` means that it echoes.
    pub answer: Json,
    pub error: Option<(i32, String)>,
    /// The status of the answer to a call.
    pub call_status: Option<u16>,
    pub many: usize,
    pub endless_pages: bool,
    pub endless_stream: bool,
    pub asks_back: bool,
    pub redirect: Option<(u16, String)>,
    pub status: Option<u16>,
    pub bearer: Option<String>,
}

pub struct Inner {
    manners: Mutex<Manners>,
    pub requests: AtomicU32,
    pub calls: AtomicU32,
    /// What we answered to the server's own requests.
    pub told: Mutex<Vec<&'static str>>,
    port: u16,
}

#[derive(Clone)]
pub struct Stub(Arc<Inner>);

impl std::ops::Deref for Stub {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.0
    }
}

impl Default for Stub {
    fn default() -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        listener.set_nonblocking(true).expect("set");
        let stub = Self(Arc::new(Inner {
            manners: Mutex::new(Manners {
                description: "Says it again.".into(),
                schema: json!({"type": "object", "properties": {"message": {"type": "string"}}, "required": ["message"]}),
                annotations: json!({}),
                answer: Json::Null,
                error: None,
                call_status: None,
                many: 0,
                endless_pages: false,
                endless_stream: false,
                asks_back: false,
                redirect: None,
                status: None,
                bearer: None,
            }),
            requests: AtomicU32::new(0),
            calls: AtomicU32::new(0),
            told: Mutex::default(),
            port: listener.local_addr().expect("an address").port(),
        }));
        let router = Router::new().fallback(serve).with_state(stub.clone());
        let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
        tokio::spawn(async move { axum::serve(listener, router).await });
        stub
    }
}

impl Stub {
    pub fn set(&self, set: impl FnOnce(&mut Manners)) {
        set(&mut self.manners.lock().expect("whole"));
    }

    pub fn port(&self) -> u16 {
        self.0.port
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/mcp", self.port())
    }

    fn tools(&self) -> Json {
        let it = self.manners.lock().expect("whole");
        let tool = |name: &str, description: &str, schema: &Json| json!({"name": name, "description": description, "inputSchema": schema, "annotations": it.annotations});
        let mut tools = vec![
            tool("echo", &it.description, &it.schema),
            tool(
                "add",
                "Adds two numbers.",
                &json!({"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}}}),
            ),
        ];
        tools.extend((0..it.many).map(|n| tool(&format!("more_{n}"), "One more.", &json!({"type": "object"}))));
        let mut list = json!({"tools": tools});
        if it.endless_pages {
            list["nextCursor"] = json!("again");
        }
        list
    }
}

async fn serve(State(stub): State<Stub>, request: axum::extract::Request) -> Response {
    stub.requests.fetch_add(1, Ordering::Relaxed);
    let (parts, body) = request.into_parts();
    {
        let it = stub.manners.lock().expect("whole");
        if let Some((status, to)) = it.redirect.clone().filter(|(_, to)| to != parts.uri.path()) {
            let status = StatusCode::from_u16(status).expect("a status");
            return (status, [("location", to)]).into_response();
        }
        if let Some(status) = it.status {
            return StatusCode::from_u16(status).expect("a status").into_response();
        }
        if it.bearer.as_ref().is_some_and(|token| !signed_in(&parts.headers, token)) {
            return StatusCode::UNAUTHORIZED.into_response();
        }
    }
    if parts.method != "POST" {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    let body = axum::body::to_bytes(body, 1 << 20).await.expect("a body");
    let message: Json = serde_json::from_slice(&body).expect("JSON");
    let Some(method) = message["method"].as_str() else {
        // The client's answer to one of the stub's requests.
        let told = if message["error"].is_object() {
            "sampling refused"
        } else if message["result"]["action"] == "decline" {
            "elicitation declined"
        } else {
            "something else"
        };
        stub.told.lock().expect("whole").push(told);
        return StatusCode::ACCEPTED.into_response();
    };
    let result = match method {
        "initialize" => json!({
            "protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "stub", "version": "1"},
        }),
        "tools/list" => stub.tools(),
        "tools/call" => return called(&stub, &message),
        _ => return StatusCode::ACCEPTED.into_response(),
    };
    axum::Json(json!({"jsonrpc": "2.0", "id": message["id"], "result": result})).into_response()
}

fn called(stub: &Stub, message: &Json) -> Response {
    stub.calls.fetch_add(1, Ordering::Relaxed);
    let (answer, error, status, endless, asks_back) = {
        let it = stub.manners.lock().expect("whole");
        (it.answer.clone(), it.error.clone(), it.call_status, it.endless_stream, it.asks_back)
    };
    if let Some(status) = status {
        return StatusCode::from_u16(status).expect("a status").into_response();
    }
    if endless {
        let ticks = ticking();
        return ([("content-type", "text/event-stream")], Body::from_stream(ticks)).into_response();
    }
    if let Some((code, words)) = error {
        let error = json!({"code": code, "message": words});
        return axum::Json(json!({"jsonrpc": "2.0", "id": message["id"], "error": error})).into_response();
    }
    let said = message["params"]["arguments"]["message"].as_str().unwrap_or_default();
    let echo = json!({"content": [{"type": "text", "text": format!("Echo: {said}")}]});
    let result = if answer.is_null() { echo } else { answer };
    let done = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
    if asks_back {
        let asked = [
            json!({"jsonrpc": "2.0", "id": "s1", "method": "sampling/createMessage", "params": {"messages": [], "maxTokens": 5}}),
            json!({"jsonrpc": "2.0", "id": "e1", "method": "elicitation/create", "params": {
                "message": "Your password?", "requestedSchema": {"type": "object", "properties": {}},
            }}),
        ];
        let stub = stub.clone();
        let stream = asking(stub, asked, done);
        return ([("content-type", "text/event-stream")], Body::from_stream(stream)).into_response();
    }
    axum::Json(done).into_response()
}

fn event(message: &Json) -> String {
    format!("event: message\ndata: {message}\n\n")
}

fn ticking() -> impl futures::Stream<Item = Result<String, Infallible>> {
    futures::stream::unfold(0_u64, |n| async move {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        let progress =
            json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": n}});
        Some((Ok(event(&progress)), n + 1))
    })
}

/// Sends two requests, each after the client answered the one before, then the result of the client's own call.
fn asking(stub: Stub, asked: [Json; 2], done: Json) -> impl futures::Stream<Item = Result<String, Infallible>> {
    let mut left: Vec<Json> = asked.into_iter().rev().collect();
    left.insert(0, done);
    futures::stream::unfold((left, stub, 0_usize), |(mut left, stub, sent)| async move {
        let next = left.pop()?;
        while stub.told.lock().expect("whole").len() < sent {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
        Some((Ok(event(&next)), (left, stub, sent + 1)))
    })
}

fn signed_in(headers: &HeaderMap, token: &str) -> bool {
    headers.get("authorization").is_some_and(|value| value.as_bytes() == format!("Bearer {token}").as_bytes())
}

#[derive(Default)]
pub struct Kept {
    servers: Mutex<Vec<Server>>,
    secret: Option<String>,
}

#[async_trait]
impl Shelf for Kept {
    async fn servers(&self, _: WorkspaceId) -> Result<Vec<Server>, ToolError> {
        Ok(self.servers.lock().expect("whole").clone())
    }

    async fn secret(&self, _: WorkspaceId, _: ToolServerId) -> Result<Option<SecretString>, ToolError> {
        Ok(self.secret.clone().map(SecretString::from))
    }

    async fn renewed(
        &self,
        _: WorkspaceId,
        _: ToolServerId,
        refused: &SecretString,
    ) -> Result<SecretString, ToolError> {
        Ok(refused.clone())
    }

    async fn wants(&self, _: WorkspaceId, _: ToolServerId, _: &str) -> Result<(), ToolError> {
        Ok(())
    }

    async fn changed(&self, _: &CallScope, id: ToolServerId, listing: Listing) -> Result<(), ToolError> {
        for server in self.servers.lock().expect("whole").iter_mut().filter(|server| server.id == id) {
            server.tools = mcp::merged(&server.tools, &listing.tools);
        }
        Ok(())
    }
}

/// A provider that only checks servers.
pub struct Looker(McpServers);

impl Looker {
    pub async fn look(&self, url: &str) -> Result<Listing, Trouble> {
        let door = Door { url: url.parse().expect("an address"), sign_in: ToolServerSignIn::None, secret: None };
        self.0.look(&door).await
    }
}

pub struct World {
    pub mcp: McpServers,
    pub stub: Stub,
    pub workspace: WorkspaceId,
    user: UserId,
    kept: Arc<Kept>,
}

fn servers(kept: Arc<Kept>, allowed: &[&str]) -> McpServers {
    static TLS: Once = Once::new();
    TLS.call_once(|| {
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
    let allowed = allowed.iter().map(|host| (*host).to_owned()).collect();
    let clock = Arc::new(ManualClock::at(Timestamp::from_micros(1_700_000_000_000_000)));
    McpServers::new(Setup { shelf: kept, allowed, way: WayOut::default(), clock }).expect("builds")
}

impl World {
    pub async fn connected(stub: Stub) -> Self {
        Self::with(stub, None).await
    }

    pub async fn connected_with(stub: Stub, secret: &str) -> Self {
        Self::with(stub, Some(secret.to_owned())).await
    }

    async fn with(stub: Stub, secret: Option<String>) -> Self {
        let ids = SequentialIds::default();
        let kept = Arc::new(Kept { secret: secret.clone(), ..Kept::default() });
        let mcp = servers(Arc::clone(&kept), &["127.0.0.1"]);
        let url = stub.url().parse().expect("an address");
        let sign_in = if secret.is_some() { ToolServerSignIn::Bearer } else { ToolServerSignIn::None };
        let door = Door { url, sign_in: sign_in.clone(), secret: secret.map(SecretString::from) };
        let listing = mcp.look(&door).await.expect("listed");
        kept.servers.lock().expect("whole").push(Server {
            id: ToolServerId::new(&ids),
            handle: "docs".into(),
            name: "Docs".into(),
            url: door.url,
            sign_in,
            access: ServerAccess::SignedOut,
            on: true,
            tools: listing.first(),
        });
        Self { mcp, stub, workspace: WorkspaceId::new(&ids), user: UserId::new(&ids), kept }
    }

    /// Makes a provider that allows this server's host and knows no server.
    pub fn apart() -> Looker {
        Looker(servers(Arc::default(), &["127.0.0.1"]))
    }

    /// Makes a provider whose configuration allows no host.
    pub fn nowhere() -> Looker {
        Looker(servers(Arc::default(), &[]))
    }

    pub fn scope(&self, grants: Grants) -> CallScope {
        CallScope {
            workspace: self.workspace,
            user: self.user,
            call: ToolCallId::new(&SequentialIds::default()),
            settings: ContextSettings::default(),
            grants,
            connection: None,
        }
    }

    pub async fn tool(&self, name: &str) -> Arc<ToolInfo> {
        self.mcp.find(self.workspace, name).await.expect("read").expect("there")
    }

    pub fn mark_reading(&self, name: &str) {
        for tool in &mut self.kept.servers.lock().expect("whole")[0].tools {
            tool.reading |= tool.name == name;
        }
    }

    pub fn accept(&self) {
        let server = &mut self.kept.servers.lock().expect("whole")[0];
        server.tools = mcp::accepted(std::mem::take(&mut server.tools));
    }

    pub async fn read(&self, name: &str, args: &Json) -> Result<ToolOutput, ToolError> {
        let tool = self.tool(name).await;
        self.send(&self.scope(Grants::everything()), &tool, args.clone(), None).await
    }

    pub async fn send(
        &self,
        scope: &CallScope,
        tool: &ToolInfo,
        args: Json,
        ticket: Option<WriteTicket>,
    ) -> Result<ToolOutput, ToolError> {
        self.mcp.execute(scope, tool, &args, ticket.as_ref(), &mut Unheard).await
    }
}

struct Unheard;

#[async_trait]
impl ProgressSink for Unheard {
    async fn progress(&mut self, _: &str, _: Option<Progress>) {}
}
