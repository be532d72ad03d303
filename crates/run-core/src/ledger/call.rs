//! A call of a run: what it is, and where it stands.

use adagent_contract::AgentRef;
use adagent_domain::{ApprovalId, RunId, Source, Timestamp, ToolCallId};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::{Fault, FaultKind};

/// Why a write was not sent, so that the answer does not report a denial that no person gave.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Denial {
    /// A person said no.
    #[default]
    Declined,
    /// Nobody answered in time.
    Expired,
    /// The run was stopped, or the question was overtaken.
    Cancelled,
    /// Another change had set the same values before it was to be sent.
    AlreadyThere,
    /// It belongs to the run this one was forked from.
    Forked,
}

/// Where a call stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum CallState {
    /// To be checked against schema, context and known entities.
    Proposed,
    /// Checked. A read may run; a write is to be put to a person.
    Ready,
    Waiting {
        approval: ApprovalId,
    },
    /// Another agent works on it, in a run of its own.
    Child {
        run: RunId,
        agent: AgentRef,
    },
    /// A person approved exactly these arguments.
    Approved {
        approval: ApprovalId,
    },
    /// Committed before the request leaves.
    Sending {
        approval: ApprovalId,
    },
    /// Sent, outcome unknown: the network is asked whether it happened.
    Probing {
        approval: ApprovalId,
        /// A look that begins earlier and finds nothing says nothing: the request may still be on its way. `None`: it is late
        /// enough.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        settles_at: Option<Timestamp>,
        /// Somebody looked too early and found nothing; the next look waits.
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
    /// Nobody could find out whether it happened, and nobody wanted it sent again.
    Unknown {
        why: String,
        /// What a later attempt met, when that is what ended it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        met: Option<FaultKind>,
    },
}

/// Attempts that may have taken effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Doubt {
    /// What happened at the last of them, for people.
    pub why: String,
    /// What was sent: a person may have edited the arguments in between.
    pub digests: Vec<String>,
}

/// A tool call of the run. Its arguments are in the call's row, its result in its event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Call {
    pub id: ToolCallId,
    pub name: String,
    /// Whose tool it is; of a tool that is not there, nobody else's.
    #[serde(flatten)]
    pub source: Source,
    pub read_only: bool,
    pub digest: String,
    pub state: CallState,
    /// One line of the result, for partial answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// What looking at the network said last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<String>,
    /// It may already have taken effect.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub uncertain: bool,
    /// Which attempts nobody could find out about; kept for good, so that none of them is made again without a word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doubt: Option<Doubt>,
    /// What the network had just before this write left, opaque here: kept until nobody asks whether it happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<Json>,
    /// The call of the run this one was forked from for which it stands, with other arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead_of: Option<ToolCallId>,
    /// Somebody gave it with its arguments: it answers no question.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub given: bool,
    /// The change before it in a plan: it leaves only once that one is made, or a person left that one out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<ToolCallId>,
}

impl Call {
    /// As it is proposed.
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

    /// Whether a person was asked about it before.
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
