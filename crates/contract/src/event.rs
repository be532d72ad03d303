//! The events of a run, which we store, stream, replay and fold.

use adagent_domain::{ApprovalId, ChatSessionId, MessageId, Network, RunId, Source, Timestamp, ToolCallId};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::{Artifact, Covers, Preview, Risk, RunStatus, UiHints};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Path {
    Reactive,
    Workflow,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DecidedBy {
    Local,
    Model,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelTier {
    Fast,
    Strong,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActionKind {
    ConnectNetwork,
    EnableNetwork,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    pub done: u64,
    pub total: u64,
}

/// What happened. The `type` on the wire is the variant's name in snake case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum EventBody {
    RunStarted {
        session_id: ChatSessionId,
        message_id: MessageId,
        model: String,
        /// The context settings that the run began with. Older versions of the program did not record them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        settings: Option<Box<crate::ContextSettings>>,
        /// The agent that answers. `None`: the workspace's own.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<Box<crate::AgentRef>>,
    },
    Routing {
        /// Network IDs joined by `,`, or `none`.
        service: String,
        capability: String,
        path: Path,
        confidence: f64,
        decided_by: DecidedBy,
        model_tier: ModelTier,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        thinking: Option<String>,
    },
    Agent {
        agent: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task: Option<String>,
    },
    Status {
        label: String,
    },
    Thinking {
        content: String,
    },
    /// The steps of a message that wants several things. A later event replaces the whole plan.
    Plan {
        #[serde(flatten)]
        plan: crate::Plan,
    },
    Tool {
        tool_call_id: ToolCallId,
        name: String,
        #[serde(flatten)]
        source: Source,
        params: Json,
        read_only: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        approved: Option<bool>,
    },
    ToolExecuting {
        tool_call_id: ToolCallId,
        tool_name: String,
        message: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        progress: Option<Progress>,
    },
    /// A call asked another agent, which answers in its own run.
    Delegated {
        tool_call_id: ToolCallId,
        #[serde(flatten)]
        to: crate::Delegation,
    },
    /// Every agent that the run asked waits for a person, and so does the run.
    AgentsWait,
    ToolResult {
        tool_call_id: ToolCallId,
        name: String,
        ok: bool,
        summary: String,
        result: Json,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        artifact: Option<Artifact>,
        duration_ms: u64,
        cached: bool,
    },
    ToolApprovalRequired {
        approval_id: ApprovalId,
        tool_call_id: ToolCallId,
        tool_name: String,
        #[serde(flatten)]
        source: Source,
        title: String,
        tool_input: Json,
        parameter_schema: Json,
        ui_hints: Box<UiHints>,
        risk: Risk,
        warnings: Vec<String>,
        preview: Preview,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        expires_at: Option<Timestamp>,
    },
    /// A person answered an approval. The event holds all that a reader needs to turn the card into a record.
    ToolApprovalAnswered {
        approval_id: ApprovalId,
        tool_call_id: ToolCallId,
        status: crate::ApprovalStatus,
        by: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        edited_args: Option<Json>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        edits: Vec<crate::ChangeRow>,
        /// What the edited arguments do, in words.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sent: Option<Box<crate::SentChange>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    ToolDenied {
        tool_call_id: ToolCallId,
        tool_name: String,
        reason: String,
        /// Whether an earlier attempt may have changed something, and we could not find out.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        unknown: bool,
    },
    ActionRequired {
        action: ActionKind,
        /// `None` if any network would do.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        network: Option<Network>,
        message: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        deep_link: Option<String>,
    },
    Content {
        content: String,
        is_final: bool,
    },
    Result {
        content: String,
        artifacts: Vec<Artifact>,
        follow_ups: Vec<String>,
        /// How the numbers were counted, a line each. Pages fold it under the answer.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        method: Vec<String>,
        /// The days that the numbers cover. Saved files show them too.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        covers: Option<Covers>,
    },
    Usage {
        model: String,
        input_tokens: u64,
        output_tokens: u64,
        cost_micros: i64,
        /// How long we waited for the model.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        duration_ms: Option<u64>,
        /// The provider reported no usable counts, so these are our estimate.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        estimated: bool,
    },
    Error {
        code: String,
        content: String,
        retryable: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        developer_override_available: Option<bool>,
    },
    Done {
        status: RunStatus,
    },
    /// An event of a newer version of the program. We ignore it, so that an event that we can't read does not hide the others.
    #[serde(other)]
    Unknown,
}

impl EventBody {
    /// Returns the SSE `event:` field.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::RunStarted { .. } => "run_started",
            Self::Routing { .. } => "routing",
            Self::Agent { .. } => "agent",
            Self::Status { .. } => "status",
            Self::Thinking { .. } => "thinking",
            Self::Plan { .. } => "plan",
            Self::Tool { .. } => "tool",
            Self::ToolExecuting { .. } => "tool_executing",
            Self::Delegated { .. } => "delegated",
            Self::AgentsWait => "agents_wait",
            Self::ToolResult { .. } => "tool_result",
            Self::ToolApprovalRequired { .. } => "tool_approval_required",
            Self::ToolApprovalAnswered { .. } => "tool_approval_answered",
            Self::ToolDenied { .. } => "tool_denied",
            Self::ActionRequired { .. } => "action_required",
            Self::Content { .. } => "content",
            Self::Result { .. } => "result",
            Self::Usage { .. } => "usage",
            Self::Error { .. } => "error",
            Self::Done { .. } => "done",
            Self::Unknown => "unknown",
        }
    }
}

/// An event with its place in the run: `seq` is 1, 2, 3 … without gaps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunEvent {
    pub run_id: RunId,
    pub seq: u64,
    pub at: Timestamp,
    #[serde(flatten)]
    pub body: EventBody,
}
