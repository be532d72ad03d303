//! The Model Context Protocol at `/mcp`: the desk's tools for programs that speak it, as the official SDK carries them.
//!
//! The same tools, the same visibility, the same limits as in a conversation, all through [`adagent_service`]. Nothing in here
//! changes anything at a network: a write begins a run that waits for a person, who answers on the desk's own pages. Must not
//! look at tokens: who comes is in the request's extensions, put there by whoever checked.

mod answers;
mod budget;
mod call;
mod completions;
mod desk;
#[cfg(feature = "fixtures")]
pub mod fixtures;
mod message;
mod narrow;
mod own;
mod pass;
mod prompts;
mod resources;
mod sessions;
mod tasks;
mod tools;
mod totals;
mod transport;
mod watch;
mod who;
mod whole;

use std::{sync::Arc, time::Duration};

use adagent_service::Service;
use tokio_util::sync::CancellationToken;
use url::Url;

pub use transport::{Mcp, McpBody};

/// What the server hands in.
pub struct McpParts {
    pub service: Arc<Service>,
    /// How people reach the desk: where approvals and runs are linked to, and which host and origin requests may name.
    pub public_url: Url,
    /// Further hosts requests may name besides this machine's own.
    pub hosts: Vec<String>,
    /// How often it is looked whether what a client may see has changed, while one wants to be told.
    pub look_every: Duration,
    /// Ends streams and sessions when the server stops.
    pub stopping: CancellationToken,
}

/// What everything in here shares.
pub(crate) struct Shared {
    pub service: Arc<Service>,
    pub public_url: Url,
    pub look_every: Duration,
    pub catalogue: tools::Listed,
    pub stopping: CancellationToken,
}

impl Shared {
    /// A page of the desk.
    pub fn page(&self, path: &str) -> String {
        let base = self.public_url.as_str().trim_end_matches('/');
        format!("{base}{path}")
    }
}
