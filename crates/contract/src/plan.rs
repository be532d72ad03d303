//! A request with several parts, as the steps in which the run does it.

use adagent_domain::{ApprovalId, ChatSessionId, RunId, Source, ToolCallId};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::{ApprovalStatus, StepState, StepView, TurnApproval, TurnView};

/// The steps of a message that wants several things, in the order in which the run does them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The message as the person wrote it.
    pub goal: String,
    pub steps: Vec<PlanStep>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanStep {
    /// The words of the message that ask for this step.
    pub says: String,
    /// The call that does the step, or the first of the calls that read for it. `None` until the step begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<ToolCallId>,
    /// Every call for this step, including the lookups before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ToolCallId>,
    /// What the page says about a step without a call: the thing already exists, or the run cannot do it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The step asks for a change, and the run made none: the note says why.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unmade: bool,
}

/// The state of a step of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanStepStatus {
    /// The step has not begun.
    Pending,
    /// The step waits for a person's decision.
    AwaitingApproval,
    /// A person approved the step; an earlier step is not done yet.
    Approved,
    Running,
    Completed,
    Failed,
    /// A person denied the step.
    Skipped,
    /// An earlier step failed, or the run ended.
    NotRun,
}

/// The plan of a chat, as programs read it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlanView {
    pub session_id: ChatSessionId,
    /// The run that carries out the plan.
    pub run_id: RunId,
    pub goal: String,
    pub status: PlanStatus,
    pub steps: Vec<PlanStepView>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlanStepView {
    /// 1, 2, 3 …
    pub id: u32,
    pub description: String,
    pub status: PlanStepStatus,
    /// The call, once we know it: the tool, source and arguments that we would send.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    #[serde(flatten, default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<Json>,
    /// The approval that the step waits for, or that decided it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval_id: Option<ApprovalId>,
    /// The result of the step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
}

/// Approves the changes of a plan, as the reader saw them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApprovePlanRequest {
    /// The IDs of all pending approvals. If the plan has changed meanwhile, we approve nothing.
    pub approval_ids: Vec<ApprovalId>,
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
    /// Returns the state of each step in this turn.
    pub fn statuses(&self, turn: &TurnView) -> Vec<PlanStepStatus> {
        let mut broken = false;
        self.steps
            .iter()
            .map(|step| {
                let status = step.status(turn, broken);
                // What could not be prepared holds nothing back.
                broken |= matches!(status, PlanStepStatus::Failed | PlanStepStatus::NotRun) && !step.unmade;
                status
            })
            .collect()
    }

    /// Returns the plan as programs read it.
    pub fn view(&self, session_id: ChatSessionId, turn: &TurnView) -> PlanView {
        let steps = self.steps.iter().zip(self.statuses(turn)).zip(1..).map(|((step, status), id)| {
            let (tool, source, args, result) = match step.tool_call_id.and_then(|id| turn.tool(id)) {
                Some(StepView::Tool { name, source, params, summary, .. }) => {
                    (Some(name.clone()), Some(*source), Some(params.clone()), summary.clone())
                }
                _ => (None, None, None, step.note.clone()),
            };
            PlanStepView {
                id,
                description: step.says.clone(),
                status,
                tool,
                source,
                args,
                approval_id: step.card(turn).map(|card| card.approval_id),
                result,
            }
        });
        PlanView {
            session_id,
            run_id: turn.run_id,
            goal: self.goal.clone(),
            status: self.status(turn),
            steps: steps.collect(),
        }
    }

    /// Returns the changes that wait for a person, in the order of the steps.
    pub fn waiting<'t>(&self, turn: &'t TurnView) -> Vec<&'t TurnApproval> {
        let mut waiting: Vec<&TurnApproval> = Vec::new();
        for card in self.steps.iter().filter_map(|step| step.card(turn)) {
            let new = waiting.iter().all(|known| known.approval_id != card.approval_id);
            if new && card.status == ApprovalStatus::Pending {
                waiting.push(card);
            }
        }
        waiting
    }

    pub fn status(&self, turn: &TurnView) -> PlanStatus {
        let steps = self.statuses(turn);
        let any = |wanted| steps.contains(&wanted);
        // A pending change can still be sent, whatever happened to another step.
        if any(PlanStepStatus::AwaitingApproval) {
            PlanStatus::AwaitingApproval
        } else if !turn.status.is_final() {
            PlanStatus::Executing
        } else if any(PlanStepStatus::Failed) || any(PlanStepStatus::NotRun) {
            PlanStatus::Failed
        } else if steps.iter().all(|step| step.is_final()) {
            PlanStatus::Completed
        } else {
            PlanStatus::Executing
        }
    }
}

impl PlanStep {
    /// Returns the card of this step; the newest one if the change was asked again.
    pub fn card<'t>(&self, turn: &'t TurnView) -> Option<&'t TurnApproval> {
        let id = self.tool_call_id?;
        turn.approvals.iter().rfind(|card| card.tool_call_id == id)
    }

    /// Returns the state of the step. `broken` means that an earlier step failed.
    fn status(&self, turn: &TurnView, broken: bool) -> PlanStepStatus {
        let Some(id) = self.tool_call_id else {
            if self.unmade {
                return PlanStepStatus::NotRun;
            }
            if self.note.is_some() {
                return PlanStepStatus::Completed;
            }
            return match turn.status.is_final() {
                true if broken || !turn.answered => PlanStepStatus::NotRun,
                true => PlanStepStatus::Completed,
                false => PlanStepStatus::Pending,
            };
        };
        let found = match turn.tool(id) {
            // An approved change has a message only after it was sent.
            Some(StepView::Tool { state, read_only, message, .. }) => Some((*state, *read_only || message.is_some())),
            _ => None,
        };
        let card = self.card(turn);
        match (found, card.map(|card| card.status)) {
            (Some((StepState::Ok, _)), _) => PlanStepStatus::Completed,
            (Some((StepState::Failed, _)), _) => PlanStepStatus::Failed,
            (Some((StepState::Denied, _)), Some(ApprovalStatus::Denied)) => PlanStepStatus::Skipped,
            // Somebody else had already set the same values.
            (Some((StepState::Denied, _)), Some(status))
                if crate::came_too_late(status, card.and_then(|card| card.reason.as_deref())) =>
            {
                PlanStepStatus::Completed
            }
            (Some((StepState::Denied | StepState::Stopped, _)), _) => PlanStepStatus::NotRun,
            (_, Some(ApprovalStatus::Pending)) => PlanStepStatus::AwaitingApproval,
            (Some((StepState::Running, true)), _) => PlanStepStatus::Running,
            (_, Some(ApprovalStatus::Approved)) => PlanStepStatus::Approved,
            _ if turn.status.is_final() => PlanStepStatus::NotRun,
            _ => PlanStepStatus::Pending,
        }
    }
}
