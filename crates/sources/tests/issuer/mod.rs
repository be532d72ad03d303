//! A tool server with its own authorization server, which behaves as a test wants. It checks what a client must do: PKCE, the redirect
//! address, the resource, and that no refresh token comes twice.

use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
};

use axum::{
    Router,
    extract::State,
    http::{HeaderMap, StatusCode},
    response::{IntoResponse as _, Response},
};
use base64::Engine as _;
use serde_json::{Value as Json, json};
use sha2::{Digest as _, Sha256};

/// How the server behaves.
#[derive(Default)]
pub struct Manners {
    /// The fields of each document that differ from what an honest server says; `null` leaves a field out.
    pub resource: Json,
    pub metadata: Json,
    /// It has only this document of its authorization server.
    pub document: Option<&'static str>,
    /// Its challenge names no metadata.
    pub silent: bool,
    /// Each document is a redirect to here, or this many bytes long.
    pub redirect: Option<String>,
    pub huge: usize,
    /// The scope of the challenge.
    pub scope: Option<&'static str>,
    /// Whom it says the answer is from (RFC 9207).
    pub says: Option<String>,
    /// It refuses to register clients, with these words.
    pub no_clients: Option<&'static str>,
    pub secret: Option<&'static str>,
    pub lifetime: Option<u64>,
    /// Each refresh gives a new refresh token, and the old one is void.
    pub rotates: bool,
    /// The error of each refresh.
    pub no_refresh: Option<(u16, &'static str)>,
    pub slow_refresh: u64,
    /// Each call needs this scope.
    pub call_scope: Option<&'static str>,
}

#[derive(Default)]
struct Books {
    codes: HashMap<String, HashMap<String, String>>,
    access: HashSet<String>,
    refresh: HashSet<String>,
    spent: HashSet<String>,
    /// The scope of the last consent.
    scope: String,
    redirects: HashSet<String>,
    made: u32,
}

pub struct Inner {
    manners: Mutex<Manners>,
    books: Mutex<Books>,
    pub requests: AtomicU32,
    pub refreshes: AtomicU32,
    /// What the token endpoint was sent.
    pub exchanges: Mutex<Vec<HashMap<String, String>>>,
    pub calls: Mutex<Vec<String>>,
    /// A refresh token came twice, which is a theft.
    pub theft: AtomicU32,
    port: u16,
}

#[derive(Clone)]
pub struct Issuer(Arc<Inner>);

impl std::ops::Deref for Issuer {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.0
    }
}

impl Default for Issuer {
    fn default() -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        listener.set_nonblocking(true).expect("set");
        let issuer = Self(Arc::new(Inner {
            manners: Mutex::default(),
            books: Mutex::default(),
            requests: AtomicU32::new(0),
            refreshes: AtomicU32::new(0),
            exchanges: Mutex::default(),
            calls: Mutex::default(),
            theft: AtomicU32::new(0),
            port: listener.local_addr().expect("an address").port(),
        }));
        let router = Router::new().fallback(serve).with_state(issuer.clone());
        let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
        tokio::spawn(async move { axum::serve(listener, router).await });
        issuer
    }
}

impl Issuer {
    pub fn set(&self, set: impl FnOnce(&mut Manners)) {
        set(&mut self.manners.lock().expect("whole"));
    }

    pub fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub fn origin(&self) -> String {
        format!("http://{}", self.host())
    }

    pub fn url(&self) -> String {
        format!("{}/mcp", self.origin())
    }

    /// Forgets every token that it gave out.
    pub fn forget_tokens(&self) {
        self.books.lock().expect("whole").access.clear();
    }

    pub fn knows(&self, access: &str) -> bool {
        self.books.lock().expect("whole").access.contains(access)
    }

    fn resource(&self) -> Json {
        let it = self.manners.lock().expect("whole");
        let honest = json!({"resource": self.url(), "authorization_servers": [self.origin()]});
        with(honest, &it.resource)
    }

    fn metadata(&self) -> Json {
        let (it, at) = (self.manners.lock().expect("whole"), self.origin());
        let honest = json!({
            "issuer": at,
            "authorization_endpoint": format!("{at}/authorize"),
            "token_endpoint": format!("{at}/token"),
            "registration_endpoint": format!("{at}/register"),
            "response_types_supported": ["code"],
            "code_challenge_methods_supported": ["S256"],
        });
        with(honest, &it.metadata)
    }

    fn tokens(&self) -> Json {
        let it = self.manners.lock().expect("whole");
        let mut books = self.books.lock().expect("whole");
        books.made += 1;
        let (access, refresh) =
            (format!("access-{}-{}", self.port, books.made), format!("refresh-{}-{}", self.port, books.made));
        books.access.insert(access.clone());
        let mut reply = json!({"access_token": access, "token_type": "Bearer"});
        if books.refresh.is_empty() || it.rotates {
            books.refresh.insert(refresh.clone());
            reply["refresh_token"] = json!(refresh);
        }
        if let Some(lifetime) = it.lifetime {
            reply["expires_in"] = json!(lifetime);
        }
        reply
    }
}

fn with(mut honest: Json, other: &Json) -> Json {
    for (name, value) in other.as_object().into_iter().flatten() {
        if value.is_null() {
            honest.as_object_mut().expect("an object").remove(name);
        } else {
            honest[name] = value.clone();
        }
    }
    honest
}

fn refuse(status: u16, error: &str) -> Response {
    let body = axum::Json(json!({"error": error, "error_description": format!("Because of {error}.")}));
    (StatusCode::from_u16(status).expect("a status"), body).into_response()
}

fn fields(text: &str) -> HashMap<String, String> {
    url::form_urlencoded::parse(text.as_bytes()).into_owned().collect()
}

async fn serve(State(issuer): State<Issuer>, request: axum::extract::Request) -> Response {
    issuer.requests.fetch_add(1, Ordering::Relaxed);
    let (parts, body) = request.into_parts();
    let body = axum::body::to_bytes(body, 1 << 20).await.expect("a body");
    let text = String::from_utf8_lossy(&body).into_owned();
    let path = parts.uri.path().to_owned();
    if path.starts_with("/.well-known/") {
        return document(&issuer, &path);
    }
    match path.as_str() {
        "/mcp" => tool_server(&issuer, &parts.headers, &text),
        "/authorize" => authorize(&issuer, &fields(parts.uri.query().unwrap_or_default())),
        "/token" => token(&issuer, &parts.headers, fields(&text)).await,
        "/register" => register(&issuer, &serde_json::from_str(&text).unwrap_or_default()),
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}

fn document(issuer: &Issuer, path: &str) -> Response {
    let (redirect, huge, only) = {
        let it = issuer.manners.lock().expect("whole");
        (it.redirect.clone(), it.huge, it.document.unwrap_or("oauth-authorization-server"))
    };
    if let Some(to) = redirect {
        return (StatusCode::FOUND, [("location", to)]).into_response();
    }
    let found = match path.trim_start_matches("/.well-known/") {
        "oauth-protected-resource/mcp" => issuer.resource(),
        name if name == only => issuer.metadata(),
        _ => return StatusCode::NOT_FOUND.into_response(),
    };
    if huge > 0 {
        return axum::Json(with(found, &json!({"padding": "x".repeat(huge)}))).into_response();
    }
    axum::Json(found).into_response()
}

fn register(issuer: &Issuer, wish: &Json) -> Response {
    let it = issuer.manners.lock().expect("whole");
    if let Some(words) = it.no_clients {
        let body = axum::Json(json!({"error": "invalid_client_metadata", "error_description": words}));
        return (StatusCode::BAD_REQUEST, body).into_response();
    }
    let mut books = issuer.books.lock().expect("whole");
    for uri in wish["redirect_uris"].as_array().into_iter().flatten().filter_map(Json::as_str) {
        books.redirects.insert(uri.to_owned());
    }
    let mut made = wish.clone();
    made["client_id"] = json!(format!("client-{}", issuer.port));
    if let Some(secret) = it.secret {
        made["client_secret"] = json!(secret);
    }
    (StatusCode::CREATED, axum::Json(made)).into_response()
}

fn authorize(issuer: &Issuer, asked: &HashMap<String, String>) -> Response {
    let get = |name: &str| asked.get(name).map(String::as_str).unwrap_or_default();
    let mut books = issuer.books.lock().expect("whole");
    if get("response_type") != "code" || get("code_challenge_method") != "S256" || get("state").is_empty() {
        return refuse(400, "invalid_request");
    }
    if !books.redirects.is_empty() && !books.redirects.contains(get("redirect_uri")) {
        return refuse(400, "invalid_redirect_uri");
    }
    books.made += 1;
    let code = format!("code-{}-{}", issuer.port, books.made);
    books.codes.insert(code.clone(), asked.clone());
    get("scope").clone_into(&mut books.scope);
    let mut back: url::Url = get("redirect_uri").parse().expect("an address");
    back.query_pairs_mut().append_pair("code", &code).append_pair("state", get("state"));
    if let Some(says) = &issuer.manners.lock().expect("whole").says {
        back.query_pairs_mut().append_pair("iss", says);
    }
    (StatusCode::FOUND, [("location", back.to_string())]).into_response()
}

async fn token(issuer: &Issuer, headers: &HeaderMap, sent: HashMap<String, String>) -> Response {
    issuer.exchanges.lock().expect("whole").push(sent.clone());
    let get = |name: &str| sent.get(name).cloned().unwrap_or_default();
    let secret = issuer.manners.lock().expect("whole").secret;
    if let Some(secret) = secret {
        let pair = format!("client-{}:{secret}", issuer.port);
        let basic = format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(pair));
        let in_header = headers.get("authorization").is_some_and(|value| value.as_bytes() == basic.as_bytes());
        if !in_header && get("client_secret") != secret {
            return refuse(401, "invalid_client");
        }
    }
    if get("resource") != issuer.url() {
        return refuse(400, "invalid_target");
    }
    if get("grant_type") == "refresh_token" {
        return refreshed(issuer, get("refresh_token")).await;
    }
    let Some(asked) = issuer.books.lock().expect("whole").codes.remove(&get("code")) else {
        return refuse(400, "invalid_grant");
    };
    let digest = Sha256::digest(get("code_verifier").as_bytes());
    let proven = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(digest) == asked["code_challenge"];
    if !proven || get("redirect_uri") != asked["redirect_uri"] || get("resource") != asked["resource"] {
        return refuse(400, "invalid_grant");
    }
    axum::Json(issuer.tokens()).into_response()
}

async fn refreshed(issuer: &Issuer, old: String) -> Response {
    issuer.refreshes.fetch_add(1, Ordering::Relaxed);
    let (slow, refused, rotates) = {
        let it = issuer.manners.lock().expect("whole");
        (it.slow_refresh, it.no_refresh, it.rotates)
    };
    tokio::time::sleep(std::time::Duration::from_millis(slow)).await;
    if let Some((status, error)) = refused {
        return refuse(status, error);
    }
    {
        let mut books = issuer.books.lock().expect("whole");
        if books.spent.contains(&old) {
            issuer.theft.fetch_add(1, Ordering::Relaxed);
            books.access.clear();
            books.refresh.clear();
        }
        if !books.refresh.contains(&old) {
            return refuse(400, "invalid_grant");
        }
        if rotates {
            books.refresh.remove(&old);
            books.spent.insert(old);
        }
        books.access.clear();
    }
    axum::Json(issuer.tokens()).into_response()
}

fn tool_server(issuer: &Issuer, headers: &HeaderMap, text: &str) -> Response {
    let token = headers.get("authorization").and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
    if !token.is_some_and(|token| issuer.knows(token)) {
        let (silent, scope) = {
            let it = issuer.manners.lock().expect("whole");
            (it.silent, it.scope)
        };
        let metadata = format!("resource_metadata=\"{}/.well-known/oauth-protected-resource/mcp\"", issuer.origin());
        let parts = [
            Some("Bearer realm=\"mcp\"".to_owned()),
            (!silent).then_some(metadata),
            scope.map(|scope| format!("scope=\"{scope}\"")),
        ];
        let challenge = parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
        return (StatusCode::UNAUTHORIZED, [("www-authenticate", challenge)]).into_response();
    }
    let Ok(message) = serde_json::from_str::<Json>(text) else {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    };
    let result = match message["method"].as_str() {
        Some("initialize") => json!({
            "protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "issuer", "version": "1"},
        }),
        Some("tools/list") => {
            let schema =
                json!({"type": "object", "properties": {"message": {"type": "string"}}, "required": ["message"]});
            json!({"tools": [{"name": "echo", "description": "Says it again.", "inputSchema": schema}]})
        }
        Some("tools/call") => {
            let needed = issuer.manners.lock().expect("whole").call_scope;
            let given = issuer.books.lock().expect("whole").scope.clone();
            if let Some(needed) = needed.filter(|needed| !given.split(' ').any(|scope| scope == *needed)) {
                let challenge = format!("Bearer error=\"insufficient_scope\", scope=\"{needed}\"");
                return (StatusCode::FORBIDDEN, [("www-authenticate", challenge)]).into_response();
            }
            let said = message["params"]["arguments"]["message"].as_str().unwrap_or_default().to_owned();
            issuer.calls.lock().expect("whole").push(said.clone());
            json!({"content": [{"type": "text", "text": format!("Echo: {said}")}]})
        }
        _ => return StatusCode::ACCEPTED.into_response(),
    };
    axum::Json(json!({"jsonrpc": "2.0", "id": message["id"], "result": result})).into_response()
}
