//! Runs as readers see them.

use adagent_domain::{ChatSessionId, CheckpointId, MessageId, RunId, Timestamp, ToolCallId};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    Queued,
    Running,
    AwaitingApproval,
    Completed,
    Failed,
    /// The stop policy ended the run and gave the reason.
    Stopped,
    Cancelled,
}

impl RunStatus {
    pub const ALL: [Self; 7] = [
        Self::Queued,
        Self::Running,
        Self::AwaitingApproval,
        Self::Completed,
        Self::Failed,
        Self::Stopped,
        Self::Cancelled,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::AwaitingApproval => "awaiting_approval",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Stopped => "stopped",
            Self::Cancelled => "cancelled",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }

    /// Checks whether the run is over.
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Stopped | Self::Cancelled)
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsageView {
    pub model: String,
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cost_micros: i64,
    /// Part of it is an estimate, because a provider reported no usable numbers. Only events carry this.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub estimated: bool,
}

/// How far one run can go before the stop policy ends it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunLimits {
    /// Turns of the model.
    pub rounds: u32,
    /// Working time; waiting for people does not count.
    pub working_ms: i64,
    pub tokens: u64,
    pub cost_micros: i64,
}

/// The kinds of steps that a run spends its time on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepKind {
    /// The time before a worker took the run.
    Queue,
    Node,
    Model,
    Tool,
    /// The run waited for a person.
    Person,
}

/// One node, call or wait on the time axis of the run page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepTiming {
    pub name: String,
    pub kind: StepKind,
    pub started_at: Timestamp,
    pub duration_ms: u64,
    /// The same duration in microseconds, for steps that take less than a millisecond.
    pub duration_us: u64,
    pub ok: bool,
}

/// The checkpoint of another run from which a run began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunOrigin {
    pub run_id: RunId,
    /// The number of the checkpoint, counted from 1.
    pub step: i64,
    /// The run took over the events up to this one.
    pub inherited_seq: u64,
    /// `None` if that run was deleted.
    pub question: Option<String>,
}

/// A run that began from a checkpoint of this one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunFork {
    pub run_id: RunId,
    pub step: i64,
    pub question: String,
    pub status: RunStatus,
    pub created_at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunView {
    pub id: RunId,
    pub session_id: ChatSessionId,
    pub message_id: MessageId,
    pub question: String,
    pub status: RunStatus,
    pub model: String,
    pub usage: UsageView,
    pub created_at: Timestamp,
    pub started_at: Option<Timestamp>,
    pub finished_at: Option<Timestamp>,
    pub last_seq: u64,
    pub steps: Vec<StepTiming>,
    /// Where the run was forked from.
    #[serde(default)]
    pub parent: Option<RunOrigin>,
    /// The forks of the run, oldest first.
    #[serde(default)]
    pub forks: Vec<RunFork>,
}

/// The body of POST `/api/runs/{run_id}/override`: corrected arguments after the stop policy ended a run. The change then needs approval as
/// usual.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OverrideRequest {
    pub tool_call_id: Option<ToolCallId>,
    pub args: serde_json::Value,
}

/// The body of POST `/api/runs/{run_id}/checkpoints/{checkpoint_id}/fork`: continue from the checkpoint as it is, with another message, or
/// with other arguments of one call.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForkRequest {
    #[serde(default)]
    pub message: Option<String>,
    /// The call that `args` belong to. By default the last call that had not ended.
    #[serde(default)]
    pub tool_call_id: Option<ToolCallId>,
    #[serde(default)]
    pub args: Option<serde_json::Value>,
}

/// A checkpoint of a run, as the run page lists it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckpointView {
    pub id: CheckpointId,
    pub step: i64,
    /// The last event that the checkpoint includes.
    pub seq: u64,
    pub node: String,
    pub created_at: Timestamp,
}

/// One checkpoint with its content. Checkpoints never hold secrets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CheckpointDetail {
    #[serde(flatten)]
    pub checkpoint: CheckpointView,
    pub state: serde_json::Value,
}

/// The differences between two checkpoints of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CheckpointComparison {
    /// `None` means the start of the run, before its first checkpoint.
    pub from: Option<CheckpointView>,
    pub to: CheckpointView,
    pub changes: Vec<crate::StateChange>,
}
