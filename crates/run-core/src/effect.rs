//! What a machine asks for: what to do, never how.

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

/// A question to a person, to be stored with its event.
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

/// What the driver has to do; all of it belongs into one transaction, together with the new state.
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
        /// What it brought; stored once, with the call.
        result: Option<CallResult>,
    },
    Ask(Box<Ask>),
    /// The approval is no longer wanted.
    CancelApproval {
        approval: ApprovalId,
        reason: String,
    },
    Spend(Spent),
    /// The run's row shows this status.
    Status(RunStatus),
    Begin(Box<Child>),
    /// Nobody waits any longer for this run, which the run began.
    StopChild(RunId),
    /// Nothing more will happen. `answer` is what the run came to, in words.
    Finish {
        status: RunStatus,
        answer: Option<String>,
    },
}
