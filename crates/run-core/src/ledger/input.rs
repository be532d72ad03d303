//! What happens to calls outside, as their ledger takes it in; and the work that leads to it.

use adagent_contract::{ApprovalStatus, Artifact, Preview, Risk, UiHints};
use adagent_domain::{ApprovalId, Source, ToolCallId};
use serde_json::Value as Json;

use crate::{AgentTask, Fault};

/// A call as the model proposed it, enriched with what the catalogue says.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposed {
    pub id: ToolCallId,
    pub name: String,
    pub args: Json,
    /// Whose it is and whether it only reads; `None` when there is no such tool.
    pub tool: Option<(Source, bool)>,
    /// Digest of the canonical arguments.
    pub digest: String,
}

pub type Checked = (ToolCallId, Result<(), Fault>);

/// A call that worked.
#[derive(Debug, Clone, PartialEq)]
pub struct Success {
    pub result: Json,
    pub summary: String,
    pub artifact: Option<Artifact>,
    pub cached: bool,
    pub duration_ms: u64,
}

/// What an approval shows, and the arguments it is about.
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

/// What a person said to an approval.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    pub approval: ApprovalId,
    pub status: ApprovalStatus,
    /// Digest of what may be sent now.
    pub digest: String,
    /// The arguments that may be sent now.
    pub args: Json,
    pub reason: Option<String>,
}

/// How much hangs on a change, as an approval says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stakes {
    pub risk: Risk,
    pub warnings: Vec<String>,
    /// What the change would replace.
    pub preview: Preview,
}

/// What looking at the network said about a write of unknown outcome.
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
    /// Who is to answer what these calls ask other agents.
    Begun(Vec<(ToolCallId, Result<Box<AgentTask>, Fault>)>),
    /// Results of reads, in any order.
    Read(Vec<(ToolCallId, Result<Success, Fault>)>),
    Sketched(Vec<(ToolCallId, Result<Box<Sketched>, Fault>)>),
    Answered(Vec<Answer>),
    /// Before an approved write leaves: what its approval showed, and what is there now.
    Reviewed {
        id: ToolCallId,
        shown: Preview,
        now: Preview,
        /// Of arguments a person edited: what the approval said before, and what it would say of them.
        edited: Option<Box<(Stakes, Stakes)>>,
    },
    /// The driver is about to send this write; must be committed before the request leaves. With it comes what the network
    /// had before, by which a later look tells what the write made from what was there.
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

    /// Whether what it brings may not be lost with the worker.
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
    /// Schema, context, grounding; nothing is sent to change anything.
    Check(Vec<ToolCallId>),
    /// Whom these calls ask; each begins a run.
    Begin(Vec<ToolCallId>),
    /// Side by side.
    Read(Vec<ToolCallId>),
    /// What the approvals of these writes show.
    Sketch(Vec<ToolCallId>),
    /// One write; [`CallInput::Sending`] first, then the request.
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
