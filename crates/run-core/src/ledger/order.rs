//! The order of the changes of a plan. One that fails holds back what comes after it; one that a person leaves out does not.

use adagent_contract::{ApprovalStatus, EventBody};
use adagent_domain::{ApprovalId, ToolCallId};

use super::{Call, CallState, Denial, Ledger};
use crate::{Effect, Step, StepError};

/// Why a change of a plan is not made whose turn never came.
const BROKEN_OFF: &str = "A step before this one was not done, so the plan stopped here.";

impl Ledger {
    /// Puts a change behind another of the same plan. What would have to wait for itself stays where it is.
    pub fn put_after(&mut self, id: ToolCallId, before: ToolCallId) -> Result<(), StepError> {
        let first = self.call(before).ok_or(StepError::UnknownCall(before))?;
        if id != before && self.before(first).all(|earlier| earlier.id != id) {
            self.call_mut(id)?.after = Some(before);
        }
        Ok(())
    }

    /// Whether a change that comes before it is not settled yet.
    pub(crate) fn is_held(&self, call: &Call) -> bool {
        self.before(call).any(|before| !before.is_settled())
    }

    /// The changes before it, the nearest first.
    fn before<'a>(&'a self, call: &'a Call) -> impl Iterator<Item = &'a Call> {
        std::iter::successors(Some(call), |call| self.call(call.after?)).skip(1)
    }

    /// A change that a person was asked about failed: what comes after it is not sent, and nobody is asked about it any more.
    pub(crate) fn break_off(&mut self, step: &mut Step<'_>, failed: ToolCallId) -> Result<(), StepError> {
        let later = |call: &&Call| !call.is_settled() && self.before(call).any(|before| before.id == failed);
        let later: Vec<_> = self.calls.iter().filter(later).map(|call| (call.id, call.state.clone())).collect();
        for (id, state) in later {
            if self.call(id).is_some_and(Call::is_settled) {
                continue;
            }
            if let CallState::Waiting { approval } = state {
                withdraw(step, id, approval, BROKEN_OFF);
            }
            self.deny(step, id, BROKEN_OFF.into(), Denial::Cancelled)?;
        }
        Ok(())
    }
}

/// Takes a question to a person back.
pub(super) fn withdraw(step: &mut Step<'_>, id: ToolCallId, approval: ApprovalId, reason: &str) {
    step.effects.push(Effect::CancelApproval { approval, reason: reason.into() });
    step.emit(EventBody::ToolApprovalAnswered {
        approval_id: approval,
        tool_call_id: id,
        status: ApprovalStatus::Cancelled,
        by: "the stopped run".into(),
        edited_args: None,
        edits: Vec::new(),
        sent: None,
        reason: Some(reason.into()),
    });
}
