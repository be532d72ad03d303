//! A call on its way: for whom it is made, what allows it, what comes of it.

use adagent_contract::{Artifact, Grants, Progress};
use adagent_domain::{ConnectionId, Timestamp, ToolCallId, UserId, WorkspaceId};
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::{ToolError, ToolInfo};

/// The tool that tells what was done.
pub const JOURNAL: &str = "list_journal";

/// For whom a call is made.
#[derive(Debug, Clone, PartialEq)]
pub struct CallScope {
    pub workspace: WorkspaceId,
    /// With whose rights; what belongs to one person is read and changed as theirs.
    pub user: UserId,
    pub call: ToolCallId,
    /// Context settings of the person: strict mode and safe mode are enforced in here too.
    pub settings: adagent_contract::ContextSettings,
    /// What the agent it is made for may use; of a person: everything.
    pub grants: Grants,
    /// The connection this is bound to: what was approved for one goes through no other.
    pub connection: Option<ConnectionId>,
}

impl CallScope {
    /// Refuses what the agent was not granted. Asked before anything of a call is looked up, shown or sent.
    pub fn admits(&self, tool: &ToolInfo) -> Result<(), ToolError> {
        let access = tool.access();
        // What an agent did itself it may always tell.
        if tool.name == JOURNAL || self.grants.admits(&tool.name, tool.source, access) {
            return Ok(());
        }
        Err(ToolError::not_granted(self.grants.refusal(&tool.name, tool.source, access)))
    }
}

/// Proof that a person approved these arguments: the engine makes it from the stored approval, the pipeline checks it against
/// the digest of what it is about to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriteTicket {
    pub call: ToolCallId,
    pub digest: String,
    /// The connection it was looked at in ([`Provider::place`](crate::Provider::place)): through another one it is not sent.
    pub place: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolOutput {
    /// Normalised answer; what the model and the step's JSON view get. For reports: `{columns, rows, …}` with typed values.
    pub result: Json,
    /// One line for people: "8 rows", "3 apps".
    pub summary: String,
    pub artifact: Option<Artifact>,
    pub cached: bool,
    /// How often it was sent, with the waits between (for the step's detail).
    pub attempts: u32,
}

/// Takes progress of a long call.
#[async_trait]
pub trait ProgressSink: Send {
    async fn progress(&mut self, message: &str, progress: Option<Progress>);

    /// Until when the caller waits for a network that takes no more requests now. Without it the wait is short.
    fn waits_until(&self) -> Option<Timestamp> {
        None
    }
}
