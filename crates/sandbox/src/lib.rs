//! Simulates ad networks over real HTTP: the same apps earn money on several networks, each with its own paths, signatures, error bodies,
//! limits and report formats. Control routes serve the tests.
//!
//! This crate depends on no other crate of the workspace, so that clients are tested against the wire and not against our own types. It
//! must never send anything to a real network, and never answer with a number that contradicts [`truth`].
//!
//! - A network answers under `/<network>/<its real path>`; its other hosts are under `/<network>/@<host>/<path>`
//!   (`/applovin/mediation/v1/ad_units`, `/applovin/@r.applovin.com/maxReport`). `AdMob` also answers at the root.
//! - Keys that work, and keys that were revoked, have expired or are not allowed: [`credentials`].
//! - `AdMob`'s OAuth: `/admob/o/oauth2/v2/auth`, `/admob/token`, `/admob/revoke`; client [`DEFAULT_CLIENT_ID`] / [`DEFAULT_CLIENT_SECRET`].
//!   The bearer token [`OFFICIAL_CLIENT_TOKEN`] is always valid, with all scopes and accounts. Ad Manager shares the sign-in
//!   (`/admanager/token` is the same) but has its own scopes.
//! - Control routes are described in [`control`].
//!
//! # The parts
//!
//! `server` listens → `dispatch` finds the network and its operation, takes a fault, authenticates the caller, counts the limit, runs the
//! operation and journals a write with its effects → a module of `networks` decides the answer. `world` holds the data: apps, countries,
//! `AdMob`'s daily numbers, and in `world::books` what each other network counted of the same traffic.
//!
//! # Adding a network
//!
//! 1. `networks/<network>/mod.rs`: a unit struct that implements `networks::Network`: a table of operations (`networks::op`; IDs in a path
//!    are `{}`), `authenticate`, `read`, `write` (returns what changes, stores nothing), `token` for a sign-in, `refuse` (unknown path,
//!    limit, injected status… in the network's own form), and `seed` for the objects at the start.
//! 2. One line in `networks::NETWORKS`; no other code of this crate names a network.
//! 3. Its four sets of keys in `credentials`.
//! 4. If it earns: a `world::books::Book` (its ad sources in `AdMob` and its constant deviation) and a `Listing` (its IDs of apps and
//!    placements). Reports sum the book, and `GET /__sandbox/truth` then answers for it without more code.
//! 5. `tests/it/<network>.rs`: every operation, wrong keys, unknown IDs, bad bodies, paging, limits, and numbers compared with the truth.

pub mod control;
pub mod credentials;
mod dispatch;
mod faults;
mod journal;
mod networks;
mod quota;
mod seen;
mod server;
mod shelves;
mod state;
pub mod truth;
mod world;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use jiff::Timestamp;

pub use credentials::{Credential, Standing};
pub use server::{RunningSandbox, Sandbox};

/// The client ID that is always registered.
pub const DEFAULT_CLIENT_ID: &str = "adagent-sandbox";
/// The secret of [`DEFAULT_CLIENT_ID`]; a simulated credential that is public on purpose.
pub const DEFAULT_CLIENT_SECRET: &str = "sandbox-secret";
/// The bearer token for official clients that cannot go through consent. It belongs to the identity with all accounts.
pub const OFFICIAL_CLIENT_TOKEN: &str = "sandbox-official-client";

/// Returns the IDs of the simulated networks, `admob` first. The base address of a network is the address of the sandbox plus `/<id>`.
pub fn network_ids() -> impl Iterator<Item = &'static str> {
    networks::NETWORKS.iter().map(|network| network.id())
}

/// The clock, supplied by the caller.
pub type Now = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// An OAuth client that the sandbox accepts.
#[derive(Debug, Clone)]
pub struct OAuthClient {
    pub id: String,
    pub secret: String,
    /// The exact redirect addresses; if empty, any loopback or https address is accepted.
    pub redirect_uris: Vec<String>,
}

impl Default for OAuthClient {
    fn default() -> Self {
        Self { id: DEFAULT_CLIENT_ID.to_owned(), secret: DEFAULT_CLIENT_SECRET.to_owned(), redirect_uris: Vec::new() }
    }
}

/// How many requests one credential may make.
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

/// What a sandbox needs to start.
#[derive(Clone)]
pub struct SandboxConfig {
    /// The folder of the append-only log; created if missing.
    pub data_dir: PathBuf,
    pub now: Now,
    /// Clients besides the default one.
    pub clients: Vec<OAuthClient>,
    pub quota: Quota,
}

impl SandboxConfig {
    /// Returns a configuration with the default client and quota.
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
