//! Consents that this server could not take back at their network.

use adagent_domain::{JobId, Network, Timestamp};
use serde::{Deserialize, Serialize};

/// Where people see which programs reach their Google account, and remove one.
pub const GOOGLE_CONNECTIONS: &str = "https://myaccount.google.com/connections";

/// What is left when a workspace is gone: consents that only a person can take back now.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConsentsLeft {
    /// At these networks, in the Google account that gave it.
    pub consents_left: Vec<Network>,
}

/// A person must take it back at the network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RevocationView {
    pub id: JobId,
    pub network: Network,
    pub display_name: String,
    /// When the connection was removed here.
    pub disconnected_at: Timestamp,
    /// It is a simulated one.
    pub sandbox: bool,
    /// What was in the way the last time.
    pub message: String,
}
