//! Simulates ad networks over real HTTP: one little world in which the same apps earn on several networks, each network with
//! its own paths, signatures, error bodies, limits and report formats, and control routes for tests.
//!
//! It depends on no other crate of the workspace, so that clients are tested against the wire and not against our own types.
//! It must never reach out to a real network, and never answer with a figure that [`truth`] would contradict.
//!
//! - A network answers under `/<network>/<its real path>`; a further host of it under `/<network>/@<host>/<path>`
//!   (`/applovin/mediation/v1/ad_units`, `/applovin/@r.applovin.com/maxReport`). `AdMob` answers at the root too.
//! - Keys that work, and keys that were revoked, have expired or are not allowed: [`credentials`].
//! - `AdMob`'s OAuth: `/admob/o/oauth2/v2/auth`, `/admob/token`, `/admob/revoke`; client [`DEFAULT_CLIENT_ID`] /
//!   [`DEFAULT_CLIENT_SECRET`]. The bearer token [`OFFICIAL_CLIENT_TOKEN`] is always valid, with all scopes and accounts.
//!   Ad Manager shares the sign-in (`/admanager/token` is the same) with scopes of its own.
//! - Control routes are described in [`control`].
//!
//! # The parts
//!
//! `server` listens → `dispatch` finds the network and its operation, takes a fault, asks who calls, counts the limit, runs
//! the operation and journals a write with its effects → a module of `networks` decides. `world` holds what is true: apps,
//! countries, `AdMob`'s daily figures, and in `world::books` what each other network counted of the same traffic.
//!
//! # Adding a network
//!
//! 1. `networks/<network>/mod.rs`: a unit struct with `networks::Network`: a table of operations (`networks::op`; ids of
//!    a path are `{}`), `authenticate`, `read`, `write` (says what changes, stores nothing), `token` for a sign-in,
//!    `refuse` (unknown path, limit, injected status… in the network's own form), `seed` for what it starts with.
//! 2. One line in `networks::NETWORKS`; nothing else of the crate names a network.
//! 3. Its four sets of keys in `credentials`.
//! 4. Where it earns: a `world::books::Book` (its ad sources in `AdMob` and its steady gap) and a `Listing` (its ids for
//!    apps and placements). Reports sum the book; `GET /__sandbox/truth` then answers for it by itself.
//! 5. `tests/it/<network>.rs`: every operation, wrong keys, unknown ids, bad bodies, paging, limits, figures against truth.

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

/// Client id that is always registered.
pub const DEFAULT_CLIENT_ID: &str = "adagent-sandbox";
/// Secret of [`DEFAULT_CLIENT_ID`]; a simulated credential, published on purpose.
pub const DEFAULT_CLIENT_SECRET: &str = "sandbox-secret";
/// Bearer token for official clients that cannot go through consent; owner is the identity with all accounts.
pub const OFFICIAL_CLIENT_TOKEN: &str = "sandbox-official-client";

/// Ids of the simulated networks, `admob` first. A network's base address is the sandbox's with `/<id>`.
pub fn network_ids() -> impl Iterator<Item = &'static str> {
    networks::NETWORKS.iter().map(|network| network.id())
}

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
