//! What outlives a killed server: the folder, the database, the sandbox networks.

use std::{path::PathBuf, sync::Arc, time::Duration};

use adagent_sandbox::{Sandbox, SandboxConfig};
use adagent_server::SystemClock;
use serde_json::{Value, json};
use tokio::{net::TcpListener, task::JoinHandle};
use tokio_util::sync::CancellationToken;

use crate::process::{Node, free_port};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    Sqlite,
    Postgres,
}

/// Short, so that a test does not wait long after a kill.
pub const LEASE_MS: u64 = 700;
/// How long the outcome of a write may stay unknown; longer than any request here takes.
const NETWORK_TIMEOUT_MS: u64 = 4000;
/// The same keys for all servers of a world.
const KEYS: &str = "fire:YwMcD1MFq2EDN7-0J_wwxynMOK3lKDQTOCpIjnBYEoM";

/// The sandbox networks at their fixed address, whichever process serves them at the moment.
#[derive(Clone)]
pub struct Networks {
    pub port: u16,
    http: reqwest::Client,
}

pub struct World {
    pub folder: tempfile::TempDir,
    pub database_url: Option<String>,
    pub networks: Networks,
    sandbox: Option<(CancellationToken, JoinHandle<()>)>,
}

impl World {
    pub async fn new(engine: Engine) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let database_url = match engine {
            Engine::Sqlite => None,
            Engine::Postgres => Some(adagent_testkit::postgres_url().await),
        };
        let mut world = Self {
            folder: tempfile::tempdir().unwrap(),
            database_url,
            networks: Networks {
                port: free_port(),
                http: reqwest::Client::builder().timeout(Duration::from_secs(20)).build().unwrap(),
            },
            sandbox: None,
        };
        world.open_sandbox().await;
        world
    }

    /// Returns a server of this world, with its own folder.
    pub fn node(&self, name: &str) -> Node {
        self.node_at(name, self.database_url.clone())
    }

    /// Returns a server that reaches the database by another address.
    pub fn node_at(&self, name: &str, database_url: Option<String>) -> Node {
        let mut settings = vec![
            ("ADAGENT_LEASE_MS", LEASE_MS.to_string()),
            ("ADAGENT_NETWORK_TIMEOUT_MS", NETWORK_TIMEOUT_MS.to_string()),
            ("ADAGENT_VAULT_KEYS", KEYS.to_owned()),
        ];
        settings.extend(database_url.map(|url| ("DATABASE_URL", url)));
        Node::new(self.folder.path().join(name), free_port(), &settings)
    }

    /// Returns the settings with which a server uses the sandbox of this process, which no kill of a server affects.
    pub fn shared_sandbox(&self) -> Vec<(&'static str, String)> {
        vec![("ADAGENT_SANDBOX__URL", self.networks.url())]
    }

    /// Returns the settings with which a server runs the sandbox itself, on the same port and with the same data: both die
    /// together.
    pub fn own_sandbox(&self, node: &Node) -> Vec<(&'static str, String)> {
        let link = node.folder.join("sandbox");
        std::fs::create_dir_all(&node.folder).unwrap();
        if !link.exists() {
            std::os::unix::fs::symlink(self.sandbox_folder(), link).unwrap();
        }
        vec![("ADAGENT_SANDBOX__PORT", self.networks.port.to_string())]
    }

    fn sandbox_folder(&self) -> PathBuf {
        self.folder.path().join("networks")
    }

    /// Opens the sandbox in this process unless it is open.
    pub async fn open_sandbox(&mut self) {
        if self.sandbox.is_some() {
            return;
        }
        let now = Arc::new(|| adagent_domain::Clock::now(&SystemClock).to_jiff());
        let sandbox = Sandbox::open(SandboxConfig::new(self.sandbox_folder(), now)).unwrap();
        let listener = TcpListener::bind(("127.0.0.1", self.networks.port)).await.unwrap();
        let stop = CancellationToken::new();
        let task = tokio::spawn({
            let stop = stop.clone();
            async move { sandbox.serve(listener, stop).await.unwrap() }
        });
        self.sandbox = Some((stop, task));
    }

    pub async fn close_sandbox(&mut self) {
        if let Some((stop, mut task)) = self.sandbox.take() {
            stop.cancel();
            // Do not wait forever for idle connections that a client keeps open.
            if tokio::time::timeout(Duration::from_secs(2), &mut task).await.is_err() {
                task.abort();
                let _ = task.await;
            }
        }
    }
}

impl Networks {
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Breaks an answer of the networks as the control route describes.
    pub async fn fault(&self, fault: Value) {
        // If the process that serves the sandbox is dead at the moment, there is nothing to break.
        let _ = self.http.post(format!("{}/__sandbox/faults", self.url())).json(&fault).send().await;
    }

    /// Returns every write that the networks received, in order.
    pub async fn writes(&self) -> Vec<Value> {
        let url = format!("{}/__sandbox/writes?network=admob", self.url());
        let mut failures = 0;
        loop {
            match self.http.get(&url).send().await {
                Ok(answer) => {
                    let Ok(mut answer) = answer.json::<Value>().await else { continue };
                    let Value::Array(items) = answer["items"].take() else { panic!("no items") };
                    return items;
                }
                Err(error) => {
                    failures += 1;
                    assert!(failures < 400, "the sandbox stays away: {error}");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            }
        }
    }

    /// Returns how often a network was asked to revoke access.
    pub async fn revoked(&self) -> usize {
        let url = format!("{}/__sandbox/requests?operation=oauth_revoke", self.url());
        let answer: Value = self.http.get(&url).send().await.unwrap().json().await.unwrap();
        answer["items"].as_array().expect("items").len()
    }

    /// Returns how often something with this name was created.
    pub async fn made(&self, name: &str) -> usize {
        self.writes().await.iter().filter(|write| write["applied"] == json!(true) && names(write) == Some(name)).count()
    }
}

/// Returns the name in one of our writes.
pub fn names(write: &Value) -> Option<&str> {
    let body = &write["body"];
    body["displayName"].as_str().or_else(|| body["manualAppInfo"]["displayName"].as_str())
}
