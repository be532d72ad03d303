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
}

/// One node or call on the run viewer's time axis.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepTiming {
    pub name: String,
    /// `node`, `model` or `tool`.
    pub kind: String,
    pub started_at: Timestamp,
    pub duration_ms: u64,
    pub ok: bool,
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
}

/// POST `/api/runs/{run_id}/override`: corrected arguments after a deterministic stop; approval as usual follows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OverrideRequest {
    pub tool_call_id: Option<ToolCallId>,
    pub args: serde_json::Value,
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
