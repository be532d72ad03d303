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
    /// The stop policy ended it and said why.
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

    /// Whether nothing more will happen.
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
    /// Some of it is reckoned, because a provider told no usable figures. Known from events only.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub estimated: bool,
}

/// How far one run may go before the stop policy ends it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunLimits {
    /// Turns of the model.
    pub rounds: u32,
    /// Time at work; waiting for people is not counted.
    pub working_ms: i64,
    pub tokens: u64,
    pub cost_micros: i64,
}

/// What a stretch of a run's time was spent with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepKind {
    /// Before a worker took the run.
    Queue,
    Node,
    Model,
    Tool,
    /// A person was waited for.
    Person,
}

/// One node, call or wait on the run viewer's time axis.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepTiming {
    pub name: String,
    pub kind: StepKind,
    pub started_at: Timestamp,
    pub duration_ms: u64,
    /// The same, for what takes less than a millisecond.
    pub duration_us: u64,
    pub ok: bool,
}

/// The saved state of another run in which a run began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunOrigin {
    pub run_id: RunId,
    /// Which of its saved states, counted from 1.
    pub step: i64,
    /// Events up to this one were taken over with it.
    pub inherited_seq: u64,
    /// `None` when that run is no longer kept.
    pub question: Option<String>,
}

/// A run that began in a saved state of this one.
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
    /// Where it was forked from.
    #[serde(default)]
    pub parent: Option<RunOrigin>,
    /// What was forked from it, oldest first.
    #[serde(default)]
    pub forks: Vec<RunFork>,
}

/// POST `/api/runs/{run_id}/override`: corrected arguments after a deterministic stop; approval as usual follows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OverrideRequest {
    pub tool_call_id: Option<ToolCallId>,
    pub args: serde_json::Value,
}

/// POST `/api/runs/{run_id}/checkpoints/{checkpoint_id}/fork`: goes on as it stood, with another message, or with other
/// arguments of one call.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForkRequest {
    #[serde(default)]
    pub message: Option<String>,
    /// Which call `args` are for; the last one that was not over when none is named.
    #[serde(default)]
    pub tool_call_id: Option<ToolCallId>,
    #[serde(default)]
    pub args: Option<serde_json::Value>,
}

/// A saved state of a run, as the run viewer lists it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckpointView {
    pub id: CheckpointId,
    pub step: i64,
    /// The last event that is part of it.
    pub seq: u64,
    pub node: String,
    pub created_at: Timestamp,
}

/// One saved state with what is in it; states never hold secrets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CheckpointDetail {
    #[serde(flatten)]
    pub checkpoint: CheckpointView,
    pub state: serde_json::Value,
}

/// What differs between two saved states of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CheckpointComparison {
    /// `None`: the beginning, before any state was saved.
    pub from: Option<CheckpointView>,
    pub to: CheckpointView,
    pub changes: Vec<crate::StateChange>,
}
