//! Network access that this server could not revoke.

use adagent_domain::{JobId, Network, Timestamp};
use serde::{Deserialize, Serialize};

/// The page on which people see which programs can access their Google account, and remove one.
pub const GOOGLE_CONNECTIONS: &str = "https://myaccount.google.com/connections";

/// The access that remains after a workspace is deleted; only a person can revoke it now.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConsentsLeft {
    /// The networks. The person revokes access in the Google account that gave it.
    pub consents_left: Vec<Network>,
}

/// An access that a person must revoke at the network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RevocationView {
    pub id: JobId,
    pub network: Network,
    pub display_name: String,
    /// When the connection was removed here.
    pub disconnected_at: Timestamp,
    /// The connection was simulated.
    pub sandbox: bool,
    /// Why the last attempt failed.
    pub message: String,
}
