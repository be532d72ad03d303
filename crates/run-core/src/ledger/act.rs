//! Proposed calls: how the ledger checks them, runs the reads, and sends the writes.

use adagent_contract::{CallResult, EventBody};
use adagent_domain::{ApprovalId, Source, ToolCallId};

use super::{Call, CallState, Checked, Ledger, Proposed, Success};
use crate::{CallMark, CallRow, Effect, Fault, FaultKind, Step, StepError, UnusableWhy};

impl Ledger {
    /// Adds a proposed call. With `refused`, the call fails for that reason before any check.
    pub fn propose(&mut self, step: &mut Step<'_>, proposed: Proposed, refused: Option<Fault>) {
        let Some((source, read_only)) = proposed.tool else {
            let fault = Fault::new(
                FaultKind::UnknownTool,
                "UNKNOWN_TOOL",
                format!("There is no tool named {:?}.", proposed.name),
            )
            .with_guidance("Use one of the tools listed.");
            step.emit(EventBody::Thinking { content: fault.message.clone() });
            // A tool that does not exist has no source, so the call shows no step. The model still gets the error.
            let mut call = Call::new(proposed.id, proposed.name, Source::Native, true, proposed.digest);
            call.state = CallState::Failed { fault };
            self.calls.push(call);
            return;
        };
        let id = proposed.id;
        step.emit(EventBody::Tool {
            tool_call_id: id,
            name: proposed.name.clone(),
            source,
            params: proposed.args.clone(),
            read_only,
            approved: None,
        });
        step.effects.push(Effect::InsertCall {
            id,
            name: proposed.name.clone(),
            args: proposed.args,
            digest: proposed.digest.clone(),
            read_only,
        });
        self.calls.push(Call::new(id, proposed.name, source, read_only, proposed.digest));
        if let Some(fault) = refused {
            self.fail(step, id, fault);
        }
    }

    /// Checks that each call of the current check got an answer, and no other call did.
    pub(crate) fn answers_all(&self, checked: &[Checked]) -> Result<(), StepError> {
        match self.waits() {
            super::Waits::Work(super::CallWork::Check(asked)) => complete(&asked, checked.iter().map(|(id, _)| *id)),
            _ => Ok(()),
        }
    }

    pub(crate) fn checked(
        &mut self,
        step: &mut Step<'_>,
        checked: Vec<Checked>,
        asked: &[ToolCallId],
    ) -> Result<(), StepError> {
        complete(asked, checked.iter().map(|(id, _)| *id))?;
        for (id, outcome) in in_order(asked, checked) {
            match outcome {
                Ok(()) => {
                    let call = self.call_mut(id)?;
                    call.state = CallState::Ready;
                    if call.read_only && !call.asks_agent() {
                        let (tool_name, source) = (call.name.clone(), call.source);
                        step.emit(EventBody::ToolExecuting {
                            tool_call_id: id,
                            tool_name,
                            message: format!("Asking {}", source.display_name()),
                            progress: None,
                        });
                    }
                }
                Err(fault) => self.fail(step, id, fault),
            }
        }
        Ok(())
    }

    pub(crate) fn read(
        &mut self,
        step: &mut Step<'_>,
        results: Vec<(ToolCallId, Result<Success, Fault>)>,
        asked: &[ToolCallId],
    ) -> Result<(), StepError> {
        complete(asked, results.iter().map(|(id, _)| *id))?;
        for (id, outcome) in in_order(asked, results) {
            match outcome.and_then(|success| self.hold(success)) {
                Ok(success) => self.succeed(step, id, success, &[CallRow::Prepared])?,
                Err(fault) => self.fail(step, id, fault),
            }
        }
        Ok(())
    }

    /// Returns a report if its rows still fit the limit, together with the reports that the run has read. Otherwise drops it and returns
    /// the fault.
    fn hold(&mut self, success: Success) -> Result<Success, Fault> {
        let rows = success.result["rows"].as_array().map_or(0, |rows| rows.len() as u64);
        let (all, most) = (self.rows.saturating_add(rows), self.limits.rows);
        if all > most {
            let message = format!(
                "This report has {rows} rows. Together with the other reports, that's over the limit of {most} for one answer."
            );
            let fault = Fault::new(FaultKind::Deterministic, "TOO_MANY_ROWS", message);
            return Err(fault.with_guidance("Ask for fewer days, or for fewer dimensions."));
        }
        self.rows = all;
        Ok(success)
    }

    /// Notes that a write is about to leave. The driver commits this before it sends the request.
    pub(crate) fn sending(
        &mut self,
        step: &mut Step<'_>,
        id: ToolCallId,
        baseline: Option<serde_json::Value>,
    ) -> Result<(), StepError> {
        let call = self.call_mut(id)?;
        let CallState::Approved { approval } = call.state else {
            return Err(StepError::UnknownCall(id));
        };
        call.state = CallState::Sending { approval };
        call.baseline = baseline;
        let (tool_name, source) = (call.name.clone(), call.source);
        step.effects.push(Effect::MoveCall { id, from: &[CallRow::Approved], to: CallMark::Sending, result: None });
        step.emit(EventBody::ToolExecuting {
            tool_call_id: id,
            tool_name,
            message: format!("Sending the change to {}", source.display_name()),
            progress: None,
        });
        Ok(())
    }

    pub(crate) fn sent(
        &mut self,
        step: &mut Step<'_>,
        id: ToolCallId,
        outcome: Result<Success, Fault>,
    ) -> Result<(), StepError> {
        let approval = self.sending_approval(id)?;
        match outcome {
            Ok(success) => self.succeed(step, id, success, &[CallRow::Sending])?,
            Err(fault) if fault.kind == FaultKind::UnknownOutcome => {
                let settles_at = self.settles_at(step.now);
                let call = self.call_mut(id)?;
                call.state = CallState::Probing { approval, settles_at: Some(settles_at), looked: false };
                let tool_name = call.name.clone();
                step.emit(EventBody::ToolExecuting {
                    tool_call_id: id,
                    tool_name,
                    message: "No clear reply. Checking whether the change went through".into(),
                    progress: None,
                });
            }
            Err(fault) => self.fail(step, id, fault),
        }
        Ok(())
    }

    fn sending_approval(&self, id: ToolCallId) -> Result<ApprovalId, StepError> {
        match self.call(id).map(|call| &call.state) {
            Some(CallState::Sending { approval }) => Ok(*approval),
            _ => Err(StepError::UnknownCall(id)),
        }
    }

    pub(crate) fn succeed(
        &mut self,
        step: &mut Step<'_>,
        id: ToolCallId,
        success: Success,
        from: &'static [CallRow],
    ) -> Result<(), StepError> {
        let call = self.call_mut(id)?;
        let mut summary = success.summary;
        if call.uncertain {
            summary = format!(
                "{summary}. An earlier attempt may have gone through too, so this change may have been made twice. Check the network."
            );
        }
        call.state = CallState::Succeeded;
        call.summary = Some(summary.clone());
        call.uncertain = false;
        let name = call.name.clone();
        let whole = CallResult { result: Some(success.result), artifact: success.artifact };
        let result = whole.brief();
        step.effects.push(Effect::MoveCall { id, from, to: CallMark::Succeeded, result: Some(whole) });
        step.emit(EventBody::ToolResult {
            tool_call_id: id,
            name,
            ok: true,
            summary,
            result,
            artifact: None,
            duration_ms: success.duration_ms,
            cached: success.cached,
        });
        Ok(())
    }

    /// Records that a call failed. If an earlier attempt may have taken effect, the outcome is unknown, whatever happened to this attempt;
    /// the call never counts as failed then.
    pub(crate) fn fail(&mut self, step: &mut Step<'_>, id: ToolCallId, fault: Fault) {
        let (kind, why) = (fault.kind, UnusableWhy::of(fault.kind));
        let Ok(call) = self.call_mut(id) else { return };
        let (name, source, read_only) = (call.name.clone(), call.source, call.read_only);
        let doubt = call.doubt().map(str::to_owned);
        let was_asked = call.was_asked();
        let fault = match &doubt {
            Some(doubt) => Fault {
                message: format!("{doubt} The next attempt failed: {}", fault.message),
                guidance: None,
                ..fault
            },
            None => fault,
        };
        let (result, summary) = (fault.to_json(), fault.message.clone());
        let forbidden = kind == FaultKind::OutOfContext && !read_only && doubt.is_none();
        let (state, to) = match doubt {
            Some(_) => (CallState::Unknown { why: summary.clone(), met: Some(kind) }, CallMark::Unknown),
            None => (CallState::Failed { fault }, CallMark::Failed),
        };
        call.state = state;
        step.effects.push(Effect::MoveCall {
            id,
            from: &[CallRow::Prepared, CallRow::Approved, CallRow::Sending],
            to,
            result: Some(CallResult::of(result.clone())),
        });
        if forbidden {
            step.emit(EventBody::ToolDenied { tool_call_id: id, tool_name: name, reason: summary, unknown: false });
        } else {
            step.emit(EventBody::ToolResult {
                tool_call_id: id,
                name,
                ok: false,
                summary,
                result,
                artifact: None,
                duration_ms: 0,
                cached: false,
            });
        }
        // If nobody was asked about this change yet, people see its failure before they approve anything. Otherwise break off the later
        // changes of the plan.
        if was_asked {
            self.break_off(step, id).ok();
        }
        if let (Some(why), Some(network)) = (why, source.network()) {
            self.ask_to_act(step, network, why);
        }
    }
}

/// Checks that every call in `asked` got an answer, and no other call did.
pub(crate) fn complete(asked: &[ToolCallId], got: impl Iterator<Item = ToolCallId>) -> Result<(), StepError> {
    let got: Vec<_> = got.collect();
    match asked.iter().find(|id| !got.contains(id)).or_else(|| got.iter().find(|id| !asked.contains(id))) {
        Some(odd) => Err(StepError::UnknownCall(*odd)),
        None => Ok(()),
    }
}

/// Returns the answers in the order of the calls, whatever order they came in.
pub(crate) fn in_order<T>(asked: &[ToolCallId], mut got: Vec<(ToolCallId, T)>) -> Vec<(ToolCallId, T)> {
    got.sort_by_key(|(id, _)| asked.iter().position(|a| a == id));
    got
}
