//! The simulated networks, if the server runs them.

use std::collections::BTreeMap;

use adagent_domain::Network;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SandboxNetwork {
    pub base_url: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SandboxInfo {
    pub base_url: String,
    pub networks: BTreeMap<Network, SandboxNetwork>,
    /// The date of the sandbox; its numbers end the day before.
    pub today: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExploreRequest {
    #[serde(default)]
    pub networks: Option<Vec<Network>>,
}
