//! Questions to people: what they are shown, what they say, and what becomes of a write then.

use adagent_contract::{ApprovalStatus, EventBody, NOTHING_TO_SEND, came_too_late};
use adagent_domain::{ApprovalId, ToolCallId};

use super::{
    Answer, Call, CallState, Denial, Ledger, Sketched,
    act::{complete, in_order},
    order::withdraw,
};
use crate::{Ask, CallMark, CallRow, Effect, Fault, FaultKind, Step, StepError};

/// What is written where a person says no and gives no reason.
pub(crate) const DECLINED: &str = "Denied.";

impl Ledger {
    /// Each write becomes a question of its own; the run lets go of everything and waits.
    pub(crate) fn sketched(
        &mut self,
        step: &mut Step<'_>,
        sketches: Vec<(ToolCallId, Result<Box<Sketched>, Fault>)>,
        asked: &[ToolCallId],
    ) -> Result<(), StepError> {
        complete(asked, sketches.iter().map(|(id, _)| *id))?;
        for (id, outcome) in in_order(asked, sketches) {
            // One before it in its plan just failed.
            if self.call(id).is_some_and(Call::is_settled) {
                continue;
            }
            match outcome {
                Ok(sketch) => self.ask(step, id, *sketch)?,
                Err(fault) => self.fail(step, id, fault),
            }
        }
        Ok(())
    }

    fn ask(&mut self, step: &mut Step<'_>, id: ToolCallId, mut sketch: Sketched) -> Result<(), StepError> {
        let approval = ApprovalId::new(step.ids);
        let expires_at = step.now.plus_millis(self.limits.approval_ms);
        let call = self.call_mut(id)?;
        call.state = CallState::Waiting { approval };
        let source = call.source.display_name();
        let doubt = call
            .doubt()
            .map(|doubt| format!("{}. Check {source} first: approving sends it again.", doubt.trim_end_matches('.')));
        let found = call.found.clone();
        sketch.warnings.splice(0..0, doubt.into_iter().chain(found));
        let (tool, source, digest) = (call.name.clone(), call.source, call.digest.clone());
        step.emit(EventBody::ToolApprovalRequired {
            approval_id: approval,
            tool_call_id: id,
            tool_name: tool.clone(),
            source,
            title: sketch.title.clone(),
            tool_input: sketch.tool_input.clone(),
            parameter_schema: sketch.parameter_schema.clone(),
            ui_hints: Box::new(sketch.ui_hints.clone()),
            risk: sketch.risk,
            warnings: sketch.warnings.clone(),
            preview: sketch.preview.clone(),
            expires_at: Some(expires_at),
        });
        step.effects.push(Effect::Ask(Box::new(Ask { approval, call: id, tool, source, digest, expires_at, sketch })));
        Ok(())
    }

    /// Takes answers in, each once; the first approved write goes out before the next question is looked at again.
    pub(crate) fn answered(&mut self, step: &mut Step<'_>, answers: Vec<Answer>) -> Result<(), StepError> {
        self.wake(step);
        for answer in answers {
            self.answer(step, answer)?;
        }
        Ok(())
    }

    fn answer(&mut self, step: &mut Step<'_>, answer: Answer) -> Result<(), StepError> {
        let Some(id) = self.waiting_call(answer.approval) else {
            // Answered before, or withdrawn: nothing may come of it.
            return Ok(());
        };
        match answer.status {
            ApprovalStatus::Pending => Ok(()),
            ApprovalStatus::Approved => {
                let call = self.call_mut(id)?;
                call.state = CallState::Approved { approval: answer.approval };
                call.digest = answer.digest;
                let (name, source) = (call.name.clone(), call.source);
                step.emit(EventBody::Tool {
                    tool_call_id: id,
                    name,
                    source,
                    params: answer.args,
                    read_only: false,
                    approved: Some(true),
                });
                Ok(())
            }
            ApprovalStatus::Denied => {
                self.deny(step, id, answer.reason.unwrap_or_else(|| DECLINED.into()), Denial::Declined)
            }
            ApprovalStatus::Expired => {
                self.deny(step, id, "No one answered in time, and the approval expired.".into(), Denial::Expired)?;
                // Silence is no yes to what comes after it either.
                self.break_off(step, id)
            }
            ApprovalStatus::Cancelled if came_too_late(answer.status, answer.reason.as_deref()) => {
                self.deny(step, id, NOTHING_TO_SEND.into(), Denial::AlreadyThere)
            }
            ApprovalStatus::Cancelled => {
                let reason = answer.reason.unwrap_or_else(|| "The approval was canceled.".into());
                self.deny(step, id, reason, Denial::Cancelled)?;
                self.break_off(step, id)
            }
        }
    }

    fn waiting_call(&self, wanted: ApprovalId) -> Option<ToolCallId> {
        self.waiting_approvals().find(|(approval, _)| *approval == wanted).map(|(_, call)| call.id)
    }

    pub(crate) fn deny(
        &mut self,
        step: &mut Step<'_>,
        id: ToolCallId,
        reason: String,
        cause: Denial,
    ) -> Result<(), StepError> {
        let call = self.call_mut(id)?;
        let tool_name = call.name.clone();
        // Declining a second attempt does not decline the first.
        let doubt = call.doubt().map(str::to_owned);
        let unknown = doubt.is_some();
        let (mark, reason) = if let Some(why) = doubt {
            let told = format!("{reason} {why}");
            call.state = CallState::Unknown { why, met: None };
            (CallMark::Unknown, told)
        } else {
            call.state = CallState::Denied { reason: reason.clone(), cause };
            (CallMark::Denied, reason)
        };
        step.effects.push(Effect::MoveCall {
            id,
            from: &[CallRow::Prepared, CallRow::Approved],
            to: mark,
            result: None,
        });
        step.emit(EventBody::ToolDenied { tool_call_id: id, tool_name, reason, unknown });
        if unknown { self.break_off(step, id) } else { Ok(()) }
    }

    /// Nothing that waits is sent any more; questions to people are withdrawn.
    pub fn close(&mut self, step: &mut Step<'_>, reason: &str) -> Result<(), StepError> {
        let open: Vec<_> = self
            .calls
            .iter()
            .filter(|call| !call.is_settled())
            .map(|call| (call.id, call.read_only, call.state.clone()))
            .collect();
        for (id, read_only, state) in open {
            // It went with one before it in its plan.
            if self.call(id).is_some_and(Call::is_settled) {
                continue;
            }
            match state {
                CallState::Waiting { approval } => withdraw(step, id, approval, reason),
                CallState::Child { run, .. } => step.effects.push(Effect::StopChild(run)),
                _ => {}
            }
            if read_only {
                let fault = Fault::new(FaultKind::Deterministic, "CANCELLED", reason);
                self.fail(step, id, fault);
            } else {
                self.deny(step, id, reason.into(), Denial::Cancelled)?;
            }
        }
        Ok(())
    }
}
