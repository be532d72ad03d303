//! What tool servers need from the server.

use std::sync::Arc;

use adagent_domain::Clock;
use adagent_identity::Vault;
use adagent_outgoing::WayOut;
use adagent_sources::mcp::{McpServers, Setup, SignIns};
use adagent_store::Store;

use super::shelf::Shelved;

/// The parts of tool servers. `provider` is also a source of the engine's tools.
pub struct ToolServerParts {
    pub provider: Arc<McpServers>,
    pub(super) vault: Arc<Vault>,
    pub(super) shelf: Arc<Shelved>,
}

impl ToolServerParts {
    /// Makes the parts. `allowed` lists the hosts that the configuration allows for tool servers.
    pub fn new(
        store: Arc<dyn Store>,
        vault: Arc<Vault>,
        clock: Arc<dyn Clock>,
        allowed: Vec<String>,
        way: WayOut,
    ) -> Result<Self, reqwest::Error> {
        let sign_ins = SignIns::new(allowed.clone(), way.clone())?;
        let shelf = Arc::new(Shelved { store, vault: Arc::clone(&vault), clock: Arc::clone(&clock), sign_ins });
        let provider = McpServers::new(Setup { shelf: Arc::clone(&shelf) as _, allowed, way, clock })?;
        Ok(Self { provider: Arc::new(provider), vault, shelf })
    }
}
