//! Starts a sandbox with a clock that tests can set.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use adagent_sandbox::{OFFICIAL_CLIENT_TOKEN, RunningSandbox, Sandbox, SandboxConfig};
use jiff::Timestamp;
use reqwest::{Client, Method, Response, redirect::Policy};
use serde_json::{Value, json};
use tempfile::TempDir;

pub const A1: &str = "pub-3940256099942544";
pub const BANNER: &str = "ca-app-pub-3940256099942544/6300978111";

pub struct Fixture {
    pub running: RunningSandbox,
    pub folder: TempDir,
    pub clock: Arc<AtomicI64>,
    pub http: Client,
    pub base: String,
}

/// Noon of 2026-11-21.
const NOON: &str = "2026-11-21T12:00:00Z";

async fn launch(folder: &TempDir, clock: &Arc<AtomicI64>) -> RunningSandbox {
    let clock = Arc::clone(clock);
    let now = Arc::new(move || Timestamp::from_second(clock.load(Ordering::SeqCst)).unwrap());
    Sandbox::start_on_free_port(SandboxConfig::new(folder.path(), now)).await.unwrap()
}

impl Fixture {
    pub async fn start() -> Self {
        // A second test finds the provider already installed; it is the same one.
        drop(rustls::crypto::ring::default_provider().install_default());
        let noon: Timestamp = NOON.parse().unwrap();
        let clock = Arc::new(AtomicI64::new(noon.as_second()));
        let folder = tempfile::tempdir().unwrap();
        let running = launch(&folder, &clock).await;
        let http = Client::builder().redirect(Policy::none()).no_proxy().build().unwrap();
        let base = running.base_url();
        Self { running, folder, clock, http, base }
    }

    /// Stops the sandbox and opens the same folder again.
    pub async fn reopen(self) -> Self {
        let Self { running, folder, clock, http, .. } = self;
        running.stop().await;
        let running = launch(&folder, &clock).await;
        let base = running.base_url();
        Self { running, folder, clock, http, base }
    }

    pub fn advance(&self, seconds: i64) {
        self.clock.fetch_add(seconds, Ordering::SeqCst);
    }

    pub async fn send(&self, method: Method, path: &str, token: &str, body: Option<Value>) -> Response {
        let mut request = self.http.request(method, format!("{}{path}", self.base)).bearer_auth(token);
        if let Some(body) = body {
            request = request.json(&body);
        }
        request.send().await.unwrap()
    }

    pub async fn get(&self, path: &str) -> Value {
        let response = self.send(Method::GET, path, OFFICIAL_CLIENT_TOKEN, None).await;
        assert_eq!(response.status(), 200, "{path}");
        response.json().await.unwrap()
    }

    pub async fn status(&self, method: Method, path: &str, body: Value) -> (u16, Value) {
        let response = self.send(method, path, OFFICIAL_CLIENT_TOKEN, Some(body)).await;
        (response.status().as_u16(), response.json().await.unwrap_or(Value::Null))
    }

    pub async fn post(&self, path: &str, body: Value) -> Value {
        let (status, answer) = self.status(Method::POST, path, body).await;
        assert_eq!(status, 200, "{path}: {answer}");
        answer
    }

    pub async fn control(&self, path: &str, body: Value) -> Value {
        let response = self.http.post(format!("{}/__sandbox/{path}", self.base)).json(&body).send().await.unwrap();
        assert!(response.status().is_success(), "{path}");
        response.json().await.unwrap_or(Value::Null)
    }

    pub async fn writes(&self) -> Vec<Value> {
        self.get("/__sandbox/writes?network=admob").await["items"].as_array().unwrap().clone()
    }

    pub async fn truth(&self, query: &str) -> Value {
        self.get(&format!("/__sandbox/truth?network=admob&{query}")).await
    }
}

pub fn account(path: &str) -> String {
    format!("/admob/v1beta/accounts/{A1}{path}")
}

pub fn group(name: &str) -> Value {
    json!({
        "displayName": name,
        "targeting": {"platform": "ANDROID", "format": "BANNER", "adUnitIds": [BANNER]},
        "mediationGroupLines": {
            "-1": {"adSourceId": "5450213213286189855"},
            "-2": {"adSourceId": "1063618907739174004", "cpmMode": "MANUAL", "cpmMicros": 500_000},
        },
    })
}
