//! The order of the changes of a plan. If one fails, the later ones are not sent. If a person leaves one out, the later ones still are.

use adagent_contract::{ApprovalStatus, EventBody};
use adagent_domain::{ApprovalId, ToolCallId};

use super::{Call, CallState, Denial, Ledger};
use crate::{Effect, Step, StepError};

/// The reason that we record for a change that was not made, because an earlier change of its plan failed.
const BROKEN_OFF: &str = "A step before this one was not done, so the plan stopped here.";

impl Ledger {
    /// Puts a change after another one of the same plan. Does nothing if the change would then wait for itself.
    pub fn put_after(&mut self, id: ToolCallId, before: ToolCallId) -> Result<(), StepError> {
        let first = self.call(before).ok_or(StepError::UnknownCall(before))?;
        if id != before && self.before(first).all(|earlier| earlier.id != id) {
            self.call_mut(id)?.after = Some(before);
        }
        Ok(())
    }

    /// Checks whether an earlier change of its plan is not settled yet.
    pub(crate) fn is_held(&self, call: &Call) -> bool {
        self.before(call).any(|before| !before.is_settled())
    }

    /// Returns the changes before it in its plan, the nearest first.
    fn before<'a>(&'a self, call: &'a Call) -> impl Iterator<Item = &'a Call> {
        std::iter::successors(Some(call), |call| self.call(call.after?)).skip(1)
    }

    /// Ends the changes of a plan that come after this one, because this one was not made. Sends none of them and withdraws their
    /// approvals.
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

/// Withdraws a question to a person.
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
