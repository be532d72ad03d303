//! A call of a run: what it is, and its state.

use adagent_contract::AgentRef;
use adagent_domain::{ApprovalId, RunId, Source, Timestamp, ToolCallId};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::{Fault, FaultKind};

/// Why a write was not sent, so that the answer does not report a denial that no person gave.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Denial {
    /// A person denied it.
    #[default]
    Declined,
    /// Nobody answered in time.
    Expired,
    /// The run was stopped, or the question no longer mattered.
    Cancelled,
    /// Another change had set the same values before we sent this one.
    AlreadyThere,
    /// The call belongs to the run that this one was forked from.
    Forked,
}

/// The state of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum CallState {
    /// Not checked yet against schema, context and known entities.
    Proposed,
    /// Checked. A read may run; a write needs a person's approval first.
    Ready,
    Waiting {
        approval: ApprovalId,
    },
    /// Another agent works on it, in its own run.
    Child {
        run: RunId,
        agent: AgentRef,
    },
    /// A person approved exactly these arguments.
    Approved {
        approval: ApprovalId,
    },
    /// About to be sent. The driver commits this state before the request leaves.
    Sending {
        approval: ApprovalId,
    },
    /// Sent, with an unknown outcome: we ask the network whether it happened.
    Probing {
        approval: ApprovalId,
        /// A look before this time that finds nothing proves nothing, because the request may still be on its way. `None`: that time has
        /// passed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        settles_at: Option<Timestamp>,
        /// Whether a look came too early and found nothing, so that the next one waits.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        looked: bool,
    },
    Succeeded,
    Failed {
        fault: Fault,
    },
    Denied {
        reason: String,
        #[serde(default)]
        cause: Denial,
    },
    /// We could not find out whether it happened, and nobody wanted to send it again.
    Unknown {
        why: String,
        /// What went wrong in a later attempt, if that attempt ended the call.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        met: Option<FaultKind>,
    },
}

/// Attempts that may have taken effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Doubt {
    /// What happened in the last of these attempts, in words for people.
    pub why: String,
    /// Digests of the arguments of these attempts, which a person may have edited in between.
    pub digests: Vec<String>,
}

/// A tool call of the run. Its arguments are in the call's row, its result is in its event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Call {
    pub id: ToolCallId,
    pub name: String,
    /// The source of the tool. A tool that does not exist counts as native.
    #[serde(flatten)]
    pub source: Source,
    pub read_only: bool,
    pub digest: String,
    pub state: CallState,
    /// One line of the result, for partial answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// What the last look at the network found, in words for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<String>,
    /// Whether it may already have taken effect.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub uncertain: bool,
    /// The attempts whose outcome we could not find out. We keep them for good, so that we never repeat one without a warning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doubt: Option<Doubt>,
    /// What the network had just before this write was sent, in a form that only the network's code reads. Kept until we no longer need to
    /// check whether the write happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<Json>,
    /// The call of the forked run that this one replaces, with other arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead_of: Option<ToolCallId>,
    /// Whether somebody started the run with this call, so that the call answers no question.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub given: bool,
    /// The change before this one in a plan. This one is sent only after that change was made, or after a person left that change out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<ToolCallId>,
}

impl Call {
    /// Makes a call that is proposed and not yet checked.
    pub const fn new(id: ToolCallId, name: String, source: Source, read_only: bool, digest: String) -> Self {
        Self {
            id,
            name,
            source,
            read_only,
            digest,
            state: CallState::Proposed,
            summary: None,
            found: None,
            uncertain: false,
            doubt: None,
            baseline: None,
            instead_of: None,
            given: false,
            after: None,
        }
    }

    /// Checks whether a person was already asked about the call.
    pub const fn was_asked(&self) -> bool {
        self.found.is_some()
            || self.doubt.is_some()
            || matches!(
                self.state,
                CallState::Waiting { .. }
                    | CallState::Approved { .. }
                    | CallState::Sending { .. }
                    | CallState::Probing { .. }
            )
    }

    pub const fn is_settled(&self) -> bool {
        matches!(
            self.state,
            CallState::Succeeded | CallState::Failed { .. } | CallState::Denied { .. } | CallState::Unknown { .. }
        )
    }
}
