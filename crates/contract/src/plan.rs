//! A goal of several parts, as the steps in which it is done.

use adagent_domain::ToolCallId;
use serde::{Deserialize, Serialize};

use crate::{StepState, StepView, TurnView};

/// The steps of a message that wants several things, in the order in which they are done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The message, in its own words.
    pub goal: String,
    pub steps: Vec<PlanStep>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanStep {
    /// In the words of the message.
    pub says: String,
    /// The call that does it, or the first of those that read it; `None` until it is that step's turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<ToolCallId>,
}

/// Where a step of a plan stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanStepStatus {
    /// Its turn has not come.
    Pending,
    /// A person is asked.
    AwaitingApproval,
    /// A person approved it; a step before it is not done yet.
    Approved,
    Running,
    Completed,
    Failed,
    /// A person said no to it.
    Skipped,
    /// A step before it failed, or the run ended.
    NotRun,
}

impl PlanStepStatus {
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Skipped | Self::NotRun)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanStatus {
    AwaitingApproval,
    Executing,
    Completed,
    Failed,
}

impl Plan {
    /// Where each step stands in this turn.
    pub fn statuses(&self, turn: &TurnView) -> Vec<PlanStepStatus> {
        let mut broken = false;
        self.steps
            .iter()
            .map(|step| {
                let status = step.status(turn, broken);
                broken |= status == PlanStepStatus::Failed;
                status
            })
            .collect()
    }

    pub fn status(&self, turn: &TurnView) -> PlanStatus {
        let steps = self.statuses(turn);
        let any = |wanted| steps.contains(&wanted);
        if any(PlanStepStatus::Failed) || turn.status.is_final() && any(PlanStepStatus::NotRun) {
            PlanStatus::Failed
        } else if any(PlanStepStatus::AwaitingApproval) {
            PlanStatus::AwaitingApproval
        } else if steps.iter().all(|step| step.is_final()) {
            PlanStatus::Completed
        } else {
            PlanStatus::Executing
        }
    }
}

impl PlanStep {
    /// `broken`: a step before it failed.
    fn status(&self, turn: &TurnView, broken: bool) -> PlanStepStatus {
        let Some(id) = self.tool_call_id else {
            return match turn.status.is_final() {
                true if broken || !turn.answered => PlanStepStatus::NotRun,
                true => PlanStepStatus::Completed,
                false => PlanStepStatus::Pending,
            };
        };
        let found = turn.steps.iter().find_map(|step| match step {
            // An approved change says something only from the moment it leaves.
            StepView::Tool { tool_call_id, state, read_only, message, .. } if *tool_call_id == id => {
                Some((*state, *read_only || message.is_some()))
            }
            _ => None,
        });
        let card = turn.approvals.iter().rfind(|card| card.tool_call_id == id);
        match (found, card.map(|card| card.status)) {
            (Some((StepState::Ok, _)), _) => PlanStepStatus::Completed,
            (Some((StepState::Failed, _)), _) => PlanStepStatus::Failed,
            (Some((StepState::Denied, _)), Some(crate::ApprovalStatus::Denied | crate::ApprovalStatus::Expired)) => {
                PlanStepStatus::Skipped
            }
            // Somebody else had set the same values.
            (Some((StepState::Denied, _)), Some(status))
                if crate::came_too_late(status, card.and_then(|card| card.reason.as_deref())) =>
            {
                PlanStepStatus::Completed
            }
            (Some((StepState::Denied | StepState::Stopped, _)), _) => PlanStepStatus::NotRun,
            (_, Some(crate::ApprovalStatus::Pending)) => PlanStepStatus::AwaitingApproval,
            (Some((StepState::Running, true)), _) => PlanStepStatus::Running,
            (_, Some(crate::ApprovalStatus::Approved)) => PlanStepStatus::Approved,
            _ if turn.status.is_final() => PlanStepStatus::NotRun,
            _ => PlanStepStatus::Pending,
        }
    }
}
