//! What a machine wants done. It says what, never how.

use adagent_contract::{CallResult, EventBody, RunStatus};
use adagent_domain::{ApprovalId, RunId, Source, Timestamp, ToolCallId};
use serde_json::Value as Json;

use crate::{Child, Sketched, Spent};

/// The states of a call's row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallRow {
    Prepared,
    Approved,
    Sending,
}

/// A change of a call's row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallMark {
    Prepared,
    Sending,
    Succeeded,
    Failed,
    Unknown,
    Denied,
}

/// A question to a person. The driver stores it together with its event.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    pub approval: ApprovalId,
    pub call: ToolCallId,
    pub tool: String,
    pub source: Source,
    pub digest: String,
    pub expires_at: Timestamp,
    pub sketch: Sketched,
}

/// What the driver must do. All effects of a step go into one transaction, together with the new state.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    Emit(EventBody),
    InsertCall {
        id: ToolCallId,
        name: String,
        args: Json,
        digest: String,
        read_only: bool,
    },
    MoveCall {
        id: ToolCallId,
        from: &'static [CallRow],
        to: CallMark,
        /// The result, stored once, with the call.
        result: Option<CallResult>,
    },
    Ask(Box<Ask>),
    /// The run no longer wants an answer to this approval.
    CancelApproval {
        approval: ApprovalId,
        reason: String,
    },
    Spend(Spent),
    /// Shows this status in the run's row.
    Status(RunStatus),
    Begin(Box<Child>),
    /// Stops a run that this run began, because nothing waits for its end anymore.
    StopChild(RunId),
    /// Ends the run. `answer` is its answer in words.
    Finish {
        status: RunStatus,
        answer: Option<String>,
    },
}
