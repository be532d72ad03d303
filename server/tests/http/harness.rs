//! A complete server with sandbox on free ports, and a caller that checks every JSON answer against the OpenAPI document.

use std::{num::NonZeroU32, path::Path, sync::Mutex};

use adagent_config::{Config, Overrides, RateLimits, Source};
use adagent_server::{Running, start};
use adagent_testkit::RawDatabase;
use secrecy::ExposeSecret;
use serde_json::{Value, json};

pub const EVIL: &str = "https://evil.example";

pub struct TestApp {
    pub running: Running,
    pub document: Value,
    folder: Option<tempfile::TempDir>,
    pub database: RawDatabase,
}

pub fn config(folder: &Path, database_url: Option<String>) -> Config {
    let overrides =
        Overrides { port: Some(0), data_dir: Some(folder.to_owned()), database_url, ..Overrides::default() };
    // Give it an empty configuration file, so that it finds no other.
    let file = folder.join("empty.toml");
    std::fs::write(&file, "").expect("a folder to write to");
    let mut config = Config::load(Source { file: Some(file), overrides }).expect("valid configuration");
    // A server on a shared database does not start without a secret.
    config.encryption_secret.get_or_insert_with(|| "wJ3mQ8sVx1Zc6Rt9Lb4Nf7Gh2Kp5Yd0U".to_owned().into());
    config.password.memory_kib = 64;
    config.password.passes = 1;
    config.rate_limits = RateLimits::Relaxed;
    config.drain_seconds = 5;
    config
}

impl TestApp {
    pub async fn with(change: impl FnOnce(&mut Config)) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut config = config(folder.path(), None);
        change(&mut config);
        Self::run(config, Some(folder)).await
    }

    pub async fn run(config: Config, folder: Option<tempfile::TempDir>) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let database = match config.database_url.as_ref().map(ExposeSecret::expose_secret) {
            Some(url) => RawDatabase::Postgres(url.to_owned()),
            None => RawDatabase::Sqlite(config.data_dir.join("adagent.db")),
        };
        Self {
            database,
            running: Box::pin(start(config)).await.expect("the server starts"),
            document: adagent_http::document(),
            folder,
        }
    }

    pub async fn sqlite() -> Self {
        Self::with(|_| {}).await
    }

    /// Works like [`Self::with`], on PostgreSQL.
    pub async fn with_postgres(change: impl FnOnce(&mut Config)) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut config = config(folder.path(), Some(adagent_testkit::postgres_url().await));
        change(&mut config);
        Self::run(config, Some(folder)).await
    }

    /// Starts a server on PostgreSQL as a user to whom the row policies apply, as a public server should.
    pub async fn fenced() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let config = config(folder.path(), Some(adagent_testkit::postgres_url_as_ordinary_user().await));
        Self::run(config, Some(folder)).await
    }

    /// Starts one server per database engine.
    pub async fn both() -> [Self; 2] {
        let folder = tempfile::tempdir().expect("a folder");
        let postgres = config(folder.path(), Some(adagent_testkit::postgres_url().await));
        [Self::sqlite().await, Self::run(postgres, Some(folder)).await]
    }

    pub fn caller(&self) -> Caller<'_> {
        Caller { app: self, http: reqwest::Client::new(), cookie: Mutex::default() }
    }

    /// Returns a person with an account.
    pub async fn person(&self, name: &str) -> Caller<'_> {
        let caller = self.caller();
        let email = format!("{name}@example.com");
        let answer =
            caller.post("/api/auth/sign-up", json!({"email": email, "password": "correct horse", "name": name})).await;
        assert_eq!(answer.status, 201, "{}", answer.text);
        caller
    }

    /// Returns a person with an account and the sandbox connected.
    pub async fn explorer(&self, name: &str) -> Caller<'_> {
        let caller = self.person(name).await;
        assert_eq!(caller.post("/api/sandbox/explore", json!({})).await.status, 200);
        caller
    }

    pub async fn sandbox(&self, path: &str) -> Value {
        let base = &self.running.sandbox.as_ref().expect("a sandbox").base_url;
        reqwest::get(format!("{base}{path}")).await.unwrap().json().await.unwrap()
    }

    pub async fn writes(&self) -> Vec<Value> {
        self.sandbox("/__sandbox/writes?network=admob").await["items"].as_array().cloned().unwrap()
    }

    /// Stops the server and returns its folder.
    pub async fn stop(self) -> Option<tempfile::TempDir> {
        self.running.drain().await;
        self.folder
    }

    /// Checks an answer against its description.
    fn check(&self, method: &str, path: &str, status: u16, kind: &str, body: &Value) {
        let path = path.split('?').next().unwrap();
        let schema = if kind.starts_with("application/problem+json") {
            json!({"$ref": "#/components/schemas/Problem"})
        } else {
            let fits = |template: &str| {
                let (a, b): (Vec<_>, Vec<_>) = (template.split('/').collect(), path.split('/').collect());
                a.len() == b.len() && a.iter().zip(&b).all(|(t, p)| t == p || t.starts_with('{'))
            };
            let paths = self.document["paths"].as_object().unwrap();
            let template = paths.keys().find(|t| *t == path).or_else(|| paths.keys().find(|t| fits(t)));
            let template = template.unwrap_or_else(|| panic!("{path} is not described"));
            let operation = &paths[template][method.to_ascii_lowercase()];
            operation["responses"][status.to_string()]["content"]["application/json"]["schema"].clone()
        };
        assert!(schema.is_object(), "{method} {path} {status} is not described");
        let mut whole = schema;
        whole["components"] = self.document["components"].clone();
        let validator = jsonschema::validator_for(&whole).expect("a schema");
        let errors: Vec<String> = validator.iter_errors(body).map(|e| format!("{}: {e}", e.instance_path())).collect();
        assert!(errors.is_empty(), "{method} {path}: {errors:?} in {body}");
    }
}

pub struct Caller<'a> {
    app: &'a TestApp,
    http: reqwest::Client,
    pub cookie: Mutex<Option<String>>,
}

#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: reqwest::header::HeaderMap,
    pub text: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or(Value::Null)
    }

    pub fn code(&self) -> String {
        self.json()["code"].as_str().unwrap_or_default().to_owned()
    }

    pub fn pointer(&self) -> String {
        self.json()["errors"][0]["pointer"].as_str().unwrap_or("-").to_owned()
    }
}

impl Caller<'_> {
    pub fn base(&self) -> String {
        self.app.running.base_url()
    }

    pub fn request(&self, method: &str, path: &str) -> reqwest::RequestBuilder {
        let request = self.http.request(method.parse().unwrap(), format!("{}{path}", self.app.running.base_url()));
        match &*self.cookie.lock().unwrap() {
            Some(cookie) => request.header("cookie", cookie),
            None => request,
        }
    }

    pub async fn finish(&self, method: &str, path: &str, request: reqwest::RequestBuilder) -> Answer {
        let response = request.send().await.expect("an answer");
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        if let Some(cookie) = headers.get("set-cookie").and_then(|value| value.to_str().ok()) {
            let pair = cookie.split(';').next().unwrap().to_owned();
            *self.cookie.lock().unwrap() = if pair.ends_with('=') { None } else { Some(pair) };
        }
        let answer = Answer { status, headers, text: response.text().await.unwrap() };
        let kind = answer.headers.get("content-type").and_then(|v| v.to_str().ok()).unwrap_or_default().to_owned();
        if kind.contains("json") {
            self.app.check(method, path, status, &kind, &answer.json());
        }
        answer
    }

    pub async fn send(&self, method: &str, path: &str, body: Option<Value>) -> Answer {
        let request = self.request(method, path);
        let request = match body {
            Some(body) => request.json(&body),
            None => request,
        };
        self.finish(method, path, request).await
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send("GET", path, None).await
    }

    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.send("POST", path, Some(body)).await
    }

    /// Asks, and reads until the run is done or waits for an answer.
    pub async fn ask(&self, body: Value) -> Vec<Value> {
        self.stream(self.request("POST", "/chat/stream").json(&body)).await
    }

    pub async fn stream(&self, request: reqwest::RequestBuilder) -> Vec<Value> {
        let mut response = request.send().await.expect("an answer");
        assert_eq!(response.status(), 200, "{:?}", response.text().await);
        let (mut events, mut buffer): (Vec<Value>, Vec<u8>) = (Vec::new(), Vec::new());
        let limit = std::time::Duration::from_secs(30);
        while let Some(chunk) = tokio::time::timeout(limit, response.chunk()).await.expect("events come").unwrap() {
            buffer.extend_from_slice(&chunk);
            while let Some(end) = buffer.windows(2).position(|pair| pair == b"\n\n") {
                let block = String::from_utf8(buffer.drain(..end + 2).collect()).unwrap();
                let field = |name: &str| {
                    block.lines().find_map(|line| line.strip_prefix(name)).map(str::trim).map(str::to_owned)
                };
                let Some(data) = field("data:") else { continue };
                let event: Value = serde_json::from_str(&data).unwrap();
                assert_eq!(field("id:").unwrap(), event["seq"].to_string());
                assert_eq!(field("event:").unwrap(), event["type"].as_str().unwrap());
                let over = matches!(event["type"].as_str(), Some("done" | "tool_approval_required" | "agents_wait"));
                events.push(event);
                if over {
                    return events;
                }
            }
        }
        events
    }
}

pub fn of<'a>(events: &'a [Value], kind: &str) -> &'a Value {
    events.iter().rev().find(|event| event["type"] == kind).unwrap_or_else(|| panic!("no {kind} in {events:#?}"))
}

pub fn per_minute(count: u32) -> NonZeroU32 {
    NonZeroU32::new(count).unwrap()
}
