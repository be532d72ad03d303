//! Questions to people: what they are shown, what they say, and what becomes of a write then.

use adagent_contract::{ApprovalStatus, EventBody, RunStatus};
use adagent_domain::{ApprovalId, ToolCallId};

use crate::{
    Answer, Ask, CallMark, CallRow, CallState, Denial, Effect, Fault, Sketched, StepError,
    act::{complete, in_order},
    given::DECLINED,
    machine::Machine,
};

impl Machine<'_> {
    /// Each write becomes a question of its own; the run lets go of everything and waits.
    pub(crate) fn sketched(
        &mut self,
        sketches: Vec<(ToolCallId, Result<Box<Sketched>, Fault>)>,
        asked: &[ToolCallId],
    ) -> Result<(), StepError> {
        complete(asked, sketches.iter().map(|(id, _)| *id))?;
        for (id, outcome) in in_order(asked, sketches) {
            match outcome {
                Ok(sketch) => self.ask(id, *sketch)?,
                Err(fault) => self.fail(id, fault),
            }
        }
        self.settle()
    }

    fn ask(&mut self, id: ToolCallId, mut sketch: Sketched) -> Result<(), StepError> {
        let approval = ApprovalId::new(self.env.ids);
        let expires_at = self.env.now.plus_millis(self.env.limits.approval_ms);
        let call = self.call_mut(id)?;
        call.state = CallState::Waiting { approval };
        let network = call.network.display_name();
        let doubt = call
            .doubt()
            .map(|doubt| format!("{}. Check {network} first: approving sends it again.", doubt.trim_end_matches('.')));
        let found = call.found.clone();
        sketch.warnings.splice(0..0, doubt.into_iter().chain(found));
        let (tool, network, digest) = (call.name.clone(), call.network, call.digest.clone());
        self.emit(EventBody::ToolApprovalRequired {
            approval_id: approval,
            tool_call_id: id,
            tool_name: tool.clone(),
            network,
            title: sketch.title.clone(),
            tool_input: sketch.tool_input.clone(),
            parameter_schema: sketch.parameter_schema.clone(),
            ui_hints: Box::new(sketch.ui_hints.clone()),
            risk: sketch.risk,
            warnings: sketch.warnings.clone(),
            preview: sketch.preview.clone(),
            expires_at: Some(expires_at),
        });
        self.effects.push(Effect::Ask(Box::new(Ask { approval, call: id, tool, network, digest, expires_at, sketch })));
        Ok(())
    }

    /// Takes answers in, each once; the first approved write goes out before the next question is looked at again.
    pub(crate) fn answered(&mut self, answers: Vec<Answer>) -> Result<(), StepError> {
        if let Some(since) = self.state.waiting_since.take() {
            // People may take their time: waiting does not count as work.
            let waited = self.env.now.millis_since(since).max(0);
            self.state.deadline = self.state.deadline.plus_millis(waited);
        }
        self.effects.push(Effect::Status(RunStatus::Running));
        for answer in answers {
            self.answer(answer)?;
        }
        self.settle()
    }

    fn answer(&mut self, answer: Answer) -> Result<(), StepError> {
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
                let (name, network) = (call.name.clone(), call.network);
                self.emit(EventBody::Tool {
                    tool_call_id: id,
                    name,
                    network,
                    params: answer.args,
                    read_only: false,
                    approved: Some(true),
                });
                Ok(())
            }
            ApprovalStatus::Denied => self.deny(id, answer.reason.unwrap_or_else(|| DECLINED.into()), Denial::Declined),
            ApprovalStatus::Expired => {
                self.deny(id, "No one answered in time, and the approval expired.".into(), Denial::Expired)
            }
            ApprovalStatus::Cancelled => {
                self.deny(id, answer.reason.unwrap_or_else(|| "The approval was canceled.".into()), Denial::Cancelled)
            }
        }
    }

    fn waiting_call(&self, wanted: ApprovalId) -> Option<ToolCallId> {
        self.state.waiting_approvals().find(|(approval, _)| *approval == wanted).map(|(_, call)| call.id)
    }

    pub(crate) fn deny(&mut self, id: ToolCallId, reason: String, cause: Denial) -> Result<(), StepError> {
        let call = self.call_mut(id)?;
        let tool_name = call.name.clone();
        // Whoever declines a second attempt did not decline the first.
        let (mark, reason) = if let Some(why) = call.doubt().map(str::to_owned) {
            let told = format!("{reason} {why}");
            call.state = CallState::Unknown { why, met: None };
            (CallMark::Unknown, told)
        } else {
            call.state = CallState::Denied { reason: reason.clone(), cause };
            (CallMark::Denied, reason)
        };
        self.effects.push(Effect::MoveCall {
            id,
            from: &[CallRow::Prepared, CallRow::Approved],
            to: mark,
            result: None,
        });
        self.emit(EventBody::ToolDenied { tool_call_id: id, tool_name, reason });
        Ok(())
    }

    /// Stop at a safe point: nothing that waits is sent any more. What is on its way out is looked after first.
    pub(crate) fn cancel(&mut self) -> Result<(), StepError> {
        if self.state.calls.iter().any(|c| matches!(c.state, CallState::Sending { .. } | CallState::Probing { .. })) {
            return Ok(());
        }
        self.close_calls("The run was stopped.")?;
        self.finish(RunStatus::Cancelled, None);
        Ok(())
    }

    /// Nothing that waits is sent any more; questions to people are withdrawn.
    pub(crate) fn close_calls(&mut self, reason: &str) -> Result<(), StepError> {
        let open: Vec<_> = self
            .state
            .calls
            .iter()
            .filter(|call| !call.is_settled())
            .map(|call| (call.id, call.read_only, call.state.clone()))
            .collect();
        for (id, read_only, state) in open {
            if let CallState::Waiting { approval } = state {
                self.effects.push(Effect::CancelApproval { approval, reason: reason.into() });
                let event = EventBody::ToolApprovalAnswered {
                    approval_id: approval,
                    tool_call_id: id,
                    status: ApprovalStatus::Cancelled,
                    by: "the stopped run".into(),
                    edited_args: None,
                    edits: Vec::new(),
                    sent: None,
                    reason: Some(reason.into()),
                };
                self.emit(event);
            }
            if read_only {
                let fault = Fault::new(crate::FaultKind::Deterministic, "CANCELLED", reason);
                self.fail(id, fault);
            } else {
                self.deny(id, reason.into(), Denial::Cancelled)?;
            }
        }
        Ok(())
    }
}
