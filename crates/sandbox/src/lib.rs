//! Simulates ad networks over real HTTP: `AdMob` with its OAuth endpoints, deterministic figures and control routes.
//!
//! It depends on no other crate of the workspace, so that clients are tested against the wire and not against our own types.
//! It must never reach out to a real network, and never answer with a figure that [`report::truth`] would contradict.
//!
//! - `AdMob` answers under `/admob/v1beta/…`, `/admob/v1/…` and at the root (`/v1beta/…`).
//! - OAuth: `/admob/o/oauth2/v2/auth`, `/admob/token`, `/admob/revoke`; client [`DEFAULT_CLIENT_ID`] / [`DEFAULT_CLIENT_SECRET`].
//! - The bearer token [`OFFICIAL_CLIENT_TOKEN`] is always valid, with all scopes and all accounts.
//! - Control routes are described in [`control`].

pub mod control;
mod data;
mod dispatch;
mod errors;
mod faults;
mod fields;
mod filter;
mod journal;
mod oauth;
mod oauth_page;
mod ops;
mod paging;
mod quota;
pub mod report;
mod routes;
mod server;
mod state;
mod tokens;
mod wire;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use jiff::Timestamp;

pub use server::{RunningSandbox, Sandbox};

/// Client id that is always registered.
pub const DEFAULT_CLIENT_ID: &str = "adagent-sandbox";
/// Secret of [`DEFAULT_CLIENT_ID`]; a simulated credential, published on purpose.
pub const DEFAULT_CLIENT_SECRET: &str = "sandbox-secret";
/// Bearer token for official clients that cannot go through consent; owner is the identity with all accounts.
pub const OFFICIAL_CLIENT_TOKEN: &str = "sandbox-official-client";

/// The clock, handed in by the caller.
pub type Now = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// An OAuth client the sandbox accepts.
#[derive(Debug, Clone)]
pub struct OAuthClient {
    pub id: String,
    pub secret: String,
    /// Exact redirect addresses; empty accepts any loopback or https address.
    pub redirect_uris: Vec<String>,
}

impl Default for OAuthClient {
    fn default() -> Self {
        Self { id: DEFAULT_CLIENT_ID.to_owned(), secret: DEFAULT_CLIENT_SECRET.to_owned(), redirect_uris: Vec::new() }
    }
}

/// Requests one credential may make.
#[derive(Debug, Clone, Copy)]
pub struct Quota {
    pub burst: u32,
    pub per_minute: u32,
}

impl Default for Quota {
    fn default() -> Self {
        Self { burst: 5_000, per_minute: 6_000 }
    }
}

/// What a sandbox is made of.
#[derive(Clone)]
pub struct SandboxConfig {
    /// Folder of the append-only log; created when absent.
    pub data_dir: PathBuf,
    pub now: Now,
    /// Clients beside the default one.
    pub clients: Vec<OAuthClient>,
    pub quota: Quota,
}

impl SandboxConfig {
    /// The default client and quota.
    pub fn new(data_dir: impl Into<PathBuf>, now: Now) -> Self {
        Self { data_dir: data_dir.into(), now, clients: vec![OAuthClient::default()], quota: Quota::default() }
    }
}

/// Why a sandbox cannot open or serve.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    #[error("cannot use the sandbox folder {path}")]
    Folder { path: PathBuf, source: io::Error },
    #[error("the sandbox log {path} is damaged at line {line}; remove the file to start afresh")]
    Damaged { path: PathBuf, line: usize, source: serde_json::Error },
    #[error("the sandbox cannot listen")]
    Listen(#[source] io::Error),
    #[error("the sandbox server failed")]
    Serve(#[source] io::Error),
}
