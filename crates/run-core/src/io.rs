//! What goes into the machine and what comes out. Inputs carry what the driver looked up; effects say what to do, never how.

use adagent_contract::{ApprovalStatus, Artifact, Covers, EventBody, Preview, Risk, RunStatus, UiHints};
use adagent_domain::{ApprovalId, Network, Timestamp, ToolCallId};
use serde_json::Value as Json;

use crate::{Fault, FaultKind, Route, Spent, Stop};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnusableWhy {
    NotConnected,
    Disabled,
    AuthFailed,
    /// The conversation is for talk alone; no network is asked.
    ChatOnly,
}

impl UnusableWhy {
    /// The faults that say the network itself cannot be used.
    pub const fn of(kind: FaultKind) -> Option<Self> {
        match kind {
            FaultKind::NotConnected => Some(Self::NotConnected),
            FaultKind::Disabled => Some(Self::Disabled),
            FaultKind::AuthFailed => Some(Self::AuthFailed),
            _ => None,
        }
    }
}

/// A network the question needs and that cannot be used now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unusable {
    /// None where any network would do, and there is none.
    pub network: Option<Network>,
    pub why: UnusableWhy,
}

/// The tools chosen for the model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Retrieval {
    pub tools: Vec<String>,
}

/// A call as the model proposed it, enriched with what the catalogue says.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposed {
    pub id: ToolCallId,
    pub name: String,
    pub args: Json,
    /// Network and whether it only reads; `None` when there is no such tool.
    pub tool: Option<(Network, bool)>,
    /// Digest of the canonical arguments.
    pub digest: String,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reply {
    pub text: String,
    pub calls: Vec<Proposed>,
    pub artifacts: Vec<Artifact>,
    pub method: Vec<String>,
    pub covers: Option<Covers>,
    pub follow_ups: Vec<String>,
    pub usage: Spent,
    pub model: String,
    /// Bytes of `text` that were already stored as `content` events.
    pub streamed: usize,
}

pub type Checked = (ToolCallId, Result<(), Fault>);

/// What asking a model about the route cost.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AskedModel {
    pub model: String,
    pub usage: Spent,
}

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

/// What the verifier's rules say about a written answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    Complete,
    /// `blocking`: rather no answer than this one (a figure nobody returned).
    Incomplete {
        guidance: String,
        blocking: bool,
    },
    Reroute {
        why: String,
    },
    RefreshEntities,
}

/// What happened outside.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// A worker took the run over with this state, which nobody worked on for so long.
    Resumed {
        idle_ms: i64,
    },
    /// `asked`: the model that was asked because the rules were unsure, whatever came of it.
    Routed {
        route: Box<Route>,
        thinking: Option<String>,
        unusable: Vec<Unusable>,
        asked: Option<AskedModel>,
    },
    /// Networks whose entities could not be loaded come with the reason.
    EntitiesLoaded {
        problems: Vec<(Network, Fault)>,
    },
    Retrieved(Retrieval),
    Replied(Box<Reply>),
    /// The model was not asked, or gave nothing of use: why, and what asking it cost all the same.
    ModelFailed {
        stop: Stop,
        asked: Option<AskedModel>,
    },
    /// A question to a model was broken off, or its worker is gone: nobody hears the answer, and it costs all the same.
    Unheard(AskedModel),
    Checked(Vec<Checked>),
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
    /// The time of `Work::Settle` has come: the next look counts.
    Settled(ToolCallId),
    Verified(Verdict),
    /// The desk itself broke in this step; nothing came of it.
    Broke {
        step: String,
    },
    CancelRequested,
    DeadlineReached,
}

/// What the run waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Work {
    Route,
    LoadEntities {
        refresh: bool,
    },
    Retrieve,
    AskModel,
    /// Schema, context, grounding; nothing is sent to change anything.
    Check(Vec<ToolCallId>),
    /// Side by side.
    Read(Vec<ToolCallId>),
    /// What the approvals of these writes show.
    Sketch(Vec<ToolCallId>),
    /// One write; `Input::Sending` first, then the request.
    Send(ToolCallId),
    Probe(ToolCallId),
    /// Until then a write may still take effect that was not there yet; nothing is held meanwhile.
    Settle {
        call: ToolCallId,
        until: Timestamp,
    },
    /// A person has to answer; nothing is held meanwhile.
    AwaitPeople,
    Verify,
    Nothing,
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
    pub network: Network,
    pub digest: String,
    pub expires_at: Timestamp,
    pub sketch: Sketched,
}

/// What the driver has to do; everything but `Perform` belongs into one transaction, together with the new state.
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
        result: Option<Json>,
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
    /// Nothing more will happen. `answer` goes into the history of the conversation.
    Finish {
        status: RunStatus,
        answer: Option<String>,
    },
    Perform(Work),
}

/// The states of a call's row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallRow {
    Prepared,
    Approved,
    Sending,
}
