//! Questions to people: what a person sees, what they answer, and what then happens to the write.

use adagent_contract::{ApprovalStatus, EventBody, NOTHING_TO_SEND, came_too_late};
use adagent_domain::{ApprovalId, ToolCallId};

use super::{
    Answer, Call, CallState, Denial, Ledger, Sketched,
    act::{complete, in_order},
    order::withdraw,
};
use crate::{Ask, CallMark, CallRow, Effect, Fault, FaultKind, Step, StepError};

/// The reason that we record if a person denies a change and gives none.
pub(crate) const DECLINED: &str = "Denied.";

impl Ledger {
    /// Asks a person about each write. Then the run waits and holds no worker.
    pub(crate) fn sketched(
        &mut self,
        step: &mut Step<'_>,
        sketches: Vec<(ToolCallId, Result<Box<Sketched>, Fault>)>,
        asked: &[ToolCallId],
    ) -> Result<(), StepError> {
        complete(asked, sketches.iter().map(|(id, _)| *id))?;
        for (id, outcome) in in_order(asked, sketches) {
            // An earlier change of its plan just failed.
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

    /// Records answers, each once. The first approved write goes out before we look at the next question.
    pub(crate) fn answered(&mut self, step: &mut Step<'_>, answers: Vec<Answer>) -> Result<(), StepError> {
        self.wake(step);
        for answer in answers {
            self.answer(step, answer)?;
        }
        Ok(())
    }

    fn answer(&mut self, step: &mut Step<'_>, answer: Answer) -> Result<(), StepError> {
        let Some(id) = self.waiting_call(answer.approval) else {
            // Already answered or withdrawn, so this answer must have no effect.
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
                // A person who did not answer did not agree to the later changes of the plan either.
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
        // A denial of this attempt says nothing about an earlier one that may have taken effect.
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

    /// Ends all open calls: sends none of them, and withdraws the questions to people.
    pub fn close(&mut self, step: &mut Step<'_>, reason: &str) -> Result<(), StepError> {
        let open: Vec<_> = self
            .calls
            .iter()
            .filter(|call| !call.is_settled())
            .map(|call| (call.id, call.read_only, call.state.clone()))
            .collect();
        for (id, read_only, state) in open {
            // Already ended, together with an earlier change of its plan.
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
