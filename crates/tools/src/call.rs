//! A call: for whom it is made, what allows it, and its result.

use adagent_contract::{Artifact, Grants, Progress};
use adagent_domain::{ConnectionId, Timestamp, ToolCallId, UserId, WorkspaceId};
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::{ToolError, ToolInfo};

/// The tool that lists what was done.
pub const JOURNAL: &str = "list_journal";

/// The person and workspace for which a call is made.
#[derive(Debug, Clone, PartialEq)]
pub struct CallScope {
    pub workspace: WorkspaceId,
    /// The person whose rights apply. The call reads and changes their own things in their name.
    pub user: UserId,
    pub call: ToolCallId,
    /// The person's context settings. Providers also enforce strict mode and safe mode.
    pub settings: adagent_contract::ContextSettings,
    /// What the agent of the call may use; for a person, everything.
    pub grants: Grants,
    /// The connection that the call is bound to. We send a change that was approved for one connection through no other.
    pub connection: Option<ConnectionId>,
}

impl CallScope {
    /// Refuses the call if the agent has no grant for it. Callers check this before they look up, show or send anything of the
    /// call.
    pub fn admits(&self, tool: &ToolInfo) -> Result<(), ToolError> {
        let access = tool.access();
        // An agent may always list what it did itself.
        if tool.name == JOURNAL || self.grants.admits(&tool.name, tool.source, access) {
            return Ok(());
        }
        Err(ToolError::not_granted(self.grants.refusal(&tool.name, tool.source, access)))
    }
}

/// The proof that a person approved these arguments. The engine makes it from the stored approval; the pipeline compares it with the digest
/// of what it is about to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriteTicket {
    pub call: ToolCallId,
    pub digest: String,
    /// The connection that the person saw ([`Provider::place`](crate::Provider::place)). The change is not sent through another one.
    pub place: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolOutput {
    /// The normalized answer for the model and the step's JSON view. For reports: `{columns, rows, …}` with typed values.
    pub result: Json,
    /// One line for people: "8 rows", "3 apps".
    pub summary: String,
    pub artifact: Option<Artifact>,
    pub cached: bool,
    /// How often the request was sent, including retries (for the step's details).
    pub attempts: u32,
}

/// Receives the progress of a long call.
#[async_trait]
pub trait ProgressSink: Send {
    async fn progress(&mut self, message: &str, progress: Option<Progress>);

    /// Returns until when the caller waits for a network that accepts no more requests now. `None` means a short wait.
    fn waits_until(&self) -> Option<Timestamp> {
        None
    }
}
