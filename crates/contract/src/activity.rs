//! Says that something of a person's has changed in a workspace: a chat, a run or an approval. The reader then fetches the new state
//! itself.

use serde::{Deserialize, Serialize};

/// The data of `GET /api/activity`, sent again whenever something changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Activity {
    /// Changes that need this person's approval.
    pub pending_approvals: u64,
}
