//! The Model Context Protocol at `/mcp`: our tools for programs that speak it, through the official SDK.
//!
//! Tools, visibility and limits are the same as in a chat, all through [`adagent_service`]. Nothing here changes anything at a network: a
//! write begins a run that waits for a person, who answers on our own pages. This crate must not read tokens: the code that checked the
//! token has put its person into the request's extensions.

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

/// What the server supplies.
pub struct McpParts {
    pub service: Arc<Service>,
    /// The address at which people reach the server. Links to approvals and runs use it, and requests may name only its host and origin.
    pub public_url: Url,
    /// Other hosts that requests may name, in addition to this machine's own.
    pub hosts: Vec<String>,
    /// How often we check whether a client may see something else now, while it wants to be notified.
    pub look_every: Duration,
    /// Ends streams and sessions when the server stops.
    pub stopping: CancellationToken,
}

/// What all parts of this crate share.
pub(crate) struct Shared {
    pub service: Arc<Service>,
    pub public_url: Url,
    pub look_every: Duration,
    pub catalogue: tools::Listed,
    pub stopping: CancellationToken,
}

impl Shared {
    /// Returns the address of one of our pages.
    pub fn page(&self, path: &str) -> String {
        let base = self.public_url.as_str().trim_end_matches('/');
        format!("{base}{path}")
    }
}
