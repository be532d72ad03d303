//! What happens to calls outside the machine, in the form that their ledger receives, and the work that leads to it.

use adagent_contract::{ApprovalStatus, Artifact, Preview, Risk, UiHints};
use adagent_domain::{ApprovalId, Source, ToolCallId};
use serde_json::Value as Json;

use crate::{AgentTask, Fault};

/// A call as the model proposed it, with what the catalog says about its tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposed {
    pub id: ToolCallId,
    pub name: String,
    pub args: Json,
    /// The tool's source, and whether it only reads. `None` if there is no such tool.
    pub tool: Option<(Source, bool)>,
    /// Digest of the canonical arguments.
    pub digest: String,
}

pub type Checked = (ToolCallId, Result<(), Fault>);

/// The result of a call that worked.
#[derive(Debug, Clone, PartialEq)]
pub struct Success {
    pub result: Json,
    pub summary: String,
    pub artifact: Option<Artifact>,
    pub cached: bool,
    pub duration_ms: u64,
}

/// What an approval shows, and the arguments that it covers.
#[derive(Debug, Clone, PartialEq)]
pub struct Sketched {
    pub tool_input: Json,
    pub title: String,
    pub risk: Risk,
    pub warnings: Vec<String>,
    pub preview: Preview,
    pub ui_hints: UiHints,
    pub parameter_schema: Json,
}

/// A person's answer to an approval.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    pub approval: ApprovalId,
    pub status: ApprovalStatus,
    /// Digest of the arguments that may be sent now.
    pub digest: String,
    /// The arguments that may be sent now.
    pub args: Json,
    pub reason: Option<String>,
}

/// How much a change could affect, as an approval shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stakes {
    pub risk: Risk,
    pub warnings: Vec<String>,
    /// What the change would replace.
    pub preview: Preview,
}

/// What a look at the network found about a write with an unknown outcome.
#[derive(Debug, Clone, PartialEq)]
pub enum Found {
    Happened { result: Json, summary: String },
    DidNotHappen { looked_at: String },
    CannotTell { why: String },
}

/// What happened to calls.
#[derive(Debug, Clone, PartialEq)]
pub enum CallInput {
    Checked(Vec<Checked>),
    /// The agents that answer what these calls ask.
    Begun(Vec<(ToolCallId, Result<Box<AgentTask>, Fault>)>),
    /// Results of reads, in any order.
    Read(Vec<(ToolCallId, Result<Success, Fault>)>),
    Sketched(Vec<(ToolCallId, Result<Box<Sketched>, Fault>)>),
    Answered(Vec<Answer>),
    /// Before an approved write is sent: what its approval showed, and what the network has now.
    Reviewed {
        id: ToolCallId,
        shown: Preview,
        now: Preview,
        /// If a person edited the arguments: what the approval said before, and what it would say about the new ones.
        edited: Option<Box<(Stakes, Stakes)>>,
    },
    /// The driver is about to send this write, and must commit this before the request leaves. The value is what the network had before the
    /// write, so that a later look can tell what the write changed.
    Sending(ToolCallId, Option<Json>),
    Sent(ToolCallId, Box<Result<Success, Fault>>),
    Probed(ToolCallId, Box<Found>),
}

impl CallInput {
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Checked(_) => "checked",
            Self::Begun(_) => "begun",
            Self::Read(_) => "read",
            Self::Sketched(_) => "sketched",
            Self::Answered(_) => "answered",
            Self::Reviewed { .. } => "reviewed",
            Self::Sending(..) => "sending",
            Self::Sent(..) => "sent",
            Self::Probed(..) => "probed",
        }
    }

    /// Checks whether the run must save this at once, because a lost worker would lose it.
    pub const fn is_worth_saving(&self) -> bool {
        matches!(
            self,
            Self::Begun(_) | Self::Read(_) | Self::Sketched(_) | Self::Answered(_) | Self::Sent(..) | Self::Probed(..)
        )
    }
}

/// Work on calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallWork {
    /// Checks schema, context and grounding. Sends nothing that changes anything.
    Check(Vec<ToolCallId>),
    /// Finds the agents that these calls ask. Each call begins a run.
    Begin(Vec<ToolCallId>),
    /// Runs these reads at the same time.
    Read(Vec<ToolCallId>),
    /// Prepares what the approvals of these writes show.
    Sketch(Vec<ToolCallId>),
    /// Sends one write: first commits [`CallInput::Sending`], then sends the request.
    Send(ToolCallId),
    Probe(ToolCallId),
}

impl CallWork {
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Check(_) => "check",
            Self::Begin(_) => "begin",
            Self::Read(_) => "read",
            Self::Sketch(_) => "sketch",
            Self::Send(_) => "send",
            Self::Probe(_) => "probe",
        }
    }
}
