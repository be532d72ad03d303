//! Context settings: what the agent may look at and do, per person and workspace. Enforced by the server.

use std::collections::BTreeMap;

use adagent_domain::Network;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContextMode {
    /// Prefer what is selected; reach further when the question names it.
    #[default]
    Soft,
    /// Nothing outside the selection is read or written.
    Strict,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResponseStyle {
    #[default]
    Concise,
    Detailed,
}

/// `None` in a selection means: everything.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ContextSettings {
    pub mode: ContextMode,
    pub enabled_networks: Option<Vec<Network>>,
    pub enabled_accounts: BTreeMap<Network, Vec<String>>,
    pub enabled_apps: Option<Vec<String>>,
    /// Nothing is written, not even after approval.
    pub safe_mode: bool,
    pub response_style: ResponseStyle,
    /// `None` is the server's default.
    pub model: Option<String>,
}
