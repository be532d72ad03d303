//! That something of a person's changed in a workspace: chats, runs, approvals. What it was is read where it is kept.

use serde::{Deserialize, Serialize};

/// What `GET /api/activity` says, and says again whenever something changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Activity {
    /// Changes that need this person's approval.
    pub pending_approvals: u64,
}
