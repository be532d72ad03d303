//! The simulated networks, when the server runs with them.

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
    /// The sandbox's date: figures end the day before.
    pub today: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExploreRequest {
    #[serde(default)]
    pub networks: Option<Vec<Network>>,
}
